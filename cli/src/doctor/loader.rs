//! The OpenCL loader and its ICD files.

use std::path::{Path, PathBuf};

use super::machine::Machine;
use super::report::{Mark, Section};
use crate::icd::LIBRARY;

/// The library that programs are linked with.
const LOADER: &str = if cfg!(windows) { "OpenCL.dll" } else { "libOpenCL.so.1" };

/// Looks for the loader, the files `*.icd`, and their libraries.
pub fn check(machine: &Machine) -> Section {
    let mut section = Section::new("OpenCL loader");
    let own = loader(machine, &mut section);
    let found = drivers(machine, &mut section);
    match found {
        _ if own => {}
        0 => section.add(
            Mark::Wrong,
            format!(
                "no {LIBRARY} among them, so OpenCL programs do not find Pumice; `pumice icd install` tells the loader"
            ),
        ),
        1 => {}
        n => section.add(Mark::Note, format!("{LIBRARY} is named {n} times: programs see {n} platforms of Pumice")),
    }
    section
}

/// The loader itself; true where it is Pumice.
fn loader(machine: &Machine, section: &mut Section) -> bool {
    let path = match (machine.open)(LOADER) {
        Ok(path) => path,
        Err(why) => {
            let cure = "install one (Debian: apt install ocl-icd-libopencl1)";
            section.add(Mark::Wrong, format!("{why}; {cure}"));
            return false;
        }
    };
    let kind = path.as_deref().map_or(UNKNOWN, |path| kind(machine, path));
    let shown = path.as_deref().unwrap_or(Path::new(LOADER)).display();
    section.add(Mark::Good, format!("{shown}: {kind}"));
    kind == PUMICE
}

const OCL_ICD: &str = "the loader ocl-icd";
const UNKNOWN: &str = "a loader of unknown kind";
const PUMICE: &str = "Pumice, which takes the loader's place: no other platform is seen";

/// A library has a text.
fn has(machine: &Machine, path: &Path, text: &str) -> bool {
    let bytes = std::fs::read(machine.at(path)).unwrap_or_default();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Who made a loader, by the texts in it.
fn kind(machine: &Machine, path: &Path) -> &'static str {
    let has = |text| has(machine, path, text);
    match () {
        () if is_pumice(path) || has("PUMICE_PRESENT_PLATFORM_NAME") => PUMICE,
        () if has("OCL Icd free software") => OCL_ICD,
        () if has("Khronos Group") || has("OCL_ICD_FILENAMES") => "the Khronos loader",
        () => UNKNOWN,
    }
}

fn is_pumice(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(LIBRARY.split('.').next().unwrap_or(LIBRARY)))
}

/// The drivers; gives how many times `libpumice.so` is among those that can be opened.
fn drivers(machine: &Machine, section: &mut Section) -> usize {
    let mut found = 0;
    #[cfg(windows)]
    for name in crate::icd::registry::drivers() {
        found += usize::from(driver(machine, section, Path::new(crate::icd::SYSTEM), Ok(name)));
    }
    for folder_or_file in places(machine, section) {
        let is_icd = folder_or_file.extension().is_some_and(|e| e == "icd");
        let files = match machine.at(&folder_or_file).is_dir() {
            true => machine.files(&folder_or_file, ".icd"),
            false => vec![folder_or_file.clone()],
        };
        if files.is_empty() {
            section.add(Mark::Note, format!("{}: no file *.icd", folder_or_file.display()));
        }
        for file in files {
            let icd = file.extension().is_some_and(|e| e == "icd");
            let library = match icd {
                true => first_line(machine, &file),
                // ocl-icd takes a library there.
                false if !is_icd => Ok(file.display().to_string()),
                false => continue,
            };
            found += usize::from(driver(machine, section, &file, library));
        }
    }
    let more = machine.variable("OCL_ICD_FILENAMES").unwrap_or_default();
    for path in std::env::split_paths(more).filter(|p| !p.as_os_str().is_empty()) {
        found += usize::from(driver(
            machine,
            section,
            Path::new("OCL_ICD_FILENAMES"),
            Ok(path.display().to_string()),
        ));
    }
    found
}

/// The folders or files in which the loader looks.
fn places(machine: &Machine, section: &mut Section) -> Vec<PathBuf> {
    const SYSTEM: &str = crate::icd::SYSTEM;
    for name in ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"] {
        let Some(value) = machine.variable(name) else { continue };
        let place = PathBuf::from(value);
        // Very old loaders read the second one alone, others the first.
        section.add(Mark::Note, format!("{name}={value}: the loader looks there in place of {SYSTEM}"));
        if !machine.at(&place).exists() {
            section.add(Mark::Wrong, format!("{name}: there is no '{value}'"));
            return Vec::new();
        }
        return vec![place];
    }
    if cfg!(windows) {
        return Vec::new();
    }
    if !machine.at(SYSTEM).is_dir() {
        section.add(Mark::Note, format!("there is no folder {SYSTEM}"));
        return Vec::new();
    }
    vec![PathBuf::from(SYSTEM)]
}

/// The library that a file `*.icd` names.
fn first_line(machine: &Machine, file: &Path) -> Result<String, String> {
    let text = machine.read(file)?;
    let line = text.lines().next().unwrap_or_default().trim();
    match line.is_empty() {
        true => Err("it names no library".to_owned()),
        false => Ok(line.to_owned()),
    }
}

/// One driver; true where it is Pumice and can be opened.
fn driver(machine: &Machine, section: &mut Section, file: &Path, library: Result<String, String>) -> bool {
    let shown = file.display();
    let library = match library {
        Ok(library) => library,
        Err(why) => {
            section.add(Mark::Wrong, format!("{shown}: {why}"));
            return false;
        }
    };
    let ours = is_pumice(Path::new(&library));
    match (machine.open)(&library) {
        Ok(path) => {
            section.add(Mark::Good, format!("{shown}: {library}"));
            let path = path.unwrap_or_else(|| PathBuf::from(&library));
            if let Some(own) = machine.library.as_deref().filter(|own| ours && *own != path) {
                section.add(
                    Mark::More,
                    format!("that is not the {LIBRARY} that belongs to this program, {}", own.display()),
                );
            }
            ours
        }
        // Another's driver that does not load hides no device of ours.
        Err(why) => {
            section.add(
                if ours { Mark::Wrong } else { Mark::Note },
                format!("{shown}: {library} does not load: {why}"),
            );
            false
        }
    }
}
