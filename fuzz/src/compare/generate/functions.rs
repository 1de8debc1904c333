//! Helper functions and calls of them.

use super::super::ast::*;
use super::{Generator, Place};

impl Generator<'_> {
    pub(super) fn parameter_type(&mut self) -> Ty {
        match self.random.below(10) {
            0 if self.program.floats => self.floats(),
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

    pub(super) fn helper(&mut self) {
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
            0 if self.program.floats => self.floats(),
            0..=2 => Ty::Scalar(self.integer()),
            3 if !pure => Ty::Void,
            4 => {
                let records: Vec<usize> =
                    (0..self.program.records.len()).filter(|r| self.plain(&Ty::Record(*r))).collect();
                match self.random.pick(&records) {
                    Some(r) if self.chance(60) => Ty::Record(*r),
                    _ => self.vector(),
                }
            }
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
        let noinline = self.chance(30);
        let (name, overloads) = self.function_name(&params);
        let prototypes = self.prototypes();
        self.program.functions.push(Function {
            name,
            result,
            params,
            body,
            kernel: false,
            noinline,
            pure,
            overloads,
            prototypes,
        });
        (self.scope, self.fixed, self.addressable) = outer;
        self.local_values.clear();
    }

    /// A name of its own, or a builtin's that has no such parameters; whether it is one.
    fn function_name(&mut self, params: &[VarId]) -> (String, bool) {
        const NAMES: [&str; 12] = [
            "max", "min", "clamp", "abs", "hadd", "rotate", "mul_hi", "add_sat", "popcount", "fma", "floor",
            "ldexp",
        ];
        let own = |p: &VarId| self.program.vars[*p].ty.lanes().is_none();
        let free = |name: &&str| self.program.functions.iter().all(|f| f.name != **name);
        if self.features.declarations && params.iter().any(own) {
            let names: Vec<&str> = NAMES.iter().copied().filter(|n| free(n)).collect();
            if self.chance(30)
                && let Some(name) = self.random.pick(&names)
            {
                return ((*name).to_owned(), true);
            }
        }
        (format!("f{}", self.program.functions.len()), false)
    }

    /// How a function is declared before it is defined.
    fn prototypes(&mut self) -> Vec<Prototype> {
        use Prototype::*;
        if !self.features.declarations || !self.chance(40) {
            return vec![];
        }
        let mut list = vec![[Plain, Typedef, Typeof, Extern, Static][self.random.below(5)]];
        while self.chance(35) && list.len() < 4 {
            list.push([Plain, Typedef, Typeof, Extern][self.random.below(4)]);
        }
        list
    }

    /// The result of a function.
    pub(super) fn result(&mut self, ty: &Ty) -> Option<Expr> {
        match ty {
            Ty::Scalar(s) => Some(self.number(*s, 2)),
            Ty::Vector(s, n) => Some(self.lanes(*s, *n, 1)),
            Ty::Pointer(_) => self.pointer(ty, 2, true),
            Ty::Record(_) => {
                let same: Vec<Expr> =
                    self.reaches().into_iter().map(|r| r.place).filter(|p| p.ty == *ty).collect();
                self.random.pick(&same).cloned()
            }
            _ => None,
        }
    }

    /// Arguments for a function, where there are some.
    pub(super) fn arguments(&mut self, f: usize, depth: usize) -> Option<Vec<Expr>> {
        let function = self.program.functions[f].clone();
        // What a callee gets it may keep in what it can write.
        let keeps = self.function != Place::Kernel && !function.pure;
        let mut args = Vec::new();
        for param in &function.params {
            let ty = self.program.vars[*param].ty.clone();
            args.push(match &ty {
                Ty::Scalar(s) => self.number(*s, depth),
                Ty::Vector(s, n) => self.lanes(*s, *n, depth),
                Ty::Pointer(_) => self.pointer(&ty, depth, keeps)?,
                _ => {
                    let same: Vec<Expr> =
                        self.reaches().into_iter().map(|r| r.place).filter(|p| p.ty == ty).collect();
                    self.random.pick(&same)?.clone()
                }
            });
        }
        Some(args)
    }

    /// A call of a pure function with this result.
    pub(super) fn call_of(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let fits = |f: &Function| f.pure && !f.kernel && f.result == *ty;
        let list: Vec<usize> =
            (0..self.program.functions.len()).filter(|f| fits(&self.program.functions[*f])).collect();
        let f = *self.random.pick(&list)?;
        let args = self.arguments(f, depth.saturating_sub(1).min(1))?;
        Some(Expr::new(ty.clone(), Kind::Call(f, args)))
    }

    pub(super) fn call(&mut self, top: bool) -> Vec<Stmt> {
        let pure = self.function == Place::Helper(true);
        let list: Vec<usize> = (0..self.program.functions.len())
            .filter(|f| {
                let f = &self.program.functions[*f];
                !f.kernel && (f.pure || !pure)
            })
            .filter(|f| self.groupers.iter().all(|g| g.0 != *f))
            .collect();
        let Some(f) = self.random.pick(&list).copied() else { return vec![] };
        let Some(args) = self.arguments(f, 1) else { return vec![] };
        let ty = self.program.functions[f].result.clone();
        let call = Expr::new(ty.clone(), Kind::Call(f, args));
        match ty {
            Ty::Void => vec![Stmt::Do(call)],
            _ if self.random.one_in(5) => vec![Stmt::Do(call)],
            _ => self.declared(ty, Init::Expr(call), top),
        }
    }

    /// A function with barriers, in which a group's work-items read each other's elements of a local array.
    pub(super) fn group_helper(&mut self) {
        let group = self.program.group;
        let lanes: Vec<Ty> =
            self.palette.iter().filter(|t| t.lanes().is_some_and(|l| !l.0.is_float())).cloned().collect();
        let Some(to) = self.random.pick(&lanes).cloned() else { return };
        let outer = (self.scope.clone(), self.fixed.clone(), self.addressable.clone());
        self.function = Place::Helper(false);
        self.local_values.clear();
        let array = Self::pointer_to(Space::Local, to.clone(), group, false, false);
        let own = Self::pointer_to(Space::Global, UINT, 1, false, true);
        let params: Vec<VarId> =
            [array.clone(), own, UINT].into_iter().map(|ty| self.variable("a", ty, Space::Private)).collect();
        // The array is used between barriers alone.
        self.scope.extend(&params[1..]);
        self.fixed.push(params[1]);
        self.addressable.push(params[2]);
        self.local_values.push(params[2]);
        let mut body = self.assign_number();
        let temp = self.variable("v", to.clone(), Space::Private);
        let id = Expr::new(UINT, Kind::Item(ItemFn::LocalId));
        let read = |g: &mut Self| {
            let far = Expr::binary(Binary::Add, id.clone(), Expr::uint(1 + g.random.below(7) as u32));
            let at = g.lane(far);
            Expr::new(to.clone(), Kind::At(Box::new(g.var(params[0])), Box::new(at)))
        };
        body.push(Stmt::Barrier(true, self.random.one_in(4)));
        body.push(Stmt::Decl(temp, Some(Init::Expr(read(self)))));
        body.push(Stmt::Barrier(true, false));
        self.scope.push(temp);
        self.addressable.push(temp);
        self.local_values.push(temp);
        body.extend(self.assign_number());
        if self.chance(40) {
            let var = self.variable("i", UINT, Space::Private);
            let mut turn = vec![Stmt::Barrier(true, false)];
            let value = read(self);
            turn.push(Stmt::Assign(self.var(temp), Some(Binary::Xor), value));
            turn.push(Stmt::Barrier(true, false));
            turn.extend(self.assign_number());
            body.push(Stmt::For(var, Expr::uint(0), Expr::uint(2), 1, turn));
        }
        let result = Ty::Scalar(self.integer());
        if let Some(value) = self.result(&result) {
            body.push(Stmt::Return(Some(value)));
            let name = format!("f{}", self.program.functions.len());
            let noinline = self.chance(30);
            self.groupers.push((self.program.functions.len(), to));
            self.program.functions.push(Function {
                name,
                result,
                params,
                body,
                kernel: false,
                noinline,
                pure: false,
                overloads: false,
                prototypes: vec![],
            });
        }
        (self.scope, self.fixed, self.addressable) = outer;
        self.local_values.clear();
    }

    /// A call of such a function by all work-items.
    pub(super) fn group_call(&mut self) -> Vec<Stmt> {
        let Some((f, to)) = self.random.pick(&self.groupers).cloned() else { return vec![] };
        let group = self.program.group;
        let fits = |g: &Self, v: &VarId| matches!(&g.program.vars[*v].ty, Ty::Array(of, n) if **of == to && *n >= group);
        let arrays: Vec<VarId> = self.exchanges.iter().copied().filter(|v| fits(self, v)).collect();
        let Some(array) = self.random.pick(&arrays).copied() else { return vec![] };
        let function = self.program.functions[f].clone();
        let ty = |n: usize| self.program.vars[function.params[n]].ty.clone();
        let (first, second) = (ty(0), ty(1));
        let Some(own) = self.pointer(&second, 1, false) else { return vec![] };
        let number = self.number(Scalar::U32, 1);
        let args = vec![Expr::new(first, Kind::Decay(Box::new(self.var(array)))), own, number];
        let call = Expr::new(function.result.clone(), Kind::Call(f, args));
        if self.random.one_in(4) {
            return vec![Stmt::Do(call)];
        }
        self.declared(function.result, Init::Expr(call), true)
    }
}
