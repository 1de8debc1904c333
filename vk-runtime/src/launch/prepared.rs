//! Launches that are recorded again and again: what a launch is made of, worked out once.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use ash::vk;
use lower::kernel_info::{
    ArgInfo, ArgKind, BlockLocation, BlockMember, BlockSource, DescriptorInfo, DescriptorSource,
};
use smallvec::SmallVec;

use crate::device::device_time::StartEnd;
use crate::error::{RuntimeError, UserError};
use crate::image::resource::ImageInner;
use crate::image::resource_use::AccessRange;
use crate::image::resource_use::Touch as Reached;
use crate::image::resource_use::{Resource, Use};
use crate::kernel::arguments::{ArgValue, Bound, BoundArgs, Range, assemble, demands, takes};
use crate::kernel::image_bindings::{self, Bindable};
use crate::kernel::ndrange::NdRange;
use crate::kernel::noalias::Extent;
use crate::kernel::packed_bindings;
use crate::kernel::pipeline_choice::Wish;
use crate::kernel::program::{Kernel, KernelInner, Pipeline};
use crate::launch::dispatch::DispatchExtras;
use crate::memory::buffer::{Buffer, BufferInner, Marks};
use crate::stream::batch::{Batch, Recycler};
use crate::stream::binding::bind_launch;
use crate::stream::deferred::{Deferred, DeferredLaunch, DroppedLaunches};
use crate::stream::hazards::Stage;
use crate::stream::queue::Queue;
use crate::stream::state::State;
use timeline::Point;

/// A launch with everything settled: pipeline, push constants, descriptors, what it does to which memory. It keeps no buffer
/// alive.
pub struct Repeat {
    /// A number that no other launch has: a new one with other buffers.
    id: u64,
    /// Grows with each change of a value.
    version: u64,
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) pipeline: Arc<Pipeline>,
    /// The pipeline that it would rather have.
    wish: Option<Wish>,
    pub(crate) push: SmallVec<[u8; 128]>,
    pub(crate) bound: SmallVec<[Bindable; 4]>,
    pub(crate) touches: SmallVec<[Touch; 4]>,
    pub(crate) groups: [u32; 3],
    /// The report that it was left out.
    dropped_launches: Option<DroppedLaunches>,
    /// Arguments share memory that the kernel takes to be apart: it cannot be launched so.
    shares: bool,
}

/// The objects that a launch uses, while it is alive.
#[derive(Clone)]
pub(crate) enum Owner {
    Buffer(Weak<BufferInner>),
    Image(Weak<ImageInner>),
}

impl Owner {
    fn is_gone(&self) -> bool {
        match self {
            Owner::Buffer(buffer) => buffer.strong_count() == 0,
            Owner::Image(image) => image.strong_count() == 0,
        }
    }

    /// Makes a batch keep it; false if it is gone.
    pub(crate) fn keep(&self, batch: &mut Batch) -> bool {
        match self {
            Owner::Buffer(buffer) => buffer.upgrade().map(|buffer| batch.keep(buffer.storage())),
            Owner::Image(image) => image.upgrade().map(|image| batch.keep(image.storage())),
        }
        .is_some()
    }
}

/// A part of a buffer or an image that the launch uses.
#[derive(Clone)]
pub(crate) struct Touch {
    /// The argument that names it; `None` for the program's own data.
    arg: Option<u32>,
    pub(crate) owner: Owner,
    pub(crate) marks: Arc<Marks>,
    pub(crate) span: AccessRange,
    /// Its place, if in a buffer.
    extent: Option<Extent>,
    /// It is written where the host reaches it.
    pub(crate) mapped: bool,
}

impl std::fmt::Debug for Repeat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repeat").field("kernel", &self.kernel.info.name).finish_non_exhaustive()
    }
}

