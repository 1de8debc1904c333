//! `pumice completions` and `pumice man`: what shells and `man` know of the program, from its grammar.

use crate::cli::Cli;
use crate::error::CliError;
use crate::output;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::path::Path;

/// Prints a shell's completions.
///
/// # Errors
/// Standard output cannot be written.
pub fn print(shell: Shell) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pumice", &mut script);
    output::write(&script)
}

/// Writes the man pages into a folder: one of the program, and one of each subcommand.
///
/// # Errors
/// The folder cannot be written.
pub fn man(folder: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(folder).map_err(|e| CliError::writing(folder, e))?;
    let mut command = Cli::command();
    // `help` has no page: it shows the others.
    command = command.disable_help_subcommand(true);
    command.build();
    pages(&command, "pumice", folder)
}

fn pages(command: &Command, name: &str, folder: &Path) -> Result<(), CliError> {
    let file = folder.join(format!("{name}.1"));
    let mut page = Vec::new();
    // `build` gave the commands their names: `pumice-icd-install`.
    clap_mangen::Man::new(command.clone())
        .title(name)
        .source(format!("Pumice {}", env!("CARGO_PKG_VERSION")))
        .manual("Pumice's manual")
        // Without a date the page is the same whenever it is made.
        .date("")
        .render(&mut page)
        .and_then(|()| std::fs::write(&file, &page))
        .map_err(|e| CliError::writing(&file, e))?;
    for inner in command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        pages(inner, &format!("{name}-{}", inner.get_name()), folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_completions_name_every_command() {
        let folder = tempfile::tempdir().expect("temporary directory");
        man(folder.path()).expect("written");
        for name in ["pumice", "pumice-run", "pumice-doctor", "pumice-icd-install"] {
            let page = std::fs::read_to_string(folder.path().join(format!("{name}.1"))).expect(name);
            assert!(page.contains(".SH SYNOPSIS"), "{page}");
        }
        assert!(!folder.path().join("pumice-ir.1").exists(), "a hidden command has no page");
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "pumice", &mut script);
            let script = String::from_utf8(script).expect("text");
            assert!(script.contains("doctor") && script.contains("completions"), "{shell}");
        }
    }
}
