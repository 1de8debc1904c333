//! How processes end that use the library, and their children: C and C++ programs, each a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// The library that was built with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let places = test.ancestors().skip(1).take(2).map(|dir| dir.join("libpumice.so"));
    places.into_iter().find(|p| p.exists()).expect("libpumice.so is built with its tests")
}

/// A program of tests/life; or a visible skip where there is no compiler or no header.
fn program(compiler: &str, file: &str, options: &[&str], dir: &Path) -> Option<PathBuf> {
    let program = dir.join(file.replace('.', "_"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/life").join(file);
    let mut compile = Command::new(compiler);
    compile.args(["-Wall", "-Wextra", "-Wno-unused-result", "-pthread", "-o"]).arg(&program).arg(source);
    match compile.args(options).output() {
        Ok(output) if output.status.success() => Some(program),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(text.contains("CL/cl.h") || text.contains("-lOpenCL"), "{text}");
            println!("SKIP: no OpenCL headers or loader (Debian: apt install ocl-icd-opencl-dev)");
            None
        }
        Err(_) => {
            println!("SKIP: no {compiler}");
            None
        }
    }
}

fn run(program: &Path, mode: &[&str], environment: &[(&str, &Path)]) -> (Output, Duration) {
    let start = Instant::now();
    let mut command = Command::new(program);
    command.args(mode).env("PUMICE_TEST_LIBRARY", library()).env("PUMICE_CACHE_DIR", "");
    command.envs(environment.iter().copied());
    let output = command.output().expect("it runs");
    (output, start.elapsed())
}

/// Returns whether the machine has a Vulkan device; without one nothing can be tested here.
fn has_device() -> bool {
    let devices =
        vk_runtime::Instance::new(&vk_runtime::InstanceOptions::default()).and_then(|i| i.devices());
    let has = devices.is_ok_and(|d| d.iter().any(|d| d.below_floor().is_none()));
    if !has {
        pumice::testing::no_device();
    }
    has
}

/// Each way to end, its exit code, and what it prints.
const MODES: &[(&str, i32, &str)] = &[
    ("works", 0, "end of main\n"),
    ("handler before dlopen", 0, "end of main\nlate\n"),
    ("handler before the platform", 0, "end of main\nlate\n"),
    ("handler before the device", 0, "end of main\nlate\n"),
    ("handler at the end", 0, "end of main\nearly\n"),
    ("nothing released", 0, "end of main\n"),
    ("work in flight", 0, "end of main\nlate\n"),
    ("work in flight and _exit", 7, ""),
    ("work that is compiled", 0, "end of main\nearly\n"),
    ("exit in a thread", 7, "early\n"),
    ("exit in a callback", 7, ""),
    ("threads in calls", 0, "end of main\nlate\n"),
    ("threads in the compiler", 0, "end of main\nlate\n"),
    ("unloaded", 0, "end of main\n"),
    ("fork before all", 0, "end of main\n"),
    ("fork", 0, "end of main\n"),
    ("fork with output", 0, "child\nhandler\nend of main\nhandler\n"),
    ("fork and _exit", 0, "end of main\n"),
    ("fork and exec", 0, "end of main\nend of main\n"),
    ("fork beside threads", 0, "end of main\n"),
    ("signals", 0, "end of main\n"),
];

#[test]
#[cfg(target_os = "linux")]
fn ways_to_end() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    let mut wrong = Vec::new();
    for (mode, code, prints) in MODES {
        // Drivers with caches of their own compile, too.
        let (output, took) = run(&program, &[mode], &[("MESA_SHADER_CACHE_DISABLE", Path::new("true"))]);
        println!("{mode}: {took:?}");
        if cfg!(not(target_env = "gnu")) && ["work that is compiled", "exit in a thread"].contains(mode) {
            // Nothing of ours comes first there.
            continue;
        }
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.code() != Some(*code) || out != *prints || !err.is_empty() {
            wrong.push(format!("{mode}: {}, printed {out:?}, {err}", output.status));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Pipelines that are made in the background, for launches that have others, keep no process from ending: it waits for the one that is
/// under way alone.
#[test]
#[cfg(target_os = "linux")]
fn pipelines_in_the_background_are_not_waited_for() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    // The thread rests for ten seconds before each: all of them would take it longer than the program lets itself live.
    let modes = Path::new("tune.often=1,tune.rest=10000000");
    let (output, _) = run(&program, &["pipelines in the background"], &[("PUMICE_TEST_MODES", modes)]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(0) && err.is_empty(), "{}, {err}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "end of main\n");
    // While they are being made.
    let modes = Path::new("tune.often=1");
    let (output, _) = run(&program, &["pipelines in the background"], &[("PUMICE_TEST_MODES", modes)]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(0) && err.is_empty(), "{}, {err}", output.status);
}

/// Where a driver's exit handlers would crash in a child, the child ends before them, with its own exit code.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn children_that_are_spared() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    for (mode, code, prints) in MODES.iter().filter(|(mode, ..)| mode.starts_with("fork")) {
        let (output, _) = run(&program, &[mode], &[("PUMICE_TEST_MODES", Path::new("spare"))]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(
            output.status.code() == Some(*code) && out == *prints && err.is_empty(),
            "{mode}: {}, printed {out:?}, {err}",
            output.status
        );
    }
}

/// Static objects of C++, with the library linked, and behind the stock loader.
#[test]
#[cfg(target_os = "linux")]
fn static_objects() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("c++", "statics.cpp", &["-lOpenCL"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    let (linked, vendors) = (dir.path().join("linked"), dir.path().join("vendors"));
    std::fs::create_dir(&linked).expect("made");
    std::fs::create_dir(&vendors).expect("made");
    std::os::unix::fs::symlink(library(), linked.join("libOpenCL.so.1")).expect("linked");
    std::fs::write(vendors.join("pumice.icd"), format!("{}\n", library().display())).expect("written");
    for environment in [("LD_LIBRARY_PATH", linked.as_path()), ("OCL_ICD_VENDORS", vendors.as_path())] {
        let (output, _) = run(&program, &[], &[environment]);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && err.is_empty(), "{environment:?}: {} {out}{err}", output.status);
        let lines: Vec<&str> = out.lines().collect();
        let ["inside alive", "constructor alive" | "constructor late", "before late"] = lines[..] else {
            panic!("{environment:?}: {out}")
        };
    }
}

/// Several processes at once, with one cache, which is empty at first.
#[test]
#[cfg(target_os = "linux")]
fn processes_at_once() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    let cache = dir.path().join("cache");
    for _ in 0..2 {
        std::thread::scope(|scope| {
            let one = || run(&program, &["works"], &[("PUMICE_CACHE_DIR", &cache)]).0;
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
            for run in runs {
                let output = run.join().expect("it ran");
                assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            }
        });
    }
    let unfinished = std::fs::read_dir(&cache).expect("a cache").filter_map(Result::ok);
    let unfinished: Vec<_> =
        unfinished.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "tmp")).collect();
    assert!(unfinished.is_empty(), "{unfinished:?}");
}

