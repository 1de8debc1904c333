//! Random programs.
//!
//! They are made so that most of them are defined: every pointer's type promises how many elements are behind it,
//! whether it can be null and whether they are this work-item's own (`Pointer`), and only what keeps the promise is
//! assigned. The interpreter has the last word.

use super::ast::*;
use super::sources::Reach;
use crate::random::Random;
use std::rc::Rc;

/// What may be in programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// 64-bit integers, and pointers of 64 bits.
    pub int64: bool,
    /// Unqualified pointers are generic, in half of the programs (OpenCL C 3.0).
    pub generic: bool,
    /// Pointers to global memory stored in global memory.
    pub stored: bool,
    /// One buffer for two arguments, whose pointers may be compared.
    pub aliases: bool,
    /// NULL for a buffer argument.
    pub null_arguments: bool,
    /// Memory read as another type through a cast pointer: what C compilers may take for undefined (C99 6.5 p7).
    pub punning: bool,
    /// Program-scope variables in global memory.
    pub globals: bool,
    /// Program-scope constants that are pointers to others.
    pub tables: bool,
}

impl Default for Features {
    fn default() -> Self {
        Features {
            int64: true,
            generic: true,
            stored: true,
            aliases: true,
            null_arguments: true,
            punning: true,
            globals: true,
            tables: true,
        }
    }
}

impl Features {
    /// The names of the switches, as the command line has them.
    pub const NAMES: [&'static str; 8] =
        ["int64", "generic", "stored", "aliases", "null-arguments", "punning", "globals", "tables"];

    /// Turns a feature off; whether there is one of this name.
    pub fn without(&mut self, name: &str) -> bool {
        let slot = match name {
            "int64" => &mut self.int64,
            "generic" => &mut self.generic,
            "stored" => &mut self.stored,
            "aliases" => &mut self.aliases,
            "null-arguments" => &mut self.null_arguments,
            "punning" => &mut self.punning,
            "globals" => &mut self.globals,
            "tables" => &mut self.tables,
            _ => return false,
        };
        *slot = false;
        true
    }
}

/// Makes one program.
pub(crate) fn program(random: &mut Random, features: &Features) -> Program {
    let generic = features.generic && random.one_in(3);
    let program = Program {
        generic,
        pointer_bytes: if features.int64 { 8 } else { 4 },
        records: vec![],
        vars: vec![],
        statics: vec![],
        functions: vec![],
        launches: vec![],
        buffers: vec![],
        group: [1, 2, 4, 4, 8][random.below(5)],
        groups: 1 + random.below(2) as u32,
    };
    let mut generator = Generator {
        random,
        program,
        features: *features,
        scope: vec![],
        fixed: vec![],
        addressable: vec![],
        local_values: vec![],
        palette: vec![],
        node: None,
        local_node: None,
        global_node: None,
        function: Place::Kernel,
        loops: 0,
        breakable: 0,
        labels: vec![],
        next_label: 0,
        barriers: false,
        budget: 0,
        exchanges: vec![],
        atomics: vec![],
    };
    generator.types();
    generator.constants();
    for _ in 0..generator.random.below(3) {
        generator.helper();
    }
    generator.kernels();
    generator.program
}

/// Where statements are being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Kernel,
    /// A function; with `true`, one that changes nothing but its own variables.
    Helper(bool),
}

pub(super) struct Generator<'a> {
    pub random: &'a mut Random,
    pub program: Program,
    pub features: Features,
    /// Variables that expressions may use.
    pub scope: Vec<VarId>,
    /// Those of them that statements leave alone.
    pub fixed: Vec<VarId>,
    /// Those that live as long as the function runs.
    pub addressable: Vec<VarId>,
    /// A helper's own variables: neither their addresses nor what they hold may leave it.
    pub local_values: Vec<VarId>,
    /// What pointers point to.
    pub palette: Vec<Ty>,
    /// A list's record, for private memory.
    pub node: Option<usize>,
    pub local_node: Option<usize>,
    pub global_node: Option<usize>,
    pub function: Place,
    pub loops: usize,
    /// Loops and switches around.
    pub breakable: usize,
    pub labels: Vec<usize>,
    pub next_label: usize,
    pub barriers: bool,
    pub budget: i32,
    /// Local arrays that all work-items read between barriers.
    pub exchanges: Vec<VarId>,
    /// Pointers to cells for atomic operations, and the operation of each cell.
    pub atomics: Vec<(VarId, Vec<AtomicOp>)>,
}

