//! Opaque induction steps: counters that may wrap around get an opaque step, because drivers compute a wrong trip count for them.
//!
//! Compilers compute the trip count of a loop such as `while (i >= end) i += 5` from the start, the end and the step, to unroll it:
//!
//! - Mesa (22.3 and 25.0) does so for constants. It finds some iteration after which the test fails, not the first, and takes products
//!   for sums of floats. It is wrong if the counter wraps around first, and in `for (float x = 0; x <= 6.6f; x += 0.3f)` (22 iterations
//!   instead of 23).
//! - NVIDIA (580) assumes that an integer does not wrap, even if start and end are known only at run time.
//!   Its count is also wrong for counters that fall to the negative of a value, such as `for (i = m; i >= -m; i--)`.
//!
//! Neither computes a trip count from an opaque step:
//!
//! ```text
//! v6 = iadd v3, i32:5        →        v5 = xor i32:5, opaque_zero;  v6 = iadd v3, v5
//! ```
//!
//! NVIDIA executes some loops with an unroll hint wrongly, whatever the step is. They lose the hint. Such loops exit by a
//! loop-invariant condition, or at the end of an iteration by a counter that may move away from its end.
//!
//! The step becomes opaque if the counter moves away from the end, or may wrap before it ([`risk`]). Ordinary loops are proven harmless
//! and not changed. Lanes of vectors count as counters too ([`carried`]).

mod carried;
mod risk;

use crate::ir::cfg::{LoopData, Loops};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BranchTarget, ConvertOp, FloatCC, Function, Inst, InstKind, IntCC, Scalar, Terminator,
    Type, UNHINTED, UnaryOp, Value, ValueDef,
};
use crate::transform::rewriter::{Rewriter, replace_each};
use risk::Loop;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The largest number of values that are followed from a loop's end to its counter, and through a condition.
const MAX_STEPS_FOLLOWED: usize = 32;

/// Makes the steps of one function's loops opaque.
pub fn make_steps_opaque(function: &mut Function) {
    if function.layout.len() < 2 {
        return;
    }
    carried::part(function);
    let cfg = function.cfg();
    let loops = cfg.loops();
    let mut sites: FxHashMap<Inst, Value> = FxHashMap::default();
    let mut headers: Vec<Block> = Vec::new();
    for (index, data) in loops.loops.iter().enumerate() {
        let found = Loop::new(function, &cfg, &loops, index);
        let mut counters: Option<Vec<Counter>> = None;
        for (condition, exits_when) in exits(function, &loops, index, data) {
            if found.exits_on_invariant(condition, data) {
                headers.push(data.header);
            }
            for test in tests(&found, condition, exits_when) {
                let counters = counters.get_or_insert_with(|| counters_of(&found, data));
                for counter in counters.iter() {
                    if found.may_be_miscounted(counter, &test) {
                        headers.push(data.header);
                        sites.extend(counter.adds.iter().map(|(inst, step)| (*inst, *step)));
                    } else if found.may_be_unrolled_wrongly(counter, &test) {
                        headers.push(data.header);
                    }
                }
            }
        }
    }
    for header in headers {
        function.blocks[header].loop_control = UNHINTED;
    }
    if sites.is_empty() {
        return;
    }
    log::debug!("{}: {} steps of counters are hidden", function.name, sites.len());
    // Constant steps become opaque once, at the start.
    let entry = function.entry();
    let mut constants: Vec<Value> =
        sites.values().copied().filter(|step| function.const_bits(*step).is_some()).collect();
    constants.sort_unstable();
    constants.dedup();
    let mut rw = Rewriter::new(function);
    let opaque: FxHashMap<Value, Value> = constants.into_iter().map(|step| (step, rw.opaque(step))).collect();
    let first = rw.take();
    function.blocks[entry].insts.splice(0..0, first);
    let step = |_: &Function, inst: Inst| sites.get(&inst).copied();
    replace_each(function, step, |rw, inst, step| {
        let own = opaque.get(&step).copied().unwrap_or_else(|| rw.opaque(step));
        let mut kind = rw.f.insts[inst].kind.clone();
        kind.map_values(|v| if v == step { own } else { v });
        kind
    });
}

/// A parameter of a loop's header that each round adds something to.
pub(crate) struct Counter {
    param: Value,
    /// Its first value, if there is one.
    start: Option<Value>,
    /// The sums, and what they add.
    adds: SmallVec<[(Inst, Value); 2]>,
}

/// How a loop's end compares with what may be its counter.
pub(crate) enum Relation {
    Int(IntCC),
    Float(FloatCC),
}

/// A comparison by which a loop is left: where `value` compares so with `end`.
pub(crate) struct Test {
    value: Value,
    relation: Relation,
    end: Value,
}

/// The conditions by which a loop is left, and whether it is where they hold.
fn exits<'a>(
    function: &'a Function,
    loops: &'a Loops,
    index: usize,
    data: &'a LoopData,
) -> impl Iterator<Item = (Value, bool)> + 'a {
    let inside = move |t: &BranchTarget| loops.contains(index, t.block);
    data.blocks.iter().filter_map(move |block| match &function.blocks[*block].term {
        Terminator::CondBranch { cond, then, els } if inside(then) != inside(els) => {
            Some((*cond, !inside(then)))
        }
        _ => None,
    })
}

