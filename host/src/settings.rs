//! The settings that Pumice reads: one table behind `pumice settings` and docs/reference/settings.md.
//!
//! Each is read here or in `vk-runtime` (`PUMICE_VALIDATE`), and nowhere else. The environment comes first, then the files that
//! name programs ([`crate::programs`]).

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// The variable.
    pub name: &'static str,
    /// Its values.
    pub values: &'static str,
    /// Its action.
    pub meaning: &'static str,
    /// Says what is needed in place of a value that means nothing.
    pub check: Check,
}

/// A check of a value; the error says what is needed.
type Check = fn(&str) -> Result<(), String>;

/// Any value is good, or is looked at where it is used.
const ANY: Check = |_| Ok(());

/// A setting's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The value.
    pub value: String,
    /// Who set it.
    pub origin: Origin,
}

/// Who set a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The environment.
    Environment,
    /// A file of [`crate::programs`].
    File {
        /// Its place.
        path: PathBuf,
        /// The program's name in it.
        program: String,
    },
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Environment => f.write_str("environment"),
            Origin::File { path, program } => write!(f, "'{}', for '{program}'", path.display()),
        }
    }
}

/// All settings.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "PUMICE_DEVICE",
        values: "INDEX|NAME[,INDEX|NAME…]",
        meaning: "The Vulkan devices that libpumice.so shows, in this order: their numbers in `pumice devices`, or parts of \
                  their names. The pumice program takes the first.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_TARGET",
        values: "FILE",
        meaning: "A Vulkan Profiles JSON: the live device is masked to what both have.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_VALIDATE",
        values: "1",
        meaning: "Turns the Vulkan validation layers on, synchronization validation included; a run with any \
                  message fails.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_CHECK",
        values: "1|CLASS[,CLASS…]",
        meaning: "Kernels look for their own faults and report them: bounds, null, alignment, arithmetic, arguments, barriers, uninitialised, flags, lifetime; races, overflow, shifts and shuffles only by name. 1 is all but these.",
        check: checks,
    },
    Setting {
        name: "PUMICE_CHECK_OUT",
        values: "FILE",
        meaning: "The reports of PUMICE_CHECK are also appended to FILE, each as a line of JSON.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_CHECK_STOP",
        values: "1",
        meaning: "The process ends after the first launch with a fault that PUMICE_CHECK finds, with PUMICE_CHECK_EXIT or 1.",
        check: switch,
    },
    Setting {
        name: "PUMICE_CHECK_EXIT",
        values: "1 to 255",
        meaning: "The exit code of a process in which PUMICE_CHECK found a fault.",
        check: exit_code,
    },
    Setting {
        name: "PUMICE_CHECK_ORIGIN",
        values: "1",
        meaning: "The reports of PUMICE_CHECK name the function of the program that made the buffer or image.",
        check: switch,
    },
    Setting {
        name: "PUMICE_DUMP",
        values: "after:PASS[,after:PASS…] or all",
        meaning: "Prints the lowering's IR after these passes to standard error.",
        check: passes,
    },
    Setting {
        name: "PUMICE_INLINE_LIMIT",
        values: "INSTRUCTIONS",
        meaning: "Kernels that would be larger with a copy of each function for each call get one copy of a function for all \
                  its calls. Default: kernels that exceed 32768 instructions after unrolling.",
        check: instructions,
    },
    Setting {
        name: "PUMICE_DUMP_SOURCES",
        values: "DIR",
        meaning: "libpumice.so writes each OpenCL C source that it builds into DIR, as HASH.cl with HASH.options.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_CACHE_DIR",
        values: "DIR",
        meaning: "Where compiled programs and pipelines are kept; empty turns caches off. Default: $XDG_CACHE_HOME/pumice or \
                  ~/.cache/pumice; on Windows %LOCALAPPDATA%\\pumice.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_INCLUDES",
        values: "0",
        meaning: "libpumice.so reads no files for #include: sources have only the headers that clCompileProgram is given.",
        check: switch,
    },
    Setting {
        name: "PUMICE_CLANG",
        values: "PROGRAM|1|0",
        meaning: "The clang that compiles C++ for OpenCL instead of Pumice itself, beside whose LLVM there is an llvm-spirv; 1 for the newest clang-N \
                  with its llvm-spirv-N on the path. Default: none.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_MAX_DISPATCH_MS",
        values: "MILLISECONDS",
        meaning: "libpumice.so splits launches so that no dispatch takes much longer: for machines whose watchdog ends \
                  long kernels.",
        check: milliseconds,
    },
    Setting {
        name: "PUMICE_WATCHDOG",
        values: "SECONDS",
        meaning: "libpumice.so takes a device for lost on which nothing ends for so long: a kernel that never ends gives an error. Without it kernels \
                  run as long as they do.",
        check: seconds,
    },
    Setting {
        name: "PUMICE_SVM",
        values: "identity|placed|arena|off",
        meaning: "How libpumice.so comes to share pointers with a device, where the device can; without it, the best way that the \
                  device has. What then does not work is not claimed.",
        check: svm,
    },
    Setting {
        name: "PUMICE_WORKAROUNDS",
        values: "-NAME,+NAME…",
        meaning: "Driver workarounds that are left out (-) or put in (+), by their names in docs/reference/workarounds.md: to try a newer driver without each. \
                  Results may be wrong.",
        check: workarounds,
    },
    Setting {
        name: "PUMICE_LONG_LOOPS",
        values: "0",
        meaning: "On Mesa's llvmpipe before 25 launches whose loops the driver ends fail; else those of kernels without barriers and __local memory \
                  go on in another launch.",
        check: switch,
    },
    Setting {
        name: "PUMICE_KEEP_CLOCKS",
        values: "1",
        meaning: "On NVIDIA's driver libpumice.so makes a context of CUDA, which keeps the GPU's clocks up between kernels; it takes \
                  memory of the GPU.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_DEVICE_TYPE",
        values: "cpu|gpu|accelerator",
        meaning: "The type that libpumice.so says its devices have, for programs that ask for devices of one type.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_DEVICE_NAME",
        values: "NAME",
        meaning: "The name that libpumice.so says its devices have.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_DEVICE_VENDOR",
        values: "NAME",
        meaning: "The vendor that libpumice.so says its devices have.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_DEVICE_VENDOR_ID",
        values: "NUMBER",
        meaning: "The vendor's number that libpumice.so says its devices have, such as 0x10de.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_DRIVER_VERSION",
        values: "NUMBER.NUMBER[.NUMBER…]",
        meaning: "The numbers at the head of the driver's version, for programs that demand a vendor's newer ones.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_PROFILE",
        values: "full|embedded",
        meaning: "The profile that libpumice.so says its devices have; `pumice devices` says what keeps a device from the full one.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_PLATFORM_NAME",
        values: "NAME",
        meaning: "The name that libpumice.so says the platform has.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_PLATFORM_VENDOR",
        values: "NAME",
        meaning: "The vendor that libpumice.so says the platform has.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_PRESENT_PLATFORM_VERSION",
        values: "TEXT",
        meaning: "What follows the number in the platform's version.",
        check: ANY,
    },
    Setting {
        name: "PUMICE_TEST_MODES",
        values: "stage,window,shadow,reorder,slow,plain,guard,count,wander,spare,below,fences,probe,streams=N,lose=N,watchdog=MS,drop=CLASS,binding=MODEL,tune.NAME=N",
        meaning: "Test modes of libpumice.so: data goes through staging buffers; the host reaches small buffers alone, uncached; mappings are shadow copies; commands \
                  between barriers run backwards; pipelines count as slow to make; they are made without the driver's optimizations; the driver's compiler is called on threads that are given up where it crashes; Vulkan objects are counted; command queues change their streams with each command; children by fork end before the driver's exit handlers; kernels take buffers to be smaller than 4 GiB; fences are asked whether the device is lost; a device that gets no further is probed; N streams share \
                  the queues that there are; the N-th submission or wait finds the device lost; the watchdog waits for MS milliseconds; the barriers of a class (kernel-kernel, kernel-copy, copy-kernel, device-host) are left out; programs are compiled for this binding model (address, descriptor, packed) wherever they can be; a constant of vk-runtime/src/device/tune.rs is another one.",
        check: test_modes,
    },
    Setting {
        name: "PUMICE_LOG",
        values: "error|warn|info|debug|trace",
        meaning: "Log messages to standard error; errors without it. `info` tells the device, binding models, what the cache had, pipelines, and launches that waited for one.",
        check: log_levels,
    },
    Setting {
        name: "PUMICE_TRACE",
        values: "FILE.json",
        meaning: "libpumice.so writes what happened when, for chrome://tracing and ui.perfetto.dev: API calls, compiles, \
                  waits, allocations, pipelines, segments of streams, work of the device. %p in the name is the process's number.",
        check: ANY,
    },
];

