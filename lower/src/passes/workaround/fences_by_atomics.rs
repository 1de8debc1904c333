//! Fence replacement: fences and ordered atomics become read-modify-writes if a driver takes any memory order for an execution barrier.
//!
//! ```text
//! membarrier device acquire|release|global              →    v1: i32 = atomic.iadd [local variable] (i32:0) workgroup relaxed
//! v0: i32 = atomic.load [v9] () device acquire|global   →    v0: i32 = atomic.compareexchange [v9] (i32:0, i32:0) device relaxed
//! ```
//!
//! Work-items need not meet at a fence (OpenCL C §6.15.8.1, `atomic_work_item_fence`) nor at an atomic. Work-items that left a loop never reach a
//! fence in it again, and the others are not resumed by such a driver. Its read-modify-writes are sequentially consistent without an order.
//!
//! - A fence becomes an addition of 0 to work-group memory. A fitting variable of the function is used, else a new one of four bytes. So a kernel
//!   that uses all local memory loses none of it.
//! - A sub-group barrier whose memory scope is wider (LLVM's translator gives each one the work-group's) keeps the sub-group's scope, behind such
//!   an addition.
//! - An ordered load becomes a compare-exchange of 0 for 0, an ordered store an exchange.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    AtomicOp, Function, GlobalVar, GlobalVarData, Inst, InstKind, Module, Place, Root, Scalar, Scope,
    Semantics, Space, Type, Value,
};
use crate::transform::rewriter::Rewriter;

/// Rewrites fences and ordered atomics of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    rewrite_orders(module);
    Ok(())
}

fn rewrite_orders(module: &mut Module) {
    let own: Vec<GlobalVar> = module
        .globals
        .iter()
        .filter(|(_, var)| var.space == Space::Local && var.size >= 4 && var.align >= 4)
        .map(|(id, _)| id)
        .collect();
    let mut added = None;
    for function in module.functions.values_mut() {
        if !function.insts.values().any(|i| has_order(&i.kind)) {
            continue;
        }
        let fence = function.insts.values().find_map(|i| match i.kind {
            InstKind::RootAddr(Root::Global(var)) if own.contains(&var) => Some(var),
            _ => None,
        });
        let globals = &mut module.globals;
        let mut fence =
            || fence.unwrap_or_else(|| *added.get_or_insert_with(|| globals.push(fence_variable())));
        rewrite_function(function, &mut fence);
    }
}

fn fence_variable() -> GlobalVarData {
    GlobalVarData { name: "fence".to_owned(), space: Space::Local, size: 4, align: 4, init: None }
}

/// Returns whether an instruction has an order that this pass replaces.
fn has_order(kind: &InstKind) -> bool {
    match kind {
        InstKind::MemBarrier { memory, semantics } => *memory != Scope::Invocation && orders(*semantics),
        InstKind::Atomic { semantics, .. } => orders(*semantics),
        InstKind::Barrier { execution: Scope::Subgroup, memory, semantics } => {
            !matches!(memory, Scope::Subgroup | Scope::Invocation) && orders(*semantics)
        }
        _ => false,
    }
}

fn orders(semantics: Semantics) -> bool {
    semantics.intersects(Semantics::ACQUIRE | Semantics::RELEASE | Semantics::SEQ_CST)
}

fn rewrite_function(function: &mut Function, fence: &mut dyn FnMut() -> GlobalVar) {
    for block in function.layout.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        for inst in insts {
            rw.at(inst);
            if !has_order(&rw.f.insts[inst].kind) {
                rw.keep(inst);
            } else if let InstKind::Atomic { op, .. } = rw.f.insts[inst].kind {
                order_itself(&mut rw, inst, op);
            } else if let InstKind::Barrier { memory, .. } = &mut rw.f.insts[inst].kind {
                *memory = Scope::Subgroup;
                add_nothing(&mut rw, fence());
                rw.keep(inst);
            } else {
                add_nothing(&mut rw, fence());
            }
        }
        rw.finish_block(block);
    }
}

/// The fence: an addition of 0 to the variable.
fn add_nothing(rw: &mut Rewriter<'_>, variable: GlobalVar) {
    let word = Type::Scalar(Scalar::I32);
    let pointer = rw.inst(InstKind::RootAddr(Root::Global(variable)), Type::Ptr(Space::Local));
    let zero = rw.iconst(word, 0);
    let kind = InstKind::Atomic {
        op: AtomicOp::IAdd,
        place: Place::Pointer(pointer),
        operands: [zero][..].into(),
        scope: Scope::Workgroup,
        semantics: Semantics::empty(),
    };
    rw.inst(kind, word);
}

/// An atomic with an order becomes a read-modify-write without one. Those that only move bits work on integers.
fn order_itself(rw: &mut Rewriter<'_>, inst: Inst, was: AtomicOp) {
    let result = rw.f.insts[inst].results.first().copied();
    let InstKind::Atomic { place, operands, scope, semantics, .. } = &mut rw.f.insts[inst].kind else {
        return;
    };
    *semantics = Semantics::empty();
    let (place, scope, operand) = (*place, *scope, operands.first().copied());
    let moved = |rw: &mut Rewriter<'_>, op, operands: &[Value], ty| {
        let operands = operands.into();
        rw.inst(InstKind::Atomic { op, place, operands, scope, semantics: Semantics::empty() }, ty)
    };
    match (was, result, operand) {
        (AtomicOp::Load, Some(result), _) => {
            let ty = integer(rw.f.ty(result));
            let zero = rw.iconst(ty, 0);
            let bits = moved(rw, AtomicOp::CompareExchange, &[zero, zero], ty);
            rw.f.insts[inst].kind = InstKind::Bitcast(bits);
            rw.keep(inst);
        }
        (AtomicOp::Store, _, Some(value)) => {
            let ty = integer(rw.f.ty(value));
            let bits = rw.bitcast(value, ty);
            moved(rw, AtomicOp::Exchange, &[bits], ty);
        }
        _ => rw.keep(inst),
    }
}

/// The integers of a scalar's size.
fn integer(ty: Type) -> Type {
    ty.scalar().and_then(|s| Scalar::int(s.bytes())).map_or(ty, Type::Scalar)
}
