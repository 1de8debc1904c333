//! The errors of lowering, separated by cause.

/// Why a module was not lowered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The module itself is at fault: damaged, invalid, or using what OpenCL does not allow.
    #[error("invalid module: {0}")]
    InvalidModule(String),
    /// The device cannot do what the module needs. The message names the feature.
    #[error("{kernel}: the device '{device}' cannot run this: {needs}")]
    Unsupported {
        /// The kernel (or function) at fault.
        kernel: String,
        /// The Target's name.
        device: String,
        /// The missing feature, by its Vulkan name if it has one.
        needs: String,
    },
    /// Pumice does not support this yet, on any device. The message names the construct.
    #[error("{kernel}: not supported yet: {what}")]
    NotYet {
        /// The kernel (or function) at fault.
        kernel: String,
        /// The construct.
        what: String,
    },
    /// The caller asked for a kernel that the module does not have.
    #[error("no kernel '{0}' in the program")]
    NoSuchKernel(String),
    /// Kernels exceed [`Module::size_limit`](crate::ir::Module::size_limit). [`lower`](crate::lower) begins again with
    /// [`LowerOptions::share_in`](crate::LowerOptions::share_in), and does not give this error.
    #[error("larger than the limit: {}", .0.join(", "))]
    TooLarge(Vec<String>),
    /// A bug in the lowering: a pass broke an invariant.
    #[error("internal error in pass '{pass}': {message} (this is a bug in Pumice)")]
    Bug {
        /// The pass after which the verifier complained.
        pass: &'static str,
        /// The verifier's message.
        message: String,
    },
    /// A bug in the lowering: the code was broken when a phase ended.
    #[error(
        "internal error at the end of the phase '{phase}', after the pass '{pass}': {message} (this is a bug in Pumice)"
    )]
    BrokenPhase {
        /// The phase's name.
        phase: &'static str,
        /// The last pass that ran.
        pass: &'static str,
        /// The verifier's message.
        message: String,
    },
}

impl From<spirv_io::ReadError> for LowerError {
    fn from(error: spirv_io::ReadError) -> Self {
        LowerError::InvalidModule(error.to_string())
    }
}