/// Settings with several values, of which the known ones count.
const LISTS: [&str; 4] = ["PUMICE_CHECK", "PUMICE_DUMP", "PUMICE_WORKAROUNDS", "PUMICE_TEST_MODES"];

/// Values that mean nothing, files that cannot be used, and variables that are no settings but nearly called so.
pub fn problems() -> Vec<String> {
    let mut problems = crate::programs::problems().to_vec();
    for setting in SETTINGS {
        if let Some(value) = get(setting.name)
            && let Some(why) = problem(setting.name, &value)
        {
            let part = if LISTS.contains(&setting.name) { " in part" } else { "" };
            problems.push(format!("{}={value} is ignored{part}: {why}", setting.name));
        }
    }
    for (name, near) in unknown() {
        if let Some(near) = near {
            problems.push(format!("{name} is no setting; there is {near}"));
        }
    }
    problems
}

/// Says what is needed in place of a value of a setting that means nothing.
#[must_use]
pub fn problem(name: &str, value: &str) -> Option<String> {
    if let Some(why) = crate::present::problem(name, value) {
        return Some(why.to_owned());
    }
    let setting = SETTINGS.iter().find(|setting| setting.name == name)?;
    (setting.check)(value).err()
}

/// The variables of this process that look like settings and are none, each with the setting that it is nearly called.
pub fn unknown() -> Vec<(String, Option<&'static str>)> {
    if vk_runtime::files::is_privileged() {
        return Vec::new();
    }
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names
        .filter(|name| is_unknown(name))
        .map(|name| (near(&name), name))
        .map(|(near, name)| (name, near))
        .collect()
}

