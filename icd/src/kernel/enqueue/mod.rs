//! Launches of kernels that enqueue kernels (OpenCL C §6.15.17).
//!
//! Kernels write packets to the launch's **arena** ([`lower::enqueue::layout`]). When the launch of the host is done, the host reads them and
//! launches those that wait for nothing any more: an **iteration**. Kernels of one block are one dispatch ([`batch`]). It does so until no packet
//! is left. Then the command is complete. All flags (CLK_ENQUEUE_FLAGS_*) hold, because no kernel of an iteration begins before those that
//! enqueued it have ended.
//!
//! Iterations whose kernels have no events, wait lists or local arguments need no host ([`indirect`]): up to 128 of them are submitted at once, the
//! first ones behind the launch of the host.
//! An iteration that does need the host ends them, and the host goes on with its packets.
//!
//! An event owns the kernel that it belongs to, and what that enqueues: it is complete when all of them are. Kernels without an event
//! belong to the event of the kernel that enqueued them, or to the launch of the host.
//!
//! What kernels write is not trusted: each packet is checked before it is used ([`packet`]).
//!
//! | module | what it is |
//! |---|---|
//! | [`arena`] | the memory |
//! | [`packet`] | packets as the host reads them |
//! | [`events`] | the events of a launch |
//! | [`batch`] | kernels that are alike, in one dispatch |
//! | [`indirect`] | iterations without the host |
//! | [`start`] | one launch, of the host or of an iteration |
//! | [`iterations`] | the iterations |

pub(crate) mod arena;
mod batch;
mod events;
mod indirect;
pub(crate) mod iterations;
mod packet;
pub(crate) mod start;
