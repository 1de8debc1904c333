//! The rules of expressions as tables: source to type, to diagnostics, to constant.

use crate::diag::Diagnostics;
use crate::hir::{Constant, ExprKind, Init, Program, Stmt, StmtKind};
use crate::options::{Features, LangVersion, Options};
use crate::source::SourceMap;
use crate::symbol::Interner;
use crate::types_text::type_text;

/// Variables of every kind for the snippets.
const DECLARATIONS: &str = "
struct S { int x; float4 v; int arr[3]; struct { short inner; }; };
union U { int i; float f; uchar b[4]; };
enum E { E0, E1 = 5 };
constant int table[3] = { 1, 2, 3 };
int twice(int v) { return v * 2; }
struct S make(void) { struct S s = { 0 }; return s; }
void nothing(void) { }
void f(global int *gp, local int *lp, constant int *cp, int *p, const int *kp, global float4 *gv,
       struct S *sp, void *vp, global void *gvp, global uint *gup, volatile global int *vgp,
       const struct S *ksp, global int **gpp, event_t ev) {
  bool b; char c; uchar uc; short s; ushort us; int i; uint u; long l; ulong ul; float F;
  char4 c4; uchar4 uc4; int2 i2; int3 i3; int4 i4; uint4 u4; long4 l4; float2 f2; float3 f3; float4 f4;
  int8 i8; float16 f16; int a[4]; int a2[2][3]; const int ki = 3; struct S st; union U un; enum E e;
  size_t z; const float4 kf4 = (float4)(0.0f);
";

fn options() -> Options {
    Options { features: Features::INT64, ..Options::default() }
}

fn parse(text: &str, options: &Options) -> (Option<Program>, Interner, Vec<&'static str>) {
    let (mut sources, mut symbols) = (SourceMap::new(), Interner::new());
    let mut diagnostics = Diagnostics::new(options);
    let main = sources.add("test.cl", text);
    let tokens =
        crate::preprocess::preprocess(main, &mut sources, &mut symbols, options, &mut diagnostics).tokens;
    let program = super::analyze(&tokens, &mut symbols, options, &mut diagnostics);
    let ids = diagnostics.iter().map(|d| d.id).collect();
    (program, symbols, ids)
}

/// The type of an expression and the diagnostics that it gives.
fn check(expression: &str, options: &Options) -> (String, Vec<&'static str>) {
    let (program, symbols, ids) = parse(&format!("{DECLARATIONS}{expression};\n}}\n"), options);
    let Some(program) = program else { return ("<no program>".to_owned(), ids) };
    let body = program.functions.last().and_then(|f| f.body.as_ref());
    let ty = match body.and_then(|b| b.stmts.last()) {
        Some(Stmt { kind: StmtKind::Expr(e), .. }) => {
            // A statement takes the value of an object; its type as an object tells more.
            let object = match &e.kind {
                ExprKind::Load(object) | ExprKind::ArrayDecay(object) => object,
                _ => e,
            };
            type_text(&program.types, &symbols, object.ty)
        }
        other => format!("{other:?}"),
    };
    (ty, ids)
}

#[track_caller]
fn types(cases: &[(&str, &str)]) {
    types_with(cases, &options());
}

#[track_caller]
fn types_with(cases: &[(&str, &str)], options: &Options) {
    let mut failures = String::new();
    for (expression, wanted) in cases {
        let (found, ids) = check(expression, options);
        if found != *wanted || !ids.is_empty() {
            failures += &format!("{expression}: wanted {wanted}, found {found} {ids:?}\n");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[track_caller]
fn diagnostics(cases: &[(&str, &[&str])]) {
    diagnostics_with(cases, &options());
}

#[track_caller]
fn diagnostics_with(cases: &[(&str, &[&str])], options: &Options) {
    let mut failures = String::new();
    for (expression, wanted) in cases {
        let (found, ids) = check(expression, options);
        if ids != *wanted {
            failures += &format!("{expression}: wanted {wanted:?}, found {ids:?} ({found})\n");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn scalars_follow_the_usual_arithmetic_conversions() {
    types(&[
        ("c + c", "int"),
        ("uc << l", "int"),
        ("u + i", "uint"),
        ("u + l", "long"),
        ("l + ul", "ulong"),
        ("F * i", "float"),
        ("1.0 * F", "float"),
        ("~us", "int"),
        ("-u", "uint"),
        ("+b", "int"),
        ("!F", "int"),
        ("!gp", "int"),
        ("i < u", "int"),
        ("i && F", "int"),
        ("b ? c : s", "int"),
        ("i ? F : l", "float"),
        ("i, F", "float"),
        ("c = 5", "char"),
        ("c += 5", "char"),
        ("i++", "int"),
        ("--i", "int"),
        ("E1", "int"),
        ("e + 1", "int"),
        ("sizeof i", "ulong"),
        ("sizeof(float4) + 1", "ulong"),
        ("vec_step(f3)", "int"),
        ("(uchar)i", "uchar"),
        ("(bool)F", "bool"),
        ("'a'", "int"),
        ("5u", "uint"),
        ("1.0f", "float"),
    ]);
}

#[test]
fn vectors_mix_with_scalars() {
    types(&[
        ("f4 + F", "float4"),
        ("F * f4", "float4"),
        ("f4 * 2", "float4"),
        ("f4 * 2.0", "float4"),
        ("c4 + (char)1", "char4"),
        ("c4 + c", "char4"),
        ("u4 + i", "uint4"),
        ("uc4 << 2", "uchar4"),
        ("uc4 << uc4", "uchar4"),
        ("c4 << i4", "char4"),
        ("f4 < F", "int4"),
        ("c4 == c4", "char4"),
        ("l4 > l4", "long4"),
        ("uc4 != uc", "char4"),
        ("u4 && u4", "int4"),
        ("f4 || F", "int4"),
        ("!f4", "int4"),
        ("~u4", "uint4"),
        ("i4 ? f4 : F", "float4"),
        ("i4 ? 1.0f : F", "float4"),
        ("i ? f4 : f4", "float4"),
        ("i4 ? u4 : 1u", "uint4"),
        ("f4 = 1", "float4"),
        ("f4 *= F", "float4"),
        ("f4 += 2", "float4"),
        ("c4 >>= 1", "char4"),
        ("i4++", "int4"),
        ("(float4)F", "float4"),
        ("(float4)(1)", "float4"),
        ("(float4)(F, f2, 1)", "float4"),
        ("(float4)(f3, 1)", "float4"),
        ("(int4)(i2, i2)", "int4"),
        ("(int4)b", "int4"),
        ("(float4)(f4)", "float4"),
        ("(float4)(f4).x", "float"),
        ("(float2)(1, 2).x", "float"),
        ("(float4){1, 2, 3, 4}", "float4"),
        ("__builtin_astype(f4, int4)", "int4"),
        ("__builtin_astype(f3, int4)", "int4"),
    ]);
    diagnostics(&[
        ("f4 + i4", &["vector-type-mismatch"]),
        ("f4 + f2", &["vector-type-mismatch"]),
        ("i4 + F", &["scalar-rank"]),
        ("i4 + l", &["scalar-rank"]),
        ("c4 + i", &["scalar-rank"]),
        ("c4 + 300", &["scalar-rank"]),
        ("i4 = f4", &["vector-conversion"]),
        ("i = i4", &["vector-conversion"]),
        ("(int4)f4", &["vector-cast"]),
        ("(int)i4", &["vector-cast"]),
        ("(float4)(1, 2, 3)", &["vector-literal-count"]),
        ("(float4)(f4, 1)", &["vector-literal-count"]),
        ("(float4)(i2, 1, 2)", &["vector-literal-part"]),
        ("f4 % f4", &["invalid-operands"]),
        ("f4 & 1", &["invalid-operands"]),
        ("~f4", &["invalid-operands"]),
        ("i << i4", &["invalid-operands"]),
        ("i += i4", &["invalid-operands"]),
        ("f4 ? f4 : f4", &["condition-not-integer"]),
        ("c4 ? i4 : i4", &["vector-select-size"]),
        ("i2 ? i4 : i4", &["vector-select-size"]),
        ("__builtin_astype(f4, int)", &["astype-size"]),
        ("if (i4) { }", &["condition-not-scalar"]),
    ]);
}

#[test]
fn components_of_vectors() {
    types(&[
        ("f4.x", "float"),
        ("f4.xy", "float2"),
        ("f4.wzyx", "float4"),
        ("f3.xyz", "float3"),
        ("f16.s0aF", "float3"),
        ("f4.lo.hi", "float"),
        ("f3.hi", "float2"),
        ("i8.odd", "int4"),
        ("f4.xyz = f3", "float3"),
        ("f4.hi.y = 1", "float"),
        ("gv->xy", "__global float2"),
        ("gv[1].w", "__global float"),
        ("(f4 + f4).x", "float"),
        ("f4[i]", "float"),
        ("f4[2] = 1", "float"),
        ("st.v.yx", "float2"),
        ("f4.xy += F", "float2"),
    ]);
    diagnostics(&[
        ("f2.z", &["invalid-swizzle"]),
        ("f4.q", &["invalid-swizzle"]),
        ("f4.xyzwx", &["invalid-swizzle"]),
        ("f4.xx = f2", &["duplicate-component"]),
        ("f4.s4", &["invalid-swizzle"]),
        ("f4[4]", &["invalid-subscript"]),
        ("f4[F]", &["invalid-subscript"]),
        ("&f4.x", &["address-of-component"]),
        ("&f4[i]", &["address-of-component"]),
        ("(f4 + f4).x = 1", &["not-assignable"]),
        ("kf4.x = 1", &["const-write"]),
        ("i.x", &["no-member"]),
        ("f4.rg", &["rgba-swizzle"]),
    ]);
}

#[test]
fn members_and_pointers() {
    types(&[
        ("st.x", "int"),
        ("sp->x", "int"),
        ("sp->arr[1]", "int"),
        ("st.inner", "short"),
        ("ksp->x", "const int"),
        ("make().x", "int"),
        ("make().arr[2]", "int"),
        ("un.b[1]", "uchar"),
        ("gp[3]", "__global int"),
        ("3[gp]", "__global int"),
        ("*gp", "__global int"),
        ("gp + 1", "__global int *"),
        ("1 + gp", "__global int *"),
        ("gp - gp", "long"),
        ("vp + 1", "void *"),
        ("&i", "int *"),
        ("&gp[2]", "__global int *"),
        ("&*gp", "__global int *"),
        ("&st.v", "float4 *"),
        ("&a", "int (*)[4]"),
        ("a2[1]", "int[3]"),
        ("a2[1] + 1", "int *"),
        ("*a2[1]", "int"),
        ("gp == 0", "int"),
        ("gp < gp + 1", "int"),
        ("gp++", "__global int *"),
        ("gp += 2", "__global int *"),
        ("i ? gp : 0", "__global int *"),
        ("gp = 0", "__global int *"),
        ("gp = (void *)0", "__global int *"),
        ("(long)gp", "long"),
        ("(global int *)l", "__global int *"),
        ("(global float *)gp", "__global float *"),
        ("gvp = gp", "__global void *"),
        ("gp = gvp", "__global int *"),
        ("b = gp", "bool"),
        ("st = make()", "struct S"),
        ("i ? st : make()", "struct S"),
        ("\"ab\"", "__constant const char[3]"),
        ("table[1]", "__constant int"),
        ("twice(c)", "int"),
        ("(twice)(2)", "int"),
        ("nothing()", "void"),
        ("(void)i", "void"),
        ("i ? nothing() : (void)0", "void"),
        ("(struct S){ 1 }.x", "int"),
        ("((int[]){1, 2, 3})[1]", "int"),
        ("sizeof(int[3])", "ulong"),
        ("ev = 0", "event_t"),
    ]);
    diagnostics(&[
        ("i.x", &["no-member"]),
        ("st.y", &["no-member"]),
        ("sp.x", &["member-of-pointer"]),
        ("st->x", &["not-a-pointer"]),
        ("*i", &["not-a-pointer"]),
        ("*vp", &["void-value"]),
        ("&5", &["not-an-lvalue"]),
        ("i[i]", &["invalid-subscript"]),
        ("gp[F]", &["invalid-subscript"]),
        ("gp * 2", &["invalid-operands"]),
        ("gp + gp", &["invalid-operands"]),
        ("gp = i", &["int-conversion"]),
        ("i = gp", &["int-conversion"]),
        ("gp == 5", &["pointer-integer-compare"]),
        ("(float)gp", &["invalid-cast"]),
        ("(struct S)i", &["invalid-cast"]),
        ("5 = i", &["not-assignable"]),
        ("a = a", &["not-assignable"]),
        ("ki = 1", &["const-write"]),
        ("*kp = 1", &["const-write"]),
        ("ksp->x = 1", &["const-write"]),
        ("ki++", &["const-write"]),
        ("cp[0] = 1", &["constant-write"]),
        ("table[0]++", &["constant-write"]),
        ("i = nothing()", &["void-value"]),
        ("twice()", &["argument-count"]),
        ("twice(1, 2)", &["argument-count"]),
        ("twice(st)", &["incompatible-types"]),
        ("twice", &["function-as-value"]),
        ("i(3)", &["not-a-function"]),
        ("st + 1", &["invalid-operands"]),
        ("i / 0", &["division-by-zero"]),
        ("c = 300", &["constant-conversion"]),
        ("sizeof(void)", &["incomplete-type"]),
    ]);
}

#[test]
fn address_spaces_convert_by_the_rules() {
    diagnostics(&[
        ("gp = lp", &["address-space"]),
        ("gp = p", &["address-space"]),
        ("p = cp", &["address-space"]),
        ("gp = (global int *)lp", &["address-space"]),
        ("(constant int *)gp", &["address-space"]),
        ("i ? gp : lp", &["address-space"]),
        ("gp == lp", &["address-space"]),
        ("char *str = \"x\"", &["address-space"]),
        ("constant char *str = \"x\"", &[]),
        ("gup = gp", &["incompatible-pointer-types"]),
        ("p = kp", &["discards-qualifiers"]),
        ("kp = p", &[]),
        ("vp = gpp", &[]),
    ]);
    let generic = Options {
        std: LangVersion::Cl3_0,
        features: Features::INT64 | Features::GENERIC_ADDRESS_SPACE,
        ..Options::default()
    };
    types_with(
        &[
            ("p = gp", "__generic int *"),
            ("p = lp", "__generic int *"),
            ("p = &i", "__generic int *"),
            ("gp == p", "int"),
            ("i ? gp : p", "__generic int *"),
            ("(global int *)p", "__global int *"),
        ],
        &generic,
    );
    diagnostics_with(
        &[
            ("gp = p", &["address-space"]),
            ("p = cp", &["address-space"]),
            ("(int *)cp", &["address-space"]),
            ("(constant int *)p", &["address-space"]),
            ("i ? gp : cp", &["address-space"]),
            ("i ? gp : lp", &["disjoint-address-spaces"]),
            ("gp == lp", &["address-space"]),
            ("gp - lp", &["address-space"]),
            ("lp = (global void *)0", &["address-space"]),
            ("lp = (void *)0", &[]),
            ("(local int *)gp", &["address-space"]),
            ("global int *private *q = 0; local int *private *r = q", &["nested-address-space"]),
        ],
        &generic,
    );
}

#[test]
fn names_are_reported_once_with_a_guess() {
    diagnostics(&[
        ("nowhere + nowhere * nowhere", &["undeclared-identifier"]),
        ("nofunction(1) + nofunction(2)", &["undeclared-function"]),
        ("twise(1)", &["undeclared-function"]),
        ("f4 = float4(1, 2, 3, 4)", &["type-as-value"]),
        ("i = int(1)", &["type-as-value"]),
    ]);
    let text = format!("{DECLARATIONS} twise(1); }}");
    let (mut sources, mut symbols, options) = (SourceMap::new(), Interner::new(), options());
    let mut found = Diagnostics::new(&options);
    let main = sources.add("test.cl", &text);
    let tokens = crate::preprocess::preprocess(main, &mut sources, &mut symbols, &options, &mut found).tokens;
    super::analyze(&tokens, &mut symbols, &options, &mut found);
    let notes: Vec<_> = found.iter().flat_map(|d| &d.notes).map(|n| n.message.clone()).collect();
    assert_eq!(notes, ["did you mean 'twice', declared here?"]);
}

#[test]
fn errors_do_not_cascade() {
    diagnostics(&[
        ("i = (1 + ) * 3", &["expected-expression"]),
        ("i = nowhere.x + nowhere[2]", &["undeclared-identifier"]),
        ("f4.q + f4.q2 * 3", &["invalid-swizzle", "invalid-swizzle"]),
        ("twice(", &["expected-expression"]),
        ("i = 09", &["invalid-literal"]),
    ]);
}

/// The constant that `long x = EXPRESSION` gives.
fn constant(ty: &str, expression: &str) -> Result<Constant, Vec<&'static str>> {
    let text = format!(
        "struct P {{ char c; int x; float4 v; int t[3]; }}; constant int g[5] = {{ 0 }};\n\
         enum {{ A = 3, B }}; constant int N = 7;\nconstant {ty} = {expression};\n"
    );
    let (program, _, ids) = parse(&text, &options());
    match program.and_then(|p| p.globals.into_iter().next_back()).and_then(|g| g.init) {
        Some(constant) if ids.is_empty() => Ok(constant),
        _ => Err(ids),
    }
}

#[test]
fn constant_expressions() {
    let ints = [
        ("1 + 2 * 3", 7),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7u - 8u", 0xffff_ffff),
        ("0x7fffffff + 1", -0x8000_0000),
        ("1 << 33", 2),
        ("(uchar)300", 44),
        ("(char)200", -56),
        ("(int)3.9f", 3),
        ("(uint)-1", 0xffff_ffff),
        ("3 > 2 && 2 > 1", 1),
        ("0 || 0", 0),
        ("1 ? 4 : N", 4),
        ("sizeof(struct P)", 48),
        ("sizeof(int) * 2", 8),
        ("A + B", 7),
        ("N * 2", 14),
        ("~0", -1),
        ("!5", 0),
        ("'a'", 97),
        ("(long)&((struct P *)0)->x", 4),
        ("&g[3] - &g[1]", 2),
        ("vec_step(float3)", 4),
        ("((int4)(1, 2, 3, 4)).z", 3),
        ("((int2)(1, 2) < (int2)(2, 2)).x", -1),
        ("-1 > 0u", 1),
        ("(long)1 << 40", 1 << 40),
        ("__builtin_astype(1.0f, int)", 0x3f80_0000),
    ];
    for (expression, value) in ints {
        assert_eq!(constant("long x", expression), Ok(Constant::Int(value)), "{expression}");
    }
    let zero = Constant::Int(0);
    assert_eq!(constant("float x", "1.0f / 3"), Ok(Constant::Float(f64::from(1.0f32 / 3.0))));
    assert_eq!(
        constant("int x[]", "{ [2] = 5, 6 }").map(|c| matches!(c, Constant::Array(a) if a.len() == 4)),
        Ok(true)
    );
    assert_eq!(
        constant("int2 x", "(int2)(1, 2) + 3"),
        Ok(Constant::Vector(vec![Constant::Int(4), Constant::Int(5)]))
    );
    assert_eq!(
        constant("int *constant x", "&g[3]").map(|c| matches!(c, Constant::Address { offset: 12, .. })),
        Ok(true)
    );
    assert_eq!(
        constant("int *constant x", "g + 1").map(|c| matches!(c, Constant::Address { offset: 4, .. })),
        Ok(true)
    );
    assert_eq!(constant("int *constant x", "0"), Ok(Constant::Zero));
    assert_eq!(
        constant("struct P x", "{ 'a', .v = 1.0f, .t[1] = 4, 5 }"),
        Ok(Constant::Struct(vec![
            Constant::Int(97),
            Constant::Zero,
            Constant::Vector(vec![Constant::Float(1.0); 4]),
            Constant::Array(vec![Constant::Zero, Constant::Int(4), Constant::Int(5)]),
        ]))
    );
    let row = |a, b| Constant::Array(vec![Constant::Int(a), Constant::Int(b)]);
    assert_eq!(constant("int x[2][2]", "{ 1, 2, 3, 4 }"), Ok(Constant::Array(vec![row(1, 2), row(3, 4)])));
    assert_eq!(
        constant("int x[2][2]", "{ { 1, 2 }, 3, 4 }"),
        Ok(Constant::Array(vec![row(1, 2), row(3, 4)]))
    );
    assert_eq!(
        constant("char x[4]", "\"ab\""),
        Ok(Constant::Array(vec![Constant::Int(97), Constant::Int(98)]))
    );
    assert_eq!(constant("int x", "{}"), Ok(zero));
    for (ty, expression, wanted) in [
        ("int x", "1 / 0", &["division-by-zero", "initializer-not-constant"][..]),
        ("int x[2]", "{ 1, 2, 3 }", &["excess-initializers"]),
        ("int x[2]", "{ [2] = 1 }", &["invalid-designator"]),
        ("struct P x", "{ .q = 1 }", &["no-member"]),
        ("char x[1]", "\"ab\"", &["excess-initializers"]),
        ("int x[2]", "5", &["array-initializer"]),
        ("int4 x", "{ 1, 2, 3 }", &["vector-literal-count"]),
    ] {
        assert_eq!(constant(ty, expression), Err(wanted.to_vec()), "{ty} = {expression}");
    }
}

#[test]
fn const_variables_may_size_arrays() {
    diagnostics(&[
        ("float x[ki]", &[]),
        ("const int n = 2 * ki; float x[n + 1]", &[]),
        ("const int n = i; float x[n]", &["variable-length-array"]),
    ]);
}

/// The leaves of the last declaration of a function body.
fn leaves(declaration: &str) -> Vec<Vec<u64>> {
    let (program, _, ids) = parse(&format!("{DECLARATIONS}{declaration};\n}}\n"), &options());
    assert!(ids.is_empty(), "{declaration}: {ids:?}");
    let body = program.and_then(|mut p| p.functions.pop()).and_then(|f| f.body);
    match body.and_then(|mut b| b.stmts.pop()).map(|s| s.kind) {
        Some(StmtKind::Declare(_, Some(Init::List { leaves, .. }))) => {
            leaves.into_iter().map(|l| l.0).collect()
        }
        other => panic!("{declaration}: {other:?}"),
    }
}

#[test]
fn lists_with_variables_become_leaves() {
    assert_eq!(leaves("int x[3] = { i, 2 }"), [vec![0], vec![1]]);
    assert_eq!(
        leaves("struct S x = { i, f4, { 1, 2 }, 7 }"),
        [vec![0], vec![1], vec![2, 0], vec![2, 1], vec![3, 0]]
    );
    assert_eq!(leaves("struct S x = { .inner = s }"), [vec![3, 0]]);
    assert_eq!(leaves("struct S x[2] = { st, [1].x = i }"), [vec![0], vec![1, 0]]);
    assert_eq!(leaves("union U x = { .f = F }"), [vec![1]]);
    assert_eq!(leaves("int x[2][2] = { i, 2, [1] = { [1] = i } }"), [vec![0, 0], vec![0, 1], vec![1, 1]]);
}

#[test]
fn deep_and_wide_sources_are_errors_not_overflows() {
    let deep = |open: &str, close: &str, n: usize| format!("i = {}1{}", open.repeat(n), close.repeat(n));
    diagnostics(&[
        (&deep("(", ")", 100), &[]),
        (&deep("(", ")", 5000), &["nesting-too-deep"]),
        (&deep("-(", ")", 5000), &["nesting-too-deep"]),
        (&deep("- ", "", 5000), &["nesting-too-deep"]),
        (&deep("twice(", ")", 5000), &["nesting-too-deep"]),
        (&deep("a[", "]", 5000), &["nesting-too-deep"]),
        (&deep("i ? ", " : 1", 5000), &["nesting-too-deep"]),
        (&deep("(int)", "", 5000), &["nesting-too-deep"]),
        (&format!("i = {}1", "i = ".repeat(5000)), &["nesting-too-deep"]),
        (&format!("i = i{}", " + i".repeat(590)), &[]),
        (&format!("const int y = i{}", " + i".repeat(590)), &[]),
        (&format!("int y[1] = {{ i{} }}", " + i".repeat(590)), &[]),
        (&format!("const int y = 1{}", " + ki".repeat(590)), &[]),
        (&format!("int x[1] = {}1{}", "{".repeat(5000), "}".repeat(5000)), &["nesting-too-deep"]),
        (&format!("{} struct S9 x = {{ 1 }}", nested_records(9)), &["nesting-too-deep"]),
        (&format!("{} struct S2 x = {{ 1 }}", nested_records(2)), &[]),
    ]);
}

/// Structures, each an array of many dimensions of the one before.
fn nested_records(count: usize) -> String {
    let record = |n: usize| format!("struct S{n} {{ struct S{} a{}; }};", n - 1, "[1]".repeat(30));
    "struct S0 { int x; };".to_owned() + &(1..=count).map(record).collect::<String>()
}

#[test]
fn the_highest_trees_are_emitted_within_a_small_stack() {
    // Test threads have 2 MiB; a host program's thread may have no more.
    let chain = format!("o[0] = i{};", " + i * 3".repeat(550));
    let choice = format!("o[1] = {}3;", "i ? i : ".repeat(550));
    let nested = format!("o[2] = {}i{};", "(".repeat(150), ")".repeat(150));
    let commas = format!("o[3]++{};", ", o[3]++".repeat(550));
    let logic = format!("o[4] = i{};", " && i".repeat(280));
    let text =
        format!("kernel void k(global int *o, int i) {{ {chain} {choice} {nested} {commas} {logic} }}");
    let compiled = crate::compile("deep.cl", &text, &options());
    assert!(compiled.spirv.is_some(), "{:?}", compiled.diagnostics);
}

#[test]
fn token_soup_never_panics() {
    let words = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        ".",
        "->",
        "+",
        "-",
        "*",
        "/",
        "%",
        "&",
        "&&",
        "|",
        "~",
        "!",
        "<",
        "<<",
        "=",
        "+=",
        "?",
        ":",
        "++",
        "--",
        "i",
        "f4",
        "gp",
        "st",
        "sp",
        "a",
        "un",
        "twice",
        "int",
        "float4",
        "struct S",
        "sizeof",
        "vec_step",
        "1",
        "2.5f",
        "'c'",
        "\"s\"",
        "xyz",
        "x",
        "arr",
        "nope",
        "global",
        "__func__",
        "(int4)",
        "(float4)",
        "printf",
        "make",
        "return",
        "if",
        "__builtin_astype",
        "e",
        "0",
        "0x1p3f",
        "b",
    ];
    let mut state = 0x1234_5678_9abc_def1u64;
    for _ in 0..400 {
        let mut soup = String::new();
        for _ in 0..40 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            soup += words[(state >> 20) as usize % words.len()];
            soup.push(' ');
        }
        check(&soup, &options());
        constant("int x[3]", &soup).ok();
        constant("struct P x", &format!("{{ {soup}")).ok();
    }
}

#[test]
fn a_large_table_is_one_constant() {
    let row = "0x63,0x7c,0x77,0x7b,0xf2,0x6b,0x6f,0xc5,".repeat(8192);
    let (program, _, ids) = parse(&format!("constant uchar t[65536] = {{ {row} }};"), &options());
    assert!(ids.is_empty(), "{ids:?}");
    let init = program.and_then(|p| p.globals.into_iter().next()).and_then(|g| g.init);
    assert!(matches!(init, Some(Constant::Array(a)) if a.len() == 65536 && a[4] == Constant::Int(0xf2)));
}
