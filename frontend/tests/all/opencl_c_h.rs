//! Every prototype of clang's `opencl-c.h` resolves to a builtin function with the same result, for each
//! language version and several sets of extensions.
//!
//! The header is read where the machine has one (Debian: `libclang-common-15-dev` or newer; it is no part of
//! this repository); without it the test is skipped, and says so. It goes through our own preprocessor, so that
//! its `#if`s see our version and feature macros; each prototype becomes a function that calls the builtin
//! with its parameters and compares the result's type; what the front end says on that line is the verdict.
//!
//! What does not resolve must be listed in `opencl_c_h.exceptions`, each line a pattern of prototypes (`*`
//! is any text) and a reason. A pattern that matches nothing missing any more fails the test: the list
//! only shrinks.

use pumice_frontend::compile;
use pumice_frontend::diag::Diagnostics;
use pumice_frontend::options::{Features, LangVersion, MacroOption, Options};
use pumice_frontend::preprocess::preprocess;
use pumice_frontend::source::SourceMap;
use pumice_frontend::symbol::Interner;
use pumice_frontend::token::{Punct, Token, TokenKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The newest installed header's folder.
fn header_folder() -> Option<PathBuf> {
    let mut found = Vec::new();
    for llvm in std::fs::read_dir("/usr/lib").ok()?.flatten() {
        let number = llvm.file_name().to_str()?.strip_prefix("llvm-").and_then(|n| n.parse::<u32>().ok());
        let Some(number) = number else { continue };
        let Ok(versions) = std::fs::read_dir(llvm.path().join("lib/clang")) else { continue };
        let folders = versions.flatten().map(|v| v.path().join("include"));
        found.extend(folders.filter(|f| f.join("opencl-c.h").is_file()).map(|f| (number, f)));
    }
    found.sort();
    found.pop().map(|(_, folder)| folder)
}

/// A language version with what the device has.
struct Configuration {
    name: String,
    options: Options,
    /// Macros that the header asks for beyond those that the front end defines.
    macros: Vec<String>,
}

const VERSIONS: [(LangVersion, &str); 6] = [
    (LangVersion::Cl1_0, "CL1.0"),
    (LangVersion::Cl1_1, "CL1.1"),
    (LangVersion::Cl1_2, "CL1.2"),
    (LangVersion::Cl2_0, "CL2.0"),
    (LangVersion::Cl3_0, "CL3.0"),
    (LangVersion::Cl3_1, "CL3.1"),
];

fn options(std: LangVersion, features: Features) -> Options {
    Options { std, features, device_version: 310, error_limit: usize::MAX, ..Options::default() }
}

/// The features that other types and pointers come with.
const ALONE: Features = Features::FP64
    .union(Features::FP16)
    .union(Features::INT64_ATOMICS)
    .union(Features::GENERIC_ADDRESS_SPACE);

/// Each version with nothing optional, with everything, and with some features alone.
fn configurations(folder: &Path) -> Vec<Configuration> {
    let macros = optional_macros(folder);
    let mut list = Vec::new();
    for (std, name) in VERSIONS {
        // What a version demands of every device; images are optional, but not to the header.
        let core = match std {
            LangVersion::Cl2_0 => Features::all().difference(Features::FP64 | Features::FP16),
            _ => Features::INT64 | Features::IMAGES,
        };
        let plain = |what: &str, features| Configuration {
            name: format!("{name} {what}"),
            options: options(std, features),
            macros: Vec::new(),
        };
        let asked = macros.iter().filter(|m| exists_in(m, std)).cloned().collect();
        list.push(plain("core", core));
        list.push(Configuration { macros: asked, ..plain("all", Features::all()) });
        for (feature, flag) in ALONE.iter_names() {
            if matches!(std, LangVersion::Cl1_2 | LangVersion::Cl3_0) {
                list.push(plain(feature, core | flag));
            }
        }
    }
    list
}

/// Returns whether a feature or an extension can be there in a version: the header takes any combination, but its
/// feature macros are those of 3.0 (for 2.0 it defines them itself), and sub-groups and the atomics on floats
/// came after 1.2.
fn exists_in(name: &str, std: LangVersion) -> bool {
    match name {
        _ if name.starts_with("__opencl_c_") => std >= LangVersion::Cl3_0,
        _ if name.starts_with("cl_khr_subgroup") || name == "cl_ext_float_atomics" => {
            std >= LangVersion::Cl2_0
        }
        _ => true,
    }
}

/// The names of extensions and features on which the header depends.
fn optional_macros(folder: &Path) -> Vec<String> {
    let mut names = BTreeSet::new();
    for file in ["opencl-c.h", "opencl-c-base.h"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("the header is readable");
        for line in text.lines().filter(|l| l.starts_with("#if") || l.starts_with("#elif")) {
            let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            names.extend(
                words.filter(|w| w.starts_with("cl_") || w.starts_with("__opencl_c_")).map(String::from),
            );
        }
    }
    // Not an extension of the device: the header's own, for devices without generic pointers.
    names.remove("__opencl_c_named_address_space_builtins");
    names.into_iter().collect()
}

/// A function of the header; types as they are spelt there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Prototype {
    name: String,
    result: String,
    params: Vec<String>,
    variadic: bool,
}

