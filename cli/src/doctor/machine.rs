//! A machine's files, variables and libraries as the checks see them. Tests describe one in a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::CliError;
use crate::output;

/// Opens a library by its path or its name; gives its path, where that is known.
type Open = Box<dyn Fn(&str) -> Result<Option<PathBuf>, String>>;

/// The machine.
pub struct Machine {
    /// The folder that stands for `/`.
    pub root: PathBuf,
    /// The environment.
    pub variables: BTreeMap<String, String>,
    /// The `libpumice.so` that belongs to this program.
    pub library: Option<PathBuf>,
    /// Opens libraries.
    pub open: Open,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
        };
        Machine {
            root: PathBuf::from("/"),
            variables: std::env::vars_os().filter_map(text).collect(),
            library: crate::icd::find_library().ok(),
            open: Box::new(open_in_child),
        }
    }

    /// A path of the machine as one of this process.
    pub fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A variable; `None` where it is empty or not set.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The files in a folder whose names end so, in order; none where there is no folder.
    pub fn files(&self, folder: &Path, ending: &str) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.at(folder)) else { return Vec::new() };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<_> = names.filter(|n| n.ends_with(ending)).map(|n| folder.join(n)).collect();
        found.sort();
        found
    }

    /// What a text file holds.
    pub fn read(&self, path: &Path) -> Result<String, String> {
        std::fs::read_to_string(self.at(path)).map_err(|e| e.to_string())
    }

    /// One line about the program and the system.
    pub fn describe(&self) -> String {
        let release = self.read(Path::new("/etc/os-release")).unwrap_or_default();
        let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        let kernel = self.read(Path::new("/proc/sys/kernel/osrelease")).unwrap_or_default();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        format!(
            "pumice {}, {}-{}, {}, kernel {}, {processors} processors",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::ARCH,
            std::env::consts::OS,
            name.map_or("unknown system", |name| name.trim_matches('"')),
            if kernel.is_empty() { "unknown" } else { kernel.trim() },
        )
    }
}

/// Opens a library in a process of its own, which a driver may end.
fn open_in_child(name: &str) -> Result<Option<PathBuf>, String> {
    let program = std::env::current_exe().map_err(|e| format!("cannot be tried: {e}"))?;
    let child = Command::new(program).args(["doctor", "--open", name]).stdin(Stdio::null()).output();
    let child = child.map_err(|e| format!("cannot be tried: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match child.status.code() {
        Some(0) => Ok(Some(text(&child.stdout)).filter(|path| !path.is_empty()).map(PathBuf::from)),
        Some(1) => Err(text(&child.stderr).trim_start_matches("pumice: ").to_owned()),
        _ => Err(format!("it ends the process that opens it ({})", child.status)),
    }
}

/// `pumice doctor --open NAME`: opens a library, and prints its path, where the system tells it.
///
/// # Errors
/// It cannot be opened.
pub fn open_here(name: &str) -> Result<(), CliError> {
    let name_of_c = std::ffi::CString::new(name).map_err(|e| CliError::Failed(e.to_string()))?;
    vk_runtime::library::Library::probe(&name_of_c).map_err(CliError::Failed)?;
    let file = Path::new(name).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    // A name is that of a link, and the path that of the file: `libOpenCL.so.1` and `libOpenCL.so.1.0.0`.
    let paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let found = paths.into_iter().find(|path| path.rsplit('/').next().is_some_and(|n| n.starts_with(&file)));
    output::line(found.unwrap_or_default())
}
