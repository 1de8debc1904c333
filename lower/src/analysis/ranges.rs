//! Integer ranges and known bits: the bits that an integer may have set, its signed range, and its least and greatest value.
//!
//! ```text
//! (x >> 28) & 7: bits 0b111        x >> 28 (signed): -8 to 7        for (i = 0; i < 10; i++): i is at most 10
//! ```
//!
//! [`possible_bits`] and [`decide`] look at expressions alone, and stay valid while a pass rewrites others. [`Ranges`] looks at the counters of
//! loops, too, and remembers what it found.

use super::loops::{self, Carried};
use crate::ir::cfg::{Cfg, Positions};
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, BuiltinInput, ConvertOp, Function, InstKind, IntCC, Scalar, Terminator, Value, ValueDef,
    WorkItem,
};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Depth to which the bits of an expression are followed.
const MAX_BITS_DEPTH: u32 = 6;
/// Depth to which the signed range of an expression is followed.
const MAX_SIGNED_DEPTH: u32 = 4;
/// Depth to which the range of an expression is followed.
const MAX_DEPTH: u32 = 12;
/// The greatest number of 32 bits: counters beyond it have no bound.
const LOW: u64 = 0xffff_ffff;

/// The bits that an integer, or some lane of a vector of integers, may have set.
pub fn possible_bits(f: &Function, value: Value) -> u64 {
    possible(f, value, MAX_BITS_DEPTH)
}

fn possible(f: &Function, value: Value, depth: u32) -> u64 {
    let Some(scalar) = f.ty(value).scalar() else { return u64::MAX };
    let all = fold::mask(scalar.bits());
    if let Some(bits) = f.const_bits(value) {
        return bits & all;
    }
    if depth == 0 || scalar.is_float() {
        return all;
    }
    let of = |v: Value| possible(f, v, depth - 1);
    // The second operand does not matter where the first may have all bits: hashes have long chains of these.
    let either = |a: Value, b: Value| match of(a) {
        one if one == all => all,
        one => one | of(b),
    };
    let Some(inst) = f.def_inst(value) else { return all };
    let bits = match inst.kind {
        InstKind::Binary(op, a, b) => match (op, f.const_bits(b)) {
            (BinaryOp::And, _) => of(a) & of(b),
            (BinaryOp::Or | BinaryOp::Xor, _) => either(a, b),
            (BinaryOp::Shl, Some(by)) if by < u64::from(scalar.bits()) => of(a) << by,
            (BinaryOp::LShr, Some(by)) if by < u64::from(scalar.bits()) => of(a) >> by,
            (BinaryOp::IMul, Some(by)) if by > 0 => all << by.trailing_zeros(),
            (BinaryOp::URem, Some(by)) if by > 0 => (by - 1).checked_next_power_of_two().map_or(all, up_to),
            _ => all,
        },
        InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, value, saturate: false, .. } => of(value),
        InstKind::Select(_, a, b) => either(a, b),
        _ => all,
    };
    bits & all
}

/// All bits up to and including a power of two.
fn up_to(power: u64) -> u64 {
    power | (power - 1)
}

/// The result of comparing a number with a constant, if it is the same for all operands of the number's operation.
pub fn decide(f: &Function, cc: IntCC, value: Value, k: u64) -> Option<bool> {
    let width = f.ty(value).scalar().filter(|s| s.is_int()).map(Scalar::bits)?;
    if let Some(bits) = f.const_bits(value) {
        return Some(fold::icmp(cc, width, bits, k));
    }
    // Selections, loads and parameters have no bounds.
    if !matches!(f.def_inst(value)?.kind, InstKind::Binary(..)) {
        return None;
    }
    let k = fold::signed(k, width);
    let (lowest, highest) = signed_bounds(f, value, width, MAX_SIGNED_DEPTH)?;
    let (below, above) = (highest < k, k < lowest);
    match cc {
        IntCC::Eq if below || above => Some(false),
        IntCC::Ne if below || above => Some(true),
        IntCC::Slt if below || lowest >= k => Some(below),
        IntCC::Sge if below || lowest >= k => Some(!below),
        IntCC::Sgt if above || highest <= k => Some(above),
        IntCC::Sle if above || highest <= k => Some(!above),
        // Neither is negative: signs make no difference.
        IntCC::Ult if lowest >= 0 && k >= 0 && (below || lowest >= k) => Some(below),
        IntCC::Uge if lowest >= 0 && k >= 0 && (below || lowest >= k) => Some(!below),
        IntCC::Ugt if lowest >= 0 && k >= 0 && (above || highest <= k) => Some(above),
        IntCC::Ule if lowest >= 0 && k >= 0 && (above || highest <= k) => Some(!above),
        _ => None,
    }
}

