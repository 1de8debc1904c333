//! The program's own manners: clear messages, exit codes, no panic.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn kernel(name: &str) -> PathBuf {
    pumice_tests::root().join("kernels").join(name)
}

fn pumice(args: &[&str]) -> Output {
    command(args).output().expect("pumice starts")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(pumice_tests::pumice());
    command.args(args).env("PUMICE_CACHE_DIR", "");
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Exit code and a part of the message.
fn refused(output: &Output, code: i32, message: &str) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(text.contains(message), "no '{message}' in: {text}");
    assert!(!text.contains("panicked"), "{text}");
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8 path")
}

const SAXPY_ARGS: [&str; 8] =
    ["--arg", "float[4]:range", "--arg", "float[4]:const=1", "--arg", "float:2", "--arg", "uint:4"];

fn saxpy<'a>(more: &[&'a str], file: &'a str) -> Vec<&'a str> {
    let mut args = vec!["run", file, "--kernel", "saxpy", "--global", "4"];
    args.extend(more);
    args
}

#[test]
fn prints_results() {
    let file = kernel("saxpy.cl");
    let mut args = saxpy(&SAXPY_ARGS, path(&file));
    args.extend(["--print", "y:3", "--time", "--repeat", "2"]);
    let output = pumice(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("saxpy: 2 launches"), "{text}");
    assert!(text.contains("y: 4 5 6 …"), "{text}");
}

#[test]
fn bad_source() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("bad.cl");
    std::fs::write(&file, "kernel void k(global int *p) { *p = undeclared; }\n").expect("written");
    let output = pumice(&["compile", path(&file), "--emit", "opencl-spirv", "-o", "-"]);
    refused(&output, 1, "undeclared");
    assert!(stderr(&output).contains("bad.cl:1:"), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
}

/// Without a target every feature is there; a target has its own.
#[test]
fn emits_every_feature_where_no_target_is_named() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("features.cl");
    let text = "#if !defined cl_khr_subgroups || !defined __opencl_c_images || !defined cl_khr_fp16\n\
                #error lacking\n\
                #endif\n\
                #pragma OPENCL EXTENSION cl_khr_subgroups : enable\n\
                kernel void k(read_only image2d_t in, write_only image3d_t out, sampler_t s, global double *p) {\n\
                    write_imagef(out, (int4)(1), read_imagef(in, s, (float2)(0.5f)));\n\
                    p[get_global_id(0)] = sub_group_reduce_add(p[get_global_id(0)]);\n\
                }\n";
    std::fs::write(&file, text).expect("written");
    let command = ["compile", path(&file), "--emit", "opencl-spirv", "-cl-std=CL3.0", "-o", "-"];
    let output = pumice(&command);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout.starts_with(&0x0723_0203_u32.to_le_bytes()));
    let profile = pumice_tests::root().join("profiles/swiftshader.json");
    refused(&pumice(&[&command[..], &["--target", path(&profile)]].concat()), 1, "lacking");
}

#[test]
fn pictures_are_no_source() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("a.png");
    for (bytes, what) in [
        (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], "a PNG picture"),
        (b"kernel\0void", "binary data"),
        (b"\xff\xfek\0", "UTF-16"),
    ] {
        std::fs::write(&file, bytes).expect("written");
        let output = pumice(&["compile", path(&file), "-o", "-"]);
        refused(&output, 1, what);
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn images_are_named_with_their_access() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("a.cl");
    std::fs::write(
        &file,
        "kernel void k(write_only image2d_t out) { write_imagef(out, (int2)(0), (float4)(1)); }",
    )
    .expect("written");
    let run =
        |more: &[&str]| pumice(&[&["run", path(&file), "--kernel", "k", "--global", "1"], more].concat());
    refused(&run(&[]), 2, "the kernel is k(write_only image2d_t out)");
    refused(&run(&["--arg", "float[4]"]), 2, "argument 'out' is 'write_only image2d_t', an image");
}

