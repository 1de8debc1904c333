//! Splitting of blocks.

use crate::ir::{Block, Function, Terminator};

/// Splits the entry after its parameters. Returns the new block, the layout's last, with the entry's code. The caller gives the entry a
/// terminator.
pub fn split_entry(function: &mut Function) -> Block {
    let (entry, start) = (function.entry(), function.new_block());
    function.blocks[start].insts = std::mem::take(&mut function.blocks[entry].insts);
    function.blocks[start].term =
        std::mem::replace(&mut function.blocks[entry].term, Terminator::Unreachable);
    start
}
