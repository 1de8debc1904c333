//! Declarations and statements: sources and the ids of the diagnostics that they give, in order.

use crate::options::{Features, LangVersion, Options};

fn options(std: LangVersion) -> Options {
    Options { std, ..Options::default() }
}

/// The ids of all diagnostics of a source.
fn ids_with(source: &str, options: &Options) -> Vec<&'static str> {
    let compilation = crate::compile("test.cl", source, options);
    compilation.diagnostics.iter().map(|d| d.id).collect()
}

/// Runs cases of (source, ids) and shows all that differ.
fn check(options: &Options, cases: &[(&str, &[&str])]) {
    let mut failures = String::new();
    for (source, expected) in cases {
        let compilation = crate::compile("test.cl", source, options);
        let found: Vec<&str> = compilation.diagnostics.iter().map(|d| d.id).collect();
        if found != *expected {
            let messages: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
            failures.push_str(&format!(
                "{source}\n  expected {expected:?}\n  found    {found:?} {messages:#?}\n"
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn specifiers_in_any_order() {
    let mut all = options(LangVersion::Cl1_2);
    all.features |= Features::FP64 | Features::FP16;
    check(
        &all,
        &[
            (
                "void f(void) { long unsigned int a = 1; int short b = 2; unsigned char c = 3; char signed d = 4; }",
                &[],
            ),
            (
                "void f(void) { const unsigned volatile long x = 1; uchar16 y = 0; size_t s = 0; ptrdiff_t p = 0; }",
                &[],
            ),
            ("void f(void) { double4 d = 0; half2 h; bool b = true; uintptr_t u = 0; }", &[]),
            ("typedef unsigned int uint; typedef uint u32; u32 f(u32 x) { return x; }", &[]),
            ("typedef float uint;", &["conflicting-types"]),
            ("typedef int T; typedef int T; typedef float T;", &["conflicting-types"]),
            ("void f(void) { float int x; }", &["invalid-type-combination"]),
            ("void f(void) { unsigned float x; }", &["invalid-type-combination"]),
            ("void f(void) { long long x; }", &["long-long"]),
            ("ulong f(void) { unsigned long long x = 1; return x; }", &["long-long"]),
            (
                "void f(void) { register int x; auto int y; }",
                &["unsupported-storage-class", "unsupported-storage-class"],
            ),
            ("static foo(int a) { return a; } void f(global *p) { *p = foo(1); }", &["missing-type"; 2]),
            ("bar(int a) { }", &["missing-type"]),
            ("void f(void) { flaot4 v; }", &["unknown-type"]),
            ("void f(flaot x) { }", &["unknown-type"]),
            ("kernel viod f(void) { }", &["unknown-type"]),
            ("void f(void) { int x; typeof(x) y = x; __typeof__(float) z = 1.0f; }", &[]),
            ("_Complex float x(void);", &["complex"]),
            ("static extern int f(void);", &["multiple-storage-classes"]),
            ("void f(int a, static int b) { }", &["misplaced-storage-class"]),
            ("void f(void) { int restrict x; }", &["invalid-restrict"]),
            ("int;", &["empty-declaration"]),
        ],
    );
    check(
        &options(LangVersion::Cl1_2),
        &[
            ("void f(void) { double d; }", &["missing-extension"]),
            ("void f(void) { half h; }", &["missing-extension"]),
            ("void f(global half *h) { }", &[]),
            ("void f(void) { (half)1.0f; }", &["needs-feature"]),
            (
                "struct S { half d; half a[2]; }; float f(global struct S *s) { return vload_half(0, &s->d); }",
                &[],
            ),
            ("struct S { half d; }; float f(global struct S *s) { return s->d; }", &["needs-feature"]),
            ("void f(global half4 *h) { }", &["missing-extension"]),
        ],
    );
}

#[test]
fn address_spaces_before_2_0() {
    check(
        &options(LangVersion::Cl1_2),
        &[
            //
            ("kernel void k(global int *a, __global int *b) { *a = *b; }", &[]),
            ("kernel void k(int global *a, const __local float *b) { *a = 1; }", &[]),
            ("kernel void k(global local int *a) { }", &["multiple-address-spaces"]),
            ("kernel void k(global __global int *a) { }", &["duplicate-address-space"]),
            ("typedef global int gint; kernel void k(local gint *a) { }", &["multiple-address-spaces"]),
            ("typedef global int gint; kernel void k(gint *a) { *a = 1; }", &[]),
            //
            ("int x = 1;", &["program-scope-address-space"]),
            ("global int x = 1;", &["program-scope-address-space"]),
            ("local int x;", &["program-scope-address-space"]),
            ("constant int x = 1;", &[]),
            ("void f(void) { static int x = 1; }", &["static-local"]),
            ("void f(void) { global int x; }", &["function-scope-address-space"]),
            ("void f(global int x) { }", &["parameter-address-space"]),
            ("global int f(void);", &["return-address-space"]),
            ("generic int *f(void);", &["generic-unavailable"]),
            ("__generic int *f(void);", &["generic-unavailable"]),
            //
            ("kernel void k(int *a) { }", &["kernel-pointer-address-space"]),
            ("kernel void k(private int *a) { }", &["kernel-pointer-address-space"]),
            ("kernel void k(global int *global *a) { }", &["kernel-parameter-type"]),
            ("kernel void k(bool b) { }", &["kernel-parameter-type"]),
            ("kernel void k(size_t b) { }", &["kernel-parameter-type"]),
            ("kernel void k(event_t b) { }", &["kernel-parameter-type"]),
            ("struct S { global int *p; }; kernel void k(struct S s) { }", &["kernel-parameter-type"]),
            //
            ("kernel void k(void) { local int a[4]; a[0] = 1; }", &[]),
            ("kernel void k(void) { { local int a[4]; } }", &["not-outermost-scope"]),
            ("kernel void k(void) { local int a = 1; }", &["local-initializer"]),
            ("kernel void k(void) { local int a[2] = {1, 2}; }", &["local-initializer"]),
            ("void f(void) { local int a; }", &["not-in-kernel"]),
            ("void f(void) { local int *a; }", &[]),
            //
            ("constant int x;", &["constant-uninitialized"]),
            ("kernel void k(void) { constant int x = 4; }", &[]),
            ("kernel void k(void) { constant int x; }", &["constant-uninitialized"]),
            ("void f(void) { constant int x = 3; }", &["not-in-kernel"]),
            ("constant float t[3] = {1.0f, 2.0f, 3.0f}; void f(void) { constant float *p = t; }", &[]),
            ("struct S { global int x; };", &["member-address-space"]),
            ("extern constant int x; constant int x = 1;", &[]),
            ("int f(void) { return 1; } constant int x = f();", &["initializer-not-constant"]),
            ("void f(void) { constant int x[2] = {1, 2}; }", &["not-in-kernel"]),
            ("constant int x = 1; constant float x = 1;", &["conflicting-types"]),
            ("constant int x = 1; constant int x = 1;", &["redefinition"]),
            ("constant int t[] = {1, 2, 3}; constant int u[3] = {1};", &[]),
        ],
    );
}

#[test]
fn address_spaces_from_2_0() {
    check(
        &options(LangVersion::Cl2_0),
        &[
            ("int x = 1; global int y; global int z = 2; constant int c = 3;", &[]),
            ("global int g; global int g;", &[]),
            ("private int x;", &["program-scope-address-space"]),
            ("local int x;", &["program-scope-address-space"]),
            ("int f(void) { static int x = 1; return ++x; }", &[]),
            ("global event_t e;", &["invalid-variable"]),
            //
            ("constant int c = 1; constant int *global p = &c;", &[]),
            ("global int g; global int *constant cp = &g; global int *constant p = &g;", &[]),
            ("global int g; constant int *global p = &g;", &["address-space"]),
            ("kernel void k(generic int *a) { }", &["kernel-pointer-address-space"]),
            ("kernel void k(int *a) { }", &["kernel-pointer-address-space"]),
            ("kernel void k(global int *global *a) { }", &[]),
            (
                "int f(int *p) { return *p; } kernel void k(global int *a, local int *b) { a[0] = f(a) + f(b); }",
                &[],
            ),
        ],
    );
    let mut v3 = options(LangVersion::Cl3_0);
    check(&v3, &[("int x = 1;", &["program-scope-address-space"])]);
    v3.features |= Features::PROGRAM_SCOPE_GLOBALS;
    check(&v3, &[("int x = 1;", &[])]);
}

#[test]
fn declarators() {
    check(
        &options(LangVersion::Cl1_2),
        &[
            ("void f(void) { int a[2][3]; int (*p)[3] = a; int *q[4]; q[0] = p[0]; }", &[]),
            ("int (f)(int (x)) { return x; }", &[]),
            ("void f(int n) { int a[n]; }", &["variable-length-array"]),
            (
                "void f(void) { const int n = 4; int a[n]; a[n - 1] = 0; switch (a[0]) { case n: break; } }",
                &[],
            ),
            ("void f(global int *p) { int x = (global foo *)p; }", &["unknown-type"]),
            ("void f(global int *p) { int x = sizeof(const foo); }", &["unknown-type"]),
            ("void f(void) { int a[0]; int b[-1]; }", &["array-size"]),
            ("void f(void) { int a[2.0f]; }", &["array-size"]),
            ("void f(void) { int a[]; }", &["incomplete-type"]),
            ("void f(void) { int a[0x7fffffffffff]; }", &["array-too-large"]),
            ("void f(void (*p)(int)) { }", &["function-pointer"]),
            ("void f(void) { void x; }", &["incomplete-type"]),
            ("void f(int a, ...) { }", &["variadic-function"]),
            ("void f(int) { }", &["c23-extension"]),
            ("void f(int a[4], float b[]) { a[0] = 1; b[0] = 2; }", &[]),
            ("int f(void)[3];", &["invalid-return-type"]),
            ("void f(void x) { }", &["void-parameter"]),
            ("void f(int a, int a) { }", &["redefinition"]),
            ("void f(int a) { int a; }", &["redefinition"]),
            ("void f(int a) { { int a = 1; } }", &[]),
            ("void f(void) { int x = sizeof(int *(*)[4]); float4 v = (float4)(1.0f); }", &[]),
        ],
    );
}

#[test]
fn records_and_enums() {
    check(
        &options(LangVersion::Cl1_2),
        &[
            (
                "struct S { int a; float4 b; struct S *next; }; void f(struct S *s) { s->a = 1; s = s->next; }",
                &[],
            ),
            (
                "typedef struct { int a; union { int b; float c; }; } T; int f(T *t) { return t->b + t->a; }",
                &[],
            ),
            ("struct S; struct S { int a; }; struct S f(struct S s) { return s; }", &[]),
            ("struct S { int a; }; struct S { int b; };", &["redefinition"]),
            ("struct S { int a; int a; };", &["duplicate-member"]),
            ("struct S { int a; struct { int a; }; };", &["duplicate-member"]),
            ("struct S { struct S s; };", &["incomplete-type"]),
            ("struct S { struct S { int x; } s; };", &["redefinition"]),
            ("struct S { int a : 3; int : 2; int b; };", &["bit-field", "bit-field"]),
            ("struct S { int n; int a[]; int b; };", &["flexible-array"]),
            ("struct S { sampler_t s; };", &["opaque-member"]),
            ("struct S { void f(void); };", &["function-member"]),
            ("void f(void) { struct Q q; }", &["incomplete-type"]),
            ("extern constant struct Q q;", &[]),
            (
                "extern constant struct Q q; struct Q { int a; }; int f(void) { return q.a; } constant struct Q q = {1};",
                &[],
            ),
            ("extern constant struct Q q; int f(void) { return q.a; }", &["incomplete-type"]),
            ("extern constant struct Q q = {0};", &["incomplete-type"]),
            ("struct S { int x; }; union S u(void);", &["tag-mismatch"]),
            ("struct S { int x }; ", &["expected-semicolon"]),
            ("struct S { int x; }\nkernel void k(void) { }", &["expected-semicolon"]),
            ("enum E { A }\nconstant int k = A;", &["expected-semicolon"]),
            (
                "struct S { int x; }\nfloat4 f(float4 x) { struct T { int y; }\nstruct T t; return x; }",
                &["expected-semicolon", "expected-semicolon"],
            ),
            (
                "struct __attribute__((packed)) S { char c; int i; }; constant int n[sizeof(struct S) == 5 ? 1 : -1] = {1};",
                &[],
            ),
            (
                "struct S { char c; } __attribute__((aligned(16))); constant int n[sizeof(struct S) == 16 ? 1 : -1] = {1};",
                &[],
            ),
            ("enum E { A, B = 5, C, }; constant int x[C] = {A, B, C}; enum E f(enum E e) { return e; }", &[]),
            ("enum E { A, A };", &["redefinition"]),
            ("enum E { A = 1.5f };", &["non-constant-enumerator"]),
            ("enum E { };", &["empty-enum"]),
            ("void f(void) { enum Q q; }", &["undefined-enum"]),
            ("enum { BIG = 0xffffffff }; uint f(void) { return BIG; }", &[]),
        ],
    );
}

#[test]
fn attributes_and_pragmas() {
    check(
        &options(LangVersion::Cl1_2),
        &[
            ("kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(void) { }", &[]),
            (
                "__attribute__((work_group_size_hint(8, 8, 1), vec_type_hint(float4))) kernel void k(void) { }",
                &[],
            ),
            ("kernel void k(void) __attribute__((intel_reqd_sub_group_size(16)));", &[]),
            ("kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) { }", &["attribute-argument"]),
            (
                "kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) { }",
                &["attribute-argument"],
            ),
            ("__attribute__((reqd_work_group_size(8, 8, 1))) void f(void) { }", &["attribute-needs-kernel"]),
            ("__attribute__((frobnicate(1, 2))) void f(void) { }", &["unknown-attribute"]),
            (
                "__attribute__((always_inline, unused)) void f(void) { } __attribute__((noinline)) void g(void) { }",
                &[],
            ),
            (
                "int __attribute__((overloadable)) f(int x) { return x; } float __attribute__((overloadable)) f(float x) { return x; } void g(void) { f(1); f(1.0f); }",
                &[],
            ),
            ("int f(int x) { return x; } float f(float x) { return x; }", &["conflicting-types"]),
            (
                "void f(void) { int x __attribute__((aligned(16))); int y __attribute__((aligned(3))); }",
                &["invalid-alignment"],
            ),
            ("void f(void) { __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; i++) { } }", &[]),
            (
                "void f(int n) {\n#pragma unroll\nfor (int i = 0; i < n; i++) ;\n#pragma unroll 4\nwhile (n--) ;\n}",
                &[],
            ),
            ("void f(int n) {\n#pragma unroll\nn++;\n}", &["misplaced-unroll"]),
            (
                "void f(int n) { n = 1 +\n#pragma unroll\n2; int a[2] = {\n#pragma unroll\n1, 2}; }",
                &["misplaced-pragma", "misplaced-pragma"],
            ),
            (
                "#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable\n#pragma OPENCL FP_CONTRACT OFF\nvoid f(void) { }",
                &[],
            ),
            ("#pragma OPENCL EXTENSION cl_foo_bar : enable\n", &["unknown-extension"]),
            ("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n", &["unsupported-extension"]),
        ],
    );
}

#[test]
fn functions() {
    let two: &[&str] = &["recursion"];
    let undefined: &[&str] = &["undefined-function"];
    check(
        &options(LangVersion::Cl1_2),
        &[
            ("int g(int); int f(int x) { return g(x); } int g(int x) { return x; }", &[]),
            ("int g(int); kernel void k(global int *p) { *p = g(1); }", &["undefined-function"]),
            (
                "int g(int); int f(int x) { return g(x); } kernel void k(global int *p) { *p = f(1); }",
                undefined,
            ),
            ("int g(int); int f(int x) { return g(x); } kernel void k(global int *p) { }", undefined),
            ("int f(int x) { return x; } int f(int x) { return x; }", &["redefinition"]),
            ("int f(int x); float f(int x);", &["conflicting-types"]),
            ("int f(int x); int f(int x, int y) { return x; }", &["conflicting-types"]),
            ("kernel int k(void) { return 1; }", &["kernel-return-type"]),
            ("static kernel void k(void) { }", &["static-kernel"]),
            ("int f(int x) { return x ? 1 + f(x - 1) : 0; }", two),
            ("int g(int); int f(int x) { return g(x); } int g(int x) { return f(x); }", two),
            ("int f(void) { }", &["missing-return"]),
            ("int f(void) { return; }", &["return-without-value"]),
            ("void f(void) { return 1; }", &["return-with-value"]),
            ("void g(void) { } void f(void) { return g(); }", &[]),
            ("void f(void) { int g(int x) { return x; } }", &["nested-function"]),
            (
                "inline float sq(float x) { return x * x; } kernel void k(global float *a) { a[0] = sq(a[1]); }",
                &[],
            ),
            ("void f() { } void g(void) { f(); }", &[]),
            ("int x(void); void f(void) { int x; x = 1; }", &[]),
            ("constant int f = 1; void f(void) { }", &["redefinition"]),
        ],
    );
}

#[test]
fn statements() {
    check(
        &options(LangVersion::Cl1_2),
        &[
            (
                "int f(int n) { int s = 0; for (int i = 0, j = 1; i < n; i++, j *= 2) { if (i & 1) continue; else s += j; } do s--; while (s > 9); while (s) { if (s == 3) break; s--; } return s; }",
                &[],
            ),
            (
                "int f(int n) { switch (n) { case 1: return 1; case 2: case 3: n++; break; case 'a' ... 'c': n = 2; break; default: n = 0; } return n; }",
                &[],
            ),
            ("void f(int n) { switch (n) { case 1: case 1: break; } }", &["duplicate-case"]),
            ("void f(int n) { switch (n) { default: default: break; } }", &["duplicate-case"]),
            ("void f(int n) { switch (n) { case n: break; } }", &["non-constant-case"]),
            ("void f(float n) { switch (n) { } }", &["switch-type"]),
            ("void f(uchar n) { switch (n) { case 255: n = 1; } }", &[]),
            ("void f(void) { case 1: ; default: ; }", &["case-outside-switch", "case-outside-switch"]),
            ("void f(void) { break; continue; }", &["break-outside-loop", "continue-outside-loop"]),
            ("void f(int n) { switch (n) { case 1: continue; } }", &["continue-outside-loop"]),
            ("void f(int n) { again: if (n--) goto again; goto end; end: ; }", &[]),
            ("void f(int n) { goto nowhere; }", &["undefined-label"]),
            ("void f(int n) { a: n++; a: n--; goto a; }", &["duplicate-label"]),
            ("void f(int n) { a: n++; }", &["unused-label"]),
            ("void f(int n) { else n = 1; }", &["else-without-if"]),
            ("void f(int n) { if (n) int x = 1; }", &["expected-statement"]),
            ("void f(int n) { asm(\"nop\"); }", &["inline-assembly"]),
            ("void f(int n) { ; ; { } }", &[]),
            ("void f(int n) { if n > 3 { n = 1; } while n { n--; } }", &["expected-token", "expected-token"]),
            ("_Static_assert(sizeof(int) == 4, \"int\"); _Static_assert(0, \"no\");", &["static-assertion"]),
            ("void f(int n) { a: { int b = n; n = b; } goto a; }", &[]),
        ],
    );
}

#[test]
fn ten_mistakes_give_about_ten_diagnostics() {
    let source = "
constant int table[4] = {1, 2, 3, 4}
struct P { float x; int y : 3; };
kernel void k(int *a, global float *out)
{
    int i = get_global_id(0)
    flaot v = 1.0f;
    int n = undeclared_thing + 1;
    for (int j = 0; j < 4; j++ {
        out[j] = j;
    }
    if (i < 3 {
        out[0] = 1;
    }
    goto nowhere;
    break;
    local int tile[4] = {0};
    out[i] = ;
}
kernel int second(global int *p) { p[0] = 1 p[1] = 2; }
";
    let found = ids_with(source, &options(LangVersion::Cl1_2));
    let expected = [
        "expected-semicolon",
        "bit-field",
        "kernel-pointer-address-space",
        "expected-semicolon",
        "unknown-type",
        "undeclared-identifier",
        "expected-token",
        "expected-token",
        "break-outside-loop",
        "local-initializer",
        "expected-expression",
        "undefined-label",
        "kernel-return-type",
        "expected-semicolon",
    ];
    assert_eq!(found, expected);
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = |open: &str, middle: &str, close: &str, n: usize| {
        format!("void f(void) {{ {}{}{} }}", open.repeat(n), middle, close.repeat(n))
    };
    for source in [
        deep("{", ";", "}", 5000),
        deep("if (1) ", ";", "", 5000),
        deep("if (1) ; else ", ";", "", 15_000),
        deep("for (;;) ", ";", "", 5000),
        deep("a: ", ";", "", 5000),
        deep("int x = (", "1", ");", 5000),
        format!("void f(int {}x{});", "(".repeat(5000), ")".repeat(5000)),
        format!("void f(int {}x);", "*".repeat(5000)),
        format!("{} int x; {}", "struct {".repeat(5000), "} s;".repeat(5000)),
        format!("void f({}", "int (".repeat(5000)),
        format!("int x = {};", "{".repeat(5000)),
        format!("int {};", "a[".repeat(5000)),
        "typeof(".repeat(5000),
    ] {
        let ids = ids_with(&source, &options(LangVersion::Cl1_2));
        assert!(!ids.is_empty() && ids.len() < 300, "{} diagnostics", ids.len());
    }
}

/// Kernels of many shapes; each compiles without a diagnostic.
const KERNELS: &[&str] = &[
    "
typedef struct { float4 pos; float4 vel; } Body;
constant float EPS = 0.01f;
float4 accel(float4 a, float4 b) {
    float4 d = b - a; d.w = 0.0f;
    float r = rsqrt(dot(d, d) + EPS);
    return d * (b.w * r * r * r);
}
kernel void nbody(global const Body *restrict in, global Body *restrict out, uint n, float dt, local float4 *tile) {
    uint i = get_global_id(0), l = get_local_id(0);
    float4 p = in[i].pos, a = (float4)(0.0f);
    for (uint t = 0; t < n; t += get_local_size(0)) {
        tile[l] = in[t + l].pos;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < get_local_size(0); ++j) a += accel(p, tile[j]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    Body b = in[i];
    b.vel.xyz += a.xyz * dt;
    b.pos.xyz += b.vel.xyz * dt;
    out[i] = b;
}",
    "
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
__constant uint K[8] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25bU, 0x59f111f1u, 0x923f82a4, 0xab1c5ed5 };
void round_(uint *s, uint w, uint k) {
    uint t1 = s[7] + (ROTR(s[4], 6) ^ ROTR(s[4], 11) ^ ROTR(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k + w;
    uint t2 = (ROTR(s[0], 2) ^ ROTR(s[0], 13) ^ ROTR(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int i = 7; i > 0; i--) s[i] = s[i - 1];
    s[4] += t1; s[0] = t1 + t2;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void sha(__global const uchar *msg, __global uint *digest) {
    uint w[64], s[8] = { 1, 2, 3 };
    #pragma unroll
    for (int i = 0; i < 16; ++i)
        w[i] = (uint)msg[4 * i] << 24 | (uint)msg[4 * i + 1] << 16 | (uint)msg[4 * i + 2] << 8 | msg[4 * i + 3];
    for (int i = 16; i < 64; ++i) w[i] = w[i - 16] + ROTR(w[i - 15], 7);
    for (int i = 0; i < 64; ++i) round_(s, w[i], K[i & 7]);
    vstore8((uint8)(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]), get_global_id(0), digest);
}",
    "
kernel void torture(global int *out, int n) {
    int i = 0, acc = 0;
again:
    switch (n & 7) {
    case 0: acc += 1;
    case 1: acc += 2; break;
    case 2: { int k = acc; acc = k * 3; } break;
    case 3 ... 5: if (acc > 4) goto out_; else acc = 9; break;
    default: acc--;
    }
    do { if (++i == 5) continue; if (i > 20) break; acc ^= i; } while (i < 100);
    if (n-- > 0) goto again;
out_:
    out[get_global_id(0)] = acc;
}",
    "
enum Mode { ADD, MUL, LAST = 10 };
struct Inner { char c; short s; float3 v; };
typedef struct Outer { struct Inner in[2]; union { int i; float f; }; enum Mode mode; } Outer;
static inline float apply(const global Outer *o, enum Mode m) { return m == ADD ? o->in[0].v.x + o->f : o->in[1].v.z * o->i; }
kernel void structs(global Outer *o, global float *r, constant float *filter, local int *scratch) {
    local int count;
    local float4 tile[2][4];
    constant int weights[3] = { 1, 2, 1 };
    size_t id = get_global_id(0);
    if (get_local_id(0) == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    tile[0][id & 3] = (float4)(filter[0], filter[1], 0, 1).wzyx;
    scratch[id] = weights[id % 3];
    Outer copy = o[id];
    copy.in[1].v = (float3)(1, 2, 3);
    r[id] = apply(&o[id], copy.mode) + convert_float(count) + tile[0][0].s0 + as_float(scratch[0]);
    global uchar *bytes = (global uchar *)o;
    bytes[id] = (uchar)(bytes[id] ^ 0x5a);
}",
];

#[test]
fn whole_kernels_compile() {
    for source in KERNELS {
        let compilation = crate::compile("k.cl", source, &options(LangVersion::Cl1_2));
        let all: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(all.is_empty() && compilation.spirv.is_some(), "{all:#?} in {source}");
    }
}

/// A generator of numbers that is the same on every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// The words and punctuation of a source, line ends kept.
fn pieces(source: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in source.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match list.last_mut() {
            Some(last) if word && in_word => last.push(c),
            _ => list.push(c.to_string()),
        }
        in_word = word;
    }
    list
}

#[test]
fn mutated_sources_never_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let rounds: usize = std::env::var("PUMICE_FUZZ").ok().and_then(|v| v.parse().ok()).unwrap_or(60);
    for round in 0..rounds * KERNELS.len() {
        let source = KERNELS[round % KERNELS.len()];
        let mut list = pieces(source);
        for _ in 0..1 + random.below(6) {
            let (a, b) = (random.below(list.len()), random.below(list.len()));
            match random.below(4) {
                0 => {
                    list.remove(a);
                }
                1 => list.insert(b, list[a].clone()),
                2 => list.swap(a, b),
                _ => list[a] = list[b].clone(),
            }
        }
        let std = if round % 3 == 0 { LangVersion::Cl2_0 } else { LangVersion::Cl1_2 };
        let text = list.concat();
        let found = std::panic::catch_unwind(|| ids_with(&text, &options(std)));
        match found {
            Ok(ids) => assert!(!ids.contains(&"internal-compiler-error"), "{ids:?} for {text}"),
            Err(_) => panic!("panic for {text}"),
        }
    }
}

#[test]
fn images_and_samplers() {
    let of = |std| Options { std, features: Features::IMAGES, ..Options::default() };
    let read = "kernel void k(read_only image2d_t i) { read_imagef(i, (int2)(0)); }";
    check(
        &of(LangVersion::Cl1_2),
        &[
            (read, &[]),
            ("const sampler_t s = 0; constant sampler_t t = 1; kernel void k() { sampler_t u = 2; }", &[]),
            ("sampler_t s = 0;", &["sampler-not-const"]),
            ("kernel void k(read_write image2d_t i) { }", &["needs-feature"]),
            ("typedef write_only image2d_t W; kernel void k(W i) { }", &[]),
            (
                "typedef write_only image2d_t W; kernel void k(read_only W i) { }",
                &["multiple-access-qualifiers"],
            ),
            ("kernel void k(read_only image2d_t i, int c) { c ? i : i; }", &["invalid-operands"]),
            ("kernel void k(sampler_t s, int c) { c ? s : s; }", &["invalid-operands"]),
        ],
    );
    check(
        &of(LangVersion::Cl1_1),
        &[
            (read, &["no-matching-builtin"]),
            ("kernel void k(read_only image2d_t i, sampler_t s) { read_imagef(i, s, (int2)(0)); }", &[]),
        ],
    );
    check(&of(LangVersion::Cl2_0), &[("kernel void k(read_write image2d_t i) { }", &[])]);
    check(&of(LangVersion::Cl3_0), &[("kernel void k(read_write image2d_t i) { }", &["needs-feature"])]);
}
