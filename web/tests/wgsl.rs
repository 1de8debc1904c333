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
