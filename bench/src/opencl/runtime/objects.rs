//! Buffers that are made, used and released again: large temporaries, and many small ones.

use std::time::Instant;

use super::super::case::{Case, Prepared, often, ready};
use super::super::spin::SOURCE;
use super::super::workloads::Scale;
use super::super::{Arg, Buffer, Place, Result, Session};
use super::{expect, first_word};

const TEMPORARIES_MIB: [usize; 4] = [16, 64, 256, 2048];
/// Bytes of a page of which one word is touched.
const PAGE: usize = 4096;
/// Work-items that sum.
const SUMS: usize = 256;
/// Small buffers in one measurement.
const MANY: usize = 1000;
/// Bytes of a small one.
const SMALL: usize = 256;

pub(super) fn cases() -> Vec<Case> {
    let temporaries = TEMPORARIES_MIB.into_iter().map(|mib| {
        Case::new(format!("temporary of {mib} MiB made, used, released"), move |s, scale| {
            temporary(s, scale, mib << 20)
        })
    });
    let small = [
        Case::new("small buffer made and released", |s, _| made(s)),
        Case::new("small buffer made, written, used, released", |s, _| used(s)),
        Case::new("1000 small buffers alive at once, each", |s, _| alive(s)),
    ];
    temporaries.chain(small).collect()
}

/// One call of a function that needs a large temporary: make it, two launches that use it, release, finish.
fn temporary(s: &Session, scale: Scale, size: usize) -> Result<Prepared<'_>> {
    let limit = s.max_alloc()?;
    if size as u64 > limit {
        return Ok(Prepared::Skipped(format!("the largest allocation is {} MiB", limit >> 20)));
    }
    if scale == Scale::Small && size > 256 << 20 {
        return Ok(Prepared::Skipped("too large for this scale".into()));
    }
    let (touch, gather) = (s.kernel(SOURCE, "touch", "")?, s.kernel(SOURCE, "gather", "")?);
    let sums = s.buffer(SUMS * 4, Place::Device)?;
    let (queue, pages) = (s.new_queue()?, size / PAGE);
    let mut seed = 0u32;
    let mut call = move |check: bool| -> Result<()> {
        seed = seed.wrapping_add(0x9e37_79b9);
        let temporary = s.buffer(size, Place::Device)?;
        touch.set(&[Arg::Buffer(&temporary), Arg::Value(&seed.to_le_bytes())])?;
        let count = (pages as u32).to_le_bytes();
        gather.set(&[Arg::Buffer(&temporary), Arg::Value(&count), Arg::Buffer(&sums)])?;
        queue.launch(&touch, pages, 64, &[])?;
        queue.launch(&gather, SUMS, 64, &[])?;
        drop(temporary);
        queue.finish()?;
        if check {
            let mut bytes = vec![0; SUMS * 4];
            queue.read(&sums, 0, &mut bytes, &[])?;
            let words = bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b));
            let found = words.fold(0u32, u32::wrapping_add);
            let right = (0..pages as u32).fold(0u32, |sum, i| sum.wrapping_add(seed ^ i));
            expect("the sum over the temporary's pages", found, right)?;
        }
        Ok(())
    };
    let count = often(100, || call(false))?;
    ready(move || {
        let start = Instant::now();
        for _ in 0..count {
            call(false)?;
        }
        let time = start.elapsed().as_nanos() as f64 / count as f64;
        call(true)?;
        Ok(time)
    })
}

/// Buffers that nothing uses.
fn made(s: &Session) -> Result<Prepared<'_>> {
    ready(move || {
        let start = Instant::now();
        for _ in 0..MANY {
            drop(s.buffer(SMALL, Place::Device)?);
        }
        Ok(start.elapsed().as_nanos() as f64 / MANY as f64)
    })
}

/// Each is written and launched on before it is released; the launches add up what was written.
fn used(s: &Session) -> Result<Prepared<'_>> {
    let gather = s.kernel(SOURCE, "gather", "")?;
    let sums = s.buffer(4, Place::Device)?;
    gather.set(&[Arg::Buffer(&sums), Arg::Value(&1u32.to_le_bytes()), Arg::Buffer(&sums)])?;
    let queue = s.new_queue()?;
    let mut value = 0u32;
    ready(move || {
        let start = Instant::now();
        for _ in 0..MANY {
            value = value.wrapping_add(3);
            let small = s.buffer(SMALL, Place::Device)?;
            queue.write(&small, 0, &value.to_le_bytes())?;
            gather.set_one(0, &Arg::Buffer(&small))?;
            queue.launch(&gather, 1, 1, &[])?;
        }
        queue.finish()?;
        let time = start.elapsed().as_nanos() as f64 / MANY as f64;
        let mut bytes = [0; 4];
        queue.read(&sums, 0, &mut bytes, &[])?;
        expect("what the last small buffer held", first_word(&bytes), value)?;
        Ok(time)
    })
}

/// All live at once, each with a value of its own, which are all read back.
fn alive(s: &Session) -> Result<Prepared<'_>> {
    let stamp = s.kernel(SOURCE, "stamp", "")?;
    let queue = s.new_queue()?;
    let mut round = 0u32;
    ready(move || {
        round += 1;
        let start = Instant::now();
        let buffers =
            (0..MANY).map(|_| s.buffer(SMALL, Place::Device)).collect::<Result<Vec<Buffer<'_>>>>()?;
        for (i, buffer) in (0..).zip(&buffers) {
            let value: u32 = round << 16 | i;
            stamp.set(&[Arg::Buffer(buffer), Arg::Value(&value.to_le_bytes())])?;
            queue.launch(&stamp, 1, 1, &[])?;
        }
        queue.finish()?;
        let time = start.elapsed().as_nanos() as f64;
        for (i, buffer) in (0..).zip(&buffers) {
            let mut bytes = [0; 4];
            queue.read(buffer, 0, &mut bytes, &[])?;
            expect("a small buffer's word", first_word(&bytes), round << 16 | i)?;
        }
        let start = Instant::now();
        drop(buffers);
        Ok((time + start.elapsed().as_nanos() as f64) / MANY as f64)
    })
}
