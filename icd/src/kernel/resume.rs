//! Launches of kernels that go on where the driver ended their loops (`lower::KernelInfo::resumes`).
//!
//! The first dispatch is recorded as that of any launch. When it is done the host looks whether work-items saved what they go on with, and launches the
//! kernel that goes on until none did. Commands that wait for the launch are held until then.

use std::sync::Arc;

use smallvec::SmallVec;
use vk_runtime::{ArgValue, Buffer, DispatchExtras, NdRange, Points, Resumable};

use crate::abi::error::{ClError, ClResult};
use crate::device::host_work;
use crate::device::queue::Queue;
use crate::kernel::prepared::{Objects, Part, Prepared, touches};
use crate::kernel::printf::Output;
use scheduler::HostWork;

/// A launch, with what it holds to its end.
pub(crate) struct Launched {
    prepared: Arc<Prepared>,
    objects: Objects,
    touched: SmallVec<[(Part, bool); 4]>,
    anything: bool,
    range: NdRange,
}

impl Launched {
    pub(crate) fn new(
        prepared: Arc<Prepared>,
        objects: Objects,
        touched: SmallVec<[(Part, bool); 4]>,
        anything: bool,
        range: NdRange,
    ) -> Self {
        Launched { prepared, objects, touched, anything, range }
    }

    /// Records the first dispatch: its points, and what the host has to do then.
    ///
    /// # Errors
    /// As a launch.
    pub(crate) fn begin(self, stream: &vk_runtime::Queue, queue: &Queue) -> ClResult<(Points, HostWork)> {
        let kernel = &self.prepared.kernel;
        let values = self.prepared.values(&self.objects)?;
        let area = stream.save_area(kernel, &values, &self.range)?;
        let output =
            Output::new(&self.prepared.spare, stream, kernel, &self.range, (area, &values, 0), Vec::new())?;
        drop(values);
        let buffer = output.buffer().clone();
        let begun = self.with(&buffer, |launch| Ok(stream.begin(launch)?))?;
        let (stream, told) = (stream.clone(), output.work(stream, queue));
        // Most launches are done then, which a look tells.
        let (look, looked_at) = (stream.clone(), buffer.clone());
        let goes_on = move || !begun.1 || !look.is_done_in(&looked_at);
        let work = host_work::heavy_where(goes_on, move || {
            let gone_on =
                self.with(&buffer, |launch| stream.go_on(launch, begun, || self.prepared.resuming()));
            if let Err(error) = gone_on {
                log::error!("kernel '{}' does not go on: {error:?}", self.prepared.kernel.info().name);
                told.run()?;
                return Err(error);
            }
            Ok(told.run()?)
        });
        Ok((begun.0.into(), work))
    }

    /// Does something with the launch as the runtime takes it.
    fn with<T>(
        &self,
        buffer: &Buffer,
        what: impl FnOnce(&Resumable<'_>) -> Result<T, ClError>,
    ) -> ClResult<T> {
        let mut args = self.prepared.values(&self.objects)?;
        args.push(ArgValue::Printf(buffer));
        let touches = touches(&self.touched);
        let extras = DispatchExtras { touches: &touches, anything: self.anything, ..Default::default() };
        what(&Resumable {
            kernel: &self.prepared.kernel,
            args: &args,
            range: &self.range,
            extras: &extras,
            buffer,
        })
    }
}
