//! Sequential consistency: each seq_cst operation first increments one hidden word of the device, because Vulkan has no such order.
//!
//! docs/explanation/memory-model.md has the argument, from the texts of the two specifications.
//!
//! It changes modules with a sequentially consistent atomic or fence. It puts an atomic increment before each of these:
//! - every sequentially consistent atomic and fence;
//! - everything that releases: atomic stores and read-modify-writes, fences and control barriers.
//!   A chain of releases and acquires between two sequentially consistent operations may not bypass their order.
//!
//! ```text
//! atomic_store seq_cst p, x        becomes        atomic_inc acq_rel sequence; atomic_store seq_cst p, x
//! ```
//!
//! The word is in global memory ([`Root::Sequence`]).
//! It is a variable of the program if the launching side has none for all programs.
//! The increment acquires and releases at device scope, for all memories that the module's orders name.
//!
//! The increments of one word are totally ordered, and each sees what came before the previous one.
//! There is thus an increment between any two operations of a work-item whose order others can see.
//! Sequentially consistent operations order local and global memory alike (OpenCL API §3.3.6.1, "Memory Ordering Rules").
//!
//! Control barriers are not part of the order themselves: OpenCL C gives them none.
//! An order on a barrier in foreign SPIR-V says more than a barrier means.

use crate::ir::{
    AtomicOp, Function, GlobalVarData, InstKind, Module, Place, Root, Scalar, Scope, Semantics, Space, Type,
};
use crate::transform::rewriter::Rewriter;

/// The hidden variable's name.
const NAME: &str = "sequence";

/// Adds the increments to a module. The device has the word if it is `shared`, else the program.
pub(super) fn lower(module: &mut Module, shared: bool) {
    if !module.functions.values().any(|f| f.insts.values().any(|i| is_sequential(&i.kind))) {
        return;
    }
    let word = if shared {
        Root::Sequence
    } else {
        let own =
            GlobalVarData { name: NAME.to_owned(), space: Space::Global, size: 4, align: 4, init: None };
        Root::Global(module.globals.push(own))
    };
    for function in module.functions.values_mut() {
        if function.insts.values().any(|i| needs_increment(&i.kind)) {
            rewrite_function(function, word);
        }
    }
}

/// Returns whether an operation is part of the total order.
fn is_sequential(kind: &InstKind) -> bool {
    match kind {
        InstKind::Atomic { semantics, .. } => semantics.contains(Semantics::SEQ_CST),
        InstKind::MemBarrier { memory, semantics } => {
            *memory != Scope::Invocation && semantics.contains(Semantics::SEQ_CST)
        }
        _ => false,
    }
}

/// Returns whether an operation needs an increment before it.
fn needs_increment(kind: &InstKind) -> bool {
    let releases = match kind {
        InstKind::Atomic { op, semantics, .. } => {
            *op != AtomicOp::Load && semantics.contains(Semantics::RELEASE)
        }
        InstKind::MemBarrier { memory, semantics } => {
            *memory != Scope::Invocation && semantics.contains(Semantics::RELEASE)
        }
        InstKind::Barrier { semantics, .. } => semantics.contains(Semantics::RELEASE),
        _ => false,
    };
    releases || is_sequential(kind)
}

