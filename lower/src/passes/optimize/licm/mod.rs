//! Loop-invariant code motion and sinking: invariant computations move before the loop, and what only the next iteration needs moves behind the
//! loop's test.
//!
//! ```text
//! while (n--) s += x[n] * (a / 7);    →    q = a / 7; while (n != 0) { n--; s += x[n] * q; }
//! ```
//!
//! Mesa's Vulkan compilers do neither: a quotient such as `n / TILE` in a loop's condition is divided again in each iteration. They find a trip
//! count only where the test compares the counter itself, and `while (n--)` decrements before it compares. NVIDIA's driver leaves quotients in
//! loops, too, where they depend on a condition.
//!
//! *Hoisting* moves pure operations with invariant operands to the end of the block in front of the loop (the header's immediate dominator), out
//! of as many loops as possible. A value that lives through a loop costs a register. So only expensive operations are hoisted (products,
//! quotients, functions, and operations that make one value of two), with their operands. An operation follows that replaces a hoisted
//! value without a further register. Loads that give the same in every iteration are hoisted, too ([`readonly_loads`]): the end of a row of a
//! sparse matrix, which the test of the loop over it reads. On RADV an operation is also hoisted that replaces its only operand, and so are
//! some chains of several operations.
//!
//! *Sinking* moves pure operations of a header behind its test, where no use is reached from the exit.

mod readonly_loads;

use self::readonly_loads::Unwritten;
use crate::analysis::uses::Uses;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::{Cfg, Loops, Positions};
use crate::ir::{
    BinaryOp, Block, Function, Inst, InstKind, KernelData, Module, Place, Root, Scalar, Terminator, Value,
    ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Limit on the expensive operations that leave one loop.
const MAX_EXPENSIVE: usize = 24;
/// Limit on the chains of cheap operations that leave one loop.
const MAX_CHAINS: usize = 8;

/// Moves the invariant operations of every function, for the drivers that do not.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let (kernels, noalias) = (&module.kernels, module.noalias);
    let cheap = context.target.quirks.lacks_cheap_licm;
    for (func, function) in module.functions.iter_mut() {
        move_invariants(function, (kernels.iter().find(|k| k.func == func), noalias), cheap);
    }
    Ok(())
}

/// Moves the invariant operations of one function; `cheap` ones, too, where these cost few registers. `kernel` is the function's kernel, and
/// whether its arguments never alias.
pub fn move_invariants(function: &mut Function, kernel: (Option<&KernelData>, bool), cheap: bool) {
    if function.layout.len() < 2 {
        return;
    }
    let cfg = function.cfg();
    let loops = cfg.loops();
    if loops.loops.is_empty() {
        return;
    }
    hoist(function, &cfg, &loops, kernel, cheap);
    sink(function, &cfg, &loops);
}

/// The instructions that may leave a loop.
struct Candidates<'a> {
    function: &'a Function,
    /// The destination of each.
    to: FxHashMap<Inst, Block>,
}

impl Candidates<'_> {
    /// The candidate that defines a value.
    fn defining(&self, value: Value) -> Option<Inst> {
        match self.function.values[value].def {
            ValueDef::Inst(inst, _) => self.to.contains_key(&inst).then_some(inst),
            _ => None,
        }
    }

    /// Adds an instruction to the moved ones, with the candidates that it depends on.
    fn take(&self, inst: Inst, moved: &mut FxHashSet<Inst>) {
        let mut work = vec![inst];
        while let Some(inst) = work.pop() {
            if moved.insert(inst) {
                work.extend(self.function.insts[inst].kind.values().filter_map(|v| self.defining(v)));
            }
        }
    }
}