#[test]
fn missing_files() {
    refused(&pumice(&["compile", "/nonexistent.cl", "--emit", "asm"]), 1, "cannot read '/nonexistent.cl'");
    let file = kernel("saxpy.cl");
    let args = saxpy(&["--arg", "float[4]:file=/nonexistent.raw"], path(&file));
    refused(&pumice(&args), 1, "cannot read '/nonexistent.raw'");
    refused(&pumice(&["compile", path(&file), "--target", "/nonexistent.json"]), 1, "/nonexistent.json");
}

#[test]
fn unknown_kernel() {
    let file = kernel("saxpy.cl");
    let output = pumice(&["run", path(&file), "--kernel", "nope", "--global", "1"]);
    refused(&output, 1, "it has: saxpy");
}

#[test]
fn wrong_arguments() {
    let file = kernel("saxpy.cl");
    let run = |args: &[&str]| pumice(&saxpy(args, path(&file)));
    refused(&run(&[]), 2, "no --arg for y, x, a, n");
    refused(
        &run(&["--arg", "a=int:2", "--arg", "float[4]", "--arg", "float[4]", "--arg", "uint:4"]),
        2,
        "is a float",
    );
    refused(
        &run(&["--arg", "float:1", "--arg", "float[4]", "--arg", "float:1", "--arg", "uint:4"]),
        2,
        "a buffer",
    );
    let ints = ["--arg", "int[4]:range", "--arg", "float[4]", "--arg", "float:2", "--arg", "uint:4"];
    refused(&run(&ints), 2, "argument 'y' is 'float*'; given elements of type int");
    let doubles = ["--arg", "double[4]", "--arg", "float[4]", "--arg", "float:2", "--arg", "uint:4"];
    refused(&run(&doubles), 2, "given elements of type double");
    let bytes = ["--arg", "uchar[16]", "--arg", "float4[1]", "--arg", "float:2", "--arg", "uint:4"];
    assert!(run(&bytes).status.success(), "bytes and vectors are what they are declared as");
    refused(&run(&["--arg", "zz=int:2"]), 2, "no argument 'zz'");
    refused(&run(&["--arg", "float[x]"]), 2, "not a number of elements");
    refused(&run(&["--local", "3,3"]), 2, "--global");
    let mut args = SAXPY_ARGS.to_vec();
    args.extend(["--local", "3"]);
    refused(&run(&args), 1, "work-group");
    let mut args = SAXPY_ARGS.to_vec();
    args.extend(["--print", "a"]);
    refused(&run(&args), 2, "has no buffer");
    refused(&pumice(&["run"]), 2, "Usage");
    refused(&pumice(&["frobnicate"]), 2, "frobnicate");
    refused(&pumice(&["compile", path(&file), "-cl-nonsense"]), 2, "-cl-nonsense");
}

#[test]
fn mismatch_is_a_failure() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let expected = dir.path().join("y.raw");
    std::fs::write(
        &expected,
        [1f32, 3.0, 5.0, 8.0].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>(),
    )
    .expect("written");
    let file = kernel("saxpy.cl");
    let run = |spec: String| {
        let mut args = saxpy(&[], path(&file));
        args.extend([
            "--arg",
            "float[4]:const=1",
            "--arg",
            "float[4]:range",
            "--arg",
            "float:2",
            "--arg",
            "uint:4",
        ]);
        args.extend(["--expect", &spec]);
        command(&args).output().expect("pumice starts")
    };
    let spec = format!("y={}", expected.display());
    refused(&run(spec.clone()), 1, "y[3] is 7, expected 8");
    assert!(run(format!("{spec},abs=1")).status.success());
}

/// What is SPIR-V by its name or its start is no source, of whose bytes each would be an error.
#[test]
fn damaged_modules() {
    let dir = tempfile::tempdir().expect("temporary directory");
    for (name, bytes) in [("random.spv", &b"\x7fELF, say"[..]), ("cut", &b"\x03\x02\x23\x07\x00\x06"[..])] {
        let file = dir.path().join(name);
        std::fs::write(&file, bytes).expect("written");
        refused(&pumice(&["compile", path(&file), "-o", "-"]), 1, &format!("{name}': not a SPIR-V module"));
    }
}

