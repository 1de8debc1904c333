//! Runtime unrolling that batches loads: several iterations test first, then load, then compute, so that their loads are in flight together.
//!
//! A loop such as `for (i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];` waits for memory in each iteration: the next load
//! comes behind the next test. The tests of several iterations can run at once where they do not depend on the loads. If all of them continue,
//! the loads of these iterations come first, and then the rest:
//!
//! ```text
//! while (i < n && i + s < n && i + 2 * s < n && …) { a = x[i]; b = x[i + s]; …; sum += a; sum += b; …; i += 8 * s; }
//! while (i < n) { sum += x[i]; i += s; }
//! ```
//!
//! Every test is made, and none is inferred from another, because steps may wrap. Nothing is loaded that the loop would not have loaded, and
//! sums keep their order. The original loop stays for the remaining iterations.
//!
//! It applies to innermost loops of a test and one block that only loads and computes. A load may depend on other loads of its iteration
//! (`x[index[i]]`), not on those of the iteration before.
//!
//! NVIDIA's driver batches four iterations where the step is a constant, and none elsewhere: the sum above took 3.1 times as long as by
//! NVIDIA's OpenCL on an H200. Loops of constant step (an FFT's, a matrix product's) are better left to it.

use crate::analysis::loops::constant_step;
use crate::ir::cfg::{Cfg, LoopData};
use crate::ir::{
    BinaryOp, Block, BranchTarget, Function, Inst, InstKind, Place, Space, Terminator, Type, Value, ValueDef,
};
use crate::transform::cleanup;
use crate::transform::clone::Region;
use crate::transform::loops::{self, DONT_UNROLL};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of loads in flight at once.
const MAX_LOADS: usize = 8;
/// Limit on the iterations of one batch.
const MAX_ITERATIONS: usize = 8;
/// Limit on the instructions of one batch.
const MAX_INSTRUCTIONS: usize = 320;

/// Batches the loads in loops of a function, and returns whether there were any.
pub fn batch_loads(function: &mut Function) -> bool {
    if function.layout.len() < 3 {
        return false;
    }
    let Some((cfg, forest)) = function.loops() else { return false };
    let plans: Vec<Plan> = forest.loops.iter().filter_map(|data| Plan::new(function, &cfg, data)).collect();
    let mut any = false;
    for plan in plans {
        let mark = function.mark();
        match plan.make_batch(function) {
            Some(made) => {
                plan.insert_blocks(function, made);
                any = true;
            }
            None => function.forget_since(mark),
        }
    }
    if any {
        cleanup::order_layout(function);
        function.simplified = false;
    }
    any
}

/// A loop whose iterations can be batched.
struct Plan {
    header: Block,
    body: Block,
    /// The loop's test, and whether the loop continues where it holds.
    test: Value,
    continues: bool,
    /// The header's parameters in the next iteration.
    next: Vec<Value>,
    /// The instructions, in order, that compute the test and the parameters that it depends on.
    deciding: Vec<Inst>,
    /// The number of iterations in a batch.
    count: usize,
}

/// The blocks of a batch: its tests, and its work.
struct Made {
    tests: Block,
    work: Block,
    /// True if all iterations of the batch take place.
    all: Value,
    /// The parameters behind the last iteration.
    last: Vec<Value>,
}

impl Plan {
    fn new(function: &Function, cfg: &Cfg, data: &LoopData) -> Option<Plan> {
        let [header, body] = data.blocks[..] else { return None };
        let (head, code) = (&function.blocks[header], &function.blocks[body]);
        if head.loop_control & DONT_UNROLL != 0 || cfg.preds(body) != [header] || !code.params.is_empty() {
            return None;
        }
        let Terminator::CondBranch { cond, then, els } = &head.term else { return None };
        let continues = then.block == body;
        let Terminator::Branch(again) = &code.term else { return None };
        if continues == (els.block == body) || again.block != header || els.block == header {
            return None;
        }
        let next = again.args.to_vec();
        let inside: FxHashSet<Inst> = head.insts.iter().chain(&code.insts).copied().collect();
        let mut loads = 0;
        for inst in head.insts.iter().chain(&code.insts) {
            let kind = &function.insts[*inst].kind;
            let effects = kind.effects(function);
            if effects.writes || effects.convergent || matches!(kind, InstKind::Call { .. }) {
                return None;
            }
            loads += usize::from(is_slow_load(function, kind));
        }
        let count = MAX_LOADS.checked_div(loads)?.min(MAX_ITERATIONS);
        let pure = |inst: &Inst| can_come_early(function, *inst);
        if count < 2 || inside.len() * count > MAX_INSTRUCTIONS || !head.insts.iter().all(pure) {
            return None;
        }
        let deciding = deciding(function, header, &inside, *cond, &next)?;
        let order = head.insts.iter().chain(&code.insts).copied();
        let deciding = order.filter(|inst| deciding.contains(inst)).collect();
        Some(Plan { header, body, test: *cond, continues, next, deciding, count })
    }

