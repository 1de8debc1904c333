//! C++ for OpenCL (`-cl-std=CLC++…`, cl_ext_cxx_for_opencl) by a clang that is installed: clang's LLVM IR, LLVM's translator's
//! SPIR-V, and that as any module of other producers.
//!
//! ```text
//! source ──clang──▶ IR as text ──edit──▶ clang ──▶ bitcode ──llvm-spirv──▶ SPIR-V ──validate──▶
//! ```
//!
//! Translators since 16 take the builtin functions of a module that says it is C++ for functions of the program, and leave them
//! undefined. [`edited`] makes it say that it is OpenCL C, of which it has nothing that is not there.

mod tools;

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use frontend::options::features::OPTIONAL;
use frontend::options::{AddressWidth, CxxVersion, MacroOption, Options};

pub use tools::Tools;

/// A source that was compiled.
#[derive(Debug)]
pub struct Compiled {
    /// OpenCL SPIR-V, validated.
    pub spirv: Vec<u32>,
    /// Warnings.
    pub log: String,
    /// True if nothing was read but the source, the embedded headers and clang's own headers.
    pub alone: bool,
}

/// Compiles a source whose language is `options.cxx`; `name` is what diagnostics call it.
///
/// # Errors
/// The build log: what clang, the translator or the validator say.
pub fn compile(tools: &Tools, name: &str, text: &str, options: &Options) -> Result<Compiled, String> {
    if let Some(message) = options.rounding_refused() {
        return Err(format!("error: {message}\n"));
    }
    let folder =
        tempfile::Builder::new().prefix("pumice-").tempdir().map_err(|e| failed("a folder for clang", &e))?;
    let place = |file: &str| folder.path().join(file);
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|e| failed(&path.display().to_string(), &e))
    };
    let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
    write(&place("source.clcpp"), &format!("#line 1 \"{quoted}\"\n{text}"))?;
    for (header, text) in &options.headers {
        let path = header_path(&place("headers"), header)?;
        let parent = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(parent).map_err(|e| failed(&parent.display().to_string(), &e))?;
        write(&path, text)?;
    }
    let bytes = translated(tools, options, folder.path(), "-O2");
    let (bytes, log) = match bytes {
        // What LLVM makes of a program (integers of odd widths, `freeze`) is at times more than its translator knows.
        Err(Failure::Translator(_)) => translated(tools, options, folder.path(), "-O0"),
        other => other,
    }
    .map_err(|(Failure::Clang(log) | Failure::Translator(log))| log)?;
    let alone =
        std::fs::read_to_string(place("read")).is_ok_and(|files| reads_nothing_else(&files, folder.path()));
    Ok(Compiled { spirv: module(&bytes)?, log, alone })
}

/// The build log, by who failed.
enum Failure {
    Clang(String),
    Translator(String),
}

