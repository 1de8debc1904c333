//! Values of the counter in the iterations of a trip: extensions, products and remainders follow from those of the first iteration.
//!
//! ```text
//! sext(i), sext(i + 1), …; i * m, (i + 1) * m, …; i % 4, (i + 1) % 4, …
//! → x = sext(i), x + 1, …; y = i * m, y + m, …; 0, 1, …
//! ```
//!
//! The guard says that no counter of a trip wraps around, in the signedness of its comparison. So an extension needs no second one, and addresses
//! differ by constants.

use super::guards::Counter;
use crate::ir::cfg::LoopData;
use crate::ir::fold;
use crate::ir::{BinaryOp, Block, ConvertOp, Function, Inst, InstKind, IntCC, Scalar, Type, Value, ValueDef};
use crate::transform::clone::Region;
use crate::transform::loops::Guard;
use rustc_hash::FxHashMap;

/// Rewrites what the copies of a loop's iterations compute from the counter. `straight`: each iteration executes all instructions.
pub(super) fn follow(
    function: &mut Function,
    data: &LoopData,
    counter: &Counter,
    (guard, copies): (Guard, &[Region]),
    straight: bool,
) {
    let param = function.blocks[data.header].params[counter.param];
    let is_wide = function.ty(param).scalar() == Some(Scalar::I64);
    let extension = match counter.cc {
        _ if is_wide => None,
        IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge => Some(ConvertOp::SExt),
        IntCC::Ult | IntCC::Ule | IntCC::Ugt | IntCC::Uge => Some(ConvertOp::ZExt),
        IntCC::Eq | IntCC::Ne => None,
    };
    let insts: Vec<Inst> =
        data.blocks.iter().flat_map(|block| function.blocks[*block].insts.clone()).collect();
    let extends = |f: &Function, inst: Inst| match f.insts[inst].kind {
        InstKind::Convert { op, value, saturate: false, .. } => {
            value == param
                && Some(op) == extension
                && f.insts[inst].results.iter().all(|r| f.ty(*r) == Type::I64)
        }
        _ => false,
    };
    // The extensions of the counter, by copy.
    let mut extended: Vec<Value> = Vec::new();
    if let Some(op) = extension {
        let first = copies[0].value(param);
        let kind = InstKind::Convert { op, value: first, saturate: false, rounding: None };
        let home = copies[0].blocks[&data.header];
        let wide = insert_first(function, home, kind);
        extended.push(wide);
        for (n, copy) in copies.iter().enumerate().skip(1) {
            let distance = function.iconst(Type::I64, counter.step.wrapping_mul(n as i64) as u64);
            let kind = InstKind::Binary(BinaryOp::IAdd, wide, distance);
            extended.push(insert_first(function, copy.blocks[&data.header], kind));
        }
    }
    let wide: Vec<Value> = insts
        .iter()
        .filter(|inst| extends(function, **inst))
        .flat_map(|inst| function.insts[*inst].results.iter().copied())
        .chain(is_wide.then_some(param))
        .collect();
    let mut steps: FxHashMap<Value, Value> = FxHashMap::default();
    for &inst in &insts {
        let Some(result) = function.insts[inst].results.first().copied() else { continue };
        let kind = function.insts[inst].kind.clone();
        let product = match kind {
            InstKind::Binary(BinaryOp::IMul, a, b) if wide.contains(&a) => Some(b),
            InstKind::Binary(BinaryOp::IMul, a, b) if wide.contains(&b) => Some(a),
            _ => None,
        };
        let factor = product.filter(|m| straight && is_outside(function, &insts, data, *m));
        for (n, copy) in copies.iter().enumerate() {
            let ValueDef::Inst(copied, _) = function.values[copy.value(result)].def else { continue };
            let new = match (&kind, factor) {
                (InstKind::Convert { .. }, _) if extends(function, inst) => {
                    let none = function.iconst(Type::I64, 0);
                    InstKind::Binary(BinaryOp::IAdd, extended[n], none)
                }
                (InstKind::PtrAdd { index, scale, .. }, _)
                    if *index == param && extension == Some(ConvertOp::SExt) =>
                {
                    let InstKind::PtrAdd { base, .. } = function.insts[copied].kind else { continue };
                    InstKind::PtrAdd { base, index: extended[n], scale: *scale }
                }
                (_, Some(factor)) if n > 0 => {
                    let step = *steps.entry(factor).or_insert_with(|| {
                        let by = function.iconst(Type::I64, counter.step as u64);
                        function.append(guard.entry, InstKind::Binary(BinaryOp::IMul, factor, by), Type::I64)
                    });
                    InstKind::Binary(BinaryOp::IAdd, copies[n - 1].value(result), step)
                }
                (InstKind::Binary(op, value, by), None) if *value == param => {
                    let Some(bits) = remainder(function, counter, copies.len(), n, (*op, *by)) else {
                        continue;
                    };
                    let ty = function.ty(result);
                    let (bits, none) = (function.iconst(ty, bits), function.iconst(ty, 0));
                    InstKind::Binary(BinaryOp::IAdd, bits, none)
                }
                _ => continue,
            };
            function.insts[copied].kind = new;
        }
    }
}

/// Inserts an instruction at the start of a block, and returns its result.
fn insert_first(function: &mut Function, block: Block, kind: InstKind) -> Value {
    let inst = function.make_inst(kind, &[Type::I64]);
    function.blocks[block].insts.insert(0, inst);
    function.insts[inst].results[0]
}

/// Returns whether a value comes from outside the loop and is no constant.
fn is_outside(function: &Function, insts: &[Inst], data: &LoopData, value: Value) -> bool {
    match function.values[value].def {
        ValueDef::Const(_) => false,
        ValueDef::Inst(inst, _) => !insts.contains(&inst),
        ValueDef::Param(block, _) => !data.blocks.contains(&block),
    }
}

/// The counter's remainder or low bits in copy `n`, where each trip starts with the same.
fn remainder(
    function: &Function,
    counter: &Counter,
    times: usize,
    n: usize,
    (op, by): (BinaryOp, Value),
) -> Option<u64> {
    let start = function.const_signed(counter.start?)?;
    let by = function.const_bits(by)?;
    // A counter that starts at no negative number and stops in time is never one.
    let never_wraps = counter.step == 1 && start >= 0 && matches!(counter.cc, IntCC::Slt | IntCC::Ult);
    let modulus = match op {
        BinaryOp::And if by.wrapping_add(1).is_power_of_two() => by + 1,
        BinaryOp::URem if by.is_power_of_two() || never_wraps => by,
        BinaryOp::SRem if never_wraps && counter.cc == IntCC::Slt && by <= i32::MAX as u64 => by,
        _ => return None,
    };
    let trip = counter.step.unsigned_abs().checked_mul(times as u64)?;
    if modulus == 0 || modulus > 1 << 16 || !trip.is_multiple_of(modulus) {
        return None;
    }
    let value = start.wrapping_add(counter.step.wrapping_mul(n as i64));
    Some(value.rem_euclid(modulus as i64) as u64 & fold::mask(32))
}