fn hoist(
    function: &mut Function,
    cfg: &Cfg,
    loops: &Loops,
    kernel: (Option<&KernelData>, bool),
    cheap: bool,
) {
    let positions = Positions::new(function);
    let unwritten = Unwritten::new(function, cfg, loops, kernel);
    let mut loads: FxHashSet<Inst> = FxHashSet::default();
    let mut candidates = Candidates { function, to: FxHashMap::default() };
    let mut order: Vec<Inst> = Vec::new();
    for &block in cfg.rpo() {
        let data = &function.blocks[block];
        let Some(innermost) = loops.innermost(block) else { continue };
        for &inst in &data.insts {
            let mut levels = usize::MAX;
            if !is_movable(function, inst) {
                let same = |u: &Unwritten<'_>| u.may_hoist(function, cfg, loops, (innermost, block), inst);
                if !unwritten.as_ref().is_some_and(same) {
                    continue;
                }
                levels = 1;
                loads.insert(inst);
            }
            let home = |value: Value| match candidates.defining(value) {
                Some(operand) => candidates.to.get(&operand).copied(),
                None => positions.block_of(function, value),
            };
            let operands = function.insts[inst].kind.values();
            // Most have an operand of the same loop.
            if operands.clone().filter_map(home).any(|home| loops.contains(innermost, home)) {
                continue;
            }
            let homes: SmallVec<[Block; 4]> = operands.filter_map(home).collect();
            let around = std::iter::successors(Some(innermost), |at| loops.loops[*at].parent);
            let left =
                around.take_while(|at| !homes.iter().any(|home| loops.contains(*at, *home))).take(levels);
            // A reachable header has a dominator unless it is the entry.
            if let Some(to) = left.last().and_then(|at| cfg.idom(loops.loops[at].header)) {
                candidates.to.insert(inst, to);
                order.push(inst);
            }
        }
    }
    let mut moved: FxHashSet<Inst> = FxHashSet::default();
    let mut left: FxHashMap<Block, usize> = FxHashMap::default();
    for &inst in &order {
        if loads.contains(&inst) || is_expensive(function, inst) {
            let count = left.entry(candidates.to[&inst]).or_default();
            *count += 1;
            if *count <= MAX_EXPENSIVE {
                candidates.take(inst, &mut moved);
            }
        }
    }
    if moved.is_empty() && !cheap {
        return;
    }
    let uses = Uses::new(function);
    if cheap {
        take_chains(&candidates, &order, &uses, &mut moved);
    }
    // An operation that replaces a hoisted value lives in the same register. A truth value does not: it is one bit of each work-item, or the
    // condition code that a scalar comparison sets.
    let is_test = |inst: Inst| {
        function.insts[inst].results.first().is_some_and(|v| function.ty(*v).scalar() == Some(Scalar::Bool))
    };
    for &inst in &order {
        let lives = |v: &Value| match candidates.defining(*v) {
            Some(operand) => moved.contains(&operand),
            None => cheap && !is_test(inst) && !matches!(function.values[*v].def, ValueDef::Const(_)),
        };
        let mut operands = function.insts[inst].kind.values();
        if operands.any(|v| uses.is_single(v) && lives(&v)) {
            candidates.take(inst, &mut moved);
        }
    }
    if moved.is_empty() {
        return;
    }
    let to = candidates.to;
    for &block in cfg.rpo() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let (gone, kept): (Vec<Inst>, Vec<Inst>) =
            insts.into_iter().partition(|inst| moved.contains(inst) && to.get(inst) != Some(&block));
        function.blocks[block].insts = kept;
        for inst in gone {
            function.blocks[to[&inst]].insts.push(inst);
        }
    }
}

/// Adds chains: values of at least two operations whose intermediate results have no other use.
fn take_chains(candidates: &Candidates<'_>, order: &[Inst], uses: &Uses, moved: &mut FxHashSet<Inst>) {
    let function = candidates.function;
    let mut lengths: FxHashMap<Inst, u32> = FxHashMap::default();
    let mut users: FxHashSet<Inst> = FxHashSet::default();
    for &inst in order.iter().filter(|inst| !moved.contains(inst)) {
        let operands = function.insts[inst].kind.values().filter_map(|v| Some((v, candidates.defining(v)?)));
        let kind = &function.insts[inst].kind;
        let mut length =
            u32::from(matches!(kind, InstKind::Binary(..) | InstKind::Unary(..) | InstKind::Select(..)));
        for (value, operand) in operands.filter(|o| !moved.contains(&o.1)) {
            length += lengths.get(&operand).filter(|_| uses.is_single(value)).unwrap_or(&0);
            users.insert(operand);
        }
        lengths.insert(inst, length);
    }
    let mut left: FxHashMap<Block, usize> = FxHashMap::default();
    for &inst in order {
        // The last of its chain. The sum with a constant does not count: accesses add it.
        let added = match &function.insts[inst].kind {
            InstKind::Binary(BinaryOp::IAdd, _, by) => u32::from(function.const_bits(*by).is_some()),
            _ => 0,
        };
        if lengths.get(&inst).is_some_and(|length| *length > 1 + added) && !users.contains(&inst) {
            let count = left.entry(candidates.to[&inst]).or_default();
            *count += 1;
            if *count <= MAX_CHAINS {
                candidates.take(inst, moved);
            }
        }
    }
}

