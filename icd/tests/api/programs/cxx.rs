//! C++ for OpenCL (cl_ext_cxx_for_opencl), where a clang with its translator is installed, and what is said where none is.

use opencl_sys as cl;
use pumice::entry::device::clGetDeviceInfo;

use super::fill;
use crate::support::*;

/// What the extension's text has tested: that such a program can be built, and that it knows of the version that the device tells.
const SOURCE: &str = "
    template <typename T> struct Adder { T n; T operator()(T x) const { return x + n; } };
    kernel void fill(global uint *out, uint value) {
        auto add = Adder<uint>{ADD};
        out[get_global_id(0)] = add(value) + __OPENCL_CPP_VERSION__ / 100;
    }";

fn device_info(s: &Setup, param: u32) -> Result<Vec<u8>, i32> {
    // SAFETY: `query` gives valid pointers.
    query(|size, to, needed| unsafe { clGetDeviceInfo(s.device, param, size, to, needed) })
}

/// Returns whether the device has it; where it has not, everything says so.
fn has_it(s: &Setup) -> bool {
    let extensions = text(device_info(s, cl::CL_DEVICE_EXTENSIONS));
    let has = extensions.split(' ').any(|name| name == "cl_ext_cxx_for_opencl");
    let version = device_info(s, cl::CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT);
    if !has {
        eprintln!("skipped: there is no clang with its llvm-spirv on the path");
        assert_eq!(version, Err(cl::CL_INVALID_VALUE));
        assert_eq!(s.build(&s.program(SOURCE), "-cl-std=CLC++"), cl::CL_INVALID_BUILD_OPTIONS);
        assert_eq!(s.compile(&s.program(SOURCE), "-cl-std=CLC++", &[]), cl::CL_INVALID_COMPILER_OPTIONS);
        return false;
    }
    assert_eq!(number(version), 1 << 22);
    true
}

#[test]
fn built_and_run() {
    let Some(s) = setup() else { return };
    if !has_it(&s) {
        return;
    }
    for (options, sum) in [
        ("-cl-std=CLC++ -DADD=4", 15),
        ("-cl-std=CLC++1.0 -D ADD=5", 16),
        ("-cl-std=CLC++2021 -DADD=6", 2037),
    ] {
        let program = s.built(SOURCE, options);
        assert_eq!(fill(&s, &program, 10), [sum; 16], "{options}");
        // The binary is as any other, and is built without clang.
        let binary = s.load_binary(&s.binary(&program)).expect("a good binary");
        assert_eq!(s.build(&binary, ""), 0);
        assert_eq!(fill(&s, &binary, 10), [sum; 16], "{options}");
    }
    let told =
        kernel(&s.built(SOURCE, "-cl-std=CLC++ -DADD=4 -cl-kernel-arg-info"), "fill").expect("a kernel");
    assert_eq!(text(arg_info(&told, 1, cl::CL_KERNEL_ARG_NAME)), "value");
}

#[test]
fn errors_are_clangs() {
    let Some(s) = setup() else { return };
    if !has_it(&s) {
        return;
    }
    let program = s.program("// é\nkernel void k(global int *p) {\n  p[0] = missing;\n}\n");
    assert_eq!(s.build(&program, "-cl-std=CLC++2021"), cl::CL_BUILD_PROGRAM_FAILURE);
    let log = s.log(&program);
    assert!(log.contains("<source>:3:10: error: use of undeclared identifier 'missing'"), "{log}");
    // A constructor of the program's runs where the compiler computes it, too.
    for options in ["-cl-std=CLC++2021", "-cl-std=CLC++2021 -cl-opt-disable"] {
        let global = s.program(
            "struct A { uint a; A() : a(3) {} }; A a;
            kernel void fill(global uint *out, uint v) { out[get_global_id(0)] = a.a + v; }",
        );
        assert_eq!(s.build(&global, options), 0, "{options}: {}", s.log(&global));
        assert_eq!(fill(&s, &global, 10), [13; 16], "{options}");
    }
    // Headers that would leave their folder are none.
    let header = s.program("\n");
    assert_eq!(
        s.compile(&program, "-cl-std=CLC++2021", &[("../a.h", &header)]),
        cl::CL_COMPILE_PROGRAM_FAILURE
    );
    // Only clang finds headers as files.
    let log = s.log(&program);
    assert!(log.contains("'../a.h'") || log.contains("'missing'"), "{log}");
}

#[test]
fn linked_with_c() {
    let Some(s) = setup() else { return };
    if !has_it(&s) {
        return;
    }
    let header = s.program("#pragma once\nextern \"C\" uint twice(uint x);\n");
    let cpp = s.program(
        "#include \"more/twice.h\"
        template <typename F> uint with(F f, uint x) { return f(x); }
        kernel void fill(global uint *out, uint v) { out[get_global_id(0)] = with([](uint x) { return twice(x) + 1; }, v); }",
    );
    let c = s.program("uint twice(uint x) { return 2 * x; }");
    assert_eq!(s.compile(&cpp, "-cl-std=CLC++2021", &[("more/twice.h", &header)]), 0, "{}", s.log(&cpp));
    assert_eq!(s.compile(&c, "-cl-std=CL3.0", &[]), 0, "{}", s.log(&c));
    let (program, code) = s.link("", &[&cpp, &c]);
    let program = program.expect("linked");
    assert_eq!(code, 0, "{}", s.log(&program));
    assert_eq!(fill(&s, &program, 20), [41; 16]);
    let broken = s.program("#include \"bad.h\"\n");
    let bad = s.program("int x = y;\n");
    assert_eq!(s.compile(&broken, "-cl-std=CLC++2021", &[("bad.h", &bad)]), cl::CL_COMPILE_PROGRAM_FAILURE);
    assert!(s.log(&broken).contains("\nbad.h:1:9: error: "), "{}", s.log(&broken));
}

#[test]
fn objects_of_the_program() {
    let Some(s) = setup() else { return };
    if !has_it(&s) {
        return;
    }
    let source = "
        int first = 3;
        uint counted(uint x) { first++; return x + 1; }
        struct Base { uint n; Base(uint x) : n(counted(x)) {} ~Base() {} };
        Base object(40);
        kernel void fill(global uint *out, uint v) { out[get_global_id(0)] = object.n + first + v; }";
    let program = s.built(source, "-cl-std=CLC++2021");
    // The kernel that makes the object is no kernel of the program.
    assert_eq!(text(program_info(&program, cl::CL_PROGRAM_KERNEL_NAMES)), "fill");
    assert_eq!(number(program_info(&program, cl::CL_PROGRAM_NUM_KERNELS)), 1);
    assert_eq!(number(program_info(&program, cl::CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT)), 1);
    assert_eq!(number(program_info(&program, cl::CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)), 0);
    assert!(s.log(&program).contains("destructor"), "{}", s.log(&program));
    for _ in 0..2 {
        assert_eq!(fill(&s, &program, 10), [41 + 4 + 10; 16]);
    }
    let binary = s.load_binary(&s.binary(&program)).expect("a good binary");
    assert_eq!(s.build(&binary, ""), 0);
    assert_eq!(fill(&s, &binary, 20), [41 + 4 + 20; 16]);
    let none = s.built(SOURCE, "-cl-std=CLC++ -DADD=4");
    assert_eq!(number(program_info(&none, cl::CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT)), 0);
}
