//! Rules of pointer arithmetic: constant offsets merge and go outermost.

use super::{Folded, Simplifier};
use crate::ir::{BinaryOp, ConvertOp, InstKind, IntCC, Root, Type, Value};

impl Simplifier<'_> {
    pub(super) fn fold_ptr_add(&mut self, base: Value, index: Value, scale: u64, ty: Type) -> Option<Folded> {
        if scale == 0 {
            return Some(Folded::Value(base));
        }
        if let Some(k) = self.function.const_signed(index) {
            let bytes = i64::try_from(scale).ok().and_then(|s| k.checked_mul(s))?;
            return Some(Folded::Kind(InstKind::PtrOffset { base, bytes }));
        }
        if let Some(InstKind::PtrOffset { base, bytes }) = self.def(base) {
            let (base, bytes) = (*base, *bytes);
            let moved = self.build(InstKind::PtrAdd { base, index, scale }, ty);
            return Some(Folded::Kind(InstKind::PtrOffset { base: moved, bytes }));
        }
        match *self.def(index)? {
            // The index is signed: a 32-bit one says the same.
            InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. }
                if self.ty(value) == Type::I32 =>
            {
                Some(Folded::Kind(InstKind::PtrAdd { base, index: value, scale }))
            }
            // Address arithmetic wraps as arithmetic of its width does.
            InstKind::Binary(BinaryOp::IAdd, x, k) if self.wraps_alike(index) => {
                let k = self.function.const_signed(k)?;
                let bytes = i64::try_from(scale).ok().and_then(|s| k.checked_mul(s))?;
                let moved = self.build(InstKind::PtrAdd { base, index: x, scale }, ty);
                Some(Folded::Kind(InstKind::PtrOffset { base: moved, bytes }))
            }
            InstKind::Binary(BinaryOp::Shl, x, k) if self.wraps_alike(index) => {
                let k = u32::try_from(self.splat_const(k)?).ok().filter(|k| *k < 32)?;
                let scale = scale.checked_mul(1 << k).filter(|s| *s < 1 << 62)?;
                Some(Folded::Kind(InstKind::PtrAdd { base, index: x, scale }))
            }
            _ => None,
        }
    }

    fn wraps_alike(&self, index: Value) -> bool {
        self.ty(index) == Type::I64 || self.address_bits() == 32
    }

    pub(super) fn fold_ptr_offset(&mut self, base: Value, bytes: i64) -> Option<Folded> {
        if bytes == 0 {
            return Some(Folded::Value(base));
        }
        match *self.def(base)? {
            InstKind::PtrOffset { base, bytes: more } => {
                let bytes = bytes.checked_add(more)?;
                Some(Folded::Kind(InstKind::PtrOffset { base, bytes }))
            }
            _ => None,
        }
    }

    /// What a pointer counts from, and how many bytes on it is.
    fn base_and_bytes(&self, pointer: Value) -> (Value, i64) {
        match self.def(pointer) {
            Some(InstKind::PtrOffset { base, bytes }) => (*base, *bytes),
            _ => (pointer, 0),
        }
    }

    /// The variable of the function or the work-group that a pointer points into: no null, no other's memory.
    fn variable(&self, pointer: Value) -> Option<Root> {
        let mut pointer = pointer;
        loop {
            match self.def(pointer)? {
                InstKind::RootAddr(root @ (Root::Slot(_) | Root::Global(_) | Root::LocalArg(_))) => {
                    return Some(*root);
                }
                InstKind::PtrOffset { base, .. }
                | InstKind::PtrAdd { base, .. }
                | InstKind::PtrCast(base) => pointer = *base,
                _ => return None,
            }
        }
    }

    /// Comparisons of pointers that need not wait for `resolve`.
    pub(super) fn fold_pointer_icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Option<Folded> {
        let known = |holds: bool| Some(u64::from(holds));
        let (x, y) = (self.base_and_bytes(a), self.base_and_bytes(b));
        let null = |v: Value| self.function.const_bits(v) == Some(0);
        let value = match (cc, self.variable(a), self.variable(b)) {
            _ if x == y => known(matches!(cc, IntCC::Eq | IntCC::Ule | IntCC::Uge)),
            (IntCC::Eq, ..) if x.0 == y.0 => known(false),
            (IntCC::Ne, ..) if x.0 == y.0 => known(true),
            (IntCC::Eq, Some(p), Some(q)) if p != q => known(false),
            (IntCC::Ne, Some(p), Some(q)) if p != q => known(true),
            (IntCC::Eq, Some(_), None) if null(b) => known(false),
            (IntCC::Ne, Some(_), None) if null(b) => known(true),
            (IntCC::Eq, None, Some(_)) if null(a) => known(false),
            (IntCC::Ne, None, Some(_)) if null(a) => known(true),
            _ => None,
        }?;
        Some(Folded::Value(self.constant(Type::BOOL, value)))
    }

    pub(super) fn fold_ptr_diff(&mut self, a: Value, b: Value, ty: Type) -> Option<Folded> {
        let (x, y) = (self.base_and_bytes(a), self.base_and_bytes(b));
        (x.0 == y.0).then(|| Folded::Value(self.constant(ty, x.1.wrapping_sub(y.1) as u64)))
    }

    pub(super) fn fold_ptr_cast(&mut self, a: Value, ty: Type) -> Option<Folded> {
        if self.ty(a) == ty {
            return Some(Folded::Value(a));
        }
        match *self.def(a)? {
            // To generic and back.
            InstKind::PtrCast(x) if self.ty(x) == ty => Some(Folded::Value(x)),
            _ => None,
        }
    }
}
