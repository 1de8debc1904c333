//! Which commands need a barrier between them.
//!
//! The accesses of all commands since the last barrier are kept. A command that reads what one of them wrote, or
//! writes what one of them read or wrote, needs a barrier first; that barrier is a global one and orders
//! everything before it, so the list starts anew. Commands without a conflict run side by side.
//!
//! A pipeline barrier's first scope is everything earlier in submission order on its queue (Vulkan
//! specification, "Pipeline Barriers"), so the list lives on from one command buffer to the next.

use ash::vk;

use crate::device::MemoryBarrier;

/// After so many accesses a barrier costs less than comparing with all of them.
const MANY: usize = 512;

/// What part of the device touches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Transfer,
    Compute,
}

/// One command's access to one range of one buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) buffer: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) stage: Stage,
}

/// The accesses since the last barrier.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    pending: Vec<Access>,
}

impl Hazards {
    /// Takes a command's accesses in; returns the barrier that must go before the command.
    pub(crate) fn command(&mut self, accesses: &[Access]) -> Option<MemoryBarrier> {
        let conflict = self.pending.len() > MANY
            || accesses.iter().any(|new| self.pending.iter().any(|old| conflicts(old, new)));
        let barrier = if conflict { self.everything() } else { None };
        self.pending.extend_from_slice(accesses);
        barrier
    }

    /// The barrier that orders all pending accesses before whatever comes; `None` when nothing is pending.
    pub(crate) fn everything(&mut self) -> Option<MemoryBarrier> {
        let mut barrier = MemoryBarrier {
            src_stages: vk::PipelineStageFlags::empty(),
            src_access: vk::AccessFlags::empty(),
            dst_stages: vk::PipelineStageFlags::COMPUTE_SHADER | vk::PipelineStageFlags::TRANSFER,
            dst_access: READS_AND_WRITES,
        };
        for access in self.pending.drain(..) {
            let (stage, write) = match access.stage {
                Stage::Transfer => (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_WRITE),
                Stage::Compute => (vk::PipelineStageFlags::COMPUTE_SHADER, vk::AccessFlags::SHADER_WRITE),
            };
            barrier.src_stages |= stage;
            if access.write {
                barrier.src_access |= write;
            }
        }
        (!barrier.src_stages.is_empty()).then_some(barrier)
    }
}

/// All that commands of ours do to memory.
const READS_AND_WRITES: vk::AccessFlags = vk::AccessFlags::from_raw(
    vk::AccessFlags::TRANSFER_READ.as_raw()
        | vk::AccessFlags::TRANSFER_WRITE.as_raw()
        | vk::AccessFlags::SHADER_READ.as_raw()
        | vk::AccessFlags::SHADER_WRITE.as_raw()
        | vk::AccessFlags::UNIFORM_READ.as_raw(),
);

/// Everything that was done earlier on the queue, before everything later: for what other queues did.
pub(crate) const FULL_BARRIER: MemoryBarrier = MemoryBarrier {
    src_stages: vk::PipelineStageFlags::ALL_COMMANDS,
    src_access: vk::AccessFlags::MEMORY_WRITE,
    dst_stages: vk::PipelineStageFlags::ALL_COMMANDS,
    dst_access: vk::AccessFlags::from_raw(
        vk::AccessFlags::MEMORY_READ.as_raw() | vk::AccessFlags::MEMORY_WRITE.as_raw(),
    ),
};

/// What the device wrote, before the host reads it: at the end of a batch.
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

fn conflicts(old: &Access, new: &Access) -> bool {
    old.buffer == new.buffer
        && (old.write || new.write)
        && (old.read || old.write)
        && (new.read || new.write)
        && old.start < new.end
        && new.start < old.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(buffer: u64, range: std::ops::Range<u64>, read: bool, write: bool) -> Access {
        Access { buffer, start: range.start, end: range.end, read, write, stage: Stage::Compute }
    }

    #[test]
    fn a_barrier_only_for_a_hazard() {
        let mut h = Hazards::default();
        assert!(h.command(&[access(1, 0..64, true, false), access(2, 0..64, false, true)]).is_none());
        assert!(
            h.command(&[access(1, 0..64, true, false), access(3, 0..64, false, true)]).is_none(),
            "read, read"
        );
        assert!(h.command(&[access(2, 64..128, false, true)]).is_none(), "other ranges");
        assert!(h.command(&[access(2, 32..96, true, false)]).is_some(), "read after write");
        assert!(h.command(&[access(3, 0..64, true, false)]).is_none(), "the barrier was for all");
        assert!(h.command(&[access(3, 0..4, false, true)]).is_some(), "write after read");
        assert!(h.command(&[access(3, 0..4, false, true)]).is_some(), "write after write");
        assert!(h.everything().is_some());
        assert!(h.everything().is_none());
    }

    #[test]
    fn a_kernel_that_names_one_buffer_twice_has_no_hazard_with_itself() {
        let mut h = Hazards::default();
        assert!(h.command(&[access(1, 0..64, true, false), access(1, 0..64, false, true)]).is_none());
    }

    #[test]
    fn the_source_scope_is_what_happened() {
        let mut h = Hazards::default();
        h.command(&[Access { stage: Stage::Transfer, ..access(1, 0..4, false, true) }]);
        let barrier = h.command(&[access(1, 0..4, true, false)]).expect("barrier");
        assert_eq!(barrier.src_stages, vk::PipelineStageFlags::TRANSFER);
        assert_eq!(barrier.src_access, vk::AccessFlags::TRANSFER_WRITE);
        let barrier = h.command(&[access(1, 0..4, false, true)]).expect("barrier");
        assert_eq!(barrier.src_access, vk::AccessFlags::empty(), "write after read: execution only");
    }
}
