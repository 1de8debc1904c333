//! The debug information that `-g` adds, while a module and a function grow.

use crate::hir::LocalId;
use crate::source::Span;
use crate::types::{RecordId, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::Id;

/// The debug information of a module while it grows.
#[derive(Debug)]
pub(super) struct DebugInfo {
    pub set: Id,
    /// DebugInfoNone.
    pub none: Id,
    /// DebugExpression without operations.
    pub expression: Id,
    pub unit: Id,
    pub sources: FxHashMap<String, Id>,
    pub strings: FxHashMap<String, Id>,
    pub types: FxHashMap<TypeId, Id>,
    /// Types with a qualifier, by the type without and the qualifier's number.
    pub qualified: FxHashMap<(Id, u32), Id>,
    pub opaque: FxHashMap<String, Id>,
    /// The function that is being emitted: what static variables of functions belong to.
    pub function: Option<Id>,
    pub in_progress: FxHashSet<RecordId>,
    /// How often a record in progress was mentioned: what was made meanwhile is not the full type.
    pub mentions: u32,
}

/// The scopes of a function while its body is emitted.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    pub open: Vec<Id>,
    /// Where locals were declared.
    pub of_locals: FxHashMap<LocalId, Id>,
    /// The block and scope that the last DebugScope was for.
    pub last: Option<(Id, Id)>,
    /// What the last OpLine was for.
    pub line: Span,
}
