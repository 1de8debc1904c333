//! `pumice compile`, and compiling for the other commands.

use crate::cli::{Binding, CompileArgs, Emit};
use crate::error::CliError;
use crate::{bundle, output, progress, target, translate};
use frontend::diag::{Style, render};
use frontend::options::{CxxVersion, LangVersion, Options};
use host::cxx::{self, Tools};
use lower::check::Checks;
use lower::{BindingChoice, Iterations, LowerOptions, Lowered, Target, ValidateError};
use std::io::{IsTerminal, Read};
use std::path::Path;

/// Runs the command.
///
/// # Errors
/// Anything that can go wrong.
pub fn command(args: &CompileArgs, mut options: Options) -> Result<(), CliError> {
    let source = &args.source;
    let emit = args.emit();
    let output = args.output.as_deref();
    if emit == Emit::Bundle {
        return write_output(output, &bundle::compile(source, &options)?, true);
    }
    if emit == Emit::OpenclSpirv {
        match source.target.is_empty() {
            false => host::target::apply(&target::choose(&source.target, &source.driver)?, &mut options),
            true => host::target::apply_everything(&mut options),
        }
        let module = opencl_spirv(&source.file, &options)?;
        return write_output(output, &spirv_io::words_to_bytes(&module.words), true);
    }
    let translated = matches!(emit, Emit::Wgsl | Emit::Msl | Emit::Hlsl | Emit::Glsl);
    let (mut target, binding) = match translated {
        // What every language has, where no device is named; and no language has addresses.
        true if source.target.is_empty() => (Target::minimum(), Binding::Descriptor),
        true => (target::choose(&source.target, &source.driver)?, Binding::Descriptor),
        false => (target::choose(&source.target, &source.driver)?, source.binding),
    };
    // naga takes signed operations on our unsigned types for unsigned ones, and a binding for one variable.
    target.features.wgsl |= translated;
    host::target::apply(&target, &mut options);
    let module = opencl_spirv(&source.file, &options)?;
    let lowered = lower(&module, &target, None, binding.choice(), Form::default())?;
    if lowered.kernels.is_empty() && emit != Emit::Reflection {
        return Err(CliError::Failed(format!(
            "'{}' has no kernel: there is no Vulkan module to write",
            source.file.display()
        )));
    }
    match emit {
        Emit::Asm => write_output(output, disassemble(&lowered.spirv)?.as_bytes(), false),
        Emit::Reflection => {
            let json = serde_json::json!({
                "kernels": lowered.kernels,
                "constants_bytes": lowered.program_data.constants.bytes.len(),
                "globals_bytes": lowered.program_data.globals.bytes.len(),
            });
            write_output(output, format!("{json:#}\n").as_bytes(), false)
        }
        Emit::Wgsl | Emit::Msl | Emit::Hlsl | Emit::Glsl => {
            write_output(output, translate::translate(&lowered.spirv, emit)?.as_bytes(), false)
        }
        Emit::VulkanSpirv | Emit::OpenclSpirv | Emit::Bundle => {
            write_output(output, &spirv_io::words_to_bytes(&lowered.spirv), true)
        }
    }
}

/// An OpenCL SPIR-V module.
#[derive(Debug, Clone)]
pub struct Module {
    /// Its words.
    pub words: Vec<u32>,
    /// Whether our own front end has just made it.
    pub own: bool,
    /// Its work-groups need not divide the NDRange: OpenCL C 2.0 and later.
    pub non_uniform: bool,
}

