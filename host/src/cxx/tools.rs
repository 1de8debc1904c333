//! The clang and the translator that are installed.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::settings;

/// The versions of LLVM that are looked for; 14 is the first whose clang knows SPIR-V.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=40;

/// clang, and LLVM's translator (`llvm-spirv`) of the same version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    clang: PathBuf,
    translator: PathBuf,
    /// LLVM's version, where a name tells it.
    version: Option<u32>,
}

impl Tools {
    /// The tools of this process: what `PUMICE_CLANG` names, or the newest pair on the path where it is `1`. `None` where it is not set, for
    /// Pumice compiles C++ itself; where there are none; where sources may read no files ([`settings::includes`]; clang cannot be kept from it), and in a process with more rights than who started
    /// it, whose path is somebody else's.
    pub fn find() -> Option<&'static Tools> {
        static TOOLS: OnceLock<Option<Tools>> = OnceLock::new();
        let find = || {
            if !settings::includes() {
                return None;
            }
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders: Vec<PathBuf> =
                std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
            match settings::get("PUMICE_CLANG") {
                Some(clang) if clang == "0" => None,
                Some(clang) if clang == "1" => Tools::newest(&folders),
                Some(clang) => Tools::named(&clang, &folders),
                // Pumice compiles C++ itself.
                None => None,
            }
        };
        TOOLS.get_or_init(find).as_ref()
    }

    /// These tools.
    pub(super) fn new(clang: PathBuf, translator: PathBuf, version: Option<u32>) -> Tools {
        Tools { clang, translator, version }
    }

    /// The newest pair in these folders; pairs without numbers after the others.
    fn newest(folders: &[PathBuf]) -> Option<Tools> {
        let numbered = VERSIONS.rev().find_map(|version| {
            let translator = in_folders(folders, &format!("llvm-spirv-{version}"))?;
            Some(Tools::new(in_folders(folders, &format!("clang-{version}"))?, translator, Some(version)))
        });
        numbered.or_else(|| Tools::named("clang", folders))
    }

    /// A clang by its name or path, with the translator of its number, or with the one that has no number.
    fn named(clang: &str, folders: &[PathBuf]) -> Option<Tools> {
        let clang = match clang.contains('/') {
            true => Some(PathBuf::from(clang)).filter(|path| path.is_file()),
            false => in_folders(folders, clang),
        }?;
        // `clang` is a link to `/usr/lib/llvm-19/bin/clang` as distributions have it.
        let real = clang.canonicalize().unwrap_or_else(|_| clang.clone());
        let version = [&clang, &real].into_iter().find_map(|path| number(path));
        let beside: Vec<PathBuf> = [&clang, &real]
            .into_iter()
            .filter_map(|path| path.parent())
            .map(Path::to_owned)
            .chain(folders.iter().cloned())
            .collect();
        let translator = version
            .and_then(|version| in_folders(&beside, &format!("llvm-spirv-{version}")))
            .or_else(|| in_folders(&beside, "llvm-spirv"))?;
        Some(Tools::new(clang, translator, version))
    }

    pub(super) fn clang(&self) -> &Path {
        &self.clang
    }

    pub(super) fn translator(&self) -> &Path {
        &self.translator
    }

    /// The identity of the tools, for caches of their results: paths, sizes and times.
    pub fn identity(&self) -> String {
        let of = |path: &Path| {
            let file = std::fs::metadata(path).ok();
            format!(
                "{} {:?} {:?}",
                path.display(),
                file.as_ref().map(std::fs::Metadata::len),
                file.and_then(|f| f.modified().ok())
            )
        };
        format!("{} {}", of(&self.clang), of(&self.translator))
    }

    /// The arguments by which pointers keep their types: the translators of LLVM 15 and 16 give modules of those that have none whose
    /// types do not fit.
    pub(super) fn pointers(&self) -> &'static [&'static str] {
        match self.version {
            Some(15 | 16) => &["-Xclang", "-no-opaque-pointers"],
            _ => &[],
        }
    }

    /// The part of CL_DEVICE_SPIRV_EXTENSIONS that the translator may use, by the knowledge of each version.
    pub(super) fn extensions(&self) -> String {
        const ALL: [&str; 7] = [
            "SPV_KHR_no_integer_wrap_decoration",
            "SPV_KHR_linkonce_odr",
            "SPV_KHR_expect_assume",
            "SPV_KHR_integer_dot_product",
            "SPV_KHR_bit_instructions",
            "SPV_EXT_shader_atomic_float_add",
            "SPV_EXT_shader_atomic_float_min_max",
        ];
        const SINCE_16: [&str; 2] = ["SPV_KHR_uniform_group_instructions", "SPV_KHR_subgroup_rotate"];
        let newer: &[&str] = if self.version.is_some_and(|version| version >= 16) { &SINCE_16 } else { &[] };
        let names: Vec<String> = ALL.iter().chain(newer).map(|name| format!("+{name}")).collect();
        format!("--spirv-ext={}", names.join(","))
    }
}

fn in_folders(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// LLVM's version as a path tells it: `clang-19`, `/usr/lib/llvm-19/bin/clang`.
fn number(path: &Path) -> Option<u32> {
    let of = |part: &std::ffi::OsStr| {
        let (name, number) = part.to_str()?.rsplit_once('-')?;
        matches!(name, "clang" | "llvm").then(|| number.parse().ok())?
    };
    path.iter().rev().find_map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(folder: &Path, names: &[&str]) {
        for name in names {
            std::fs::write(folder.join(name), "").expect("a file");
        }
    }

    #[test]
    fn the_newest_pair_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = [folder.path().to_owned()];
        assert_eq!(Tools::newest(&folders), None);
        touch(folder.path(), &["clang", "clang-15", "clang-19", "llvm-spirv-15"]);
        let at = |name: &str| folder.path().join(name);
        let pair = |version: u32| {
            Tools::new(at(&format!("clang-{version}")), at(&format!("llvm-spirv-{version}")), Some(version))
        };
        assert_eq!(Tools::newest(&folders), Some(pair(15)), "clang 19 has no translator");
        touch(folder.path(), &["llvm-spirv-19", "llvm-spirv"]);
        assert_eq!(Tools::newest(&folders), Some(pair(19)));
        assert_eq!(Tools::named("clang-15", &folders), Some(pair(15)));
        assert_eq!(
            Tools::named(&at("clang").to_string_lossy(), &folders),
            Some(Tools::new(at("clang"), at("llvm-spirv"), None))
        );
        assert_eq!(Tools::named("clang-21", &folders), None);
    }

    #[test]
    fn versions_by_paths() {
        assert_eq!(number(Path::new("/usr/lib/llvm-19/bin/clang")), Some(19));
        assert_eq!(number(Path::new("/opt/clang-21")), Some(21));
        assert_eq!(number(Path::new("/usr/bin/clang")), None);
    }
}
