//! Programs that know nothing of Pumice: a C program linked to the stock OpenCL loader, and clinfo; with libpumice.so as a driver
//! behind the loader, and in the place of the loader.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "../src/abi/versions.rs"]
mod versions;

/// The library that was built with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let places = test.ancestors().skip(1).take(2).map(|dir| dir.join("libpumice.so"));
    places.into_iter().find(|p| p.exists()).expect("libpumice.so is built with its tests")
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/vector_add.c")
}

/// The C program, linked to libOpenCL.so; or a visible skip where there is no C compiler or no OpenCL to link to.
fn vector_add(dir: &Path) -> Option<PathBuf> {
    let program = dir.join("vector_add");
    let mut cc = Command::new("cc");
    cc.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source()).arg("-lOpenCL");
    match cc.output() {
        Ok(output) if output.status.success() => Some(program),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let missing = text.contains("CL/cl.h") || text.contains("-lOpenCL");
            assert!(missing, "{text}");
            println!("SKIP: no OpenCL headers or loader (Debian: apt install ocl-icd-opencl-dev)");
            None
        }
        Err(_) => {
            println!("SKIP: no C compiler");
            None
        }
    }
}

/// With the validation layers on, where they are installed: a program that they complain about fails.
fn validated(program: &Path) -> Command {
    let mut command = Command::new(program);
    if std::env::var_os("PUMICE_VALIDATE").is_none()
        && vk_runtime::Instance::new(&vk_runtime::InstanceOptions { validation: true, ..Default::default() })
            .is_ok()
    {
        command.env("PUMICE_VALIDATE", "1");
    }
    command
}

/// Runs a program with libpumice.so as the loader's only driver.
fn behind_the_loader(program: &Path, dir: &Path) -> Output {
    std::fs::write(dir.join("pumice.icd"), format!("{}\n", library().display())).expect("written");
    let mut command = validated(program);
    command.env("OCL_ICD_VENDORS", dir).env("PUMICE_CACHE_DIR", "").env_remove("LD_LIBRARY_PATH");
    command.output().expect("runs")
}

fn has_no_device(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    let none = text.contains("clGetPlatformIDs: OpenCL error -1001");
    if none {
        pumice::testing::no_device();
    }
    none
}

fn check(output: &Output) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    assert!(out.starts_with("Pumice: "), "{out}");
    assert!(out.contains("1000 sums, 0 wrong"), "{out}");
    assert!(!err.contains("version"), "{err}");
}

#[test]
fn a_c_program_behind_the_stock_loader() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = vector_add(dir.path()) else { return };
    let output = behind_the_loader(&program, dir.path());
    if !has_no_device(&output) {
        check(&output);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_c_program_with_pumice_as_libopencl() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = vector_add(dir.path()) else { return };
    std::os::unix::fs::symlink(library(), dir.path().join("libOpenCL.so.1")).expect("linked");
    let trace = dir.path().join("trace.json");
    let output = validated(&program)
        .env("LD_LIBRARY_PATH", dir.path())
        .env("LD_BIND_NOW", "1")
        .env("PUMICE_CACHE_DIR", "")
        .env("PUMICE_TRACE", &trace)
        .output()
        .expect("runs");
    if has_no_device(&output) {
        return;
    }
    check(&output);
    let events = spans(&trace);
    let calls = |name: &str| events.iter().filter(|e| e["name"] == name && e["ph"] == "X").count();
    assert_eq!(
        (calls("clCreateBuffer"), calls("clEnqueueNDRangeKernel"), calls("clReleaseContext")),
        (3, 1, 1)
    );
    // Compiles, and what the device did in its queue's row.
    assert_eq!((calls("front end"), calls("lowering")), (1, 1));
    let kernels: Vec<_> = events.iter().filter(|e| e["cat"] == "device" && e["name"] == "add").collect();
    let [kernel] = kernels.as_slice() else { panic!("{kernels:?}") };
    assert!(kernel["dur"].as_f64() > Some(0.0), "{kernel}");
    let row = |e: &&serde_json::Value| e["ph"] == "M" && e["tid"] == kernel["tid"];
    assert_eq!(events.iter().filter(row).count(), 1);
    // What the runtime did for it.
    assert_eq!(calls("pipeline"), 1);
    assert!(calls("allocation") >= 3 && calls("segment") >= 1, "{events:?}");
    let segments: i64 = events.iter().filter_map(|e| e["args"]["commands"].as_i64()).sum();
    assert!(segments >= 1);
}

