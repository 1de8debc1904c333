//! Plain data that the Vulkan runtime and the scheduler of commands share. It knows neither Vulkan nor OpenCL.
//!
//! | module | what it is |
//! |---|---|
//! | [`point`] | points: moments in the streams of a device |
//! | [`dropped_launches`] | launches that could not be recorded after their enqueue |
//! | [`per_stream`] | values and points that threads share, one for each stream |
//! | [`sync`] | locks that each thread counts in debug builds |
#![forbid(unsafe_code)]

pub mod dropped_launches;
pub mod per_stream;
pub mod point;
pub mod sync;

pub use dropped_launches::{Cause, DeferredLaunch, DroppedLaunches};
pub use per_stream::{PerStream, STREAMS, SharedPoints};
pub use point::{Point, Points};
