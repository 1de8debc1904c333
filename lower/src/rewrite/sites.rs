//! Rules that are code: the interface between a rule and the walk that applies it.

use crate::ir::{Block, Inst, InstKind};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// The facts beside a function that a rule may ask for.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The device.
    pub target: &'a Target,
    /// No kernel that may call the function forbids contraction.
    pub contracts: bool,
}

/// The instructions and branches of one function that a rule rewrites.
pub(crate) trait Sites {
    /// Gives the new kind of an instruction that matches, and adds others before it. Its results stay.
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind>;

    /// Rewrites the arguments that a block's terminator passes, and adds instructions before it.
    fn rewrite_terminator(&self, _: &mut Rewriter<'_>, _: Block) {}
}