/// Returns whether an instruction may be speculated, and gives the same result everywhere.
fn is_movable(function: &Function, inst: Inst) -> bool {
    let data = &function.insts[inst];
    if data.results.len() != 1 {
        return false;
    }
    let effects = data.kind.effects(function);
    if !effects.can_be_numbered() {
        return false;
    }
    match &data.kind {
        InstKind::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, x, by) => {
            let width = function.ty(*x).scalar().map_or(0, Scalar::bits);
            function.const_bits(*by).is_some_and(|by| by < u64::from(width))
        }
        InstKind::Binary(BinaryOp::UDiv | BinaryOp::URem, _, by) => {
            function.const_bits(*by).is_some_and(|by| by != 0)
        }
        InstKind::Binary(BinaryOp::SDiv | BinaryOp::SRem, _, by) => {
            function.const_signed(*by).is_some_and(|by| by != 0 && by != -1)
        }
        // The argument block contains every constant index that the kernel uses.
        InstKind::Load { place: Place::Element { root: Root::Block, index, .. }, .. } => {
            function.const_bits(*index).is_some()
        }
        _ => effects.can_be_speculated(),
    }
}

/// Returns whether computing an instruction in every iteration costs more than keeping its value.
fn is_expensive(function: &Function, inst: Inst) -> bool {
    let varies = |value: &Value| !matches!(function.values[*value].def, ValueDef::Const(_));
    match &function.insts[inst].kind {
        InstKind::Binary(op, a, b) => {
            use BinaryOp::{FDiv, FRem, IMul, SDiv, SMulHi, SRem, UDiv, UMulHi, URem};
            let plain = |v: &Value| function.const_bits(*v).is_some_and(u64::is_power_of_two);
            match op {
                IMul | UDiv | URem => !plain(a) && !plain(b),
                SDiv | SRem | FDiv | FRem | UMulHi | SMulHi => true,
                _ => varies(a) && varies(b) && a != b,
            }
        }
        InstKind::Fma(..) | InstKind::Glsl { .. } => true,
        _ => false,
    }
}

/// The blocks that use a value of a header.
#[derive(Default)]
struct Needed {
    blocks: Vec<Block>,
}

fn sink(function: &mut Function, cfg: &Cfg, loops: &Loops) {
    let mut needed: FxHashMap<Value, Needed> = FxHashMap::default();
    let mut heads: Vec<(Block, Block)> = Vec::new();
    for (index, data) in loops.loops.iter().enumerate() {
        let Terminator::CondBranch { then, els, .. } = &function.blocks[data.header].term else { continue };
        let inside = match (loops.contains(index, then.block), loops.contains(index, els.block)) {
            (true, false) => then.block,
            (false, true) => els.block,
            _ => continue,
        };
        if inside == data.header || cfg.preds(inside) != [data.header] {
            continue;
        }
        heads.push((data.header, inside));
        for inst in &function.blocks[data.header].insts {
            if let [result] = function.insts[*inst].results[..] {
                needed.insert(result, Needed::default());
            }
        }
    }
    if heads.is_empty() {
        return;
    }
    for &block in cfg.rpo() {
        let data = &function.blocks[block];
        let values = data.insts.iter().flat_map(|inst| function.insts[*inst].kind.values());
        for value in values.chain(data.term.values()) {
            if let Some(needed) = needed.get_mut(&value) {
                needed.blocks.push(block);
            }
        }
    }
    for (header, inside) in heads {
        let mut sunk: Vec<Inst> = Vec::new();
        for &inst in function.blocks[header].insts.iter().rev() {
            let data = &function.insts[inst];
            let [result] = data.results[..] else { continue };
            let Some(users) = needed.get(&result).map(|n| &n.blocks) else { continue };
            let behind = |block: &Block| *block != header && cfg.dominates(inside, *block);
            if !users.is_empty() && data.kind.effects(function).can_be_numbered() && users.iter().all(behind)
            {
                // From now on the uses of its operands are in `inside`.
                for operand in data.kind.values() {
                    if let Some(needed) = needed.get_mut(&operand)
                        && let Some(at) = needed.blocks.iter().position(|b| *b == header)
                    {
                        needed.blocks[at] = inside;
                    }
                }
                sunk.push(inst);
            }
        }
        if sunk.is_empty() {
            continue;
        }
        function.blocks[header].insts.retain(|inst| !sunk.contains(inst));
        sunk.reverse();
        sunk.append(&mut function.blocks[inside].insts);
        function.blocks[inside].insts = sunk;
    }
}

#[cfg(test)]
mod tests {
    use super::move_invariants;
    use crate::ir::{text, verify};

    fn moved(body: &str) -> String {
        moved_by(body, false)
    }