/// The events of a trace, which lacks the bracket at its end.
#[cfg(target_os = "linux")]
fn spans(trace: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(trace).expect("a trace");
    let closed = format!("{}]", text.trim_end().trim_end_matches(','));
    serde_json::from_str(&closed).expect("JSON")
}

/// The second process takes all from the cache on disk: nothing goes through the front end or the lowering, and the file of
/// pipelines stays as it is.
#[test]
#[cfg(target_os = "linux")]
fn a_second_process_compiles_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = vector_add(dir.path()) else { return };
    std::os::unix::fs::symlink(library(), dir.path().join("libOpenCL.so.1")).expect("linked");
    let cache = dir.path().join("cache");
    let run = |n: u32| {
        let trace = dir.path().join(format!("{n}.json"));
        let output = validated(&program)
            .env("LD_LIBRARY_PATH", dir.path())
            .env("PUMICE_CACHE_DIR", &cache)
            .env("PUMICE_TRACE", &trace)
            .output()
            .expect("runs");
        (!has_no_device(&output)).then(|| {
            check(&output);
            let compiles = spans(&trace).iter().filter(|e| e["cat"] == "compile").count();
            let file = std::fs::read_dir(cache.join("pipelines")).expect("a folder").filter_map(Result::ok);
            let file = file.map(|e| e.path()).find(|p| p.extension().is_some_and(|e| e == "bin"));
            (compiles, std::fs::read(file.expect("a file")).expect("the pipelines"))
        })
    };
    let Some((compiles, pipelines)) = run(1) else { return };
    assert_eq!(compiles, 2, "front end and lowering");
    assert_eq!(run(2), Some((0, pipelines)));
}

/// Every function is exported, with the version node that the stock libOpenCL gives it.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn every_function_has_its_version_node() {
    let path = CString::new(library().to_str().expect("UTF-8")).expect("no NUL");
    // SAFETY: a string; the library's initialisers do nothing.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    assert!(!handle.is_null());
    for (node, names) in versions::NODES {
        let node = CString::new(node).expect("no NUL");
        for name in names {
            let name = CString::new(*name).expect("no NUL");
            // SAFETY: the library is open; both are strings.
            let found = unsafe { libc::dlvsym(handle, name.as_ptr(), node.as_ptr()) };
            assert!(!found.is_null(), "{name:?} {node:?}");
        }
    }
}

/// The exported functions with their version nodes, as `name@@node`; `None` where there is no `nm`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn exports(library: &Path) -> Option<Vec<String>> {
    let output = Command::new("nm").args(["-D", "--with-symbol-versions"]).arg(library).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let function = |line: &str| line.split_once(" T cl").map(|(_, name)| format!("cl{name}"));
    Some(text.lines().filter_map(function).collect())
}

