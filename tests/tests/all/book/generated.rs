//! Reference pages that are made from the code. `PUMICE_TEST_BLESS=1 cargo test -p pumice-tests --test all book::generated` writes them.

use super::{files, repository};
use frontend::options::{Features, Options};
use lower::Target;
use lower::target::MAX_WORK_GROUP_SIZE;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;

/// Compares a page with the text that the code gives, or writes it.
fn page_is(path: &str, wanted: &str) {
    let file = repository().join(path);
    if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(&file, wanted).expect("written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let bless = "PUMICE_TEST_BLESS=1 cargo test -p pumice-tests --test all book::generated";
    assert!(found == wanted, "{path} differs from the code; {bless} writes it");
}

fn source(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The text of `pumice help COMMAND…`.
fn help(command: &[String]) -> String {
    let mut program = Command::new(pumice_tests::pumice());
    let output = program.arg("help").args(command).env("COLUMNS", "100").output().expect("pumice starts");
    assert!(output.status.success(), "pumice help {command:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The commands that a help text lists.
fn commands(text: &str) -> Vec<String> {
    let list =
        text.split_once("\nCommands:\n").map_or("", |(_, rest)| rest.split("\n\n").next().unwrap_or(""));
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|&name| name != "help").map(str::to_owned).collect()
}

/// The sections of a command and of those below it.
fn add_help(out: &mut String, command: &[String]) {
    let text = help(command);
    if !command.is_empty() {
        let name = command.join(" ");
        let _ = write!(out, "\n## pumice {name}\n");
    }
    let _ = write!(
        out,
        "\n```text\n{}\n```\n",
        text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    );
    for name in commands(&text) {
        add_help(out, &[command, &[name]].concat());
    }
}

#[test]
fn options() {
    let mut out = String::from(
        "# Options of each command\n\n\
         This page is the output of `pumice help` for each command. [The pumice program](cli.md) explains the grammar: source files, \
         build options,\nargument specifications, exit codes.\n",
    );
    add_help(&mut out, &[]);
    page_is("docs/reference/options.md", &out);
}

/// A row of the matrix of devices: what a class of devices has.
type Row = (&'static str, fn(&Target, Features) -> String);

fn mark(has: bool) -> String {
    if has { "yes".to_owned() } else { String::new() }
}

fn feature(features: Features, wanted: Features) -> String {
    mark(features.contains(wanted))
}

/// The rows of the matrix.
const ROWS: [Row; 26] = [
    ("Vulkan", |target, _| format!("{}.{}", target.api_version.0, target.api_version.1)),
    ("OpenCL", |_, features| {
        let number = host::version::number(features);
        format!("{}.{}", number / 100, number / 10 % 10)
    }),
    ("size_t, in bits", |target, _| target.address_bits().to_string()),
    ("device addresses", |target, _| mark(target.has_address_model())),
    ("cl_khr_fp64", |_, f| feature(f, Features::FP64)),
    ("cl_khr_fp16", |_, f| feature(f, Features::FP16)),
    ("64-bit integers of the device's own", |target, _| mark(target.features.shader_int64)),
    ("cl_khr_int64_base_atomics", |_, f| feature(f, Features::INT64_ATOMICS)),
    ("images", |_, f| feature(f, Features::IMAGES)),
    ("writes of 3D images", |_, f| feature(f, Features::IMAGE_3D_WRITES)),
    ("read-write images", |_, f| feature(f, Features::READ_WRITE_IMAGES)),
    ("generic address space", |_, f| feature(f, Features::GENERIC_ADDRESS_SPACE)),
    ("program-scope variables", |_, f| feature(f, Features::PROGRAM_SCOPE_GLOBALS)),
    ("atomics: acquire and release", |_, f| feature(f, Features::ATOMIC_ORDER_ACQ_REL)),
    ("atomics: sequential consistency", |_, f| feature(f, Features::ATOMIC_ORDER_SEQ_CST)),
    ("atomics of the device's scope", |_, f| feature(f, Features::ATOMIC_SCOPE_DEVICE)),
    ("cl_ext_float_atomics", |_, f| feature(f, Features::FLOAT_ATOMICS)),
    ("work-group functions", |_, f| feature(f, Features::WORK_GROUP_COLLECTIVES)),
    ("pipes", |_, f| feature(f, Features::PIPES)),
    ("device-side enqueue", |_, f| feature(f, Features::DEVICE_ENQUEUE)),
    ("cl_khr_subgroups", |_, f| feature(f, Features::SUBGROUPS)),
    ("cl_khr_subgroup_shuffle", |_, f| feature(f, Features::SUBGROUP_SHUFFLE)),
    ("the device's clock", |_, f| feature(f, Features::CLOCK_DEVICE)),
    ("local memory, KiB", |target, _| (target.limits.max_compute_shared_memory_size >> 10).to_string()),
    ("work-group of the device", |target, _| target.limits.max_compute_work_group_invocations.to_string()),
    ("storage buffers of a kernel", |target, _| {
        let limit = target.limits.max_per_stage_descriptor_storage_buffers;
        if limit > 1 << 16 { "many".to_owned() } else { limit.to_string() }
    }),
];

#[test]
fn devices() {
    let profiles: Vec<String> =
        files("tests/profiles").into_iter().filter(|path| path.ends_with(".json")).collect();
    let mut names = Vec::new();
    let mut targets = Vec::new();
    for path in &profiles {
        let target = host::target::read_profile(&repository().join(path)).expect("a profile");
        let mut options = Options::default();
        host::target::apply(&target, &mut options);
        names.push(path.rsplit('/').next().expect("a name").trim_end_matches(".json").to_owned());
        targets.push((target, options.features));
    }
    let mut out = String::from(
        "# Devices\n\n\
         `pumice devices` lists the devices of a machine. This page lists classes of devices, by the profiles in `tests/profiles` on which the\n\
         run-suite runs ([results](../results/targets.md)). A profile has the features that most devices of its class have. It is made from \
         the code\n(`tests/tests/all/book/generated.rs`).\n\n\
         `pumice compile --target PROFILE.json` compiles for a device that is not present, and names the features that it lacks.\n\n",
    );
    let _ = writeln!(out, "| | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
    for (name, of) in ROWS {
        let cells: Vec<String> = targets.iter().map(|(target, features)| of(target, *features)).collect();
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    }
    out += "\n| class | what it is |\n|---|---|\n";
    for (name, (target, _)) in names.iter().zip(&targets) {
        let _ = writeln!(out, "| {name} | {} |", target.name);
    }
    out += "\n64-bit integers are on every device: pairs of words stand for them if the device has none. \
            [Extensions](extensions.md) lists the condition of\neach extension, [settings](settings.md) how a device can be presented as another one.\n";
    page_is("docs/reference/devices.md", &out);
}

/// A limit: what it limits, the file of its constant (or the folder, for a name that is there once) and the name, its unit.
type Limit = (&'static str, &'static str, &'static str, &'static str);

/// Limits of sources.
const OF_SOURCES: [Limit; 11] = [
    ("a source with its headers", "frontend/src", "MAX_SOURCE_BYTES", "bytes"),
    ("headers in headers", "frontend/src/preprocess/include.rs", "MAX_DEPTH", "levels"),
    ("inclusions", "frontend/src", "MAX_INCLUSIONS", ""),
    ("macro arguments within macro arguments, parentheses in `#if`", "frontend/src", "MAX_NESTING", "levels"),
    (
        "statements, expressions and declarators in each other",
        "frontend/src/syntax/problem.rs",
        "MAX_DEPTH",
        "levels",
    ),
    ("operations of an expression that depend on each other", "frontend/src", "MAX_HEIGHT", ""),
    ("`else if` in a row", "frontend/src", "MAX_ELSE_IF", ""),
    ("parameters of a function", "frontend/src", "MAX_PARAMETERS", ""),
    ("structures in structures", "frontend/src", "MAX_RECORD_DEPTH", "levels"),
    ("an object", "frontend/src", "MAX_OBJECT_SIZE", "bytes"),
    ("values of a case range", "frontend/src", "MAX_CASE_RANGE", ""),
];

/// Limits of modules and kernels.
const OF_KERNELS: [Limit; 6] = [
    (
        "instructions of a kernel with a copy of each function for each call (beyond it functions have one copy: `PUMICE_INLINE_LIMIT`)",
        "lower/src/lib.rs",
        "LARGE_KERNEL",
        "",
    ),
    ("ids of a SPIR-V module from outside", "lower/src/validate/collect.rs", "MAX_BOUND", ""),
    ("scalars of a structure", "lower/src/read/types.rs", "MAX_LEAVES", ""),
    ("arguments of `__constant` memory", "host/src/profile.rs", "MAX_CONSTANT_ARGS", ""),
    ("all arguments of a kernel", "host/src/profile.rs", "MAX_PARAMETER_SIZE", "bytes"),
    ("the work-group of a kernel", "lower/src/target.rs", "MAX_WORK_GROUP_SIZE", "work-items"),
];

/// Limits at run time.
const AT_RUN_TIME: [Limit; 7] = [
    ("printf's buffer", "host/src/profile.rs", "PRINTF_BUFFER_SIZE", "bytes"),
    (
        "a buffer with 32-bit offsets (GPUs whose allocations are below 4 GiB)",
        "lower/src/target.rs",
        "MAX_BUFFER_SIZE",
        "bytes",
    ),
    (
        "`CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE` of every device (larger arguments are taken)",
        "icd/src/device/caps.rs",
        "MAX_CONSTANT_BUFFER_SIZE",
        "bytes",
    ),
    ("the cache of programs (the oldest files are removed)", "host/src/cache.rs", "LIMIT", "bytes"),
    (
        "the cache of pipelines (the oldest files are removed)",
        "vk-runtime/src/kernel/pipeline_cache.rs",
        "LIMIT",
        "bytes",
    ),
    ("variants of a bundle", "bundle/src/lib.rs", "MAX_VARIANTS", ""),
    ("a buffer of `pumice run`", "cli/src/arg_spec.rs", "MAX_BYTES", "bytes"),
];

/// The value of a constant, from its text: numbers with `<<`, `-`, `*`, brackets.
fn constant(path: &str, name: &str) -> u64 {
    let text: String = match path.ends_with(".rs") {
        true => source(path),
        false => files(path).iter().filter(|path| path.ends_with(".rs")).map(|path| source(path)).collect(),
    };
    assert_eq!(text.matches(&format!("const {name}: ")).count(), 1, "{name} is there once in {path}");
    let of =
        |line: &str| Some(line.split_once(&format!("const {name}: "))?.1.split_once(" = ")?.1.to_owned());
    let value = text.lines().find_map(of).unwrap_or_else(|| panic!("{path} has no constant {name}"));
    let value = value.split(';').next().expect("a value").replace(['(', ')'], " ");
    let number = |word: &str| {
        let word = word.replace('_', "");
        match word.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => word.parse(),
        }
        .unwrap_or_else(|_| panic!("{path}: {name} = {value}"))
    };
    let mut words = value.split_whitespace();
    let mut result = number(words.next().expect("a number"));
    while let (Some(operator), Some(word)) = (words.next(), words.next()) {
        result = match operator {
            "<<" => result << number(word),
            "-" => result - number(word),
            other => panic!("{path}: {name} has '{other}'"),
        };
    }
    result
}

/// A number as people read it: 256 MiB, 20,000.
fn readable(value: u64, unit: &str) -> String {
    if unit == "bytes" {
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        let fits = units.iter().find(|(shift, _)| value >= 1 << shift && value.is_multiple_of(1 << shift));
        if let Some((shift, name)) = fits {
            return format!("{} {name}", grouped(value >> shift));
        }
    }
    format!("{} {unit}", grouped(value)).trim_end().to_owned()
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[test]
fn limits() {
    assert_eq!(constant("lower/src/target.rs", "MAX_WORK_GROUP_SIZE"), u64::from(MAX_WORK_GROUP_SIZE));
    let mut out = String::from(
        "# Limits\n\n\
         These limits keep the compiler and its results bounded. A source, module or launch beyond one is refused with a message, unless the row says \
         otherwise. The numbers are constants of the code, from which this page \
         is made\n(`tests/tests/all/book/generated.rs`). Limits of devices are in [Devices](devices.md) and in `pumice devices`.\n",
    );
    let parts =
        [("Sources", &OF_SOURCES[..]), ("Kernels and modules", &OF_KERNELS), ("Run time", &AT_RUN_TIME)];
    for (title, limits) in parts {
        let _ = write!(out, "\n## {title}\n\n| what | limit | constant |\n|---|---:|---|\n");
        for (what, path, name, unit) in limits {
            let value = readable(constant(path, name), unit);
            let _ = writeln!(out, "| {what} | {value} | `{name}` in `{path}` |");
        }
    }
    page_is("docs/reference/limits.md", &out);
}

/// The strings of a text of Rust, in order.
fn strings(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// The body of the entry point of a function: what `entry!(NAME, …)` encloses.
fn body<'a>(entries: &'a str, name: &str) -> Option<&'a str> {
    let start = entries.find(&format!("entry!({name},"))?;
    let mut depth = 0;
    let end = entries[start..].char_indices().find(|&(_, c)| {
        depth += i32::from(matches!(c, '(' | '{')) - i32::from(matches!(c, ')' | '}'));
        depth == 0 && c == ')'
    })?;
    Some(&entries[start..start + end.0])
}

/// The error of a function that no device supports: its body ends in it.
fn refusal(entries: &str, name: &str) -> Option<String> {
    let end = body(entries, name)?.trim_end().trim_end_matches('}').trim_end();
    let last = end.rsplit(['\n', ',']).next().unwrap_or_default().trim();
    if last.starts_with("refuse_in(") || last.starts_with("refuse_on(") {
        return Some("CL_INVALID_OPERATION".to_owned());
    }
    Some(last.strip_prefix("fail(cl::")?.trim_end_matches(')').to_owned())
}

/// The functions that a C header declares, each with the first sentence of the comment before it.
fn declarations(header: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut comment = String::new();
    for line in header.lines() {
        let text = line.trim().trim_start_matches("/*").trim_start_matches('*').trim_end_matches("*/").trim();
        if line.starts_with("/*") {
            comment = text.to_owned();
        } else if line.starts_with(" *") {
            comment = format!("{comment} {text}");
        } else if line.is_empty() {
            comment.clear();
        } else if let Some((before, _)) = line.split_once('(')
            && let Some(name) = before.split([' ', '*']).next_back()
            && name.starts_with("pumice_vk_")
            && !line.starts_with(' ')
        {
            // Two functions in a row share a comment: the first shows it.
            let comment = std::mem::take(&mut comment);
            let first = comment.split(". ").next().unwrap_or_default().trim_end_matches('.');
            let words = if first.is_empty() { String::new() } else { format!(": {first}.") };
            found.push((name.to_owned(), words));
        }
    }
    assert!(found.len() > 8, "{found:?}");
    found
}

#[test]
fn c_api() {
    let entries: String = files("icd/src/entry").iter().map(|path| source(path)).collect();
    let versions = source("icd/src/abi/versions.rs");
    let nodes = versions.split_once("NODES: [Node;").expect("the nodes").1;
    let mut out = String::from(
        "# The C API\n\n\
         `libpumice.so` is an ICD for any OpenCL loader, and serves as `libOpenCL.so.1` itself. This page lists its functions. It is made \
         from the code\n(`icd/src/abi`, by `tests/tests/all/book/generated.rs`). [Extensions](extensions.md) says which devices have which \
         extension, and\n[policies](policies.md#the-opencl-api) what stays. The C API of `libpumice_vk.so` is in \
         `pumice-vk/include/pumice_vk.h`: [AOT](../how-to/aot.md#pumice-vk).\n\n\
         A function with an error behind its name is refused with that error on every device.\n\n## Exported functions\n\n\
         The version node of a function is that of the stock loader. Functions of the node PUMICE are not in that one: ICD loaders look for them.\n\n| node | functions |\n|---|---|\n",
    );
    let mut exported = BTreeSet::new();
    let mut row: Vec<String> = Vec::new();
    let mut node = "";
    for name in strings(nodes) {
        if let Some(version) = name.strip_prefix("OPENCL_").or((name == "PUMICE").then_some(name)) {
            if !row.is_empty() {
                let _ = writeln!(out, "| {node} | {} |", row.join(", "));
            }
            (node, row) = (version, Vec::new());
        } else if name.starts_with("cl") {
            exported.insert(name.to_owned());
            row.push(match refusal(&entries, name) {
                Some(error) => format!("{name} ({error})"),
                None => name.to_owned(),
            });
        }
    }
    let _ = writeln!(out, "| {node} | {} |", row.join(", "));
    assert!(exported.len() > 100 && exported.contains("clEnqueueNDRangeKernel"), "{exported:?}");
    let table = source("icd/src/abi/extensions.rs");
    let table = table.split_once("#[cfg(test)]").expect("tests").0;
    let others: BTreeSet<&str> = strings(table)
        .filter(|name| name.starts_with("cl") && name[2..].starts_with(|c: char| c.is_ascii_uppercase()))
        .filter(|name| !exported.contains(*name))
        .collect();
    out +=
        "\n## Functions of extensions\n\nclGetExtensionFunctionAddressForPlatform gives these by name.\n\n";
    for name in others {
        let _ = writeln!(out, "- {name}");
    }
    out += "\n## libpumice_vk.so\n\n`pumice-vk/include/pumice_vk.h` declares these functions, for applications that use Vulkan themselves.\n\n";
    for (name, comment) in declarations(&source("pumice-vk/include/pumice_vk.h")) {
        let _ = writeln!(out, "- `{name}`{comment}");
    }
    page_is("docs/reference/c-api.md", &out);
}
