//! The iterations of a launch whose kernel enqueues.

use std::sync::{Arc, Weak};

use lower::enqueue::layout::{UNIT, captures_at, header};
use lower::enqueue::{TIMES_KERNEL, block_kernel};
use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{NdRange, Points, host_time};

use super::arena::{Arena, Facts};
use super::batch::{self, Batches};
use super::events::{Events, Times};
use super::indirect::Indirect;
use super::packet::{self, Child, Kind, Known, Packet};
use super::start::Start;
use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::device::device_queue::{self, DeviceQueue};
use crate::device::queue::Queue;
use crate::kernel::dimensions::Dimensions;
use crate::kernel::info::largest_invocations;
use crate::kernel::prepared::{Objects, Part, Prepared};
use crate::program::executable::{Executable, Form};
use scheduler::HostWork;

/// A launch that goes on for so long is named in the log, in nanoseconds.
const LONG: u64 = 10_000_000_000;

/// Records begin at multiples of this.
const RECORD_ALIGN: u64 = 64;

/// A launch of the host that is under way, with what it holds until all is done.
pub(crate) struct Iterations {
    queue: Arc<Queue>,
    stream: vk_runtime::Queue,
    executable: Arc<Executable>,
    /// The kernel that the host launched.
    name: String,
    arena: Arena,
    /// What the launch of the host touches: kernels reach it by addresses.
    touched: SmallVec<[(Part, bool); 4]>,
    base: u64,
    non_uniform: bool,
    /// The number of blocks, and one more than the largest number of a queue.
    blocks: u32,
    queues: u32,
    events: Events,
    pending: Vec<Packet>,
    /// The half of the packets' memory that the last kernels wrote to.
    from: u32,
    batches: Batches,
    indirect: Indirect,
    /// The number of generations that the host launched.
    generations: u32,
    /// The units of each queue that packets use which wait, by number.
    used: Vec<u32>,
    /// The first thing that went wrong.
    error: Option<ClError>,
    times: bool,
}

/// The arena of a launch, before its kernel is launched.
///
/// # Errors
/// CL_INVALID_KERNEL_ARGS for a device queue that is gone; what memory gives.
pub(crate) fn arena(prepared: &Prepared, queue: &Queue, stream: &vk_runtime::Queue) -> ClResult<Arena> {
    let default = device_queue::default_of(&queue.context, &queue.device);
    let mut sizes = vec![default.as_ref().map_or(0, |queue| queue.size)];
    for queue in &prepared.queues {
        let queue: Option<Arc<DeviceQueue>> = Weak::upgrade(queue);
        sizes.push(queue.ok_or(ClError(cl::CL_INVALID_KERNEL_ARGS))?.size);
    }
    let target = &queue.device.target;
    let multiple = target.limits.subgroup_size.max(1);
    let of_block = |n| {
        let info = prepared.executable.info(&block_kernel(n))?;
        let most = largest_invocations(info, target);
        Some([u32::try_from(most).unwrap_or(u32::MAX), multiple])
    };
    let facts = Facts {
        blocks: (0..).map_while(of_block).collect(),
        queues: sizes,
        has_default: default.is_some(),
        uniform: !prepared.non_uniform,
        sub_group_size: multiple,
        base: prepared.base,
    };
    Arena::new(&queue.runtime.arenas, stream, &facts)
}

/// What was launched in an iteration.
#[derive(Default)]
struct Running {
    /// The events that packets held.
    held: Vec<u32>,
    points: Points,
    works: Vec<HostWork>,
    /// The events whose kernels were timed.
    timed: Vec<(u32, TimedBy)>,
}

/// How a kernel is timed.
enum TimedBy {
    Device(Arc<vk_runtime::Span>),
    /// Since a time of the host's clock.
    Host(u64),
}

