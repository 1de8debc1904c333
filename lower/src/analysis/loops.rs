//! Counters of loops: the values that iterations pass on, the tests that end a loop, and the steps between.
//!
//! ```text
//! head(i: start at entries, next at latches): if (i < n) body; next = i + step; goto head
//! ```
//!
//! The loop forest itself belongs to the graph ([`Cfg::loops`]). Trip counts follow from these facts in [`super::trip_count`].

use crate::ir::cfg::{Cfg, LoopData, Loops};
use crate::ir::{BinaryOp, Block, Function, InstKind, IntCC, Terminator, Value, fold};
use smallvec::SmallVec;

/// Conditions of conditions are followed to this depth.
const MAX_DEPTH: u32 = 4;

/// A value that a loop carries: a parameter of its header.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// The parameter.
    pub param: Value,
    /// Its value in the first iteration; `None` where entries pass different ones.
    pub start: Option<Value>,
    /// Its value in the next iteration; `None` where latches pass different ones.
    pub next: Option<Value>,
}

/// The arguments of parameter `n` of a loop's header, each with whether it comes from inside the loop.
pub fn arguments(function: &Function, cfg: &Cfg, data: &LoopData, n: usize) -> SmallVec<[(bool, Value); 4]> {
    let mut before: SmallVec<[Block; 4]> = SmallVec::from_slice(cfg.preds(data.header));
    before.sort_unstable();
    before.dedup();
    let mut found = SmallVec::new();
    for from in before {
        let targets = function.blocks[from].term.targets().filter(|target| target.block == data.header);
        let inside = data.latches.contains(&from);
        found.extend(targets.filter_map(|target| Some((inside, *target.args.get(n)?))));
    }
    found
}

/// The value that a loop carries in parameter `n` of its header.
pub fn carried(function: &Function, cfg: &Cfg, data: &LoopData, n: usize) -> Option<Carried> {
    let param = *function.blocks[data.header].params.get(n)?;
    let arguments = arguments(function, cfg, data, n);
    let common = |inside: bool| {
        let mut values = arguments.iter().filter(|a| a.0 == inside).map(|a| a.1);
        values.next().filter(|first| values.all(|value| value == *first))
    };
    Some(Carried { param, start: common(false), next: common(true) })
}

/// A test that may end a loop.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// The block with the branch.
    pub block: Block,
    /// The condition.
    pub cond: Value,
    /// The value of the condition with which the loop continues.
    pub stays: bool,
}

impl Test {
    /// The test at a block's end: a branch of which one arm leaves the loop.
    pub fn of_block(function: &Function, block: Block, inside: impl Fn(Block) -> bool) -> Option<Test> {
        match &function.blocks[block].term {
            Terminator::CondBranch { cond, then, els } if inside(then.block) != inside(els.block) => {
                Some(Test { block, cond: *cond, stays: inside(then.block) })
            }
            _ => None,
        }
    }

    /// The test that decides whether the next iteration takes place: that of the header, or else that of the only latch.
    pub fn of_loop(function: &Function, loops: &Loops, index: usize) -> Option<Test> {
        let data = &loops.loops[index];
        let at = |block: Block| Test::of_block(function, block, |b| loops.contains(index, b));
        at(data.header).or_else(|| match data.latches[..] {
            [latch] => at(latch),
            _ => None,
        })
    }

    /// The conditions that all have the value of `stays` while the loop continues.
    pub fn conditions(&self, function: &Function) -> SmallVec<[Value; 4]> {
        let both = if self.stays { BinaryOp::And } else { BinaryOp::Or };
        let (mut found, mut work) =
            (SmallVec::new(), SmallVec::<[(Value, u32); 4]>::from_elem((self.cond, 0), 1));
        while let Some((cond, depth)) = work.pop() {
            match function.def_inst(cond).map(|inst| &inst.kind) {
                Some(&InstKind::Binary(op, a, b)) if op == both && depth < MAX_DEPTH => {
                    work.extend([(b, depth + 1), (a, depth + 1)]);
                }
                _ => found.push(cond),
            }
        }
        found
    }

    /// The comparisons of integers that all hold while the loop continues.
    pub fn comparisons(&self, function: &Function) -> SmallVec<[(IntCC, Value, Value); 4]> {
        let each = |cond: Value| Test { cond, ..*self }.comparison(function);
        self.conditions(function).into_iter().filter_map(each).collect()
    }

    /// The comparison of integers that holds while the loop continues.
    pub fn comparison(&self, function: &Function) -> Option<(IntCC, Value, Value)> {
        let InstKind::ICmp(cc, a, b) = function.def_inst(self.cond)?.kind else { return None };
        Some((if self.stays { cc } else { fold::not_icmp(cc) }, a, b))
    }
}

/// The constant that each iteration adds to a counter, given the counter's value in the next iteration.
pub fn constant_step(function: &Function, counter: Value, next: Value) -> Option<i64> {
    match function.def_inst(next)?.kind {
        InstKind::Binary(BinaryOp::IAdd, a, b) if a == counter => function.const_signed(b),
        InstKind::Binary(BinaryOp::IAdd, a, b) if b == counter => function.const_signed(a),
        InstKind::Binary(BinaryOp::ISub, a, b) if a == counter => {
            function.const_signed(b).map(i64::wrapping_neg)
        }
        _ => None,
    }
}
