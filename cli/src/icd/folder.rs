//! The folder of files `*.icd`, where the ICD loader looks on systems other than Windows.

use std::fs;
use std::path::{Path, PathBuf};

use super::{existing, find_library};
use crate::cli::{IcdArgs, IcdCommand};
use crate::error::CliError;
use crate::output;

/// The folder in which loaders look.
pub const SYSTEM: &str = "/etc/OpenCL/vendors";
const FILE: &str = "pumice.icd";

/// Runs `pumice icd`.
///
/// # Errors
/// The library is not found, a file cannot be written, no home directory is known.
pub(super) fn command(what: &IcdCommand) -> Result<(), CliError> {
    match what {
        IcdCommand::Install { args, library } => {
            let library = library.as_deref().map_or_else(find_library, existing)?;
            install(&directory(args)?, &library)?;
            hint(args)
        }
        IcdCommand::Uninstall { args } => uninstall(&directory(args)?),
        IcdCommand::Path => output::line(find_library()?.display().to_string()),
    }
}

/// Where the file goes.
fn directory(args: &IcdArgs) -> Result<PathBuf, CliError> {
    match (&args.dir, args.user) {
        (Some(dir), _) => Ok(dir.clone()),
        (None, false) => Ok(PathBuf::from(SYSTEM)),
        (None, true) => user_directory(),
    }
}

fn user_directory() -> Result<PathBuf, CliError> {
    let from = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let data = from("XDG_DATA_HOME").or_else(|| from("HOME").map(|home| home.join(".local/share")));
    let data =
        data.ok_or_else(|| CliError::Failed("HOME is not set: name a directory with --dir".to_owned()))?;
    Ok(data.join("OpenCL/vendors"))
}

fn install(dir: &Path, library: &Path) -> Result<(), CliError> {
    let file = dir.join(FILE);
    fs::create_dir_all(dir).map_err(|e| CliError::writing(dir, e))?;
    fs::write(&file, format!("{}\n", library.display())).map_err(|e| CliError::writing(&file, e))?;
    output::line(format!("{} names {}", file.display(), library.display()))
}

/// What else is needed for the loader to look there.
fn hint(args: &IcdArgs) -> Result<(), CliError> {
    let dir = directory(args)?;
    if dir == Path::new(SYSTEM) {
        return Ok(());
    }
    output::line(format!(
        "the ICD loader looks there, and no longer in {SYSTEM}, with\n    export OCL_ICD_VENDORS={0}\n\
         (very old loaders read OPENCL_VENDOR_PATH={0} in its place)",
        dir.display()
    ))
}

fn uninstall(dir: &Path) -> Result<(), CliError> {
    let file = dir.join(FILE);
    match fs::remove_file(&file) {
        Ok(()) => output::line(format!("{} is removed", file.display())),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            output::line(format!("{} is not there", file.display()))
        }
        Err(e) => Err(CliError::writing(&file, e)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::LIBRARY;
    use super::*;

    #[test]
    fn installs_and_uninstalls() {
        let dir = std::env::temp_dir().join(format!("pumice-icd-{}", std::process::id()));
        let library = dir.join(LIBRARY);
        fs::create_dir_all(&dir).expect("temporary directory");
        fs::write(&library, "").expect("file");
        let args = || IcdArgs { user: false, dir: Some(dir.join("vendors")) };
        command(&IcdCommand::Install { args: args(), library: Some(library.clone()) }).expect("installed");
        let text = fs::read_to_string(dir.join("vendors").join(FILE)).expect("file");
        assert_eq!(Path::new(text.trim()), library.canonicalize().expect("there"));
        command(&IcdCommand::Uninstall { args: args() }).expect("removed");
        command(&IcdCommand::Uninstall { args: args() }).expect("gone already");
        assert!(!dir.join("vendors").join(FILE).exists());
        let missing = Some(dir.join("none.so"));
        assert!(command(&IcdCommand::Install { args: args(), library: missing }).is_err());
        fs::remove_dir_all(&dir).expect("removed");
    }
}
