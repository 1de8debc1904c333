//! Chains of operators as generated code has them, of 10,000 terms, are no nesting: they compile, in debug builds too.
//! What does nest that deep is an error, and no overflow of the stack.

use pumice_frontend::options::Options;
use pumice_frontend::{Compilation, compile};

const TERMS: usize = 10_000;

/// A kernel around some statements.
fn compiled(body: &str) -> Compilation {
    let head = "int f(int x) { return x + 1; }\nvoid v(global int *p) { ++*p; }\n";
    let text = format!("{head}kernel void k(global int *p, int x, float y, int4 w) {{\n{body}\n}}\n");
    compile("k.cl", &text, &Options::default())
}

fn ids(compilation: &Compilation) -> Vec<&str> {
    compilation.diagnostics.iter().map(|d| d.id).collect()
}

#[test]
fn chains_compile() {
    let left = |op: &str, term: &str| format!("p[0] = {term}{};", format!(" {op} {term}").repeat(TERMS));
    let chains = [
        left("+", "p[x]"),
        left("-", "p[x]"),
        left("*", "p[x]"),
        left("+", "y"),
        left("<<", "x"),
        left("|", "1"),
        left("==", "x"),
        left("&&", "x"),
        left("&&", "f(x)"),
        left("||", "f(x)"),
        left("&&", "1"),
        left("||", "0"),
        format!("w = w{}; p[0] = w.x;", " + w".repeat(TERMS)),
        format!("w = w{}; p[0] = w.x;", " && w".repeat(TERMS)),
        format!("p[0] = *(p{});", " + 1".repeat(TERMS)),
        format!("p[0] = (x++{});", ", x++".repeat(TERMS)),
        format!("p[0] = x++{};", ", f(x)".repeat(TERMS)),
        format!("p[0] = x{};", " + x * x".repeat(TERMS)),
        format!("p[0] = {}4;", "x ? x : ".repeat(TERMS)),
        format!("p[0] = {}4;", "f(x) ? f(2) : ".repeat(TERMS)),
        format!("p[0] = {}4;", "1 ? 2 : ".repeat(TERMS)),
        format!("{}v(p);", "f(x) ? v(p) : ".repeat(TERMS)),
        format!("w = {}w; p[0] = w.x;", "w ? w : ".repeat(TERMS)),
    ];
    for chain in chains {
        let compilation = compiled(&chain);
        let start: String = chain.chars().take(40).collect();
        let errors: Vec<_> = compilation.diagnostics.iter().map(|d| d.message.as_str()).take(3).collect();
        assert!(compilation.spirv.is_some(), "{start}: {errors:?}");
    }
}

#[test]
fn nesting_is_an_error() {
    let around = |open: &str, close: &str| format!("p[0] = {}x{};", open.repeat(TERMS), close.repeat(TERMS));
    let nests =
        [around("(", ")"), around("x + (", ")"), around("-", ""), around("f(", ")"), around("x ? ", " : x")];
    for nest in nests {
        assert_eq!(ids(&compiled(&nest)), ["nesting-too-deep"]);
    }
}

#[test]
fn chains_have_an_end() {
    let compilation = compiled(&format!("p[0] = x{};", " + x".repeat(1_000_000)));
    assert_eq!(ids(&compilation), ["expression-too-complex"]);
}

#[test]
fn other_chains_do_not_overflow() {
    let head = "struct S { global struct S *n; int a; };\n";
    let kernel = |body: String| {
        format!("{head}kernel void k(global int *p, global struct S *s, int x, int4 w, float y) {{ {body} }}")
    };
    let bodies = [
        format!("p[0] = s{}->a;", "->n".repeat(TERMS)),
        format!("p[0] = s{}[0].a;", "[0].n".repeat(TERMS)),
        format!("s{}->a = 1;", "->n".repeat(TERMS)),
        format!("w{} = 1;", ".wzyx".repeat(TERMS)),
        format!("p[0] = w{}.x;", ".wzyx".repeat(TERMS)),
        format!("p[0] = y{};", " == y".repeat(TERMS)),
        format!("p[0] = y{};", " && x == y".repeat(TERMS)),
    ];
    for body in bodies {
        let compilation = compile("k.cl", &kernel(body), &Options::default());
        let ids = ids(&compilation);
        let refused = ["nesting-too-deep", "expression-too-complex"];
        assert!(ids.iter().all(|id| refused.contains(id)), "{ids:?}");
    }
}
