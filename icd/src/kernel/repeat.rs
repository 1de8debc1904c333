//! Launches like the one before.
//!
//! Programs launch the same kernel with the same arguments and sizes again and again. What such a launch needs lies beside the
//! kernel object, in its slot, and holds nothing alive but the runtime's own objects: so it is found, checked and recorded with
//! two locks, that of its place and the stream's; one with an event has a node and times besides, one with a wait list is put behind
//! the points of other streams. A new value or buffer for an argument changes what lies there; any other change empties the place.

use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{DeferredLaunch, NdRange, Points, Queue as Stream, Touch, host_time};

use crate::abi::error::ClResult;
use crate::abi::handle;
use crate::abi::handle::{Mark, Own, Raw};
use crate::abi::trace;
use crate::device::Runtime;
use crate::device::context::Context;
use crate::device::event::Event;
use crate::device::profiling::Times;
use crate::device::queue::Queue;
use crate::kernel::Kernel;
use crate::kernel::args::{Arg, Bytes};
use crate::kernel::dimensions::Dimensions;
use crate::kernel::prepared::{Coarse, Pointed, Prepared, note_written};
use crate::memory::Memory;
use scheduler::{CommandQueue, Node, Relies};

/// A kernel's last launch.
pub(crate) struct Repeated {
    queue: Mark<Queue>,
    dims: Dimensions,
    /// The buffers and images among the arguments, by their numbers: one that was released is no argument any more.
    memories: SmallVec<[(u32, Weak<Memory>); 4]>,
    commands: Arc<CommandQueue>,
    runtime: Arc<Runtime>,
    launch: vk_runtime::Repeat,
    /// The shared memory among the arguments.
    pointed: Pointed,
    /// The kernel is in a form that some of its arguments demand.
    formed: bool,
    /// The arguments that tell how often loops iterate, with the kernel and its sizes.
    counted: SmallVec<[(u32, Bytes); 4]>,
    kernel: vk_runtime::Kernel,
    range: NdRange,
    /// The kernel's name, where there is a trace.
    name: String,
}

/// The place of a repeated launch beside its kernel.
#[derive(Default)]
pub(crate) struct Place(Mutex<Option<Box<Repeated>>>);

impl Place {
    fn lock(&self) -> MutexGuard<'_, Option<Box<Repeated>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, repeated: Repeated) {
        let old = self.lock().replace(Box::new(repeated));
        drop(old);
    }

    /// Takes an argument's change in.
    pub(crate) fn set_arg(&self, index: u32, arg: &Arg, context: &Context) {
        let mut place = self.lock();
        if place.as_deref_mut().is_some_and(|known| !known.set_arg(index, arg, context)) {
            let old = place.take();
            drop(place);
            drop(old);
        }
    }

    pub(crate) fn forget(&self) {
        let old = self.lock().take();
        drop(old);
    }
}

impl Repeated {
    /// A launch that may be repeated; `None` for one that is different each time, and in contexts of several devices, where
    /// memory moves between them.
    ///
    /// # Errors
    /// As the launch.
    pub(crate) fn new(
        prepared: &Prepared,
        memories: &[Arc<Memory>],
        queue: &Arc<Queue>,
        name: &str,
        dims: &Dimensions,
        range: &NdRange,
    ) -> ClResult<Option<Self>> {
        if queue.context.runtimes().len() != 1 {
            return Ok(None);
        }
        let launch = prepared.repeat(memories, queue, range, false)?;
        Ok(launch.map(|(launch, pointed)| Repeated {
            queue: queue.mark(),
            dims: *dims,
            memories: prepared.object_args().zip(memories.iter().map(Arc::downgrade)).collect(),
            commands: queue.commands.clone(),
            runtime: queue.runtime.clone(),
            launch,
            pointed,
            formed: prepared.together || prepared.anywhere,
            counted: prepared.counted(),
            kernel: prepared.kernel.clone(),
            range: *range,
            name: if trace::is_on() { name.to_owned() } else { String::new() },
        }))
    }