impl Queue {
    /// Returns what [`dispatch_with`](Self::dispatch_with) would record, for [`dispatch_again`](Self::dispatch_again). `None` for a launch that is
    /// more than one dispatch with push constants and buffers.
    ///
    /// # Errors
    /// As `dispatch`.
    pub fn repeat(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<Option<Repeat>, RuntimeError> {
        if self.device_inner().modes.max_dispatch_ms.is_some() {
            return Ok(None);
        }
        let Ok(launch) = self.check(kernel, args, range, extras)? else { return Ok(None) };
        let (kernel, bound) = (launch.kernel, &launch.bound);
        let splits = launch.plan.splits(self.device_inner().target.limits.max_compute_work_group_count);
        let [split] = splits.as_slice() else { return Ok(None) };
        if !launch.remainders.is_empty() {
            return Ok(None);
        }
        let block = &kernel.info.block;
        let pushed = block.size == 0 || block.location == BlockLocation::PushConstants;
        // Text is taken out after each launch; what tells of loops alone is only ever set.
        if !pushed || launch.anything || !kernel.info.printf.is_empty() {
            return Ok(None);
        }
        let Some(named) = bindables(kernel, bound) else { return Ok(None) };
        let touches: Result<_, RuntimeError> =
            launch.uses().iter().map(|(arg, of)| Touch::new(*arg, of)).collect();
        Ok(Some(Repeat {
            id: self.device_inner().new_id(),
            version: 0,
            kernel: kernel.clone(),
            push: assemble(kernel, bound, &launch.plan, split)?,
            bound: named,
            touches: touches?,
            groups: split.count,
            dropped_launches: extras.dropped_launches.cloned(),
            shares: false,
            pipeline: launch.pipeline,
            wish: launch.wish,
        }))
    }

    /// Records a launch as [`dispatch`](Self::dispatch) did, and returns its point; `None`, and nothing is recorded, if one of
    /// its buffers is gone, or a launch that it waits for was left out. `watched`: nothing that follows is to delay it, as [`seal`](Self::seal) has it.
    ///
    /// # Errors
    /// User for a launch of another device; Driver when Vulkan fails.
    pub fn dispatch_again(
        &self,
        launch: &Repeat,
        watched: bool,
        waits: &[DeferredLaunch],
    ) -> Result<Option<Launched>, RuntimeError> {
        if !Arc::ptr_eq(launch.kernel.device(), self.device_inner()) {
            return Err(RuntimeError::user(UserError::InvalidContext, "a launch of another device"));
        }
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        let Some(deferred) = launch.record(&mut state, watched, waits)? else { return Ok(None) };
        let value = state.recorded()?;
        if watched {
            state.seal(value);
        }
        stream.leave(state)?;
        Ok(Some(Launched { point: stream.point(value), deferred }))
    }

    /// The same between two timestamps, where the device has them.
    ///
    /// # Errors
    /// As `dispatch_again`.
    pub fn dispatch_again_timed(
        &self,
        launch: &Repeat,
        watched: bool,
        waits: &[DeferredLaunch],
    ) -> Result<Option<(Launched, Option<StartEnd>)>, RuntimeError> {
        if !self.has_timestamps() {
            return Ok(self.dispatch_again(launch, watched, waits)?.map(|launched| (launched, None)));
        }
        if !Arc::ptr_eq(launch.kernel.device(), self.device_inner()) {
            return Err(RuntimeError::user(UserError::InvalidContext, "a launch of another device"));
        }
        let stream = &self.inner.stream;
        let mut state = stream.lock()?;
        let mut recorded = None;
        let times = state.timed(|state| launch.record(state, watched, waits).map(|done| recorded = done))?;
        let Some(deferred) = recorded else { return Ok(None) };
        let value = state.recorded()?;
        if watched {
            state.seal(value);
        }
        stream.leave(state)?;
        Ok(Some((Launched { point: stream.point(value), deferred }, times)))
    }
}

/// A launch that was recorded, or will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// When it is done.
    pub point: Point,
    /// It was only noted.
    pub deferred: Option<DeferredLaunch>,
}

