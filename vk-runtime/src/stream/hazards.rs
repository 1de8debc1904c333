//! Which commands need a barrier between them.
//!
//! The accesses of all commands since the last barrier are kept. A command that reads what one of them wrote, or
//! writes what one of them read or wrote, needs a barrier first; that barrier is a global one and orders
//! everything before it, so the list starts again. Commands without a conflict run side by side.
//!
//! A pipeline barrier's first scope is everything earlier in submission order on its queue (Vulkan
//! specification, "Pipeline Barriers"), so the list lives on from one command buffer to the next.

use crate::device::functions::READS_AND_WRITES;
use ash::vk;

use crate::device::functions::MemoryBarrier;
use crate::device::options::BarrierClass;

/// After so many accesses a barrier costs less than comparing with all of them.
const MANY: usize = 512;

/// The part of the device that accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Transfer,
    Compute,
}

/// One command's access to a part of one resource: a range of a buffer's bytes, or of an image's subresources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) resource: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) stage: Stage,
    /// The caller knows that no command since the last barrier used the resource.
    pub(crate) fresh: bool,
}

/// The accesses since the last barrier.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    pending: Vec<Access>,
    /// The stages of their accesses: the source of the next barrier.
    src_stages: vk::PipelineStageFlags,
    src_access: vk::AccessFlags,
    /// Commands that may have touched anything.
    anything: Option<Stage>,
    /// The launch ([`Repeat`](crate::Repeat)) that is the only command since the last barrier; 0: none is known to be.
    only: u64,
    /// The number of barriers so far.
    epoch: u64,
    /// DeviceOptions::drop_barrier.
    dropped: Option<BarrierClass>,
}

impl Hazards {
    pub(crate) fn new(dropped: Option<BarrierClass>) -> Self {
        Hazards { dropped, ..Hazards::default() }
    }

    /// Grows with each barrier: a resource last used in an earlier epoch is in no pending access.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Takes a command's accesses in; returns the barrier that must go before the command. `anything`: it may access
    /// any memory besides, in that stage.
    pub(crate) fn command(
        &mut self,
        anything: Option<Stage>,
        accesses: impl Iterator<Item = Access> + Clone,
    ) -> Option<MemoryBarrier> {
        self.only = 0;
        let kept = |old: Stage, new: Stage| self.dropped.is_none() || self.dropped != class(old, new);
        let overlap = |new: Access| {
            !new.fresh && self.pending.iter().any(|old| conflicts(old, &new) && kept(old.stage, new.stage))
        };
        let after_anything = |new: Access| self.anything.is_some_and(|old| kept(old, new.stage));
        let before_anything = |new: Stage| {
            self.anything.is_some_and(|old| kept(old, new))
                || self.pending.iter().any(|old| kept(old.stage, new))
        };
        let conflict = self.pending.len() > MANY
            || anything.is_some_and(before_anything)
            || accesses.clone().any(|new| overlap(new) || after_anything(new));
        let barrier = if conflict { self.everything() } else { None };
        for access in accesses {
            self.note(access.stage, access.write);
            self.pending.push(access);
        }
        if let Some(stage) = anything {
            self.note(stage, true);
            self.anything = anything;
        }
        barrier
    }

    /// After a launch's command, which has so many accesses: notes that it is the only one since the last barrier, if it is.
    pub(crate) fn note_launch(&mut self, launch: u64, accesses: usize) {
        if self.pending.len() == accesses && self.anything.is_none() && self.dropped.is_none() {
            self.only = launch;
        }
    }

    /// The barrier before a launch that is the same as the only command since the last barrier: everything is as it was after
    /// that. The outer `None`: it is not.
    pub(crate) fn launch_again(&self, launch: u64) -> Option<Option<MemoryBarrier>> {
        let conflict = !self.src_access.is_empty();
        (self.only == launch).then(|| conflict.then(|| self.barrier()))
    }

    fn barrier(&self) -> MemoryBarrier {
        MemoryBarrier {
            src_stages: self.src_stages,
            src_access: self.src_access,
            dst_stages: vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
            dst_access: READS_AND_WRITES,
        }
    }

    fn note(&mut self, stage: Stage, write: bool) {
        let (stage, access) = match stage {
            Stage::Transfer => (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE),
            Stage::Compute => (vk::PipelineStageFlags::COMPUTE_SHADER, vk::AccessFlags::SHADER_WRITE),
        };
        self.src_stages |= stage;
        if write {
            self.src_access |= access;
        }
    }

    /// The barrier that orders all pending accesses before whatever comes; `None` when nothing is pending.
    pub(crate) fn everything(&mut self) -> Option<MemoryBarrier> {
        if self.src_stages.is_empty() {
            return None;
        }
        let barrier = self.barrier();
        self.pending.clear();
        self.anything = None;
        self.only = 0;
        self.src_stages = vk::PipelineStageFlags::empty();
        self.src_access = vk::AccessFlags::empty();
        self.epoch += 1;
        Some(barrier)
    }
}