/// The least and the greatest signed value of a number; `None` where it may be any.
fn signed_bounds(f: &Function, value: Value, width: u32, depth: u32) -> Option<(i64, i64)> {
    if let Some(bits) = f.const_bits(value) {
        let k = fold::signed(bits, width);
        return Some((k, k));
    }
    let fits = |(lowest, highest): (i64, i64)| {
        let top = fold::mask(width - 1) as i64;
        (-top - 1 <= lowest && highest <= top).then_some((lowest, highest))
    };
    let by_bits = || {
        let bits = possible_bits(f, value);
        (bits >> (width - 1) == 0).then_some((0, bits as i64))
    };
    let of = |v: Value| signed_bounds(f, v, width, depth.checked_sub(1)?);
    match f.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::AShr, _, by) => {
            let by = f.const_bits(by).filter(|by| (1..u64::from(width)).contains(by))?;
            let top = fold::mask(width - 1 - by as u32) as i64;
            Some((-top - 1, top))
        }
        InstKind::Binary(BinaryOp::IAdd, x, y) => {
            let ((a, b), (c, d)) = (of(x)?, of(y)?);
            fits((a.checked_add(c)?, b.checked_add(d)?))
        }
        InstKind::Binary(BinaryOp::ISub, x, y) => {
            let ((a, b), (c, d)) = (of(x)?, of(y)?);
            fits((a.checked_sub(d)?, b.checked_sub(c)?))
        }
        InstKind::Binary(BinaryOp::And | BinaryOp::LShr | BinaryOp::URem, ..) => by_bits(),
        InstKind::Convert { op: ConvertOp::ZExt, .. } => by_bits(),
        InstKind::Select(_, x, y) => {
            let ((a, b), (c, d)) = (of(x)?, of(y)?);
            Some((a.min(c), b.max(d)))
        }
        _ => None,
    }
}

/// The least and greatest values of integers as unsigned numbers, computed on demand.
pub struct Ranges<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    known: FxHashMap<Value, (u64, u64)>,
    positions: OnceCell<Positions>,
    /// The greatest number of work-items in a work-group, if it is known.
    items: Option<u64>,
}

impl<'f> Ranges<'f> {
    /// Ranges of a function's values.
    pub fn new(function: &'f Function, cfg: &'f Cfg) -> Self {
        Ranges { function, cfg, known: FxHashMap::default(), positions: OnceCell::new(), items: None }
    }

    /// The same where a work-group has at most so many work-items.
    pub fn with_items(self, items: u64) -> Self {
        Ranges { items: Some(items), ..self }
    }

    /// The greatest number that an integer can be, unsigned.
    pub fn greatest(&mut self, value: Value) -> u64 {
        self.bounds(value, MAX_DEPTH).1
    }

    /// The least and the greatest number that an integer can be, unsigned.
    pub fn least_and_greatest(&mut self, value: Value) -> (u64, u64) {
        self.bounds(value, MAX_DEPTH)
    }

    fn bounds(&mut self, value: Value, depth: u32) -> (u64, u64) {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let function = self.function;
        let all = function.ty(value).scalar().map_or(u64::MAX, |s| fold::mask(s.bits()));
        if depth == 0 {
            return (0, all);
        }
        let found = match function.values[value].def {
            ValueDef::Const(_) => function.const_bits(value).map(|bits| (bits, bits)),
            ValueDef::Param(block, n) => self.counter(block, n, depth).map(|greatest| (0, greatest)),
            ValueDef::Inst(inst, _) => self.bounds_of_inst(&function.insts[inst].kind, depth - 1),
        };
        // A number that the type does not hold wraps.
        let found = found.filter(|found| found.1 <= all).unwrap_or((0, all));
        self.known.insert(value, found);
        found
    }

