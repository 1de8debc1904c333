//! Sums and products of 16-bit integers are computed in 16 bits, on GPUs that do.
//!
//! OpenCL C computes with `int` what is stored as `short`: operands are extended, the result is cut. Where nothing but the cut result is used the
//! low 16 bits of the operands are all that matters, and extensions and cuts are gone.

use super::PassContext;
use super::contract::count_uses;
use super::rewrite::Rewriter;
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, Module, Scalar, Value};

/// How deep an expression is looked into.
const DEPTH: u32 = 6;

/// Narrows in every function, for devices that are no CPUs and have 16-bit arithmetic.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if !context.target.features.is_cpu && context.target.has_arithmetic(Scalar::I16) {
        module.functions.values_mut().filter(|f| !f.layout.is_empty()).for_each(narrow);
    }
    Ok(())
}

fn narrow(function: &mut Function) {
    let cuts = |f: &Function, inst: Inst| match f.insts[inst].kind {
        InstKind::Convert { op: ConvertOp::Trunc, value, saturate: false, .. }
            if f.ty(value).scalar() == Some(Scalar::I32)
                && f.ty(f.insts[inst].results[0]).scalar() == Some(Scalar::I16) =>
        {
            operation(f, value)
        }
        _ => None,
    };
    let any = |f: &Function, insts: &[Inst]| insts.iter().any(|inst| cuts(f, *inst).is_some());
    if !function.layout.iter().any(|block| any(function, &function.blocks[*block].insts)) {
        return;
    }
    let uses = count_uses(function);
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        if !any(function, &function.blocks[block].insts) {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        for inst in insts {
            rw.at(inst);
            if let Some((op, a, b)) = cuts(rw.f, inst)
                && let Some(&value) = rw.f.insts[inst].kind.values().collect::<Vec<_>>().first()
                && uses[value.0 as usize] == 1
                && [a, b].iter().all(|v| is_short(rw.f, &uses, *v, DEPTH))
                && [a, b].iter().any(|v| rw.f.const_bits(*v).is_none())
            {
                let [a, b] = [a, b].map(|v| short(&mut rw, v));
                rw.f.insts[inst].kind = InstKind::Binary(op, a, b);
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
    }
}

/// An operation of whose result the low bits depend on those of its operands alone.
fn operation(f: &Function, value: Value) -> Option<(BinaryOp, Value, Value)> {
    use BinaryOp::{And, IAdd, IMul, ISub, Or, Xor};
    match f.def_inst(value)?.kind {
        InstKind::Binary(op @ (IAdd | ISub | IMul | And | Or | Xor), a, b) => Some((op, a, b)),
        _ => None,
    }
}

/// Whether the low 16 bits of a value are there without more instructions.
fn is_short(f: &Function, uses: &[u32], value: Value, depth: u32) -> bool {
    if f.const_bits(value).is_some() {
        return true;
    }
    if let Some(&InstKind::Convert {
        op: ConvertOp::SExt | ConvertOp::ZExt,
        value: from,
        saturate: false,
        ..
    }) = f.def_inst(value).map(|inst| &inst.kind)
    {
        return f.ty(from).scalar() == Some(Scalar::I16);
    }
    depth > 0
        && uses.get(value.0 as usize) == Some(&1)
        && operation(f, value)
            .is_some_and(|(_, a, b)| [a, b].iter().all(|v| is_short(f, uses, *v, depth - 1)))
}

/// The low 16 bits of such a value.
fn short(rw: &mut Rewriter<'_>, value: Value) -> Value {
    let ty = rw.f.ty(value).with_scalar(Scalar::I16);
    if let Some((op, a, b)) = operation(rw.f, value) {
        let [a, b] = [a, b].map(|v| short(rw, v));
        return rw.binary(op, a, b);
    }
    match rw.f.def_inst(value).map(|inst| &inst.kind) {
        Some(&InstKind::Convert { value, .. }) => value,
        _ => rw.convert(ConvertOp::Trunc, value, ty),
    }
}

#[cfg(test)]
mod tests {
    use super::narrow;
    use crate::ir::text;

    fn narrowed(insts: &str) -> String {
        let source = format!(
            "module legal bits=64\nfunc f0 \"f\" returns (i16)\nb0(v0: i16, v1: i16, v9: i32):\n{insts}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        module.functions.values_mut().for_each(narrow);
        module.to_string()
    }

    #[test]
    fn sums_of_shorts_are_short() {
        let both = "  v2: i32 = convert.sext v0\n  v3: i32 = convert.zext v1\n  v4: i32 = imul v2, i32:65541\n  v5: i32 = iadd v4, v3\n  v6: i16 = convert.trunc v5\n";
        let text = narrowed(&format!("{both}  return(v6)\n"));
        assert!(
            text.contains("imul v0, i16:5") && text.contains("v6: i16 = iadd v") && text.contains(", v1\n"),
            "{text}"
        );
        // The sum is used by itself, too; a shift's low bits depend on high ones; what is no short has no short to begin with.
        let kept = |insts: &str| assert!(narrowed(insts).contains("v6: i16 = convert.trunc v5"), "{insts}");
        kept(&format!("{both}  v7: i16 = convert.trunc v5\n  return(v6)\n"));
        kept(
            "  v2: i32 = convert.sext v0\n  v5: i32 = lshr v2, i32:1\n  v6: i16 = convert.trunc v5\n  return(v6)\n",
        );
        kept(
            "  v2: i32 = convert.sext v0\n  v5: i32 = iadd v2, v9\n  v6: i16 = convert.trunc v5\n  return(v6)\n",
        );
    }
}
