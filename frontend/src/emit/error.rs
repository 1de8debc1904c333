//! The error of emission.

/// Something could not be emitted; the diagnostic has been reported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failed;

/// What most functions here give.
pub(super) type Emit<T> = Result<T, Failed>;