    fn bounds_of_inst(&mut self, kind: &InstKind, depth: u32) -> Option<(u64, u64)> {
        match *kind {
            InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, value, saturate: false, .. } => {
                Some(self.bounds(value, depth))
            }
            InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. } => {
                let width = self.function.ty(value).scalar()?.bits();
                Some(self.bounds(value, depth)).filter(|found| found.1 < 1 << (width - 1))
            }
            InstKind::Binary(op, a, b) => {
                let (a, b) = (self.bounds(a, depth), self.bounds(b, depth));
                let k = (b.0 == b.1).then_some(b.0);
                let both = |f: fn(u64, u64) -> Option<u64>| Some((f(a.0, b.0)?, f(a.1, b.1)?));
                match op {
                    BinaryOp::IAdd => both(u64::checked_add),
                    BinaryOp::IMul => both(u64::checked_mul),
                    BinaryOp::ISub => Some((a.0.checked_sub(b.1)?, a.1 - b.0)),
                    BinaryOp::And => Some((0, a.1.min(b.1))),
                    BinaryOp::UMin => Some((a.0.min(b.0), a.1.min(b.1))),
                    BinaryOp::Or | BinaryOp::Xor => {
                        Some((0, u64::MAX.checked_shr((a.1 | b.1).leading_zeros()).unwrap_or(0)))
                    }
                    BinaryOp::UMax => Some((a.0.max(b.0), a.1.max(b.1))),
                    BinaryOp::UDiv => Some(k.filter(|k| *k != 0).map_or((0, a.1), |k| (a.0 / k, a.1 / k))),
                    BinaryOp::URem => Some((0, a.1.min(b.1.saturating_sub(1)))),
                    BinaryOp::LShr => Some(k.filter(|k| *k < 64).map_or((0, a.1), |k| (a.0 >> k, a.1 >> k))),
                    BinaryOp::Shl => k
                        .filter(|k| *k < 64 && u64::from(a.1.leading_zeros()) >= *k)
                        .map(|k| (a.0 << k, a.1 << k)),
                    _ => None,
                }
            }
            InstKind::Select(_, a, b) => {
                let (a, b) = (self.bounds(a, depth), self.bounds(b, depth));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            InstKind::WorkItem(
                WorkItem::LocalId
                | WorkItem::LocalSize
                | WorkItem::EnqueuedLocalSize
                | WorkItem::LocalLinearId,
                _,
            ) => self.items.map(|items| (0, items)),
            InstKind::WorkgroupSize(_) => self.items.map(|items| (1, items)),
            InstKind::Input(
                BuiltinInput::LocalInvocationId
                | BuiltinInput::LocalInvocationIndex
                | BuiltinInput::SubgroupSize
                | BuiltinInput::SubgroupId
                | BuiltinInput::SubgroupLocalInvocationId,
                _,
            ) => self.items.map(|items| (0, items)),
            _ => None,
        }
    }

    /// The bound of a loop counter: it starts in a known range, grows by a constant, and continues only while it (or its next
    /// value) is below a bound.
    fn counter(&mut self, block: Block, n: u16, depth: u32) -> Option<u64> {
        let forest = self.cfg.loops();
        let data = &forest.loops[forest.innermost(block)?];
        let Carried { param, start, next } =
            loops::carried(self.function, self.cfg, data, n.into()).filter(|_| data.header == block)?;
        let next = next?;
        let step = u64::try_from(loops::constant_step(self.function, param, next)?).ok()?;
        let first = self.bounds(start?, depth - 1).1;
        if first > LOW || step > LOW {
            return None;
        }
        // A signed test must never see a sum with the sign bit set.
        let sign = 1u64 << (self.function.ty(param).scalar()?.bits() - 1);
        // A test at the top: the addition is behind `param < bound`.
        let added_in =
            self.positions.get_or_init(|| Positions::new(self.function)).block_of(self.function, next)?;
        if let Some((bound, then, signed)) = self.less_than(block, param) {
            let bound = self.bounds(bound, depth - 1).1;
            let behind = self.cfg.preds(then).len() == 1 && self.cfg.dominates(then, added_in);
            if behind && bound <= LOW && !(signed && first.max(bound) + step >= sign) {
                return Some(first.max(bound.saturating_sub(1) + step));
            }
        }
        // A test at the bottom: the back edge is taken only while `next < bound`.
        if let [latch] = data.latches[..]
            && let Some((bound, then, signed)) = self.less_than(latch, next)
        {
            let bound = self.bounds(bound, depth - 1).1;
            if then == block && bound <= LOW && !(signed && first.max(bound) + step >= sign) {
                return Some(first.max(bound.saturating_sub(1)));
            }
        }
        None
    }

    /// The bound, the true successor and whether the test is signed, if a block branches on `value < bound`.
    fn less_than(&self, block: Block, value: Value) -> Option<(Value, Block, bool)> {
        let Terminator::CondBranch { cond, then, els } = &self.function.blocks[block].term else {
            return None;
        };
        if then.block == els.block {
            return None;
        }
        let InstKind::ICmp(cc, a, b) = self.function.def_inst(*cond)?.kind else { return None };
        let signed = fold::unsigned_icmp(cc) != cc;
        match (cc, a == value, b == value) {
            (IntCC::Ult | IntCC::Slt, true, _) => Some((b, then.block, signed)),
            (IntCC::Ugt | IntCC::Sgt, _, true) => Some((a, then.block, signed)),
            (IntCC::Uge | IntCC::Sge, true, _) => Some((b, els.block, signed)),
            (IntCC::Ule | IntCC::Sle, _, true) => Some((a, els.block, signed)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;
    use crate::passes::optimize::simplify::simplify_function;

    fn simplified(body: &str) -> String {
        let text = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (bool)\nb0(v0: i32, v1: i32, v2: bool, v3: bool):\n{body}"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.values_mut().for_each(|f| simplify_function(f, 64));
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    #[test]
    fn comparisons_beyond_the_bounds_fold() {
        let exponent = "  v4: i32 = ashr v0, i32:23\n  v5: i32 = select v2, i32:-276, i32:-127\n  v6: i32 = iadd v4, v5\n";
        let beyond =
            simplified(&format!("{exponent}  v7: bool = icmp.eq v6, i32:2147483647\n  return(v7)\n"));
        assert!(beyond.contains("return(false)") || beyond.contains("return(bool:0)"), "{beyond}");
        let edge = simplified(&format!("{exponent}  v7: bool = icmp.sge v6, i32:-532\n  return(v7)\n"));
        assert!(edge.contains("return(true)") || edge.contains("return(bool:1)"), "{edge}");
        let within = simplified(&format!("{exponent}  v7: bool = icmp.sge v6, i32:-531\n  return(v7)\n"));
        assert!(within.contains("icmp.sge"), "{within}");
        let less =
            "  v4: i32 = ashr v0, i32:23\n  v5: i32 = select v2, i32:276, i32:127\n  v6: i32 = isub v4, v5\n";
        let beyond = simplified(&format!("{less}  v7: bool = icmp.slt v6, i32:-532\n  return(v7)\n"));
        assert!(beyond.contains("return(bool:0)"), "{beyond}");
        let within = simplified(&format!("{less}  v7: bool = icmp.slt v6, i32:-531\n  return(v7)\n"));
        assert!(within.contains("icmp.slt"), "{within}");
        // A sum that may wrap has no bounds.
        let wraps = simplified(
            "  v4: i32 = ashr v0, i32:1\n  v5: i32 = ashr v1, i32:1\n  v6: i32 = iadd v4, v5\n  v7: i32 = iadd v6, v4\n  v8: bool = icmp.sgt v7, i32:-2147483648\n  return(v8)\n",
        );
        assert!(wraps.contains("icmp.sgt"), "{wraps}");
    }

    #[test]
    fn selections_of_constants_outside_the_bounds() {
        let named = "  v4: i32 = ashr v0, i32:23\n  v5: i32 = select v2, i32:2147483647, v4\n  v6: i32 = select v3, i32:-2147483648, v5\n";
        let one = simplified(&format!("{named}  v7: bool = icmp.eq v6, i32:-2147483648\n  return(v7)\n"));
        assert!(one.contains("return(v3)"), "{one}");
        let inner = simplified(&format!("{named}  v7: bool = icmp.eq v6, i32:2147483647\n  return(v7)\n"));
        assert!(inner.contains("and ") && inner.contains("not v3") && !inner.contains("icmp"), "{inner}");
        let reached = simplified(&format!("{named}  v7: bool = icmp.eq v6, i32:5\n  return(v7)\n"));
        assert!(reached.contains("icmp.eq v6"), "{reached}");
    }
}
