//! What a build log says: the one-line form of diagnostics, with their notes, as it stands.

use pumice_frontend::compile;
use pumice_frontend::diag::{Style, fix, render};
use pumice_frontend::options::Options;
use pumice_frontend::source::FileId;

/// The log of a source with build options; `headers` can be included.
fn log(text: &str, build: &str, headers: &[(&str, &str)]) -> String {
    let mut options = Options::default();
    options.parse_build_options(build).expect("options");
    options.headers = headers.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    let compiled = compile("k.cl", text, &options);
    assert_eq!(compiled.spirv.is_none(), compiled.diagnostics.has_errors());
    render(&compiled.diagnostics, &compiled.sources, Style::Line)
}

#[test]
fn one_line_for_each() {
    let text = "kernel void k(global int *p) {\n    int a = 1\n    p[0] = b;\n}\n";
    assert_eq!(
        log(text, "", &[]),
        "k.cl:2:13: error: expected ';' after declaration, found 'p' [expected-semicolon]\n\
         k.cl:3:12: error: use of undeclared identifier 'b' [undeclared-identifier]\n"
    );
}

#[test]
fn misspelt_names() {
    // Of each kind of name: variable, function, builtin function, type, member, vector type, keyword.
    let cases = [
        ("int count; count = cuont;", "note: did you mean 'count', declared here?"),
        ("hepler(1);", "note: did you mean 'helper', declared here?"),
        ("get_globl_id(0);", "note: did you mean 'get_global_id'?"),
        ("convert_flaot4((int4)(1));", "note: did you mean 'convert_float4'?"),
        ("struct S s; s.lenght = 1;", "note: did you mean 'length'?"),
        ("flaot4 v;", "note: did you mean 'float4'?"),
        ("retrun;", "note: did you mean 'return'?"),
        ("barrier(CLK_LOCL_MEM_FENCE);", "note: did you mean 'CLK_LOCAL_MEM_FENCE'?"),
    ];
    for (statement, note) in cases {
        let text = format!(
            "struct S {{ int length; }};\nvoid helper(int x) {{ }}\nkernel void k(void) {{ {statement} }}\n"
        );
        let log = log(&text, "", &[]);
        assert!(log.contains(note), "{statement}: {log}");
        assert_eq!(log.matches("error: ").count(), 1, "{statement}: {log}");
    }
}

#[test]
fn the_way_through_macros() {
    let text = "#define SQUARE(x) ((x) * (x))\n#define NEXT(x) SQUARE(x + unknown)\n\
                kernel void k(global int *p) { p[0] = NEXT(p[1]); }\n";
    assert_eq!(
        log(text, "", &[]),
        "k.cl:3:39: error: use of undeclared identifier 'unknown' [undeclared-identifier]\n\
         k.cl:2:28: note: expanded from macro 'NEXT'\n"
    );
}

#[test]
fn the_way_through_includes() {
    let outer = ("outer.h", "\n#include \"inner.h\"\n");
    let inner = ("inner.h", "int f(void) { return wrong; }\n");
    assert_eq!(
        log("#include \"outer.h\"\n", "", &[outer, inner]),
        "in file included from k.cl:1:\nin file included from outer.h:2:\n\
         inner.h:1:22: error: use of undeclared identifier 'wrong' [undeclared-identifier]\n"
    );
}

#[test]
fn warnings_as_options_want_them() {
    let text = "kernel void k(global int *p) { global float *f = p; f[0] = 1; }\n";
    let warning = log(text, "", &[]);
    assert!(warning.starts_with("k.cl:1:50: warning: "), "{warning}");
    assert_eq!(log(text, "-w", &[]), "");
    assert_eq!(log(text, "-Werror", &[]), warning.replacen("warning", "error", 1));
    assert_eq!(log(text, "-Werror -w", &[]), "");
}

#[test]
fn one_mistake_used_often_is_told_once() {
    let text = format!("kernel void k(global int *p) {{\n{}}}\n", "    p[0] = unknown;\n".repeat(50));
    let log = log(&text, "", &[]);
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn the_error_limit_ends_a_long_list() {
    let uses: String = (0..500).map(|n| format!("    p[0] = unknown{n};\n")).collect();
    let log = log(&format!("kernel void k(global int *p) {{\n{uses}}}\n"), "", &[]);
    assert_eq!(log.matches("error: use of undeclared").count(), 100, "{}", log.len());
}

#[test]
fn blocks_that_are_not_closed() {
    let text = "kernel void k(global int *p) {\n    if (p[1]) {\n        p[0] = 1;";
    let compiled = compile("k.cl", text, &Options::default());
    let ids: Vec<_> = compiled.diagnostics.iter().map(|d| d.id).collect();
    assert_eq!(ids, ["expected-token"; 2]);
    let fixed = fix::apply(&compiled.diagnostics, &compiled.sources, FileId(0));
    let again = compile("k.cl", &fixed, &Options::default());
    assert!(again.spirv.is_some(), "{fixed}");
}

#[test]
fn changes_for_programs() {
    let text = "kernel void k(global int *p) {\n    int a = 1\n    p[0] = aa;\n}\n";
    let log = log(text, "-fdiagnostics-parseable-fixits", &[]);
    assert!(log.contains("fix-it:\"k.cl\":{2:14-2:14}:\";\"\n"), "{log}");
}