/// Compiles `source.clcpp` of a folder: the module's bytes, and the warnings.
fn translated(
    tools: &Tools,
    options: &Options,
    folder: &Path,
    level: &str,
) -> Result<(Vec<u8>, String), Failure> {
    let place = |file: &str| folder.join(file);
    let level = if options.opt_disable { "-O0" } else { level };
    let mut clang = Command::new(tools.clang());
    clang.arg(level).args(arguments(tools, options, &place("headers")));
    clang.arg("-MD").arg("-MF").arg(place("read")).arg("-o").arg(place("a.ll")).arg(place("source.clcpp"));
    // Files that clang tells of are those of the program.
    let headers = format!("{}/", place("headers").display());
    let shown = |log: String| log.replace(&headers, "");
    let log = said(&mut clang).map(shown).map_err(|log| Failure::Clang(shown(log)))?;
    let read = |file: &str| std::fs::read(place(file)).map_err(|e| Failure::Clang(failed(file, &e)));
    let ir = edited(&String::from_utf8_lossy(&read("a.ll")?));
    std::fs::write(place("a.ll"), ir).map_err(|e| Failure::Clang(failed("a.ll", &e)))?;
    let mut assembler = Command::new(tools.clang());
    assembler.args([triple(options), "-x", "ir", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
    assembler.args(tools.pointers()).arg("-o").arg(place("a.bc")).arg(place("a.ll"));
    said(&mut assembler).map_err(Failure::Clang)?;
    let mut translator = Command::new(tools.translator());
    translator.arg("--spirv-max-version=1.4").arg(tools.extensions());
    if options.kernel_arg_info {
        translator.arg("--preserve-ocl-kernel-arg-type-metadata-through-string");
    }
    translator.arg(place("a.bc")).arg("-o").arg(place("a.spv"));
    said(&mut translator).map_err(Failure::Translator)?;
    Ok((read("a.spv")?, log))
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> String {
    format!("error: {what}: {error}\n")
}

/// Runs a tool; what it says.
///
/// # Errors
/// What it says, where it fails.
fn said(command: &mut Command) -> Result<String, String> {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|e| failed(&program, &e))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(text),
        // A crash says so by its status alone, or at great length.
        false if output.status.code().is_none_or(|code| code > 1) => {
            let first = text.lines().find(|line| !line.is_empty()).unwrap_or_default();
            Err(format!("error: {program} failed ({}): {first}\n", output.status))
        }
        false => Err(text),
    }
}

/// The file of an embedded header (§5.8.4: a name as `#include` has it).
///
/// # Errors
/// A name that leads out of the folder.
fn header_path(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let inside =
        Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    match inside && !name.is_empty() {
        true => Ok(folder.join(name)),
        false => Err(format!("error: clang cannot be given a header of the name '{name}'\n")),
    }
}

fn triple(options: &Options) -> &'static str {
    match options.address_width {
        AddressWidth::Bits32 => "--target=spirv32-unknown-unknown",
        AddressWidth::Bits64 => "--target=spirv64-unknown-unknown",
    }
}

/// clang's arguments but for the level and the files.
fn arguments(tools: &Tools, options: &Options, headers: &Path) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    let mut add = |argument: &str| out.push(argument.into());
    add(triple(options));
    add("-xcl");
    add(&format!("-cl-std={}", options.cxx.unwrap_or(CxxVersion::V2021).name()));
    // Names are those of kernels' arguments; switches and loops keep their form; types
    // alias, as in OpenCL C without -cl-strict-aliasing.
    for word in ["-S", "-emit-llvm", "-fno-color-diagnostics", "-fno-discard-value-names"] {
        add(word);
    }
    for word in ["-fno-jump-tables", "-fno-strict-aliasing", "-fno-vectorize", "-fno-slp-vectorize"] {
        add(word);
    }
    tools.pointers().iter().for_each(|word| add(word));
    add("-Xclang");
    add(&extensions(options));
    // clang's header defines some for SPIR-V whatever the device has, and takes them back for these names (since 16).
    for absent in
        OPTIONAL.iter().filter(|optional| optional.is_feature() && !optional.is_in(options.features))
    {
        add(&format!("-D__undef_{}=1", absent.name));
    }
    let math = &options.math;
    let flags = [
        (math.single_precision_constant, "-cl-single-precision-constant"),
        (math.denorms_are_zero, "-cl-denorms-are-zero"),
        (math.correctly_rounded_divide_sqrt, "-cl-fp32-correctly-rounded-divide-sqrt"),
        (math.mad_enable, "-cl-mad-enable"),
        (math.no_signed_zeros, "-cl-no-signed-zeros"),
        (math.unsafe_math, "-cl-unsafe-math-optimizations"),
        (math.finite_math_only, "-cl-finite-math-only"),
        (math.fast_relaxed_math, "-cl-fast-relaxed-math"),
        (options.kernel_arg_info, "-cl-kernel-arg-info"),
        (options.no_warnings, "-w"),
        (options.warnings_are_errors, "-Werror"),
        (options.embedded_profile, "-D__EMBEDDED_PROFILE__=1"),
    ];
    flags.into_iter().filter(|(on, _)| *on).for_each(|(_, flag)| add(flag));
    for definition in &options.macros {
        match definition {
            MacroOption::Define { head, value } => add(&format!("-D{head}={value}")),
            MacroOption::Undefine(name) => add(&format!("-U{name}")),
        }
    }
    let folders =
        std::iter::once(headers.as_os_str()).chain(options.include_dirs.iter().map(|dir| dir.as_os_str()));
    for folder in folders {
        out.push("-I".into());
        out.push(folder.into());
    }
    // As our own front end finds "…" of a source that is no file.
    out.extend(["-iquote".into(), ".".into()]);
    out
}

