//! OpenCL C and C++ for OpenCL to OpenCL SPIR-V, with no knowledge of Vulkan.
//!
//! One source goes through these stages, each with one plain data type between:
//!
//! ```text
//! text ──preprocess──▶ [Token] ──syntax──▶ tree ──sema──▶ hir::Program ──emit──▶ SPIR-V words
//! ```
//!
//! - [`source`]: files, spans and macro expansions; [`diag`]: diagnostics with stable ids.
//! - [`preprocess`]: a C99 preprocessor; comments, macros, includes, conditionals end here.
//! - [`types`]: the types of OpenCL C, interned, and their layout.
//! - `syntax`: the grammar without types: the tokens of an external declaration to its tree.
//! - [`sema`]: semantic analysis: it types the trees.
//! - [`builtins`]: the declarative table of builtin functions, resolved lazily by name.
//! - `ptx`: inline PTX, the text of `asm` statements, to the typed tree.
//! - [`hir`]: the typed tree: every conversion explicit, every name resolved.
//! - [`emit`]: the tree to SPIR-V (Kernel, Addresses, OpenCL.std).
//!
//! What varies comes in as data ([`options::Options`]): language version, address width, features.
#![deny(clippy::undocumented_unsafe_blocks)]
#![forbid(unsafe_code)]

mod attributes;
pub mod builtins;
pub mod diag;
pub mod emit;
pub mod hir;
mod intrinsics;
pub mod options;
pub mod preprocess;
pub(crate) mod ptx;
pub mod sema;
pub mod source;
pub mod symbol;
pub(crate) mod syntax;
pub mod token;
pub mod types;
mod types_text;

use diag::Diagnostics;
use options::Options;
use source::SourceMap;

/// What a compilation gives: the module when there was no error, and all diagnostics with the
/// sources they point into.
#[derive(Debug)]
pub struct Compilation {
    /// OpenCL SPIR-V; `None` when an error was found.
    pub spirv: Option<Vec<u32>>,
    /// Errors, warnings and their notes, in order of discovery.
    pub diagnostics: Diagnostics,
    /// The files read, for rendering the diagnostics.
    pub sources: SourceMap,
}

/// The stack of a compilation: enough for what the limits on depth let through ([`sema`], [`emit`]), whatever
/// the stack of the caller. Only what is used of it costs memory; where so much address space is not to be had,
/// less is still more than any but the deepest sources need.
const STACKS: [usize; 3] = [256 << 20, 64 << 20, 16 << 20];

/// Compiles one OpenCL C source. `name` is what diagnostics call it (`kernel.cl`, `<source>`).
///
/// Never panics on any input; what it cannot compile becomes a diagnostic. Compilations share nothing: any number
/// may run at once, each on a thread of its own, and the result may go to another thread.
pub fn compile(name: &str, text: &str, options: &Options) -> Compilation {
    std::thread::scope(|scope| {
        let work = || compile_here(name, text, options);
        let spawn =
            |stack: usize| std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work).ok();
        match STACKS.into_iter().find_map(spawn) {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // No thread to be had: the caller's stack it is.
            None => compile_here(name, text, options),
        }
    })
}

fn compile_here(name: &str, text: &str, options: &Options) -> Compilation {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new(options);
    let main = sources.add(name, text);
    if options.std.number() > options.device_version {
        let (std, device) = (options.std.number(), options.device_version);
        let message = format!(
            "the device's version is {}.{}: it does not support -cl-std=CL{}.{}",
            device / 100,
            device / 10 % 10,
            std / 100,
            std / 10 % 10
        );
        diagnostics.error("unsupported-language-version", source::Span::default(), message);
        return Compilation { spirv: None, diagnostics, sources };
    }
    if let Some(message) = options.rounding_refused() {
        diagnostics.error("unsupported-option", source::Span::default(), message);
        return Compilation { spirv: None, diagnostics, sources };
    }
    let mut symbols = symbol::Interner::new();
    let preprocess::Preprocessed { tokens, float_atomics } =
        preprocess::preprocess(main, &mut sources, &mut symbols, options, &mut diagnostics);
    let enabled;
    let options = if float_atomics {
        enabled = Options { float_atomics_enabled: true, ..options.clone() };
        &enabled
    } else {
        options
    };
    let program = sema::analyze(&tokens, &mut symbols, options, &mut diagnostics);
    let spirv = match (diagnostics.has_errors(), program) {
        (false, Some(program)) => emit::emit(&program, &symbols, &sources, options, &mut diagnostics),
        _ => None,
    };
    let spirv = if diagnostics.has_errors() { None } else { spirv };
    Compilation { spirv, diagnostics, sources }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_version_is_the_devices_at_most() {
        let options = Options { std: options::LangVersion::Cl3_0, device_version: 120, ..Options::default() };
        let compilation = compile("k.cl", "kernel void k() {}", &options);
        let messages: Vec<_> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, ["the device's version is 1.2: it does not support -cl-std=CL3.0"]);
        let text = diag::render(&compilation.diagnostics, &compilation.sources, diag::Style::Line);
        assert!(text.contains("1.2"), "{text}");
    }

    #[test]
    fn correct_rounding_is_promised_only_where_it_is() {
        let mut options = Options::default();
        options.parse_build_options("-cl-fp32-correctly-rounded-divide-sqrt").expect("an option");
        let refused = compile("k.cl", "kernel void k() {}", &options);
        let ids: Vec<_> = refused.diagnostics.iter().map(|d| d.id).collect();
        assert_eq!(ids, ["unsupported-option"]);
        options.correctly_rounded = true;
        assert!(compile("k.cl", "kernel void k() {}", &options).spirv.is_some());
    }

    #[test]
    fn compilations_run_on_threads_and_their_results_move() {
        let text = "kernel void k(global int *p) { p[get_global_id(0)] = undeclared; }";
        let threads: Vec<_> =
            (0..8).map(|_| std::thread::spawn(move || compile("k.cl", text, &Options::default()))).collect();
        for thread in threads {
            let compilation = thread.join().expect("compile does not panic");
            assert_eq!(compilation.diagnostics.iter().count(), 1);
        }
    }
}
