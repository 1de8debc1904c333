//! The events of a launch and all that comes from it.

use lower::enqueue::layout::event;
use opencl_sys as cl;
use vk_runtime::StartEnd;

use super::arena::Arena;
use crate::abi::error::ClResult;
use crate::device::device_queue::MAX_EVENTS;

/// An event.
#[derive(Clone, Default)]
struct State {
    status: cl::cl_int,
    /// References that kernels hold.
    references: i32,
    is_user: bool,
    /// It is in the list of free ones.
    free: bool,
    /// The event that owns it, or 0.
    parent: u32,
    /// Kernels that it owns and that are not complete, its own among them, and events.
    live: u32,
    /// Packets that wait for it.
    waiting: u32,
    /// Of its kernel.
    times: Option<Times>,
    /// From start to end and to completion, in nanoseconds.
    elapsed: [u64; 2],
    /// Kernels do not know its status yet.
    changed: bool,
}

/// When a kernel ran.
#[derive(Clone)]
pub(super) enum Times {
    /// By the device's clock.
    Device(StartEnd),
    /// By the host's.
    Host(u64, u64),
}

impl Times {
    fn nanos(&self) -> Option<(u64, u64)> {
        match self {
            Times::Device((start, end)) => Some((start.nanos().ok()??, end.nanos().ok()??)),
            Times::Host(start, end) => Some((*start, *end)),
        }
    }
}

/// The events: number 0 is the launch of the host.
pub(super) struct Events {
    states: Vec<State>,
    free: Vec<u32>,
}

impl Events {
    pub(super) fn new() -> Self {
        Events { states: vec![State::default()], free: Vec::new() }
    }

    /// One more than the largest number.
    pub(super) fn end(&self) -> u32 {
        self.states.len() as u32
    }

    /// Takes in what kernels did: `used` events were used so far, and so many are left of the free ones.
    ///
    /// # Errors
    /// What reading gives.
    pub(super) fn update(&mut self, arena: &Arena, used: u32, left: i32) -> ClResult<()> {
        let left = usize::try_from(left).unwrap_or(0).min(self.free.len());
        let new = State { status: cl::CL_QUEUED, ..State::default() };
        for number in self.free.drain(left..) {
            if let Some(state) = self.states.get_mut(number as usize) {
                *state = new.clone();
            }
        }
        let count = used.min(MAX_EVENTS) as usize + 1;
        let count = count.max(self.states.len());
        self.states.resize(count, new);
        if count == 1 {
            return Ok(());
        }
        let words = arena.events(count as u32 - 1)?;
        for (state, words) in self.states.iter_mut().skip(1).zip(words.chunks_exact(event::WORDS)) {
            state.references = words[event::REFERENCES] as i32;
            if state.free {
                continue;
            }
            state.is_user = words[event::IS_USER] != 0;
            if state.is_user {
                state.status = words[event::STATUS] as i32;
            }
        }
        Ok(())
    }

    /// The status: 0 complete, positive not complete, negative an error.
    pub(super) fn status(&self, number: u32) -> cl::cl_int {
        self.states.get(number as usize).map_or(cl::CL_INVALID_EVENT, |state| state.status)
    }

    /// The times of a complete event.
    pub(super) fn elapsed(&self, number: u32) -> [u64; 2] {
        self.states.get(number as usize).map_or([0; 2], |state| state.elapsed)
    }

    fn at(&mut self, number: u32) -> &mut State {
        let at = if (number as usize) < self.states.len() { number as usize } else { 0 };
        &mut self.states[at]
    }

    /// A packet came: it has an event, or 0, and an owner. Returns the one that it holds.
    pub(super) fn hold(&mut self, number: u32, owner: u32) -> u32 {
        self.at(owner).live += 1;
        if number == 0 {
            return owner;
        }
        let state = self.at(number);
        (state.parent, state.live) = (owner, 1);
        number
    }

    /// A packet waits for an event, or does not any more.
    pub(super) fn wait(&mut self, number: u32, waits: bool) {
        let state = self.at(number);
        state.waiting = if waits { state.waiting + 1 } else { state.waiting.saturating_sub(1) };
    }

    /// Notes the times of an event's kernel.
    pub(super) fn ran(&mut self, number: u32, times: Times) {
        self.at(number).times = Some(times);
    }

    /// Notes that an event's kernel failed.
    pub(super) fn fail(&mut self, number: u32, status: cl::cl_int) {
        if number != 0 {
            self.at(number).status = status;
        }
    }

    /// What held an event is done. It is complete with the last. `now`: by the host's clock.
    pub(super) fn release(&mut self, number: u32, now: u64) {
        let mut number = number;
        loop {
            let state = self.at(number);
            if state.live == 0 {
                // Complete before: what says so is damaged.
                return;
            }
            state.live -= 1;
            if number == 0 || state.live > 0 {
                return;
            }
            // An error stays.
            state.status = state.status.min(cl::CL_COMPLETE);
            if let Some((start, end)) = state.times.take().and_then(|times| times.nanos()) {
                // No time is shorter than the clock's tick.
                let run = end.saturating_sub(start).max(1);
                state.elapsed = [run, now.saturating_sub(start).max(run)];
            }
            state.changed = true;
            number = state.parent;
        }
    }

    /// Gives the events free that nobody knows any more, and tells kernels what became of the others. Returns the free ones.
    ///
    /// # Errors
    /// What writing gives.
    pub(super) fn publish(&mut self, arena: &Arena) -> ClResult<&[u32]> {
        for (number, state) in (0..).zip(&mut self.states).skip(1) {
            if std::mem::take(&mut state.changed) {
                arena.write_event(number, state.status, state.elapsed)?;
            }
            let over = state.status <= 0 || state.is_user;
            if !state.free && state.references <= 0 && state.waiting == 0 && state.live == 0 && over {
                state.free = true;
                self.free.push(number);
            }
        }
        Ok(&self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(count: usize) -> Events {
        let state = State { status: cl::CL_QUEUED, ..State::default() };
        Events { states: vec![state; count], free: Vec::new() }
    }

    /// An event is complete with all that its kernel enqueued.
    #[test]
    fn owners() {
        let mut e = events(4);
        assert_eq!(e.hold(1, 0), 1);
        assert_eq!(e.hold(2, 1), 2);
        assert_eq!(e.hold(0, 2), 2);
        e.release(1, 0);
        assert_eq!(e.status(1), cl::CL_QUEUED, "it owns an event");
        e.release(2, 0);
        assert_eq!(e.status(2), cl::CL_QUEUED, "it owns a kernel without an event");
        e.release(2, 0);
        assert_eq!((e.status(1), e.status(2), e.status(3)), (0, 0, cl::CL_QUEUED));
    }

    #[test]
    fn errors_stay() {
        let mut e = events(2);
        e.hold(1, 0);
        e.fail(1, -54);
        e.release(1, 0);
        assert_eq!(e.status(1), -54);
    }

    /// Events that own each other, as damaged packets may say, are never complete, and nothing goes round in circles.
    #[test]
    fn circles() {
        let mut e = events(3);
        e.hold(1, 2);
        e.hold(2, 1);
        e.release(1, 0);
        e.release(2, 0);
        e.release(2, 0);
        e.hold(1, 1);
        e.release(1, 0);
        e.release(1, 0);
        e.release(77, 0);
    }
}
