//! Contraction: a*b+c becomes one fused multiply-add where FP_CONTRACT allows it.
//!
//! FP_CONTRACT is on by default (OpenCL C §6.3.7). The product must have no other use. The front end marks products whose sum belongs to
//! another expression, which may not be fused (C99 6.5p8): they are `FMulNoContraction`. Vulkan lets drivers contract, too, but not all do.
//!
//! ```text
//! v4 = fmul v1, v2; v5 = fadd v4, v3    →    v5 = fma v1, v2, v3
//! ```
//!
//! It applies to float, and to double on GPUs: those with doubles fuse at the same rate (clpeak on an H200: 16.4 TFLOPS without). Halves stay:
//! some devices are slow with fused ones.

use crate::analysis::uses::Uses;
use crate::ir::{BinaryOp, Function, Inst, InstKind};
use crate::rewrite::sites::{Scope, Sites};
use crate::rewrite::{Facts, Folded, pass, table};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// A function with sums that may be contracted.
struct Contraction<'a> {
    uses: Uses,
    target: &'a Target,
}

/// Finds the sums of a function, unless a kernel that may call it forbids contraction.
pub(super) fn sites<'a>(f: &Function, scope: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let is_sum =
        |inst: &Inst| matches!(f.insts[*inst].kind, InstKind::Binary(BinaryOp::FAdd | BinaryOp::FSub, ..));
    let any = scope.contracts && f.layout.iter().any(|block| f.blocks[*block].insts.iter().any(is_sum));
    any.then(|| Box::new(Contraction { uses: Uses::new(f), target: scope.target }) as Box<dyn Sites + 'a>)
}

impl Sites for Contraction<'_> {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let facts = Facts { uses: Some(&self.uses), target: Some(self.target), ..Default::default() };
        match pass::apply(rw, inst, &table::CONTRACTION, &facts)? {
            Folded::Kind(kind) => Some(kind),
            Folded::Value(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LowerOptions;
    use crate::context::PassContext;
    use crate::ir::{InstKind, text};
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to, run_early};

    fn contracted(body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (f32)\nb0(v0: f32, v1: f32, v2: f32):\n{body}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        module.to_string()
    }

    #[test]
    fn products_in_sums_are_fused() {
        let sum = contracted("  v3: f32 = fmul v0, v1\n  v4: f32 = fadd v3, v2\n  return(v4)\n");
        assert!(sum.contains("v4: f32 = fma v0, v1, v2"), "{sum}");
        let minus = contracted("  v3: f32 = fmul v0, v1\n  v4: f32 = fsub v2, v3\n  return(v4)\n");
        assert!(minus.contains("= fneg v0") && minus.contains("fma v5, v1, v2"), "{minus}");
    }

    /// The fused multiply-adds that a kernel of one statement list gets.
    fn fused_of_source(statements: &str, options: &str) -> usize {
        let source = format!("kernel void k(global float *r, float a, float b, float c) {{ {statements} }}");
        let mut build = frontend::options::Options::default();
        build.parse_build_options(options).expect("options");
        let compiled = frontend::compile("k.cl", &source, &build);
        let mut module = crate::read::read(&compiled.spirv.expect("compiles")).expect("reads");
        let (target, options) = (Target::minimum(), LowerOptions::default());
        let context = PassContext { target: &target, options: &options };
        crate::passes::optimize::mem2reg::run(&mut module, &context).expect("promotes");
        run_early(&mut module, &context).expect("contracts");
        module.to_string().matches("= fma ").count()
    }

    /// C99 6.5p8: a product and a sum of one expression may be fused. clang 15 makes llvm.fmuladd of the same ones.
    #[test]
    fn only_products_of_the_same_expression_are_fused() {
        for (statements, fused) in [
            ("*r = a * b + c;", 1),
            ("*r = c - a * b;", 1),
            ("c += a * b; *r = c;", 1),
            ("float t = a * b; *r = t + c;", 0),
            ("float t; *r = (t = a * b) + c;", 0),
            ("a *= b; *r = a + c;", 0),
            ("*r = (a *= b) + c;", 0),
            ("*r = (float)(a * b) + c;", 1),
        ] {
            assert_eq!(fused_of_source(statements, ""), fused, "{statements}");
            for options in ["-cl-mad-enable", "-cl-fast-relaxed-math"] {
                assert_eq!(fused_of_source(statements, options), 1, "{statements} {options}");
            }
        }
    }

    /// From OpDot on: products of lanes are fused although the vectors' product is one operation.
    #[test]
    fn dot_products_are_fused() {
        let source = "kernel void k(global float *r, float4 a, float4 b) { *r += dot(a, b); }";
        let compiled = frontend::compile("dot.cl", source, &frontend::options::Options::default());
        let mut module = crate::read::read(&compiled.spirv.expect("compiles")).expect("reads");
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        let text = module.to_string();
        let count = |what: &str| text.matches(what).count();
        assert_eq!((count("= fma "), count("= fadd ")), (3, 1), "{text}");
    }

    #[test]
    fn doubles_are_fused_on_gpus() {
        let source = "module resolved bits=64\nfunc f0 \"f\" returns (f64)\nb0(v0: f64, v1: f64, v2: f64):\n  \
                      v3: f64 = fmul v0, v1\n  v4: f64 = fadd v3, v2\n  return(v4)\n";
        for is_cpu in [false, true] {
            let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            let (mut target, options) = (Target::minimum(), LowerOptions::default());
            target.features.is_cpu = is_cpu;
            run_early(&mut module, &PassContext { target: &target, options: &options }).expect("contracts");
            assert_eq!(module.to_string().contains("fma"), !is_cpu);
        }
    }

    #[test]
    fn a_product_with_another_use_stays() {
        let shared = contracted(
            "  v3: f32 = fmul v0, v1\n  v4: f32 = fadd v3, v2\n  v5: f32 = fadd v3, v4\n  return(v5)\n",
        );
        assert!(!shared.contains("fma"), "{shared}");
    }

    /// Which of three functions with a product in a sum are contracted: two kernels', and one that both may call.
    fn fused_in(first: &str, second: &str) -> Vec<bool> {
        let body = "b0(v0: f32, v1: f32, v2: f32):\n  v3: f32 = fmul v0, v1\n  v4: f32 = fadd v3, v2\n  return(v4)\n";
        let source = format!(
            "module resolved bits=64\nkernel \"a\" f0{first}\nkernel \"b\" f1{second}\n\
             func f0 \"a\" returns (f32)\n{body}func f1 \"b\" returns (f32)\n{body}func f2 \"c\" returns (f32)\n{body}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (target, options) = (Target::minimum(), LowerOptions::default());
        run_early(&mut module, &PassContext { target: &target, options: &options }).expect("contracts");
        let fused = |f: &Function| f.insts.values().any(|i| matches!(i.kind, InstKind::Fma(..)));
        module.functions.values().map(fused).collect()
    }

    #[test]
    fn where_contraction_is_off_nothing_is_fused() {
        let off = " contraction_off";
        assert_eq!(fused_in("", ""), [true, true, true]);
        assert_eq!(fused_in(off, ""), [false, true, false], "a function for both obeys the stricter kernel");
        assert_eq!(fused_in(off, off), [false, false, false]);
    }
}
