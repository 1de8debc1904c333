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
use crate::kernel::trial::Copy;
use crate::program::executable::Form;
use scheduler::HostWork;

/// A launch, with what it holds to its end.
pub(crate) struct Launched {
    prepared: Arc<Prepared>,
    /// The kernel that is launched first, and its form.
    kernel: vk_runtime::Kernel,
    form: Form,
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
        let (kernel, form) = (prepared.kernel.clone(), prepared.form);
        Launched { prepared, kernel, form, objects, touched, anything, range }
    }

    /// Records a [trial](crate::kernel::trial) of the launch, after a copy of what it may write: its points, and what the host has to do then.
    /// `items`: the work-items of a work-group.
    ///
    /// # Errors
    /// As a launch.
    pub(crate) fn try_out(
        mut self,
        stream: &vk_runtime::Queue,
        queue: &Arc<Queue>,
        (copy, items): (Copy, u32),
    ) -> ClResult<(Points, HostWork)> {
        let values = self.prepared.values(&self.objects)?;
        let area = vk_runtime::SaveArea::default();
        let spare = &self.prepared.spare;
        let output = Output::new(spare, stream, &self.kernel, &self.range, (area, &values, 0), Vec::new())?;
        drop(values);
        let buffer = output.buffer().clone();
        let point = self.with(&buffer, |launch| {
            Ok(stream.dispatch_with(launch.kernel, launch.args, launch.range, launch.extras)?)
        })?;
        let (stream, queue, print) = (stream.clone(), queue.clone(), output.work(stream, queue));
        let (look, looked_at) = (stream.clone(), buffer.clone());
        let goes_on = move || !look.is_done_in(&looked_at);
        let work = host_work::heavy_where(goes_on, move || {
            if !copy.finish(&self.prepared, &stream, &buffer)? {
                return Ok(print.run()?);
            }
            if !self.become_single_vectors(items) {
                return Ok(print.run()?);
            }
            let (points, work) = self.begin(&stream, &queue)?;
            stream.wait_only(points)?;
            Ok(work.run()?)
        });
        Ok((point.into(), work))
    }

    /// Takes the form of the kernel in which each work-group of `items` work-items is one vector. Returns whether there is one.
    pub(crate) fn become_single_vectors(&mut self, items: u32) -> bool {
        let Prepared { executable, by_address, form, .. } = &*self.prepared;
        let form = Form { long: true, single_vector: items, ..*form };
        let name = &self.prepared.kernel.info().name;
        let found = executable
            .kernel_in_form(name, *by_address, form)
            .inspect_err(|error| log::info!("kernel '{name}' cannot run as single vectors: {error:?}"))
            .ok();
        let right =
            |kernel: &vk_runtime::Kernel| !kernel.info().watches_loops || kernel.info().resumes.is_some();
        match found.filter(right) {
            Some(kernel) => {
                (self.kernel, self.form) = (kernel, form);
                true
            }
            None => false,
        }
    }

    /// Records the first dispatch: its points, and what the host has to do then.
    ///
    /// # Errors
    /// As a launch.
    pub(crate) fn begin(self, stream: &vk_runtime::Queue, queue: &Queue) -> ClResult<(Points, HostWork)> {
        let kernel = &self.kernel;
        let values = self.prepared.values(&self.objects)?;
        let area = stream.save_area(kernel, &values, &self.range)?;
        let output =
            Output::new(&self.prepared.spare, stream, kernel, &self.range, (area, &values, 0), Vec::new())?;
        drop(values);
        let buffer = output.buffer().clone();
        let begun = self.with(&buffer, |launch| Ok(stream.begin(launch)?))?;
        let (stream, print) = (stream.clone(), output.work(stream, queue));
        // Most launches are done then, which a look tells.
        let (look, looked_at) = (stream.clone(), buffer.clone());
        let goes_on = move || !begun.1 || !look.is_done_in(&looked_at);
        let work = host_work::heavy_where(goes_on, move || {
            let gone_on = self
                .with(&buffer, |launch| stream.go_on(launch, begun, || self.prepared.resuming(self.form)));
            if let Err(error) = gone_on {
                log::error!("kernel '{}' does not go on: {error:?}", self.prepared.kernel.info().name);
                print.run()?;
                return Err(error);
            }
            Ok(print.run()?)
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
        what(&Resumable { kernel: &self.kernel, args: &args, range: &self.range, extras: &extras, buffer })
    }
}