fn rewrite_function(function: &mut Function, word: Root) {
    let memories = Semantics::GLOBAL | Semantics::LOCAL;
    for block in function.layout.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        rw.reserve(insts.len());
        for inst in insts {
            rw.at(inst);
            if needs_increment(&rw.f.insts[inst].kind) {
                let sequential = is_sequential(&rw.f.insts[inst].kind);
                let mut images = Semantics::empty();
                if let InstKind::Atomic { semantics, .. }
                | InstKind::MemBarrier { semantics, .. }
                | InstKind::Barrier { semantics, .. } = &mut rw.f.insts[inst].kind
                {
                    images = *semantics & Semantics::IMAGE;
                    if sequential {
                        *semantics |= memories;
                    }
                }
                increment(&mut rw, word, memories | images);
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
    }
}

/// Emits the increment. It is not by 0, because a compiler may turn that into a load.
fn increment(rw: &mut Rewriter<'_>, word: Root, memories: Semantics) {
    let int = Type::Scalar(Scalar::I32);
    let pointer = rw.inst(InstKind::RootAddr(word), Type::Ptr(Space::Global));
    let one = rw.iconst(int, 1);
    let kind = InstKind::Atomic {
        op: AtomicOp::IAdd,
        place: Place::Pointer(pointer),
        operands: [one][..].into(),
        scope: Scope::Device,
        semantics: Semantics::ACQUIRE | Semantics::RELEASE | memories,
    };
    rw.inst(kind, int);
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use super::*;
    use crate::context::PassContext;
    use crate::ir::{text, verify};
    use crate::{LowerOptions, Target};

    #[test]
    fn the_device_provides_the_word_if_it_can() {
        let source = "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: ptr.global):\n  v1: i32 = atomic.iadd [v0] (i32:1) device \
                      acquire|release|seq_cst|global\n  return()\n";
        for shared in [false, true] {
            let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
            let mut target = Target::minimum();
            target.features.shared_sequence = shared;
            run(&mut module, &PassContext { target: &target, options: &LowerOptions::default() })
                .expect("never fails");
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            let text = module.to_string();
            assert_eq!(
                (module.globals.len(), text.contains("rootaddr sequence")),
                (usize::from(!shared), shared),
                "{text}"
            );
        }
    }

    /// The orders of a function's atomics and fences after the pass, with `+` for each increment.
    fn after(body: &str, target: &Target) -> String {
        let source =
            format!("module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: ptr.global):\n{body}  return()\n");
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let options = LowerOptions::default();
        run(&mut module, &PassContext { target, options: &options }).expect("never fails");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let (_, function) = module.functions.iter().next().expect("one");
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        let letter = |kind: &InstKind| match kind {
            InstKind::Atomic { place: Place::Pointer(p), .. }
                if matches!(
                    function.def_inst(*p).map(|i| &i.kind),
                    Some(InstKind::RootAddr(Root::Global(_) | Root::Sequence))
                ) =>
            {
                Some('+')
            }
            InstKind::Atomic { op: AtomicOp::Load, .. } => Some('l'),
            InstKind::Atomic { op: AtomicOp::Store, .. } => Some('s'),
            InstKind::Atomic { .. } => Some('m'),
            InstKind::MemBarrier { .. } => Some('f'),
            InstKind::Barrier { .. } => Some('b'),
            _ => None,
        };
        insts.filter_map(|i| letter(&function.insts[*i].kind)).collect()
    }

    const LOAD: &str = "  v1: i32 = atomic.load [v0] () device acquire|release|seq_cst|global\n";
    const STORE: &str = "  atomic.store [v0] (i32:1) device release|global\n";
    const RELAXED: &str = "  atomic.store [v0] (i32:1) device relaxed\n";
    const ACQUIRE: &str = "  v2: i32 = atomic.load [v0] () device acquire|global\n";
    const ADD: &str = "  v3: i32 = atomic.iadd [v0] (i32:1) device acquire|release|global\n";
    const FENCE: &str = "  membarrier device acquire|release|seq_cst|global\n";
    const BARRIER: &str = "  barrier workgroup workgroup acquire|release|local\n";

    #[test]
    fn sequential_operations_and_releases_get_increments() {
        let mut target = Target::minimum();
        let all = [LOAD, STORE, RELAXED, ACQUIRE, ADD, BARRIER].concat();
        assert_eq!(after(&all, &target), "+l+ssl+m+b");
        assert_eq!(after(&[FENCE, RELAXED, STORE].concat(), &target), "+fs+s");
        // A module without sequentially consistent operations needs no increments.
        assert_eq!(after(&[STORE, ADD, BARRIER].concat(), &target), "smb");
        target.quirks.atomics_order_themselves = true;
        assert_eq!(after(&all, &target), "lsslmb");
    }
}
