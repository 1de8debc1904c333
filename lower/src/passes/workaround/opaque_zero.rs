//! Opaque zeros: float operations with a constant 0 take the zero from a value that the driver cannot fold, so that signs, infinities and NaNs are
//! kept.
//!
//! llvmpipe folds `x * 0` and `0 / x` to 0, and `x + 0` to x, whatever x is. IEEE 754 and OpenCL C §7.1 forbid that; only -cl-finite-math-only and
//! -cl-no-signed-zeros allow it.
//!
//! Each lane counts alone: llvmpipe splits vectors and finds zeros among the lanes, also those of a converted vector of integers. Arguments of
//! functions count, because llvmpipe inlines them. So do zeros that are stored where the same function loads: Mesa's compiler forwards a stored
//! value to a load, over volatile accesses of other memory, too.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, Function, Inst, InstKind, Module, Place, Root, Scalar, Type, Value};
use crate::passes::workaround::opaque::{no_groups, rewrite_with};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Zeros that only the launch knows, by type, and whether they have a sign.
type Hidden = FxHashMap<(Scalar, bool), Value>;

/// Makes the zeros of every function opaque.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _: &PassContext<'_>) -> Result<(), LowerError> {
    module.functions.values_mut().for_each(make_opaque);
    Ok(())
}

fn make_opaque(function: &mut Function) {
    let mut needed: Vec<(Scalar, bool)> = Vec::new();
    let loaded = Loaded::of(function);
    for inst in function.layout.iter().flat_map(|block| &function.blocks[*block].insts) {
        if counts(function, *inst) {
            function.insts[*inst].kind.each_value(|v| zeros_of(function, v, false, &mut needed));
        } else if let Some(value) = loaded.stored(function, *inst) {
            zeros_of(function, value, true, &mut needed);
        }
    }
    if needed.is_empty() {
        return;
    }
    rewrite_with(
        function,
        |rw| {
            let none = no_groups(rw);
            let mut opaque = Hidden::default();
            for (scalar, signed) in needed {
                opaque.entry((scalar, signed)).or_insert_with(|| zero(rw, none, scalar, signed));
            }
            opaque
        },
        |rw, inst, opaque| {
            if counts(rw.f, inst) {
                let values = rw.f.insts[inst].kind.values().collect();
                without_zeros(rw, inst, values, false, opaque);
            } else if let Some(value) = loaded.stored(rw.f, inst) {
                without_zeros(rw, inst, SmallVec::from_slice(&[value]), true, opaque);
            }
        },
    );
}

/// What a function that computes with floats loads.
#[derive(Default)]
struct Loaded {
    roots: FxHashSet<Root>,
    /// Of addresses.
    addresses: bool,
}

