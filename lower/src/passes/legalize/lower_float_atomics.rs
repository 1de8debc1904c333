//! Float atomics lowering: atomic operations on floats that the target lacks become compare-exchange loops.
//!
//! Each iteration computes the new value from the last value seen.
//! The loop ends when no other invocation changed the memory in between.
//!
//! ```text
//! old = atomic_fmax p, x        becomes        old = load p
//!                                              do { seen = old; old = cmpxchg p, seen, max(seen, x) } while (old != seen)
//! ```
//!
//! The pass handles 32 and 64 bits. Halves are parts of words, and `lower_addresses` handles those.
//! A float addition stays if the target has it.
//! A `__local` variable has one element type unless the target has explicit layouts.
//! Its additions then stay only if no other atomics access `__local` memory.
//!
//! SPIR-V's minimum and maximum give the number if one operand is a NaN.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    AtomicOp, BinaryOp, BranchTarget, FloatCC, Function, Inst, InstKind, IntCC, Module, Place, Scalar,
    Semantics, Space, Terminator, Type, Value,
};
use crate::target::Target;
use crate::transform::rewriter::{Rewriter, Site};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Runs the pass.
///
/// # Errors
/// None. All passes have this signature.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let typed = !cx.target.features.workgroup_memory_explicit_layout;
    let mixed = typed && module.functions.values().any(|f| insts(f).any(|i| moves_local_bits(f, i)));
    let has = Has { target: cx.target, mixed };
    for function in module.functions.values_mut() {
        if insts(function).any(|i| has.lacks(function, i)) {
            rewrite_function(function, has);
        }
    }
    Ok(())
}

fn insts(f: &Function) -> impl Iterator<Item = Inst> + '_ {
    f.layout.iter().flat_map(|b| f.blocks[*b].insts.iter().copied())
}

/// Returns whether an instruction is an integer atomic on memory that may be local.
fn moves_local_bits(f: &Function, inst: Inst) -> bool {
    match &f.insts[inst].kind {
        InstKind::Atomic { op, place: Place::Pointer(pointer), .. } => {
            *op != AtomicOp::FAdd && !matches!(f.ty(*pointer), Type::Ptr(Space::Global))
        }
        _ => false,
    }
}

/// The float atomics that the target has.
#[derive(Clone, Copy)]
struct Has<'a> {
    target: &'a Target,
    /// Variables of local memory may have integer atomics.
    mixed: bool,
}

impl Has<'_> {
    /// Returns whether an instruction is an atomic that the target lacks.
    fn lacks(self, f: &Function, inst: Inst) -> bool {
        let InstKind::Atomic { op, place: Place::Pointer(pointer), operands, .. } = &f.insts[inst].kind
        else {
            return false;
        };
        let scalar = operands.first().and_then(|v| f.ty(*v).scalar());
        let features = &self.target.features;
        let [buffer, shared] = match (op, scalar) {
            (AtomicOp::FAdd, Some(Scalar::F32)) => {
                [features.shader_buffer_float32_atomic_add, features.shader_shared_float32_atomic_add]
            }
            (AtomicOp::FAdd, Some(Scalar::F64)) => {
                [features.shader_buffer_float64_atomic_add, features.shader_shared_float64_atomic_add]
            }
            (AtomicOp::FMin | AtomicOp::FMax, Some(Scalar::F32 | Scalar::F64)) => [false; 2],
            // An atomic word of WGSL is signed or unsigned for all operations, and ours are unsigned.
            (AtomicOp::SMin | AtomicOp::SMax, Some(Scalar::I32)) if features.wgsl => [false; 2],
            _ => return false,
        };
        let shared = shared && !self.mixed;
        match f.ty(*pointer) {
            Type::Ptr(Space::Local) => !shared,
            Type::Ptr(Space::Global) => !buffer,
            _ => !(shared && buffer),
        }
    }
}