/// A variable looks like a setting and is none. Variables of the tests have a prefix of their own.
#[must_use]
pub fn is_unknown(name: &str) -> bool {
    let ours = name.starts_with("PUMICE_") && !name.starts_with("PUMICE_TEST_");
    ours && SETTINGS.iter().all(|setting| setting.name != name)
}

/// The setting that a name is nearly: two letters may be wrong, missing, too many or swapped.
#[must_use]
pub fn near(name: &str) -> Option<&'static str> {
    let distances = SETTINGS.iter().map(|s| (strsim::damerau_levenshtein(name, s.name), s.name));
    distances.min().filter(|(distance, _)| *distance <= 2).map(|(_, name)| name)
}

fn passes(value: &str) -> Result<(), String> {
    let known = || lower::pipeline::PASSES.iter().map(|pass| pass.name).chain(["read", "all"]);
    let unknown: Vec<&str> = words(value).filter(|word| known().all(|pass| pass != *word)).collect();
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "no pass '{}'; there are {}",
            unknown.join("', '"),
            known().collect::<Vec<_>>().join(", ")
        )),
    }
}

fn checks(value: &str) -> Result<(), String> {
    lower::check::Checks::parse(value).1
}

fn exit_code(value: &str) -> Result<(), String> {
    let good = value.parse::<u8>().is_ok_and(|code| code != 0);
    if good { Ok(()) } else { Err("a number from 1 to 255 is needed".to_owned()) }
}

fn workarounds(value: &str) -> Result<(), String> {
    let unknown =
        |names| format!("no workarounds are called so: {names}; docs/reference/workarounds.md lists them");
    lower::Quirks::default().change(value).map_err(unknown)
}

fn instructions(value: &str) -> Result<(), String> {
    value.parse::<u32>().map(|_| ()).map_err(|_| "a number of instructions is needed".to_owned())
}

fn milliseconds(value: &str) -> Result<(), String> {
    above_zero(value).map(|_| ()).ok_or_else(|| "a number of milliseconds is needed".to_owned())
}

fn seconds(value: &str) -> Result<(), String> {
    above_zero(value).map(|_| ()).ok_or_else(|| "a number of seconds is needed".to_owned())
}

