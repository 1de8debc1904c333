//! When a command is recorded, and when it is complete.
//!
//! | module | what it is |
//! |---|---|
//! | [`graph`] | commands that are not complete, and the commands that each waits for |
//! | [`queue`] | the order of a command queue |
//! | [`stream_choice`] | the stream in which a queue records a command |
//! | [`work`] | a command as the graph sees it, and the host's part of it |
//! | [`streams`] | a device's streams as the graph sees them |
//! | [`status`] | the status of commands, and failures |
//!
//! A command is a [`Work`]: something that can be recorded in a stream. The crate knows no OpenCL object and no Vulkan; its tests run
//! without a device.
#![forbid(unsafe_code)]

mod follow_up;
pub mod graph;
pub mod queue;
pub mod status;
pub mod stream_choice;
pub mod streams;
#[cfg(test)]
mod tests;
pub mod work;

pub use graph::{Node, Order, Relies};
pub use queue::CommandQueue;
pub use status::{Failure, LOST, Result, Status};
pub use stream_choice::StreamChoice;
pub use streams::{Streams, Then};
pub use work::{Done, HostWork, Work};