impl Prototype {
    fn text(&self) -> String {
        format!("{} {}({})", self.result, self.name, self.params.join(", "))
    }

    /// A function, on one line, that calls it and compares the type of the result.
    fn caller(&self, number: usize) -> String {
        let params = self.params.iter().enumerate().map(|(i, p)| format!("{p} a{i}"));
        let params = if self.variadic { String::new() } else { params.collect::<Vec<_>>().join(", ") };
        let args = (0..self.params.len()).map(|i| format!("a{i}"));
        let args = if self.variadic { "\"\"".into() } else { args.collect::<Vec<_>>().join(", ") };
        let call = format!("{}({args})", self.name);
        match self.result.as_str() {
            "void" => format!("void p{number}({params}) {{ return {call}; }}"),
            result => format!(
                "void p{number}({params}) {{ _Static_assert(_Generic({call}, {result}: 1, default: 0), \"\"); }}"
            ),
        }
    }
}

fn spelling(token: &Token, symbols: &Interner) -> String {
    match token.kind {
        TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::Str(s) => {
            symbols.text(s).to_owned()
        }
        TokenKind::Punct(p) => p.spelling().to_owned(),
        TokenKind::Unknown(c) => c.to_string(),
        TokenKind::Pragma(_) | TokenKind::Eof => String::new(),
    }
}

/// The prototypes of the header under a configuration.
fn prototypes(folder: &Path, configuration: &Configuration) -> BTreeSet<Prototype> {
    let mut options = configuration.options.clone();
    options.include_dirs.push(folder.to_owned());
    let one = |name: &String| MacroOption::Define { head: name.clone(), value: "1".into() };
    options.macros.extend(configuration.macros.iter().map(one));
    let (mut sources, mut symbols) = (SourceMap::new(), Interner::new());
    let main = sources.add("all.cl", "#include <opencl-c.h>\n");
    let mut diagnostics = Diagnostics::new(&options);
    let tokens = preprocess(main, &mut sources, &mut symbols, &options, &mut diagnostics).tokens;
    let mut list = BTreeSet::new();
    let (mut words, mut braces) = (Vec::new(), 0);
    for token in &tokens {
        match token.kind {
            TokenKind::Pragma(_) => {}
            TokenKind::Punct(Punct::Semi) if braces == 0 => {
                list.extend(prototype(&without_attributes(&words)));
                words.clear();
            }
            kind => {
                braces += i32::from(kind == TokenKind::Punct(Punct::LBrace));
                braces -= i32::from(kind == TokenKind::Punct(Punct::RBrace));
                words.push(spelling(token, &symbols));
            }
        }
    }
    list
}

fn without_attributes(words: &[String]) -> Vec<&str> {
    let (mut kept, mut depth, mut skipping) = (Vec::new(), 0, false);
    for word in words {
        match word.as_str() {
            "__attribute__" => skipping = true,
            "(" if skipping => depth += 1,
            ")" if skipping => {
                depth -= 1;
                skipping = depth > 0;
            }
            _ if skipping => {}
            word => kept.push(word),
        }
    }
    kept
}

/// `result name ( params )`; nothing for a typedef and whatever else is no function.
fn prototype(words: &[&str]) -> Option<Prototype> {
    let open = words.iter().position(|w| *w == "(")?;
    if matches!(*words.first()?, "typedef" | "enum" | "struct") || words.last() != Some(&")") {
        return None;
    }
    let (name, result) = words.get(..open)?.split_last()?;
    let inside = words.get(open + 1..words.len() - 1)?;
    let mut params: Vec<String> = inside.split(|w| *w == ",").map(parameter_type).collect();
    params.retain(|p| p != "void" && !p.is_empty());
    let variadic = params.last().is_some_and(|p| p == "...");
    Some(Prototype { name: (*name).to_owned(), result: result.join(" "), params, variadic })
}