/// Returns whether a process of "works" leaves files in a folder that is to be its cache, and whether its trace is there.
#[cfg(target_os = "linux")]
fn leaves_files(program: &Path, cache: &Path) -> (usize, bool) {
    let trace = cache.with_extension("trace");
    let (output, _) = run(program, &["works"], &[("PUMICE_CACHE_DIR", cache), ("PUMICE_TRACE", &trace)]);
    assert!(output.status.success(), "{output:?}");
    let parts = ["programs", "pipelines"].map(|part| cache.join(part));
    let count = |part: &PathBuf| std::fs::read_dir(part).map_or(0, |entries| entries.count());
    (parts.iter().map(count).sum(), trace.exists())
}

/// A cache that another user could have filled is not used, and nothing waits for a FIFO in it.
#[test]
#[cfg(target_os = "linux")]
fn caches_of_others() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    let good = dir.path().join("good");
    assert!(leaves_files(&program, &good).0 >= 2, "a program and pipelines");
    let mode = |path: &Path| std::fs::symlink_metadata(path).expect("there").mode() & 0o777;
    for part in ["programs", "pipelines"] {
        assert_eq!(mode(&good.join(part)), 0o700);
        for file in std::fs::read_dir(good.join(part)).expect("a folder").filter_map(Result::ok) {
            assert_eq!(mode(&file.path()), 0o600, "{file:?}");
            // What is in its place now is neither read nor waited for, and what a link points to stays as it is.
            std::fs::remove_file(file.path()).expect("removed");
            let fifo = Command::new("mkfifo").arg(file.path()).status().expect("mkfifo");
            assert!(fifo.success());
        }
    }
    let start = Instant::now();
    leaves_files(&program, &good);
    assert!(start.elapsed() < Duration::from_secs(30));
    let link = dir.path().join("link");
    std::fs::create_dir(dir.path().join("elsewhere")).expect("made");
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), &link).expect("linked");
    assert_eq!(leaves_files(&program, &link).0, 0, "a link");
    let other = dir.path().join("other");
    std::fs::create_dir(&other).expect("made");
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o777)).expect("changed");
    if std::os::unix::fs::chown(&other, Some(12345), None).is_err() {
        println!("SKIP: only root can give a folder to another user");
        return;
    }
    assert_eq!(leaves_files(&program, &other), (0, true), "another user's");
}

