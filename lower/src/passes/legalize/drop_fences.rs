//! Fence removal: fences go from modules whose memory operations they cannot order, where a fence would be a barrier.
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

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{InstKind, Module, Semantics};

/// Removes the fences of a module.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    let kinds = || module.functions.values().flat_map(|f| f.insts.values().map(|i| &i.kind));
    if kinds().any(is_ordered) {
        return Ok(());
    }
    for function in module.functions.values_mut() {
        for block in function.layout.clone() {
            let mut insts = std::mem::take(&mut function.blocks[block].insts);
            insts.retain(|i| !is_fence(&function.insts[*i].kind));
            function.blocks[block].insts = insts;
        }
    }
    Ok(())
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
    use super::*;
    use crate::ir::{text, verify};
    use crate::{LowerOptions, Target};

    /// Returns whether a fence of a kind of memory is left beside an access.
    fn stays(access: &str, memory: &str) -> bool {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: ptr.global):\n  {access}\n  membarrier workgroup acquire|release|{memory}\n  \
             return()\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (target, options) = (Target::minimum(), LowerOptions::default());
        run(&mut module, &PassContext { target: &target, options: &options }).expect("never fails");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string().contains("membarrier")
    }

    #[test]
    fn fences_stay_beside_atomics_and_volatile_accesses() {
        assert!(!stays("v1: i32 = load [v0], align=4", "global"));
        assert!(stays("v1: i32 = load [v0], align=4 volatile", "global"));
        assert!(stays("v1: i32 = atomic.iadd [v0] (i32:1) device relaxed", "global"));
        assert!(stays("v1: i32 = load [v0], align=4", "image"));
    }
}
