//! The folders of compiled programs and pipelines.

use super::machine::Machine;
use super::report::{Mark, Section};
use host::cache;
use vk_runtime::files::Folder;

/// A file that is written and removed.
const PROBE: &str = "doctor.tmp";

/// Looks at the caches' folder: its size, and that it can be written.
pub fn check(_machine: &Machine) -> Section {
    let mut section = Section::new("Caches");
    let Some(directory) = host::settings::cache_dir() else {
        section.add(Mark::Note, "off: PUMICE_CACHE_DIR is empty, or there is no home directory");
        return section;
    };
    let shown = directory.display();
    match Folder::make(&directory).and_then(|folder| folder.write(PROBE, &[b"x"]).map(|()| folder)) {
        Ok(folder) => {
            folder.remove(PROBE);
            section.add(Mark::Good, format!("{shown} can be written"));
        }
        Err(e) => section.add(
            Mark::Wrong,
            format!("{shown} is not used: {e}; kernels are compiled again in each process"),
        ),
    }
    match cache::parts(&directory) {
        Ok(parts) => {
            for part in parts {
                section.add(Mark::Good, part.to_string());
            }
        }
        // That was said above.
        Err(_) if section.wrong() > 0 => {}
        Err(e) => section.add(Mark::Wrong, e.to_string()),
    }
    section
}
