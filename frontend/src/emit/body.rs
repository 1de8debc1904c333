//! The blocks of one function while it is emitted.
//!
//! Instructions go into one buffer, blocks are ranges of it. Structured emission opens every block
//! after the blocks that dominate it, so that the buffer is written out as it is. A function with
//! `goto` opens them in the source's order; [`Body::finish`] then sorts the reachable ones in reverse
//! postorder, in which every block follows its dominators (SPIR-V §2.16.1, "Universal Validation
//! Rules"), and drops the others.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv_io::Id;
use spirv_io::spirv::Op;

#[derive(Debug)]
struct Block {
    label: Id,
    words: std::ops::Range<usize>,
    successors: SmallVec<[Id; 2]>,
}

/// A function's blocks.
#[derive(Debug, Default)]
pub(super) struct Body {
    words: Vec<u32>,
    blocks: Vec<Block>,
    current: Option<(Id, usize)>,
    targets: FxHashSet<Id>,
}

impl Body {
    /// The label of the block that is open; `None` after a terminator: what follows is unreachable.
    pub fn current(&self) -> Option<Id> {
        self.current.map(|(label, _)| label)
    }

    /// Returns whether some block ends with a branch to `label`.
    pub fn branched_to(&self, label: Id) -> bool {
        self.targets.contains(&label)
    }

    /// Starts a block. The one before must be terminated.
    pub fn open(&mut self, label: Id) {
        debug_assert!(self.current.is_none(), "the open block has no terminator");
        self.current = Some((label, self.words.len()));
        self.push(Op::Label, &[label.0]);
    }

    /// Appends an instruction to the open block. Its length is checked by the caller where the source
    /// decides it.
    pub fn push(&mut self, op: Op, operands: &[u32]) {
        self.words.push(((operands.len() + 1) as u32) << 16 | op as u32);
        self.words.extend_from_slice(operands);
    }

    /// Ends the open block.
    pub fn terminate(&mut self, op: Op, operands: &[u32], successors: &[Id]) {
        let Some((label, start)) = self.current.take() else { return };
        self.push(op, operands);
        self.targets.extend(successors);
        let words = start..self.words.len();
        self.blocks.push(Block { label, words, successors: SmallVec::from_slice(successors) });
    }

    /// The function's blocks as words, the entry block's `variables` in their place.
    pub fn finish(mut self, variables: &[u32], sort: bool) -> Vec<u32> {
        let order: Vec<usize> =
            if sort { self.reverse_postorder() } else { (0..self.blocks.len()).collect() };
        let mut out = Vec::with_capacity(self.words.len() + variables.len());
        for (position, index) in order.into_iter().enumerate() {
            let mut words = self.blocks[index].words.clone();
            if position == 0 {
                // OpLabel is two words; variables come right after it.
                out.extend_from_slice(&self.words[words.start..words.start + 2]);
                out.extend_from_slice(variables);
                words.start += 2;
            }
            out.extend_from_slice(&self.words[words]);
        }
        self.blocks.clear();
        out
    }

    fn reverse_postorder(&self) -> Vec<usize> {
        let index: FxHashMap<Id, usize> = self.blocks.iter().enumerate().map(|(i, b)| (b.label, i)).collect();
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut stack = Vec::new();
        if !self.blocks.is_empty() {
            seen[0] = true;
            stack.push((0usize, 0usize));
        }
        while let Some((block, next)) = stack.pop() {
            // The last successor first, so that the first one comes first in the result.
            let successors = &self.blocks[block].successors;
            let Some(label) = successors.len().checked_sub(next + 1).map(|at| successors[at]) else {
                order.push(block);
                continue;
            };
            stack.push((block, next + 1));
            if let Some(&to) = index.get(&label)
                && !seen[to]
            {
                seen[to] = true;
                stack.push((to, 0));
            }
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_puts_dominators_first_and_drops_the_unreachable() {
        // entry → c → b → end, opened as entry, b, dead, c, end.
        let mut body = Body::default();
        let [entry, b, dead, c, end] = [1, 2, 3, 4, 5].map(Id);
        for (label, to) in [(entry, c), (b, end), (dead, b), (c, b)] {
            body.open(label);
            body.terminate(Op::Branch, &[to.0], &[to]);
        }
        body.open(end);
        body.terminate(Op::Return, &[], &[]);
        let words = body.finish(&[], true);
        let labels: Vec<u32> =
            words.windows(2).filter(|w| w[0] == (2 << 16 | Op::Label as u32)).map(|w| w[1]).collect();
        assert_eq!(labels, [1, 4, 2, 5]);
    }
}
