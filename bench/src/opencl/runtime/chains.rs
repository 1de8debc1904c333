//! Launches that wait for each other by events, on one queue and on two.

use std::time::Instant;

use super::super::case::{Case, Prepared, ready};
use super::super::clock::{cpu, wall};
use super::super::spin::SOURCE;
use super::super::{Arg, Place, Result, Session};
use super::{Steps, expect, first_word};

/// Launches in a chain.
const LINKS: usize = 200;
/// Launches whose enqueuing is measured.
const LAUNCHES: usize = 2000;
/// Launches of an iteration of a simulation.
const SHORT: usize = 30;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("event chain, each launch", |s, _| chain(s)),
        Case::new("launch with event and new argument", |s, _| watched(s, wall)),
        Case::new("launch with event and new argument, CPU time", |s, _| watched(s, cpu)),
        Case::new("ping-pong of two queues, each launch", |s, _| ping_pong(s)),
        Case::new("iteration: 30 launches on two queues, 4 B read", |s, _| iteration(s)),
    ]
}

/// Each launch waits for the event of the one before.
fn chain(s: &Session) -> Result<Prepared<'_>> {
    let mut steps = Steps::new(s)?;
    let queue = s.new_queue()?;
    ready(move || {
        let start = Instant::now();
        let mut last = queue.watched(steps.kernel()?, 1, 1, &[])?;
        for _ in 1..LINKS {
            last = queue.watched(steps.kernel()?, 1, 1, &[&last])?;
        }
        last.wait()?;
        let time = start.elapsed().as_nanos() as f64 / LINKS as f64;
        steps.check()?;
        Ok(time)
    })
}

/// The host's time for a launch that has an event and an argument that is new.
fn watched(s: &Session, clock: fn() -> f64) -> Result<Prepared<'_>> {
    let mut steps = Steps::new(s)?;
    let queue = s.new_queue()?;
    ready(move || {
        let start = clock();
        for _ in 0..LAUNCHES {
            drop(queue.watched(steps.kernel()?, 1, 1, &[])?);
        }
        let time = (clock() - start) / LAUNCHES as f64;
        queue.finish()?;
        steps.check()?;
        Ok(time)
    })
}

/// Each launch waits for the one before it, which is on the other queue.
fn ping_pong(s: &Session) -> Result<Prepared<'_>> {
    let mut steps = Steps::new(s)?;
    let queues = [s.new_queue()?, s.new_queue()?];
    ready(move || {
        let start = Instant::now();
        let mut last = queues[0].watched(steps.kernel()?, 1, 1, &[])?;
        queues[0].flush()?;
        for link in 1..LINKS {
            let queue = &queues[link % 2];
            last = queue.watched(steps.kernel()?, 1, 1, &[&last])?;
            queue.flush()?;
        }
        last.wait()?;
        let time = start.elapsed().as_nanos() as f64 / LINKS as f64;
        steps.check()?;
        Ok(time)
    })
}

/// As a simulation's step does it: short launches on one queue, some on another one that branch off and join again by events,
/// and at the end a value comes back.
fn iteration(s: &Session) -> Result<Prepared<'_>> {
    /// Iterations in one measurement.
    const ITERATIONS: usize = 10;
    /// Work-items of a launch.
    const ITEMS: usize = 4096;
    let mut main = Steps::new(s)?;
    let mut side = Steps::new(s)?;
    let (stamp, field) = (s.kernel(SOURCE, "stamp", "")?, s.buffer(ITEMS * 4, Place::Device)?);
    stamp.set_one(0, &Arg::Buffer(&field))?;
    let (first, second) = (s.new_queue()?, s.new_queue()?);
    let mut round = 0u32;
    ready(move || {
        let start = Instant::now();
        for _ in 0..ITERATIONS {
            round += 1;
            for _ in 0..SHORT / 6 {
                let fork = first.watched(main.kernel()?, 1, 1, &[])?;
                first.flush()?;
                stamp.set_one(1, &Arg::Value(&round.to_le_bytes()))?;
                second.launch(&stamp, ITEMS, 64, &[&fork])?;
                let join = second.watched(side.kernel()?, 1, 1, &[])?;
                second.flush()?;
                first.launch(main.kernel()?, 1, 1, &[])?;
                first.launch(main.kernel()?, 1, 1, &[])?;
                first.launch(main.kernel()?, 1, 1, &[&join])?;
            }
            let mut word = [0; 4];
            first.read(&main.word, 0, &mut word, &[])?;
            expect("the value of an iteration", first_word(&word), main.expected)?;
        }
        let time = start.elapsed().as_nanos() as f64 / ITERATIONS as f64;
        second.finish()?;
        side.check()?;
        let mut bytes = vec![0; ITEMS * 4];
        second.read(&field, 0, &mut bytes, &[])?;
        match bytes.as_chunks().0.iter().find(|w| **w != round.to_le_bytes()) {
            Some(word) => Err(format!("the field has {word:?} after round {round}")),
            None => Ok(time),
        }
    })
}
