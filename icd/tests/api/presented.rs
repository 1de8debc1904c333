//! What a process sees of the platform, its devices and its binaries under settings that are read once: each look is a child of a test
//! here, with an environment of its own.

use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};

use crate::support::*;
use opencl_sys as cl;
use pumice::entry::context::*;
use pumice::entry::device::*;
use pumice::entry::platform::*;

/// Where the child leaves a program's binary, and where it finds one to load.
const LEAVE: &str = "PUMICE_TEST_LEAVE_BINARY";
const TAKE: &str = "PUMICE_TEST_TAKE_BINARY";

/// What a child prints, as `name=value`, and what it logs.
struct Look(String);

impl Look {
    fn get(&self, name: &str) -> &str {
        let found = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("{name} in\n{}", self.0))
    }
}

/// Looks, in an environment; `None` without a device.
fn look(environment: &[(&str, &str)]) -> Option<Look> {
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "presented::child", "--ignored", "--nocapture", "--test-threads=1"]);
    // Neither the files of whoever runs this, nor what the other tests are run with.
    child.env("XDG_CONFIG_HOME", "/nonexistent").env("PUMICE_CACHE_DIR", "").env_remove("PUMICE_TARGET");
    child.envs(environment.iter().copied());
    let output = child.output().expect("it runs");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{text}");
    (!text.contains("SKIP: no Vulkan device")).then_some(Look(text))
}

#[test]
#[ignore = "what the others run as a child"]
fn child() {
    let Some(s) = setup() else { return };
    let mut platform = null_mut();
    // SAFETY: the place is valid.
    assert_eq!(unsafe { clGetPlatformIDs(1, &mut platform, null_mut()) }, 0);
    // SAFETY: the places have the sizes that they are said to have.
    let of_platform = |param| query(|n, v, size| unsafe { clGetPlatformInfo(platform, param, n, v, size) });
    // SAFETY: as above.
    let of_device = |param| query(|n, v, size| unsafe { clGetDeviceInfo(s.device, param, n, v, size) });
    println!("\nplatform={}", text(of_platform(cl::CL_PLATFORM_NAME)));
    println!("platform vendor={}", text(of_platform(cl::CL_PLATFORM_VENDOR)));
    println!("platform version={}", text(of_platform(cl::CL_PLATFORM_VERSION)));
    println!("platform profile={}", text(of_platform(cl::CL_PLATFORM_PROFILE)));
    println!("name={}", text(of_device(cl::CL_DEVICE_NAME)));
    println!("vendor={}", text(of_device(cl::CL_DEVICE_VENDOR)));
    println!("vendor id={:#x}", number(of_device(cl::CL_DEVICE_VENDOR_ID)));
    println!("driver={}", text(of_device(cl::CL_DRIVER_VERSION)));
    println!("profile={}", text(of_device(cl::CL_DEVICE_PROFILE)));
    println!("type={}", number(of_device(cl::CL_DEVICE_TYPE)));
    println!("found={:?}", found(platform));
    let built =
        s.built("kernel void k(global int *p) {\n#ifdef __EMBEDDED_PROFILE__\np[0] = 1;\n#endif\n}", "");
    let binary = s.binary(&built);
    println!("embedded={}", kernel_writes(&s, &built));
    if let Some(path) = std::env::var_os(LEAVE) {
        std::fs::write(path, &binary).expect("written");
    }
    if let Some(path) = std::env::var_os(TAKE) {
        let loaded = s.load_binary(&std::fs::read(path).expect("left"));
        println!("loaded={}", loaded.is_ok_and(|program| s.build(&program, "") == 0));
    }
}

/// Returns how many devices each type of a query finds, and a context of that type has: of the default, CPUs, GPUs, accelerators.
fn found(platform: Handle) -> [(u32, bool); 4] {
    [1, 2, 4, 8].map(|kind| {
        let (mut count, mut error) = (0, 1);
        // SAFETY: the places are valid.
        unsafe {
            clGetDeviceIDs(platform, kind, 0, null_mut(), &mut count);
            let context = clCreateContextFromType(null(), kind, None, null_mut(), &mut error);
            assert_eq!(context.is_null(), error != 0);
            if error == 0 {
                assert_eq!(clReleaseContext(context), 0);
            }
        }
        (count, error == 0)
    })
}