    /// Returns whether an argument's change could be taken in.
    fn set_arg(&mut self, index: u32, arg: &Arg, context: &Context) -> bool {
        match arg {
            Arg::Value(bytes) => self.launch.set_value(index, bytes) && self.iterates_few_times(index, bytes),
            // Which form it takes is asked anew.
            Arg::Buffer(_) | Arg::Svm(_) | Arg::Unified(_) if self.formed => false,
            Arg::Buffer(memory) => {
                let Some(place) = self.memories.iter_mut().find(|(i, _)| *i == index) else { return false };
                let Some(held) = memory.upgrade() else { return false };
                // A sub-buffer's alignment is checked at the launch.
                let Ok((buffer, offset, size)) = held.device_buffer(&self.runtime) else { return false };
                let set = held.offset == 0 && self.launch.set_buffer(index, &buffer, offset, size);
                if set {
                    place.1 = memory.clone();
                }
                set
            }
            Arg::Svm(address) | Arg::Unified(address) => self.set_pointer(index, *address, context).is_some(),
            Arg::Image(_) | Arg::Sampler(_) | Arg::Null | Arg::Address(_) | Arg::Local(_) => false,
            Arg::Queue(_) | Arg::Record => false,
        }
    }

    /// Takes in that a value is another one; whether the loops iterate as seldom as the kernel takes them to.
    fn iterates_few_times(&mut self, index: u32, bytes: &Bytes) -> bool {
        let Some(place) = self.counted.iter_mut().find(|(known, _)| *known == index) else { return true };
        place.1.clone_from(bytes);
        let value = |index: u32| {
            let found = self.counted.iter().find(|(known, _)| *known == index);
            found.map(|(_, bytes)| &bytes[..])
        };
        self.kernel.iterates_few_times(&self.range, &value)
    }

    /// Takes in that a pointer is another one. `None`: it could not be.
    fn set_pointer(&mut self, index: u32, address: u64, context: &Context) -> Option<()> {
        let place = self.pointed.iter_mut().find(|p| p.arg == index && !p.bound)?;
        let found = context.svm.find(usize::try_from(address).ok()?)?;
        if self.launch.takes_starts() && found.pointer.0.addr() as u64 != address {
            return None;
        }
        let (start, end) = found.span();
        let buffer = found.on(&self.runtime)?;
        let memory = Touch { arg: Some(index), buffer, start, end, written: place.written };
        let wanted = address.wrapping_add(self.runtime.base_of_launch());
        self.launch.set_address(index, wanted, &memory).then(|| place.memory = Arc::downgrade(&found))
    }
}

/// The other parts of a launch's request.
pub(crate) struct Asked<'a> {
    pub(crate) command: cl::cl_command_type,
    pub(crate) waits: &'a [Arc<Event>],
    /// The place for the event.
    pub(crate) event: Option<&'a mut cl::cl_event>,
}

/// Launches a kernel as it was launched before, if that is what is asked for.
pub(crate) fn again(
    queue: Raw,
    kernel: Raw,
    same_sizes: impl FnOnce(&Dimensions) -> bool,
    asked: Asked<'_>,
) -> Option<ClResult<()>> {
    let place = handle::beside::<Kernel>(kernel)?.lock();
    let known = place.as_deref().filter(|known| known.is_asked(queue, same_sizes))?;
    known.with_events(queue, asked).transpose()
}

/// The same where nobody asks for more: no event, no wait list, no trace.
#[inline]
pub(crate) fn again_plainly(
    queue: Raw,
    kernel: Raw,
    same_sizes: impl FnOnce(&Dimensions) -> bool,
) -> Option<ClResult<()>> {
    let place = handle::beside::<Kernel>(kernel)?.lock();
    let known = place.as_deref().filter(|known| known.is_asked(queue, same_sizes))?;
    known.plainly().transpose()
}

/// Brings the noted region to the host if maps ask for it again and again.
fn after(coarse: &Coarse, stream: &Stream) -> ClResult<()> {
    coarse.iter().try_for_each(|allocation| allocation.after_kernel(stream))
}

impl Repeated {
    /// Returns whether it is this launch that is asked for, and nothing prevents it.
    #[inline]
    fn is_asked(&self, queue: Raw, same_sizes: impl FnOnce(&Dimensions) -> bool) -> bool {
        self.queue.names(queue)
            && same_sizes(&self.dims)
            && self.commands.is_free()
            && self.memories.iter().all(|(_, m)| m.strong_count() > 0)
            && self.pointed.iter().all(|p| p.memory.strong_count() > 0)
    }

