//! Launches by a queue.

use smallvec::SmallVec;
use std::sync::Arc;

use timeline::{DroppedLaunches, Point};

use crate::device::device_time::DeviceTime;
use crate::error::{RuntimeError, UserError};
use crate::image::resource_use::Touch;
use crate::kernel::arguments::{ArgValue, bind};
use crate::kernel::ndrange::{NdRange, Plan, Wishes};
use crate::kernel::packed_bindings::TooMany;
use crate::kernel::program::Kernel;
use crate::kernel::records;
use crate::kernel::work_group_sizes;
use crate::launch::initializers;
use crate::launch::recording::{self, Launch};
use crate::stream::queue::Queue;

/// The effects of a launch beyond its arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct DispatchExtras<'a> {
    /// Buffers that the kernel reaches by device addresses, and whether it may write them. They are ordered and kept alive
    /// like arguments.
    pub touches: &'a [Touch<'a>],
    /// The kernel may touch any memory: everything before is ordered before it, everything after, after it. The caller
    /// keeps alive what it touches.
    pub anything: bool,
    /// The report if the launch, repeated, could not be recorded after its enqueue. Else the device counts as lost then.
    pub dropped_launches: Option<&'a DroppedLaunches>,
    /// It will be launched again and again as it is recorded now: it has the best pipeline from the start.
    pub lasting: bool,
}

/// A launch that was checked, or one whose buffers need more windows than the kernel has.
pub(crate) type Checked<'a> = Result<Launch<'a>, Box<TooMany>>;