impl Repeat {
    /// Gives a value argument other bytes. `false`, and nothing changes, if it is no value of this size.
    pub fn set_value(&mut self, arg: u32, bytes: &[u8]) -> bool {
        let info = &self.kernel.info;
        let fits = |a: &ArgInfo| matches!(a.kind, ArgKind::Value { size } if size as usize == bytes.len());
        if !info.args.get(arg as usize).is_some_and(fits) {
            return false;
        }
        for member in info.block.members.iter().filter(|m| m.source == BlockSource::Argument(arg)) {
            put(&mut self.push, member, bytes);
        }
        self.version += 1;
        true
    }

    /// Gives a buffer argument another part of a buffer. `false`, and nothing changes, where that takes a new
    /// [`Queue::repeat`].
    pub fn set_buffer(&mut self, arg: u32, buffer: &Buffer, offset: u64, size: u64) -> bool {
        let (info, inner) = (&self.kernel.info, &buffer.inner);
        let Some(place) = self.touches.iter().position(|t| t.arg == Some(arg)) else { return false };
        // Another window may be needed.
        if info.windows.is_some()
            || size == 0
            || offset.checked_add(size).is_none_or(|end| end > inner.size)
            || !Arc::ptr_eq(&inner.device, self.kernel.device())
        {
            return false;
        }
        let (range, old) = (Range::new(inner, offset, size), self.touches[place].span);
        let limits = &inner.device.target.limits;
        let named = |d: &DescriptorInfo| d.source == DescriptorSource::Argument(arg);
        let can_be_bound = info.descriptors.iter().filter(|d| named(d)).all(|d| {
            let (max, align, _) = demands(d.kind, limits);
            range.size <= max && offset.is_multiple_of(align)
        });
        let addressed = |m: &&BlockMember| m.source == BlockSource::ArgumentAddress(arg);
        let address = inner.kernel_address().ok().map(|a| a + offset);
        let can_be_passed = address.is_some_and(|address| !info.aligned || takes(address, size));
        if !can_be_bound || (!can_be_passed && info.block.members.iter().any(|m| addressed(&m))) {
            return false;
        }
        let Ok(new) = Touch::new(Some(arg), &range.used(old.read, old.write)) else {
            return false;
        };
        self.touches[place] = new;
        if let Some(blocks) = inner.device.memory.blocks()
            && info.block.members.iter().any(|m| addressed(&m))
        {
            blocks.note_stored(inner.block());
        }
        if info.noalias {
            // Another argument may be changed, too, before the launch.
            self.shares = shares(&self.touches);
        }
        for member in info.block.members.iter().filter(addressed) {
            put(&mut self.push, member, &address.unwrap_or(0).to_le_bytes());
        }
        for (descriptor, place) in info.descriptors.iter().zip(&mut self.bound) {
            if named(descriptor) {
                *place = Bindable::Buffer(inner.raw, range.offset, range.size);
            }
        }
        self.id = inner.device.new_id();
        true
    }

    /// Returns whether addresses among the arguments must be starts of what may be reached from them.
    pub fn takes_starts(&self) -> bool {
        self.kernel.info.aligned
    }

    /// Gives an argument that is an address another one, in other memory. `false`, and nothing changes, where that takes a new
    /// [`Queue::repeat`].
    pub fn set_address(&mut self, arg: u32, address: u64, memory: &Reached<'_>) -> bool {
        let (info, inner) = (&self.kernel.info, &memory.buffer.inner);
        let named = |d: &DescriptorInfo| d.source == DescriptorSource::Argument(arg);
        let bound = info.windows.is_some() || info.descriptors.iter().any(named);
        let Some(touch) = self.touches.iter_mut().find(|t| t.arg == Some(arg)) else { return false };
        let odd = info.aligned && !takes(address, memory.end - memory.start);
        if bound || odd || !Arc::ptr_eq(&inner.device, self.kernel.device()) {
            return false;
        }
        let Ok(new) = Touch::new(Some(arg), &memory.used()) else { return false };
        *touch = new;
        if info.noalias {
            self.shares = shares(&self.touches);
        }
        for member in info.block.members.iter().filter(|m| m.source == BlockSource::ArgumentAddress(arg)) {
            put(&mut self.push, member, &address.to_le_bytes());
        }
        self.id = inner.device.new_id();
        true
    }

