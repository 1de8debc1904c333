//! Type legalisation: conversions, wide vectors and small integers that the target lacks become types and operations that it has.
//!
//! ```text
//! v2: i8 = iadd v0, v1          →          v2: i32 = iadd v0, v1          (a target without 8-bit arithmetic)
//! ```
//!
//! The pass runs these steps over every function:
//!
//! 1. [`conversions`] lowers saturation, rounding modes and bit counts of odd widths.
//! 2. [`vectors`] splits vectors of 8 and 16 lanes into parts of 4.
//! 3. [`ints`] widens 8- and 16-bit integers to 32 bits if the target lacks them or its driver computes wrongly with them.
//! 4. [`dot_products`] lowers packed dot products if the target lacks them.
//! 5. [`types`] refuses the types that are left and that the target lacks.
//!
//! 64-bit integers are not split here: `split_int64` does so later.

mod conversions;
mod dot_products;
mod ints;
mod types;
mod vectors;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Function, Module, Stage};
use crate::target::Target;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::Unsupported`] for types that the target lacks.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let names: Vec<String> = module.functions.values().map(|f| f.name.clone()).collect();
    for (f, name) in module.functions.values_mut().zip(&names) {
        legalize_function(f, cx.target, name)?;
    }
    module.stage = Stage::Legal;
    Ok(())
}

/// Legalizes one function of the kernels' module.
pub(crate) fn legalize_function(f: &mut Function, target: &Target, name: &str) -> Result<(), LowerError> {
    conversions::run(f, target.quirks.wrong_int64_conversions, target.quirks.slow_signed_remainders);
    vectors::run(f)?;
    ints::run(f, target, name)?;
    if !target.features.shader_integer_dot_product {
        dot_products::run(f);
    }
    types::check(f, target, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LowerOptions;
    use crate::ir::{interp, text, verify};
    use crate::passes::optimize::simplify;

    /// The legalised form of a function whose parameter is an address.
    fn legal(body: &str, change: fn(&mut Target)) -> String {
        let source =
            format!("module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i64):\n{body}  return()\n");
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut target = Target::minimum();
        let f = &mut target.features;
        (f.shader_int64, f.shader_int16, f.shader_int8, f.shader_float16) = (true, true, true, true);
        change(&mut target);
        let cx = PassContext { target: &target, options: &LowerOptions::default() };
        run(&mut module, &cx).unwrap_or_else(|e| panic!("{e}\n{source}"));
        simplify::run(&mut module, &cx).unwrap_or_else(|e| panic!("{e}\n{source}"));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    /// What cannot be split is an error that shows the instruction, never a value that is left undefined.
    #[test]
    fn what_is_not_split_is_an_error() {
        let error = |body: &str| {
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns ()\nb0(v0: i64, v1: i32x8):\n{body}  return()\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            let target = Target::minimum();
            let cx = PassContext { target: &target, options: &LowerOptions::default() };
            run(&mut module, &cx).expect_err(&source).to_string()
        };
        let store = error("  store address[v0], v1, align=4\n");
        assert!(store.contains("no rule splits `store address[v0], v1, align=4`"), "{store}");
        let load = error("  v2: i32x8 = load address[v0], align=4\n");
        assert!(load.contains("no rule splits `v2: i32x8 = load address[v0]"), "{load}");
        let early = error("  v2: i32x8 = iadd v3, v1\n  v3: i32x8 = iadd v1, v1\n");
        assert!(early.contains("v3 is used before its definition in `v2: i32x8 = iadd v3, v1`"), "{early}");
    }

    const SHORTS: &str = "  v1: i16 = load address[v0], align=2\n  v2: i16 = iadd v1, i16:-1\n  v3: bool = icmp.slt v1, v2\n  \
                          v4: i32 = convert.zext v1\n  v5: bool = icmp.ult v4, i32:9\n  v6: bool = and v3, v5\n  \
                          v7: i16 = select v6, i16:7, v2\n  store address[v0], v7, align=2\n";

    #[test]
    fn missing_arithmetic_is_of_32_bits() {
        let wide = legal(SHORTS, |t| t.quirks.wrong_16_bit_arithmetic = true);
        let narrow: Vec<&str> = wide.lines().filter(|l| l.contains("i16")).collect();
        assert!(
            narrow.len() == 2 && narrow[0].contains("load") && narrow[1].contains("convert.trunc"),
            "{wide}"
        );
        // A loaded value is sign-extended once, and not by shifts.
        assert!(wide.contains("convert.sext"), "{wide}");
        assert!(legal(SHORTS, |_| {}).contains("i16 = iadd"));
    }

    #[test]
    fn vectors_of_bytes_are_loaded_as_words() {
        let body = |ty: &str, align: u32| {
            format!(
                "  v1: {ty} = load address[v0], align={align}\n  v2: {} = extract v1, 1\n  v3: i32 = convert.sext v2\n  \
                 v4: i32 = urem v3, i32:12\n  store address[v0], v4, align=4\n",
                &ty[..ty.len() - 2]
            )
        };
        let change: fn(&mut Target) = |t| {
            t.quirks = crate::Quirks::for_driver(crate::quirks::Driver::from_name("nvidia"));
        };
        for (ty, align, loads) in [
            ("i8x4", 4, "i32 = load"),
            ("i8x2", 2, "i16 = load"),
            ("i16x2", 4, "i32 = load"),
            ("i16x4", 8, "i32x2 = load"),
        ] {
            let words = legal(&body(ty, align), change);
            assert!(words.contains(loads) && words.contains("ashr"), "{words}");
        }
        assert!(legal(&body("i8x4", 1), change).contains("i8x4 = load"));
        assert!(legal(&body("i8x4", 4), |t| t.quirks.wrong_8_bit_arithmetic = true).contains("i8x4 = load"));
    }

    const HALVES: &str = "  v1: f16x2 = load address[v0], align=4\n  v2: i16x2 = bitcast v1\n  v3: i16x2 = xor v2, i16x2:-32768\n  \
                          v4: f16x2 = bitcast v3\n  v5: f16 = extract v4, 0\n  v6: i8x2 = bitcast v5\n  \
                          v7: i16 = bitcast v6\n  v8: f16 = bitcast v7\n  v9: f16x2 = insert v4, v8, 1\n  \
                          store address[v0], v9, align=4\n";

    #[test]
    fn halves_have_bits_without_16_bit_integers() {
        for (bytes, change) in [
            (true, (|t| t.features.shader_int16 = false) as fn(&mut Target)),
            (false, |t| (t.features.shader_int16, t.features.shader_int8) = (false, false)),
        ] {
            let text = legal(HALVES, change);
            assert!(!text.contains("i16") && (bytes || !text.contains("i8")), "{text}");
        }
        let text = legal(HALVES, |t| t.quirks.wrong_16_bit_arithmetic = true);
        assert!(text.contains("i16x2 = bitcast") && text.contains("i32x2 = xor"), "{text}");
    }

    /// The result of a conversion of a float, directly or by 32-bit halves.
    fn converted(kind: &str, from: &str, bits: u64, halves: bool) -> interp::End {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i64)\nb0(v0: {from}):\n  v1: i64 = convert.{kind} v0\n  return(v1)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut target = Target::minimum();
        (target.features.shader_int64, target.features.shader_float64) = (true, true);
        target.quirks.wrong_int64_conversions = halves;
        if halves {
            run(&mut module, &PassContext { target: &target, options: &LowerOptions::default() })
                .expect("legal");
            verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        }
        let function = module.functions.values().next().expect("one");
        interp::run(function, &[vec![Some(bits)]], 0, 100).end
    }

    #[test]
    fn wide_integers_are_made_of_floats_by_halves() {
        let floats = [
            0.0,
            -0.0,
            0.5,
            1.0,
            -1.0,
            -0.75,
            3.999,
            4_294_967_040.0,
            4_294_967_296.0,
            -4_294_967_296.0,
            1e10,
            -1e10,
            1.234_567e18,
            -9.223_372e18,
            9.223_371e18,
            9.223_372_036_854_776e18,
            1.844_674_3e19,
            1.844_674_407_370_955_2e19,
            1e30,
            -1e30,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e-40,
            1e-310,
        ];
        for float in floats {
            for (from, bits) in [("f32", u64::from((float as f32).to_bits())), ("f64", float.to_bits())] {
                for kind in ["ftos.sat", "ftou.sat"] {
                    let [plain, halves] = [false, true].map(|h| converted(kind, from, bits, h));
                    assert_eq!(plain, halves, "{kind} of {float:e} as {from}");
                }
            }
        }
        for (kind, float) in [("ftos", -5.5e17), ("ftos", 7e12), ("ftou", 1.7e19), ("ftou", 123.9)] {
            let bits = u64::from((float as f32).to_bits());
            assert_eq!(
                converted(kind, "f32", bits, false),
                converted(kind, "f32", bits, true),
                "{kind} of {float}"
            );
        }
    }
}
