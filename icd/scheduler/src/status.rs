//! The status of commands, with the numbers of OpenCL (§5.11).

/// The status of a command: one of the constants of this module, or a negative error code.
pub type Status = i32;

/// The command is enqueued and not recorded.
pub const QUEUED: Status = 3;
/// The command is recorded.
pub const SUBMITTED: Status = 2;
/// The device executes the command.
pub const RUNNING: Status = 1;
/// The command is complete.
pub const COMPLETE: Status = 0;
/// The device is lost, or a command was terminated or found no memory.
pub const OUT_OF_RESOURCES: Status = -5;
/// A command of the wait list failed.
pub const WAIT_LIST_FAILED: Status = -14;
/// A status is set twice, or for a command that is no user event.
pub const INVALID_OPERATION: Status = -59;

/// The negative status of a command that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Failure(pub Status);

/// The failure of commands on a lost device, and of those whose submission failed.
pub const LOST: Failure = Failure(OUT_OF_RESOURCES);

/// The results of this crate.
pub type Result<T, E = Failure> = std::result::Result<T, E>;
