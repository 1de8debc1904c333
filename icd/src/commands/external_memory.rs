//! The commands that acquire and release external memory ("Acquiring and Releasing External Memory Objects" of §5).

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{Object, Queue as Stream};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::commands::command::{Command, Marker};
use crate::commands::request::Request;
use crate::device::queue::Queue;
use crate::memory::{Access, Memory};
use scheduler::Done;

/// clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR.
///
/// # Errors
/// CL_INVALID_MEM_OBJECT for an object that is not of external memory; CL_INVALID_COMMAND_QUEUE for one of another context, or that the queue's
/// device does not have.
pub(crate) fn change_owner(
    queue: &Arc<Queue>,
    request: Request<'_>,
    objects: Vec<Arc<Memory>>,
    acquire: bool,
) -> ClResult<()> {
    let index = queue.context.runtimes().iter().position(|r| Arc::ptr_eq(r, &queue.runtime));
    let index = index.ok_or(ClError(cl::CL_INVALID_COMMAND_QUEUE))?;
    for object in &objects {
        let same = std::ptr::eq(&raw const *queue.context, &raw const **object.context());
        ensure(same, cl::CL_INVALID_COMMAND_QUEUE)?;
        object.check_external(index)?;
    }
    if objects.is_empty() {
        return queue.enqueue(request, Marker);
    }
    queue.enqueue(request, ChangeOwner { objects, index, acquire })
}

/// A change of the owner of external memory.
struct ChangeOwner {
    objects: Vec<Arc<Memory>>,
    /// The queue's device, by its number among the context's.
    index: usize,
    acquire: bool,
}

impl Command for ChangeOwner {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let ChangeOwner { objects, index, acquire } = self;
        // Acquired memory is the newest contents. What is released must be them.
        let access = if acquire { Access::Replace } else { Access::Read };
        for object in &objects {
            object.store.prepare_any(index, access)?;
        }
        let found = objects.iter().map(|object| object.store.object(index));
        let found: SmallVec<[Object<'_>; 4]> = found.collect::<ClResult<_>>()?;
        let point = if acquire { stream.acquire(&found)? } else { stream.release(&found)? };
        Ok(Done::Device(point.into()))
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        // External memory is no shared virtual memory.
        false
    }

    fn is_direct(&self) -> bool {
        true
    }
}