impl Queue {
    /// Records a launch. Buffers, kernel and value bytes may be dropped or changed at once.
    ///
    /// # Errors
    /// User for wrong arguments or a wrong NDRange (OpenCL's clEnqueueNDRangeKernel errors); Unsupported for
    /// what the device cannot bind; Driver when Vulkan fails.
    pub fn dispatch(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<Point, RuntimeError> {
        self.dispatch_with(kernel, args, range, &DispatchExtras::default())
    }

    /// As [`dispatch`](Self::dispatch), for a kernel that touches more than its arguments.
    ///
    /// # Errors
    /// As `dispatch`.
    pub fn dispatch_with(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<Point, RuntimeError> {
        let launch = match self.check(kernel, args, range, extras)? {
            Ok(launch) => launch,
            Err(excess) => return self.dispatch_gathered(excess, (kernel, args), range, extras),
        };
        self.dispatch_checked(&launch)
    }

    /// The same where the kernel sees all that it is launched with.
    pub(crate) fn dispatch_here(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<Point, RuntimeError> {
        self.dispatch_checked(&self.prepare(kernel, args, range, extras)?)
    }

    fn dispatch_checked(&self, launch: &Launch<'_>) -> Result<Point, RuntimeError> {
        if let Some(ms) = self.device_inner().modes.max_dispatch_ms {
            return self.dispatch_in_parts(launch, ms).map(|(value, _, _)| value);
        }
        self.transfer(|state| recording::dispatch(state, launch))
    }

    /// Makes the pipeline that a dispatch would use, so that the first launch is not slow.
    ///
    /// # Errors
    /// As [`dispatch`](Self::dispatch).
    pub fn prepare_pipeline(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<(), RuntimeError> {
        self.check(kernel, args, range, &DispatchExtras::default()).map(|_| ())
    }

    /// The work-group size that a dispatch would use: the given one, the required one, or the runtime's choice.
    ///
    /// # Errors
    /// User when the NDRange is wrong.
    pub fn work_group_size(&self, kernel: &Kernel, range: &NdRange) -> Result<[u32; 3], RuntimeError> {
        Plan::new(range, kernel.inner.wishes(), &self.inner.device.target().limits).map(|p| p.enqueued)
    }

    /// A work-group size that a dispatch without one may be given as well: it divides the global size where the kernel asks for that.
    ///
    /// A kernel that cuts off remainders may be launched in other work-groups. It cannot notice them.
    ///
    /// # Errors
    /// User when the NDRange is wrong.
    pub fn suggested_work_group_size(
        &self,
        kernel: &Kernel,
        range: &NdRange,
    ) -> Result<[u32; 3], RuntimeError> {
        let wishes = Wishes { guarded: [false; 3], ..kernel.inner.wishes() };
        Plan::new(range, wishes, &self.inner.device.target().limits).map(|p| p.enqueued)
    }

    /// As [`check`](Self::check), for a launch that sees all that it is launched with.
    pub(crate) fn prepare<'a>(
        &self,
        kernel: &'a Kernel,
        args: &[ArgValue<'a>],
        range: &NdRange,
        extras: &DispatchExtras<'a>,
    ) -> Result<Launch<'a>, RuntimeError> {
        self.check(kernel, args, range, extras)?.map_err(|excess| excess.error())
    }

    /// Checks a launch, and makes its pipeline where needed: all that needs no lock.
    pub(crate) fn check<'a>(
        &self,
        kernel: &'a Kernel,
        args: &[ArgValue<'a>],
        range: &NdRange,
        extras: &DispatchExtras<'a>,
    ) -> Result<Checked<'a>, RuntimeError> {
        let inner = &kernel.inner;
        if !Arc::ptr_eq(inner.device(), self.device_inner()) {
            return Err(RuntimeError::user(UserError::InvalidContext, "a kernel of another device"));
        }
        for touch in extras.touches {
            self.own(&touch.buffer.inner)?;
        }
        if inner.info.noalias && kernel.shares_memory(args) {
            return Err(RuntimeError::bug(format!(
                "kernel '{}' was lowered for arguments that share no memory, and is launched with such",
                inner.info.name
            )));
        }
        let mut plan = Plan::new(range, inner.wishes(), &self.inner.device.target().limits)?;
        // What a kernel cannot notice need not be as it was asked for.
        let asked = range.local_size.is_some() && !range.chosen;
        let any_size =
            inner.guarded != [false; 3] && plan.is_uniform() && !(asked && inner.info.sees_work_groups);
        if asked && any_size {
            let limits = &self.inner.device.target().limits;
            let size = work_group_sizes::in_place_of(plan.local, &plan.global, inner.guarded, limits);
            plan = plan.regrouped(size, inner.guarded).unwrap_or(plan);
        } else if asked && plan.is_uniform() {
            inner.take_made_size(&mut plan);
        }
        initializers::run(self, inner)?;
        let mut bound = bind(inner, args)?;
        if let Some(excess) = bound.too_many.take() {
            return Ok(Err(excess));
        }
        let in_parts = self.device_inner().modes.max_dispatch_ms.is_some();
        let max = self.device_inner().target.limits.max_compute_work_group_count;
        let cells = records::starts(&bound, &inner.info, plan.global);
        let key = |part: &Plan| {
            let usual = !in_parts && part.begins_at_zero(max) && !part.cut;
            let specialised = bound.specialised(&inner.info, usual)?;
            Ok(inner.key(
                part.local,
                &bound.local_args,
                (bound.windows.len() > 1, bound.contents, &cells),
                &specialised,
            ))
        };
        let (whole, wish) = match extras.lasting {
            true => (inner.pipeline(&key(&plan)?)?, None),
            false => inner.choose(&mut plan, any_size, &key)?,
        };
        let mut remainders = SmallVec::new();
        for mut part in plan.remainders() {
            let (pipeline, _) = inner.choose(&mut part, false, &key)?;
            remainders.push((part, pipeline));
        }
        let follows = inner.info.windows.is_some_and(|w| w.follows_pointers);
        let anything = follows || extras.anything || (extras.touches.is_empty() && bound.has_addresses());
        Ok(Ok(Launch {
            kernel: inner,
            pipeline: whole,
            wish,
            bound,
            plan,
            remainders,
            touches: extras.touches,
            anything,
        }))
    }

    /// As [`dispatch`](Self::dispatch), after everything before, between two timestamps: the value, the start, the end.
    ///
    /// # Errors
    /// As `dispatch`; Unsupported when the device's queue has no timestamps.
    pub fn dispatch_profiled(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<(Point, DeviceTime, DeviceTime), RuntimeError> {
        self.dispatch_profiled_with(kernel, args, range, &DispatchExtras::default())
    }

    /// As [`dispatch_profiled`](Self::dispatch_profiled), for a kernel that touches more than its arguments.
    ///
    /// # Errors
    /// As `dispatch_profiled`.
    pub fn dispatch_profiled_with(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<(Point, DeviceTime, DeviceTime), RuntimeError> {
        let launch = match self.check(kernel, args, range, extras)? {
            Ok(launch) => launch,
            Err(excess) => {
                return self.profiled(|queue| queue.dispatch_gathered(excess, (kernel, args), range, extras));
            }
        };
        if let Some(ms) = self.device_inner().modes.max_dispatch_ms {
            return self.dispatch_in_parts(&launch, ms);
        }
        let ((start, end), value) = self.inner.stream.record(|state| {
            state.alone()?;
            let start = state.timestamp()?;
            recording::dispatch(state, &launch)?;
            Ok((start, state.timestamp()?))
        })?;
        Ok((self.point(value), start, end))
    }

    /// As [`dispatch_profiled`](Self::dispatch_profiled), with nothing after it beside it either.
    ///
    /// # Errors
    /// As `dispatch_profiled`.
    pub fn dispatch_timed(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<TimedDispatch, RuntimeError> {
        let (_, start, end) = self.dispatch_profiled(kernel, args, range)?;
        let point = self.barrier()?;
        Ok(TimedDispatch { queue: self.clone(), point, start, end })
    }
}

/// How long a command took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Nanoseconds by the device's clock.
    pub ns: u64,
}

/// A launch that is being measured.
pub struct TimedDispatch {
    pub(crate) queue: Queue,
    pub(crate) point: Point,
    pub(crate) start: DeviceTime,
    pub(crate) end: DeviceTime,
}

impl std::fmt::Debug for TimedDispatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimedDispatch").field("point", &self.point).finish_non_exhaustive()
    }
}

impl TimedDispatch {
    /// The point to [`Queue::wait`] for.
    #[must_use]
    pub fn point(&self) -> Point {
        self.point
    }

    /// Waits for the launch and returns its time.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn wait(&self) -> Result<Timing, RuntimeError> {
        self.queue.wait(self.point)?;
        match (self.start.nanos()?, self.end.nanos()?) {
            (Some(start), Some(end)) => Ok(Timing { ns: end.saturating_sub(start) }),
            _ => Err(RuntimeError::bug("no timestamps after a wait")),
        }
    }
}
