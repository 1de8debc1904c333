//! Bundles and other languages from the command line.

use std::path::Path;
use std::process::{Command, Output};

const PHONE: &str = "phone-1.1.json";

fn pumice(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(pumice_tests::pumice());
    command.args(args).current_dir(dir).env("PUMICE_VALIDATE", pumice_tests::validate());
    command.output().expect("pumice starts")
}

fn good(dir: &Path, args: &[&str]) -> String {
    let output = pumice(dir, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(dir: &Path, args: &[&str], why: &str) {
    let output = pumice(dir, args);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains(why), "{args:?}: {told}");
}

const SOURCE: &str = "#include \"add.h\"\n\
    kernel void k(global int *p, local int *l) {\n\
        l[get_local_id(0)] = p[get_global_id(0)];\n\
        barrier(CLK_LOCAL_MEM_FENCE);\n\
        p[get_global_id(0)] = l[get_local_size(0) - 1 - get_local_id(0)] + ADD;\n\
    }\n";

#[test]
fn bundles_are_reproducible_and_run() {
    let (a, b) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for dir in [&a, &b] {
        std::fs::write(dir.path().join("k.cl"), SOURCE).expect("written");
        std::fs::write(dir.path().join("add.h"), "#define ADD 10\n").expect("written");
    }
    let phone = pumice_tests::root().join("profiles").join(PHONE);
    let phone = phone.to_str().expect("a path in UTF-8");
    let bytes = |dir: &Path| std::fs::read(dir.join("k.pum")).expect("written");
    good(a.path(), &["compile", "k.cl", "-o", "k.pum"]);
    let whole = b.path().join("k.cl");
    good(b.path(), &["compile", whole.to_str().expect("a path in UTF-8"), "-o", "k.pum"]);
    assert!(bytes(a.path()) == bytes(b.path()), "the folder tells");
    let run = ["run", "k.pum", "--kernel", "k", "--global", "4", "--local", "4", "--arg", "int[4]:range"];
    let run = [&run[..], &["--arg", "local:16", "--print", "p"]].concat();
    assert_eq!(good(a.path(), &run).trim(), "p: 13 12 11 10");
    refused(a.path(), &["run", "k.pum", "--kernel", "x", "--global", "1"], "it has: k");
    refused(a.path(), &["compile", "k.pum"], "this is a bundle");

    // Several devices, that of this machine not among them: what it lacks is told.
    let others = [
        "compile", "k.cl", "--target", phone, "--target", phone, "--driver", "profile", "--driver", "nvidia",
    ];
    good(a.path(), &[&others[..], &["-o", "other.pum"]].concat());
    good(b.path(), &[&others[..], &["--emit", "bundle", "-o", "other.pum"]].concat());
    assert!(std::fs::read(a.path().join("other.pum")).ok() == std::fs::read(b.path().join("other.pum")).ok());
    let mut there = run.clone();
    there[1] = "other.pum";
    refused(a.path(), &there, "the bundle has nothing for");
    let lonely =
        ["compile", "k.cl", "--target", phone, "--target", phone, "--driver", "nvidia", "-o", "x.pum"];
    refused(a.path(), &lonely, "each takes one");
    refused(
        a.path(),
        &["compile", "k.cl", "--target", phone, "--target", phone, "-o", "x.spv"],
        "for bundles alone",
    );
    let mut damaged = bytes(a.path());
    *damaged.last_mut().expect("bytes") ^= 1;
    std::fs::write(a.path().join("k.pum"), damaged).expect("written");
    refused(a.path(), &run, "damaged");
}

#[test]
fn other_languages() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("k.cl"), SOURCE).expect("written");
    std::fs::write(dir.path().join("add.h"), "#define ADD 10\n").expect("written");
    std::fs::write(
        dir.path().join("d.cl"),
        "kernel void k(global int *p) { p[0] = p[1]; } kernel void l() {}",
    )
    .expect("written");
    let emitted = |language| good(dir.path(), &["compile", "k.cl", "--emit", language]);
    for (language, wanted) in [
        ("wgsl", ["@workgroup_size(64, 1, 1)", "workgroupBarrier()"]),
        ("msl", ["kernel void k(", "metal::threadgroup_barrier"]),
        ("hlsl", ["[numthreads(64, 1, 1)]", "GroupMemoryBarrierWithGroupSync()"]),
        ("glsl", ["local_size_x = 64", "barrier()"]),
    ] {
        let text = emitted(language);
        assert!(wanted.iter().all(|w| text.contains(w)), "{language}: {text}");
    }
    refused(dir.path(), &["compile", "d.cl", "--emit", "glsl"], "a module of GLSL has one kernel");
    // What naga writes in WGSL naga reads.
    let module = naga::front::wgsl::parse_str(&emitted("wgsl")).expect("WGSL");
    assert_eq!(module.entry_points.len(), 1);
}
