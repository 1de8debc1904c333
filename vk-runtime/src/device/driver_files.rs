//! Files that tell Vulkan's loader of drivers, as variables name them.

use std::path::{Path, PathBuf};

/// The variables that name drivers in place of those of the system's folders; the first that is set counts.
const VARIABLES: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

/// Drivers that a variable names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriverFiles {
    /// The variable.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// The files and folders in it.
    pub paths: Vec<PathBuf>,
}

/// Returns the drivers that a variable names; `variable` gives a variable's value.
#[must_use]
pub fn named_drivers(variable: impl Fn(&str) -> Option<String>) -> Option<DriverFiles> {
    let (name, value) = VARIABLES.iter().find_map(|name| Some((*name, variable(name)?)))?;
    let paths = std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect();
    Some(DriverFiles { variable: name, value, paths })
}

impl DriverFiles {
    /// Returns those that are not there; `exists` tells of a path.
    #[must_use]
    pub fn missing(&self, exists: impl Fn(&Path) -> bool) -> Vec<&Path> {
        self.paths.iter().map(PathBuf::as_path).filter(|path| !exists(path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_counts_and_what_is_missing_is_named() {
        let both = |name: &str| match name {
            "VK_DRIVER_FILES" => Some("/a.json:/b.json:".to_owned()),
            _ => Some("/c.json".to_owned()),
        };
        let files = named_drivers(both).expect("named");
        assert_eq!((files.variable, files.paths.len()), ("VK_DRIVER_FILES", 2));
        assert_eq!(files.missing(|path| path == Path::new("/a.json")), [Path::new("/b.json")]);
        assert_eq!(named_drivers(|_| None), None);
    }
}
