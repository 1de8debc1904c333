//! Work that runs beside other work: two kernels, a kernel and a transfer, a small kernel and a long one.

use std::time::{Duration, Instant};

use super::super::case::{Case, Prepared, ready};
use super::super::spin::Spin;
use super::super::{Place, Result, Session};
use super::Steps;

/// How long kernels run that are beside something.
const SHORT: Duration = Duration::from_millis(3);
const LONG: Duration = Duration::from_millis(60);
/// Bytes that go beside a kernel.
const BYTES: usize = 16 << 20;

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("two 3 ms kernels on two queues", |s, _| two(s)),
        Case::new("3 ms kernel beside a read of 16 MiB", |s, _| beside(s, true)),
        Case::new("3 ms kernel beside a write of 16 MiB", |s, _| beside(s, false)),
        Case::new("small kernel beside a 60 ms one, other queue", |s, _| small_beside(s)),
        Case::new("small kernel beside a 60 ms one, other context", |s, _| other_context(s)),
        Case::new("small kernel's event, a 60 ms one enqueued behind", |s, _| small_before(s)),
    ]
}

/// Until both are done.
fn two(s: &Session) -> Result<Prepared<'_>> {
    let spins = [Spin::new(s, SHORT)?, Spin::new(s, SHORT)?];
    let queues = [s.new_queue()?, s.new_queue()?];
    ready(move || {
        let start = Instant::now();
        for (spin, queue) in spins.iter().zip(&queues) {
            spin.launch(queue)?;
            queue.flush()?;
        }
        queues.iter().try_for_each(|q| q.finish())?;
        let time = start.elapsed().as_nanos() as f64;
        spins.iter().try_for_each(Spin::check)?;
        Ok(time)
    })
}

/// Until both are done.
fn beside(s: &Session, reads: bool) -> Result<Prepared<'_>> {
    let spin = Spin::new(s, SHORT)?;
    let (compute, transfer) = (s.new_queue()?, s.new_queue()?);
    let buffer = s.buffer(BYTES, Place::Device)?;
    let mut data: Vec<u8> = (0..BYTES).map(|i| (i * 7 + i / 251) as u8).collect();
    buffer.write(0, &data)?;
    let mut found = vec![0; BYTES];
    ready(move || {
        found.fill(0);
        data[0] = data[0].wrapping_add(1);
        if reads {
            buffer.write(0, &data[..1])?;
        }
        let start = Instant::now();
        spin.launch(&compute)?;
        compute.flush()?;
        transfer.settled(|| {
            match reads {
                // SAFETY: `settled` waits for the command.
                true => unsafe { transfer.read_later(&buffer, 0, &mut found)? },
                // SAFETY: as above.
                false => unsafe { transfer.write_later(&buffer, 0, &data)? },
            }
            transfer.flush()
        })?;
        compute.finish()?;
        let time = start.elapsed().as_nanos() as f64;
        spin.check()?;
        if !reads {
            transfer.read(&buffer, 0, &mut found, &[])?;
        }
        if found == data { Ok(time) } else { Err("the bytes beside the kernel differ".into()) }
    })
}

/// The time of a small kernel, from its enqueuing, while a long one runs on another queue.
fn small_beside(s: &Session) -> Result<Prepared<'_>> {
    let long = Spin::new(s, LONG)?;
    let mut steps = Steps::new(s)?;
    let (one, other) = (s.new_queue()?, s.new_queue()?);
    ready(move || {
        long.launch(&one)?;
        one.flush()?;
        std::thread::sleep(Duration::from_millis(2));
        let start = Instant::now();
        other.launch(steps.kernel()?, 1, 1, &[])?;
        other.finish()?;
        let time = start.elapsed().as_nanos() as f64;
        one.finish()?;
        long.check()?;
        steps.check()?;
        Ok(time)
    })
}

/// The same, the long one in another context.
fn other_context(s: &Session) -> Result<Prepared<'_>> {
    let context = s.another()?;
    let mut steps = Steps::new(s)?;
    let queue = s.new_queue()?;
    // All that belongs to the other context is made for each measurement: it cannot lie beside the context that it borrows.
    let turns = Spin::new(&context, LONG)?.shape();
    ready(move || {
        let long = Spin::shaped(&context, turns)?;
        let one = context.new_queue()?;
        long.launch(&one)?;
        one.finish()?;
        long.check()?;
        long.launch(&one)?;
        one.flush()?;
        std::thread::sleep(Duration::from_millis(2));
        let start = Instant::now();
        queue.launch(steps.kernel()?, 1, 1, &[])?;
        queue.finish()?;
        let time = start.elapsed().as_nanos() as f64;
        one.finish()?;
        long.check()?;
        steps.check()?;
        Ok(time)
    })
}

/// The time until a small kernel's event is complete when a long one was enqueued behind it.
fn small_before(s: &Session) -> Result<Prepared<'_>> {
    let long = Spin::new(s, LONG)?;
    let mut steps = Steps::new(s)?;
    let queue = s.new_queue()?;
    ready(move || {
        let start = Instant::now();
        let event = queue.watched(steps.kernel()?, 1, 1, &[])?;
        long.launch(&queue)?;
        queue.flush()?;
        event.wait()?;
        let time = start.elapsed().as_nanos() as f64;
        queue.finish()?;
        long.check()?;
        steps.check()?;
        Ok(time)
    })
}