/// Returns whether an instruction may become a loop, here or (for halves) in `lower_addresses`.
pub(crate) fn may_loop(f: &Function, inst: Inst, target: &Target) -> bool {
    match &f.insts[inst].kind {
        InstKind::Atomic {
            op: AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax | AtomicOp::SMin | AtomicOp::SMax,
            operands,
            ..
        } => {
            let half = operands.first().is_some_and(|v| f.ty(*v).scalar() == Some(Scalar::F16));
            half || Has { target, mixed: true }.lacks(f, inst)
        }
        _ => false,
    }
}

fn rewrite_function(f: &mut Function, has: Has<'_>) {
    let mut map = FxHashMap::default();
    let mut layout = Vec::with_capacity(f.layout.len());
    for block in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        let mut site = Site { at: block, done: Vec::new() };
        for inst in insts {
            rw.at(inst);
            if !has.lacks(rw.f, inst) {
                rw.keep(inst);
                continue;
            }
            let old = rw.f.insts[inst].results.first().copied();
            if let Some((old, new)) = old.zip(compare_exchange_loop(&mut rw, &mut site, inst, has.target)) {
                map.insert(old, new);
            }
        }
        site.finish(&mut rw);
        layout.append(&mut site.done);
    }
    f.layout = layout;
    f.replace_uses(&map);
    crate::transform::cleanup::order_layout(f);
}

/// Emits the loop. Gives the old value.
fn compare_exchange_loop(
    rw: &mut Rewriter<'_>,
    site: &mut Site,
    inst: Inst,
    target: &Target,
) -> Option<Value> {
    let InstKind::Atomic { op, place, operands, scope, semantics } = rw.f.insts[inst].kind.clone() else {
        return None;
    };
    let operand = *operands.first()?;
    let ty = rw.f.ty(operand);
    let int = Type::Scalar(Scalar::int(ty.bytes())?);
    // The first load needs no ordering, because the compare-exchange checks its value.
    let load = InstKind::Atomic {
        op: AtomicOp::Load,
        place,
        operands: [][..].into(),
        scope,
        semantics: Semantics::empty(),
    };
    let first = rw.inst(load, int);
    let found = until_unchanged(rw, site, first, target, |rw, seen| {
        let old = rw.bitcast(seen, ty);
        let new = combined(rw, op, old, operand, operand);
        let new = rw.bitcast(new, int);
        let operands = [new, seen][..].into();
        rw.inst(InstKind::Atomic { op: AtomicOp::CompareExchange, place, operands, scope, semantics }, int)
    });
    Some(rw.bitcast(found, ty))
}

/// The attempts in one iteration of the loop for a driver that limits iterations.
/// Such a driver's vector has 8 work-items, and one of them succeeds at each attempt.
const ATTEMPTS: usize = 8;

