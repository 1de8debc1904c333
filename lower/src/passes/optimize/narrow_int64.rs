//! Narrowing of 64-bit integers: arithmetic whose operands and results are proven to fit is computed in 32 bits.
//!
//! ```text
//! (ulong)get_local_id(0) * 4 + 3    →    (ulong)((uint)get_local_id(0) * 4 + 3)
//! ```
//!
//! 1. By range: the operands, and the result where it matters, are proven below 2^32 (extended ids, sizes, counters compared with such bounds).
//!    The operation moves to 32 bits and its result is extended.
//! 2. By demand: only the low 32 bits of a value are used, through additions, multiplications, logic, selections and block parameters.
//!
//! `simplify` then removes the truncated extensions.

use crate::analysis::ranges::Ranges;
use crate::ir::fold;
use crate::ir::{
    BinaryOp, ConvertOp, Function, Inst, InstKind, Scalar, Terminator, UnaryOp, Value, ValueDef,
};
use crate::transform::rewriter::{Rewriter, replace_each};
use rustc_hash::{FxHashMap, FxHashSet};

const LOW: u64 = 0xffff_ffff;

/// Narrows one function.
pub fn narrow_function(function: &mut Function) {
    let wide = |v: &crate::ir::ValueData| v.ty.scalar() == Some(Scalar::I64);
    if function.values.values().any(wide) {
        by_range(function);
        by_demand(function);
    }
}

fn by_range(function: &mut Function) {
    let cfg = function.cfg();
    let mut found: FxHashSet<Inst> = FxHashSet::default();
    let mut ranges = Ranges::new(function, &cfg);
    for inst in cfg.rpo().iter().flat_map(|block| &function.blocks[*block].insts) {
        let data = &function.insts[*inst];
        let is_wide = |v: Value| function.ty(v).scalar() == Some(Scalar::I64);
        let narrows = match data.kind {
            InstKind::ICmp(_, a, b) => is_wide(a) && ranges.greatest(a) <= LOW && ranges.greatest(b) <= LOW,
            InstKind::Binary(op, a, b) => is_wide(a) && fits(&mut ranges, op, a, b, data.results[0]),
            _ => false,
        };
        if narrows {
            found.insert(*inst);
        }
    }
    if !found.is_empty() {
        let narrows = |_: &Function, inst: Inst| found.contains(&inst).then_some(());
        replace_each(function, narrows, |rw, inst, ()| in_32_bits(rw, inst));
    }
}

/// A comparison, or an operation whose result is extended, in 32 bits.
fn in_32_bits(rw: &mut Rewriter<'_>, inst: Inst) -> InstKind {
    match rw.f.insts[inst].kind {
        InstKind::ICmp(cc, a, b) => {
            let [a, b] = [a, b].map(|v| low_of(rw, v));
            InstKind::ICmp(fold::unsigned_icmp(cc), a, b)
        }
        InstKind::Binary(op, a, b) => {
            let [a, b] = [a, b].map(|v| low_of(rw, v));
            let value = rw.inst(InstKind::Binary(op, a, b), rw.f.ty(a));
            InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, rounding: None }
        }
        ref other => other.clone(),
    }
}

/// Returns whether an operation has the same result in 32 bits.
fn fits(ranges: &mut Ranges<'_>, op: BinaryOp, a: Value, b: Value, result: Value) -> bool {
    use BinaryOp::*;
    let (x, y) = (ranges.greatest(a), ranges.greatest(b));
    match op {
        UDiv | URem | UMin | UMax | Or | Xor => x <= LOW && y <= LOW,
        And => x <= LOW || y <= LOW,
        LShr => x <= LOW && y < 32,
        Shl => x <= LOW && y < 32 && ranges.greatest(result) <= LOW,
        IAdd | IMul => x <= LOW && y <= LOW && ranges.greatest(result) <= LOW,
        _ => false,
    }
}

fn low_of(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value).with_scalar(Scalar::I32);
    match rw.f.const_bits(value) {
        Some(bits) => rw.iconst(ty, bits & LOW),
        None => rw.convert(ConvertOp::Trunc, value, ty),
    }
}

/// Returns whether the low half of an instruction's result depends on the low halves of its operands alone.
/// A selection's condition does not count as an operand.
fn is_low(function: &Function, kind: &InstKind) -> bool {
    use BinaryOp::*;
    match kind {
        InstKind::Binary(IAdd | ISub | IMul | And | Or | Xor, ..)
        | InstKind::Unary(UnaryOp::INeg | UnaryOp::Not, _)
        | InstKind::Select(..) => true,
        InstKind::Binary(Shl, _, by) => function.const_bits(*by).is_some_and(|k| k < 32),
        InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::SExt, saturate: false, .. } => true,
        _ => false,
    }
}

