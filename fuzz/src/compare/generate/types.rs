//! Types, and the variables at program scope.

use super::super::ast::*;
use super::Generator;
use std::rc::Rc;

impl Generator<'_> {
    pub(super) fn record(&mut self, name: &str, fields: Vec<Ty>, union: bool, packed: bool) -> usize {
        let fields = fields
            .into_iter()
            .enumerate()
            .map(|(n, ty)| Field { name: format!("m{n}"), ty, aligned: None })
            .collect();
        let name = format!("{name}{}", self.program.records.len());
        self.program.records.push(Record { name, fields, union, packed });
        self.program.records.len() - 1
    }

    /// Gives some members of a record types of another alignment.
    fn align_fields(&mut self, record: usize) {
        if !self.features.declarations || !self.chance(35) {
            return;
        }
        for n in 0..self.program.records[record].fields.len() {
            if self.chance(60) {
                let aligned = [1, 2, 4, 8, 16][self.random.below(5)];
                self.program.records[record].fields[n].aligned = Some(aligned);
            }
        }
    }

    pub(super) fn data_field(&mut self) -> Ty {
        let records: Vec<usize> =
            (0..self.program.records.len()).filter(|r| self.plain(&Ty::Record(*r))).collect();
        if let Some(inner) = self.random.pick(&records).copied()
            && self.chance(15)
        {
            return Ty::Record(inner);
        }
        if self.program.floats && self.random.one_in(4) {
            return self.floats();
        }
        match self.random.below(6) {
            0 => self.vector(),
            1 => Ty::Array(Rc::new(Ty::Scalar(self.integer())), [2, 4][self.random.below(2)]),
            _ => Ty::Scalar(self.integer()),
        }
    }

    pub(super) fn types(&mut self) {
        self.palette.push(UINT);
        let other = self.integer();
        self.palette.push(Ty::Scalar(other));
        if self.chance(30) {
            self.palette.push(Ty::Scalar([Scalar::U8, Scalar::U16][self.random.below(2)]));
        }
        if self.chance(40) {
            let vector = self.vector();
            self.palette.push(vector);
        }
        if self.program.floats {
            for _ in 0..1 + self.random.below(2) {
                let floats = self.floats();
                self.palette.push(floats);
            }
        }
        if self.chance(60) {
            let fields = (0..2 + self.random.below(3)).map(|_| self.data_field()).collect();
            let packed = self.chance(50);
            let record = self.record("D", fields, false, packed);
            self.align_fields(record);
            if !packed || self.chance(50) {
                self.palette.push(Ty::Record(record));
            }
        }
        if self.chance(25) {
            self.union();
        }
        if self.chance(25) {
            // With members at odd offsets, and what is packed within what is not.
            let fields = (0..2 + self.random.below(3)).map(|_| self.data_field()).collect();
            let packed = self.chance(60);
            let record = self.record("E", fields, false, packed);
            self.align_fields(record);
            self.palette.push(Ty::Record(record));
        }
        if self.chance(50) {
            self.node = Some(self.node_in(Space::Private));
        }
        if self.chance(25) {
            self.local_node = Some(self.node_in(Space::Local));
        }
        if self.features.stored && self.chance(25) {
            self.global_node = Some(self.node_in(Space::Global));
        }
    }

    /// Views of the same bytes; the first covers all.
    pub(super) fn union(&mut self) {
        let array = |s, n| Ty::Array(Rc::new(Ty::Scalar(s)), n);
        let mut fields = vec![array(Scalar::U32, 2)];
        for _ in 0..2 {
            let field = match self.random.below(6) {
                0 => array(Scalar::U8, 8),
                1 => array(Scalar::U16, 4),
                2 => Ty::Vector(Scalar::U8, 8),
                3 => Ty::Vector(Scalar::I16, 4),
                4 if self.features.int64 => Ty::Scalar(Scalar::U64),
                _ => Ty::Vector(Scalar::I32, 2),
            };
            fields.push(field);
        }
        let record = self.record("U", fields, true, false);
        self.palette.push(Ty::Record(record));
    }

    /// A record that points to its like, and to something else.
    pub(super) fn node_in(&mut self, space: Space) -> usize {
        let index = self.program.records.len();
        let own = true;
        let space_of = |g: &mut Self| if g.program.generic && g.chance(40) { Space::Generic } else { space };
        let next_space = if space == Space::Private { space_of(self) } else { space };
        let next = Self::pointer_to(next_space, Ty::Record(index), 1, true, own);
        let mut fields = vec![Ty::Scalar(self.integer()), next];
        for _ in 0..self.random.below(3) {
            let to = self.palette[self.random.below(self.palette.len())].clone();
            let pointer = match self.random.below(3) {
                0 if space != Space::Global => {
                    Self::pointer_to(Space::Global, to, 1, true, self.random.one_in(2))
                }
                1 => Self::pointer_to(space, to, 4, true, own),
                _ => Self::pointer_to(space, to, 1, true, own),
            };
            let array = self.chance(25);
            fields.push(if array { Ty::Array(Rc::new(pointer), 2) } else { pointer });
        }
        if self.chance(50) {
            fields.insert(0, Ty::Scalar(self.integer()));
        }
        self.record("N", fields, false, false)
    }

    pub(super) fn constants(&mut self) {
        for _ in 0..self.random.below(3) {
            let to = self.palette[self.random.below(self.palette.len())].clone();
            if matches!(to, Ty::Record(r) if self.program.records[r].union) {
                continue;
            }
            let ty = Ty::Array(Rc::new(to), 4);
            let var = self.variable("c", ty.clone(), Space::Constant);
            let init = self.literals(&ty);
            self.program.statics.push((var, init));
            self.scope.push(var);
            self.addressable.push(var);
        }
        let tables: Vec<VarId> = self.scope.clone();
        if let Some(first) = tables.first().copied()
            && self.features.tables
            && self.chance(40)
        {
            let Ty::Array(to, _) = self.program.vars[first].ty.clone() else { return };
            let null = self.chance(50);
            let pointer = Self::pointer_to(Space::Constant, (*to).clone(), 1, null, false);
            let same: Vec<VarId> = tables
                .iter()
                .copied()
                .filter(|v| self.program.vars[*v].ty == self.program.vars[first].ty)
                .collect();
            let mut list = vec![];
            for _ in 0..4 {
                let from = same[self.random.below(same.len())];
                let base = Expr::new(pointer.clone(), Kind::Decay(Box::new(self.var(from))));
                let at = self.random.below(4) as i64;
                list.push(Init::Expr(match self.random.below(4) {
                    0 if null => Expr::new(pointer.clone(), Kind::Null),
                    1 => base,
                    _ => Expr::new(pointer.clone(), Kind::Offset(Box::new(base), Box::new(Expr::int(at)))),
                }));
            }
            let var = self.variable("t", Ty::Array(Rc::new(pointer), 4), Space::Constant);
            self.program.statics.push((var, Init::List(list)));
            self.scope.push(var);
        }
        if self.features.globals && self.program.generic {
            self.globals();
        }
    }

    /// Variables at program scope in global memory: read by all, pointers to them, and with a part for each work-item.
    pub(super) fn globals(&mut self) {
        if self.chance(40) {
            let ty = Ty::Array(Rc::new(UINT), 4);
            let var = self.variable("s", ty.clone(), Space::Global);
            let init = self.literals(&ty);
            self.program.statics.push((var, init));
            self.scope.push(var);
            self.fixed.push(var);
            self.addressable.push(var);
            if self.features.stored && self.chance(50) {
                let pointer = Self::pointer_to(Space::Global, UINT, 1, false, false);
                let base = Expr::new(pointer.clone(), Kind::Decay(Box::new(self.var(var))));
                let entry = |n: i64| match n {
                    0 => Init::Expr(base.clone()),
                    n => {
                        let by = Box::new(Expr::int(n));
                        Init::Expr(Expr::new(pointer.clone(), Kind::Offset(Box::new(base.clone()), by)))
                    }
                };
                let list = (0..4).map(|_| entry(self.random.below(4) as i64)).collect();
                let ty = Ty::Array(Rc::new(pointer.clone()), 4);
                let table = self.variable("t", ty, Space::Global);
                self.program.statics.push((table, Init::List(list)));
                self.scope.push(table);
                self.fixed.push(table);
            }
        }
        for _ in 0..self.random.below(3) {
            let mut to = self.palette[self.random.below(self.palette.len())].clone();
            if self.features.stored && self.chance(15) {
                to = Self::pointer_to(Space::Global, UINT, 1, true, false);
            }
            if !self.plain(&to) && to.pointer().is_none() {
                continue;
            }
            let each = 1 + self.random.below(2) as u32;
            let items = self.program.group * self.program.groups;
            let ty = Ty::Array(Rc::new(to.clone()), items * each);
            let init = match to {
                Ty::Pointer(_) => Init::List(vec![]),
                _ if self.chance(40) => Init::List(vec![]),
                _ => self.literals(&ty),
            };
            let var = self.variable("g", ty, Space::Global);
            self.program.statics.push((var, init));
            self.slices.push((var, each));
        }
    }

    /// Constant values for all of a type without pointers.
    pub(super) fn literals(&mut self, ty: &Ty) -> Init {
        match ty {
            Ty::Array(of, n) => Init::List((0..*n).map(|_| self.literals(of)).collect()),
            Ty::Record(r) => {
                let record = self.program.records[*r].clone();
                let count = if record.union { 1 } else { record.fields.len() };
                Init::List(record.fields.iter().take(count).map(|f| self.literals(&f.ty)).collect())
            }
            Ty::Scalar(s) => Init::Expr(self.literal(*s)),
            Ty::Vector(s, n) => {
                let parts = (0..*n).map(|_| self.literal(*s)).collect();
                Init::Expr(Expr::new(ty.clone(), Kind::Build(parts)))
            }
            Ty::Pointer(_) => Init::Expr(Expr::new(ty.clone(), Kind::Null)),
            Ty::Void => Init::List(vec![]),
        }
    }

    /// A random type of a pointer, for parameters and variables.
    pub(super) fn random_pointer(&mut self, depth: usize) -> Ty {
        let mut to = self.palette[self.random.below(self.palette.len())].clone();
        let mut space = match self.random.below(10) {
            0..=4 => Space::Private,
            5 | 6 => Space::Global,
            7 | 8 => Space::Local,
            _ => Space::Constant,
        };
        if self.program.generic && space != Space::Constant && self.chance(55) {
            space = Space::Generic;
        }
        let node = match space {
            Space::Private | Space::Generic => self.node,
            Space::Local => self.local_node,
            Space::Global => self.global_node,
            Space::Constant => None,
        };
        if let Some(node) = node.filter(|_| self.random.one_in(3)) {
            to = Ty::Record(node);
        }
        if depth > 0 && matches!(space, Space::Private | Space::Generic) && self.chance(20) {
            to = self.random_pointer(depth - 1);
        }
        let own = match space {
            Space::Private => true,
            Space::Constant => false,
            _ => self.chance(60),
        };
        let len = if self.chance(30) { 4 } else { 1 };
        let null = self.chance(55);
        Self::pointer_to(space, to, len, null, own)
    }
}