/// The barrier between writes of the device and reads of the host: at the end of a batch.
pub(crate) const HOST_READ_BARRIER: MemoryBarrier = MemoryBarrier {
    src_stages: vk::PipelineStageFlags::from_raw(
        vk::PipelineStageFlags::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags::TRANSFER.as_raw(),
    ),
    src_access: vk::AccessFlags::from_raw(
        vk::AccessFlags::SHADER_WRITE.as_raw() | vk::AccessFlags::TRANSFER_WRITE.as_raw(),
    ),
    dst_stages: vk::PipelineStageFlags::HOST,
    dst_access: vk::AccessFlags::HOST_READ,
};

/// Returns what a barrier between two stages is called.
fn class(old: Stage, new: Stage) -> Option<BarrierClass> {
    match (old, new) {
        (Stage::Compute, Stage::Compute) => Some(BarrierClass::KernelToKernel),
        (Stage::Compute, Stage::Transfer) => Some(BarrierClass::KernelToCopy),
        (Stage::Transfer, Stage::Compute) => Some(BarrierClass::CopyToKernel),
        (Stage::Transfer, Stage::Transfer) => None,
    }
}

fn conflicts(old: &Access, new: &Access) -> bool {
    old.resource == new.resource
        && (old.write || new.write)
        && (old.read || old.write)
        && (new.read || new.write)
        && old.start < new.end
        && new.start < old.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(resource: u64, range: std::ops::Range<u64>, read: bool, write: bool) -> Access {
        Access {
            resource,
            start: range.start,
            end: range.end,
            read,
            write,
            stage: Stage::Compute,
            fresh: false,
        }
    }

    #[test]
    fn a_barrier_only_for_a_hazard() {
        let mut h = Hazards::default();
        assert!(
            h.command(None, [access(1, 0..64, true, false), access(2, 0..64, false, true)].into_iter())
                .is_none()
        );
        assert!(
            h.command(None, [access(1, 0..64, true, false), access(3, 0..64, false, true)].into_iter())
                .is_none(),
            "read, read"
        );
        assert!(h.command(None, [access(2, 64..128, false, true)].into_iter()).is_none(), "other ranges");
        assert!(h.command(None, [access(2, 32..96, true, false)].into_iter()).is_some(), "read after write");
        assert!(
            h.command(None, [access(3, 0..64, true, false)].into_iter()).is_none(),
            "the barrier was for all"
        );
        assert!(h.command(None, [access(3, 0..4, false, true)].into_iter()).is_some(), "write after read");
        assert!(h.command(None, [access(3, 0..4, false, true)].into_iter()).is_some(), "write after write");
        assert!(h.everything().is_some());
        assert!(h.everything().is_none());
    }

    #[test]
    fn a_kernel_that_names_one_buffer_twice_has_no_hazard_with_itself() {
        let mut h = Hazards::default();
        assert!(
            h.command(None, [access(1, 0..64, true, false), access(1, 0..64, false, true)].into_iter())
                .is_none()
        );
    }

    #[test]
    fn a_launch_again() {
        let mut h = Hazards::default();
        let all = [access(1, 0..64, true, false), access(2, 0..64, false, true)];
        assert!(h.command(None, all.into_iter()).is_none());
        h.note_launch(7, 2);
        assert_eq!(h.launch_again(8), None);
        let again = h.launch_again(7).flatten();
        assert!(again.is_some() && again == h.command(None, all.into_iter()), "it conflicts with itself");
        h.note_launch(7, 2);
        assert!(h.command(None, [access(3, 0..64, true, false)].into_iter()).is_none());
        assert_eq!(h.launch_again(7), None, "another command");
        h.note_launch(9, 1);
        assert_eq!(h.launch_again(9), None, "not the only one");
        assert!(h.everything().is_some());
        assert!(h.command(None, [access(3, 0..64, true, false)].into_iter()).is_none());
        h.note_launch(9, 1);
        assert_eq!(h.launch_again(9), Some(None), "it only reads");
        assert!(h.everything().is_some());
        assert_eq!(h.launch_again(9), None, "behind a barrier");
    }

    #[test]
    fn anything_conflicts_with_everything() {
        let mut h = Hazards::default();
        let none = || std::iter::empty::<Access>();
        assert!(h.command(Some(Stage::Compute), none()).is_none(), "nothing before");
        assert!(h.command(None, [access(1, 0..4, true, false)].into_iter()).is_some(), "a read after it");
        assert!(h.command(Some(Stage::Compute), none()).is_some(), "it after a read");
        let barrier = h.command(Some(Stage::Compute), none()).expect("after each other");
        assert_eq!(barrier.src_access, vk::AccessFlags::SHADER_WRITE);
    }

    #[test]
    fn the_source_scope_is_what_happened() {
        let mut h = Hazards::default();
        h.command(None, [Access { stage: Stage::Transfer, ..access(1, 0..4, false, true) }].into_iter());
        let barrier = h.command(None, [access(1, 0..4, true, false)].into_iter()).expect("barrier");
        assert_eq!(barrier.src_stages, vk::PipelineStageFlags::TRANSFER);
        assert_eq!(barrier.src_access, vk::AccessFlags::TRANSFER_WRITE);
        let barrier = h.command(None, [access(1, 0..4, false, true)].into_iter()).expect("barrier");
        assert_eq!(barrier.src_access, vk::AccessFlags::empty(), "write after read: execution only");
    }
}