impl Iterations {
    /// Of a launch that was recorded.
    pub(crate) fn new(
        prepared: &Prepared,
        queue: &Arc<Queue>,
        stream: &vk_runtime::Queue,
        arena: Arena,
        touched: SmallVec<[(Part, bool); 4]>,
    ) -> Self {
        let blocks = (0..).take_while(|n| prepared.executable.info(&block_kernel(*n)).is_some()).count();
        let queues = prepared.queues.len() as u32 + 2;
        let from = arena.places.packets;
        Iterations {
            queue: queue.clone(),
            stream: stream.clone(),
            executable: prepared.executable.clone(),
            name: prepared.kernel.info().name.clone(),
            arena,
            touched,
            base: prepared.base,
            non_uniform: prepared.non_uniform,
            blocks: blocks as u32,
            queues,
            events: Events::new(),
            pending: Vec::new(),
            from,
            batches: Batches::new(&prepared.executable, &queue.device.target),
            indirect: Indirect::new(
                &prepared.executable,
                (blocks as u32, queues),
                queue.device.target.limits.max_compute_work_group_count[0],
            ),
            generations: 0,
            used: vec![0; queues as usize],
            error: None,
            times: prepared.executable.info(TIMES_KERNEL).is_some(),
        }
    }

    /// Does the iterations, when the launch of the host is done.
    ///
    /// # Errors
    /// What launching a kernel gave first; CL_OUT_OF_RESOURCES for damaged packets and for kernels that wait for events which nobody
    /// completes.
    pub(crate) fn run(mut self) -> ClResult<()> {
        let mut running = Running::default();
        let mut message_at = host_time().saturating_add(LONG);
        loop {
            let mut words = self.arena.header()?;
            while self.goes_on(&words, &mut message_at)? {
                words = self.arena.header()?;
            }
            self.collect(&words)?;
            self.end(running);
            let ready = self.settle();
            if ready.is_empty() {
                break;
            }
            running = self.launch(ready)?;
        }
        if !self.pending.is_empty() {
            let count = self.pending.len();
            return self
                .broken(&format!("{count} enqueued kernels wait for events that no kernel completes"));
        }
        if let Some(error) = self.error {
            return Err(error);
        }
        // Only a launch that ended well tells that nothing uses the memory any more.
        self.arena.keep();
        Ok(())
    }

    fn broken<T>(&self, what: &str) -> ClResult<T> {
        self.queue.context.report(&format!("device-side enqueue: {what}"));
        fail(cl::CL_OUT_OF_RESOURCES)
    }

    /// Submits more iterations without the host where the last ones ended with packets that need none, and waits. False where the host is to look at
    /// the packets. `message_at`: when the log names the launch.
    fn goes_on(&mut self, words: &[u32], message_at: &mut u64) -> ClResult<bool> {
        let now = host_time();
        if now > *message_at {
            *message_at = u64::MAX;
            let seconds = LONG / 1_000_000_000;
            log::warn!(
                "kernel '{}' enqueues kernels, which have enqueued others for {seconds} s; it ends when one enqueues none",
                self.name
            );
        }
        let (halted, generations) = (words[header::HALT] != 0, words[header::GENERATIONS]);
        let ran = self.indirect.ended(generations, halted, now);
        if !ran || halted || words[header::PACKETS] == 0 {
            return Ok(false);
        }
        self.arena.write_words(header::HALT, &[0, 0])?;
        let Some(points) = self.submit_iterations()? else { return Ok(false) };
        self.stream.wait_only(points)?;
        Ok(true)
    }

