//! Plain data that the Vulkan runtime and the scheduler of commands share. It knows neither Vulkan nor OpenCL.
//!
//! | module | what it is |
//! |---|---|
//! | [`point`] | points: moments in the streams of a device |
//! | [`left_out`] | launches that could not be recorded after their enqueue |
//! | [`per_stream`] | values and points that threads share, one for each stream |
//! | [`sync`] | locks that each thread counts in debug builds |
#![forbid(unsafe_code)]

pub mod left_out;
pub mod per_stream;
pub mod point;
pub mod sync;

pub use left_out::{Cause, LeftOut, Noted};
pub use per_stream::{PerStream, STREAMS, SharedPoints};
pub use point::{Point, Points};
