//! How far a pointer that was cast is known to be aligned.
//!
//! An access through a pointer that is not aligned to its type is undefined (OpenCL C §6.3.5, "Alignment of Types").
//! Programs do so all the same, with the members of packed records: `*(uint *)block->bits`, where `bits` are bytes 2 to 5 of
//! blocks of 22 bytes. Other compilers read those bytes, since they know the member; so does this one. What counts is what the
//! layout makes certain: members' offsets, the sizes of records in arrays, constant indices. Other indices and plain pointers
//! are believed to be as aligned as the cast says.

use super::error::Emit;
use super::function::FunctionEmitter;
use crate::hir::{CastKind, Constant, Expr, ExprKind};
use crate::types::{Type, TypeId};

/// As aligned as any type.
const ANY: u32 = 1 << 30;

/// The power of two that a number of bytes is a multiple of.
fn power_in(bytes: u64) -> u32 {
    1 << bytes.trailing_zeros().min(ANY.trailing_zeros())
}

impl FunctionEmitter<'_, '_> {
    /// Returns what the layout of the object that `pointer` was made from tells of its alignment; none for a pointer of which no
    /// object is seen.
    pub fn seen_alignment(&mut self, pointer: &Expr) -> Emit<Option<u32>> {
        match &pointer.kind {
            ExprKind::Cast { kind: CastKind::PointerBitcast | CastKind::PointerSpace, operand } => {
                self.seen_alignment(operand)
            }
            ExprKind::ArrayDecay(lvalue) | ExprKind::AddressOf(lvalue) => {
                self.layout_alignment(lvalue).map(Some)
            }
            ExprKind::PointerOffset { pointer, index, .. } => {
                let Some(start) = self.seen_alignment(pointer)? else { return Ok(None) };
                let size = self.m.program.types.pointee(pointer.ty.ty).and_then(|to| self.size(to.ty));
                let step = match (&index.kind, size) {
                    (ExprKind::Constant(Constant::Int(index)), Some(size)) => {
                        power_in(index.unsigned_abs().saturating_mul(size))
                    }
                    _ => ANY,
                };
                Ok(Some(start.min(step)))
            }
            _ => {
                let pointee = self.m.program.types.pointee(pointer.ty.ty);
                Ok(pointee.and_then(|pointee| self.record_alignment(pointee.ty)))
            }
        }
    }

    /// The same for an object.
    fn layout_alignment(&mut self, lvalue: &Expr) -> Emit<u32> {
        match &lvalue.kind {
            ExprKind::Member { base, field } => {
                let Type::Record(record) = *self.m.program.types.get(base.ty.ty) else { return Ok(ANY) };
                let (_, offset) = self.field(record, *field)?;
                Ok(self.layout_alignment(base)?.min(power_in(offset)))
            }
            ExprKind::Deref(pointer) => {
                let seen = self.seen_alignment(pointer)?.unwrap_or(ANY);
                Ok(seen.min(self.record_alignment(lvalue.ty.ty).unwrap_or(ANY)))
            }
            _ => Ok(ANY),
        }
    }

    /// Returns how records of a type are aligned that follow each other from an aligned place on.
    fn record_alignment(&self, ty: TypeId) -> Option<u32> {
        let record = matches!(self.m.program.types.get(ty), Type::Record(_));
        self.size(ty).filter(|_| record).map(power_in)
    }

    /// A type's size in bytes, where it has one.
    fn size(&self, ty: TypeId) -> Option<u64> {
        self.m.program.types.layout(ty).map(|layout| layout.size)
    }
}
