//! Kernels: their parameters, what is passed, and what they do with them.

use super::super::ast::*;
use super::places::Reach;
use super::{Generator, Place};
use std::rc::Rc;

/// The purpose of a kernel's parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// This many elements for each work-item.
    Slice(u32),
    /// Read by all.
    Input,
    LocalSlice,
    Atomic,
    Value,
}

impl Generator<'_> {
    pub(super) fn kernels(&mut self) {
        let params = self.parameters();
        let kernels = if self.chance(25) { 2 } else { 1 };
        let statics = (self.scope.clone(), self.fixed.clone(), self.addressable.clone());
        for n in 0..kernels {
            (self.scope, self.fixed, self.addressable) = statics.clone();
            self.function = Place::Kernel;
            self.local_values.clear();
            self.exchanges.clear();
            self.global_exchanges.clear();
            self.atomics.clear();
            self.barriers = self.chance(60);
            self.budget = 3 + self.random.below(14) as i32;
            // The second kernel has parameters of its own for the same buffers.
            let params = if n == 0 { params.clone() } else { self.read_by_all(&params) };
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
                overloads: false,
                prototypes: vec![],
            });
            let args = params.iter().map(|p| p.2.clone()).collect();
            self.program.launches.push(Launch { kernel, args });
        }
    }

    pub(super) fn bytes(&mut self, n: u32) -> Vec<u8> {
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

    pub(super) fn buffer(&mut self, bytes: u32) -> usize {
        let bytes = self.bytes(bytes.next_multiple_of(4));
        self.program.buffers.push(bytes);
        self.program.buffers.len() - 1
    }

    /// A buffer of so many bytes, or a part of one that is larger on both sides.
    fn part(&mut self, bytes: u32) -> Actual {
        if !self.features.parts || !self.chance(30) {
            return Actual::Buffer(self.buffer(bytes), 0);
        }
        // What every device can bind at (minStorageBufferOffsetAlignment is 256 at most).
        let before = 256 * (1 + self.random.below(2) as u32);
        Actual::Buffer(self.buffer(before + bytes + 64), before)
    }

    /// Gives the floats of so many elements, from where they begin in their buffer, ordinary values.
    fn ordinary_part(&mut self, actual: &Actual, of: &Ty, count: u32) {
        let Actual::Buffer(buffer, from) = actual else { return };
        let size = self.program.size(of) as usize;
        let mut bytes = std::mem::take(&mut self.program.buffers[*buffer]);
        for part in bytes[*from as usize..].chunks_exact_mut(size.max(1)).take(count as usize) {
            self.ordinary(part, of);
        }
        self.program.buffers[*buffer] = bytes;
    }

    /// A second kernel's parameters: some of what the first wrote piece by piece is read by all.
    fn read_by_all(&mut self, params: &[(Role, Ty, Actual)]) -> Vec<(Role, Ty, Actual)> {
        let items = self.program.group * self.program.groups;
        let mut list = params.to_vec();
        for (role, ty, _) in list.iter_mut().skip(1) {
            if let (Role::Slice(each), Ty::Pointer(p)) = (*role, ty.clone())
                && self.plain(&p.to)
                && self.random.one_in(4)
            {
                *ty = Self::pointer_to(p.space, p.to.clone(), items * each, false, false);
                *role = Role::Input;
            }
        }
        list
    }

    /// The kernels' parameters: what each is for, its type, and what is passed.
    pub(super) fn parameters(&mut self) -> Vec<(Role, Ty, Actual)> {
        let items = self.program.group * self.program.groups;
        let mut list = Vec::new();
        let global = |to, len, null, own| Self::pointer_to(Space::Global, to, len, null, own);
        let out = self.buffer(items * 8 * 4);
        list.push((Role::Slice(8), global(UINT, 8, false, true), Actual::Buffer(out, 0)));
        let input = self.buffer(128 * 4);
        if self.chance(80) {
            list.push((Role::Input, global(UINT, 16, false, false), Actual::Buffer(input, 0)));
            if self.features.aliases && self.chance(25) {
                // The same memory, or a part of it.
                let offset = if self.random.one_in(3) || !self.features.parts { 0 } else { 256 };
                let same = global(UINT, 16, false, false);
                list.push((Role::Input, same, Actual::Buffer(input, offset)));
            }
        }
        if self.chance(30) {
            let null = self.features.null_arguments && self.random.one_in(2);
            let actual = if null { Actual::Null } else { self.part(64) };
            let maybe = self.features.null_arguments;
            list.push((Role::Input, global(UINT, 4, maybe, false), actual));
        }
        for _ in 0..self.random.below(3) {
            let to = self.palette[self.random.below(self.palette.len())].clone();
            let each = [1, 2, 4][self.random.below(3)];
            let size = self.program.size(&to);
            let actual = self.part(items * each * size);
            self.ordinary_part(&actual, &to, items * each);
            list.push((Role::Slice(each), global(to, each, false, true), actual));
        }
        if let Some(node) = self.global_node {
            let size = self.program.size(&Ty::Record(node));
            let buffer = self.buffer(items * 2 * size);
            list.push((Role::Slice(2), global(Ty::Record(node), 2, false, true), Actual::Buffer(buffer, 0)));
        }
        if self.chance(25) {
            let cells = self.part(16);
            list.push((Role::Atomic, global(UINT, 4, false, false), cells));
        }
        if self.chance(20) {
            let to = self.palette[self.random.below(self.palette.len())].clone();
            let actual = self.part(4 * self.program.size(&to));
            self.ordinary_part(&actual, &to, 4);
            list.push((Role::Input, Self::pointer_to(Space::Constant, to, 4, false, false), actual));
        }
        if self.chance(25) {
            let ty = self.palette[self.random.below(self.palette.len())].clone();
            let size = self.program.size(&ty) * self.program.group * 2;
            let pointer = Self::pointer_to(Space::Local, ty, 2, false, true);
            list.push((Role::LocalSlice, pointer, Actual::Local(size)));
        }
        for _ in 0..self.random.below(3) {
            let ty = match self.random.below(3) {
                0 | 1 if self.program.floats && self.random.one_in(2) => self.floats(),
                0 => Ty::Scalar(self.integer()),
                1 => self.vector(),
                _ => {
                    let records: Vec<usize> =
                        (0..self.program.records.len()).filter(|r| self.plain(&Ty::Record(*r))).collect();
                    self.random.pick(&records).map_or(UINT, |r| Ty::Record(*r))
                }
            };
            let size = self.program.size(&ty);
            let mut bytes = self.bytes(size);
            self.ordinary(&mut bytes, &ty);
            list.push((Role::Value, ty, Actual::Value(bytes)));
        }
        list
    }

    pub(super) fn kernel_body(
        &mut self,
        ids: &[VarId],
        params: &[(Role, Ty, Actual)],
        kernel: usize,
    ) -> Vec<Stmt> {
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
                    if ty.pointer().is_some_and(|p| p.to.lanes().is_some()) {
                        self.global_exchanges.push((*id, *each));
                    }
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
        for (var, each) in self.slices.clone() {
            if kernel > 0 && self.random.one_in(2) {
                // What the first kernel left, read by all.
                self.scope.push(var);
                self.fixed.push(var);
                self.addressable.push(var);
                continue;
            }
            let Ty::Array(to, _) = self.program.vars[var].ty.clone() else { continue };
            let pointer = Self::pointer_to(Space::Global, (*to).clone(), each, false, true);
            self.slice(&mut body, var, &pointer, each, ItemFn::GlobalId);
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

    pub(super) fn atomic_op(&mut self) -> AtomicOp {
        use AtomicOp::*;
        *self.random.pick(&[Add, Sub, And, Or, Xor, Min, Max, Inc, Dec]).unwrap_or(&Add)
    }

    /// A work-item's own part of an array.
    pub(super) fn slice(&mut self, body: &mut Vec<Stmt>, of: VarId, ty: &Ty, each: u32, id: ItemFn) -> VarId {
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

    pub(super) fn local_arrays(&mut self, body: &mut Vec<Stmt>) {
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

    /// Writes what the work-item knows into its part of the first buffer.
    pub(super) fn report(&mut self, body: &mut Vec<Stmt>, out: VarId) {
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

    /// A uint of the value at a place.
    pub(super) fn digest(&mut self, reach: &Reach) -> Option<Expr> {
        let e = reach.place.clone();
        match &reach.place.ty {
            Ty::Scalar(_) if self.program.floats => Some(self.bits_of(e).convert(UINT)),
            Ty::Scalar(_) => Some(e.convert(UINT)),
            Ty::Vector(s, n) => {
                let lane = self.random.below(usize::from(*n)) as u8;
                let lane = Expr::new(Ty::Scalar(*s), Kind::Swizzle(Box::new(e), vec![lane]));
                Some(self.bits_of(lane).convert(UINT))
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