/// Reads a source file (`-`: standard input) and compiles it; a SPIR-V module is taken as it is, after
/// validation. Diagnostics go to standard error.
///
/// # Errors
/// Unreadable files, bad source, invalid modules.
pub fn opencl_spirv(path: &Path, options: &Options) -> Result<Module, CliError> {
    let bytes = read_input(path)?;
    if ::bundle::Bundle::is_bundle(&bytes) {
        return Err(CliError::Contents {
            path: path.to_owned(),
            message: "this is a bundle of compiled kernels: 'pumice run' takes it".to_owned(),
        });
    }
    match spirv_io::bytes_to_words(&bytes) {
        Ok(words) => return module(path, &words, options),
        // By its name or its first bytes it was to be SPIR-V: as a source, each of its bytes would be an error.
        Err(e)
            if bytes.starts_with(&spirv_io::MAGIC.to_le_bytes())
                || path.extension().is_some_and(|x| x == "spv") =>
        {
            return Err(CliError::Contents { path: path.to_owned(), message: e.to_string() });
        }
        Err(_) => {}
    }
    if let Some(what) = no_text(&bytes) {
        let message = format!("this is {what}, no OpenCL C, no SPIR-V and no bundle");
        return Err(CliError::Contents { path: path.to_owned(), message });
    }
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.to_string_lossy() };
    // Sources of old programs have comments in other encodings: such bytes become replacement characters.
    let text = String::from_utf8_lossy(&bytes);
    let mut options = options.clone();
    if let Some(dir) = path.parent().filter(|d| path != Path::new("-") && !d.as_os_str().is_empty()) {
        options.include_dirs.push(dir.to_owned());
    }
    if options.cxx.is_none() && path.extension().is_some_and(|e| e == "clcpp") {
        options.cxx = Some(CxxVersion::V2021);
        options.std = CxxVersion::V2021.c();
    }
    let non_uniform = options.std >= LangVersion::Cl2_0;
    Ok(Module {
        words: source(&name, &text, &options)?,
        own: options.cxx.is_none() || Tools::find().is_none(),
        non_uniform,
    })
}

/// What bytes are that are no text: as a source, each of them would be an error.
fn no_text(bytes: &[u8]) -> Option<&'static str> {
    const BEGINNINGS: [(&[u8], &str); 8] = [
        (b"\x89PNG", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"\x7fELF", "an ELF program or library"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "a gzip file"),
        (b"BC\xc0\xde", "LLVM bitcode"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
    ];
    let known = BEGINNINGS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
    let has_zeros = || bytes.iter().take(1024).any(|byte| *byte == 0);
    known.map(|(_, what)| *what).or_else(|| has_zeros().then_some("binary data"))
}

fn module(path: &Path, words: &[u32], options: &Options) -> Result<Module, CliError> {
    let contents = |message: String| CliError::Contents { path: path.to_owned(), message };
    let words = lower::strip_debug_info(words).map_err(|e| contents(e.to_string()))?;
    lower::validate(&words).map_err(|e| match e {
        ValidateError::Invalid { .. } => contents(format!("invalid SPIR-V: {e}")),
        ValidateError::Unsupported { .. } => CliError::Failed(e.to_string()),
    })?;
    Ok(Module { words, own: false, non_uniform: options.std >= LangVersion::Cl2_0 })
}

/// Compiles a source; diagnostics go to standard error.
///
/// # Errors
/// Bad source.
pub fn source(name: &str, text: &str, options: &Options) -> Result<Vec<u32>, CliError> {
    if options.cxx.is_some()
        && let Some(tools) = Tools::find()
    {
        return cxx_source(tools, name, text, options);
    }
    let compiled = progress::during("compiling", || frontend::compile(name, text, options));
    let style = Style::Rich { color: std::io::stderr().is_terminal() };
    eprint!("{}", render(&compiled.diagnostics, &compiled.sources, style));
    if let Some(summary) = compiled.diagnostics.summary() {
        eprintln!("{summary}");
    }
    compiled.spirv.ok_or(CliError::Shown(1))
}

