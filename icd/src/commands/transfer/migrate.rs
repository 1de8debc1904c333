//! clEnqueueMigrateMemObjects (§5.5.5).

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::Points;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::flags;
use crate::commands::command::Command;
use crate::commands::request::Request;
use crate::device::queue::Queue;
use crate::memory::{Access, Memory};
use scheduler::Done;

/// clEnqueueMigrateMemObjects (§5.5.5).
pub(crate) fn migrate(
    queue: &Arc<Queue>,
    request: impl FnOnce() -> ClResult<Request<'static>>,
    objects: Vec<Arc<Memory>>,
    migration: cl::cl_mem_migration_flags,
) -> ClResult<()> {
    for object in &objects {
        queue.context.same(object.context())?;
    }
    const KNOWN: u64 = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure(migration & !KNOWN == 0, cl::CL_INVALID_VALUE)?;
    let request = request()?;
    let index = queue.context.runtimes().iter().position(|r| Arc::ptr_eq(r, &queue.runtime));
    let index = index.ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    let to_host = flags::has(migration, cl::CL_MIGRATE_MEM_OBJECT_HOST);
    if !to_host {
        for object in &objects {
            object.store.ensure(index)?;
        }
    }
    let undefined = flags::has(migration, cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    queue.enqueue(request, Migrate { objects, index, to_host, undefined })
}

/// A migration of whole buffers.
pub(crate) struct Migrate {
    pub(crate) objects: Vec<Arc<Memory>>,
    /// The queue's device, by its number among the context's.
    index: usize,
    to_host: bool,
    /// True if their contents do not count.
    undefined: bool,
}

impl Command for Migrate {
    fn record(self, _: &vk_runtime::Queue) -> ClResult<Done> {
        let Migrate { objects, index, to_host, undefined } = self;
        // The host has no copies of its own: what it needs, it maps.
        if to_host {
            return Ok(Done::Host);
        }
        let mut points = Points::none();
        for object in &objects {
            let whole = object.size == object.store.size;
            let access = if undefined && whole { Access::Replace } else { Access::Read };
            points.merge(&object.store.prepare_any(index, access)?);
        }
        Ok(Done::Device(points))
    }

    fn may_use(&self, memory: &Range<usize>) -> bool {
        self.objects.iter().any(|object| object.lies_at(memory))
    }
}