/// The comparisons in a condition, each with either operand as the possible counter.
fn tests(found: &Loop<'_>, condition: Value, exits_when: bool) -> Vec<Test> {
    let f = found.function;
    let mut list = Vec::new();
    let mut work: Vec<(Value, bool)> = vec![(condition, exits_when)];
    let mut seen: FxHashSet<(Value, bool)> = FxHashSet::default();
    while let Some((condition, holds)) = work.pop() {
        if seen.len() > MAX_STEPS_FOLLOWED || !seen.insert((condition, holds)) {
            continue;
        }
        if let ValueDef::Param(block, n) = f.values[condition].def {
            if found.is_inside(block) {
                work.extend(found.arguments(block, n).map(|(_, value)| (value, holds)));
            }
            continue;
        }
        match f.def_inst(condition).map(|inst| &inst.kind) {
            Some(InstKind::Unary(UnaryOp::Not, a)) => work.push((*a, !holds)),
            Some(InstKind::Binary(BinaryOp::And | BinaryOp::Or, a, b)) => {
                work.extend([(*a, holds), (*b, holds)])
            }
            Some(InstKind::Select(_, a, b)) => work.extend([(*a, holds), (*b, holds)]),
            Some(InstKind::ICmp(cc, a, b)) => {
                let cc = if holds { *cc } else { fold::not_icmp(*cc) };
                for (cc, value, end) in [(cc, *a, *b), (fold::swap_icmp(cc), *b, *a)] {
                    list.push(Test { value, relation: Relation::Int(cc), end });
                }
            }
            Some(InstKind::FCmp(cc, a, b)) => {
                let cc = if holds { *cc } else { fold::not_fcmp(*cc) };
                for (cc, value, end) in [(cc, *a, *b), (fold::swap_fcmp(cc), *b, *a)] {
                    list.push(Test { value, relation: Relation::Float(cc), end });
                }
            }
            _ => {}
        }
    }
    list
}

/// The value whose low bits a value is, with their number and whether they are sign-extended: counters of small integers in words.
pub(crate) fn narrowed(f: &Function, value: Value) -> (Value, Option<(u32, bool)>) {
    let whole = (value, None);
    let Some(inst) = f.def_inst(value) else { return whole };
    let width = f.ty(value).scalar().map_or(0, Scalar::bits);
    match inst.kind {
        InstKind::Binary(BinaryOp::And, x, mask) => match f.const_bits(mask) {
            Some(mask) if mask.wrapping_add(1).is_power_of_two() && mask >= 255 => {
                (x, Some((mask.trailing_ones(), false)))
            }
            _ => whole,
        },
        InstKind::Binary(BinaryOp::AShr, high, by) => match f.def_inst(high).map(|inst| &inst.kind) {
            Some(InstKind::Binary(BinaryOp::Shl, x, up)) if *up == by => match f.const_bits(by) {
                Some(by) if by > 0 && by + 8 <= width.into() => (*x, Some((width - by as u32, true))),
                _ => whole,
            },
            _ => whole,
        },
        InstKind::Convert {
            op: op @ (ConvertOp::SExt | ConvertOp::ZExt), value, saturate: false, ..
        } => match f.def_inst(value).map(|inst| &inst.kind) {
            Some(InstKind::Convert { op: ConvertOp::Trunc, value: x, saturate: false, .. })
                if f.ty(*x).scalar().map(Scalar::bits) == Some(width) =>
            {
                let bits = f.ty(value).scalar().map_or(width, Scalar::bits);
                (*x, Some((bits, op == ConvertOp::SExt)))
            }
            _ => whole,
        },
        _ => whole,
    }
}

/// The counters of a loop.
fn counters_of(found: &Loop<'_>, data: &LoopData) -> Vec<Counter> {
    let f = found.function;
    let params = f.blocks[data.header].params.iter().enumerate();
    let scalars = params.filter(|(_, param)| matches!(f.ty(**param), Type::Scalar(s) if s != Scalar::Bool));
    scalars
        .filter_map(|(n, param)| {
            let (back, first): (Vec<_>, Vec<_>) =
                found.arguments(data.header, n as u16).partition(|(from, _)| found.is_inside(*from));
            let adds = sums(found, *param, back.into_iter().map(|(_, value)| value).collect())?;
            let start = first.first().map(|(_, value)| *value);
            let start = start.filter(|start| first.iter().all(|(_, value)| value == start));
            Some(Counter { param: *param, start, adds })
        })
        .collect()
}

/// The sums of a parameter and something that values are, or are chosen from; `None` where there are other ones.
fn sums(found: &Loop<'_>, param: Value, mut work: Vec<Value>) -> Option<SmallVec<[(Inst, Value); 2]>> {
    let f = found.function;
    let is_param = |value: Value| narrowed(f, value).0 == param;
    let mut adds = SmallVec::new();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        match f.values[value].def {
            ValueDef::Param(block, n) if found.is_inside(block) && value != param => {
                if seen.len() > MAX_STEPS_FOLLOWED {
                    return None;
                }
                work.extend(found.arguments(block, n).map(|(_, value)| value));
            }
            ValueDef::Inst(inst, _) => {
                use BinaryOp::{FAdd, FSub, IAdd, ISub};
                adds.push(match f.insts[inst].kind {
                    InstKind::Binary(IAdd | FAdd | ISub | FSub, a, step)
                        if is_param(a) && !is_param(step) =>
                    {
                        (inst, step)
                    }
                    InstKind::Binary(IAdd | FAdd, step, a) if is_param(a) && !is_param(step) => (inst, step),
                    _ => return None,
                });
            }
            _ => return None,
        }
    }
    (!adds.is_empty()).then_some(adds)
}

#[cfg(test)]
mod tests;
