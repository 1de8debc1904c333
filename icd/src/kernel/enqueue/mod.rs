//! Launches of kernels that enqueue kernels (OpenCL C §6.15.17).
//!
//! Kernels write packets to the launch's **arena** ([`lower::enqueue::layout`]). When the launch of the host is done, the host reads them and
//! launches those that wait for nothing any more: a **round**. Kernels of one block are one dispatch ([`batch`]). It does so until no packet
//! is left. Then the command is complete. All flags (CLK_ENQUEUE_FLAGS_*) hold, because no kernel of a round begins before those that
//! enqueued it have ended.
//!
//! Rounds whose kernels have no events, wait lists or local arguments need no host ([`indirect`]): up to 128 of them are submitted at once, the
//! first ones behind the launch of the host.
//! A round that does need the host ends them, and the host goes on with its packets.
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
//! | [`indirect`] | rounds without the host |
//! | [`start`] | one launch, of the host or of a round |
//! | [`rounds`] | the rounds |

pub(crate) mod arena;
mod batch;
mod events;
mod indirect;
mod packet;
pub(crate) mod rounds;
pub(crate) mod start;
