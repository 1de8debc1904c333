//! Opaque zeros: float operations with a constant 0 take an opaque zero, so that signs, infinities and NaNs are kept.
//!
//! ```text
//! x * 0.0f    →    x * opaque 0.0f
//! ```
//!
//! llvmpipe folds `x * 0` and `0 / x` to 0, and `x + 0` to x, whatever x is. IEEE 754 and OpenCL C §7.1 forbid that; only -cl-finite-math-only and
//! -cl-no-signed-zeros allow it.
//!
//! Each lane counts alone: llvmpipe splits vectors and finds zeros among the lanes. It finds those of converted vectors of integers and of functions of
//! vectors (fabs, floor), too. Arguments of functions count, because llvmpipe inlines them. So do zeros that are stored where the same function
//! loads: Mesa's compiler forwards a stored value to a load, over volatile accesses of other memory, too.
//!
//! Zeros that only a launch makes constants stay: local ids in groups with a side of 1.

use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, Place, Root, Scalar, Value};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Finds the operations of a function that take constant zeros.
pub(crate) fn sites<'a>(f: &Function, _: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let loaded = Loaded::find(f);
    let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    let any = insts.any(|inst| counts(f, *inst) || loaded.stored(f, *inst).is_some());
    any.then(|| Box::new(loaded) as Box<dyn Sites>)
}

impl Sites for Loaded {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        if counts(rw.f, inst) {
            let values: SmallVec<[Value; 4]> = rw.f.insts[inst].kind.values().collect();
            let mut new: SmallVec<[Option<Value>; 4]> = SmallVec::new();
            for value in values {
                new.push(without_zeros(rw, value, false));
            }
            if new.iter().all(Option::is_none) {
                return None;
            }
            let (mut kind, mut new) = (rw.f.insts[inst].kind.clone(), new.into_iter());
            kind.map_values(|value| new.next().flatten().unwrap_or(value));
            return Some(kind);
        }
        let zero = without_zeros(rw, self.stored(rw.f, inst)?, true)?;
        let mut kind = rw.f.insts[inst].kind.clone();
        // The index may be the same constant.
        if let InstKind::Store { value, .. } = &mut kind {
            *value = zero;
        }
        Some(kind)
    }
}

/// The loads of a function that computes with floats.
#[derive(Default)]
struct Loaded {
    roots: FxHashSet<Root>,
    /// Loads from addresses.
    addresses: bool,
}

impl Loaded {
    /// Nothing if no operation does something else with a zero.
    fn find(f: &Function) -> Loaded {
        let mut loaded = Loaded::default();
        let insts = || f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
        if !insts().any(|inst| takes_zeros(&f.insts[*inst].kind)) {
            return loaded;
        }
        for inst in insts() {
            match f.insts[*inst].kind {
                InstKind::Load { place: Place::Element { root, .. }, .. } => {
                    loaded.roots.insert(root);
                }
                InstKind::Load { place: Place::Address(_), .. } => loaded.addresses = true,
                _ => {}
            }
        }
        loaded
    }

    /// The value that an instruction stores where the function loads.
    fn stored(&self, f: &Function, inst: Inst) -> Option<Value> {
        let InstKind::Store { place, value, .. } = f.insts[inst].kind else { return None };
        let is_loaded = match place {
            Place::Element { root, .. } => self.roots.contains(&root),
            Place::Address(_) => self.addresses,
            Place::Pointer(_) => false,
        };
        is_loaded.then_some(value)
    }
}

/// Returns whether an operation of floats is another one to the driver where an operand is a zero.
fn takes_zeros(kind: &InstKind) -> bool {
    use BinaryOp::{FAdd, FDiv, FMul, FMulNoContraction, FRem, FSub};
    matches!(
        kind,
        InstKind::Binary(FAdd | FDiv | FMul | FMulNoContraction | FRem | FSub, ..) | InstKind::Fma(..)
    )
}

/// Returns whether the driver does something else where an operand is a zero, or makes a vector whose lanes it then knows to be zeros.
fn counts(f: &Function, inst: Inst) -> bool {
    use ConvertOp::{FloatToFloat, SToF, UToF};
    match &f.insts[inst].kind {
        kind if takes_zeros(kind) => true,
        InstKind::Call { .. } => true,
        InstKind::Convert { op: FloatToFloat | SToF | UToF, value, .. } => !parts(f, *value).is_empty(),
        kind @ (InstKind::Unary(..) | InstKind::Glsl { .. }) => {
            kind.values().any(|value| is_float(f, value) && !parts(f, value).is_empty())
        }
        _ => false,
    }
}

fn is_float(f: &Function, value: Value) -> bool {
    f.ty(value).scalar().is_some_and(Scalar::is_float)
}

