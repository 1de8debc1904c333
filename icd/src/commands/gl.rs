//! The commands that acquire objects of OpenGL and EGL, and release them ("Sharing Memory Objects …" of §5).
//!
//! An acquisition is two commands: the thread of OpenGL copies the object's contents to staging memory, then the device to the memory object. A release is
//! one, which does the same the other way round. Where the memory object is its own staging memory, the device's part is a change of owner.

use std::ops::Range;
use std::sync::Arc;

use opencl_sys as cl;
use vk_runtime::{Object, Points, Queue as Stream};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::trace;
use crate::commands::command::{Command, Marker};
use crate::commands::request::Request;
use crate::device::gl::Foreign;
use crate::device::gl::objects::Staging;
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::memory::origin::Origin;
use crate::memory::{Access, Memory};
use scheduler::Done;

/// The other API's objects that a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Gl,
    Egl,
}

/// clEnqueueAcquireGLObjects, clEnqueueReleaseGLObjects and those of EGL.
///
/// # Errors
/// CL_INVALID_CONTEXT for a queue of a context that shares nothing with OpenGL, and for an object of another context; CL_INVALID_GL_OBJECT,
/// CL_INVALID_EGL_OBJECT_KHR for an object that is none of that API's.
pub(crate) fn change_owner(
    queue: &Arc<Queue>,
    request: Request<'_>,
    objects: Vec<Arc<Memory>>,
    (api, acquire): (Api, bool),
) -> ClResult<()> {
    ensure(api == Api::Egl || queue.context.gl().is_some(), cl::CL_INVALID_CONTEXT)?;
    let wrong = match api {
        Api::Gl => ClError(cl::CL_INVALID_GL_OBJECT),
        Api::Egl => ClError(cl::cl_egl::CL_INVALID_EGL_OBJECT_KHR),
    };
    let index = queue.context.runtimes().iter().position(|r| Arc::ptr_eq(r, &queue.runtime));
    let index = index.ok_or(ClError(cl::CL_INVALID_COMMAND_QUEUE))?;
    let mut shared = Vec::with_capacity(objects.len());
    for memory in objects {
        queue.context.same(memory.context())?;
        let origin = memory.origin().cloned().ok_or(wrong)?;
        ensure(origin.is_egl() == (api == Api::Egl), wrong.0)?;
        shared.push(SharedObject { memory, origin });
    }
    if shared.is_empty() {
        return queue.enqueue(request, Marker);
    }
    if acquire {
        enqueue_acquire(queue, request, shared, index)
    } else {
        enqueue_release(queue, request, shared, index)
    }
}

/// A memory object, and what it is of.
#[derive(Clone)]
struct SharedObject {
    memory: Arc<Memory>,
    origin: Arc<Origin>,
}

/// What the calling thread's context of OpenGL was given so far comes before (cl_khr_gl_event: "implicit synchronization").
fn enqueue_acquire(
    queue: &Arc<Queue>,
    request: Request<'_>,
    objects: Vec<SharedObject>,
    index: usize,
) -> ClResult<()> {
    let fence = objects.first().and_then(|object| object.origin.gl.fence_here());
    let first = Request {
        command: request.command,
        waits: request.waits.clone(),
        blocking: false,
        event: None,
        label: Some("acquire: OpenGL".to_owned()),
        recording: None,
    };
    let fetch = queue.enqueue_after(first, &[], Fetch { objects: objects.clone(), index, fence })?;
    queue.enqueue_after(request, &[fetch], TakeOver { objects, index }).map(drop)
}

/// Returns when it is complete if the calling thread has a context of OpenGL, whose next commands come behind it.
fn enqueue_release(
    queue: &Arc<Queue>,
    request: Request<'_>,
    objects: Vec<SharedObject>,
    index: usize,
) -> ClResult<()> {
    let current = objects.iter().any(|object| object.origin.gl.session().binding.thread_has().is_some());
    // An event of the application's that this very thread may set would never be set.
    let held = request.waits.iter().any(|event| event.is_user() && event.node.status() > cl::CL_COMPLETE);
    let node = queue.enqueue_after(request, &[], GiveBack { objects, index })?;
    if current && !held {
        node.wait();
    }
    Ok(())
}

/// OpenGL's part of an acquisition.
struct Fetch {
    objects: Vec<SharedObject>,
    index: usize,
    fence: Option<Foreign>,
}

impl Command for Fetch {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let Fetch { objects, index, fence } = self;
        let mut points = Points::none();
        for object in &objects {
            let stage = object.origin.stage(object.memory.context(), index)?;
            points.merge(&stream.last_use(&stage.buffer));
        }
        let work = host_work::heavy(move || {
            let mut fence = fence;
            objects.iter().try_for_each(|object| object.fetch(index, fence.take()))
        });
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }
}