    /// Makes the blocks. `None` where the loads of an iteration depend on those of the one before: they could not be in flight together.
    fn make_batch(&self, function: &mut Function) -> Option<Made> {
        let (tests, work) = (function.new_detached_block(), function.new_detached_block());
        let params = function.blocks[self.header].params.clone();
        Region::default().params(function, self.header, tests);
        let mut now: Vec<Value> = function.blocks[tests].params.clone();
        let first = now.clone();
        let mut all: Option<Value> = None;
        for _ in 0..self.count {
            let mut iteration = iteration(&params, &now);
            for inst in &self.deciding {
                let copied = iteration.inst(function, *inst);
                function.blocks[tests].insts.push(copied);
            }
            let test = iteration.value(self.test);
            // All continue, or some exits.
            let op = if self.continues { BinaryOp::And } else { BinaryOp::Or };
            all = Some(match all {
                Some(all) => function.append(tests, InstKind::Binary(op, all, test), Type::BOOL),
                None => test,
            });
            let next = |(next, now): (&Value, &Value)| match iteration.values.get(next) {
                Some(value) => *value,
                // No test depends on the parameter: it keeps its value.
                None if self.defines(function, *next) => *now,
                None => *next,
            };
            now = self.next.iter().zip(&now).map(next).collect();
        }
        let mut level: FxHashMap<Value, u32> = FxHashMap::default();
        let mut insts: Vec<(u32, Inst)> = Vec::new();
        let mut depths = [0; 2];
        let code: Vec<Inst> =
            [self.header, self.body].iter().flat_map(|b| function.blocks[*b].insts.clone()).collect();
        let mut last = first;
        for n in 0..self.count {
            let mut iteration = iteration(&params, &last);
            for inst in &code {
                let copied = iteration.inst(function, *inst);
                let data = &function.insts[copied];
                // The number of dependent loads that an instruction waits for.
                let own = data.kind.values().map(|v| level.get(&v).copied().unwrap_or(0)).max().unwrap_or(0);
                let load = is_slow_load(function, &data.kind);
                if load {
                    let deepest = &mut depths[usize::from(n > 0)];
                    *deepest = own.max(*deepest);
                }
                level.extend(data.results.iter().map(|result| (*result, own + u32::from(load))));
                insts.push((own, copied));
            }
            last = self.next.iter().map(|v| iteration.value(*v)).collect();
        }
        if depths[1] > depths[0] {
            return None;
        }
        insts.sort_by_key(|(level, _)| *level);
        function.blocks[work].insts = insts.into_iter().map(|(_, inst)| inst).collect();
        Some(Made { tests, work, all: all?, last })
    }

    /// Returns whether the loop defines a value.
    fn defines(&self, function: &Function, value: Value) -> bool {
        match function.values[value].def {
            ValueDef::Inst(inst, _) => {
                [self.header, self.body].iter().any(|b| function.blocks[*b].insts.contains(&inst))
            }
            _ => false,
        }
    }

