//! Commands as data, and their one recorder.
//!
//! What a clEnqueue* function checks becomes a [`Command`], which holds all that it needs and is recorded into its queue's stream when
//! its time comes. What the host does for it then, if anything, is the work of [`Done::Then`], and nothing else is a closure.

use std::ops::Range;
use std::sync::Arc;

use vk_runtime::Queue as Stream;

use crate::command_buffer::Replay;
use crate::error::ClResult;
use crate::kernel::launch::Launch;
use crate::memory::transfer::{
    BufferToImage, Copy, CopyBox, CopyImage, CopyLines, Fill, FillImage, ImageToBuffer, MapImage, MapRegion,
    Migrate, Read, ReadBox, ReadImage, ReadThere, UnmapImage, UnmapRegion, Write, WriteBox, WriteImage,
    WriteThere,
};
use crate::queue::Queue;
use crate::schedule::Done;
use crate::svm::{Allocation, transfer as shared};

/// A command of a queue.
pub(crate) enum Command {
    /// A kernel (§5.10).
    Launch(Launch),
    /// Nothing: complete when what is before it in its stream is.
    Nothing,
    /// A marker or barrier (§5.12), and what has nothing to do: complete when what it waits for is.
    Marker,
    /// Buffers (§5.2.2 to §5.2.4, §5.5.2 to §5.5.5).
    Read(Read),
    ReadBox(ReadBox),
    ReadThere(ReadThere),
    WriteThere(WriteThere),
    Write(Write),
    WriteBox(WriteBox),
    Copy(Copy),
    CopyBox(CopyBox),
    Fill(Fill),
    Map(MapRegion),
    Unmap(UnmapRegion),
    Migrate(Migrate),
    /// Images (§5.3.3 to §5.3.6).
    ReadImage(ReadImage),
    WriteImage(WriteImage),
    CopyImage(CopyImage),
    CopyLines(CopyLines),
    ImageToBuffer(ImageToBuffer),
    BufferToImage(BufferToImage),
    FillImage(FillImage),
    MapImage(MapImage),
    UnmapImage(UnmapImage),
    /// Shared virtual memory (§5.6.1).
    SharedCopy(shared::Copy),
    SharedFill(shared::Fill),
    SharedMap(shared::Map),
    CoarseMap(shared::Coarsely),
    CoarseUnmap(shared::Coarsely),
    SharedFree(shared::Free),
    /// Those of a command buffer.
    Replay(Replay),
}

impl Command {
    /// Whether it may be recorded without a node when nobody asks for its event: points tell when it is complete, or, of a map that is waited
    /// for, its caller does what is left.
    pub(crate) fn is_direct(&self) -> bool {
        match self {
            Command::Marker | Command::SharedMap(_) | Command::CoarseMap(_) | Command::CoarseUnmap(_) => true,
            Command::SharedCopy(copy) => copy.is_the_devices(),
            Command::Read(read) => read.is_brought,
            Command::Replay(replay) => !replay.waits_for_host(),
            _ => false,
        }
    }

    /// Whether those behind it in a command buffer may be recorded only when the host has done its part.
    pub(crate) fn waits_for_host(&self) -> bool {
        match self {
            Command::SharedCopy(copy) => !copy.is_the_devices(),
            Command::SharedFill(fill) => !fill.is_the_devices(),
            Command::Launch(launch) => launch.resumes(),
            _ => false,
        }
    }

    /// The same once more, on a queue of the same device, for a command that a command buffer may have.
    pub(crate) fn again(&self, queue: &Arc<Queue>) -> Option<Command> {
        Some(match self {
            Command::Launch(launch) => Command::Launch(launch.again(queue)),
            Command::Marker => Command::Marker,
            Command::Copy(copy) => Command::Copy(copy.clone()),
            Command::CopyBox(copy) => Command::CopyBox(copy.clone()),
            Command::Fill(fill) => Command::Fill(fill.clone()),
            Command::CopyImage(copy) => Command::CopyImage(copy.clone()),
            Command::CopyLines(copy) => Command::CopyLines(copy.clone()),
            Command::ImageToBuffer(copy) => Command::ImageToBuffer(copy.clone()),
            Command::BufferToImage(copy) => Command::BufferToImage(copy.clone()),
            Command::FillImage(fill) => Command::FillImage(fill.clone()),
            Command::SharedCopy(copy) => Command::SharedCopy(copy.clone()),
            Command::SharedFill(fill) => Command::SharedFill(fill.clone()),
            _ => return None,
        })
    }

