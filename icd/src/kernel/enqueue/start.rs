//! One launch of a kernel that enqueues or was enqueued.

use std::sync::Arc;

use smallvec::SmallVec;
use vk_runtime::{ArgValue, DispatchExtras, NdRange, Points, SaveArea};

use crate::abi::error::ClResult;
use crate::device::loop_watch;
use crate::device::queue::Queue;
use crate::kernel::prepared::{Objects, Part, Prepared, touches};
use crate::kernel::printf::Output;
use crate::kernel::resume::Launched;
use scheduler::HostWork;

/// A launch with what it touches.
pub(crate) struct Start {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) objects: Objects,
    pub(crate) touched: SmallVec<[(Part, bool); 4]>,
    /// It may touch any memory.
    pub(crate) anything: bool,
    pub(crate) range: NdRange,
}

impl Start {
    /// Records it: when it is done, and what the host has to do then.
    ///
    /// # Errors
    /// As a launch.
    pub(crate) fn record(
        self,
        stream: &vk_runtime::Queue,
        queue: &Queue,
    ) -> ClResult<(Points, Option<HostWork>)> {
        let Start { prepared, objects, touched, anything, range } = self;
        if prepared.resumes() {
            let launch = Launched::new(prepared, objects, touched, anything, range);
            let (points, work) = launch.begin(stream, queue)?;
            return Ok((points, Some(work)));
        }
        let kernel = &prepared.kernel;
        let watched = loop_watch::watched(queue, kernel)?;
        let printf = match watched.is_none() && kernel.info().takes_buffer() {
            true => {
                let values = prepared.values(&objects)?;
                let room = (SaveArea::default(), &*values, 0);
                Some(Output::new(&prepared.spare, stream, kernel, &range, room, Vec::new())?)
            }
            false => None,
        };
        let mut values = prepared.values(&objects)?;
        values.extend(watched.as_ref().or(printf.as_ref().map(Output::buffer)).map(ArgValue::Printf));
        let touches = touches(&touched);
        let extras = DispatchExtras { touches: &touches, anything, ..Default::default() };
        let point = stream.dispatch_with(kernel, &values, &range, &extras)?;
        drop(values);
        Ok((point.into(), printf.map(|printf| printf.work(stream, queue))))
    }
}
