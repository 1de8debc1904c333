//! Loops that keep their form: their only exit is in the header, by a test that can be repeated after the loop.
//!
//! A driver that ends loops does so at the end of an iteration, when the header's parameters have their next values. The repeated test
//! then shows which lanes were ended, and costs an iteration nothing:
//!
//! ```text
//! loop { header(i): if (!(i < n)) break; … }
//! ended = opaque(i) < n
//! ```
//!
//! The operand of the repeated test is opaque, so that no driver folds the test. Lanes that were
//! ended in an inner loop branch to the header with a flag and leave there:
//!
//! ```text
//! loop { header(i, over, values): if (over || !(i < n)) break; … if (ended in here) { continue with over, values } … }
//! if (over) goto stopped(values); ended = opaque(i) < n
//! ```

use super::{Exit, Head, LoopHook, Work, exits};
use crate::ir::cfg::{Cfg, LoopData, Loops, Positions};
use crate::ir::{
    Block, BranchTarget, Constant, Function, InstKind, Place, Root, Terminator, Type, Value, ValueDef,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The largest depth of the expression of a test.
const MAX_DEPTH: u32 = 12;

/// The loops that can keep their form, of those that values do not leave by their heads.
pub(crate) fn kept(
    function: &Function,
    cfg: &Cfg,
    loops: &Loops,
    needing: &FxHashSet<usize>,
) -> FxHashSet<usize> {
    let positions = Positions::new(function);
    let can = |data: &LoopData| {
        let inside: FxHashSet<Block> = data.blocks.iter().copied().collect();
        let exits = exits(function, &data.blocks, &inside);
        let (Terminator::CondBranch { cond, .. }, [Exit { from, .. }]) =
            (&function.blocks[data.header].term, &exits[..])
        else {
            return false;
        };
        let mut asks = false;
        // A lane that was ended before its last test skips what the header does then.
        let insts = &function.blocks[data.header].insts;
        let acts = insts.iter().any(|inst| function.insts[*inst].kind.effects(function).writes);
        *from == data.header
            && !acts
            && !indexed(function, &data.blocks)
            && repeatable(function, &positions, (data.header, &inside), *cond, MAX_DEPTH, &mut asks)
            && asks
            && cfg.is_reachable(data.header)
    };
    let all = 0..loops.loops.len();
    all.filter(|index| !needing.contains(index) && can(&loops.loops[*index])).collect()
}

/// Returns whether a loop indexes private variables. Mesa estimates its trip count from their sizes and unrolls it partially. Values that are used
/// after it are then not in the registers of header parameters.
fn indexed(function: &Function, blocks: &[Block]) -> bool {
    let insts = blocks.iter().flat_map(|b| &function.blocks[*b].insts);
    insts.filter_map(|inst| function.insts[*inst].kind.place()).any(|place| match place {
        Place::Element { root: Root::Slot(_), index, .. } => function.const_bits(index).is_none(),
        _ => false,
    })
}

/// Returns whether a value can be computed after a loop from its header's parameters. Sets `asks` if it depends on one.
fn repeatable(
    function: &Function,
    positions: &Positions,
    (header, inside): (Block, &FxHashSet<Block>),
    value: Value,
    depth: u32,
    asks: &mut bool,
) -> bool {
    let Some(home) = positions.block_of(function, value) else { return true };
    if !inside.contains(&home) {
        return true;
    }
    match function.values[value].def {
        ValueDef::Param(..) => {
            *asks = true;
            home == header && function.ty(value).scalar().is_some() && function.ty(value).lanes() == 1
        }
        ValueDef::Inst(inst, _) => {
            let data = &function.insts[inst];
            let effects = data.kind.effects(function);
            let operands: SmallVec<[Value; 4]> = data.kind.values().collect();
            home == header
                && depth > 0
                && data.results.len() == 1
                && effects.can_be_speculated()
                && !effects.reads
                && operands
                    .into_iter()
                    .all(|v| repeatable(function, positions, (header, inside), v, depth - 1, asks))
        }
        ValueDef::Const(_) => true,
    }
}

impl Work {
    /// Computes after a loop that keeps its form which lanes were ended. Returns the new blocks.
    pub(crate) fn keep(
        &mut self,
        function: &mut Function,
        header: Block,
        blocks: &[Block],
        stopped: Block,
        made: &mut LoopHook<'_>,
    ) -> Vec<Block> {
        let inside: FxHashSet<Block> = blocks.iter().copied().collect();
        let mut stops = exits(function, blocks, &inside);
        stops.retain(|exit| exit.from != header);
        let Terminator::CondBranch { cond, then, .. } = function.blocks[header].term.clone() else {
            return Vec::new();
        };
        let stays = inside.contains(&then.block);
        let header_params: SmallVec<[Value; 2]> = function.blocks[header].params.iter().copied().collect();
        let after = function.new_block();
        let (mut new, mut out) = (vec![after], after);
        let mut test = cond;
        if !stops.is_empty() {
            let (over, values) = self.stop_within(function, header, (stopped, &inside), &stops);
            let leaves = function.iconst(Type::BOOL, u64::from(!stays));
            test = function.append(header, InstKind::Select(over, leaves, cond), Type::BOOL);
            out = function.new_block();
            new.push(out);
            let then = BranchTarget { block: stopped, args: values };
            let els = BranchTarget { block: after, args: SmallVec::new() };
            function.blocks[out].term = Terminator::CondBranch { cond: over, then, els };
        }
        if let Terminator::CondBranch { cond, then, els } = &mut function.blocks[header].term {
            *cond = test;
            let arm = if stays { els } else { then };
            let arm = std::mem::replace(arm, BranchTarget { block: out, args: SmallVec::new() });
            self.sources.entry(arm.block).or_default().retain(|from| *from != header);
            function.blocks[after].term = Terminator::Branch(arm);
        }
        let ended = repeat(function, after, (header, &inside), cond, stays);
        new.extend(made(function, &Head { header, head: header, header_params, after, ended }));
        self.stands_for.extend(new.iter().map(|b| (*b, header)));
        self.note(function, header);
        new.iter().for_each(|b| self.note(function, *b));
        new
    }

    /// Redirects the edges from a loop to `stopped` to its header. Returns the flag that one was taken, and the values that are passed.
    fn stop_within(
        &mut self,
        function: &mut Function,
        header: Block,
        (stopped, inside): (Block, &FxHashSet<Block>),
        stops: &[Exit],
    ) -> (Value, SmallVec<[Value; 2]>) {
        let types = |f: &Function, block: Block| -> Vec<Type> {
            f.blocks[block].params.iter().map(|p| f.ty(*p)).collect()
        };
        let (own, passed) = (types(function, header), types(function, stopped));
        let undef = |f: &mut Function, list: &[Type]| -> SmallVec<[Value; 2]> {
            list.iter().map(|ty| f.constant(*ty, Constant::Undef)).collect()
        };
        let over = function.add_param(header, Type::BOOL);
        let values: SmallVec<[Value; 2]> = passed.iter().map(|ty| function.add_param(header, *ty)).collect();
        let (no, yes) = (function.iconst(Type::BOOL, 0), function.iconst(Type::BOOL, 1));
        let (nothing, none) = (undef(function, &own), undef(function, &passed));
        let sources = self.sources.entry(header).or_default();
        sources.sort_unstable();
        sources.dedup();
        for from in sources.iter() {
            // The passed values stay the same until an edge sets them.
            let more = if inside.contains(from) { &values } else { &none };
            for target in function.blocks[*from].term.targets_mut().filter(|t| t.block == header) {
                target.args.push(no);
                target.args.extend(more.iter().copied());
            }
        }
        for Exit { from, successor, .. } in stops {
            let Some(target) = function.blocks[*from].term.target_mut(*successor) else { continue };
            let mut args = nothing.clone();
            args.push(yes);
            args.extend(target.args.iter().copied());
            *target = BranchTarget { block: header, args };
            sources.push(*from);
        }
        (over, values)
    }
}

/// Repeats a header's test at the end of a block after the loop. The result is true if the loop would continue.
fn repeat(
    function: &mut Function,
    after: Block,
    place: (Block, &FxHashSet<Block>),
    cond: Value,
    stays: bool,
) -> Value {
    let positions = Positions::new(function);
    let mut rw = Rewriter::new(function);
    let mut copies = FxHashMap::default();
    let mut ended = copy(&mut rw, &positions, place, cond, &mut copies);
    if !stays {
        let (no, yes) = (rw.iconst(Type::BOOL, 0), rw.iconst(Type::BOOL, 1));
        ended = rw.inst(InstKind::Select(ended, no, yes), Type::BOOL);
    }
    let insts = rw.take();
    function.blocks[after].insts.extend(insts);
    ended
}

fn copy(
    rw: &mut Rewriter<'_>,
    positions: &Positions,
    (header, inside): (Block, &FxHashSet<Block>),
    value: Value,
    copies: &mut FxHashMap<Value, Value>,
) -> Value {
    if let Some(known) = copies.get(&value) {
        return *known;
    }
    let home = positions.block_of(rw.f, value).filter(|home| inside.contains(home));
    let made = match (home, rw.f.values[value].def) {
        (Some(_), ValueDef::Param(..)) => rw.opaque(value),
        (Some(_), ValueDef::Inst(inst, _)) => {
            let mut kind = rw.f.insts[inst].kind.clone();
            let operands: SmallVec<[Value; 4]> = kind.values().collect();
            for operand in operands {
                copy(rw, positions, (header, inside), operand, copies);
            }
            kind.map_values(|v| copies.get(&v).copied().unwrap_or(v));
            let ty = rw.f.ty(value);
            rw.at(inst);
            rw.inst(kind, ty)
        }
        _ => value,
    };
    copies.insert(value, made);
    made
}

#[cfg(test)]
mod tests {
    use super::super::redirect_all_exits;
    use super::*;
    use crate::ir::{interp, text, verify};

    /// The number of loops that keep their headers, in a function whose ended lanes return -1. The result for 5 must not change.
    fn kept_of(source: &str) -> usize {
        let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let func = module.functions.iter().next().expect("one").0;
        let end = |f: &Function| interp::run(f, &[vec![Some(5)]], 0, 10_000).end;
        let before = end(&module.functions[func]);
        let f = &mut module.functions[func];
        let stopped = f.new_detached_block();
        let passed = f.add_param(stopped, Type::I32);
        f.blocks[stopped].term = Terminator::Return(SmallVec::from_slice(&[passed]));
        let mut kept = 0;
        let stands = redirect_all_exits(f, (true, &FxHashSet::default()), stopped, &mut |f, head| {
            kept += usize::from(head.head == head.header);
            let ended = f.iconst(Type::I32, u64::from(u32::MAX));
            let then = BranchTarget { block: stopped, args: SmallVec::from_slice(&[ended]) };
            let Terminator::Branch(els) = f.blocks[head.after].term.clone() else { panic!("no exit") };
            f.blocks[head.after].term = Terminator::CondBranch { cond: head.ended, then, els };
            Vec::new()
        });
        assert!(stands, "{module}");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        assert_eq!(end(&module.functions[func]), before, "{module}");
        kept
    }

    const NESTED: &str = "module read bits=64
func f0 \"f\" returns (i32)
b0(v0: i32):
  br b1(i32:0, i32:0)
b1(v1: i32, v2: i32):
  v3: bool = icmp.ult v1, v0
  condbr v3, b2(v2, i32:0), b5()
b2(v4: i32, v5: i32):
  v6: i32 = imul v5, v5
  v7: bool = icmp.uge v6, v0
  condbr v7, b4(), b3()
b3():
  v8: i32 = iadd v4, v1
  v9: i32 = iadd v5, i32:1
  br b2(v8, v9)
b4():
  v10: i32 = iadd v1, i32:1
  br b1(v10, v4)
b5():
  return(v2)
";

    #[test]
    fn tests_at_heads_are_repeated() {
        assert_eq!(kept_of(NESTED), 2);
    }

    #[test]
    fn other_exits_are_reported() {
        // Out of the inner loop's middle.
        let middle = NESTED.replace(
            "  v9: i32 = iadd v5, i32:1\n  br b2(v8, v9)\n",
            "  v9: i32 = iadd v5, i32:1\n  v11: bool = icmp.eq v8, i32:7\n  condbr v11, b4(), b2(v8, v9)\n",
        );
        assert_eq!(kept_of(&middle), 1);
        // At the end of an iteration.
        let last = NESTED
            .replace("  condbr v7, b4(), b3()\n", "  br b3()\n")
            .replace("  br b2(v8, v9)\n", "  condbr v7, b4(), b2(v8, v9)\n");
        assert_eq!(kept_of(&last), 1);
    }
}