#[test]
fn no_vulkan_device() {
    let file = kernel("saxpy.cl");
    let mut command = command(&saxpy(&SAXPY_ARGS, path(&file)));
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    let message = "the Vulkan loader found no driver; VK_DRIVER_FILES=/nonexistent says where it looks for drivers; \
                   there is no file '/nonexistent'";
    refused(&command.output().expect("pumice starts"), 1, message);
}

#[test]
fn the_doctor_names_what_is_missing() {
    let mut child = command(&["doctor"]);
    child.env("VK_DRIVER_FILES", "/nonexistent/lvp.json").env("PUMICE_DEVCE", "0").env("HOME", "/home/none");
    let output = child.output().expect("pumice starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "WRONG VK_DRIVER_FILES: there is no file '/nonexistent/lvp.json'",
        "WRONG the Vulkan loader found no driver; VK_DRIVER_FILES=/nonexistent/lvp.json says where it looks for drivers; \
         there is no file '/nonexistent/lvp.json'",
        "WRONG PUMICE_DEVCE=0: no setting is called so; there is PUMICE_DEVICE",
        "note  off: PUMICE_CACHE_DIR is empty",
        "things are wrong",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_doctor_tells_of_devices() {
    let output = pumice(&["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in ["\nOpenCL loader\n", "\nVulkan drivers\n", "\nDevices\n  ok    0: ", "OpenCL 3."] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let wrong = text.lines().any(|line| line.starts_with("  WRONG "));
    assert_eq!(output.status.code(), Some(i32::from(wrong)), "{text}");
}

#[test]
fn a_variable_chooses_the_device() {
    let file = kernel("saxpy.cl");
    let run = |device: &str, more: &[&str]| {
        let mut args = saxpy(&SAXPY_ARGS, path(&file));
        args.extend(more);
        command(&args).env("PUMICE_DEVICE", device).output().expect("pumice starts")
    };
    refused(&run("0,no such device", &[]), 1, "no device 'no such device' among 0: ");
    assert!(run("0", &[]).status.success());
    assert!(run("no such device", &["--device", "0"]).status.success(), "the option comes first");
}

#[test]
fn the_log_tells_what_a_launch_does() {
    let file = kernel("saxpy.cl");
    let output =
        command(&saxpy(&SAXPY_ARGS, path(&file))).env("PUMICE_LOG", "info").output().expect("pumice starts");
    let text = stderr(&output);
    assert!(output.status.success(), "{text}");
    for part in [
        "] device '",
        "] kernel 'saxpy': ",
        " binding model",
        "] kernel 'saxpy': pipeline for work-groups of ",
        "] a launch of kernel 'saxpy' waited ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn misspelt_settings_are_told() {
    let mut child = command(&["settings"]);
    let output =
        child.env("PUMICE_DEVCE", "0").env("PUMICE_WATCHDOG", "soon").output().expect("pumice starts");
    let text = stderr(&output);
    assert!(output.status.success());
    for part in [
        "PUMICE_DEVCE is no setting; there is PUMICE_DEVICE",
        "PUMICE_WATCHDOG=soon is ignored: a number of seconds is needed",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn target_without_a_feature() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("long.cl");
    let target = pumice_tests::root().join("profiles/swiftshader.json");
    // 64-bit integers are made of words; doubles are of nothing.
    std::fs::write(&file, "kernel void k(global long *p) { *p = *p * 3; }\n").expect("written");
    let output = pumice(&["compile", path(&file), "--target", path(&target), "-o", "-"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    std::fs::write(&file, "kernel void k(global double *p) { *p = *p * 3; }\n").expect("written");
    let output = pumice(&["compile", path(&file), "--target", path(&target), "-o", "-"]);
    refused(&output, 1, "cl_khr_fp64");
    let phone = pumice_tests::root().join("profiles/phone-1.1.json");
    let output =
        pumice(&["compile", path(&kernel("saxpy.cl")), "--target", path(&phone), "--binding", "address"]);
    refused(&output, 1, "bufferDeviceAddress");
    let text = "kernel void k(global int *p) { local int a[9000]; a[*p] = 1; *p = a[p[1]]; }\n";
    std::fs::write(&file, text).expect("written");
    let output = pumice(&["compile", path(&file), "--target", path(&target), "-o", "-"]);
    refused(&output, 1, "36000 bytes of local memory, of which it has 32768");
    // A driver's faults: the two bytes of 16 bits.
    std::fs::write(&file, "kernel void k(global ushort *p) { ushort x = *p; *p = x << 8 | x >> 8; }\n")
        .expect("written");
    let asm = |more: &[&str]| {
        let all = [&["compile", path(&file), "--emit", "asm", "--target", path(&target)], more].concat();
        String::from_utf8_lossy(&pumice(&all).stdout).into_owned()
    };
    let plain = asm(&[]);
    assert!(plain.contains("OpShiftLeftLogical") && !plain.contains("65537"), "{plain}");
    assert!(asm(&["--driver", "nvidia-580"]).contains("65537"));
    let output = pumice(&["compile", path(&file), "--target", path(&target), "--driver", "voodoo-3"]);
    refused(&output, 1, "voodoo-3");
    let wrong = dir.path().join("wrong.json");
    std::fs::write(&wrong, "{}").expect("written");
    refused(&pumice(&["compile", path(&kernel("saxpy.cl")), "--target", path(&wrong)]), 1, "wrong.json");
}

#[test]
fn inspect_shows_every_pointer() {
    let output = pumice(&["inspect", path(&kernel("neighbours.cl")), "--json", "--binding", "descriptor"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let memories = json[0]["memories"].as_array().expect("memories");
    let class = |name: &str| {
        let memory =
            memories.iter().find(|m| m["name"] == name).unwrap_or_else(|| panic!("{name} in {json:#}"));
        (memory["address_space"].as_str().unwrap_or(""), memory["storage_class"].as_str().unwrap_or(""))
    };
    assert_eq!(class("in"), ("global", "StorageBuffer"));
    assert_eq!(class("given"), ("local", "Workgroup"));
}

/// What a driver's compiler tells of its code, where RADV is installed; lavapipe tells nothing, and is named.
#[test]
fn stats_are_the_drivers() {
    let file = kernel("saxpy.cl");
    let driver = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";
    if Path::new(driver).exists() {
        let output = pumice(&["stats", path(&file), "--chip", "navi21", "--json", "--binding", "address"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = &json["kernels"][0];
        assert_eq!(
            (found["kernel"].as_str(), found["work_group_size"][0].as_u64()),
            (Some("saxpy"), Some(64))
        );
        let number = |name: &str| found["statistics"][name].as_f64();
        assert!(number("VGPRs").is_some_and(|n| n >= 4.0), "{json:#}");
        assert_eq!(number("Spilled VGPRs"), Some(0.0), "{json:#}");
    } else {
        pumice_tests::tell("SKIP: RADV is not installed");
    }
    let lavapipe = Path::new("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
    if lavapipe.exists() {
        let output = command(&["stats", path(&file)])
            .env("VK_DRIVER_FILES", lavapipe)
            .env("VK_ICD_FILENAMES", lavapipe)
            .output()
            .expect("pumice starts");
        if !output.status.success() {
            refused(&output, 1, "VK_KHR_pipeline_executable_properties");
        }
    }
}

#[test]
fn reads_standard_input() {
    use std::io::Write;
    let mut child = command(&["compile", "-", "--emit", "asm"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("pumice starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"kernel void k(global int *p) { *p = 1; }").expect("written");
    drop(input);
    let output = child.wait_with_output().expect("pumice ends");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("OpEntryPoint GLCompute"));
}

#[test]
fn source_without_kernels() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("helpers.cl");
    std::fs::write(&file, "int twice(int x) { return 2 * x; }\n").expect("written");
    refused(&pumice(&["compile", path(&file), "--emit", "asm"]), 1, "has no kernel");
}

/// A reader that has seen enough (`| head`) is no failure.
#[test]
fn a_closed_pipe_is_no_failure() {
    let file = kernel("saxpy.cl");
    for args in [vec!["settings"], vec!["inspect", path(&file)], vec!["devices"]] {
        let mut child = command(&args).stdout(std::process::Stdio::piped()).spawn().expect("pumice starts");
        drop(child.stdout.take());
        assert!(child.wait().expect("pumice ends").success(), "{args:?}");
    }
}

/// A device without 64-bit atomic operations has no records of races, which is said.
#[test]
fn races_that_nobody_looks_for_are_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = |check: &str, mask: &str| {
        let case = folder.join("cases/check/races.cl");
        let mut child = command(&["run", path(&case), check, "--kernel", "one_place", "--arg", "int[16]"]);
        child.args(["--global", "16", "--local", "8"]).env("PUMICE_TARGET", folder.join(mask));
        let output = child.output().expect("pumice runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let text = run("--check=1,races", "profiles/phone-1.1.json");
    assert!(text.contains("races are not looked for on") && !text.contains("fault"), "{text}");
    assert_eq!(run("--check=1", "profiles/phone-1.1.json"), "");
    assert!(run("--check=1,races", "profiles/classes/lavapipe.json").starts_with("pumice: fault (races)"));
}

/// What is presented in place of the truth, who says so, and what keeps a device from the full profile.
#[test]
fn devices_say_what_is_presented() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("pumice/programs.toml");
    std::fs::create_dir(dir.path().join("pumice")).expect("made");
    std::fs::write(&file, "[x264]\nPUMICE_PRESENT_DEVICE_TYPE = 'gpu'\nPUMICE_SVM = 'off'\n")
        .expect("written");
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles/phone-1.1.json");
    let mut child = command(&["devices"]);
    child.env("XDG_CONFIG_HOME", dir.path()).env("PUMICE_PRESENT_DEVICE_NAME", "Some GPU");
    let output = child.env("PUMICE_TARGET", &profile).output().expect("pumice runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    for part in [
        "masked by PUMICE_TARGET",
        "EMBEDDED_PROFILE; the full one needs ",
        "32 KiB of local memory (it has 16 KiB)",
        "PUMICE_PRESENT_PROFILE=full",
        "presented to all programs: PUMICE_PRESENT_DEVICE_NAME=Some GPU (environment)",
        &format!("presented to 'x264': PUMICE_PRESENT_DEVICE_TYPE=gpu ('{}')", file.display()),
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("PUMICE_SVM"), "{text}");
    let plain = command(&["devices"]).env("XDG_CONFIG_HOME", "/nonexistent").output().expect("pumice runs");
    assert!(!String::from_utf8_lossy(&plain.stdout).contains("presented to"), "{plain:?}");
}

/// IR with its values numbered in order of appearance: the numbers of a module that was read from text differ.
fn renumbered(text: &str) -> String {
    let mut seen: Vec<String> = Vec::new();
    let is_value =
        |w: &str| w.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    let mut rename = |word: String| {
        if !is_value(&word) {
            return word;
        }
        let number = seen.iter().position(|s| *s == word).unwrap_or_else(|| {
            seen.push(word);
            seen.len() - 1
        });
        format!("v{number}")
    };
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.trim().chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            out += &rename(std::mem::take(&mut word));
            out.push(c);
        }
    }
    out + &rename(word)
}

/// Any pass can be dumped and run alone from text: the dump of one stage, run through the next pass, is the dump of
/// the next stage.
#[test]
fn passes_run_from_text() {
    let file = kernel("scan.cl");
    let target = pumice_tests::root().join("profiles/swiftshader.json");
    let dump = |pass: &str| {
        let mut command = command(&["compile", path(&file), "--target", path(&target), "-o", "/dev/null"]);
        let output = command.env("PUMICE_DUMP", format!("after:{pass}")).output().expect("pumice starts");
        stderr(&output)
    };
    let dir = tempfile::tempdir().expect("temporary directory");
    let text = dir.path().join("scan.ir");
    for (before, pass) in [
        ("lower_program_scope", "lower_addresses"),
        ("narrow_int64", "simplify"),
        ("lower_kernel_args", "lower_memcpy"),
    ] {
        std::fs::write(&text, dump(before)).expect("written");
        let output = pumice(&["ir", path(&text), "--pass", pass, "--target", path(&target)]);
        assert!(output.status.success(), "{before}, {pass}: {}", stderr(&output));
        let result = String::from_utf8_lossy(&output.stdout).into_owned();
        // A pass may stand in the list more than once: the dump has one part for each.
        let parts = dump(pass);
        let last = parts.split(&format!("; after {pass}\n")).last().unwrap_or("");
        assert_eq!(renumbered(&result), renumbered(last), "{before}, {pass}");
    }
    refused(
        &pumice(&["ir", path(&text), "--pass", "nope", "--target", path(&target)]),
        2,
        "there are mark_operations, lower_memory_order, dead_functions",
    );
    assert!(dump("nope").contains("is ignored in part: no pass 'nope'; there are mark_operations"));
    std::fs::write(&text, "nonsense").expect("written");
    refused(&pumice(&["ir", path(&text), "--pass", "simplify", "--target", path(&target)]), 1, "scan.ir");
}

/// OpenCL SPIR-V comes in by the same door; damaged or invalid modules are refused.
#[test]
fn spirv_as_input() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let module = dir.path().join("saxpy.spv");
    let output =
        pumice(&["compile", path(&kernel("saxpy.cl")), "--emit", "opencl-spirv", "-o", path(&module)]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut args = saxpy(&SAXPY_ARGS, path(&module));
    args.extend(["--print", "y"]);
    let output = pumice(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "y: 2 3 4 5");
    let bytes = std::fs::read(&module).expect("module");
    for cut in [6, 21, 40, bytes.len() / 8 * 4, bytes.len() - 4] {
        std::fs::write(&module, &bytes[..cut]).expect("written");
        let output = pumice(&["compile", path(&module), "-o", "-"]);
        assert_eq!(output.status.code(), Some(1), "{cut} bytes: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    }
}

/// What a picture is to an image of each order, and back.
#[test]
fn pictures_as_images() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("images.cl");
    let text = "kernel void fill(write_only image2d_t out) {\n\
                    int2 p = (int2)(get_global_id(0), get_global_id(1));\n\
                    write_imagef(out, p, (float4)(p.x, p.y, 0.2f, 0.6f));\n\
                }\n\
                kernel void copy(read_only image2d_t in, sampler_t s, write_only image2d_t out) {\n\
                    int2 p = (int2)(get_global_id(0), get_global_id(1));\n\
                    write_imagef(out, p, read_imagef(in, s, convert_float2(p) + 0.5f));\n\
                }\n";
    std::fs::write(&file, text).expect("written");
    let run = |args: &[&str]| {
        let start = ["run", "images.cl", "--global", "2,2", "--kernel"];
        let mut command = command(&[&start, args].concat());
        command
            .current_dir(dir.path())
            .env("PUMICE_VALIDATE", pumice_tests::validate())
            .output()
            .expect("starts")
    };
    let good = |args: &[&str]| {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let rgba = "out=image2d<rgba,unorm8>[2,2]";
    let same = "out: (0, 0, 51, 153) (255, 0, 51, 153) (0, 255, 51, 153) (255, 255, 51, 153)\n";
    let through = ["--arg", "s=sampler:nearest,unnormalized,clamp", "--arg", rgba, "--print", "out"];
    for order in ["rgba", "bgra", "argb", "abgr"] {
        let out = format!("out=image2d<{order},unorm8>[2,2]");
        good(&["fill", "--arg", &out, "--out", "out=a.png", "--out", "out=a.npy", "--out", "out=a.raw"]);
        for input in ["image2d:a.png", &format!("image2d<{order},unorm8>:a.png")] {
            assert_eq!(good(&[&["copy", "--arg", input], &through[..]].concat()), same, "{order}");
        }
        for from in ["a.png", "a.npy", "a.raw"] {
            let input = format!("in=image2d<{order},unorm8>[2,2]:file={from}");
            assert_eq!(good(&[&["copy", "--arg", &input], &through[..]].concat()), same, "{order} {from}");
            let expect = format!("out={from}");
            good(&[
                "copy",
                "--arg",
                &input,
                "--arg",
                "sampler:unnormalized",
                "--arg",
                &out,
                "--expect",
                &expect,
            ]);
        }
    }
    let shape = |name: &str| {
        let bytes = std::fs::read(dir.path().join(name)).expect("written");
        String::from_utf8_lossy(&bytes[..128.min(bytes.len())]).contains("'shape': (2, 2, 4)")
    };
    assert!(shape("a.npy"));
    // One channel takes no colours; other types no picture.
    let colours = run(&[&["copy", "--arg", "image2d<r,unorm8>:a.png"], &through[..]].concat());
    refused(&colours, 1, "it has colours");
    refused(&run(&["fill", "--arg", "image2d<rg,float>[2,2]", "--out", "out=a.png"]), 1, "not float2");
    refused(&run(&[&["copy", "--arg", "image2d:a.npy"], &through[..]].concat()), 1, "give it in brackets");
    refused(&run(&["fill", "--arg", "float[4]"]), 2, "an image");
    refused(&run(&["fill", "--arg", "image3d[2,2,1]"]), 1, "image2d_t is needed");
}

#[test]
fn inspect_shows_images() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("images.cl");
    let text = "kernel void k(read_only image2d_t in, sampler_t s, write_only image3d_t out, read_only image2d_t unused,\n\
                          read_only image1d_buffer_t line) {\n\
                    int4 a = read_imagei(in, s, (int2)(1, 2));\n\
                    write_imagef(out, (int4)(1), read_imagef(in, s, (float2)(0.5f)) + convert_float4(a) + read_imagef(line, 3));\n\
                }\n";
    std::fs::write(&file, text).expect("written");
    let output = pumice(&["inspect", path(&file)]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().map(words).collect();
    for wanted in [
        "argument read_only image2d_t in global UniformConstant sampled float at binding",
        "sampled int at binding",
        "argument write_only image3d_t out global UniformConstant storage float at binding",
        "argument read_only image2d_t unused global none",
        "argument read_only image1d_buffer_t line global UniformConstant uniform texels float at binding",
        "argument sampler_t s private",
    ] {
        assert!(lines.iter().any(|line| line.contains(wanted)), "no '{wanted}' in {text}");
    }
}

/// What a kernel compiles to for a driver of an NVIDIA GPU, in one of the forms of `--emit`.
fn for_driver(driver: &str, source: &str, emit: &str) -> String {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("k.cl");
    std::fs::write(&file, source).expect("written");
    let profile = pumice_tests::root().join("profiles/classes/nvidia.json");
    let args =
        ["compile", path(&file), "--target", path(&profile), "--driver", driver, "--binding", "address"];
    let mut command = command(&args);
    let output = command.args(["--emit", emit]).output().expect("pumice starts");
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// NVIDIA's compiler computes offsets of elements in 32 bits. Kernels with such accesses are for buffers of less than 4 GiB.
#[test]
fn array_elements_ask_for_small_buffers() {
    let of_argument = "kernel void k(global uint *p) { p[get_global_id(0)] += 1; }";
    let of_memory = "kernel void k(global ulong *p) { *(global uint *)p[0] = 1; }";
    let small =
        |source: &str, driver: &str| for_driver(driver, source, "reflection").contains("\"aligned\": true");
    assert!(small(of_argument, "nvidia"));
    assert!(!small(of_argument, "radv"));
    assert!(!small(of_memory, "nvidia"));
}

/// The majority of three words becomes one instruction on NVIDIA's GPUs where the larger operand is the first.
#[test]
fn larger_operands_are_first() {
    let source = "kernel void k(global uint *p) { uint x = p[0], y = p[1], z = p[2]; p[3] = (x & y) | (z & (x ^ y)); }";
    let or = |driver: &str| {
        let text = for_driver(driver, source, "asm");
        let line = |op: &str| text.lines().find(|l| l.contains(op)).unwrap_or_default().to_owned();
        let xor = line("OpBitwiseXor").trim().split(' ').next().unwrap_or_default().to_owned();
        let with_xor =
            text.lines().find(|l| l.contains("OpBitwiseAnd") && l.split_whitespace().any(|w| w == xor));
        let larger = with_xor.and_then(|l| l.trim().split(' ').next()).unwrap_or("none").to_owned();
        let operands: Vec<String> =
            line("OpBitwiseOr").split_whitespace().rev().take(2).map(str::to_owned).collect();
        operands.iter().position(|o| *o == larger)
    };
    assert_eq!((or("nvidia"), or("radv")), (Some(1), Some(0)));
}