    /// Returns whether it was recorded, and if it was only noted: not when a buffer is gone, or a launch that it waits for was left out.
    #[inline]
    fn record(
        &self,
        state: &mut State,
        watched: bool,
        waits: &[DeferredLaunch],
    ) -> Result<Option<Option<DeferredLaunch>>, RuntimeError> {
        // The storage of a buffer that is gone may serve another one.
        if !self.is_whole() {
            return Ok(None);
        }
        if self.misses(waits) {
            return Ok(None);
        }
        let commands = match state.again(self.id)? {
            Some(commands) => commands,
            None if state.records_later() => {
                return Ok(self.record_later(state, watched, waits)?.map(Some));
            }
            None => match self.record_anew(state, waits)? {
                Some(commands) => commands,
                None => return Ok(None),
            },
        };
        self.dispatch(state, commands)?;
        Ok(Some(None))
    }

    /// Returns whether it can be launched as it is: all that it uses is alive, and its pipeline is the best there is.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        !self.shares
            && !self.wish.as_ref().is_some_and(|wish| wish.note(&self.kernel))
            && self.kernel.serves(&self.pipeline)
            && !self.touches.iter().any(|touch| touch.owner.is_gone())
    }

    /// Orders the launch, to be recorded later; `None` when a buffer is gone, or as it is known that a launch was left out.
    fn record_later(
        &self,
        state: &mut State,
        observed: bool,
        waits: &[DeferredLaunch],
    ) -> Result<Option<DeferredLaunch>, RuntimeError> {
        if !self.begin(state)? || self.misses(waits) {
            return Ok(None);
        }
        let spans = self.touches.iter().map(|t| (&*t.marks, t.span));
        let barrier = state.note(Stage::Compute, spans, false)?;
        let deferred = state.defer(Deferred {
            barrier,
            kernel: self.kernel.clone(),
            pipeline: self.pipeline.clone(),
            push: self.push.clone(),
            bound: self.bound.clone(),
            bound_id: if self.bound.is_empty() { 0 } else { self.id },
            groups: self.groups,
            dropped_launches: self.dropped_launches.clone(),
            waits: SmallVec::from_slice(waits),
            observed,
        })?;
        Ok(Some(deferred))
    }

    /// Returns whether a launch among these was left out.
    #[inline]
    fn misses(&self, waits: &[DeferredLaunch]) -> bool {
        waits.iter().any(|wait| self.kernel.device().dropped_launches.cause(*wait).is_some())
    }

    /// Returns what must be in the open batch before the launch, whatever was before it; `None` when a buffer is gone, or a launch was left out.
    fn record_anew(
        &self,
        state: &mut State,
        waits: &[DeferredLaunch],
    ) -> Result<Option<vk::CommandBuffer>, RuntimeError> {
        if !self.begin(state)? {
            return Ok(None);
        }
        state.catch_up()?;
        if self.misses(waits) {
            return Ok(None);
        }
        let spans = self.touches.iter().map(|t| (&*t.marks, t.span));
        let commands = state.order(Stage::Compute, spans, false)?;
        state.note_launch(self.id, self.touches.len());
        Ok(Some(commands))
    }

    /// Opens a batch that comes after what the launch's memory comes after, and keeps what it touches; false when a buffer is gone.
    fn begin(&self, state: &mut State) -> Result<bool, RuntimeError> {
        for touch in &self.touches {
            state.behind_origin(&touch.marks)?;
        }
        let index = state.index;
        let (batch, _) = state.open()?;
        for touch in &self.touches {
            // What the batch keeps is alive.
            if touch.marks.stream(index).kept_by.load(Ordering::Relaxed) != batch.value
                && !touch.owner.keep(batch)
            {
                return Ok(false);
            }
            batch.host_reads |= touch.mapped && touch.marks.take_host_barrier();
        }
        batch.keep(&self.pipeline);
        batch.keep(&self.kernel);
        Ok(true)
    }

    /// Binds what is not bound, and dispatches.
    #[inline]
    fn dispatch(&self, state: &mut State, commands: vk::CommandBuffer) -> Result<(), RuntimeError> {
        if !state.is_bound((self.id, self.version)) {
            let (batch, recycler) = state.open()?;
            self.bind(batch, recycler)?;
        }
        let [x, y, z] = self.groups;
        // SAFETY: recording under the stream's lock; pipeline, descriptors and push constants are bound; counts are within
        // the device's limits.
        unsafe { self.kernel.device().raw.cmd_dispatch(commands, x, y, z) };
        Ok(())
    }

    fn bind(&self, batch: &mut Batch, recycler: &mut Recycler) -> Result<(), RuntimeError> {
        bind_launch(batch, recycler, &self.kernel, &self.pipeline, &self.bound, &self.push)?;
        batch.bound.note_launch((self.id, self.version));
        Ok(())
    }
}

