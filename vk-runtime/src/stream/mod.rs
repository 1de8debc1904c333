//! Streams: in-order sequences of commands, and their submission.
//!
//! | module | content |
//! |---|---|
//! | [`background`] | a stream's background thread |
//! | [`batch`] | command buffers with the objects that they keep alive, and their recycling |
//! | [`binding`] | pipelines, descriptor sets and push constants bound in a batch |
//! | [`command`] | commands as data, the resources that they use, and their recorder |
//! | [`command_buffer_cache`] | command buffers that are recorded once and submitted again |
//! | [`command_stream`] | one stream: its lock, submission and waits |
//! | [`deferred`] | launches that are ordered, but recorded later |
//! | [`device_streams`] | all streams of a device |
//! | [`fault_probe`] | small dispatches that show whether a device still executes work-groups |
//! | [`fence`] | fences of batches, and what a thread waits for |
//! | [`hazards`] | the barriers between commands |
//! | [`loss_watch`] | detection of a loss that timelines do not show |
//! | [`polling`] | polling of a timeline, the first part of a wait |
//! | [`progress`] | completed values, completion callbacks and the background thread |
//! | [`queue`] | queues: handles on streams |
//! | [`run_time`] | how long a stream was seen to run without progress |
//! | [`semaphore`] | semaphores that other APIs signal and wait for |
//! | [`shared`] | timelines and progress of all streams of a device |
//! | [`state`] | everything behind a stream's lock |
//! | [`submission`] | submission of batches, and their end |
//! | [`timestamps`] | the host's clock, timestamps, and their calibration |
//! | [`wait_leader`] | one thread at a time waits in the driver for a stream |

pub(crate) mod background;
pub(crate) mod batch;
pub(crate) mod binding;
pub(crate) mod command;
pub(crate) mod command_buffer_cache;
pub(crate) mod command_stream;
pub(crate) mod deferred;
pub(crate) mod device_streams;
pub(crate) mod fault_probe;
pub(crate) mod fence;
pub(crate) mod hazards;
pub(crate) mod loss_watch;
pub(crate) mod polling;
pub(crate) mod progress;
pub(crate) mod queue;
pub(crate) mod run_time;
pub(crate) mod semaphore;
pub(crate) mod shared;
pub(crate) mod state;
pub(crate) mod submission;
pub(crate) mod timestamps;
pub(crate) mod wait_leader;
