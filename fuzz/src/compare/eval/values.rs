//! Values of expressions.

use super::super::arith;
use super::super::ast::*;
use super::super::floats;
use super::super::memory::{Ptr, R, Reject, Shared};
use super::{Machine, Val};

impl Machine<'_> {
    pub(super) fn truth(&mut self, e: &Expr) -> R<bool> {
        match self.value(e)? {
            Val::Scalar(bits) if let Some((s, _)) = e.ty.lanes().filter(|l| l.0.is_float()) => {
                Ok(floats::number(s, bits) != 0.0)
            }
            Val::Scalar(bits) => Ok(bits != 0),
            Val::Pointer(p) => {
                p.map_or(Ok(()), |p| self.memory.check_alive(p))?;
                Ok(p.is_some())
            }
            _ => Err(Reject("a condition that is none")),
        }
    }

    pub(super) fn scalar(&mut self, e: &Expr) -> R<u64> {
        match self.value(e)? {
            Val::Scalar(bits) => Ok(bits),
            _ => Err(Reject("no scalar")),
        }
    }

    pub(super) fn value(&mut self, e: &Expr) -> R<Val> {
        self.step()?;
        let lanes = e.ty.lanes();
        let flag = |b: bool| Ok(Val::Scalar(u64::from(b)));
        match &e.kind {
            Kind::Lit(bits) => match &e.ty {
                Ty::Vector(_, n) => Ok(Val::Vector(vec![*bits; usize::from(*n)])),
                _ => Ok(Val::Scalar(*bits)),
            },
            Kind::Var(_)
            | Kind::Member(..)
            | Kind::At(..)
            | Kind::Deref(_)
            | Kind::Arrow(..)
            | Kind::Volatile(..) => {
                let p = self.place(e)?;
                self.load(p, &e.ty)
            }
            Kind::Decay(a) | Kind::Address(a) => self.place(a).map(|p| Val::Pointer(Some(p))),
            Kind::Unary(op, a) => {
                let (s, a) = (lanes.ok_or(Reject("no number"))?.0, self.value(a)?);
                lanewise(&a, &a, |a, _| Ok(arith::unary(*op, s, a)))
            }
            Kind::Binary(op, a, b) => {
                let s = lanes.ok_or(Reject("no number"))?.0;
                let (a, b) = (self.value(a)?, self.value(b)?);
                lanewise(&a, &b, |a, b| {
                    arith::binary(*op, s, a, b)
                        .and_then(|r| self.kept(s, r))
                        .and_then(|r| self.computed(s, r))
                })
            }
            Kind::Compare(op, a, b) => {
                let s = a.ty.lanes().ok_or(Reject("no number"))?.0;
                let (a, b) = (self.value(a)?, self.value(b)?);
                let yes = match (&a, lanes) {
                    // All bits of a lane (OpenCL C §6.4.4 "Relational Operators").
                    (Val::Vector(_), Some((s, _))) => s.wrap(u64::MAX),
                    _ => 1,
                };
                lanewise(&a, &b, |a, b| Ok(if arith::compare(*op, s, a, b) { yes } else { 0 }))
            }
            Kind::Logic(and, a, b) => {
                let first = self.truth(a)?;
                if first != *and { flag(first) } else { self.truth(b).and_then(flag) }
            }
            Kind::Falsity(a) => self.truth(a).and_then(|b| flag(!b)),
            Kind::Cond(c, a, b) => {
                if self.truth(c)? {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
            Kind::Builtin(f, list) => self.builtin(*f, list, &e.ty),
            Kind::Item(f) => Ok(Val::Scalar(u64::from(self.item(*f)))),
            Kind::Call(f, args) => self.call(*f, args),
            Kind::Fetch(op, list) => self.fetch(*op, list),
            _ => self.vector_value(e),
        }
    }

    /// Vectors, and what makes numbers of others.
    fn vector_value(&mut self, e: &Expr) -> R<Val> {
        let lanes = e.ty.lanes();
        let flag = |b: bool| Ok(Val::Scalar(u64::from(b)));
        match &e.kind {
            Kind::Build(list) => {
                let mut parts = Vec::new();
                for e in list {
                    match self.value(e)? {
                        Val::Scalar(bits) => parts.push(bits),
                        Val::Vector(lanes) => parts.extend(lanes),
                        _ => return Err(Reject("no number")),
                    }
                }
                match lanes {
                    Some((_, n)) if parts.len() == usize::from(n) => Ok(Val::Vector(parts)),
                    _ => Err(Reject("a vector of another size")),
                }
            }
            Kind::Truths(cast, a) => {
                let (s, n) = lanes.ok_or(Reject("no number"))?;
                let yes = if *cast { s.wrap(u64::MAX) } else { 1 };
                let bits = if self.truth(a)? { yes } else { 0 };
                Ok(Val::Vector(vec![bits; usize::from(n)]))
            }
            Kind::Splat(a) => {
                let bits = self.scalar(a)?;
                Ok(Val::Vector(vec![bits; lanes.map_or(0, |l| usize::from(l.1))]))
            }
            Kind::Swizzle(base, picks) => {
                let from = self.value(base)?;
                let parts = picks.iter().map(|l| lane_of(&from, usize::from(*l))).collect::<R<Vec<u64>>>()?;
                Ok(shaped(parts))
            }
            Kind::Convert(a) | Kind::ConvertSat(a) => {
                let (from, to) = (a.ty.lanes(), lanes);
                let (Some((from, _)), Some((to, _))) = (from, to) else {
                    return Err(Reject("a conversion of no number"));
                };
                let a = self.value(a)?;
                match e.kind {
                    Kind::Convert(_) => {
                        lanewise(&a, &a, |a, _| arith::convert(from, to, a).and_then(|r| self.kept(to, r)))
                    }
                    _ => lanewise(&a, &a, |a, _| arith::convert_sat(from, to, a)),
                }
            }
            Kind::Any(all, a) => {
                let s = a.ty.lanes().ok_or(Reject("no number"))?.0;
                let Val::Vector(parts) = self.value(a)? else { return Err(Reject("any of no vector")) };
                let set = |bits: &u64| bits >> (s.bits() - 1) & 1 != 0;
                flag(if *all { parts.iter().all(set) } else { parts.iter().any(set) })
            }
            Kind::Choose(c, a, b) => {
                let s = c.ty.lanes().ok_or(Reject("no number"))?.0;
                // Both are evaluated (§6.4.9).
                let (c, a, b) = (self.value(c)?, self.value(a)?, self.value(b)?);
                let both = match (&a, &b) {
                    (Val::Vector(a), Val::Vector(b)) => a.iter().copied().zip(b.iter().copied()),
                    _ => return Err(Reject("operands of two shapes")),
                };
                let Val::Vector(c) = c else { return Err(Reject("operands of two shapes")) };
                let pick = |(c, (a, b)): (&u64, (u64, u64))| if c >> (s.bits() - 1) & 1 != 0 { a } else { b };
                Ok(Val::Vector(c.iter().zip(both).map(pick).collect()))
            }
            Kind::As(a) => {
                let value = self.value(a)?;
                ordinary(&value, &a.ty)?;
                let value = reshape(&value, &a.ty, &e.ty)?;
                ordinary(&value, &e.ty)?;
                Ok(value)
            }
            Kind::Vload(index, p) => {
                let (s, n) = lanes.ok_or(Reject("vload of no vector"))?;
                let p = self.element(index, p, u32::from(n) * s.bytes())?;
                self.memory.check_align(p, s.bytes())?;
                let mut parts = Vec::new();
                for lane in 0..n {
                    let at = self.memory.add(p, i64::from(lane) * i64::from(s.bytes()))?;
                    parts.push(self.memory.read(at, s.bytes())?);
                }
                Ok(Val::Vector(parts))
            }
            _ => self.pointer_value(e),
        }
    }

    /// Pointers, and what they give.
    fn pointer_value(&mut self, e: &Expr) -> R<Val> {
        let flag = |b: bool| Ok(Val::Scalar(u64::from(b)));
        match &e.kind {
            Kind::Null => Ok(Val::Pointer(None)),
            Kind::Offset(p, n) | Kind::IntOffset(p, n) => {
                let to = p.ty.pointer().ok_or(Reject("no pointer"))?;
                self.element(n, p, self.program.size(&to.to)).map(|p| Val::Pointer(Some(p)))
            }
            Kind::PtrCast(p) | Kind::RoundTrip(p) => self.maybe_null(p).map(Val::Pointer),
            Kind::IntAligned(p) => {
                let align = p.ty.pointer().map_or(1, |p| self.program.align(&p.to));
                let p = self.pointer(p)?;
                self.memory.check_alive(p)?;
                self.memory.check_align(p, align)?;
                flag(true)
            }
            Kind::ToSpace(p) => {
                let space = e.ty.pointer().ok_or(Reject("no pointer"))?.space;
                let p = self.maybe_null(p)?;
                p.map_or(Ok(()), |p| self.memory.check_alive(p))?;
                let there = |p: &Ptr| match self.memory.shared(*p) {
                    Shared::No => space == Space::Private,
                    Shared::Local => space == Space::Local,
                    Shared::Global => space == Space::Global,
                    Shared::ReadOnly => false,
                };
                Ok(Val::Pointer(p.filter(there)))
            }
            Kind::PtrEq(eq, a, b) | Kind::IntEq(eq, a, b) => {
                let (a, b) = (self.maybe_null(a)?, self.maybe_null(b)?);
                flag(self.memory.equal(a, b)? == *eq)
            }
            Kind::PtrLess(less, a, b) => {
                let (a, b) = self.same_object(a, b)?;
                flag((a.offset < b.offset) == *less)
            }
            Kind::PtrDiff(a, b) => {
                let size = a.ty.pointer().map_or(1, |p| self.program.size(&p.to));
                let (a, b) = self.same_object(a, b)?;
                let bytes = a.offset - b.offset;
                if bytes % i64::from(size) != 0 {
                    return Err(Reject("a distance of no whole elements"));
                }
                Ok(Val::Scalar(Scalar::I32.wrap((bytes / i64::from(size)) as u64)))
            }
            _ => Err(Reject("an expression that is none")),
        }
    }

    pub(super) fn same_object(&mut self, a: &Expr, b: &Expr) -> R<(Ptr, Ptr)> {
        let (a, b) = (self.pointer(a)?, self.pointer(b)?);
        self.memory.check_alive(a)?;
        if a.object == b.object { Ok((a, b)) } else { Err(Reject("an order of pointers into two objects")) }
    }

    pub(super) fn builtin(&mut self, f: Builtin, list: &[Expr], ty: &Ty) -> R<Val> {
        let (s, n) = ty.lanes().ok_or(Reject("no number"))?;
        let values = list.iter().map(|e| self.value(e)).collect::<R<Vec<_>>>()?;
        let mut result = Vec::new();
        for lane in 0..usize::from(n) {
            let args = values.iter().map(|v| lane_of(v, lane)).collect::<R<Vec<u64>>>()?;
            result.push(arith::builtin(f, s, n > 1, &args).and_then(|r| self.computed(s, r))?);
        }
        Ok(shaped(result))
    }

    /// A result of floats, where the program's may be rounded.
    /// The result of a computation, if the program may have it.
    fn computed(&self, s: Scalar, bits: u64) -> R<u64> {
        if s.is_float() && !self.program.special_floats { floats::ordinary(s, bits) } else { Ok(bits) }
    }

    fn kept(&self, s: Scalar, bits: u64) -> R<u64> {
        if s.is_float() && !self.program.floats { floats::whole(s, bits) } else { Ok(bits) }
    }

    pub(super) fn item(&self, f: ItemFn) -> u32 {
        let (local, size, shape) = (self.current as u32, self.program.group, &self.program.shape);
        match f {
            ItemFn::GlobalId => self.group * size + local,
            ItemFn::LocalId => local,
            ItemFn::GroupId => self.group,
            ItemFn::LocalSize => self.items.len() as u32,
            ItemFn::GlobalSize => shape.global().iter().product(),
            ItemFn::NumGroups => self.program.groups,
        }
    }
}

pub(super) fn lane_of(value: &Val, lane: usize) -> R<u64> {
    match value {
        Val::Scalar(bits) => Ok(*bits),
        Val::Vector(lanes) => lanes.get(lane).copied().ok_or(Reject("no such lane")),
        _ => Err(Reject("no number")),
    }
}

/// That no lane is a float whose bits are not defined, or that devices may flush.
pub(super) fn ordinary(value: &Val, ty: &Ty) -> R<()> {
    let Some((s, n)) = ty.lanes().filter(|l| l.0.is_float()) else { return Ok(()) };
    (0..usize::from(n)).try_for_each(|lane| floats::plain(s, lane_of(value, lane)?).map(|_| ()))
}

pub(super) fn shaped(lanes: Vec<u64>) -> Val {
    match lanes.as_slice() {
        [one] => Val::Scalar(*one),
        _ => Val::Vector(lanes),
    }
}

pub(super) fn lanewise(a: &Val, b: &Val, f: impl Fn(u64, u64) -> R<u64>) -> R<Val> {
    match (a, b) {
        (Val::Scalar(a), Val::Scalar(b)) => f(*a, *b).map(Val::Scalar),
        (Val::Vector(a), Val::Vector(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect::<R<Vec<u64>>>().map(Val::Vector)
        }
        _ => Err(Reject("operands of two shapes")),
    }
}

/// The same bytes as another type of as many.
pub(super) fn reshape(value: &Val, from: &Ty, to: &Ty) -> R<Val> {
    let (Some((from, n)), Some((to, m))) = (from.lanes(), to.lanes()) else {
        return Err(Reject("bits of no number"));
    };
    let mut bytes = Vec::new();
    for lane in 0..usize::from(n) {
        bytes.extend_from_slice(&lane_of(value, lane)?.to_le_bytes()[..from.bytes() as usize]);
    }
    if bytes.len() != to.bytes() as usize * usize::from(m) {
        return Err(Reject("bits of another size"));
    }
    let lanes = bytes.chunks(to.bytes() as usize).map(|part| {
        let mut bits = [0; 8];
        bits[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(bits)
    });
    Ok(shaped(lanes.collect()))
}
