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
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::fold;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, IntCC, Module, Scalar, Terminator, Type, UnaryOp,
    Value, ValueDef,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const LOW: u64 = 0xffff_ffff;

/// Narrows every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut() {
        if !function.layout.is_empty() {
            narrow_function(function);
        }
    }
    Ok(())
}

/// Narrows one function.
pub fn narrow_function(function: &mut Function) {
    let wide = |v: &crate::ir::ValueData| v.ty.scalar() == Some(Scalar::I64);
    if function.values.values().any(wide) {
        by_range(function);
        by_demand(function);
    }
}

/// The 32-bit replacement of an instruction.
enum Narrowed {
    Compare(IntCC),
    Operation,
}

fn by_range(function: &mut Function) {
    let cfg = function.cfg();
    let mut found: Vec<(Block, usize, Narrowed)> = Vec::new();
    let mut ranges = Ranges::new(function, &cfg);
    for &block in cfg.rpo() {
        for (at, inst) in function.blocks[block].insts.iter().enumerate() {
            match function.insts[*inst].kind {
                InstKind::ICmp(cc, a, b)
                    if function.ty(a).scalar() == Some(Scalar::I64)
                        && ranges.greatest(a) <= LOW
                        && ranges.greatest(b) <= LOW =>
                {
                    found.push((block, at, Narrowed::Compare(fold::unsigned_icmp(cc))));
                }
                InstKind::Binary(op, a, b)
                    if function.ty(a).scalar() == Some(Scalar::I64)
                        && fits(&mut ranges, op, a, b, function.insts[*inst].results[0]) =>
                {
                    found.push((block, at, Narrowed::Operation));
                }
                _ => {}
            }
        }
    }
    // From the back, so that positions stay valid.
    for (block, at, what) in found.into_iter().rev() {
        apply(function, block, at, &what);
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

fn emit(function: &mut Function, list: &mut SmallVec<[Inst; 4]>, kind: InstKind, ty: Type) -> Value {
    let inst = function.make_inst(kind, &[ty]);
    list.push(inst);
    function.insts[inst].results[0]
}

fn low_of(function: &mut Function, list: &mut SmallVec<[Inst; 4]>, value: Value) -> Value {
    let ty = function.ty(value).with_scalar(Scalar::I32);
    if let Some(bits) = function.const_bits(value) {
        return function.iconst(ty, bits & LOW);
    }
    let kind = InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, rounding: None };
    emit(function, list, kind, ty)
}

fn apply(function: &mut Function, block: Block, at: usize, what: &Narrowed) {
    let inst = function.blocks[block].insts[at];
    let mut before: SmallVec<[Inst; 4]> = SmallVec::new();
    match (what, &function.insts[inst].kind) {
        (Narrowed::Compare(cc), &InstKind::ICmp(_, a, b)) => {
            let a = low_of(function, &mut before, a);
            let b = low_of(function, &mut before, b);
            function.insts[inst].kind = InstKind::ICmp(*cc, a, b);
        }
        (Narrowed::Operation, &InstKind::Binary(op, a, b)) => {
            let a = low_of(function, &mut before, a);
            let b = low_of(function, &mut before, b);
            let ty = function.ty(a);
            let value = emit(function, &mut before, InstKind::Binary(op, a, b), ty);
            function.insts[inst].kind =
                InstKind::Convert { op: ConvertOp::ZExt, value, saturate: false, rounding: None };
        }
        _ => {}
    }
    let line = function.insts[inst].line;
    before.iter().for_each(|i| function.insts[*i].line = line);
    function.blocks[block].insts.splice(at..at, before);
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
    let cut = |f: &mut Function, list: &mut SmallVec<[Inst; 4]>, v: Value| {
        if f.ty(v).scalar() == Some(Scalar::I64) { low_of(f, list, v) } else { v }
    };
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut out: Vec<Inst> = Vec::with_capacity(insts.len());
        for inst in insts {
            let mut before: SmallVec<[Inst; 4]> = SmallVec::new();
            let result = function.insts[inst].results.first().copied();
            let truncated = matches!(function.insts[inst].kind,
                InstKind::Convert { op: ConvertOp::Trunc, value, .. } if is(value));
            if !truncated && !result.is_some_and(is) {
                out.push(inst);
                continue;
            }
            let kind = function.insts[inst].kind.clone();
            let new = match kind {
                InstKind::Convert { op: ConvertOp::Trunc, value, .. } if is(value) => {
                    Some(resize(function, ConvertOp::Trunc, value, result))
                }
                InstKind::Convert { op, value, .. } if result.is_some_and(is) => {
                    Some(resize(function, op, value, result))
                }
                mut kind if result.is_some_and(is) => {
                    let values = kind.values();
                    let mut cuts: SmallVec<[Value; 4]> = SmallVec::new();
                    for v in values {
                        cuts.push(cut(function, &mut before, v));
                    }
                    let mut next = cuts.into_iter();
                    kind.map_values(|v| next.next().unwrap_or(v));
                    Some(kind)
                }
                _ => None,
            };
            out.extend(before);
            if let Some(kind) = new {
                function.insts[inst].kind = kind;
            }
            out.push(inst);
        }
        // Arguments of narrowed parameters are truncated.
        let mut before: SmallVec<[Inst; 4]> = SmallVec::new();
        let mut term = std::mem::replace(&mut function.blocks[block].term, Terminator::Unreachable);
        for target in term.targets_mut() {
            for n in 0..target.args.len() {
                let param = function.blocks[target.block].params.get(n).copied();
                if param.is_some_and(is) {
                    target.args[n] = cut(function, &mut before, target.args[n]);
                }
            }
        }
        out.extend(before);
        function.blocks[block].term = term;
        function.blocks[block].insts = out;
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
