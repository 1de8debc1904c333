//! Vectors that a loop carries, and whose lanes decide its exit, become scalars. Drivers' compilers scalarise vectors, so that a lane
//! may be a counter.

use super::{MAX_STEPS_FOLLOWED, exits, risk::Loop};
use crate::ir::{
    BinaryOp, Block, Constant, Function, Inst, InstKind, Scalar, Terminator, Type, Value, ValueDef,
};
use crate::transform::cleanup;
use crate::transform::rewriter::{Rewriter, replace_each};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

type Lanes = SmallVec<[Value; 4]>;

/// The largest depth of vector constructions that is followed.
const DEPTH: u32 = 16;

/// Splits such vectors of a function. Returns false if there were none.
pub(super) fn part(f: &mut Function) -> bool {
    let carried = carried(f);
    if carried.is_empty() {
        return false;
    }
    // By block: the parameter's index, its lanes.
    let mut parted: FxHashMap<Block, Vec<(u16, Lanes)>> = FxHashMap::default();
    let mut wholes: FxHashMap<Value, Value> = FxHashMap::default();
    for &param in &carried {
        let (ValueDef::Param(block, n), ty) = (f.values[param].def, f.ty(param)) else { continue };
        let lane = Type::Scalar(ty.scalar().unwrap_or(Scalar::I32));
        let lanes: Lanes = (0..ty.lanes()).map(|_| f.add_param(block, lane)).collect();
        let whole = f.make_inst(InstKind::Construct(SmallVec::from_slice(&lanes)), &[ty]);
        f.blocks[block].insts.insert(0, whole);
        wholes.extend(f.insts[whole].results.first().map(|result| (param, *result)));
        parted.entry(block).or_default().push((n, lanes));
    }
    f.replace_uses(&wholes);
    let sums = sums(f, &parted);
    sums_by_lanes(f, &sums);
    for n in 0..f.layout.len() {
        let from = f.layout[n];
        let mut term = std::mem::replace(&mut f.blocks[from].term, Terminator::Unreachable);
        for target in term.targets_mut() {
            for (n, lanes) in parted.get(&target.block).into_iter().flatten() {
                let Some(&whole) = target.args.get(usize::from(*n)) else { continue };
                for (lane, param) in (0u8..).zip(lanes) {
                    let ty = f.ty(*param);
                    target.args.push(f.append(from, InstKind::Extract(whole, lane), ty));
                }
            }
        }
        f.blocks[from].term = term;
    }
    let carried: FxHashSet<Value> = carried.into_iter().collect();
    cleanup::drop_params(f, |param| !carried.contains(&param));
    let insts: Vec<Inst> = f.layout.iter().flat_map(|block| &f.blocks[*block].insts).copied().collect();
    let mut known: FxHashMap<Value, Value> = FxHashMap::default();
    for inst in insts {
        if let InstKind::Extract(from, n) = f.insts[inst].kind
            && let Some(lane) = lane(f, from, n)
        {
            known.extend(f.insts[inst].results.iter().map(|result| (*result, lane)));
        }
    }
    f.replace_uses(&known);
    // A lane that no round changes is known to the driver.
    cleanup::redundant_params(f);
    cleanup::dead_code(f);
    true
}