fn above_zero(value: &str) -> Option<u32> {
    value.parse().ok().filter(|n| *n > 0)
}

fn switch(value: &str) -> Result<(), String> {
    one_of(value, &["0", "1"])
}

fn svm(value: &str) -> Result<(), String> {
    one_of(value, &["identity", "placed", "arena", "off"])
}

fn one_of(value: &str, words: &[&str]) -> Result<(), String> {
    match words.contains(&value) {
        true => Ok(()),
        false => Err(format!("one of {} is needed", words.join(", "))),
    }
}

fn test_modes(value: &str) -> Result<(), String> {
    vk_runtime::DeviceOptions::default().set_test_modes(value).map_err(|e| e.to_string())
}

/// A level, or `MODULE=LEVEL`; several with commas.
fn log_levels(value: &str) -> Result<(), String> {
    // What follows a slash is a pattern of the messages.
    let levels = value.split('/').next().unwrap_or_default();
    let level =
        |part: &str| part.rsplit_once('=').map_or(part, |(_, level)| level).parse::<log::LevelFilter>();
    match levels.split(',').map(str::trim).filter(|part| !part.is_empty()).all(|part| level(part).is_ok()) {
        true => Ok(()),
        false => Err("error, warn, info, debug or trace is needed".to_owned()),
    }
}

/// `PUMICE_MAX_DISPATCH_MS`, if it is a number.
pub fn max_dispatch_ms() -> Option<u32> {
    above_zero(&get("PUMICE_MAX_DISPATCH_MS")?)
}

/// `PUMICE_WATCHDOG`, if it is a number.
pub fn watchdog() -> Option<Duration> {
    above_zero(&get("PUMICE_WATCHDOG")?).map(|seconds| Duration::from_secs(seconds.into()))
}

/// The passes that `PUMICE_DUMP` names.
pub fn dump_after() -> Vec<String> {
    words(&get("PUMICE_DUMP").unwrap_or_default()).map(str::to_owned).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(|p| !p.is_empty()).map(|p| p.trim_start_matches("after:"))
}

/// `PUMICE_INLINE_LIMIT`, if it is a number.
pub fn inline_limit() -> Option<u32> {
    get("PUMICE_INLINE_LIMIT")?.parse().ok()
}

/// The directory for caches; `None` when caches are off or there is no place for them, and where the environment is not to be
/// believed ([`find`]).
pub fn cache_dir() -> Option<PathBuf> {
    if vk_runtime::files::is_privileged() {
        return None;
    }
    let is_off = std::env::var_os("PUMICE_CACHE_DIR").is_some_and(|v| v.is_empty());
    match path("PUMICE_CACHE_DIR") {
        Some(directory) => Some(directory),
        None if is_off => None,
        None => crate::folders::cache().map(|folder| folder.join("pumice")),
    }
}

/// Returns whether `#include` in a program's source reads files: not with `PUMICE_INCLUDES=0`, nor where the environment is not to be
/// believed ([`find`]).
pub fn includes() -> bool {
    !vk_runtime::files::is_privileged() && get("PUMICE_INCLUDES").as_deref() != Some("0")
}

/// Returns whether a context of CUDA shall keep a GPU's clocks (`PUMICE_KEEP_CLOCKS`).
pub fn keeps_clocks() -> bool {
    get("PUMICE_KEEP_CLOCKS").is_some_and(|v| v != "0")
}

/// The log messages that are shown, as `PUMICE_LOG` says.
pub fn log_filter() -> String {
    get("PUMICE_LOG").unwrap_or_else(|| "error".to_owned())
}

/// How instances of Vulkan are made: with the workarounds that `PUMICE_WORKAROUNDS` changes.
pub fn instance_options() -> vk_runtime::InstanceOptions {
    vk_runtime::InstanceOptions {
        workarounds: get("PUMICE_WORKAROUNDS").unwrap_or_default(),
        ..vk_runtime::InstanceOptions::default()
    }
}

/// Returns whether kernels go on where a driver ends their loops: not with `PUMICE_LONG_LOOPS=0`.
pub fn long_loops() -> bool {
    get("PUMICE_LONG_LOOPS").as_deref() != Some("0")
}