/// Returns whether the kernel `k` writes a 1.
fn kernel_writes(s: &Setup, program: &Owned) -> bool {
    let (kernel, buffer) = (kernel(program, "k").expect("there"), s.buffer(4));
    s.write(&buffer, &[0]);
    assert_eq!((set(&kernel, 0, buffer.0), s.launch(&kernel, &[1], None)), (0, 0));
    s.read(&buffer, 1) == [1]
}

#[test]
fn names_and_types_are_presented() {
    let Some(plain) = look(&[]) else { return };
    assert_eq!((plain.get("platform"), plain.get("platform version")), ("Pumice", "OpenCL 3.1 Pumice"));
    let own: u64 = plain.get("type").parse().expect("a number");
    let other = if own == cl::CL_DEVICE_TYPE_GPU { "accelerator" } else { "gpu" };
    let shown = look(&[
        ("PUMICE_PRESENT_DEVICE_TYPE", other),
        ("PUMICE_PRESENT_DEVICE_NAME", "Adreno (TM) 740"),
        ("PUMICE_PRESENT_DEVICE_VENDOR", "QUALCOMM"),
        ("PUMICE_PRESENT_DEVICE_VENDOR_ID", "0x5143"),
        ("PUMICE_PRESENT_DRIVER_VERSION", "512.7"),
        ("PUMICE_PRESENT_PROFILE", "embedded"),
        ("PUMICE_PRESENT_PLATFORM_NAME", "Some platform"),
        ("PUMICE_PRESENT_PLATFORM_VENDOR", "Some vendor"),
        ("PUMICE_PRESENT_PLATFORM_VERSION", "clvk"),
    ])
    .expect("a device");
    let names = [
        "platform",
        "platform vendor",
        "platform version",
        "platform profile",
        "name",
        "vendor",
        "vendor id",
    ];
    assert_eq!(
        names.map(|name| shown.get(name)),
        [
            "Some platform",
            "Some vendor",
            "OpenCL 3.1 clvk",
            "EMBEDDED_PROFILE",
            "Adreno (TM) 740",
            "QUALCOMM",
            "0x5143"
        ]
    );
    // The type's queries and contexts find all devices, the others none.
    let count = |look: &Look| look.get("found").matches("true").count();
    assert_eq!(shown.get("type"), if other == "gpu" { "4" } else { "8" });
    assert_eq!(count(&shown), 2, "the default and the one type: {}", shown.get("found"));
    assert_ne!(shown.get("found"), plain.get("found"));
    // Programs see the profile, too.
    assert_eq!((shown.get("profile"), shown.get("embedded")), ("EMBEDDED_PROFILE", "true"));
    assert!(shown.get("driver").starts_with("512.7 "), "{}", shown.get("driver"));
    let full = look(&[("PUMICE_PRESENT_PROFILE", "full")]).expect("a device");
    assert_eq!((full.get("profile"), full.get("embedded")), ("FULL_PROFILE", "false"));
    assert_eq!(full.get("platform profile"), "FULL_PROFILE");
}

#[test]
fn bad_values_are_named_and_change_nothing() {
    let Some(plain) = look(&[]) else { return };
    let bad = look(&[("PUMICE_PRESENT_DEVICE_TYPE", "GPU"), ("PUMICE_PRESENT_DEVICE_VENDOR_ID", "many")]);
    let bad = bad.expect("a device");
    assert!(bad.0.contains("PUMICE_PRESENT_DEVICE_TYPE=GPU is ignored: cpu, gpu or accelerator is needed"));
    assert!(bad.0.contains("PUMICE_PRESENT_DEVICE_VENDOR_ID=many is ignored: a number"), "{}", bad.0);
    for name in ["type", "vendor id", "found", "driver"] {
        assert_eq!(bad.get(name), plain.get(name));
    }
}

/// A file of settings in a folder for `XDG_CONFIG_HOME`.
fn file(folder: &Path, contents: &str) {
    std::fs::create_dir_all(folder.join("pumice")).expect("made");
    std::fs::write(folder.join("pumice/programs.toml"), contents).expect("written");
}