impl Touch {
    fn new(arg: Option<u32>, of: &Use<'_>) -> Result<Self, RuntimeError> {
        Ok(Touch {
            arg,
            owner: match of.resource {
                Resource::Buffer(bytes) => Owner::Buffer(Arc::downgrade(bytes.buffer)),
                Resource::Image { image, .. } => Owner::Image(Arc::downgrade(image)),
            },
            marks: of.marks().clone(),
            span: of.span(),
            extent: match of.resource {
                Resource::Buffer(bytes) => Extent::new(bytes.buffer, bytes.start..bytes.end),
                Resource::Image { .. } => None,
            },
            mapped: of.write && of.resource.is_mapped()?,
        })
    }
}

impl Touch {
    /// Returns whether both are of one memory, which one of them writes.
    fn meets(&self, other: &Touch) -> bool {
        let same = self.extent.zip(other.extent).is_some_and(|(own, other)| own.meets(&other));
        same && (self.span.write || other.span.write)
    }
}

/// Returns whether two arguments share memory, of which one is written. Memory that no argument names is pointed to, or the program's own.
fn shares(touches: &[Touch]) -> bool {
    touches.iter().enumerate().any(|(n, touch)| touches.iter().take(n).any(|other| touch.meets(other)))
}

/// Puts a member's bytes into the block.
fn put(block: &mut [u8], member: &BlockMember, bytes: &[u8]) {
    let start = member.offset as usize;
    if let Some(place) = block.get_mut(start..start + member.size as usize) {
        let n = place.len().min(bytes.len());
        place[..n].copy_from_slice(&bytes[..n]);
    }
}

/// Returns what the kernel's descriptors name; `None` where that is different for each launch.
fn bindables(kernel: &KernelInner, bound: &BoundArgs<'_>) -> Option<SmallVec<[Bindable; 4]>> {
    let whole = |buffer: &Option<Buffer>| buffer.as_ref().map(|b| image_bindings::whole(&b.inner));
    let named = kernel.info.descriptors.iter().map(|descriptor| match descriptor.source {
        DescriptorSource::Argument(index) => match bound.args.get(index as usize) {
            Some(Bound::Buffer(range)) => Some(Bindable::Buffer(range.buffer.raw, range.offset, range.size)),
            _ => None,
        },
        DescriptorSource::Constants => whole(&bound.blocks.constants),
        DescriptorSource::Globals => whole(&bound.blocks.globals),
        DescriptorSource::Image(_) | DescriptorSource::Sampler(_) => bound.view(descriptor.binding),
        DescriptorSource::Printf => bound.printf.map(|b| image_bindings::whole(&b.inner)),
        DescriptorSource::Sequence => bound.sequence.map(|b| image_bindings::whole(&b.inner)),
        DescriptorSource::Window(n) => packed_bindings::bindable(&bound.windows, n),
        DescriptorSource::ArgumentBlock => None,
    });
    named.collect()
}
