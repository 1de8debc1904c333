//! Settings for one program: files that name programs by their executables.
//!
//! | file | whose |
//! |---|---|
//! | `$XDG_CONFIG_HOME/pumice/programs.toml`, else `~/.config/pumice/programs.toml` | the user's |
//! | `/etc/pumice/programs.toml` | the system's |
//!
//! A file is TOML. Each table is named after an executable, `*` stands for any characters, and a table's keys are the settings'
//! names ([`SETTINGS`]). The user's file comes before the system's, the environment before both. Within a file the name with
//! the most characters that are not `*` wins. A process with more rights than who started it reads the system's file alone.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::folders;
use crate::settings::{self, SETTINGS};

/// The file, in the user's folder for settings and in the system's.
const FILE: &str = "pumice/programs.toml";
/// A file with more bytes is not read.
const LIMIT: u64 = 1 << 20;
/// Settings that `vk-runtime` reads from the environment itself.
const ENVIRONMENT_ALONE: [&str; 1] = ["PUMICE_VALIDATE"];

/// A file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its place.
    pub path: PathBuf,
    /// Its settings, for each name of a program.
    pub programs: Vec<Program>,
}

/// The settings of a file for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The executable's file name; `*` stands for any characters.
    pub name: String,
    /// Settings and their values.
    pub values: Vec<(&'static str, String)>,
}

/// The files that there are, and what is wrong with them.
#[derive(Debug, Default)]
struct Files {
    files: Vec<File>,
    problems: Vec<String>,
}

/// The files that there are, in the order in which they are asked.
#[must_use]
pub fn files() -> &'static [File] {
    &read().files
}

/// The fault of the files.
#[must_use]
pub fn problems() -> &'static [String] {
    &read().problems
}

/// The entry of the files for a setting of this process: its value, the file and the program's name in it.
pub(crate) fn find(setting: &str) -> Option<(&'static str, &'static File, &'static Program)> {
    let files = files();
    if files.is_empty() {
        return None;
    }
    files.iter().find_map(|file| {
        let (program, value) = file.value(setting, own_name())?;
        Some((value, file, program))
    })
}

impl File {
    /// The entry of the file for a setting of an executable.
    fn value(&self, setting: &str, executable: &str) -> Option<(&Program, &str)> {
        let said = self.programs.iter().filter(|p| matches(&p.name, executable)).filter_map(|program| {
            let (_, value) = program.values.iter().find(|(name, _)| *name == setting)?;
            Some((program, value.as_str()))
        });
        said.max_by_key(|(program, _)| program.name.chars().filter(|c| *c != '*').count())
    }
}

/// The file name of this process's executable; nothing where the system does not tell.
fn own_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let path = std::env::current_exe().unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Linux says so of a file that was removed since.
        name.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(name)
    })
}

/// Returns whether a name with `*` is that of an executable.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = left.get(at + part.len()..).unwrap_or_default();
    }
    left.ends_with(tail)
}

fn read() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut out = Files::default();
        for path in user_file().into_iter().chain([folders::system_settings().join(FILE)]) {
            match vk_runtime::files::read_settings(&path, LIMIT) {
                Ok(bytes) => match parse(&path, &bytes) {
                    Ok((file, problems)) => {
                        out.files.push(file);
                        out.problems.extend(problems);
                    }
                    Err(problem) => out.problems.push(problem),
                },
                Err(e) if absent(&e) => {}
                Err(e) => out.problems.push(format!("'{}' is ignored: {e}", path.display())),
            }
        }
        out
    })
}

fn absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// The user's file; `None` in a process whose environment is somebody else's.
fn user_file() -> Option<PathBuf> {
    if vk_runtime::files::is_privileged() {
        return None;
    }
    Some(folders::settings()?.join(FILE))
}

/// A file's contents, and what in it means nothing.
///
/// # Errors
/// It is no TOML, or no text.
fn parse(path: &Path, bytes: &[u8]) -> Result<(File, Vec<String>), String> {
    let shown = path.display();
    let text = std::str::from_utf8(bytes).map_err(|e| format!("'{shown}' is ignored: {e}"))?;
    let root: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| format!("'{shown}' is ignored: {}", e.to_string().trim_end()))?;
    let (mut programs, mut problems) = (Vec::new(), Vec::new());
    for (name, content) in root {
        let toml::Value::Table(content) = content else {
            problems.push(format!(
                "'{shown}': '{name}' is ignored: settings stand in a table that names a program"
            ));
            continue;
        };
        let mut values = Vec::new();
        for (key, value) in content {
            let pair = setting(&key).map_err(str::to_owned).and_then(|setting| {
                let value = plain(&value)?;
                settings::problem(setting, &value).map_or(Ok((setting, value)), Err)
            });
            match pair {
                Ok(pair) => values.push(pair),
                Err(why) => problems.push(format!("'{shown}', '{name}': '{key}' is ignored: {why}")),
            }
        }
        programs.push(Program { name, values });
    }
    Ok((File { path: path.to_owned(), programs }, problems))
}

