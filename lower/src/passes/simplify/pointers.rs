//! Rules of pointer arithmetic: constant offsets merge and go outermost.

use super::{Folded, Simplifier};
use crate::ir::{BinaryOp, ConvertOp, InstKind, Type, Value};

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
        self.ty(index) == Type::I64 || self.address_bits == 32
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