/// Returns whether a value is a constant zero, of whatever sign. Integers count as lanes alone, of vectors that are converted.
fn is_zero(f: &Function, value: Value, integers: bool) -> bool {
    let Some(scalar) = f.ty(value).scalar().filter(|s| s.is_float() || integers && s.is_int()) else {
        return false;
    };
    let sign = if scalar.is_float() { 1 << (scalar.bits() - 1) } else { 0 };
    f.const_bits(value).is_some_and(|bits| bits & !sign == 0)
}

/// The parts that a vector is made of; none of what is no such vector.
fn parts(f: &Function, value: Value) -> &[Value] {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) => parts,
        _ => &[],
    }
}

/// A value whose zeros are opaque, of one that is a zero or has zeros among its lanes. `integers`: a whole integer counts, too.
fn without_zeros(rw: &mut Rewriter<'_>, value: Value, integers: bool) -> Option<Value> {
    let mut parts: SmallVec<[Value; 4]> = SmallVec::from_slice(parts(rw.f, value));
    if !parts.iter().any(|part| is_zero(rw.f, *part, true)) {
        return is_zero(rw.f, value, integers).then(|| rw.opaque(value));
    }
    for part in &mut parts {
        if is_zero(rw.f, *part, true) {
            *part = rw.opaque(*part);
        }
    }
    let ty = rw.f.ty(value);
    Some(rw.inst(InstKind::Construct(parts), ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
    use crate::target::Target;

    /// The rewritten form of an operation whose result is v9.
    fn opaque(ty: &str, body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}, v1: f32):\n{body}  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    #[test]
    fn zeros_are_no_constants() {
        for zero in ["0.0", "-0.0"] {
            for operation in
                ["fmul Z, v0", "fdiv Z, v0", "fadd v0, Z", "fsub Z, v0", "fma v0, Z, v1", "fma v0, v1, Z"]
            {
                let operation = operation.replace('Z', &format!("f32:{zero}"));
                let text = opaque("f32", &format!("  v9: f32 = {operation}\n"));
                let last = text.lines().find(|line| line.contains("v9:")).expect("it stays");
                assert!(!last.contains("f32:"), "{text}");
                assert!(text.contains(&format!("opaque f32:{zero}")), "{text}");
            }
        }
    }

    #[test]
    fn zeros_among_the_lanes_of_both_operands() {
        let text = opaque(
            "f32x2",
            "  v2: f32x2 = construct(v1, f32:0.0)\n  v3: f32x2 = construct(f32:-0.0, v1)\n  v9: f32x2 = fmul v2, v3\n",
        );
        let product = text.lines().find(|line| line.contains("v9:")).expect("it stays");
        assert!(
            !product.contains("v2,") && !product.ends_with("v3") && text.matches("= opaque").count() == 2,
            "{text}"
        );
        let all = opaque("f32x2", "  v9: f32x2 = fadd v0, f32x2:0.0\n");
        assert!(all.contains("opaque f32x2:0.0"), "{all}");
    }

    #[test]
    fn zeros_among_the_lanes_of_what_is_converted() {
        let text = opaque(
            "f32x2",
            "  v2: i32 = bitcast v1\n  v3: i32x2 = construct(v2, i32:0)\n  v4: f32x2 = convert.utof v3\n  v9: f32x2 = fmul v4, v0\n",
        );
        assert!(text.matches("= opaque").count() == 1 && !text.contains("convert.utof v3"), "{text}");
    }

    #[test]
    fn zeros_among_the_lanes_of_functions() {
        let text = opaque(
            "f32x2",
            "  v2: f32x2 = construct(v1, f32:0.0)\n  v3: f32x2 = fabs v2\n  v9: f32x2 = fsub v3, v0\n",
        );
        assert!(text.matches("= opaque").count() == 1 && !text.contains("fabs v2"), "{text}");
    }

    #[test]
    fn zeros_that_are_stored_where_the_function_loads() {
        let stored = |place: &str, operation: &str| {
            let body = format!(
                "  store s0.i32[i32:0], i32:0, align=4\n  v2: i32 = load {place}, align=4\n  v3: f32 = convert.utof v2\n  v9: f32 = {operation}\n"
            );
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns (f32)\n  slot s0 size=32 align=4\n  slot s1 size=32 align=4\n\
                 b0(v0: f32, v1: f32):\n{body}  return(v9)\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            module.to_string().contains("opaque")
        };
        assert!(stored("s0.i32[i32:0]", "fmul v3, v0"));
        assert!(!stored("s1.i32[i32:0]", "fmul v3, v0"), "nothing is stored there");
        assert!(!stored("s0.i32[i32:0]", "bitcast v2"), "nothing is multiplied");
    }

    #[test]
    fn other_operations_stay() {
        for body in [
            "  v9: f32 = fmul f32:1.0, v0\n",
            "  v2: bool = fcmp.oeq v0, f32:0.0\n  v9: f32 = select v2, f32:0.0, v1\n",
        ] {
            assert_eq!(opaque("f32", body).matches("opaque").count(), 0, "{body}");
        }
    }
}