impl Generator<'_> {
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    pub(super) fn integer(&mut self) -> Scalar {
        let list = if self.features.int64 { &INTEGERS[..] } else { &INTEGERS[..6] };
        if self.chance(45) { Scalar::U32 } else { *self.random.pick(list).unwrap_or(&Scalar::U32) }
    }

    pub(super) fn vector(&mut self) -> Ty {
        let n = [2, 3, 3, 4, 4, 8][self.random.below(6)];
        Ty::Vector(self.integer(), n)
    }

    pub(super) fn variable(&mut self, prefix: &str, ty: Ty, space: Space) -> VarId {
        let id = self.program.vars.len();
        self.program.vars.push(Variable { name: format!("{prefix}{id}"), ty, space });
        id
    }

    pub(super) fn var(&self, id: VarId) -> Expr {
        Expr::new(self.program.vars[id].ty.clone(), Kind::Var(id))
    }

    pub(super) fn pointer_to(space: Space, to: Ty, len: u32, null: bool, own: bool) -> Ty {
        Ty::Pointer(Rc::new(Pointer { space, to, len, null, own }))
    }

    // ---- Types and constants.

    fn record(&mut self, name: &str, fields: Vec<Ty>, union: bool, packed: bool) -> usize {
        let fields =
            fields.into_iter().enumerate().map(|(n, ty)| Field { name: format!("m{n}"), ty }).collect();
        let name = format!("{name}{}", self.program.records.len());
        self.program.records.push(Record { name, fields, union, packed });
        self.program.records.len() - 1
    }

    fn data_field(&mut self) -> Ty {
        match self.random.below(6) {
            0 => self.vector(),
            1 => Ty::Array(Rc::new(Ty::Scalar(self.integer())), [2, 4][self.random.below(2)]),
            _ => Ty::Scalar(self.integer()),
        }
    }

    fn types(&mut self) {
        self.palette.push(UINT);
        let other = self.integer();
        self.palette.push(Ty::Scalar(other));
        if self.chance(40) {
            let vector = self.vector();
            self.palette.push(vector);
        }
        if self.chance(60) {
            let fields = (0..2 + self.random.below(3)).map(|_| self.data_field()).collect();
            let packed = self.chance(50);
            let record = self.record("D", fields, false, packed);
            if !packed || self.chance(50) {
                self.palette.push(Ty::Record(record));
            }
        }
        if self.chance(25) {
            self.union();
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
    fn union(&mut self) {
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
    fn node_in(&mut self, space: Space) -> usize {
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

    fn constants(&mut self) {
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
        if self.features.globals && self.program.generic && self.chance(30) {
            let ty = Ty::Array(Rc::new(UINT), 4);
            let var = self.variable("s", ty.clone(), Space::Global);
            let init = self.literals(&ty);
            self.program.statics.push((var, init));
            self.scope.push(var);
            self.fixed.push(var);
            self.addressable.push(var);
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

    /// Whether a type is all data.
    pub(super) fn plain(&self, ty: &Ty) -> bool {
        !ty.holds_pointers(&self.program)
    }

    // ---- Functions.

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

    fn parameter_type(&mut self) -> Ty {
        match self.random.below(10) {
            0 | 1 => Ty::Scalar(self.integer()),
            2 => self.vector(),
            3 => {
                let records: Vec<usize> =
                    (0..self.program.records.len()).filter(|r| self.plain(&Ty::Record(*r))).collect();
                match self.random.pick(&records) {
                    Some(r) => Ty::Record(*r),
                    None => UINT,
                }
            }
            _ => self.random_pointer(1),
        }
    }

    fn helper(&mut self) {
        let outer = (self.scope.clone(), self.fixed.clone(), self.addressable.clone());
        let pure = self.chance(45);
        self.function = Place::Helper(pure);
        self.local_values.clear();
        let mut params = vec![];
        for _ in 0..1 + self.random.below(3) {
            let ty = self.parameter_type();
            let param = self.variable("a", ty, Space::Private);
            // What a parameter was called with may leave the function; so it stays as it is.
            if self.program.vars[param].ty.pointer().is_some() {
                self.fixed.push(param);
            } else {
                self.addressable.push(param);
                self.local_values.push(param);
            }
            params.push(param);
            self.scope.push(param);
        }
        let result = match self.random.below(8) {
            0..=2 => Ty::Scalar(self.integer()),
            3 if !pure => Ty::Void,
            4 => match self.node.filter(|_| false) {
                Some(n) => Ty::Record(n),
                None => self.vector(),
            },
            _ => {
                let pointers: Vec<Ty> = params
                    .iter()
                    .map(|p| self.program.vars[*p].ty.clone())
                    .filter(|t| t.pointer().is_some())
                    .collect();
                match self.random.pick(&pointers) {
                    Some(Ty::Pointer(p)) => {
                        let null = p.null || self.random.one_in(3);
                        Self::pointer_to(p.space, p.to.clone(), 1, null, p.own)
                    }
                    _ => Ty::Scalar(self.integer()),
                }
            }
        };
        self.budget = 2 + self.random.below(5) as i32;
        let mut body = self.memories(1);
        body.extend(self.statements(2, &result));
        if result != Ty::Void {
            let value = self.result(&result);
            match value {
                Some(value) => body.push(Stmt::Return(Some(value))),
                None => {
                    (self.scope, self.fixed, self.addressable) = outer;
                    return;
                }
            }
        }
        let name = format!("f{}", self.program.functions.len());
        let noinline = self.chance(30);
        self.program.functions.push(Function { name, result, params, body, kernel: false, noinline, pure });
        (self.scope, self.fixed, self.addressable) = outer;
        self.local_values.clear();
    }

    /// What a function gives back.
    pub(super) fn result(&mut self, ty: &Ty) -> Option<Expr> {
        match ty {
            Ty::Scalar(s) => Some(self.number(*s, 2)),
            Ty::Vector(s, n) => Some(self.lanes(*s, *n, 1)),
            Ty::Pointer(_) => self.pointer(ty, 2, true),
            _ => None,
        }
    }

    // ---- Kernels.

    fn kernels(&mut self) {
        let params = self.parameters();
        let kernels = if self.chance(25) { 2 } else { 1 };
        let statics = (self.scope.clone(), self.fixed.clone(), self.addressable.clone());
        for n in 0..kernels {
            (self.scope, self.fixed, self.addressable) = statics.clone();
            self.function = Place::Kernel;
            self.local_values.clear();
            self.exchanges.clear();
            self.atomics.clear();
            self.barriers = self.chance(60);
            self.budget = 3 + self.random.below(14) as i32;
            // The second kernel has parameters of its own for the same buffers.
            let ids: Vec<VarId> = params
                .iter()
                .map(|(_, ty, _)| {
                    let id = self.variable("k", ty.clone(), Space::Private);
                    self.fixed.push(id);
                    id
                })
                .collect();
            let body = self.kernel_body(&ids, &params, n);
            let kernel = self.program.functions.len();
            self.program.functions.push(Function {
                name: format!("k{n}"),
                result: Ty::Void,
                params: ids,
                body,
                kernel: true,
                noinline: false,
                pure: false,
            });
            let args = params.iter().map(|p| p.2.clone()).collect();
            self.program.launches.push(Launch { kernel, args });
        }
    }

    fn bytes(&mut self, n: u32) -> Vec<u8> {
        // Small numbers are frequent.
        let mut bytes = vec![0; n as usize];
        for word in bytes.chunks_mut(4) {
            let bits = self.random.bits();
            let value = if bits & 3 == 0 { bits >> 32 } else { bits >> 60 };
            let size = word.len();
            word.copy_from_slice(&value.to_le_bytes()[..size]);
        }
        bytes
    }

    fn buffer(&mut self, bytes: u32) -> usize {
        let bytes = self.bytes(bytes.next_multiple_of(4));
        self.program.buffers.push(bytes);
        self.program.buffers.len() - 1
    }

    /// The kernels' parameters: what each is for, its type, and what is passed.
    fn parameters(&mut self) -> Vec<(Role, Ty, Actual)> {
        let items = self.program.group * self.program.groups;
        let mut list = Vec::new();
        let global = |to, len, null, own| Self::pointer_to(Space::Global, to, len, null, own);
        let out = self.buffer(items * 8 * 4);
        list.push((Role::Slice(8), global(UINT, 8, false, true), Actual::Buffer(out, 0)));
        let input = self.buffer(64 * 4);
        if self.chance(80) {
            list.push((Role::Input, global(UINT, 16, false, false), Actual::Buffer(input, 0)));
            if self.features.aliases && self.chance(25) {
                // The same memory, or a part of it.
                let offset = if self.random.one_in(3) { 0 } else { 128 };
                let same = global(UINT, 16, false, false);
                list.push((Role::Input, same, Actual::Buffer(input, offset)));
            }
        }
        if self.chance(30) {
            let null = self.features.null_arguments && self.random.one_in(2);
            let actual = if null { Actual::Null } else { Actual::Buffer(self.buffer(64), 0) };
            let maybe = self.features.null_arguments;
            list.push((Role::Input, global(UINT, 4, maybe, false), actual));
        }
        for _ in 0..self.random.below(3) {
            let to = self.palette[self.random.below(self.palette.len())].clone();
            let each = [1, 2, 4][self.random.below(3)];
            let size = self.program.size(&to);
            let buffer = self.buffer(items * each * size);
            list.push((Role::Slice(each), global(to, each, false, true), Actual::Buffer(buffer, 0)));
        }
        if let Some(node) = self.global_node {
            let size = self.program.size(&Ty::Record(node));
            let buffer = self.buffer(items * 2 * size);
            list.push((Role::Slice(2), global(Ty::Record(node), 2, false, true), Actual::Buffer(buffer, 0)));
        }
        if self.chance(25) {
            let cells = self.buffer(16);
            list.push((Role::Atomic, global(UINT, 4, false, false), Actual::Buffer(cells, 0)));
        }
        if self.chance(25) {
            let ty = self.palette[self.random.below(self.palette.len())].clone();
            let size = self.program.size(&ty) * self.program.group * 2;
            let pointer = Self::pointer_to(Space::Local, ty, 2, false, true);
            list.push((Role::LocalSlice, pointer, Actual::Local(size)));
        }
        for _ in 0..self.random.below(3) {
            let ty = match self.random.below(3) {
                0 => Ty::Scalar(self.integer()),
                1 => self.vector(),
                _ => {
                    let records: Vec<usize> =
                        (0..self.program.records.len()).filter(|r| self.plain(&Ty::Record(*r))).collect();
                    self.random.pick(&records).map_or(UINT, |r| Ty::Record(*r))
                }
            };
            let size = self.program.size(&ty);
            let bytes = self.bytes(size);
            list.push((Role::Value, ty, Actual::Value(bytes)));
        }
        list
    }

    fn kernel_body(&mut self, ids: &[VarId], params: &[(Role, Ty, Actual)], kernel: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        let mut out = None;
        for (id, (role, ty, _)) in ids.iter().zip(params) {
            match role {
                Role::Value | Role::Input => {
                    self.scope.push(*id);
                    if *role == Role::Value {
                        self.addressable.push(*id);
                        // A value argument is the kernel's own variable.
                        if self.random.one_in(2) {
                            self.fixed.retain(|f| f != id);
                        }
                    }
                }
                Role::Slice(each) => {
                    let slice = self.slice(&mut body, *id, ty, *each, ItemFn::GlobalId);
                    let holds = ty.pointer().is_some_and(|p| p.to.holds_pointers(&self.program));
                    if holds && kernel == 0 {
                        self.fill(&mut body, slice, ty, *each);
                    }
                    out = out.or(Some(slice));
                }
                Role::LocalSlice => {
                    let slice = self.slice(&mut body, *id, ty, 2, ItemFn::LocalId);
                    self.fill(&mut body, slice, ty, 2);
                }
                Role::Atomic => {
                    let ops = (0..4).map(|_| self.atomic_op()).collect();
                    self.atomics.push((*id, ops));
                }
            }
        }
        self.local_arrays(&mut body);
        body.extend(self.memories(2));
        body.extend(self.statements(3, &Ty::Void));
        if self.barriers {
            body.push(Stmt::Barrier(true, self.random.one_in(2)));
        }
        if let Some(out) = out {
            self.report(&mut body, out);
        }
        body
    }

    fn atomic_op(&mut self) -> AtomicOp {
        use AtomicOp::*;
        *self.random.pick(&[Add, Sub, And, Or, Xor, Min, Max, Inc, Dec]).unwrap_or(&Add)
    }

    /// A work-item's own part of an array.
    fn slice(&mut self, body: &mut Vec<Stmt>, of: VarId, ty: &Ty, each: u32, id: ItemFn) -> VarId {
        let at = Expr::binary(Binary::Mul, Expr::new(UINT, Kind::Item(id)), Expr::uint(each));
        let mut base = self.var(of);
        if matches!(base.ty, Ty::Array(..)) {
            base = Expr::new(ty.clone(), Kind::Decay(Box::new(base)));
        }
        let var = self.variable("p", ty.clone(), Space::Private);
        let value = Expr::new(ty.clone(), Kind::Offset(Box::new(base), Box::new(at)));
        body.push(Stmt::Decl(var, Some(Init::Expr(value))));
        self.scope.push(var);
        self.addressable.push(var);
        self.fixed.push(var);
        var
    }

    /// Gives all of a slice its first values.
    fn fill(&mut self, body: &mut Vec<Stmt>, slice: VarId, ty: &Ty, each: u32) {
        let Some(p) = ty.pointer().cloned() else { return };
        for n in 0..each {
            let place = Expr::new(p.to.clone(), Kind::At(Box::new(self.var(slice)), Box::new(Expr::uint(n))));
            self.fill_place(body, place);
        }
    }

    pub(super) fn fill_place(&mut self, body: &mut Vec<Stmt>, place: Expr) {
        match place.ty.clone() {
            Ty::Record(r) => {
                let record = self.program.records[r].clone();
                let count = if record.union { 1 } else { record.fields.len() };
                for (n, field) in record.fields.iter().enumerate().take(count) {
                    let member = Expr::new(field.ty.clone(), Kind::Member(Box::new(place.clone()), n));
                    self.fill_place(body, member);
                }
            }
            Ty::Array(of, count) => {
                for n in 0..count {
                    let element =
                        Expr::new((*of).clone(), Kind::At(Box::new(place.clone()), Box::new(Expr::uint(n))));
                    self.fill_place(body, element);
                }
            }
            Ty::Scalar(s) => {
                let value = self.number(s, 1);
                body.push(Stmt::Assign(place, None, value));
            }
            Ty::Vector(s, n) => {
                let value = self.lanes(s, n, 1);
                body.push(Stmt::Assign(place, None, value));
            }
            ty @ Ty::Pointer(_) => {
                // What is not filled yet must not be read on the way.
                let null = Expr::new(ty.clone(), Kind::Null);
                body.push(Stmt::Assign(place, None, null));
            }
            Ty::Void => {}
        }
    }

    fn local_arrays(&mut self, body: &mut Vec<Stmt>) {
        for _ in 0..self.random.below(3) {
            let to = match self.local_node {
                Some(node) if self.random.one_in(2) => Ty::Record(node),
                _ => self.palette[self.random.below(self.palette.len())].clone(),
            };
            let each = [1, 2, 4][self.random.below(3)];
            let array = Ty::Array(Rc::new(to.clone()), self.program.group * each);
            let var = self.variable("l", array, Space::Local);
            body.push(Stmt::Decl(var, None));
            let pointer = Self::pointer_to(Space::Local, to.clone(), each, false, true);
            let slice = self.slice(body, var, &pointer, each, ItemFn::LocalId);
            self.fill(body, slice, &pointer, each);
            if to.lanes().is_some() {
                self.exchanges.push(var);
            }
        }
        if self.barriers && self.chance(20) {
            let var = self.variable("l", Ty::Array(Rc::new(UINT), 4), Space::Local);
            body.push(Stmt::Decl(var, None));
            let first = Expr::truth(Kind::Compare(
                Compare::Eq,
                Box::new(Expr::new(UINT, Kind::Item(ItemFn::LocalId))),
                Box::new(Expr::uint(0)),
            ));
            let mut init = Vec::new();
            for n in 0..4 {
                let place = Expr::new(UINT, Kind::At(Box::new(self.var(var)), Box::new(Expr::uint(n))));
                init.push(Stmt::Assign(place, None, self.literal(Scalar::U32)));
            }
            body.push(Stmt::If(first, init, vec![]));
            body.push(Stmt::Barrier(true, false));
            let ops = (0..4).map(|_| self.atomic_op()).collect();
            self.atomics.push((var, ops));
        }
    }

    /// Variables in memory, with values.
    fn memories(&mut self, least: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..least + self.random.below(4) {
            let (ty, init) = match self.random.below(10) {
                0 | 1 => {
                    let ty = Ty::Scalar(self.integer());
                    (ty.clone(), self.start(&ty))
                }
                2 | 3 => {
                    let to = self.palette[self.random.below(self.palette.len())].clone();
                    let ty = Ty::Array(Rc::new(to), 4);
                    (ty.clone(), self.start(&ty))
                }
                4 => {
                    let ty = self.vector();
                    (ty.clone(), self.start(&ty))
                }
                5 if self.node.is_some() => {
                    let node = Ty::Record(self.node.unwrap_or(0));
                    let ty = if self.chance(60) { Ty::Array(Rc::new(node), 4) } else { node };
                    (ty.clone(), self.start(&ty))
                }
                6 => {
                    let ty = Ty::Scalar(Scalar::F32);
                    (ty.clone(), self.start(&ty))
                }
                n => {
                    let mut ty = self.random_pointer(1);
                    if n == 9 {
                        ty = Ty::Array(Rc::new(ty), 4);
                    }
                    (ty.clone(), self.start(&ty))
                }
            };
            let Some(init) = init else { continue };
            let var = self.variable("v", ty, Space::Private);
            body.push(Stmt::Decl(var, Some(init)));
            self.scope.push(var);
            self.addressable.push(var);
            if self.function != Place::Kernel {
                self.local_values.push(var);
            }
        }
        body
    }

    /// What a variable of a type begins with; nothing where a pointer finds nothing to point to.
    pub(super) fn start(&mut self, ty: &Ty) -> Option<Init> {
        Some(match ty {
            Ty::Array(of, n) => Init::List((0..*n).map(|_| self.start(of)).collect::<Option<Vec<Init>>>()?),
            Ty::Record(r) => {
                let record = self.program.records[*r].clone();
                let count = if record.union { 1 } else { record.fields.len() };
                let parts = record.fields.iter().take(count).map(|f| self.start(&f.ty));
                Init::List(parts.collect::<Option<Vec<Init>>>()?)
            }
            Ty::Scalar(Scalar::F32) => Init::Expr(self.float(1)),
            Ty::Scalar(s) => Init::Expr(self.number(*s, 1)),
            Ty::Vector(s, n) => Init::Expr(self.lanes(*s, *n, 1)),
            Ty::Pointer(_) => Init::Expr(self.pointer(ty, 1, false)?),
            Ty::Void => return None,
        })
    }

    /// Writes what the work-item knows into its part of the first buffer.
    fn report(&mut self, body: &mut Vec<Stmt>, out: VarId) {
        let acc = self.variable("r", UINT, Space::Private);
        body.push(Stmt::Decl(acc, Some(Init::Expr(Expr::uint(1)))));
        let mut places = self.reaches();
        let mut left = 16;
        while left > 0 && !places.is_empty() {
            left -= 1;
            let reach = places.swap_remove(self.random.below(places.len()));
            let Some(value) = self.digest(&reach) else { continue };
            let mixed =
                Expr::binary(Binary::Add, Expr::binary(Binary::Mul, self.var(acc), Expr::uint(31)), value);
            body.push(Stmt::Assign(self.var(acc), None, mixed));
            if left % 4 == 0 {
                let at = Expr::uint(left / 4 % 8);
                let place = Expr::new(UINT, Kind::At(Box::new(self.var(out)), Box::new(at)));
                body.push(Stmt::Assign(place, Some(Binary::Xor), self.var(acc)));
            }
        }
        let place = Expr::new(UINT, Kind::At(Box::new(self.var(out)), Box::new(Expr::uint(7))));
        body.push(Stmt::Assign(place, None, self.var(acc)));
    }

    /// A uint of what stands in a place.
    fn digest(&mut self, reach: &Reach) -> Option<Expr> {
        let e = reach.place.clone();
        match &reach.place.ty {
            Ty::Scalar(_) => Some(e.convert(UINT)),
            Ty::Vector(s, n) => {
                let lane = self.random.below(usize::from(*n)) as u8;
                Some(Expr::new(Ty::Scalar(*s), Kind::Swizzle(Box::new(e), vec![lane])).convert(UINT))
            }
            Ty::Pointer(p) => {
                let inside = self.behind(&e, p);
                let some = match inside {
                    Some(value) if p.null => {
                        Expr::new(UINT, Kind::Cond(Box::new(e), Box::new(value), Box::new(Expr::uint(77))))
                    }
                    Some(value) => value,
                    None => Expr::truth(Kind::Falsity(Box::new(e))).convert(UINT),
                };
                Some(some)
            }
            _ => None,
        }
    }
}

/// What a kernel's parameter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// So many elements for each work-item.
    Slice(u32),
    /// Read by all.
    Input,
    LocalSlice,
    Atomic,
    Value,
}