impl Loaded {
    /// Nothing if no operation does something else with a zero.
    fn of(f: &Function) -> Loaded {
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

/// Whether an operation of floats is another one to the driver where an operand is a zero.
fn takes_zeros(kind: &InstKind) -> bool {
    use BinaryOp::{FAdd, FDiv, FMul, FMulNoContraction, FRem, FSub};
    matches!(
        kind,
        InstKind::Binary(FAdd | FDiv | FMul | FMulNoContraction | FRem | FSub, ..) | InstKind::Fma(..)
    )
}

/// Whether the driver does something else where an operand is a zero, or makes a vector whose lanes it then knows to be zeros.
fn counts(f: &Function, inst: Inst) -> bool {
    use ConvertOp::{FloatToFloat, SToF, UToF};
    match &f.insts[inst].kind {
        kind if takes_zeros(kind) => true,
        InstKind::Call { .. } => true,
        InstKind::Convert { op: FloatToFloat | SToF | UToF, value, .. } => !parts(f, *value).is_empty(),
        _ => false,
    }
}

/// A zero, or some other number if the launch had no work-groups.
fn zero(rw: &mut Rewriter<'_>, none: Value, scalar: Scalar, signed: bool) -> Value {
    let ty = Type::Scalar(scalar);
    // 2 or -2: of 1 and -0 the driver makes a conversion of the condition, which gives 0; of what is 2 or -0 it takes the magnitude for itself.
    let two = 1 << (scalar.bits() - 2);
    let sign = if signed { sign(scalar) } else { 0 };
    if matches!(scalar, Scalar::I8 | Scalar::I16) {
        // The Target may have no arithmetic of this width.
        let [zero, other] = [0, two].map(|n| rw.iconst(Type::I32, n));
        let word = rw.inst(InstKind::Select(none, other, zero), Type::I32);
        return rw.convert(ConvertOp::Trunc, word, ty);
    }
    let (zero, other) = (rw.iconst(ty, sign), rw.iconst(ty, two | sign));
    rw.inst(InstKind::Select(none, other, zero), ty)
}

/// The sign's bit of a float.
fn sign(scalar: Scalar) -> u64 {
    1 << (scalar.bits() - 1)
}

/// Of a constant that is a zero: its type, and whether it has a sign. Integers count as lanes alone, of vectors that are converted.
fn zero_of(f: &Function, value: Value, lane: bool) -> Option<(Scalar, bool)> {
    let scalar = f.ty(value).scalar().filter(|s| s.is_float() || lane && s.is_int())?;
    let bits = f.const_bits(value)?;
    let sign = if scalar.is_float() { sign(scalar) } else { 0 };
    (bits & !sign == 0).then_some((scalar, bits != 0))
}

/// The parts that a vector is made of; none of what is no such vector.
fn parts(f: &Function, value: Value) -> &[Value] {
    match f.def_inst(value).map(|inst| &inst.kind) {
        Some(InstKind::Construct(parts)) => parts,
        _ => &[],
    }
}

/// The zeros that a value is or has among its lanes. `integers`: a whole integer counts, too.
fn zeros_of(f: &Function, value: Value, integers: bool, found: &mut Vec<(Scalar, bool)>) {
    let lanes = parts(f, value).iter().filter_map(|v| zero_of(f, *v, true));
    for zero in zero_of(f, value, integers).into_iter().chain(lanes) {
        if !found.contains(&zero) {
            found.push(zero);
        }
    }
}

/// Gives an instruction operands whose zeros are opaque, among `values`; `integers` as above.
fn without_zeros(
    rw: &mut Rewriter<'_>,
    inst: Inst,
    values: SmallVec<[Value; 4]>,
    integers: bool,
    opaque: &Hidden,
) {
    let mut new: FxHashMap<Value, Value> = FxHashMap::default();
    for value in values {
        let of = |rw: &mut Rewriter<'_>, value: Value, lane: bool| -> Option<Value> {
            let zero = *opaque.get(&zero_of(rw.f, value, lane)?)?;
            let ty = rw.f.ty(value);
            Some(if ty.lanes() == 1 { zero } else { rw.construct(&vec![zero; usize::from(ty.lanes())], ty) })
        };
        let parts: SmallVec<[Value; 4]> = SmallVec::from_slice(parts(rw.f, value));
        let other = if parts.iter().any(|part| zero_of(rw.f, *part, true).is_some()) {
            let parts: SmallVec<[Value; 4]> =
                parts.iter().map(|part| of(rw, *part, true).unwrap_or(*part)).collect();
            let ty = rw.f.ty(value);
            Some(rw.inst(InstKind::Construct(parts), ty))
        } else {
            of(rw, value, integers)
        };
        new.extend(other.map(|other| (value, other)));
    }
    let other = |v: Value| new.get(&v).copied().unwrap_or(v);
    match &mut rw.f.insts[inst].kind {
        // The index may be the same constant.
        InstKind::Store { value, .. } => *value = other(*value),
        kind => kind.map_values(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{text, verify};

    /// What becomes of an operation whose result is v9.
    fn opaque(ty: &str, body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}, v1: f32):\n{body}  return(v9)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        module.functions.values_mut().for_each(make_opaque);
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    #[test]
    fn zeros_are_no_constants() {
        for (zero, other) in [("0.0", "2.0"), ("-0.0", "-2.0")] {
            for operation in
                ["fmul Z, v0", "fdiv Z, v0", "fadd v0, Z", "fsub Z, v0", "fma v0, Z, v1", "fma v0, v1, Z"]
            {
                let operation = operation.replace('Z', &format!("f32:{zero}"));
                let text = opaque("f32", &format!("  v9: f32 = {operation}\n"));
                let last = text.lines().find(|line| line.contains("v9:")).expect("it stays");
                assert!(!last.contains("f32:"), "{text}");
                assert!(text.contains(&format!("f32:{other}, f32:{zero}")), "{text}");
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
            !product.contains("v2,") && !product.ends_with("v3") && text.matches("select").count() == 2,
            "{text}"
        );
        let all = opaque("f32x2", "  v9: f32x2 = fadd v0, f32x2:0.0\n");
        assert!(all.contains("construct") && all.matches("select").count() == 1, "{all}");
    }

    #[test]
    fn zeros_among_the_lanes_of_what_is_converted() {
        let text = opaque(
            "f32x2",
            "  v2: i32 = bitcast v1\n  v3: i32x2 = construct(v2, i32:0)\n  v4: f32x2 = convert.utof v3\n  v9: f32x2 = fmul v4, v0\n",
        );
        assert!(text.matches("select").count() == 1 && !text.contains("convert.utof v3"), "{text}");
    }

    #[test]
    fn small_integers_are_truncated_words() {
        for ty in ["i8", "i16"] {
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns (f32)\n  slot s0 size=32 align=4\nb0(v0: f32):\n  \
                 store s0.{ty}[i32:0], {ty}:0, align=1\n  v2: {ty} = load s0.{ty}[i32:0], align=1\n  \
                 v3: f32 = convert.utof v2\n  v9: f32 = fadd v3, v0\n  return(v9)\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            module.functions.values_mut().for_each(make_opaque);
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            let text = module.to_string();
            assert!(text.contains(&format!("{ty} = convert.trunc")), "{text}");
            assert!(!text.contains(&format!("{ty} = select")), "{text}");
        }
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
            module.functions.values_mut().for_each(make_opaque);
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            module.to_string().contains("numworkgroups")
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
            assert_eq!(opaque("f32", body).matches("numworkgroups").count(), 0, "{body}");
        }
    }
}