/// The extensions and features of the device, in clang's form.
fn extensions(options: &Options) -> String {
    let on = OPTIONAL
        .iter()
        .filter(|optional| optional.is_in(options.features))
        .map(|optional| format!(",+{}", optional.name));
    format!("-cl-ext=-all{}", on.collect::<String>())
}

/// The module as one of OpenCL C: without the line that says it is C++, and with `printf` as C names it (its mangled name has
/// more arguments than the translators that know it allow). Initial values of variables, whose text may be anything, are in lines
/// that begin with their names.
fn edited(ir: &str) -> String {
    let mut out = String::with_capacity(ir.len());
    for line in ir.split_inclusive('\n') {
        match line {
            line if line.starts_with("!opencl.cxx.version") => {}
            line if line.starts_with('@') => out.push_str(line),
            line => out.push_str(&line.replace("@_Z6printfPU3AS2Kcz", "@printf")),
        }
    }
    out
}

/// Returns whether a rule of make, as `-MD` writes it, names none but files of this folder and clang's own headers.
fn reads_nothing_else(rule: &str, folder: &Path) -> bool {
    let files = rule.split_once(':').map_or("", |(_, files)| files).replace("\\\n", " ");
    let own = |file: &str| {
        Path::new(file).starts_with(folder)
            || file.ends_with("opencl-c.h")
            || file.ends_with("opencl-c-base.h")
    };
    files.split_whitespace().all(own)
}

/// The words of a module, which is validated as any that is given to clCreateProgramWithIL.
fn module(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let refused = |e: &dyn std::fmt::Display| format!("error: the SPIR-V that the translator made: {e}\n");
    let words = spirv_io::bytes_to_words(bytes).map_err(|e| refused(&e))?;
    let words = lower::strip_debug_info(&words).map_err(|e| refused(&e))?;
    lower::validate(&words).map_err(|e| refused(&e))?;
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ir_says_that_it_is_c() {
        let ir = "@s = constant [4 x i8] c\"@_Z6printfPU3AS2Kcz\"\n  call i32 @_Z6printfPU3AS2Kcz(ptr @s)\n!opencl.cxx.version = !{!1}\n!1 = !{}\n";
        let want = "@s = constant [4 x i8] c\"@_Z6printfPU3AS2Kcz\"\n  call i32 @printf(ptr @s)\n!1 = !{}\n";
        assert_eq!(edited(ir), want);
    }

    #[test]
    fn headers_stay_in_their_folder() {
        let folder = Path::new("/f");
        assert_eq!(header_path(folder, "a/b.h"), Ok(PathBuf::from("/f/a/b.h")));
        for name in ["../b.h", "/etc/b.h", "a/../../b.h", ""] {
            assert!(header_path(folder, name).is_err(), "{name}");
        }
    }

    #[test]
    fn files_that_were_read() {
        let folder = Path::new("/t/p");
        let own =
            "/t/p/a.ll: /t/p/source.clcpp /t/p/headers/a.h \\\n  /usr/lib/clang/15/include/opencl-c-base.h\n";
        assert!(reads_nothing_else(own, folder));
        assert!(!reads_nothing_else("/t/p/a.ll: /t/p/source.clcpp other.h\n", folder));
    }

    #[test]
    fn the_devices_features_are_clangs() {
        let mut options = Options { features: frontend::options::Features::FP64, ..Options::default() };
        options.parse_build_options("-cl-std=CLC++ -DA=1 -cl-mad-enable -w").expect("options");
        let text = extensions(&options);
        assert!(text.contains(",+cl_khr_fp64") && !text.contains("fp16"), "{text}");
        let tools = Tools::new("clang-15".into(), "llvm-spirv-15".into(), Some(15));
        let words = arguments(&tools, &options, Path::new("/h"));
        for word in [
            "-cl-std=CLC++1.0",
            "-DA=1",
            "-cl-mad-enable",
            "-w",
            "-no-opaque-pointers",
            "--target=spirv64-unknown-unknown",
        ] {
            assert!(words.iter().any(|w| w == word), "{word}: {words:?}");
        }
    }
}