/// Whatever a program was linked to in the stock libOpenCL, libpumice.so has under the same version node. Of ocl-icd or Khronos's
/// loader, whichever is installed; `PUMICE_TEST_LOADER` names another file.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn everything_that_the_stock_loader_exports_is_there() {
    let places = [
        std::env::var("PUMICE_TEST_LOADER").unwrap_or_default(),
        format!("/usr/lib/{}-linux-gnu/libOpenCL.so.1", std::env::consts::ARCH),
        "/usr/lib64/libOpenCL.so.1".to_owned(),
    ];
    let Some(stock) = places.iter().map(Path::new).find(|p| p.exists()) else {
        println!("SKIP: no stock libOpenCL.so.1 (Debian: apt install ocl-icd-libopencl1)");
        return;
    };
    let Some((theirs, ours)) = exports(stock).zip(exports(&library())) else {
        println!("SKIP: no nm (Debian: apt install binutils)");
        return;
    };
    assert!(theirs.len() > 100, "{theirs:?}");
    let missing: Vec<_> = theirs.iter().filter(|name| !ours.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn clinfo_shows_no_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    if Command::new("clinfo").arg("--version").output().is_err() {
        println!("SKIP: clinfo is not installed (Debian: apt install clinfo)");
        return;
    }
    let output = behind_the_loader(Path::new("clinfo"), dir.path());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.starts_with("Number of platforms                               0") {
        pumice::testing::no_device();
        return;
    }
    assert!(output.status.success() && output.stderr.is_empty(), "{text}{:?}", output.stderr);
    assert!(text.contains("Platform Name                                   Pumice"), "{text}");
    // clinfo marks queries that failed by the name of the function, or of the code, in angle brackets.
    let bad: Vec<&str> = text
        .lines()
        .filter(|l| {
            l.contains("error ") || l.contains("<cl") || l.contains("CL_INVALID") || l.contains(" : error")
        })
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A program whose loader is ocl-icd gets a table without cl_khr_icd 2.0's tag where that is 2.3.3, which keeps pointers into an
/// array that moves; a later one gets the tag. The stand-in has the loader's texts and asks as the loader does.
#[test]
fn a_loader_that_moves_its_tables_gets_the_first_icd_extension() {
    const LOADER: &str = r#"
        #include <dlfcn.h>
        #include <stdint.h>
        #include <stdio.h>
        const char *const texts[] = { "OCL Icd free software", VERSION };
        struct platform { const intptr_t *table; };
        int load(const char *driver) {
            void *library = dlopen(driver, RTLD_NOW);
            if (!library) return printf("%s\n", dlerror()), 2;
            int (*platforms)(unsigned, struct platform **, unsigned *) =
                (int (*)(unsigned, struct platform **, unsigned *))dlsym(library, "clIcdGetPlatformIDsKHR");
            struct platform *first;
            int error = platforms(1, &first, 0);
            if (error) return printf("error %d\n", error), 3;
            int tagged = first->table[0] == (intptr_t)0x4f50454e434c3331;
            printf("%s\n", tagged ? "tagged" : first->table[0] == (intptr_t)dlsym(library, "clGetPlatformIDs") ? "plain" : "wrong");
            return 0;
        }
    "#;
    const PROGRAM: &str = "int load(const char *); int main(int n, char **a) { (void)n; return load(a[1]); }";
    if Command::new("cc").arg("--version").output().is_err() {
        return println!("SKIP: no C compiler");
    }
    let cc = |args: &[&std::ffi::OsStr]| {
        let output = Command::new("cc").args(args).output().expect("cc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    for (version, expected) in [("2.3.3", "plain\n"), ("2.3.4", "tagged\n")] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = |name: &str| dir.path().join(name);
        let define = format!("-DVERSION=\"{version}\"");
        std::fs::write(path("loader.c"), LOADER).expect("written");
        std::fs::write(path("program.c"), PROGRAM).expect("written");
        let (loader, program) = (path("libOpenCL-1a2b.so.1"), path("program"));
        let place = std::ffi::OsString::from(format!("-Wl,-rpath,{}", dir.path().display()));
        cc(&[
            "-shared".as_ref(),
            "-fPIC".as_ref(),
            define.as_ref(),
            "-o".as_ref(),
            loader.as_ref(),
            path("loader.c").as_ref(),
        ]);
        cc(&[
            "-o".as_ref(),
            program.as_ref(),
            path("program.c").as_ref(),
            loader.as_ref(),
            "-ldl".as_ref(),
            &place,
        ]);
        let output = Command::new(&program).arg(library()).output().expect("runs");
        match output.status.code() {
            Some(0) => assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "ocl-icd {version}"),
            Some(3) if output.stdout == b"error -1001\n" => pumice::testing::no_device(),
            _ => panic!("{output:?}"),
        }
    }
}
