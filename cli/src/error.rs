//! What can go wrong in the program, and the exit code of each.

use lower::LowerError;
use std::path::PathBuf;
use vk_runtime::RuntimeError;

/// Any failure of the program.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line is wrong.
    #[error("{0}\n(see 'pumice --help' and 'pumice COMMAND --help')")]
    Usage(String),
    /// A build option is wrong.
    #[error("{0}")]
    BuildOption(#[from] frontend::options::OptionError),
    /// A file could not be read or written.
    #[error("cannot {action} '{}': {source}", path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file's contents are not what they should be.
    #[error("'{}': {message}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A `--target` or `PUMICE_TARGET` file gives no Target.
    #[error("{0}")]
    Target(#[from] host::target::TargetError),
    /// The lowering refused.
    #[error("{0}")]
    Lower(#[from] LowerError),
    /// Vulkan or the launch failed.
    #[error("{0}")]
    Runtime(#[from] RuntimeError),
    /// Anything else that makes the work fail.
    #[error("{0}")]
    Failed(String),
    /// The message was printed already; the exit code.
    #[error("failed")]
    Shown(u8),
}

impl CliError {
    /// The exit code: 2 for wrong usage, 1 for failed work.
    pub fn exit_code(&self) -> u8 {
        match self {
            CliError::Usage(_) | CliError::BuildOption(_) => 2,
            CliError::Shown(code) => *code,
            _ => 1,
        }
    }

    /// A file that could not be read.
    pub fn reading(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        CliError::File { action: "read", path: path.into(), source }
    }

    /// A file that could not be written.
    pub fn writing(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        CliError::File { action: "write", path: path.into(), source }
    }
}
