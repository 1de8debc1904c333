//! Modules of our own front end, linked and read back.

use super::*;
use frontend::options::{Features, LangVersion, Options};
use spirv_io::spirv::Op;
use spirv_io::{Reader, string_words};

fn compile(text: &str) -> Vec<u32> {
    let options = Options {
        allow_undefined: true,
        std: LangVersion::Cl3_0,
        features: Features::INT64 | Features::PROGRAM_SCOPE_GLOBALS | Features::GENERIC_ADDRESS_SPACE,
        ..Options::default()
    };
    let compiled = frontend::compile("test.cl", text, &options);
    let diagnostics: Vec<_> = compiled.diagnostics.iter().map(|d| d.message.clone()).collect();
    compiled.spirv.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn link_texts(texts: &[&str], options: LinkOptions) -> Result<Vec<u32>, LinkError> {
    let modules: Vec<_> = texts.iter().map(|t| compile(t)).collect();
    link(&modules.iter().map(Vec::as_slice).collect::<Vec<_>>(), options)
}

const EXECUTABLE: LinkOptions = LinkOptions { create_library: false, allow_partial: false };
const LIBRARY: LinkOptions = LinkOptions { create_library: true, allow_partial: false };

/// Links an executable, lowers its kernels for a generic device, and gives how often each opcode occurs.
fn executable(texts: &[&str]) -> Vec<Op> {
    let linked = link_texts(texts, EXECUTABLE).unwrap_or_else(|e| panic!("{e}"));
    if let Some(dir) = std::env::var_os("PUMICE_TEST_KEEP") {
        let name = std::thread::current().name().unwrap_or("link").replace("::", "_");
        let path = std::path::Path::new(&dir).join(format!("{name}.spv"));
        std::fs::write(path, spirv_io::words_to_bytes(&linked)).unwrap();
    }
    crate::read::read(&linked).unwrap_or_else(|e| panic!("{e}"));
    ops(&linked)
}

fn ops(words: &[u32]) -> Vec<Op> {
    Reader::new(words).unwrap().1.map(|i| i.unwrap().op).collect()
}

fn count(ops: &[Op], op: Op) -> usize {
    ops.iter().filter(|o| **o == op).count()
}

fn symbol_errors(texts: &[&str]) -> String {
    link_texts(texts, EXECUTABLE).unwrap_err().to_string()
}

const USER: &str = "int twice(int x); kernel void k(global int *p) { p[get_global_id(0)] = twice(p[0]); }";
const TWICE: &str = "int twice(int x) { return 2 * x; }";

#[test]
fn a_function_of_another_module() {
    for texts in [[USER, TWICE], [TWICE, USER]] {
        let ops = executable(&texts);
        assert_eq!((count(&ops, Op::Function), count(&ops, Op::TypeInt)), (3, 2));
    }
}

#[test]
fn linking_is_deterministic_and_idempotent() {
    let once = link_texts(&[USER, TWICE], EXECUTABLE).unwrap();
    assert_eq!(once, link_texts(&[USER, TWICE], EXECUTABLE).unwrap());
    assert_eq!(ops(&link(&[&once], EXECUTABLE).unwrap()), ops(&once));
}

#[test]
fn libraries() {
    let library =
        link_texts(&[TWICE, "int four(int); int eight(int x) { return 2 * four(x); }"], LIBRARY).unwrap();
    let user = compile("int twice(int), eight(int); kernel void k(global int *p) { *p = twice(eight(*p)); }");
    let rest = compile("int twice(int); int four(int x) { return twice(twice(x)); }");
    assert_eq!(
        link(&[&user, &library], EXECUTABLE).unwrap_err().to_string(),
        "error: undefined symbol 'four'"
    );
    let linked = link(&[&user, &library, &rest], EXECUTABLE).unwrap();
    crate::read::read(&linked).unwrap();
    assert_eq!(count(&ops(&linked), Op::Function), 5);
}

/// Programs contain functions for other devices (hashcat does). An unreachable undefined function is no error.
#[test]
fn undefined_symbols_that_no_kernel_reaches() {
    let unused = "int here(int); int absent(int); extern constant int gone;
        int unused(int x) { return absent(x) + gone; }
        kernel void k(global int *p) { *p = here(*p); }";
    executable(&[unused, "int here(int x) { return x; }"]);
    let used = "int unused(int); int here(int x) { return unused(x); }";
    assert_eq!(
        symbol_errors(&[unused, used]),
        "error: undefined symbol 'absent'\nerror: undefined symbol 'gone'"
    );
    // An initialiser's address needs its variable.
    let variable =
        "extern global int gone; global int *global at = &gone; kernel void k(global int *p) { *p = *at; }";
    assert_eq!(symbol_errors(&[variable]), "error: undefined symbol 'gone'");
}

#[test]
fn undefined_and_duplicate_symbols() {
    assert_eq!(symbol_errors(&[USER]), "error: undefined symbol 'twice'");
    assert_eq!(symbol_errors(&[USER, TWICE, TWICE]), "error: duplicate symbol 'twice'");
    assert_eq!(
        symbol_errors(&["kernel void k() {}", "kernel void k() {}", TWICE, TWICE]),
        "error: duplicate kernel 'k'\nerror: duplicate symbol 'twice'"
    );
}

#[test]
fn types_must_agree() {
    let expected = "error: symbol 'twice' is declared with a type that differs from its definition's";
    assert_eq!(symbol_errors(&[USER, "float twice(float x) { return x; }"]), expected);
    assert_eq!(symbol_errors(&[USER, "constant int twice = 2;"]), expected);
    assert_eq!(symbol_errors(&[USER, "int twice(global int *p) { return *p; }"]), expected);
    let user = "global float *next(global float *p); kernel void k(global float *p) { *next(p) = 1; }";
    assert_eq!(
        symbol_errors(&[user, "local float *next(global float *p) { return 0; }"]),
        expected.replace("twice", "next")
    );
}

/// Compilers with untyped pointers guess pointees.
#[test]
fn pointers_may_point_to_something_else() {
    let texts = [
        "global float *next(int n, global float *p); kernel void k(global float *p) { *next(2, p) = 1; }",
        "global uint *next(int n, global uint *p) { return p + n; }",
    ];
    let linked = link_texts(&texts, EXECUTABLE).unwrap();
    crate::validate(&linked).unwrap();
    assert_eq!(count(&executable(&texts), Op::Bitcast), 2);
}

#[test]
fn program_scope_variables() {
    let ops = executable(&[
        "extern constant float table[]; extern global int counter; extern constant int four[4];
         kernel void k(global float *p) { *p = table[2] + four[1]; counter++; }",
        "constant float table[3] = {1, 2, 3}; global int counter = 7; constant int four[4] = {1, 2, 3, 4};",
    ]);
    assert_eq!(count(&ops, Op::Variable), 3);
}

#[test]
fn an_initialiser_may_need_a_variable_of_a_later_module() {
    executable(&[
        "extern global int a; global int *global pa = &a; global int b = 2;",
        "extern global int b; global int *global pb = &b; global int a = 1;
         kernel void k(global int *p) { *p = *pb; }",
    ]);
    let message = symbol_errors(&[
        "extern global void *pb; global void *pa = &pb;",
        "extern global void *pa; global void *pb = &pa;",
    ]);
    assert!(message.contains("in a circle"), "{message}");
}

#[test]
fn structures_and_vectors_cross_modules() {
    let head = "struct S { int a; float4 b; }; typedef struct __attribute__((packed)) { char c; int d; } P;
        struct N { global struct N *next; int v; };";
    executable(&[
        &format!(
            "{head} float f(struct S s, P p, global struct N *n, float3 v);
             kernel void k(struct S s, global P *p, global float *o, global struct N *n) {{
                 *o = f(s, *p, n, (float3)(*o)); }}"
        ),
        &format!(
            "struct Other {{ int x; }}; {head}
             float f(struct S s, P p, global struct N *n, float3 v) {{
                 return s.b.x + p.d + n->next->v + v.z + get_local_id(0); }}"
        ),
    ]);
}

#[test]
fn kernels_called_across_modules() {
    // Both kernels have entry points besides the bodies that others call.
    let ops = executable(&[
        "kernel void k(global int *p); kernel void outer(global int *p) { k(p); }",
        "kernel void k(global int *p) { p[get_global_id(0)] = 1; }",
    ]);
    assert_eq!(count(&ops, Op::EntryPoint), 2);
}

#[test]
fn static_functions_stay_separate() {
    let ops = executable(&[
        "static int f() { return 1; } kernel void a(global int *p) { *p = f(); }",
        "static int f() { return 2; } kernel void b(global int *p) { *p = f(); }",
    ]);
    assert_eq!(count(&ops, Op::EntryPoint), 2);
}

#[test]
fn overloads_cross_modules() {
    executable(&[
        "int __attribute__((overloadable)) f(int2 x); int __attribute__((overloadable)) f(float x);
         kernel void k(global int *p) { *p = f((int2)(1)) + f(1.0f); }",
        "int __attribute__((overloadable)) f(int2 x) { return x.x; }
         int __attribute__((overloadable)) f(float x) { return 2; }",
    ]);
}

#[test]
fn address_widths_must_agree() {
    let options = Options { address_width: frontend::options::AddressWidth::Bits32, ..Options::default() };
    let narrow = frontend::compile("n.cl", "kernel void n() {}", &options).spirv.unwrap();
    let error = link(&[&compile(USER), &narrow], LIBRARY).unwrap_err();
    assert!(matches!(error, LinkError::Incompatible(_)), "{error}");
}

#[test]
fn damaged_modules_are_errors() {
    assert!(link(&[], EXECUTABLE).is_err());
    assert!(link(&[&[]], EXECUTABLE).is_err());
    let modules = [compile(USER), compile(TWICE)];
    let whole: Vec<u32> = modules[0].clone();
    // Every changed word and every prefix gives an error or a module, never a panic.
    for at in 0..whole.len() {
        let _ = link(&[&whole[..at], &modules[1]], EXECUTABLE);
        for value in [0, 1, u32::MAX, whole[at] ^ 1, whole[at].wrapping_add(0x1_0000)] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            let _ = link(&[&damaged, &modules[1]], EXECUTABLE);
        }
    }
}

#[test]
fn link_once_definitions_are_taken_once() {
    use spirv_io::spirv::{Decoration, LinkageType};
    let once = |text: &str| {
        let mut words = compile(text);
        let mut wanted = vec![Decoration::LinkageAttributes as u32];
        wanted.extend(string_words("twice"));
        let at = words.windows(wanted.len()).position(|w| w == wanted).unwrap() + wanted.len();
        words[at] = LinkageType::LinkOnceODR as u32;
        words
    };
    let (a, b) = (once(TWICE), once(TWICE));
    let linked = link(&[&compile(USER), &a, &b], EXECUTABLE).unwrap();
    assert_eq!(count(&ops(&linked), Op::Function), 3);
}

#[test]
fn contraction_is_off_for_kernels_that_call_such_functions() {
    let off = "#pragma OPENCL FP_CONTRACT OFF\nfloat f(float x) { return x * x + x; }";
    let user = "float f(float); kernel void k(global float *p) { *p = f(*p); }";
    let user = format!("{user} kernel void other(global float *p) {{ *p = 1; }}");
    let ops = executable(&[&user, off]);
    assert_eq!(count(&ops, Op::ExecutionMode), 1);
}
