//! Launches: kernels recorded into a stream.
//!
//! | module | content |
//! |---|---|
//! | [`dispatch`] | launches by a queue |
//! | [`gather`] | arguments copied together for launches of the packed model |
//! | [`initializers`] | kernels that give objects of a program their values |
//! | [`prepared`] | launches that are prepared once and recorded many times |
//! | [`recording`] | recording of a launch into the open batch |
//! | [`resume`] | launches of kernels that resume loops which the driver ended |
//! | [`sequence`] | launches in a command buffer of their own, which is submitted many times |
//! | [`time_slices`] | launches in parts of bounded time |

pub(crate) mod dispatch;
pub(crate) mod gather;
mod initializers;
pub(crate) mod prepared;
pub(crate) mod recording;
pub(crate) mod resume;
pub(crate) mod sequence;
pub(crate) mod time_slices;