/// A setting's value; `None` when it is not set or empty.
pub fn get(name: &str) -> Option<String> {
    find(name).map(|found| found.value)
}

/// A setting that is a path.
pub fn path(name: &str) -> Option<PathBuf> {
    match environment(name) {
        Some(value) => Some(value).filter(|v| !v.is_empty()).map(PathBuf::from),
        None => find(name).map(|found| found.value.into()),
    }
}

/// A setting's value and who set it; `None` when it is not set or empty. An empty variable hides what files say. A process that has
/// more rights than who started it (setuid and the like) has no variables: its environment may name files that only it can write.
pub fn find(name: &str) -> Option<Found> {
    let found = match environment(name) {
        Some(value) => Found { value: value.into_string().ok()?, origin: Origin::Environment },
        None => {
            let (value, file, program) = crate::programs::find(name)?;
            let origin = Origin::File { path: file.path.clone(), program: program.name.clone() };
            Found { value: value.to_owned(), origin }
        }
    };
    (!found.value.is_empty()).then_some(found)
}

/// A variable, where the environment is to be believed.
fn environment(name: &str) -> Option<OsString> {
    if vk_runtime::files::is_privileged() { None } else { std::env::var_os(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_mean_nothing_are_reported() {
        let bad = [
            ("PUMICE_DUMP", "after:nothing", "no pass 'nothing'"),
            ("PUMICE_CHECK", "bound", "bound: no class of faults"),
            ("PUMICE_CHECK_EXIT", "256", "a number from 1 to 255"),
            ("PUMICE_INLINE_LIMIT", "many", "a number of instructions"),
            ("PUMICE_INCLUDES", "false", "one of 0, 1"),
            ("PUMICE_MAX_DISPATCH_MS", "0", "a number of milliseconds"),
            ("PUMICE_WATCHDOG", "2s", "a number of seconds"),
            ("PUMICE_SVM", "Off", "one of identity, placed, arena, off"),
            ("PUMICE_WORKAROUNDS", "+nothing", "no workarounds are called so: +nothing"),
            ("PUMICE_LONG_LOOPS", "no", "one of 0, 1"),
            ("PUMICE_TEST_MODES", "nothing", "no test mode 'nothing'"),
            ("PUMICE_LOG", "loud", "error, warn, info, debug or trace"),
            ("PUMICE_PRESENT_PROFILE", "most", "full or embedded"),
        ];
        for (name, value, why) in bad {
            let text = problem(name, value).unwrap_or_default();
            assert!(text.contains(why), "{name}={value}: {text}");
        }
        let good = [
            ("PUMICE_DUMP", "after:simplify,read"),
            ("PUMICE_LOG", "pumice_vk_runtime=debug,info"),
            ("PUMICE_TEST_MODES", "stage,streams=2"),
            ("PUMICE_WATCHDOG", "5"),
            ("PUMICE_SVM", "arena"),
        ];
        assert!(good.iter().all(|(name, value)| problem(name, value).is_none()));
    }

    #[test]
    fn misspelt_names_are_reported() {
        assert_eq!(near("PUMICE_DEVCE"), Some("PUMICE_DEVICE"));
        assert_eq!(near("PUMICE_CACHEDIR"), Some("PUMICE_CACHE_DIR"));
        assert_eq!(near("PUMICE_HOME"), None);
        assert!(is_unknown("PUMICE_DEVCE") && !is_unknown("PUMICE_DEVICE"));
        assert!(!is_unknown("PUMICE_TEST_CASES") && !is_unknown("OTHER"));
    }

    #[test]
    fn the_document_lists_every_setting() {
        // Words of code are marked there, and there are links.
        let parts = include_str!("../../docs/reference/settings.md").split(" ([").enumerate();
        let text =
            parts.map(|(n, part)| if n == 0 { part } else { part.split_once("))").map_or("", |p| p.1) });
        let document = text.collect::<String>().replace('`', "");
        for Setting { name, meaning, .. } in SETTINGS {
            let row = document.lines().find(|line| line.starts_with(&format!("| {name} |")));
            assert!(
                row.is_some_and(|row| row.ends_with(&format!("| {} |", meaning.replace('`', "")))),
                "{name} in docs/reference/settings.md: {row:?}"
            );
        }
    }
}