/// Emits a loop of compare-exchanges. Each compares with the value seen before: `first`, then the result of the last one.
/// The loop ends when the result equals the compared value. Gives that value.
pub(crate) fn until_unchanged(
    rw: &mut Rewriter<'_>,
    site: &mut Site,
    first: Value,
    target: &Target,
    attempt: impl Fn(&mut Rewriter<'_>, Value) -> Value,
) -> Value {
    let ty = rw.f.ty(first);
    let (head, tail) = site.split(rw);
    let body = rw.f.new_detached_block();
    let (start, found) = (rw.f.add_param(body, ty), rw.f.add_param(tail, ty));
    let to = |block, value| BranchTarget { block, args: SmallVec::from_slice(&[value]) };
    rw.f.blocks[head].term = Terminator::Branch(to(body, first));
    let attempts = if target.quirks.max_iterations.is_some() { ATTEMPTS } else { 1 };
    let (mut block, mut seen) = (body, start);
    for n in 1..=attempts {
        let now = attempt(rw, seen);
        let done = rw.icmp(IntCC::Eq, now, seen);
        rw.finish_block(block);
        let (next, next_seen) = if n == attempts {
            (body, start)
        } else {
            let next = rw.f.new_detached_block();
            (next, rw.f.add_param(next, ty))
        };
        rw.f.blocks[block].term =
            Terminator::CondBranch { cond: done, then: to(tail, seen), els: to(next, now) };
        site.done.push(block);
        (block, seen) = (next, next_seen);
    }
    found
}

/// The value that an atomic operation stores in place of `old`.
pub(crate) fn combined(
    rw: &mut Rewriter<'_>,
    op: AtomicOp,
    old: Value,
    operand: Value,
    comparator: Value,
) -> Value {
    let ty = rw.f.ty(operand);
    let binary = |rw: &mut Rewriter<'_>, op: BinaryOp| rw.inst(InstKind::Binary(op, old, operand), ty);
    match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => operand,
        AtomicOp::CompareExchange => {
            let equal = rw.icmp(IntCC::Eq, old, comparator);
            rw.inst(InstKind::Select(equal, operand, old), ty)
        }
        AtomicOp::IAdd => binary(rw, BinaryOp::IAdd),
        AtomicOp::ISub => binary(rw, BinaryOp::ISub),
        AtomicOp::UMin => binary(rw, BinaryOp::UMin),
        AtomicOp::UMax => binary(rw, BinaryOp::UMax),
        AtomicOp::SMin => binary(rw, BinaryOp::SMin),
        AtomicOp::SMax => binary(rw, BinaryOp::SMax),
        AtomicOp::And => binary(rw, BinaryOp::And),
        AtomicOp::Or => binary(rw, BinaryOp::Or),
        AtomicOp::Xor => binary(rw, BinaryOp::Xor),
        AtomicOp::FAdd => binary(rw, BinaryOp::FAdd),
        // The operand replaces a NaN in memory. A NaN operand changes nothing.
        AtomicOp::FMin | AtomicOp::FMax => {
            let cc = if op == AtomicOp::FMin { FloatCC::OLt } else { FloatCC::OGt };
            let beyond = rw.inst(InstKind::FCmp(cc, operand, old), Type::BOOL);
            let nan = rw.inst(InstKind::FCmp(FloatCC::UNe, old, old), Type::BOOL);
            let taken = rw.inst(InstKind::Binary(BinaryOp::Or, beyond, nan), Type::BOOL);
            rw.inst(InstKind::Select(taken, operand, old), ty)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::{LowerOptions, Target};

    /// The function's atomics after the pass.
    fn after(op: &str, ty: &str, space: &str, target: &Target) -> Vec<AtomicOp> {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: ptr.{space}, v1: {ty}):\n  v2: {ty} = atomic.{op} [v0] (v1) device relaxed\n  \
             return(v2)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        run(&mut module, &PassContext { target, options: &LowerOptions::default() }).expect("never fails");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let (_, function) = module.functions.iter().next().expect("one");
        let insts = function.layout.iter().flat_map(|b| &function.blocks[*b].insts);
        insts
            .filter_map(|i| match function.insts[*i].kind {
                InstKind::Atomic { op, .. } => Some(op),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn native_atomics_stay() {
        let mut target = Target::minimum();
        let tried = [AtomicOp::Load, AtomicOp::CompareExchange];
        assert_eq!(after("fadd", "f32", "global", &target), tried);
        target.features.shader_shared_float32_atomic_add = true;
        assert_eq!(after("fadd", "f32", "local", &target), [AtomicOp::FAdd]);
        target.features.shader_shared_float32_atomic_add = false;
        target.features.shader_buffer_float32_atomic_add = true;
        assert_eq!(after("fadd", "f32", "global", &target), [AtomicOp::FAdd]);
        assert_eq!(after("fadd", "f32", "local", &target), tried);
        assert_eq!(after("fadd", "f32", "generic", &target), tried);
        assert_eq!(after("fadd", "f64", "global", &target), tried);
        assert_eq!(after("fmin", "f32", "global", &target), tried);
        // `lower_addresses` lowers parts of words.
        assert_eq!(after("fmax", "f16", "local", &target), [AtomicOp::FMax]);
    }
}