    /// Inserts the blocks in front of the loop.
    fn insert_blocks(&self, function: &mut Function, made: Made) {
        let outside: Vec<Block> = function.layout.iter().copied().filter(|b| *b != self.body).collect();
        loops::redirect(function, outside, self.header, made.tests);
        let params = function.blocks[made.tests].params.iter().copied().collect();
        let on = BranchTarget { block: made.work, args: Default::default() };
        let rest = BranchTarget { block: self.header, args: params };
        let (then, els) = if self.continues { (on, rest) } else { (rest, on) };
        function.blocks[made.tests].term = Terminator::CondBranch { cond: made.all, then, els };
        let again = BranchTarget { block: made.tests, args: made.last.into_iter().collect() };
        function.blocks[made.work].term = Terminator::Branch(again);
        // The batch is large enough, and few iterations are left for the loop.
        function.blocks[made.tests].loop_control = DONT_UNROLL;
        function.blocks[self.header].loop_control = DONT_UNROLL;
        function.layout.extend([made.tests, made.work]);
    }
}

/// The instructions that compute a test and the parameters that it depends on. `None` where loads are among them, or where each such
/// parameter has a constant step.
fn deciding(
    function: &Function,
    header: Block,
    inside: &FxHashSet<Inst>,
    test: Value,
    next: &[Value],
) -> Option<FxHashSet<Inst>> {
    let mut found: FxHashSet<Inst> = FxHashSet::default();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    let mut steps = false;
    let mut work = vec![test];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Param(block, n) if block == header => {
                let next = *next.get(usize::from(n))?;
                steps |= value != next && constant_step(function, value, next).is_none();
                work.push(next);
            }
            ValueDef::Inst(inst, _) if inside.contains(&inst) => {
                if !can_come_early(function, inst) {
                    return None;
                }
                found.insert(inst);
                work.extend(function.insts[inst].kind.values());
            }
            _ => {}
        }
    }
    steps.then_some(found)
}

/// Returns whether an instruction may be executed for iterations that do not take place.
fn can_come_early(function: &Function, inst: Inst) -> bool {
    let kind = &function.insts[inst].kind;
    let effects = kind.effects(function);
    let by_constant = match kind {
        InstKind::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, x, by) => {
            let bits = function.ty(*x).scalar().map_or(0, |s| u64::from(s.bits()));
            function.const_bits(*by).is_some_and(|by| by < bits)
        }
        _ => false,
    };
    effects.can_be_speculated() && !effects.reads || by_constant
}

/// Returns whether an instruction loads from distant memory: global, constant or generic.
fn is_slow_load(function: &Function, kind: &InstKind) -> bool {
    match kind {
        InstKind::Load { place: Place::Pointer(p), .. } => {
            matches!(function.ty(*p), Type::Ptr(Space::Global | Space::Constant | Space::Generic))
        }
        _ => false,
    }
}