fn by_demand(function: &mut Function) {
    let is_wide = |f: &Function, v: Value| f.ty(v).scalar() == Some(Scalar::I64);
    // The values whose upper half is used.
    let mut full = vec![false; function.values.len()];
    let mut work: Vec<Value> = Vec::new();
    let entry = function.entry();
    work.extend(function.params().iter().copied());
    let mut edges: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
    for &block in &function.layout {
        for inst in &function.blocks[block].insts {
            let data = &function.insts[*inst];
            let low = is_low(function, &data.kind)
                || matches!(data.kind, InstKind::Convert { op: ConvertOp::Trunc, saturate: false, value, .. }
                    if function.ty(value).scalar() == Some(Scalar::I64));
            if !low {
                data.kind.each_value(|v| {
                    if is_wide(function, v) {
                        work.push(v);
                    }
                });
            }
        }
        let term = &function.blocks[block].term;
        match term {
            Terminator::Switch { value, .. } => work.push(*value),
            Terminator::Return(values) => work.extend(values.iter().copied()),
            _ => {}
        }
        for target in term.targets() {
            for (param, arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                if is_wide(function, *param) {
                    edges.entry(*param).or_default().push(*arg);
                }
            }
        }
    }
    while let Some(value) = work.pop() {
        if !is_wide(function, value) || std::mem::replace(&mut full[value.0 as usize], true) {
            continue;
        }
        match function.values[value].def {
            ValueDef::Inst(inst, _) if is_low(function, &function.insts[inst].kind) => {
                function.insts[inst].kind.each_value(|v| work.push(v));
            }
            ValueDef::Param(..) => work.extend(edges.get(&value).into_iter().flatten().copied()),
            _ => {}
        }
    }
    let narrowable = |f: &Function, v: Value| {
        is_wide(f, v)
            && !full[v.0 as usize]
            && match f.values[v].def {
                ValueDef::Inst(inst, _) => is_low(f, &f.insts[inst].kind),
                ValueDef::Param(block, _) => block != entry,
                ValueDef::Const(_) => false,
            }
    };
    let count = function.values.len();
    let narrowed: Vec<bool> = (0..count).map(|n| narrowable(function, Value(n as u32))).collect();
    if narrowed.contains(&true) {
        rewrite_demanded(function, &narrowed);
    }
}

fn rewrite_demanded(function: &mut Function, narrowed: &[bool]) {
    let is = |v: Value| narrowed.get(v.0 as usize).copied().unwrap_or(false);
    // The types change first, and then every operand of a narrowed instruction is truncated.
    for n in 0..narrowed.len() {
        let value = Value(n as u32);
        if is(value) {
            let ty = function.ty(value).with_scalar(Scalar::I32);
            function.values[value].ty = ty;
        }
    }
    let cut = |rw: &mut Rewriter<'_>, v: Value| {
        if rw.f.ty(v).scalar() == Some(Scalar::I64) { low_of(rw, v) } else { v }
    };
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        rw.reserve(insts.len());
        for inst in insts {
            rw.at(inst);
            let result = rw.f.insts[inst].results.first().copied();
            let is_narrow = result.is_some_and(is);
            match rw.f.insts[inst].kind {
                InstKind::Convert { op, value, .. } if is_narrow || op == ConvertOp::Trunc && is(value) => {
                    rw.f.insts[inst].kind = resize(rw.f, op, value, result);
                }
                ref kind if is_narrow => {
                    let mut kind = kind.clone();
                    kind.map_values(|v| cut(&mut rw, v));
                    rw.f.insts[inst].kind = kind;
                }
                _ => {}
            }
            rw.keep(inst);
        }
        // Arguments of narrowed parameters are truncated.
        let mut term = std::mem::replace(&mut rw.f.blocks[block].term, Terminator::Unreachable);
        for target in term.targets_mut() {
            for n in 0..target.args.len() {
                let param = rw.f.blocks[target.block].params.get(n).copied();
                if param.is_some_and(is) {
                    target.args[n] = cut(&mut rw, target.args[n]);
                }
            }
        }
        rw.f.blocks[block].term = term;
        rw.finish_block(block);
    }
}

/// A conversion whose source or result became 32 bits wide.
fn resize(function: &Function, op: ConvertOp, value: Value, result: Option<Value>) -> InstKind {
    let bits = |v: Value| function.ty(v).scalar().map_or(0, Scalar::bits);
    let to = result.map_or(0, bits);
    let op = match bits(value).cmp(&to) {
        // A copy: `simplify` replaces the value by its source.
        std::cmp::Ordering::Equal => return InstKind::Bitcast(value),
        std::cmp::Ordering::Greater => ConvertOp::Trunc,
        std::cmp::Ordering::Less => op,
    };
    InstKind::Convert { op, value, saturate: false, rounding: None }
}
