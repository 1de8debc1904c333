//! The commands that signal semaphores and wait for them ("Waiting On and Signaling Semaphores" of §5).

use std::ops::Range;
use std::sync::Arc;

use vk_runtime::Queue as Stream;

use crate::abi::error::ClResult;
use crate::commands::command::{Command, Marker};
use crate::commands::request::Request;
use crate::device::queue::Queue;
use crate::device::semaphore::Semaphore;
use scheduler::{Done, Node};

/// clEnqueueSignalSemaphoresKHR.
///
/// # Errors
/// Those of [`Semaphore::check_queue`].
pub(crate) fn signal(
    queue: &Arc<Queue>,
    request: Request<'_>,
    semaphores: &[Arc<Semaphore>],
) -> ClResult<()> {
    let node = enqueue(queue, request, semaphores, &[], true)?;
    semaphores.iter().for_each(|semaphore| semaphore.signalled_by(&node));
    Ok(())
}

/// clEnqueueWaitSemaphoresKHR.
///
/// # Errors
/// As [`signal`].
pub(crate) fn wait(queue: &Arc<Queue>, request: Request<'_>, semaphores: &[Arc<Semaphore>]) -> ClResult<()> {
    semaphores.iter().try_for_each(|semaphore| semaphore.check_queue(&queue.context, &queue.device))?;
    let signals: Vec<Arc<Node>> = semaphores.iter().filter_map(|s| s.take_signal()).collect();
    enqueue(queue, request, semaphores, &signals, false).map(drop)
}

fn enqueue(
    queue: &Arc<Queue>,
    request: Request<'_>,
    semaphores: &[Arc<Semaphore>],
    signals: &[Arc<Node>],
    signal: bool,
) -> ClResult<Arc<Node>> {
    semaphores.iter().try_for_each(|semaphore| semaphore.check_queue(&queue.context, &queue.device))?;
    let shared: Vec<_> = semaphores.iter().filter_map(|semaphore| semaphore.shared()).collect();
    if shared.is_empty() {
        return queue.enqueue_after(request, signals, Marker);
    }
    let node = queue.enqueue_after(request, signals, SharedSemaphores { semaphores: shared, signal })?;
    // Another API may wait for it, or signal it again, when the call returns: "implementations may block".
    node.wait_until_recorded();
    Ok(node)
}

/// A signal of semaphores that another API has, too, or a wait for them.
struct SharedSemaphores {
    semaphores: Vec<vk_runtime::Semaphore>,
    signal: bool,
}

impl Command for SharedSemaphores {
    fn record(self, stream: &Stream) -> ClResult<Done> {
        let SharedSemaphores { semaphores, signal } = self;
        let point = match signal {
            true => stream.signal(&semaphores)?,
            false => stream.wait_for_semaphores(&semaphores)?,
        };
        Ok(Done::Device(point.into()))
    }

    fn may_use(&self, _: &Range<usize>) -> bool {
        false
    }
}