/// A setuid program believes no variable of its caller's.
#[test]
#[cfg(target_os = "linux")]
fn a_program_with_more_rights() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    if std::fs::metadata(dir.path()).expect("there").uid() != 0 {
        println!("SKIP: only root can make a program of another user");
        return;
    }
    // For the other user: the folder, the library's copy, and the program, which becomes that user.
    const OTHER: u32 = 65534;
    let copy = dir.path().join("libpumice.so");
    std::fs::copy(library(), &copy).expect("copied");
    for (path, mode) in [(dir.path(), 0o755), (&copy, 0o755), (&program, 0o4755)] {
        std::os::unix::fs::chown(path, Some(OTHER), None).expect("root");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("changed");
    }
    let header = dir.path().join("found.h");
    std::fs::write(&header, "#define FOUND 1\n").expect("written");
    let header = header.to_str().expect("UTF-8");
    let library = [("PUMICE_TEST_LIBRARY", copy.as_path())];
    let (output, _) = run(&program, &["include", header], &library);
    if output.status.code() == Some(20) && !has_effect_of_setuid(&program) {
        println!("SKIP: setuid programs have no effect here (nosuid)");
        return;
    }
    assert_eq!(output.status.code(), Some(21), "files are not read for another user: {output:?}");
    let (cache, trace) = (dir.path().join("cache"), dir.path().join("trace"));
    let (other, file) = (dir.path().join("other"), dir.path().join("pumice/programs.toml"));
    std::fs::create_dir(dir.path().join("pumice")).expect("made");
    std::fs::write(&file, format!("['*']\nPUMICE_TRACE = '{}'\n", other.display())).expect("written");
    std::os::unix::fs::chown(&file, Some(OTHER), None).expect("root");
    let paths = [
        library[0],
        ("PUMICE_CACHE_DIR", &cache),
        ("PUMICE_TRACE", &trace),
        ("PUMICE_TARGET", Path::new("/nonexistent")),
        ("XDG_CONFIG_HOME", dir.path()),
    ];
    let (output, _) = run(&program, &["works"], &paths);
    assert!(output.status.success(), "{output:?}");
    assert!(
        !cache.exists() && !trace.exists() && !other.exists(),
        "nothing is written where the caller says"
    );
    assert!(!String::from_utf8_lossy(&output.stderr).contains("PUMICE_TARGET"), "{output:?}");
    // Without the rights, the caller's file counts.
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("changed");
    std::os::unix::fs::chown(&file, Some(0), None).expect("root");
    let (output, _) = run(&program, &["works"], &[library[0], ("XDG_CONFIG_HOME", dir.path())]);
    assert!(output.status.success() && other.exists(), "{output:?}");
}

/// Returns whether the file system lets programs have another user's rights.
#[cfg(target_os = "linux")]
fn has_effect_of_setuid(program: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let of = mounts.lines().filter_map(|l| {
        let mut words = l.split(' ');
        let (place, options) = (words.nth(1)?, words.nth(1)?);
        program.starts_with(place).then_some((place.len(), options))
    });
    of.max().is_none_or(|(_, options)| !options.split(',').any(|o| o == "nosuid"))
}

/// `PUMICE_INCLUDES=0`: `#include` reads no files.
#[test]
#[cfg(target_os = "linux")]
fn includes() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program("cc", "life.c", &["-ldl"], dir.path()) else { return };
    if !has_device() {
        return;
    }
    let header = dir.path().join("found.h");
    std::fs::write(&header, "#define FOUND 1\n").expect("written");
    let header = header.to_str().expect("UTF-8");
    assert_eq!(run(&program, &["include", header], &[]).0.status.code(), Some(20));
    let off = [("PUMICE_INCLUDES", Path::new("0"))];
    assert_eq!(run(&program, &["include", header], &off).0.status.code(), Some(21));
}