/// A parameter's type without its name; an array is the pointer that it means.
fn parameter_type(words: &[&str]) -> String {
    if let Some(bracket) = words.iter().position(|w| *w == "[") {
        return format!("{} *", words[..bracket].join(" "));
    }
    let is_type = |w: &str| {
        let stem = w.trim_end_matches(|c: char| c.is_ascii_digit());
        let scalars =
            ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"];
        scalars.contains(&stem)
            || w.ends_with("_t")
            || w.starts_with("atomic_")
            || w.starts_with("cl_mem")
            || w.starts_with("memory_")
            || ["void", "unsigned", "signed", "*", "const", "volatile", "...", "bool"].contains(&w)
    };
    let named = words.len() > 1 && words.last().is_some_and(|w| !is_type(w));
    words[..words.len() - usize::from(named)].join(" ")
}

/// The prototypes that the front end does not resolve as the header says, with its reason.
fn missing(list: &[Prototype], options: &Options) -> BTreeMap<String, String> {
    let mut source = String::new();
    for (number, prototype) in list.iter().enumerate() {
        let _ = writeln!(source, "{}", prototype.caller(number));
    }
    let compiled = compile("calls.cl", &source, options);
    let mut failed = BTreeMap::new();
    // Names and types that nothing declares are reported once.
    let once = ["undeclared-function", "unknown-type", "undeclared-identifier", "unsupported-type"];
    let reported = compiled.diagnostics.iter().filter(|d| once.contains(&d.id));
    let unknown: BTreeSet<&str> = reported.filter_map(|d| d.message.split('\'').nth(1)).collect();
    for prototype in list {
        let words = std::iter::once(prototype.name.as_str())
            .chain(prototype.params.iter().flat_map(|p| p.split(' ')))
            .chain(prototype.result.split(' '));
        if let Some(word) = words.into_iter().find(|w| unknown.contains(*w)) {
            failed.insert(prototype.text(), format!("'{word}' is unknown"));
        }
    }
    for diagnostic in compiled.diagnostics.iter() {
        let line = compiled.sources.locate(diagnostic.span).line as usize;
        if let Some(prototype) = line.checked_sub(1).and_then(|l| list.get(l)) {
            failed.entry(prototype.text()).or_insert_with(|| diagnostic.message.clone());
        }
    }
    failed
}

/// Returns whether a text fits a pattern in which `*` is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// Pattern and reason, as `pattern # reason`.
fn exceptions() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencl_c_h.exceptions");
    let text = std::fs::read_to_string(path).expect("the list of exceptions");
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| match line.split_once(" # ") {
            Some((pattern, reason)) => (pattern.trim().to_owned(), reason.trim().to_owned()),
            None => panic!("an exception without a reason: {line}"),
        })
        .collect()
}

#[test]
fn every_prototype_resolves() {
    let Some(folder) = header_folder() else {
        println!("SKIPPED: no opencl-c.h (Debian: libclang-common-15-dev)");
        return;
    };
    let (mut all, mut checked) = (BTreeSet::new(), 0);
    let mut lacking: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for configuration in configurations(&folder) {
        let list: Vec<Prototype> = prototypes(&folder, &configuration).into_iter().collect();
        assert!(list.len() > 1000, "{}: {} prototypes", configuration.name, list.len());
        checked += list.len();
        for (text, reason) in missing(&list, &configuration.options) {
            lacking.entry(text).or_insert_with(|| (reason, Vec::new())).1.push(configuration.name.clone());
        }
        all.extend(list);
    }
    let exceptions = exceptions();
    let mut used = vec![0usize; exceptions.len()];
    let mut unexpected = String::new();
    let mut report = String::new();
    for (text, (reason, configurations)) in &lacking {
        let _ = writeln!(report, "{text}    // {reason} [{}]", configurations.join(", "));
        match exceptions.iter().position(|(pattern, _)| fits(pattern, text)) {
            Some(index) => used[index] += 1,
            None => {
                let _ = writeln!(unexpected, "{text}    // {reason} [{}]", configurations.join(", "));
            }
        }
    }
    // The whole list, for whoever fills the table.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("missing-builtins.txt");
    std::fs::write(&path, report).expect("the report");
    println!(
        "{}: {} distinct prototypes, {checked} with versions and extensions; {} missing, listed in {}",
        folder.display(),
        all.len(),
        lacking.len(),
        path.display()
    );
    for ((pattern, reason), count) in exceptions.iter().zip(&used) {
        println!("exception: {pattern}: {count} ({reason})");
        if *count == 0 {
            let _ = writeln!(unexpected, "the exception '{pattern}' is not needed any more: remove it");
        }
    }
    assert!(unexpected.is_empty(), "{unexpected}");
}

#[test]
fn patterns() {
    assert!(fits("* atomic_add(*)", "int atomic_add(volatile __global int *, int)"));
    assert!(!fits("* atomic_add(*)", "int atomic_adds(int)"));
    assert!(fits("void f()", "void f()"));
    assert!(!fits("void f()", "void f(int)"));
}