/// The device's part of an acquisition.
struct TakeOver {
    objects: Vec<SharedObject>,
    index: usize,
}

impl Command for TakeOver {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let TakeOver { objects, index } = self;
        let mut points = Points::none();
        for object in &objects {
            let store = &object.memory.store;
            let stage = object.origin.stage(&store.context, index)?;
            if stage.is_shared() {
                points.merge(&stream.acquire(&[Object::Buffer(&stage.buffer)])?.into());
            }
            store.prepare_any(index, Access::Replace)?;
            if !stage.in_place {
                points.merge(&object.copy(stream, index, true)?);
            }
        }
        Ok(Done::Device(points))
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }
}

/// A release.
struct GiveBack {
    objects: Vec<SharedObject>,
    index: usize,
}

impl Command for GiveBack {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let GiveBack { mut objects, index } = self;
        let mut points = Points::none();
        for object in &objects {
            let store = &object.memory.store;
            let stage = object.origin.stage(&store.context, index)?;
            points.merge(&store.prepare_any(index, Access::Read)?);
            if !stage.in_place && object.is_written() {
                points.merge(&object.copy(stream, index, false)?);
            }
            if stage.is_shared() {
                points.merge(&stream.release(&[Object::Buffer(&stage.buffer)])?.into());
            }
        }
        objects.retain(SharedObject::is_written);
        let work = host_work::heavy(move || objects.iter().try_for_each(|object| object.give_back(index)));
        Ok(Done::Then { points, work, holds: true })
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }
}

impl SharedObject {
    /// Returns whether commands of OpenCL may have changed it.
    fn is_written(&self) -> bool {
        // Images with several samples are read alone, whatever the flags say.
        let samples = self.memory.image.is_some_and(|form| form.samples > 0);
        self.memory.flags & cl::CL_MEM_READ_ONLY == 0 && !samples
    }

    /// Copies between staging memory and the memory object.
    fn copy(&self, stream: &Stream, index: usize, in_to: bool) -> ClResult<Points> {
        let store = &self.memory.store;
        let staging = &self.origin.stage(&store.context, index)?.buffer;
        if !store.is_image() {
            let (buffer, size) = (store.buffer(index)?, store.size);
            let (from, to) = if in_to { (staging, buffer) } else { (buffer, staging) };
            return Ok(stream.copy_buffer(from, 0, to, 0, size)?.into());
        }
        let image = store.image(index)?;
        let desc = image.desc();
        let (mut points, mut offset) = (Points::none(), 0);
        for level in 0..desc.levels {
            let part = desc.whole(level);
            let point = match in_to {
                true => stream.copy_buffer_to_image(staging, offset, image, &part)?,
                false => stream.copy_image_to_buffer(image, &part, staging, offset)?,
            };
            points.merge(&point.into());
            offset += part.bytes(desc.texel).ok_or(ClError(cl::CL_OUT_OF_RESOURCES))?;
        }
        Ok(points)
    }

    /// Has OpenGL copy the object's contents to staging memory, behind a fence.
    fn fetch(&self, index: usize, fence: Option<Foreign>) -> ClResult<()> {
        let (staging, object) = self.staging(index)?;
        self.origin.gl.call(move |session| {
            if let Some(fence) = fence {
                session.wait_for(fence);
            }
            traced(staging, object.bytes(), || session.fetch(&object, staging))
        })?;
        self.seen_by_device(index)
    }

    /// Has OpenGL copy from staging memory to the object.
    fn give_back(&self, index: usize) -> ClResult<()> {
        let (staging, object) = self.staging(index)?;
        if let Staging::Host(_) = staging {
            let stage = self.origin.stage(self.memory.context(), index)?;
            stage.buffer.invalidate_host(0..stage.buffer.size())?;
        }
        self.origin
            .gl
            .call(move |session| traced(staging, object.bytes(), || session.store(&object, staging)))
    }

    fn staging(&self, index: usize) -> ClResult<(Staging, crate::device::gl::objects::Object)> {
        let stage = self.origin.stage(self.memory.context(), index)?;
        Ok((stage.staging()?, self.origin.object))
    }

    /// The device sees what the host has written.
    fn seen_by_device(&self, index: usize) -> ClResult<()> {
        let stage = self.origin.stage(self.memory.context(), index)?;
        if !stage.is_shared() {
            stage.buffer.flush_host(0..stage.buffer.size())?;
        }
        Ok(())
    }
}

/// Shows in the trace how contents go.
fn traced(staging: Staging, bytes: u64, copy: impl FnOnce() -> ClResult<()>) -> ClResult<()> {
    let start = trace::now();
    let done = copy();
    let name = match staging {
        Staging::Buffer(_) => "gl: copy by the device",
        Staging::Host(_) => "gl: copy by the host",
    };
    trace::span("gl", name, start, ("bytes", i64::try_from(bytes).unwrap_or(i64::MAX)));
    done
}
