//! From source to module, and what the disk cache keeps of it.

use std::sync::OnceLock;
use std::time::Instant;

use frontend::diag::{Style, render};
use frontend::options::{LangVersion, OptionError, Options};
use frontend::source::SourceFile;
use host::cache::{Cache, Hash, hash};
use host::cxx::{self, Tools};
use lower::check::Checks;

use crate::abi::trace;
use crate::device::Device;
use crate::program::il::tells_of_arguments;
use crate::program::module::{Kind, Module, Traits};
use bundle::wire::{Reader, Writer};

/// How diagnostics call the source.
const NAME: &str = "<source>";

/// The input of a compilation.
pub(crate) struct Input {
    pub(crate) text: String,
    /// clCompileProgram's headers, by name.
    pub(crate) headers: Vec<(String, String)>,
    /// As the application gave them.
    pub(crate) options: String,
    /// Object for clCompileProgram, Executable for clBuildProgram.
    pub(crate) kind: Kind,
}

/// The options for a device.
///
/// # Errors
/// The first that is unknown or malformed.
pub(crate) fn options(device: &Device, text: &str) -> Result<Options, OptionError> {
    let mut options = Options::default();
    device.caps.tell(&device.target, &mut options);
    options.include_files = host::settings::includes();
    options.parse_build_options(text)?;
    // Reports have the source's text.
    options.debug_info |= !host::check::checks().is_empty();
    options.no_signed_wrap = host::check::checks().contains(Checks::OVERFLOW);
    Ok(options)
}

/// Compiles for a device: the module, unless there was an error, and the log.
pub(crate) fn compile(input: &Input, device: &Device) -> (Option<Module>, String) {
    dump(input);
    let mut options = match options(device, &input.options) {
        Ok(options) => options,
        Err(e) => return (None, format!("error: {e}\n")),
    };
    options.headers.clone_from(&input.headers);
    options.allow_undefined = input.kind == Kind::Object;
    let tools = options.cxx.and_then(|_| Tools::find());
    let key = key(&input.text, &options, tools);
    let kept = cache().and_then(|cache| unpack(&cache.get(&key)?));
    let (spirv, log) = match kept {
        Some((spirv, log)) => {
            log::info!("a source of {} bytes: its module is in the cache", input.text.len());
            (Some(spirv), log)
        }
        None => {
            let start = Instant::now();
            let compiled = match tools {
                Some(tools) => by_clang(tools, &input.text, &options, &key),
                None => front_end(&input.text, &options, &key),
            };
            log::info!("a source of {} bytes: compiled in {:.1?}", input.text.len(), start.elapsed());
            compiled
        }
    };
    let traits = Traits {
        arg_info: options.kernel_arg_info
            && (tools.is_none() || spirv.as_ref().is_some_and(|words| tells_of_arguments(words))),
        non_uniform: options.std >= LangVersion::Cl2_0
            && !input.options.split_whitespace().any(|o| o == "-cl-uniform-work-group-size"),
    };
    let module = spirv.map(|spirv| Module {
        spirv,
        kind: input.kind,
        options: input.options.clone(),
        traits,
        ready: None,
    });
    (module, log)
}

/// `PUMICE_DUMP_SOURCES`: writes the source and its build options. A build does not fail because that does.
fn dump(input: &Input) {
    let Some(folder) = host::settings::get("PUMICE_DUMP_SOURCES") else { return };
    let name = hash([input.text.as_bytes(), input.options.as_bytes()]);
    let name: String = name.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let file = std::path::Path::new(&folder).join(name);
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(file.with_extension("cl"), &input.text))
        .and_then(|()| std::fs::write(file.with_extension("options"), &input.options));
    if let Err(e) = written {
        log::warn!("PUMICE_DUMP_SOURCES: {}: {e}", file.display());
    }
}

