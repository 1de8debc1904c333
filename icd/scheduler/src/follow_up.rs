//! Follow-up work: a step in the graph makes it possible, and it is done when no lock is held.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::graph::{Callback, Node};
use crate::queue::CommandQueue;
use crate::status::Status;

/// The work to be done when no lock is held.
#[derive(Default)]
pub(crate) struct FollowUp {
    pub(crate) ready: VecDeque<Arc<Node>>,
    pub(crate) check: VecDeque<Arc<Node>>,
    pub(crate) calls: VecDeque<(Callback, Status)>,
    pub(crate) flush: Vec<Arc<CommandQueue>>,
}

impl FollowUp {
    /// Does what has become possible, and what that makes possible.
    pub(crate) fn run(mut self) {
        loop {
            if let Some(node) = self.ready.pop_front() {
                // An error has become the node's status.
                let _ = node.record(&mut self);
                if let Some(queue) = &node.queue
                    && !self.flush.iter().any(|l| Arc::ptr_eq(l, queue))
                {
                    self.flush.push(queue.clone());
                }
            } else if let Some(node) = self.check.pop_front() {
                node.conclude(None, &mut self);
            } else if let Some(queue) = self.flush.pop() {
                // The application flushed, or will wait, before the command could be recorded. A failure shows in the
                // statuses.
                let _ = queue.flush();
            } else if let Some((call, status)) = self.calls.pop_front() {
                call(status);
            } else {
                return;
            }
        }
    }
}

/// Takes the callbacks out that are due at a status, and what to tell them; those of earlier statuses first.
pub(crate) fn take_calls(callbacks: &mut Vec<(Status, Callback)>, status: Status) -> Vec<(Callback, Status)> {
    let (mut due, rest): (Vec<_>, Vec<_>) =
        std::mem::take(callbacks).into_iter().partition(|(level, _)| *level >= status);
    *callbacks = rest;
    due.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
    due.into_iter().map(|(level, call)| (call, if status < 0 { status } else { level })).collect()
}
