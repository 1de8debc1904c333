//! Integer ranges and known bits: the bits that an integer may have set, its signed range, and its greatest value.
//!
//! ```text
//! (x >> 28) & 7: bits 0b111        x >> 28 (signed): -8 to 7        for (i = 0; i < 10; i++): i is at most 10
//! ```
//!
//! [`possible_bits`] and [`decide`] look at expressions alone, and stay valid while a pass rewrites others. [`Ranges`] looks at the counters of
//! loops, too, and remembers what it found.

use super::loops::{self, Carried};
use crate::ir::cfg::Cfg;
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, InstKind, IntCC, Scalar, Terminator, Value, ValueDef, WorkItem,
};
use rustc_hash::FxHashMap;

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
    let (lowest, highest) = bounds(f, value, width, MAX_SIGNED_DEPTH)?;
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
fn bounds(f: &Function, value: Value, width: u32, depth: u32) -> Option<(i64, i64)> {
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
    let of = |v: Value| bounds(f, v, width, depth.checked_sub(1)?);
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

/// The greatest values of integers, computed on demand: they are as unsigned numbers.
pub struct Ranges<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    known: FxHashMap<Value, u64>,
    homes: Vec<Option<Block>>,
    /// The greatest number of work-items in a work-group, if it is known.
    items: Option<u64>,
}

impl<'f> Ranges<'f> {
    /// Ranges of a function's values.
    pub fn new(function: &'f Function, cfg: &'f Cfg) -> Self {
        let mut homes = vec![None; function.values.len()];
        for &block in cfg.rpo() {
            for inst in &function.blocks[block].insts {
                function.insts[*inst].results.iter().for_each(|r| homes[r.0 as usize] = Some(block));
            }
        }
        Ranges { function, cfg, known: FxHashMap::default(), homes, items: None }
    }

    /// The same where a work-group has no more work-items than this.
    pub fn with_items(self, items: u64) -> Self {
        Ranges { items: Some(items), ..self }
    }

    /// An upper bound of a value, unsigned.
    pub fn greatest(&mut self, value: Value) -> u64 {
        self.upper_bound(value, MAX_DEPTH)
    }

    /// [`Self::greatest`], with a limited depth.
    fn upper_bound(&mut self, value: Value, depth: u32) -> u64 {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let function = self.function;
        let all = function.ty(value).scalar().map_or(u64::MAX, |s| fold::mask(s.bits()));
        if depth == 0 {
            return all;
        }
        let found = match function.values[value].def {
            ValueDef::Const(_) => function.const_bits(value).unwrap_or(all),
            ValueDef::Param(block, n) => self.counter(block, n, depth).unwrap_or(all),
            ValueDef::Inst(inst, _) => {
                self.upper_bound_of_inst(&function.insts[inst].kind, depth).unwrap_or(all)
            }
        };
        let found = found.min(all);
        self.known.insert(value, found);
        found
    }

    fn upper_bound_of_inst(&mut self, kind: &InstKind, depth: u32) -> Option<u64> {
        let constant = |v: Value| self.function.const_bits(v);
        let depth = depth - 1;
        match *kind {
            InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, .. } => {
                Some(self.upper_bound(value, depth))
            }
            InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. } => {
                // Only if no bit is lost; otherwise the caller bounds it by the type.
                Some(self.upper_bound(value, depth))
            }
            InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. } => {
                let width = self.function.ty(value).scalar()?.bits();
                let upper_bound = self.upper_bound(value, depth);
                (upper_bound < 1 << (width - 1)).then_some(upper_bound)
            }
            InstKind::Binary(op, a, b) => {
                let k = constant(b);
                let (a, b) = (self.upper_bound(a, depth), self.upper_bound(b, depth));
                match op {
                    BinaryOp::IAdd => a.checked_add(b),
                    BinaryOp::IMul => a.checked_mul(b),
                    BinaryOp::And | BinaryOp::UMin => Some(a.min(b)),
                    BinaryOp::Or | BinaryOp::Xor => {
                        Some(u64::MAX.checked_shr((a | b).leading_zeros()).unwrap_or(0))
                    }
                    BinaryOp::UMax => Some(a.max(b)),
                    BinaryOp::UDiv => Some(k.filter(|k| *k != 0).map_or(a, |k| a / k)),
                    BinaryOp::URem => Some(a.min(b.saturating_sub(1))),
                    BinaryOp::LShr => Some(k.filter(|k| *k < 64).map_or(a, |k| a >> k)),
                    BinaryOp::Shl => k.filter(|k| *k < 64 && a.leading_zeros() as u64 >= *k).map(|k| a << k),
                    _ => None,
                }
            }
            InstKind::Select(_, a, b) => Some(self.upper_bound(a, depth).max(self.upper_bound(b, depth))),
            InstKind::WorkItem(
                WorkItem::LocalId
                | WorkItem::LocalSize
                | WorkItem::EnqueuedLocalSize
                | WorkItem::LocalLinearId,
                _,
            ) => self.items,
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
        let first = self.upper_bound(start?, depth - 1);
        if first > LOW || step > LOW {
            return None;
        }
        // A signed test must never see a sum with the sign bit set.
        let sign = 1u64 << (self.function.ty(param).scalar()?.bits() - 1);
        // A test at the top: the addition is behind `param < bound`.
        let added_in = self.homes[next.0 as usize]?;
        if let Some((bound, then, signed)) = self.less_than(block, param) {
            let bound = self.upper_bound(bound, depth - 1);
            let behind = self.cfg.preds(then).len() == 1 && self.cfg.dominates(then, added_in);
            if behind && bound <= LOW && !(signed && first.max(bound) + step >= sign) {
                return Some(first.max(bound.saturating_sub(1) + step));
            }
        }
        // A test at the bottom: the back edge is taken only while `next < bound`.
        if let [latch] = data.latches[..]
            && let Some((bound, then, signed)) = self.less_than(latch, next)
        {
            let bound = self.upper_bound(bound, depth - 1);
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