    /// Returns whether it may use the shared memory at these addresses when it is recorded. A kernel with indirect access counts as using all of it
    /// (cl_intel_unified_shared_memory, "Freeing Unified Shared Memory Allocations").
    pub(crate) fn may_use(&self, memory: &Range<usize>) -> bool {
        let any = |all: &[Option<Arc<Allocation>>]| all.iter().flatten().any(|a| a.lies_at(memory));
        match self {
            // The application frees these allocations itself, so no other call frees them.
            Command::Nothing | Command::Marker | Command::SharedFree(_) => false,
            Command::Launch(launch) => launch.may_use(memory),
            Command::Replay(replay) => replay.may_use(memory),
            Command::SharedCopy(shared::Copy { memory: used, .. }) => any(used),
            Command::SharedFill(shared::Fill { memory: used, .. })
            | Command::SharedMap(shared::Map { memory: used }) => any(used),
            Command::CoarseMap(shared::Coarsely { allocation, .. })
            | Command::CoarseUnmap(shared::Coarsely { allocation, .. }) => allocation.lies_at(memory),
            Command::Read(Read { memory: object, to: host, .. })
            | Command::ReadImage(ReadImage { memory: object, to: host, .. })
            | Command::Write(Write { memory: object, from: host, .. })
            | Command::WriteImage(WriteImage { memory: object, from: host, .. }) => {
                object.lies_at(memory) || host.overlaps(memory)
            }
            Command::ReadBox(ReadBox { memory: object, place, to: host, .. })
            | Command::WriteBox(WriteBox { memory: object, place, from: host, .. }) => {
                object.lies_at(memory) || place.range(*host).overlaps(memory)
            }
            Command::ReadThere(ReadThere { memory: object, there, .. })
            | Command::WriteThere(WriteThere { memory: object, there, .. }) => {
                object.lies_at(memory) || there.allocation.lies_at(memory)
            }
            Command::Copy(Copy { src, dst, .. })
            | Command::CopyBox(CopyBox { src, dst, .. })
            | Command::CopyImage(CopyImage { src, dst, .. })
            | Command::CopyLines(CopyLines { src, dst, .. })
            | Command::ImageToBuffer(ImageToBuffer { src, dst, .. })
            | Command::BufferToImage(BufferToImage { src, dst, .. }) => {
                src.lies_at(memory) || dst.lies_at(memory)
            }
            Command::Fill(Fill { memory: object, .. })
            | Command::Map(MapRegion { memory: object, .. })
            | Command::Unmap(UnmapRegion { memory: object, .. })
            | Command::FillImage(FillImage { memory: object, .. })
            | Command::MapImage(MapImage { memory: object, .. })
            | Command::UnmapImage(UnmapImage { memory: object, .. }) => object.lies_at(memory),
            Command::Migrate(migrate) => migrate.objects.iter().any(|object| object.lies_at(memory)),
        }
    }

    /// Records it in a stream; when it is complete.
    ///
    /// # Errors
    /// What becomes the command's status.
    pub(crate) fn record(self, stream: &Stream) -> ClResult<Done> {
        match self {
            Command::Launch(launch) => launch.record(stream),
            Command::Nothing => Ok(Done::Device(stream.barrier()?.into())),
            // It has no part of its own in the stream.
            Command::Marker => Ok(Done::Host),
            Command::Read(read) => read.record(stream),
            Command::ReadBox(read) => read.record(stream),
            Command::ReadThere(read) => read.record(stream),
            Command::WriteThere(write) => write.record(stream),
            Command::Write(write) => write.record(stream),
            Command::WriteBox(write) => write.record(stream),
            Command::Copy(copy) => copy.record(stream),
            Command::CopyBox(copy) => copy.record(stream),
            Command::Fill(fill) => fill.record(stream),
            Command::Map(map) => map.record(stream),
            Command::Unmap(unmap) => unmap.record(stream),
            Command::Migrate(migrate) => migrate.record(),
            Command::ReadImage(read) => read.record(stream),
            Command::WriteImage(write) => write.record(stream),
            Command::CopyImage(copy) => copy.record(stream),
            Command::CopyLines(copy) => copy.record(stream),
            Command::ImageToBuffer(copy) => copy.record(stream),
            Command::BufferToImage(copy) => copy.record(stream),
            Command::FillImage(fill) => fill.record(stream),
            Command::MapImage(map) => map.record(stream),
            Command::UnmapImage(unmap) => unmap.record(stream),
            Command::SharedCopy(copy) => copy.record(stream),
            Command::SharedFill(fill) => fill.record(stream),
            Command::SharedMap(map) => Ok(map.record(stream)),
            Command::CoarseMap(map) => map.record_map(stream),
            Command::CoarseUnmap(map) => map.record_unmap(stream),
            Command::SharedFree(free) => Ok(free.record(stream)),
            Command::Replay(replay) => replay.record(stream),
        }
    }
}