    fn moved_by(body: &str, cheap: bool) -> String {
        let source = format!("module resolved bits=64\nfunc f0 \"f\" returns (i32)\n{body}");
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        module.functions.values_mut().for_each(|f| move_invariants(f, (None, false), cheap));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    /// The lines of a block.
    fn block<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
        let lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with(name));
        lines.skip(1).take_while(|line| !line.starts_with('b') || line.starts_with("br ")).collect()
    }

    #[test]
    fn invariants_are_hoisted_with_their_operands() {
        let text = moved(
            "b0(v0: i32, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v3: i32 = iadd v0, i32:3\n  v4: i32 = sdiv v3, i32:7\n  \
             v5: bool = icmp.slt v2, v4\n  condbr v5, b2(), b3()\nb2():\n  v6: i32 = iadd v1, i32:5\n  v7: i32 = iadd v2, v6\n  \
             br b1(v7)\nb3():\n  return(v2)\n",
        );
        let front = block(&text, "b0(");
        assert!(
            front.iter().any(|l| l.contains("sdiv")) && front.iter().any(|l| l.contains("iadd v0")),
            "{text}"
        );
        // One operation on a single value is cheaper than a register.
        assert!(block(&text, "b2(").iter().any(|l| l.contains("iadd v1, i32:5")), "{text}");
    }

    #[test]
    fn cheap_operations_that_replace_a_value_or_end_a_chain() {
        let body = "b0(v0: i32, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v3: i32 = shl v0, i32:2\n  v4: bool = icmp.slt v2, v3\n  \
                    condbr v4, b2(), b3()\nb2():\n  v5: i32 = and v1, i32:7\n  v6: i32 = shl v5, i32:3\n  v7: i32 = xor v1, i32:5\n  \
                    v8: i32 = iadd v6, v7\n  v9: i32 = iadd v2, v8\n  br b1(v9)\nb3():\n  return(v1)\n";
        let text = moved_by(&body.replace("iadd v6, v7", "iadd v6, v2"), true);
        let front = block(&text, "b0(");
        // v0 lives on as its multiple, and a chain of two operations is hoisted. One operation on a value with other uses stays.
        assert!(
            front.iter().any(|l| l.contains("shl v0")) && front.iter().any(|l| l.contains("shl v5")),
            "{text}"
        );
        assert!(block(&text, "b2(").iter().any(|l| l.contains("xor v1")), "{text}");
        let text = moved(&body.replace("iadd v6, v7", "iadd v6, v2"));
        assert!(block(&text, "b0(").len() == 1, "{text}");
    }

    #[test]
    fn operations_that_may_trap_stay() {
        let text = moved(
            "b0(v0: i32, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v5: bool = icmp.slt v2, v0\n  condbr v5, b2(), b3()\nb2():\n  \
             v6: i32 = sdiv v0, v1\n  v7: i32 = iadd v2, v6\n  br b1(v7)\nb3():\n  return(v2)\n",
        );
        assert!(block(&text, "b2(").iter().any(|l| l.contains("sdiv")), "{text}");
    }

    #[test]
    fn invariants_leave_as_many_loops_as_possible() {
        let text = moved(
            "b0(v0: i32, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v3: bool = icmp.slt v2, v0\n  condbr v3, b2(), b5()\nb2():\n  \
             br b3(i32:0)\nb3(v4: i32):\n  v5: i32 = imul v0, v1\n  v6: i32 = imul v2, v5\n  v7: i32 = iadd v4, v6\n  \
             v8: bool = icmp.slt v7, v1\n  condbr v8, b3(v7), b4()\nb4():\n  v9: i32 = iadd v2, i32:1\n  br b1(v9)\nb5():\n  return(v2)\n",
        );
        assert!(block(&text, "b0(").iter().any(|l| l.contains("imul v0, v1")), "{text}");
        assert!(block(&text, "b2(").iter().any(|l| l.contains("imul v2, v5")), "{text}");
    }

    #[test]
    fn a_decrement_before_the_test_sinks_behind_it() {
        let text = moved(
            "b0(v0: i32):\n  br b1(v0, i32:0)\nb1(v1: i32, v2: i32):\n  v3: i32 = iadd v1, i32:-1\n  v4: bool = icmp.ne v1, i32:0\n  \
             condbr v4, b2(), b3()\nb2():\n  v5: i32 = imul v2, v2\n  br b1(v3, v5)\nb3():\n  return(v2)\n",
        );
        assert!(block(&text, "b2(").iter().any(|l| l.contains("iadd v1")), "{text}");
        // The exit uses it.
        let text = moved(
            "b0(v0: i32):\n  br b1(v0)\nb1(v1: i32):\n  v3: i32 = iadd v1, i32:-1\n  v4: bool = icmp.ne v1, i32:0\n  \
             condbr v4, b2(), b3()\nb2():\n  br b1(v3)\nb3():\n  return(v3)\n",
        );
        assert!(block(&text, "b1(").iter().any(|l| l.contains("iadd v1")), "{text}");
    }
}
