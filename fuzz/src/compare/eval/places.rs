//! Places in memory: what an expression names, what is read from it and written to it.

use super::super::ast::*;
use super::super::memory::{Ptr, R, Reject};
use super::values::ordinary;
use super::{Machine, NONE, Val};

impl Machine<'_> {
    pub(super) fn maybe_null(&mut self, e: &Expr) -> R<Option<Ptr>> {
        match self.value(e)? {
            Val::Pointer(p) => Ok(p),
            _ => Err(Reject("no pointer")),
        }
    }

    /// A pointer that keeps what the type promises; with `leaves`, one that may leave a helper.
    pub(super) fn pointer(&mut self, e: &Expr) -> R<Ptr> {
        self.maybe_null(e)?.ok_or(Reject("a null pointer is used"))
    }

    pub(super) fn element(&mut self, index: &Expr, base: &Expr, size: u32) -> R<Ptr> {
        let n = self.scalar(index)?;
        let n = index.ty.lanes().map_or(0, |(s, _)| s.number(n)) as i64;
        let p = self.pointer(base)?;
        self.memory.add(p, n.saturating_mul(i64::from(size)).clamp(-(1 << 40), 1 << 40))
    }

    pub(super) fn place(&mut self, e: &Expr) -> R<Ptr> {
        self.step()?;
        match &e.kind {
            Kind::Var(var) => {
                let own = self.items[self.current].slots.get(*var).copied().unwrap_or(NONE);
                if own == NONE {
                    return Err(Reject("a variable that is not there"));
                }
                let p = Ptr { object: own, offset: 0 };
                self.memory.check_alive(p)?;
                Ok(p)
            }
            Kind::Member(base, n) => {
                let Ty::Record(r) = base.ty else { return Err(Reject("a member of no record")) };
                let p = self.place(base)?;
                self.memory.add(p, i64::from(self.program.offset(r, *n)))
            }
            Kind::At(base, index) => match &base.ty {
                Ty::Array(of, n) => {
                    let i = self.scalar(index)?;
                    let i = index.ty.lanes().map_or(0, |(s, _)| s.number(i));
                    if i < 0 || i >= i128::from(*n) {
                        return Err(Reject("an index beyond its array"));
                    }
                    let p = self.place(base)?;
                    self.memory.add(p, i as i64 * i64::from(self.program.size(of)))
                }
                Ty::Pointer(to) => {
                    let p = self.element(index, base, self.program.size(&to.to))?;
                    self.memory.check_align(p, self.program.align(&to.to))?;
                    Ok(p)
                }
                _ => Err(Reject("an element of nothing")),
            },
            Kind::Deref(p) | Kind::Arrow(p, _) => {
                let to = p.ty.pointer().ok_or(Reject("no pointer"))?;
                let at = self.pointer(p)?;
                self.memory.check_align(at, self.program.align(&to.to))?;
                match (&e.kind, &to.to) {
                    (Kind::Arrow(_, n), Ty::Record(r)) => {
                        self.memory.add(at, i64::from(self.program.offset(*r, *n)))
                    }
                    _ => Ok(at),
                }
            }
            Kind::Volatile(_, a) => self.place(a),
            _ => Err(Reject("no place in memory")),
        }
    }

    pub(super) fn load(&mut self, p: Ptr, ty: &Ty) -> R<Val> {
        let value = self.load_any(p, ty)?;
        ordinary(&value, ty)?;
        Ok(value)
    }

    fn load_any(&mut self, p: Ptr, ty: &Ty) -> R<Val> {
        match ty {
            Ty::Scalar(s) => self.memory.read(p, s.bytes()).map(Val::Scalar),
            Ty::Vector(s, n) => {
                let mut lanes = Vec::new();
                for lane in 0..*n {
                    let at = self.memory.add(p, i64::from(lane) * i64::from(s.bytes()))?;
                    lanes.push(self.memory.read(at, s.bytes())?);
                }
                Ok(Val::Vector(lanes))
            }
            Ty::Pointer(_) => self.memory.read_pointer(p).map(Val::Pointer),
            Ty::Record(_) => self.memory.read_blob(p, self.program.size(ty)).map(Val::Blob),
            Ty::Array(..) | Ty::Void => Err(Reject("an array as a value")),
        }
    }

    pub(super) fn store(&mut self, p: Ptr, ty: &Ty, value: Val) -> R<()> {
        ordinary(&value, ty)?;
        match (ty, value) {
            (Ty::Scalar(s), Val::Scalar(bits)) => self.memory.write(p, s.bytes(), bits),
            (Ty::Vector(s, n), Val::Vector(lanes)) if lanes.len() == usize::from(*n) => {
                for (lane, bits) in lanes.iter().enumerate() {
                    let at = self.memory.add(p, lane as i64 * i64::from(s.bytes()))?;
                    self.memory.write(at, s.bytes(), *bits)?;
                }
                if *n == 3 {
                    let at = self.memory.add(p, 3 * i64::from(s.bytes()))?;
                    self.memory.spoil(at, s.bytes())?;
                }
                Ok(())
            }
            (Ty::Pointer(_), Val::Pointer(value)) => self.memory.write_pointer(p, value),
            (Ty::Record(_), Val::Blob(mut blob)) => {
                // What padding holds after an assignment is not said (C99 6.2.6.1 p6).
                let mut members = vec![false; self.program.size(ty) as usize];
                self.program.cover(ty, &mut members);
                blob.keep(&members);
                self.memory.write_blob(p, &blob)
            }
            _ => Err(Reject("a value of another type")),
        }
    }

    /// C99 6.7.8: what a list leaves out is zero; of a union, the rest is nothing.
    pub(super) fn init(&mut self, p: Ptr, ty: &Ty, init: &Init) -> R<()> {
        let list = match init {
            Init::Expr(e) => {
                let value = self.value(e)?;
                return self.store(p, ty, value);
            }
            Init::List(list) => list,
        };
        match ty {
            Ty::Array(of, n) => {
                for i in 0..*n {
                    let at = self.memory.add(p, i64::from(i) * i64::from(self.program.size(of)))?;
                    match list.get(i as usize) {
                        Some(init) => self.init(at, of, init)?,
                        None => self.zero(at, of)?,
                    }
                }
            }
            Ty::Record(r) => {
                let record = &self.program.records[*r];
                let count = if record.union { 1 } else { record.fields.len() };
                for (i, field) in record.fields.iter().enumerate().take(count) {
                    let at = self.memory.add(p, i64::from(self.program.offset(*r, i)))?;
                    match list.get(i) {
                        Some(init) => self.init(at, &field.ty, init)?,
                        None => self.zero(at, &field.ty)?,
                    }
                }
            }
            _ => return Err(Reject("a list for a scalar")),
        }
        Ok(())
    }

    pub(super) fn zero(&mut self, p: Ptr, ty: &Ty) -> R<()> {
        match ty {
            Ty::Array(..) | Ty::Record(_) => self.init(p, ty, &Init::List(vec![])),
            Ty::Pointer(_) => self.memory.write_pointer(p, None),
            Ty::Scalar(_) => self.store(p, ty, Val::Scalar(0)),
            Ty::Vector(_, n) => self.store(p, ty, Val::Vector(vec![0; usize::from(*n)])),
            Ty::Void => Ok(()),
        }
    }
}