fn front_end(text: &str, options: &Options, key: &Hash) -> (Option<Vec<u32>>, String) {
    let start = trace::now();
    let compiled = frontend::compile(NAME, text, options);
    trace::span("compile", "front end", start, ("bytes", i64::try_from(text.len()).unwrap_or(0)));
    let mut log = render(&compiled.diagnostics, &compiled.sources, Style::Line);
    if let Some(summary) = compiled.diagnostics.summary() {
        log.push_str(&summary);
        log.push('\n');
    }
    // Files on disk are no part of the key: what depends on them is compiled each time. Embedded headers are searched
    // before any directory, so that a source which read no file will read none another time.
    let own = |file: &SourceFile| {
        file.included_from.is_none() || options.headers.iter().any(|(name, _)| *name == file.name)
    };
    if let (Some(spirv), Some(cache)) = (&compiled.spirv, cache())
        && compiled.sources.files.iter().all(own)
    {
        cache.put(key, &pack(spirv, &log));
    }
    (compiled.spirv, log)
}

/// C++ for OpenCL.
fn by_clang(tools: &Tools, text: &str, options: &Options, key: &Hash) -> (Option<Vec<u32>>, String) {
    let start = trace::now();
    let compiled = cxx::compile(tools, NAME, text, options);
    trace::span("compile", "clang", start, ("bytes", i64::try_from(text.len()).unwrap_or(0)));
    match compiled {
        Ok(compiled) => {
            if let (true, Some(cache)) = (compiled.alone, cache()) {
                cache.put(key, &pack(&compiled.spirv, &compiled.log));
            }
            (Some(compiled.spirv), compiled.log)
        }
        Err(log) => (None, log),
    }
}

/// All that the front end's output depends on, or clang's. The options are plain data: their debug form is the same each time.
fn key(text: &str, options: &Options, tools: Option<&Tools>) -> Hash {
    let tools = tools.map(Tools::identity).unwrap_or_default();
    let options = format!("{options:?}");
    hash([b"front end".as_slice(), build(), tools.as_bytes(), text.as_bytes(), options.as_bytes()])
}

fn pack(spirv: &[u32], log: &str) -> Vec<u8> {
    let mut out = Writer::default();
    out.bytes(log.as_bytes());
    out.words(spirv);
    out.0
}

fn unpack(bytes: &[u8]) -> Option<(Vec<u32>, String)> {
    let mut reader = Reader(bytes);
    let log = reader.string()?;
    let spirv = reader.words()?;
    reader.0.is_empty().then_some((spirv, log))
}

/// The disk cache of compiled programs; `None` when caches are off.
pub(crate) fn cache() -> Option<&'static Cache> {
    static CACHE: OnceLock<Option<Cache>> = OnceLock::new();
    CACHE.get_or_init(host::cache::programs).as_ref()
}

/// Tells builds of Pumice apart: its version, and the build ID that the linker gave the file that this code was loaded from, else that
/// file's size and time. The cache of one build is of no use to another.
pub(crate) fn build() -> &'static [u8] {
    static BUILD: OnceLock<Vec<u8>> = OnceLock::new();
    BUILD.get_or_init(|| {
        let version = env!("CARGO_PKG_VERSION");
        if let Some(id) = crate::abi::loaded_files::build_id() {
            return [version.as_bytes(), b" ", id].concat();
        }
        let file = crate::abi::loaded_files::own_file().and_then(|path| std::fs::metadata(path).ok());
        let size = file.as_ref().map(std::fs::Metadata::len);
        let time = file.and_then(|f| f.modified().ok());
        format!("{version} {size:?} {time:?}").into_bytes()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_modules_come_back() {
        let (spirv, log) = (vec![1, 2, 3], "warning: x\n");
        let bytes = pack(&spirv, log);
        assert_eq!(unpack(&bytes), Some((spirv, log.to_owned())));
        assert!((0..bytes.len()).all(|n| unpack(&bytes[..n]).is_none()));
    }

    #[test]
    fn the_key_depends_on_text_and_options() {
        let plain = Options::default();
        let mut other = Options::default();
        other.parse_build_options("-D X=1").expect("good options");
        assert_eq!(key("a", &plain, None), key("a", &Options::default(), None));
        assert_ne!(key("a", &plain, None), key("b", &plain, None));
        assert_ne!(key("a", &plain, None), key("a", &other, None));
    }
}
