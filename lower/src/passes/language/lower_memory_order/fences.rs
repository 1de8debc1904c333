//! Fence removal for WGSL: fences go from modules whose memory operations they cannot order, where a fence would be a barrier.
//!
//! ```text
//! membarrier workgroup acquire|release|global    →    (nothing, if the module has neither atomics nor volatile accesses)
//! ```
//!
//! A fence synchronizes with another one through an atomic object (OpenCL C §6.15.12.4, "Fences"). Without an atomic, another work-item's
//! access of the same memory races, or a barrier is between the two, which orders memory itself. Programs that wait for plain memory mark it
//! `volatile`.
//!
//! WGSL has no fences. naga writes them as barriers, which must be in uniform control flow.

use crate::LowerOptions;
use crate::ir::{InstKind, Module, Semantics};
use crate::passes::language::dead_functions;

/// Removes the fences of a module, unless a wanted kernel reaches an atomic or a volatile access.
pub(super) fn remove(module: &mut Module, options: &LowerOptions) {
    let live = dead_functions::live_functions(module, options, true);
    let mut kinds = live.iter().flat_map(|f| module.functions[*f].insts.values().map(|i| &i.kind));
    if kinds.any(is_ordered) {
        return;
    }
    for function in module.functions.values_mut() {
        for block in function.layout.clone() {
            let mut insts = std::mem::take(&mut function.blocks[block].insts);
            insts.retain(|i| !is_fence(&function.insts[*i].kind));
            function.blocks[block].insts = insts;
        }
    }
}

/// Returns whether another work-item may notice in which order an instruction accesses memory.
fn is_ordered(kind: &InstKind) -> bool {
    match kind {
        InstKind::Atomic { .. } => true,
        InstKind::Load { flags, .. } | InstKind::Store { flags, .. } | InstKind::Copy { flags, .. } => {
            flags.volatile
        }
        _ => false,
    }
}

/// A fence of memory. Images are left out: a work-item reads what it wrote to one behind a fence only (OpenCL C §6.15.8.2).
fn is_fence(kind: &InstKind) -> bool {
    matches!(kind, InstKind::MemBarrier { semantics, .. } if !semantics.contains(Semantics::IMAGE))
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use crate::context::PassContext;
    use crate::ir::{text, verify};
    use crate::{LowerOptions, Target};

    /// Returns whether a fence of a kind of memory is left beside an access, in WGSL or not. An unwanted kernel has an atomic.
    fn stays(access: &str, memory: &str, wgsl: bool) -> bool {
        let arg = "  arg \"p\" \"int*\" () pointer global\n";
        let source = format!(
            "module read bits=64\nkernel \"k\" f0\n{arg}kernel \"other\" f1\n{arg}\
             func f0 \"k\" returns ()\nb0(v0: ptr.global):\n  {access}\n  membarrier workgroup acquire|release|{memory}\n  return()\n\
             func f1 \"other\" returns ()\nb0(v0: ptr.global):\n  v1: i32 = atomic.iadd [v0] (i32:1) device relaxed\n  return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (mut target, mut options) = (Target::minimum(), LowerOptions::default());
        target.features.wgsl = wgsl;
        options.kernels = Some(vec!["k".to_owned()]);
        run(&mut module, &PassContext { target: &target, options: &options }).expect("never fails");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string().contains("membarrier")
    }

    #[test]
    fn fences_stay_beside_atomics_and_volatile_accesses() {
        assert!(!stays("v1: i32 = load [v0], align=4", "global", true));
        assert!(stays("v1: i32 = load [v0], align=4", "global", false));
        assert!(stays("v1: i32 = load [v0], align=4 volatile", "global", true));
        assert!(stays("v1: i32 = atomic.iadd [v0] (i32:1) device relaxed", "global", true));
        assert!(stays("v1: i32 = load [v0], align=4", "image", true));
    }
}
