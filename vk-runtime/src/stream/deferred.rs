//! Deferred launches: a batch has them, and its command buffer does not yet.
//!
//! A program mostly waits for the same work as before: one launch, or one with a copy of what it wrote. To record that takes
//! NVIDIA's driver 1.2 to 2.3 µs (H200, driver 580: docs/results/svm.md). So the first launches of a batch are deferred, on a stream that has
//! nothing else to do: they are ordered, have their value, and what they touch is kept alive. If the batch ends with nothing else in it,
//! it is submitted in a command buffer that was recorded before, if it was the same twice already ([`command_buffer_cache`](crate::stream::command_buffer_cache)). In all other cases
//! they are recorded before whatever comes next. One that cannot be recorded then, because memory is lacking, is dropped, and its [`DroppedLaunches`] reports it: its
//! enqueue has long returned. So are launches among them that wait for it.

use std::sync::Arc;

use smallvec::SmallVec;

pub use timeline::{Cause, DeferredLaunch, DroppedLaunches};

use crate::device::functions::MemoryBarrier;
use crate::device::loss::no_memory;
use crate::error::RuntimeError;
use crate::kernel::image_bindings::Bindable;
use crate::kernel::program::{KernelInner, Pipeline};
use crate::stream::batch::{Batch, Recycler};
use crate::stream::binding::bind_launch;
use timeline::Point;

/// A launch: one dispatch.
pub(crate) struct Deferred {
    /// The barrier that must be before it.
    pub(crate) barrier: Option<MemoryBarrier>,
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) push: SmallVec<[u8; 128]>,
    /// The objects that its descriptors name, and a number that stands for these very objects: no others ever have it. 0 where there are none.
    pub(crate) bound: SmallVec<[Bindable; 4]>,
    pub(crate) bound_id: u64,
    pub(crate) groups: [u32; 3],
    /// The list that reports it if it is dropped; `None` for one that takes nothing that could lack.
    pub(crate) dropped_launches: Option<DroppedLaunches>,
    /// The deferred launches that it waits for.
    pub(crate) waits: SmallVec<[DeferredLaunch; 2]>,
    /// Somebody asks for it by itself.
    pub(crate) observed: bool,
}

impl Batch {
    /// Records the deferred launches.
    ///
    /// # Errors
    /// Those of a launch that has no place to tell them.
    #[cold]
    pub(crate) fn catch_up(&mut self, stream: u32, recycler: &mut Recycler) -> Result<(), RuntimeError> {
        let mut later = std::mem::take(&mut self.later);
        let mut result = Ok(());
        for (place, launch) in later.iter().enumerate() {
            let name = &launch.kernel.info.name;
            let missing = &launch.kernel.device().dropped_launches;
            let cause = match launch.waits.iter().any(|wait| missing.cause(*wait).is_some()) {
                true => {
                    // What comes after relies on it.
                    if let Some(barrier) = &launch.barrier {
                        self.barrier(barrier)?;
                    }
                    log::error!("a launch of kernel '{name}' is left out: it waits for one that was");
                    Cause::Waits
                }
                false => {
                    let Err(error) = self.catch_up_with(launch, recycler) else { continue };
                    log::error!("a launch of kernel '{name}' is left out: {error}");
                    if launch.dropped_launches.is_none() {
                        result = Err(error);
                    }
                    Cause::NoMemory
                }
            };
            let deferred = DeferredLaunch { point: Point { stream, value: self.value }, place };
            for list in [Some(missing), launch.dropped_launches.as_ref()].into_iter().flatten() {
                list.add(deferred, cause, launch.observed);
            }
        }
        later.clear();
        // Its room is used again.
        self.later = later;
        result
    }

    fn catch_up_with(&mut self, launch: &Deferred, recycler: &mut Recycler) -> Result<(), RuntimeError> {
        let Deferred { kernel, pipeline, bound, push, groups: [x, y, z], .. } = launch;
        // What comes after relies on it, whatever becomes of the launch.
        if let Some(barrier) = &launch.barrier {
            self.barrier(barrier)?;
        }
        if kernel.device().modes.leaves_out() {
            return Err(no_memory("vkAllocateDescriptorSets"));
        }
        bind_launch(self, recycler, kernel, pipeline, bound, push)?;
        // SAFETY: recording under the stream's lock; pipeline, descriptors and push constants are bound; counts are within the device's
        // limits, as they were checked for the launch.
        unsafe { kernel.device().raw.cmd_dispatch(self.commands, *x, *y, *z) };
        Ok(())
    }
}