/// An iteration whose header has these values for its parameters.
fn iteration(params: &[Value], values: &[Value]) -> Region {
    let values = params.iter().copied().zip(values.iter().copied()).collect();
    Region { values, ..Region::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Module, text, verify};
    use crate::passes::fuzz;

    /// A loop with counter `v7` and second parameter `v8`; `v3` is its end, `v6` its step.
    fn source(test: &str, targets: &str, code: &str, next: &str) -> String {
        format!(
            "module read bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: ptr.global, v1: i32, v2: i64):\n  v3: i32 = and v1, i32:23\n  \
             v4: i32 = convert.trunc v2\n  v5: i32 = and v4, i32:3\n  v6: i32 = iadd v5, i32:1\n  br b1(i32:0, i32:0)\n\
             b1(v7: i32, v8: i32):\n  {test}\n  condbr v9, {targets}\nb2():\n{code}  br b1({next})\nb3():\n  return(v8)\n"
        )
    }

    /// The module with batched loads, if any. Checks that both compute the same.
    fn batched(source: &str) -> Option<Module> {
        let before = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut after = before.clone();
        let any = batch_loads(after.functions.values_mut().next().expect("a function"));
        verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
        for seed in 0..60 {
            fuzz::compare(&before, &after, seed).unwrap_or_else(|e| panic!("{e}"));
        }
        any.then_some(after)
    }

    const TEST: &str = "v9: bool = icmp.ult v7, v3";
    const SUM: &str = "  v10: ptr.global = ptradd v0, v7, 4\n  v11: i32 = load [v10], align=4\n  v12: i32 = imul v8, i32:31\n  \
                       v13: i32 = iadd v12, v11\n  v14: i32 = iadd v7, v6\n";

    /// The number of loads before the second iteration's product, and of all.
    fn loads_ahead(module: &Module) -> (usize, usize) {
        let text = module.to_string();
        let work = text.split("\nb").max_by_key(|block| block.matches("load").count()).expect("the batch");
        let ahead: usize = work.split("imul").take(2).map(|part| part.matches("load").count()).sum();
        (ahead, work.matches("load").count())
    }

    #[test]
    fn loads_come_first() {
        let module = batched(&source(TEST, "b2(), b3()", SUM, "v14, v13")).expect("a batch");
        assert_eq!(loads_ahead(&module), (8, 8), "{module}");
        // A test that exits where it holds.
        let module =
            batched(&source("v9: bool = icmp.uge v7, v3", "b3(), b2()", SUM, "v14, v13")).expect("a batch");
        assert_eq!(loads_ahead(&module), (8, 8), "{module}");
    }

    /// Loads that depend on loads of the same iteration: all of the first ones come first, then all of the others.
    #[test]
    fn loads_that_depend_on_loads() {
        let code = "  v10: ptr.global = ptradd v0, v7, 4\n  v11: i32 = load [v10], align=4\n  v15: i32 = and v11, i32:7\n  \
                    v16: ptr.global = ptradd v0, v15, 4\n  v17: i32 = load [v16], align=4\n  v12: i32 = imul v8, i32:31\n  \
                    v13: i32 = iadd v12, v17\n  v14: i32 = iadd v7, v6\n";
        let module = batched(&source(TEST, "b2(), b3()", code, "v14, v13")).expect("a batch");
        assert_eq!(loads_ahead(&module).1, 8, "{module}");
    }

    /// The counter wraps; the next iteration takes another parameter, or a value from outside the loop.
    #[test]
    fn other_steps() {
        let code = SUM.replace("iadd v7, v6", "iadd v7, i32:1073741824").replace("load [v10]", "load [v0]");
        assert!(batched(&source(TEST, "b2(), b3()", &code, "v14, v13")).is_none(), "a constant");
        let wraps = format!("{}  v15: i32 = shl v6, i32:30\n  v16: i32 = iadd v7, v15\n", SUM);
        assert!(batched(&source(TEST, "b2(), b3()", &wraps, "v16, v13")).is_some());
        assert!(batched(&source(TEST, "b2(), b3()", SUM, "v14, v7")).is_some());
        assert!(batched(&source(TEST, "b2(), b3()", SUM, "v3, v13")).is_some());
        assert!(batched(&source("v9: bool = icmp.ult v8, v3", "b2(), b3()", SUM, "v8, v14")).is_some());
    }

    #[test]
    fn what_is_left_alone() {
        let not = |test: &str, code: &str, next: &str| {
            assert!(batched(&source(test, "b2(), b3()", code, next)).is_none(), "{test}\n{code}");
        };
        // A store, volatile loads, no load.
        not(TEST, &format!("{SUM}  store [v10], v13, align=4\n"), "v14, v13");
        not(TEST, &SUM.replace("align=4", "align=4 volatile"), "v14, v13");
        not(TEST, &SUM.replace("load [v10], align=4", "iadd v7, i32:5"), "v14, v13");
        // Tests and addresses that depend on a load of the iteration before.
        not("v9: bool = icmp.ult v8, v3", SUM, "v14, v13");
        not(TEST, &SUM.replace("ptradd v0, v7", "ptradd v0, v8"), "v14, v13");
        // The test itself loads, or divides by what may be 0.
        let loads = "v20: ptr.global = ptradd v0, v7, 4\n  v21: i32 = load [v20], align=4\n  v9: bool = icmp.ult v7, v21";
        not(loads, SUM, "v14, v13");
        not("v20: i32 = udiv v3, v7\n  v9: bool = icmp.ult v20, v3", SUM, "v14, v13");
    }

    #[test]
    fn random_graphs() {
        let batched = |m: &mut Module| {
            batch_loads(m.functions.values_mut().next().expect("one"));
        };
        fuzz::check(60, 12, &[batched]);
    }
}