/// Compiles C++ for OpenCL by an installed clang, which `PUMICE_CLANG` chooses.
fn cxx_source(tools: &Tools, name: &str, text: &str, options: &Options) -> Result<Vec<u32>, CliError> {
    let compiled = cxx::compile(tools, name, text, options);
    let log = compiled.as_ref().map_or_else(String::as_str, |compiled| &compiled.log);
    eprint!("{log}");
    compiled.map(|compiled| compiled.spirv).map_err(|_| CliError::Shown(1))
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// Files that cannot be read.
pub fn read_input(path: &Path) -> Result<Vec<u8>, CliError> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(|e| CliError::reading(path, e))?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(|e| CliError::reading(path, e))
}

/// The requirements of a launch on a kernel's code.
#[derive(Debug, Clone, Copy, Default)]
pub struct Form {
    /// Global ids of 64 bits.
    pub wide: bool,
    /// Work-groups larger than the device's.
    pub large: bool,
    /// Arguments do not alias.
    pub noalias: bool,
    /// Pipelines are specialised for images' formats and samplers.
    pub specialised: bool,
    /// Knowledge about the trip counts of the launch.
    pub iterations: Iterations,
    /// Kernels resume where their loops were ended.
    pub resume: bool,
    /// Work-groups of at most so many work-items are one vector each.
    pub single_vector: Option<u32>,
    /// The classes of faults that kernels look for.
    pub check: Checks,
}

/// Lowers a module for a Target; warnings go to standard error.
///
/// # Errors
/// As [`lower::lower`]; an unknown kernel's message lists those that there are.
pub fn lower(
    module: &Module,
    target: &Target,
    kernel: Option<&str>,
    binding: BindingChoice,
    form: Form,
) -> Result<Lowered, CliError> {
    let options = LowerOptions {
        kernels: kernel.map(|k| vec![k.to_owned()]),
        binding,
        dump_after: host::settings::dump_after(),
        inline_limit: host::settings::inline_limit(),
        own_module: module.own,
        non_uniform: module.non_uniform,
        wide: form.wide,
        large: form.large,
        noalias: form.noalias,
        specialised: form.specialised,
        long_loops: host::settings::long_loops(),
        iterations: form.iterations,
        resume: form.resume,
        single_vector: form.single_vector,
        check: form.check,
        ..LowerOptions::default()
    };
    let lowered = progress::during("lowering", || lower::lower(&module.words, target, &options));
    let lowered = lowered.map_err(|error| match error {
        lower::LowerError::NoSuchKernel(name) => {
            let names = kernel_names(&module.words);
            let has = if names.is_empty() {
                "it has none".to_owned()
            } else {
                format!("it has: {}", names.join(", "))
            };
            CliError::Failed(format!("no kernel '{name}' in the program; {has}"))
        }
        other => other.into(),
    })?;
    for warning in &lowered.warnings {
        eprintln!("pumice: warning: {warning}");
    }
    Ok(lowered)
}

/// The names of a module's entry points.
fn kernel_names(module: &[u32]) -> Vec<String> {
    let Ok((_, reader)) = spirv_io::Reader::new(module) else { return Vec::new() };
    reader
        .filter_map(Result::ok)
        .filter(|i| i.op == spirv_io::spirv::Op::EntryPoint)
        .filter_map(|i| i.string(2).ok().map(|(name, _)| name))
        .collect()
}

fn disassemble(words: &[u32]) -> Result<String, CliError> {
    use rspirv::binary::Disassemble;
    let module = rspirv::dr::load_words(words)
        .map_err(|e| CliError::Failed(format!("internal error: the module cannot be disassembled: {e}")))?;
    Ok(module.disassemble() + "\n")
}

fn write_output(path: Option<&Path>, bytes: &[u8], binary: bool) -> Result<(), CliError> {
    match path.filter(|p| *p != Path::new("-")) {
        Some(path) => std::fs::write(path, bytes).map_err(|e| CliError::writing(path, e)),
        None if binary && path.is_none() && std::io::stdout().is_terminal() => Err(CliError::Usage(
            "a SPIR-V module is binary: name a file with '-o OUT', or '-o -' to write it here all the same"
                .to_owned(),
        )),
        None => output::write(bytes),
    }
}
