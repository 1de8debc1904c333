//! The WGSL of small kernels: what stands in it, and what does not.

use pumice_web::program::{Settings, compile};
use pumice_web::target::Adapter;

/// The WGSL of the first kernel of a source, on a GPUDevice with features.
fn wgsl(source: &str, options: &str, features: &[&str]) -> String {
    let features = features.iter().map(|name| (*name).to_owned()).collect();
    let adapter = Adapter { features, subgroup_sizes: Some([32, 32]), ..Adapter::default() };
    let settings = Settings { options: options.to_owned(), adapter, ..Settings::default() };
    let compiled = compile(source, &settings).expect("options");
    assert!(compiled.messages.iter().all(|m| m.severity != "error"), "{:#?}", compiled.messages);
    compiled.program.expect("a program").kernels()[0].wgsl().to_owned()
}

/// A kernel with a barrier behind a condition.
fn behind(condition: &str) -> String {
    let source = format!(
        "kernel void k(global int *p, global int *n) {{\n local int l[64];\n int i = get_local_id(0);\n l[i] = p[i];\n n[1] = 5;\n \
         if ({condition}) {{\n  barrier(CLK_LOCAL_MEM_FENCE);\n  p[i] = l[63 - i];\n }}\n}}"
    );
    wgsl(&source, "", &[])
}

/// A condition from memory that the kernel writes is the same in all work-items, which WGSL does not see by itself.
#[test]
fn conditions_from_memory_become_uniform() {
    assert!(behind("n[0] > 3").contains("workgroupUniformLoad"));
    assert!(behind("n[get_group_id(0)] > 3").contains("workgroupUniformLoad"));
}

/// Conditions that depend on the work-item stay, so that the browser refuses the barrier; those that WGSL takes for uniform stay, too.
#[test]
fn other_conditions_stay() {
    for condition in ["n[i] > 3", "i > 3", "get_group_id(0) > 3"] {
        assert!(!behind(condition).contains("workgroupUniformLoad"), "{condition}");
    }
}

/// Fences are no barriers where no work-item can notice them.
#[test]
fn fences_are_dropped() {
    let kernel = |body: &str| {
        let source = format!(
            "kernel void k(global int *p) {{ for (int i = get_global_id(0); i < 64; i += 10) {{ {body} mem_fence(CLK_GLOBAL_MEM_FENCE); }} }}"
        );
        wgsl(&source, "", &[]).contains("storageBarrier")
    };
    assert!(!kernel("p[i] += p[i + 1];"));
    assert!(kernel("atomic_inc(p);"));
}

#[test]
fn sub_groups() {
    let source = "kernel void k(global int *p) { p[get_global_id(0)] = sub_group_reduce_max(p[get_global_id(0)]) + sub_group_ballot(1).x; }";
    let text = wgsl(source, "-cl-std=CL3.0", &["subgroups"]);
    assert!(text.starts_with("enable subgroups;\n"), "{text}");
    assert!(text.contains("subgroupMax(bitcast<i32>(") && text.contains("subgroupBallot(true)"), "{text}");
}

/// An adapter with several sizes of sub-groups has none here: OpenCL has one.
#[test]
fn sub_groups_have_one_size() {
    let source = "kernel void k(global int *p) { p[0] = sub_group_all(p[1]); }";
    let adapter = Adapter {
        features: vec!["subgroups".to_owned()],
        subgroup_sizes: Some([8, 32]),
        ..Adapter::default()
    };
    let settings = Settings { options: "-cl-std=CL3.0".to_owned(), adapter, ..Settings::default() };
    let compiled = compile(source, &settings).expect("options");
    assert!(
        compiled.messages.iter().any(|m| m.message.contains("sub_group_all")),
        "{:#?}",
        compiled.messages
    );
}

/// The limits of a GPUDevice count: ten buffers are bindings of their own, and local memory is as large as it says.
#[test]
fn limits_of_the_device_count() {
    let source = "kernel void k(global int *a, global int *b, global int *c, global int *d, global int *e, global int *f, global int *g, \
                  global int *h, global int *i) { local int l[5000]; l[a[0]] = b[0] + c[0] + d[0] + e[0]; \
                  barrier(CLK_LOCAL_MEM_FENCE); a[1] = l[f[0]] + g[0] + h[0] + i[0]; }";
    let of = |adapter: Adapter| {
        let compiled = compile(source, &Settings { adapter, ..Settings::default() }).expect("options");
        let error = compiled.messages.iter().find(|m| m.severity == "error").map(|m| m.message.clone());
        let kernel = compiled.program.and_then(|p| p.kernels().first().map(|k| k.wgsl().to_owned()));
        (error, kernel)
    };
    let (error, _) = of(Adapter::default());
    assert!(error.is_some_and(|e| e.contains("20000 bytes of local memory, of which it has 16384")));
    let large = Adapter { max_compute_workgroup_storage_size: Some(32768), ..Adapter::default() };
    let (error, text) = of(large.clone());
    assert!(error.is_none() && text.is_some_and(|text| !text.contains("var<storage> i: ")));
    let many = Adapter { max_storage_buffers_per_shader_stage: Some(10), ..large };
    let (error, text) = of(many);
    assert!(error.is_none() && text.is_some_and(|text| text.contains("var<storage> i: ")));
}