#[test]
fn a_file_presents_to_one_program() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let home = folder.path().to_str().expect("UTF-8");
    let program = std::env::current_exe().expect("this program");
    let program = program.file_name().and_then(|name| name.to_str()).expect("UTF-8").to_owned();
    file(
        folder.path(),
        &format!(
            "[another]\nPUMICE_PRESENT_DEVICE_VENDOR = 'no'\n['*']\nPUMICE_PRESENT_DEVICE_NAME = 'all'\n\
             PUMICE_PRESENT_PLATFORM_NAME = 'all'\n['{program}']\nPUMICE_PRESENT_DEVICE_NAME = 'one'\n\
             PUMICE_PRESENT_DEVICE_VENDOR_ID = 7\n"
        ),
    );
    let Some(shown) = look(&[("XDG_CONFIG_HOME", home)]) else { return };
    let plain = look(&[]).expect("a device");
    assert_eq!((shown.get("name"), shown.get("platform"), shown.get("vendor id")), ("one", "all", "0x7"));
    assert_eq!(shown.get("vendor"), plain.get("vendor"));
    // Without XDG_CONFIG_HOME it is the home's .config; a relative path is none.
    std::fs::rename(folder.path().join("pumice"), folder.path().join("kept")).expect("moved");
    std::fs::create_dir(folder.path().join(".config")).expect("made");
    std::fs::rename(folder.path().join("kept"), folder.path().join(".config/pumice")).expect("moved");
    let shown = look(&[("XDG_CONFIG_HOME", ""), ("HOME", home)]).expect("a device");
    assert_eq!(shown.get("name"), "one");
    // The environment comes first; an empty variable hides the file.
    let over = [("PUMICE_PRESENT_DEVICE_NAME", "own"), ("PUMICE_PRESENT_PLATFORM_NAME", "")];
    let shown = look(&[&over[..], &[("XDG_CONFIG_HOME", ""), ("HOME", home)]].concat()).expect("a device");
    assert_eq!((shown.get("name"), shown.get("platform")), ("own", "Pumice"));
}

#[test]
fn bad_files_are_named_and_change_nothing() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let home = folder.path().to_str().expect("UTF-8");
    file(folder.path(), "['*']\nPUMICE_PRESENT_PLATFORM_NAME = one\n");
    let Some(shown) = look(&[("XDG_CONFIG_HOME", home)]) else { return };
    assert_eq!(shown.get("platform"), "Pumice");
    assert!(shown.0.contains("programs.toml' is ignored: TOML parse error at line 2"), "{}", shown.0);
    file(folder.path(), "['*']\nPUMICE_PRESENT_NAME = 'one'\nPUMICE_PRESENT_PLATFORM_NAME = 'two'\n");
    let shown = look(&[("XDG_CONFIG_HOME", home)]).expect("a device");
    assert!(
        shown.0.contains("'*': 'PUMICE_PRESENT_NAME' is ignored: there is no such setting"),
        "{}",
        shown.0
    );
    assert_eq!(shown.get("platform"), "two");
}

/// Programs keep binaries under CL_DRIVER_VERSION: those of the same string load, and what others are refused for changes the string.
#[test]
fn binaries_of_one_driver_version_load() {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/profiles");
    let mask = |name: &str| root.join(name).to_str().expect("UTF-8").to_owned();
    let (phone, bytes) = (mask("phone-1.1.json"), mask("phone-bytes.json"));
    let places: [&[(&str, &str)]; 4] = [
        &[],
        &[("PUMICE_TARGET", &phone)],
        &[("PUMICE_TARGET", &bytes)],
        &[("PUMICE_PRESENT_PROFILE", "embedded"), ("PUMICE_INCLUDES", "0")],
    ];
    let mut versions = Vec::new();
    for (n, place) in places.iter().enumerate() {
        let left = path(&n.to_string());
        let Some(made) = look(&[place, &[(LEAVE, left.as_str())][..]].concat()) else { return };
        versions.push(made.get("driver").to_owned());
    }
    for (n, version) in versions.iter().enumerate() {
        assert!(version.starts_with(concat!(env!("CARGO_PKG_VERSION"), " ")), "{version}");
        assert!(!versions[..n].contains(version), "{versions:?}");
        // Of another process with the same settings, also where these are given in another way.
        let taken =
            look(&[places[n], &[(TAKE, path(&n.to_string()).as_str())][..]].concat()).expect("a device");
        assert_eq!((taken.get("driver"), taken.get("loaded")), (version.as_str(), "true"));
        let other = path(&((n + 1) % versions.len()).to_string());
        let refused = look(&[places[n], &[(TAKE, other.as_str())][..]].concat()).expect("a device");
        assert_eq!(refused.get("loaded"), "false", "{version}");
    }
    // What changes no binary changes no string: names have queries of their own.
    let named = [("PUMICE_PRESENT_DEVICE_NAME", "x"), ("PUMICE_LOG", "warn"), (TAKE, &path("0"))];
    let named = look(&named).expect("a device");
    assert_eq!((named.get("driver"), named.get("loaded")), (versions[0].as_str(), "true"));
}
