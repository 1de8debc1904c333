//! The products that may be fused with a sum (C99 6.5p8, OpenCL C §6.3.7): those of the sum's own expression, where FP_CONTRACT is on.

use pumice_frontend::compile;
use pumice_frontend::diag::{Style, render};
use pumice_frontend::options::Options;
use spirv_io::Reader;
use spirv_io::spirv::{Decoration, ExecutionMode, FPFastMathMode, Op};

/// The fate of the products of a kernel.
#[derive(Debug, PartialEq)]
enum Products {
    /// All may be fused.
    Fusible,
    /// All are rounded first.
    Rounded,
    /// Nothing in the kernel may be fused.
    Off,
}
use Products::{Fusible, Off, Rounded};

/// The functions that the kernels call.
const FUNCTIONS: &str = "typedef struct { float x, y; } Pair;
    float same(float x) { return x; }
    float minus(float x, float y) { return x - y; }\n";

/// Compiles a kernel with a body, behind some functions.
fn products(functions: &str, body: &str) -> Products {
    let source =
        format!("{functions}kernel void k(global float *o, float a, float b, float c, int n) {{ {body} }}");
    let compiled = compile("k.cl", &source, &Options::default());
    let log = render(&compiled.diagnostics, &compiled.sources, Style::Line);
    let words = compiled.spirv.unwrap_or_else(|| panic!("{source}\n{log}"));
    let (_, reader) = Reader::new(&words).expect("a module");
    let (mut all, mut rounded, mut off) = (Vec::new(), Vec::new(), false);
    for inst in reader.map(|i| i.expect("an instruction")) {
        let operands = inst.rest(0);
        match inst.op {
            Op::FMul => all.push(operands[1]),
            Op::Decorate
                if operands[1..] == [Decoration::FPFastMathMode as u32, FPFastMathMode::NONE.bits()] =>
            {
                rounded.push(operands[0]);
            }
            Op::ExecutionMode => off |= operands[1] == ExecutionMode::ContractionOff as u32,
            _ => {}
        }
    }
    assert!(!all.is_empty(), "no product: {source}");
    match all.iter().filter(|product| rounded.contains(product)).count() {
        _ if off => Off,
        0 => Fusible,
        count if count == all.len() => Rounded,
        _ => panic!("some products may be fused: {source}"),
    }
}

#[test]
fn products_of_one_expression_may_be_fused() {
    for body in [
        "o[0] = a * b + c;",
        "o[0] = c - a * b;",
        "o[0] = (a * b) + c;",
        "float s = c; s += a * b; o[0] = s;",
        "o[0] -= a * b;",
        "o[0] = n ? a * b + c : c;",
        "o[0] = (n++, a * b - c);",
        "o[0] = same(a * b + c);",
        "o[0] = o[n ? 1 : 2] + a * b;",
        "Pair p = { a * b + c, a }; o[0] = p.x;",
        "float2 v = (float2)(a, b) * c + 1.0f; o[0] = v.x;",
        "if (a * b + c > 0.0f) o[0] = c;",
    ] {
        assert_eq!(products(FUNCTIONS, body), Fusible, "{body}");
    }
    let inside = "float f(float x, float y) { return x * y + 1.0f; }";
    assert_eq!(products(inside, "o[0] = f(a, b) + c;"), Fusible);
}

#[test]
fn products_of_other_expressions_are_rounded() {
    for body in [
        "float t = a * b; o[0] = t + c;",
        "float t; t = a * b; o[0] = t + c;",
        "float t; o[0] = (t = a * b) + c;",
        "float t; o[0] = (t = a * b, t) + c;",
        "float t = a; o[0] = (t *= b) + c;",
        "float t = a; t *= b; t += c; o[0] = t;",
        "o[0] = a * b; o[0] += c;",
        "Pair p = { a * b, a }; o[0] = p.x + c;",
        "float t[2] = { a * b, a }; o[0] = t[n] + c;",
        "o[0] = same(a * b) + c;",
        "o[0] = minus(a * b, c);",
        "float t = n ? a * b : a; o[0] = t + c;",
        "for (float t = a * b; n > 0; n--) o[n] = t + c;",
        "float2 v = (float2)(a, b) * c; o[0] = v.x + v.y;",
        "o[0] = fabs(a * b) + c;",
        "o[0] = a * b;",
    ] {
        assert_eq!(products(FUNCTIONS, body), Rounded, "{body}");
    }
    let result = "float f(float x, float y) { return x * y; }";
    assert_eq!(products(result, "o[0] = f(a, b) + c;"), Rounded);
    let stored = "void f(float x, float y, float *p) { *p = x * y; }";
    assert_eq!(products(stored, "float t; f(a, b, &t); o[0] = t + c;"), Rounded);
}

#[test]
fn nothing_is_fused_where_contraction_is_off() {
    const SUM: &str = "o[0] = a * b + c;";
    for pragma in ["OPENCL FP_CONTRACT OFF", "STDC FP_CONTRACT OFF", "clang fp contract(off)"] {
        let in_block = format!("\n#pragma {pragma}\n{SUM}");
        assert_eq!(products("", &in_block), Off, "{pragma}");
        assert_eq!(products("", &format!("{{ {in_block} }}")), Off, "{pragma}");
        assert_eq!(products("", &format!("o[1] = c; {{ {in_block} }} o[2] = c;")), Off, "{pragma}");
        let in_file = format!("#pragma {pragma}\n");
        assert_eq!(products(&in_file, SUM), Off, "{pragma}");
        let of_callee = format!("float f(float x, float y) {{\n#pragma {pragma}\nreturn x * y + 1.0f; }}\n");
        assert_eq!(products(&of_callee, "o[0] = f(a, b);"), Off, "{pragma}");
        // A function that the kernel does not call, and a part of the file before.
        assert_eq!(products(&of_callee, SUM), Fusible, "{pragma}");
    }
    let until = "#pragma OPENCL FP_CONTRACT OFF\nfloat f(float x) { return x + 1.0f; }\n#pragma OPENCL FP_CONTRACT ON\n";
    assert_eq!(products(until, SUM), Fusible);
}