    /// Reads the packets that kernels wrote, where the header has these words.
    fn collect(&mut self, words: &[u32]) -> ClResult<()> {
        let (count, next) = (words[header::PACKETS], words[header::NEXT]);
        self.events.update(&self.arena, words[header::NEW_EVENTS], words[header::FREE_EVENTS] as i32)?;
        if count == 0 {
            return Ok(());
        }
        let first = words[header::FROM];
        if !self.arena.places.is_half(first) {
            return self.broken("a kernel damaged the memory of its queue");
        }
        self.from = first;
        let index = self.arena.index(count)?;
        let bytes = self.arena.packets(first, next)?;
        let known = Known { events: self.events.end(), blocks: self.blocks, queues: self.queues };
        // No two packets share memory, and those that wait have kept theirs.
        let all = u64::from(self.arena.places.units);
        let mut left = self.used.iter().fold(all, |left, used| left.saturating_sub((*used).into()));
        for at in index {
            let from = at.checked_sub(first).map(|units| units as usize * UNIT as usize);
            let found = from.and_then(|from| packet::read(bytes.get(from..)?, &known));
            let found = found.filter(|packet| u64::from(packet.units) <= left);
            let Some(mut packet) = found else {
                return self.broken("a kernel damaged the memory of its queue");
            };
            left -= u64::from(packet.units);
            packet.place = Some(at);
            packet.waits.iter().for_each(|event| self.events.wait(*event, true));
            // From here on it is the one that the packet holds.
            packet.owner = self.events.hold(packet.event, packet.owner);
            self.used[packet.queue as usize] += packet.units;
            self.pending.push(packet);
        }
        Ok(())
    }

    /// The kernels of the last iteration have ended, and what they enqueued is known.
    fn end(&mut self, running: Running) {
        let now = host_time();
        for (event, by) in running.timed {
            let times = match by {
                TimedBy::Device(span) => span.times().map(Times::Device),
                TimedBy::Host(start) => Some(Times::Host(start, now)),
            };
            times.into_iter().for_each(|times| self.events.ran(event, times));
        }
        running.held.iter().for_each(|event| self.events.release(*event, now));
    }