/// The parameters of blocks in loops that are vectors, and that a condition by which the loop is left comes from; in order.
fn carried(f: &mut Function) -> Vec<Value> {
    let cfg = f.cfg();
    let loops = cfg.loops();
    let mut found: Vec<Value> = Vec::new();
    for (index, data) in loops.loops.iter().enumerate() {
        let vectors = data.blocks.iter().flat_map(|block| &f.blocks[*block].params);
        if !vectors.clone().any(|param| matches!(f.ty(*param), Type::Vector(..))) {
            continue;
        }
        let of = Loop::new(f, &cfg, &loops, index);
        let mut work: Vec<Value> = exits(f, &loops, index, data).map(|(condition, _)| condition).collect();
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        while let Some(value) = work.pop() {
            if seen.len() > MAX_STEPS_FOLLOWED || !seen.insert(value) {
                continue;
            }
            match f.values[value].def {
                ValueDef::Param(block, n) if of.is_inside(block) => {
                    if matches!(f.ty(value), Type::Vector(..)) {
                        found.push(value);
                    }
                    work.extend(of.arguments(block, n).map(|(_, value)| value));
                }
                ValueDef::Inst(inst, _) => {
                    let kind = &f.insts[inst].kind;
                    let effects = kind.effects(f);
                    if !effects.writes && !effects.convergent {
                        work.extend(kind.values());
                    }
                }
                _ => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The sums of vectors, and the choices between them, that such parameters are given.
fn sums(f: &Function, parted: &FxHashMap<Block, Vec<(u16, Lanes)>>) -> FxHashSet<Inst> {
    let mut found = FxHashSet::default();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut work: Vec<Value> = Vec::new();
    for target in f.layout.iter().flat_map(|block| f.blocks[*block].term.targets()) {
        let places = parted.get(&target.block).into_iter().flatten();
        work.extend(places.filter_map(|(n, _)| target.args.get(usize::from(*n)).copied()));
    }
    while let Some(value) = work.pop() {
        let ValueDef::Inst(inst, _) = f.values[value].def else { continue };
        let kind = &f.insts[inst].kind;
        let is_sum = by_lanes(f, inst).is_some();
        let builds = matches!(kind, InstKind::Construct(_) | InstKind::Insert { .. } | InstKind::Shuffle(..));
        if seen.insert(value) && (is_sum || builds) {
            found.extend(is_sum.then_some(inst));
            work.extend(kind.values().filter(|v| matches!(f.ty(*v), Type::Vector(..))));
        }
    }
    found
}

/// Makes them of their lanes.
fn sums_by_lanes(f: &mut Function, sums: &FxHashSet<Inst>) {
    let wanted = |f: &Function, inst: Inst| by_lanes(f, inst).filter(|_| sums.contains(&inst));
    replace_each(f, wanted, |rw, _, (kind, operands, ty)| {
        InstKind::Construct((0..ty.lanes()).map(|n| one_lane(rw, &kind, operands, n)).collect())
    });
}

/// A sum of two vectors, or a choice between them.
fn by_lanes(f: &Function, inst: Inst) -> Option<(InstKind, [Value; 2], Type)> {
    use BinaryOp::{FAdd, FSub, IAdd, ISub};
    let kind = &f.insts[inst].kind;
    match *kind {
        InstKind::Binary(IAdd | ISub | FAdd | FSub, a, b) | InstKind::Select(_, a, b) => {
            let ty = f.ty(a);
            matches!(ty, Type::Vector(..)).then(|| (kind.clone(), [a, b], ty))
        }
        _ => None,
    }
}

fn one_lane(rw: &mut Rewriter<'_>, kind: &InstKind, operands: [Value; 2], n: u8) -> Value {
    let [a, b] = operands.map(|v| lane(rw.f, v, n).unwrap_or_else(|| rw.extract(v, n)));
    let zero = |v: Value| rw.f.const_bits(v) == Some(0) && rw.f.ty(v).scalar().is_some_and(Scalar::is_int);
    let kind = match *kind {
        InstKind::Binary(BinaryOp::IAdd | BinaryOp::ISub, ..) if zero(b) => return a,
        InstKind::Binary(BinaryOp::IAdd, ..) if zero(a) => return b,
        InstKind::Binary(op, ..) => InstKind::Binary(op, a, b),
        _ if a == b => return a,
        InstKind::Select(condition, ..) => InstKind::Select(rw.extract(condition, n), a, b),
        _ => return a,
    };
    let ty = rw.f.ty(a);
    rw.inst(kind, ty)
}

/// One lane of a vector, where that is a value of its own.
fn lane(f: &mut Function, mut vector: Value, mut n: u8) -> Option<Value> {
    for _ in 0..DEPTH {
        if let ValueDef::Const(Constant::Bits(bits)) = f.values[vector].def {
            let scalar = Type::Scalar(f.ty(vector).scalar()?);
            return Some(f.iconst(scalar, bits));
        }
        match &f.def_inst(vector)?.kind {
            InstKind::Construct(parts) => {
                let mut first = 0;
                let part = parts.iter().copied().find(|part| {
                    first += f.ty(*part).lanes();
                    n < first
                });
                // One number for all lanes.
                let part = part.or(parts.first().copied().filter(|_| parts.len() == 1))?;
                let lanes = f.ty(part).lanes();
                if lanes == 1 {
                    return Some(part);
                }
                (vector, n) = (part, n - (first - lanes));
            }
            InstKind::Insert { scalar, lane, .. } if *lane == n => return Some(*scalar),
            InstKind::Insert { vector: other, .. } => vector = *other,
            InstKind::Shuffle(a, b, mask) => {
                let from = mask.get(usize::from(n))?;
                let lanes = f.ty(*a).lanes();
                (vector, n) = if from < lanes { (*a, from) } else { (*b, from - lanes) };
            }
            _ => return None,
        }
    }
    None
}