/// The setting of a name.
fn setting(name: &str) -> Result<&'static str, &'static str> {
    let found = SETTINGS.iter().find(|setting| setting.name == name).map(|setting| setting.name);
    match found {
        None => Err("there is no such setting; `pumice settings` lists them"),
        Some(name) if ENVIRONMENT_ALONE.contains(&name) => Err("it is read from the environment alone"),
        Some(name) => Ok(name),
    }
}

/// A value as the environment would have it.
fn plain(value: &toml::Value) -> Result<String, &'static str> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Boolean(flag) => Ok(u8::from(*flag).to_string()),
        _ => Err("a string, a whole number, or true or false is needed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (File, Vec<String>) {
        parse(Path::new("f.toml"), text.as_bytes()).expect("TOML")
    }

    #[test]
    fn names_with_stars() {
        let yes = [
            ("a", "a"),
            ("*", ""),
            ("*", "abc"),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c", "ac"),
            ("a*b*c", "a1b2b3c"),
        ];
        let no = [
            ("a", "ab"),
            ("a*", "ba"),
            ("*c", "cd"),
            ("a*a", "a"),
            ("a*b*c", "acb"),
            ("ab*", "a"),
            ("", "a"),
        ];
        assert!(yes.iter().all(|(pattern, name)| matches(pattern, name)));
        assert!(no.iter().all(|(pattern, name)| !matches(pattern, name)));
    }

    #[test]
    fn the_most_exact_name_that_says_something_wins() {
        let (file, problems) = parsed(
            "['*']\nPUMICE_PRESENT_DEVICE_TYPE = 'gpu'\nPUMICE_KEEP_CLOCKS = true\n\
             ['llama-*']\nPUMICE_PRESENT_DEVICE_TYPE = 'accelerator'\n\
             [llama-cli]\nPUMICE_PRESENT_DEVICE_VENDOR_ID = 0x5143\n",
        );
        assert_eq!(problems, Vec::<String>::new());
        let value = |setting, executable| {
            file.value(setting, executable).map(|(program, value)| (program.name.as_str(), value))
        };
        assert_eq!(value("PUMICE_PRESENT_DEVICE_TYPE", "llama-cli"), Some(("llama-*", "accelerator")));
        assert_eq!(value("PUMICE_PRESENT_DEVICE_TYPE", "x264"), Some(("*", "gpu")));
        assert_eq!(value("PUMICE_PRESENT_DEVICE_VENDOR_ID", "llama-cli"), Some(("llama-cli", "20803")));
        assert_eq!(value("PUMICE_KEEP_CLOCKS", "llama-cli"), Some(("*", "1")));
        assert_eq!(value("PUMICE_PRESENT_DEVICE_VENDOR_ID", "llama-bench"), None);
    }

    #[test]
    fn what_means_nothing_is_said_and_the_rest_stays() {
        let (file, problems) = parsed(
            "PUMICE_SVM = 'off'\n[a]\nPUMICE_NOTHING = '1'\nPUMICE_VALIDATE = 1\nPUMICE_SVM = ['x']\n\
             PUMICE_PRESENT_PROFILE = 'most'\nPUMICE_LOG = 'info'\n",
        );
        assert_eq!(
            file.programs,
            [Program { name: "a".to_owned(), values: vec![("PUMICE_LOG", "info".to_owned())] }]
        );
        let all = problems.join("\n");
        assert_eq!(problems.len(), 5, "{all}");
        for part in [
            "'PUMICE_SVM' is ignored: settings stand in a table",
            "'PUMICE_NOTHING' is ignored: there is no such setting",
            "'PUMICE_VALIDATE' is ignored: it is read from the environment alone",
            "'PUMICE_SVM' is ignored: a string",
            "'PUMICE_PRESENT_PROFILE' is ignored: full or embedded is needed",
        ] {
            assert!(all.contains(part), "{part}\n{all}");
        }
    }

    #[test]
    fn other_files_are_refused_with_the_line() {
        let refused = |bytes: &[u8]| parse(Path::new("f.toml"), bytes).expect_err("no TOML");
        let message = refused(b"[a]\nPUMICE_SVM = off\n");
        assert!(message.starts_with("'f.toml' is ignored: ") && message.contains("line 2"), "{message}");
        assert!(refused(b"[a]\n[a]\n").contains("duplicate key"), "{}", refused(b"[a]\n[a]\n"));
        assert!(refused(&[0xff, 0xfe]).contains("utf-8"));
        assert!(
            parse(Path::new("f.toml"), b"")
                .is_ok_and(|(file, problems)| file.programs.is_empty() && problems.is_empty())
        );
        let deep = format!("a = {}", "[".repeat(100_000));
        assert!(parse(Path::new("f.toml"), deep.as_bytes()).is_err());
    }
}
