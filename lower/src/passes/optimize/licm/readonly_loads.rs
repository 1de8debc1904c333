//! Invariant loads: loads from buffers that nothing in the kernel writes give the same in every iteration.
//!
//! No work-item of the launch can wait for a store to such a buffer. The loop must not hear of other work-items either: it has no atomics,
//! barriers or fences.
//!
//! ```text
//! for (i = start[r]; i < start[r + 1]; i++) …    →    end = start[r + 1]; for (i = start[r]; i < end; i++) …
//! ```
//!
//! A load leaves a loop only from the header, and only where the block in front of the loop has the header as its only successor: the load is
//! then executed whenever that block is.

use crate::analysis::alias::origins::Buffers;
use crate::analysis::alias::{Area, NoAlias};
use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{Block, Function, Inst, InstKind, KernelData, MemFlags, Terminator};

/// The memory that a function writes.
pub(super) struct Unwritten<'a> {
    noalias: NoAlias<'a>,
    written: Buffers,
    /// By loop: whether plain stores are its only effects.
    quiet: Vec<bool>,
}

impl<'a> Unwritten<'a> {
    /// `None` where the function is no kernel, or has writes to unknown memory.
    pub fn new(
        function: &Function,
        cfg: &'a Cfg,
        loops: &Loops,
        kernel: (Option<&'a KernelData>, bool),
    ) -> Option<Self> {
        let noalias = NoAlias::new(cfg, Some(kernel.0?), kernel.1);
        let (mut written, mut quiet) = (Buffers::NONE, vec![true; loops.loops.len()]);
        for &block in cfg.rpo() {
            for inst in &function.blocks[block].insts {
                let kind = &function.insts[*inst].kind;
                if !kind.effects(function).writes {
                    continue;
                }
                let plain = match kind {
                    InstKind::Store { flags: MemFlags { volatile, .. }, .. } => !volatile,
                    _ => false,
                };
                let around = std::iter::successors(loops.innermost(block), |at| loops.loops[*at].parent);
                around.filter(|_| !plain).for_each(|at| quiet[at] = false);
                match kind {
                    InstKind::Store { place, .. }
                    | InstKind::Atomic { place, .. }
                    | InstKind::Load { place, .. } => {
                        if !matches!(Area::from_place(place), Some(Area::Slot(_) | Area::Local)) {
                            let buffers = noalias.buffers(function, place);
                            written = written.and((buffers != Buffers::NONE).then_some(buffers)?);
                        }
                    }
                    InstKind::Barrier { .. } | InstKind::MemBarrier { .. } => {}
                    _ => return None,
                }
            }
        }
        Some(Unwritten { noalias, written, quiet })
    }

    /// Returns whether a load in a loop's header may move in front of the loop, if its operands are defined there.
    pub fn may_hoist(
        &self,
        function: &Function,
        cfg: &Cfg,
        loops: &Loops,
        (at, block): (usize, Block),
        inst: Inst,
    ) -> bool {
        let InstKind::Load { place, flags: MemFlags { volatile: false, .. } } = &function.insts[inst].kind
        else {
            return false;
        };
        let front = cfg.idom(block).map(|front| &function.blocks[front].term);
        let buffers = self.noalias.buffers(function, place);
        self.quiet[at]
            && loops.loops[at].header == block
            && matches!(front, Some(Terminator::Branch(_)))
            && buffers != Buffers::NONE
            && (self.written == Buffers::NONE || self.noalias.never_alias(buffers, self.written))
    }
}

#[cfg(test)]
mod tests {
    use super::super::move_invariants;
    use crate::ir::{text, verify};

    const PLAN: &str = concat!(
        r#"{\"size\":16,\"location\":\"push_constants\",\"members\":[{\"offset\":0,\"size\":8,\"source\":{\"argument_address\":0}},"#,
        r#"{\"offset\":8,\"size\":8,\"source\":{\"argument_address\":1}}]}"#
    );

    /// Returns whether the end of a loop, which the test loads from the first argument, is loaded in front of it.
    fn is_hoisted(noalias: &str, front: &str, load: &str, body: &str) -> bool {
        let args = ["a", "b"].map(|name| format!("  arg \"{name}\" \"int*\" () pointer global\n")).concat();
        let source = format!(
            "module resolved bits=64{noalias}\nkernel \"k\" f0\n{args}  plan address \"{PLAN}\"\nfunc f0 \"k\" returns ()\nb0():\n  \
             v0: i32 = load block.i32[i32:0], align=4\n  v9: bool = icmp.eq v0, i32:7\n{front}b1(v1: i32):\n{load}  \
             v3: bool = icmp.ult v1, v2\n  condbr v3, b2(), b3()\nb2():\n{body}  v4: i32 = iadd v1, i32:1\n  br b1(v4)\nb3():\n  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (kernels, noalias) = (&module.kernels, module.noalias);
        module.functions.values_mut().for_each(|f| move_invariants(f, (kernels.first(), noalias), false));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let text = module.to_string();
        let at = text.find("= load arg0").unwrap_or_else(|| panic!("{text}"));
        at < text.find("b1(").unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn ends_that_nothing_writes_are_loaded_once() {
        let (front, load) = ("  br b1(i32:0)\n", "  v2: i32 = load arg0.i32[v0], align=4\n");
        let other = "  store arg1.i32[v1], v1, align=4\n";
        assert!(is_hoisted("", front, load, ""));
        assert!(is_hoisted(" noalias", front, load, other));
        // The other buffer may alias; the buffer itself is written; an unknown address is written.
        assert!(!is_hoisted("", front, load, other));
        assert!(!is_hoisted(" noalias", front, load, "  store arg0.i32[v1], v1, align=4\n"));
        assert!(!is_hoisted(
            " noalias",
            front,
            load,
            "  v5: i64 = convert.zext v1\n  store address[v5], v1, align=4\n"
        ));
        // Another work-item's store may be visible; each iteration reads another element; the loop may not be reached.
        assert!(!is_hoisted(" noalias", front, load, "  membarrier device acquire|release|global\n"));
        assert!(!is_hoisted(
            " noalias",
            front,
            load,
            "  v5: i32 = atomic.iadd arg1.i32[v0] (i32:1) device relaxed\n"
        ));
        assert!(!is_hoisted("", front, "  v2: i32 = load arg0.i32[v0], align=4 volatile\n", ""));
        assert!(!is_hoisted("", front, "  v2: i32 = load arg0.i32[v1], align=4\n", ""));
        assert!(!is_hoisted("", "  condbr v9, b1(i32:0), b3()\n", load, ""));
    }
}