    /// Takes the packets that wait for nothing any more; markers are complete at once, and may let others go on.
    fn settle(&mut self) -> Vec<Packet> {
        let now = host_time();
        let mut ready = Vec::new();
        loop {
            let mut marked = false;
            let before = self.pending.len();
            for packet in std::mem::take(&mut self.pending) {
                let mut statuses = packet.waits.iter().map(|event| self.events.status(*event));
                let failed = statuses.clone().any(|status| status < 0);
                if !failed && statuses.any(|status| status > 0) {
                    self.pending.push(packet);
                    continue;
                }
                let gone = failed || matches!(packet.kind, Kind::Marker);
                if failed {
                    self.events.fail(packet.event, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
                }
                if gone {
                    self.leave(&packet);
                    self.events.release(packet.owner, now);
                    marked = true;
                } else {
                    ready.push(packet);
                }
            }
            if !marked || self.pending.len() == before {
                return ready;
            }
        }
    }

    /// A packet waits no longer, and its queue has its room.
    fn leave(&mut self, packet: &Packet) {
        packet.waits.iter().for_each(|event| self.events.wait(*event, false));
        let used = &mut self.used[packet.queue as usize];
        *used = used.saturating_sub(packet.units);
    }

    /// Launches what is ready, as far as there is room, and waits.
    fn launch(&mut self, ready: Vec<Packet>) -> ClResult<Running> {
        let mut running = Running::default();
        let mut starts = self.start_batches(ready, &mut running)?;
        let free = self.events.publish(&self.arena)?.to_vec();
        self.from = self.arena.places.other_half(self.from);
        self.arena.reset(self.from, self.events.end() - 1, &free, &self.used)?;
        // What waits lies where kernels write in some later iteration.
        self.pending.iter_mut().for_each(|packet| packet.place = None);
        // Kernels of an iteration are not ordered among each other, but behind all before. The last one counts as touching all, before what comes after.
        self.stream.barrier()?;
        if let Some((_, last)) = starts.last_mut() {
            (last.touched, last.anything) = (self.touched.clone(), true);
        }
        for (event, start) in starts {
            self.record(start, event, &mut running)?;
        }
        self.generations += 1;
        self.go_on(&mut running)?;
        self.stream.wait_only(running.points.clone())?;
        for work in std::mem::take(&mut running.works) {
            work.run().map_err(ClError::from)?;
        }
        Ok(running)
    }

    /// Submits iterations without the host behind a generation that has only kernels which the host need not look after, from the second one on: most launches
    /// have one.
    fn go_on(&mut self, running: &mut Running) -> ClResult<()> {
        let watched = !running.works.is_empty() || running.held.iter().any(|event| *event != 0);
        if watched || !self.pending.is_empty() || self.generations < 2 {
            return Ok(());
        }
        if let Some(points) = self.submit_iterations()? {
            running.points.merge(&points);
        }
        Ok(())
    }

    /// Submits iterations without the host behind the launch of the host, which has no packets yet, where earlier launches of the program told the
    /// sizes of work-groups.
    ///
    /// # Errors
    /// What recording gives.
    pub(crate) fn follow(&mut self) -> ClResult<Option<Points>> {
        if self.indirect.may_follow() { self.submit_iterations() } else { Ok(None) }
    }

    /// Submits iterations without the host: when they are done. `None` where the launch has none.
    fn submit_iterations(&mut self) -> ClResult<Option<Points>> {
        let iterations = self.indirect.sequence((&self.arena, self.base), &self.stream, host_time())?;
        let Some(iterations) = iterations else { return Ok(None) };
        let Some(point) = self.stream.submit_again(iterations)? else { return Ok(None) };
        let mut points: Points = point.into();
        // It touches what the launch touches.
        points.merge(&self.stream.barrier()?.into());
        Ok(Some(points))
    }

    /// The launches of what is ready, each with the event whose times are wanted or 0: kernels that are alike in one dispatch, and others
    /// one by one.
    fn start_batches(&mut self, ready: Vec<Packet>, running: &mut Running) -> ClResult<Vec<(u32, Start)>> {
        let mut starts = Vec::new();
        let times = self.times;
        let is_timed = |packet: &Packet| times && packet.event != 0;
        let (batches, mut single) = self.batches.gather(ready, &is_timed);
        let mut lists = self.arena.places.lists;
        for batch in batches {
            let Some(end) = batch.end(lists, &self.arena.places) else {
                single.extend(batch.packets);
                continue;
            };
            let header = batch.write(&self.arena, lists)?;
            lists = end;
            if let Some((block, size)) = batch.size(&self.executable) {
                self.indirect.note(block, size);
            }
            let (prepared, range) = batch.prepared(&self.executable, (header, self.base))?;
            starts.push((0, self.start(prepared, range)));
            for packet in batch.packets {
                self.leave(&packet);
                running.held.push(packet.owner);
            }
        }
        let mut at = self.arena.places.records;
        for packet in single {
            let Some((place, end)) = self.room(at, &packet) else {
                // The next iteration has room again.
                self.pending.push(packet);
                continue;
            };
            at = end;
            self.leave(&packet);
            running.held.push(packet.owner);
            match self.prepare(&packet, place) {
                Ok(start) => starts.extend(start.map(|start| (packet.event, start))),
                Err(error) => {
                    log::error!("a block cannot be launched: {error:?}");
                    self.error.get_or_insert(error);
                    self.events.fail(packet.event, error.0);
                }
            }
        }
        Ok(starts)
    }

    /// The place of a packet's record, and its end.
    fn room(&self, at: u64, packet: &Packet) -> Option<(u64, u64)> {
        let (align, bytes) = match &packet.kind {
            Kind::Kernel(child) => {
                (child.align, u64::from(captures_at(child.align)) + child.captures.len() as u64)
            }
            _ => (1, 64),
        };
        let place = at.next_multiple_of(RECORD_ALIGN.max(align.into()));
        Some((place, place + bytes)).filter(|(_, end)| *end <= self.arena.places.records_end)
    }

    /// Writes a packet's record and prepares its launch; `None` where there is nothing to run.
    fn prepare(&mut self, packet: &Packet, place: u64) -> ClResult<Option<Start>> {
        let mut record = self.arena.address.to_le_bytes().to_vec();
        record.extend(packet.owner.to_le_bytes());
        record.extend([0; 4]);
        match &packet.kind {
            Kind::Kernel(child) => {
                record.resize(captures_at(child.align) as usize, 0);
                record.extend(&child.captures);
                self.arena.write(place, &record)?;
                self.block(child, self.arena.address.wrapping_add(place))
            }
            Kind::Profile(to) => {
                let event = packet.waits.last().copied().unwrap_or(0);
                let [run, all] = self.events.elapsed(event);
                [*to, run, all].iter().for_each(|word| record.extend(word.to_le_bytes()));
                self.arena.write(place, &record)?;
                let range = NdRange { local_size: Some([1; 3]), ..NdRange::new_1d(1) };
                let address = (self.arena.address.wrapping_add(place), self.base);
                let form = Form::default();
                let prepared =
                    Prepared::of_block(&self.executable, TIMES_KERNEL, form, address, std::iter::empty())?;
                Ok(Some(self.start(prepared, range)))
            }
            Kind::Marker => Ok(None),
        }
    }

    /// The launch of a block.
    fn block(&self, child: &Child, record: u64) -> ClResult<Option<Start>> {
        let target = &self.queue.device.target;
        let dims = Dimensions::of_block(child.dimensions, child.range);
        let Some(mut range) = dims.range(self.non_uniform) else { return Ok(None) };
        let name = block_kernel(child.block);
        let mut form = dims.form(target);
        let locals = || child.locals.iter().copied();
        let make = |form| Prepared::of_block(&self.executable, &name, form, (record, self.base), locals());
        let mut prepared = make(form)?;
        if !prepared.iterates_few_times(&range) {
            form.long = true;
            prepared = make(form)?;
        }
        let local = locals().fold(u64::from(prepared.kernel.info().local_memory_size), u64::saturating_add);
        ensure(local <= target.limits.max_compute_shared_memory_size.into(), cl::CL_OUT_OF_RESOURCES)?;
        let size = prepared.work_group(&self.queue, &range)?;
        if let Some(info) = self.executable.batch(child.block).and_then(|kernel| kernel.info().batch)
            && let Some(size) = batch::size_for(info.any_size, child, size.map(|n| n as u32))
        {
            self.indirect.note(child.block, size);
        }
        range.chosen = range.local_size.is_none();
        range.local_size = Some(size);
        Ok(Some(self.start(prepared, range)))
    }

    fn start(&self, prepared: Prepared, range: NdRange) -> Start {
        let mut touched = SmallVec::new();
        touched.push(((None, self.arena.buffer().clone(), 0, self.arena.buffer().size()), false));
        Start { prepared: Arc::new(prepared), objects: Objects::new(), touched, anything: false, range }
    }

    /// Records a launch.
    fn record(&self, start: Start, event: u32, running: &mut Running) -> ClResult<()> {
        let timed = self.times && event != 0;
        let goes_on = start.prepared.resumes();
        let (points, work) = match timed {
            true => {
                let (stream, span) = self.stream.timed();
                let by = match stream.has_timestamps() {
                    true => TimedBy::Device(span),
                    false => TimedBy::Host(host_time()),
                };
                running.timed.push((event, by));
                start.record(&stream, &self.queue)?
            }
            false => start.record(&self.stream, &self.queue)?,
        };
        match work {
            // It has a large buffer of its own: one at a time.
            Some(work) if goes_on => {
                self.stream.wait_only(points)?;
                work.run().map_err(ClError::from)?;
            }
            work => {
                running.points.merge(&points);
                running.works.extend(work);
            }
        }
        Ok(())
    }
}