    /// The same without events. `None`: nothing was done.
    #[inline]
    fn plainly(&self) -> ClResult<Option<()>> {
        let place = self.commands.choose_stream_at_once()?;
        let stream = self.runtime.stream(place.stream);
        // Most kernels have no shared memory among their arguments.
        if self.pointed.is_empty() {
            return Ok(self.dispatch_plainly(stream)?.then_some(()));
        }
        let coarse = self.before();
        if !self.dispatch_plainly(stream)? {
            return Ok(None);
        }
        after(&coarse, stream)?;
        Ok(Some(()))
    }

    /// Records the launch, and notes its point. `false`: nothing was done.
    #[inline]
    fn dispatch_plainly(&self, stream: &Stream) -> ClResult<bool> {
        let launched = stream.dispatch_again(&self.launch, false, &[])?;
        if let Some(launched) = &launched {
            self.commands.note_own(launched.point);
        }
        Ok(launched.is_some())
    }

    /// Notes what a launch may write of memory that lies twice: that memory, each once.
    fn before(&self) -> Coarse {
        let mut coarse = Coarse::new();
        for allocation in self.pointed.iter().filter(|p| p.written).filter_map(|p| p.memory.upgrade()) {
            note_written(&allocation, &mut coarse);
        }
        coarse
    }

    /// The same with a wait list or an event, where neither needs more than the streams' order. `None`: nothing was done.
    fn with_events(&self, queue: Raw, asked: Asked<'_>) -> ClResult<Option<()>> {
        let (commands, queue) = (&self.commands, handle::get::<Queue>(queue)?);
        let here = asked.waits.iter().all(|e| Arc::ptr_eq(&e.context, &queue.context));
        // Where the device has no timestamps, the host's clock is read when the command ends.
        let untimed = queue.is_profiled() && !self.runtime.stream.has_timestamps();
        if !here || untimed || !commands.admits(asked.waits.iter().map(|e| &e.node)) || !commands.is_plain() {
            return Ok(None);
        }
        let own = match &asked.event {
            Some(_) => Some(Own::<Event>::reserve()?),
            None => None,
        };
        let times = (own.is_some() && queue.is_profiled()).then(|| Arc::new(Times::new()));
        let traced = trace::is_on();
        let mut waits = Points::none();
        asked.waits.iter().for_each(|e| waits.merge(&e.node.points()));
        let deferred: SmallVec<[DeferredLaunch; 2]> =
            asked.waits.iter().filter_map(|e| e.node.deferred()).collect();
        let mut relies = Relies::new();
        asked.waits.iter().for_each(|e| e.node.relied_on(&mut relies));
        // One that has failed meanwhile has no points and is not noted any more.
        if asked.waits.iter().any(|e| e.node.status() < 0) {
            return Ok(None);
        }
        let place = commands.choose_stream(&waits)?;
        let stream = self.runtime.stream(place.stream);
        let coarse = self.before();
        // What is brought ahead goes into the launch's batch.
        let watched = own.is_some() && coarse.is_empty();
        let launched = if times.is_some() || traced {
            let submit = host_time();
            let again = stream.dispatch_again_timed(&self.launch, watched, &deferred)?;
            let Some((launched, span)) = again else {
                return Ok(None);
            };
            if let (true, Some(span)) = (traced, &span) {
                trace::command(queue.raw().addr() as u64, self.name.clone().into(), submit, span.clone());
            }
            if let Some(times) = &times {
                times.take(span, submit);
            }
            launched
        } else {
            let again = stream.dispatch_again(&self.launch, watched, &deferred)?;
            let Some(launched) = again else { return Ok(None) };
            launched
        };
        let point = launched.point;
        commands.note_own(point);
        after(&coarse, stream)?;
        if own.is_some() && !watched {
            stream.seal(&point.into())?;
        }
        if let (Some(own), Some(place)) = (own, asked.event) {
            let node = Node::recorded_now(commands, commands.complete_at(point), launched.deferred, relies);
            *place = handle::publish(&Event::recorded(own, queue, asked.command, node, times));
        } else {
            relies.into_iter().for_each(|point| commands.rely(point));
        }
        Ok(Some(()))
    }
}
