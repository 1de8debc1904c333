//! What a step in the graph makes possible, done when no lock is held.

use std::collections::VecDeque;
use std::sync::Arc;

use opencl_sys as cl;

use super::{Callback, Line, Node};

/// What is to be done when no lock is held.
#[derive(Default)]
pub(super) struct Pass {
    pub(super) ready: VecDeque<Arc<Node>>,
    pub(super) check: VecDeque<Arc<Node>>,
    pub(super) calls: VecDeque<(Callback, cl::cl_int)>,
    pub(super) flush: Vec<Arc<Line>>,
}

impl Pass {
    /// Does what has become possible, and what that makes possible.
    pub(super) fn run(mut self) {
        loop {
            if let Some(node) = self.ready.pop_front() {
                // An error has become the node's status.
                let _ = node.record(&mut self);
                if let Some(line) = &node.line
                    && !self.flush.iter().any(|l| Arc::ptr_eq(l, line))
                {
                    self.flush.push(line.clone());
                }
            } else if let Some(node) = self.check.pop_front() {
                node.conclude(None, &mut self);
            } else if let Some(line) = self.flush.pop() {
                // The application flushed, or will wait, before the command could be recorded. A failure shows in the
                // statuses.
                let _ = line.flush();
            } else if let Some((call, status)) = self.calls.pop_front() {
                call(status);
            } else {
                return;
            }
        }
    }
}

/// Takes the callbacks out that are due at a status, and what to tell them; those of earlier statuses first.
pub(super) fn take_calls(
    callbacks: &mut Vec<(cl::cl_int, Callback)>,
    status: cl::cl_int,
) -> Vec<(Callback, cl::cl_int)> {
    let (mut due, rest): (Vec<_>, Vec<_>) =
        std::mem::take(callbacks).into_iter().partition(|(level, _)| *level >= status);
    *callbacks = rest;
    due.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
    due.into_iter().map(|(level, call)| (call, if status < 0 { status } else { level })).collect()
}