/// Images are buffers, and no read is beyond them: coordinates are clamped.
#[test]
fn images_are_buffers() {
    let source = "kernel void k(read_only image2d_t in, sampler_t s, write_only image2d_t out) {\n\
                  int2 p = (int2)(get_global_id(0), get_global_id(1));\n\
                  write_imagef(out, p, read_imagef(in, s, convert_float2(p) + 0.5f)); }";
    let text = wgsl(source, "", &[]);
    assert!(text.contains("var<storage> in: Buffer") && !text.contains("texture"), "{text}");
}

/// A case of a switch whose last statement is a condition with a jump in both arms does not fall through.
#[test]
fn cases_end_by_conditions() {
    let source = include_str!("../../tests/cases/run/barriers/larger_nested.cl");
    let adapter = Adapter { driver: Some("swiftshader".to_owned()), ..Adapter::default() };
    let compiled = compile(source, &Settings { adapter, ..Settings::default() }).expect("options");
    let program = compiled.program.expect("a program");
    let kernel = program.kernel("k").expect("the kernel");
    let text = pumice_web::launch::text(&program, kernel, "0=512,1=1,2=1,large").expect("WGSL");
    assert!(text.contains("switch"), "{text}");
}

/// The objects of a C++ program get their values by kernels of their own, each in a module of its own.
#[test]
fn objects_have_initializers() {
    let source = "struct S { int a; S(int x) : a(x) {} };\nint f(int x) { return x * 2; }\nint n = 3;\nS s(f(n));\nint after = f(s.a);\n\
                  kernel void k(global int *p) { p[0] = s.a + after; }";
    let settings = Settings { options: "-cl-std=CLC++1.0".to_owned(), ..Settings::default() };
    let compiled = compile(source, &settings).expect("options");
    assert!(compiled.messages.is_empty(), "{:#?}", compiled.messages);
    let program = compiled.program.expect("a program");
    assert_eq!(program.kernels().iter().map(|k| k.name()).collect::<Vec<_>>(), ["k"]);
    assert_eq!(program.initializers().len(), 1);
    for kernel in program.kernels().iter().chain(program.initializers()) {
        assert_eq!(kernel.wgsl().matches("@compute").count(), 1, "{}", kernel.wgsl());
    }
}

/// A program whose objects cannot get their values has no kernel.
#[test]
fn refused_initializers_refuse_the_program() {
    let source = "int f(int x) { int a[1 << 27]; a[x] = x; a[2 * x] = 5; return a[x / 2]; }\nint n = 3;\nint m = f(n);\nkernel void k(global int *p) { p[0] = m; }";
    let settings = Settings { options: "-cl-std=CLC++1.0".to_owned(), ..Settings::default() };
    let compiled = compile(source, &settings).expect("options");
    let error = compiled.messages.iter().find(|m| m.severity == "error").expect("an error");
    assert!(error.message.contains("the values of the program's objects: "), "{:#?}", compiled.messages);
    assert!(compiled.program.expect("a program").kernels().is_empty());
}

/// Loop variables, arguments and launch parameters have the source's names, and the argument block has its length.
#[test]
fn names_are_the_sources() {
    let source = "constant float table[3] = {1, 2, 3};\n\
                  kernel void k(global float *out, uint count, float step) {\n float sum = step;\n uint n = 0;\n \
                  while (sum < 100 && n < count) { sum *= sum + table[n % 3]; n++; }\n out[get_global_id(0)] = sum + n;\n}";
    let text = wgsl(source, "", &[]);
    for part in [
        "var sum: f32;",
        "var n: u32;",
        "let count = args.data[0u];",
        "let first_id_x = args.data[2u];",
        "var<storage> args: Arguments;",
        "data: array<u32, 4>,",
        "var<storage> constants: Constants;",
        "data: array<f32, 3>,",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("phi_"), "{text}");
}

/// Names of the source that are words of WGSL get another form.
#[test]
fn names_that_wgsl_has_change() {
    let source = "kernel void k(global float *out, float max, float fma, int loop) {\n \
                  for (int let = 0; let < loop; let++) out[let] = fmax(max, out[let]) * fma + 1;\n}";
    let text = wgsl(source, "", &[]);
    for name in ["max", "fma", "loop", "let"] {
        assert!(!text.contains(&format!("let {name} ")) && !text.contains(&format!("var {name}:")), "{text}");
    }
}

/// The work-group size is a value in all functions, not a constant: a shift of a constant that loses bits is an error in WGSL.
#[test]
fn sizes_are_values_in_all_functions() {
    let source = "kernel void k(global float *p, global char *c) {\n c[0] = get_local_size(0) + 123;\n \
                  for (int i = 0; i < 9; i++) p[i] = pow(p[i], p[i + 1]) + pow(p[i + 2], p[i + 3]) * pow(p[i + 4], p[i + 5]);\n}";
    let text = wgsl(source, "", &[]);
    let functions = text.lines().filter(|line| line.starts_with("fn ")).count();
    assert!(functions > 1 && !text.contains("\nconst "), "{text}");
    assert_eq!(text.matches("    let work_group_size_x: u32 = 64u;").count(), functions, "{text}");
}
