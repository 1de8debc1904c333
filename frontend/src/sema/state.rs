//! The parts of the state that have types of their own.

use crate::hir::{Constant, FunctionId, GlobalId, LocalId};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{QualType, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The state of the typing of expressions.
#[derive(Debug, Default)]
pub(super) struct ExprState {
    /// Names reported as undeclared: once each.
    pub unknown: FxHashSet<Symbol>,
    /// Values of `const` locals with constant initialisers.
    pub const_locals: FxHashMap<(FunctionId, LocalId), Constant>,
    /// How many arrays, structures and unions the part of an object is inside of that an initialiser is for.
    pub aggregates: u32,
    /// How deep constant evaluation is in a tree.
    pub evaluation: std::cell::Cell<u32>,
}

/// A declaration that a diagnostic may show; its text is made only then.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub span: Span,
    pub what: What,
}

/// The declared entity.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Variable(Symbol, QualType),
    Global(GlobalId, QualType),
    /// A parameter without a name.
    Parameter(QualType),
    /// A function that returns this.
    Function(Symbol, TypeId),
}

impl Shown {
    /// A variable or a parameter.
    pub fn variable(name: Symbol, ty: QualType, span: Span) -> Shown {
        Shown { span, what: What::Variable(name, ty) }
    }
}

/// The facts about a complete record.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordFacts {
    /// How deep records nest in it, itself counted.
    pub depth: usize,
    /// A member's type was diagnosed: it has no layout.
    pub invalid: bool,
    /// A member whose size may be another on the host: a bool, or a size_t and its kin.
    pub host_dependent: Option<Span>,
}
