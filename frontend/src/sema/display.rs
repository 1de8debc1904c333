//! Types as text in diagnostics.

use super::context::Sema;
use crate::types::{QualType, TypeId};
use crate::types_text::type_text;

impl Sema<'_> {
    /// A type as diagnostics show it, clang's way: `__global float4 *`. The space of the type itself is
    /// shown unless it is private.
    pub(super) fn type_text(&self, ty: QualType) -> String {
        type_text(&self.types, self.symbols, ty)
    }

    /// An unqualified type as diagnostics show it.
    pub(super) fn type_id_text(&self, ty: TypeId) -> String {
        type_text(&self.types, self.symbols, QualType::new(ty))
    }
}
