//! The Vulkan loader and its drivers' manifests.

use std::path::{Path, PathBuf};

use super::machine::Machine;
use super::report::{Mark, Section};
use serde_json::Value;

/// The loader's file.
const LOADER: &str = if cfg!(windows) { "vulkan-1.dll" } else { "libvulkan.so.1" };

/// Looks for the loader, the drivers' files, and their libraries.
pub fn check(machine: &Machine) -> Section {
    let mut section = Section::new("Vulkan drivers");
    match (machine.open)(LOADER) {
        Ok(path) => {
            section.add(Mark::Good, path.unwrap_or_else(|| PathBuf::from(LOADER)).display().to_string());
        }
        Err(why) => {
            section.add(Mark::Wrong, format!("{why}; install one (Debian: apt install libvulkan1)"));
        }
    }
    for name in ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"] {
        if let Some(value) = machine.variable(name) {
            section.add(Mark::Note, format!("{name}={value}: the loader leaves some of these drivers out"));
        }
    }
    if cfg!(windows) {
        section.add(
            Mark::Note,
            "drivers are registered with their GPUs, and are not looked at here; the devices are below",
        );
        return section;
    }
    let usable =
        files(machine, &mut section).iter().filter(|file| driver(machine, &mut section, file)).count();
    if usable == 0 {
        let cure = "install one (Debian: apt install mesa-vulkan-drivers gives a CPU device)";
        section.add(Mark::Wrong, format!("no driver that loads; {cure}"));
    }
    section
}

/// The drivers' files, in the loader's order.
fn files(machine: &Machine, section: &mut Section) -> Vec<PathBuf> {
    let named = vk_runtime::named_drivers(|name| machine.variable(name).map(str::to_owned));
    if let Some(named) = named {
        section.add(
            Mark::Note,
            format!("{}={}: the loader takes these drivers alone", named.variable, named.value),
        );
        for missing in named.missing(|path| machine.at(path).exists()) {
            section.add(Mark::Wrong, format!("{}: there is no file '{}'", named.variable, missing.display()));
        }
        return contents(machine, named.paths.iter().filter(|path| machine.at(path).exists()));
    }
    let added = machine.variable("VK_ADD_DRIVER_FILES").unwrap_or_default();
    let added: Vec<PathBuf> = std::env::split_paths(added).filter(|p| !p.as_os_str().is_empty()).collect();
    for missing in added.iter().filter(|path| !machine.at(path).exists()) {
        section.add(Mark::Wrong, format!("VK_ADD_DRIVER_FILES: there is no file '{}'", missing.display()));
    }
    let folders: Vec<PathBuf> = folders(machine).iter().map(|folder| folder.join("vulkan/icd.d")).collect();
    contents(machine, added.iter().chain(&folders).filter(|path| machine.at(path).exists()))
}

/// Files, and those in folders.
fn contents<'a>(machine: &Machine, paths: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let one = |path: &PathBuf| match machine.at(path).is_dir() {
        true => machine.files(path, ".json"),
        false => vec![path.clone()],
    };
    paths.flat_map(one).collect()
}

/// The folders that the loader searches (its document LoaderDriverInterface.md, "Driver Discovery on Linux").
fn folders(machine: &Machine) -> Vec<PathBuf> {
    let home = machine.variable("HOME").map(PathBuf::from);
    let user = |name: &str, default: &str| {
        machine.variable(name).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(default)))
    };
    let system = |name: &str, default: &str| -> Vec<PathBuf> {
        std::env::split_paths(machine.variable(name).unwrap_or(default)).collect()
    };
    let mut out: Vec<PathBuf> = user("XDG_CONFIG_HOME", ".config").into_iter().collect();
    out.extend(system("XDG_CONFIG_DIRS", "/etc/xdg"));
    out.extend(["/etc", "/usr/local/etc"].map(PathBuf::from));
    out.extend(user("XDG_DATA_HOME", ".local/share"));
    out.extend(system("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|folder| seen.insert(folder.clone()));
    out
}

/// One driver; true where its library loads.
fn driver(machine: &Machine, section: &mut Section, file: &Path) -> bool {
    let shown = file.display();
    let (library, version) = match manifest(machine, file) {
        Ok(found) => found,
        Err(why) => {
            section.add(Mark::Wrong, format!("{shown}: {why}"));
            return false;
        }
    };
    match (machine.open)(&library) {
        Ok(_) => {
            section.add(Mark::Good, format!("{shown}: {library}, Vulkan {version}"));
            true
        }
        // Files of other architectures stand beside those of this one.
        Err(why) => {
            section.add(Mark::Note, format!("{shown}: {library} does not load: {why}"));
            false
        }
    }
}

/// The library and the Vulkan version that a driver's file names.
fn manifest(machine: &Machine, file: &Path) -> Result<(String, String), String> {
    let text = machine.read(file)?;
    let json: Value = serde_json::from_str(&text).map_err(|e| format!("it is no JSON: {e}"))?;
    let library = json["ICD"]["library_path"].as_str().ok_or("it has no ICD.library_path")?;
    let version = json["ICD"]["api_version"].as_str().unwrap_or("of unknown version");
    // A path with a slash is relative to the file, a name is looked up.
    let library = match library.contains('/') && !library.starts_with('/') {
        true => file.parent().unwrap_or(Path::new("/")).join(library).display().to_string(),
        false => library.to_owned(),
    };
    Ok((library, version.to_owned()))
}
