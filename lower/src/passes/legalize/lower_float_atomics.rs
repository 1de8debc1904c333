//! Float atomics lowering: atomic operations on floats that the Target lacks become compare-exchange loops.
//!
//! Atomics of floats that the Target lacks are tried by compare-exchange: what is to be there is computed from what was seen, until
//! nobody else changed it in between. Of some 32 and 64 bits here; halves, which are parts of words, in `lower_addresses`.
//!
//! Additions are the Target's own where it has them; in `__local` memory, whose variables have one element type each unless the Target
//! has explicit layouts, where no other atomics are there. SPIR-V's minimum and maximum take the number where one operand is a NaN.

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
/// None; the result is that of every pass.
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

/// Whether an instruction is an atomic that works on integers in memory that may be local.
fn moves_local_bits(f: &Function, inst: Inst) -> bool {
    match &f.insts[inst].kind {
        InstKind::Atomic { op, place: Place::Pointer(pointer), .. } => {
            *op != AtomicOp::FAdd && !matches!(f.ty(*pointer), Type::Ptr(Space::Global))
        }
        _ => false,
    }
}

/// What atomics of floats the Target has.
#[derive(Clone, Copy)]
struct Has<'a> {
    target: &'a Target,
    /// Variables of local memory may have atomics of integers.
    mixed: bool,
}

impl Has<'_> {
    /// Whether an instruction is an atomic that the Target lacks.
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

/// Whether an instruction may become a loop, here or, of halves, in `lower_addresses`.
pub(crate) fn may_loop(f: &Function, inst: Inst, target: &Target) -> bool {
    match &f.insts[inst].kind {
        InstKind::Atomic { op: AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax, operands, .. } => {
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
            if let Some((old, new)) = old.zip(tried(&mut rw, &mut site, inst, has.target)) {
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

/// The loop: gives what was there before.
fn tried(rw: &mut Rewriter<'_>, site: &mut Site, inst: Inst, target: &Target) -> Option<Value> {
    let InstKind::Atomic { op, place, operands, scope, semantics } = rw.f.insts[inst].kind.clone() else {
        return None;
    };
    let operand = *operands.first()?;
    let ty = rw.f.ty(operand);
    let int = Type::Scalar(Scalar::int(ty.bytes())?);
    // What is seen at first orders nothing: it is compared.
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

/// How many tries a turn of a loop has where a driver counts turns: as many as there are work-items in a vector of such a driver's,
/// of which one succeeds at each.
const TRIES: usize = 8;

/// A loop of compare-exchanges, each on what was seen before (`first`, then what the last one gave), until one gives what it compared
/// with: gives that.
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
    let tries = if target.quirks.most_turns.is_some() { TRIES } else { 1 };
    let (mut block, mut seen) = (body, start);
    for n in 1..=tries {
        let now = attempt(rw, seen);
        let done = rw.icmp(IntCC::Eq, now, seen);
        rw.finish_block(block);
        let (next, next_seen) = if n == tries {
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

/// What an atomic operation leaves where `old` was.
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
        // A NaN in memory gives way to the operand, one that is the operand changes nothing.
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
    fn what_the_target_has_stays() {
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
        // Parts of words: `lower_addresses`.
        assert_eq!(after("fmax", "f16", "local", &target), [AtomicOp::FMax]);
    }
}
