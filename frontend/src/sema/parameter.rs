//! Attributes and parameters of declarations, as later phases of the semantic analysis take them.

use crate::hir::{InlineHint, KernelAttributes, UnrollHint};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{AddressSpace, QualType};

/// The attributes of one declaration or statement.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    /// `aligned(n)` in bytes.
    pub aligned: Option<u32>,
    /// `packed`
    pub packed: bool,
    /// `overloadable`
    pub overloadable: bool,
    /// Their place: not everything can have them.
    pub packed_at: Option<Span>,
    /// See [`Attributes::packed_at`].
    pub overloadable_at: Option<Span>,
    /// `always_inline`, `noinline`
    pub inline_hint: InlineHint,
    /// Attributes of kernels alone.
    pub kernel: KernelAttributes,
    /// The first of them as written, for the complaint on anything else.
    pub kernel_only: Option<(String, Span)>,
    /// `opencl_unroll_hint`
    pub unroll: Option<(UnrollHint, Span)>,
    /// Attributes that change the written type into another one.
    pub retype: Option<(Retype, Span)>,
    /// `address_space(n)`, `opencl_global` and its kin.
    pub space: Option<(AddressSpace, Span)>,
    /// `deprecated`, with its message.
    pub deprecated: Option<String>,
    /// `warn_unused_result`
    pub must_use: bool,
}

/// Another type by an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retype {
    /// `ext_vector_type(n)`: so many components.
    Lanes(u32),
    /// `vector_size(n)`: components in so many bytes.
    Bytes(u32),
    /// `mode(DI)` and its kin: the integer or floating type of so many bytes.
    Mode {
        /// The size.
        bytes: u32,
        /// A floating type.
        float: bool,
    },
}

impl Attributes {
    /// Adds what another list says (a later one wins).
    pub fn merge(&mut self, other: Attributes) {
        let k = other.kernel;
        self.aligned = self.aligned.max(other.aligned);
        self.packed |= other.packed;
        self.overloadable |= other.overloadable;
        self.packed_at = self.packed_at.or(other.packed_at);
        self.overloadable_at = self.overloadable_at.or(other.overloadable_at);
        if other.inline_hint != InlineHint::None {
            self.inline_hint = other.inline_hint;
        }
        self.kernel.merge(k);
        self.kernel_only = self.kernel_only.take().or(other.kernel_only);
        self.unroll = other.unroll.or(self.unroll);
        self.retype = other.retype.or(self.retype);
        self.space = other.space.or(self.space);
        self.deprecated = other.deprecated.or(self.deprecated.take());
        self.must_use |= other.must_use;
    }
}

/// One parameter of a function declarator, its type adjusted (C99 §6.7.5.3, 7–8).
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Parameter {
    pub name: Option<Symbol>,
    pub ty: QualType,
    /// As clGetKernelArgInfo shows it.
    pub written: String,
    /// The name of the type in the specifiers, where that is `size_t` or one of its kin.
    pub sized_by_host: Option<String>,
    pub attributes: Attributes,
    pub span: Span,
    /// Where the address space of what it points to is written, or (empty) would be.
    pub pointee_space: Option<Span>,
    /// A name in the list of a definition of the old style (C99 §6.9.1, 6): its type is still to come.
    pub old_style: bool,
}
