//! Reads and writes of all sizes: blocking, several that do not block, and right after a launch on the buffer.

use std::time::Instant;

use super::super::case::{Case, Prepared, often, ready};
use super::super::{Place, Result, Session};
use super::{Steps, expect, first_word, size_name};

const SIZES: [usize; 7] = [4, 64, 4 << 10, 64 << 10, 1 << 20, 12 << 20, 64 << 20];

/// How a transfer is enqueued.
#[derive(Clone, Copy)]
enum Way {
    Blocking,
    /// Several in a row, then clFinish.
    NotBlocking,
    /// Blocking, behind a launch that changes the buffer's first word.
    AfterLaunch,
}

pub(super) fn cases() -> Vec<Case> {
    let ways = [
        (Way::Blocking, "blocking"),
        (Way::NotBlocking, "not blocking"),
        (Way::AfterLaunch, "after a launch"),
    ];
    let mut cases = Vec::new();
    for (way, words) in ways {
        for size in SIZES {
            let name = format!("read {}, {words}", size_name(size));
            cases.push(Case::new(name, move |s, _| read(s, way, size)).moving(size));
            let name = format!("write {}, {words}", size_name(size));
            cases.push(Case::new(name, move |s, _| write(s, way, size)).moving(size));
        }
    }
    cases
}

/// The most transfers in one measurement.
const MAX: usize = 200;

/// Bytes without a short period.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 13 + i / 241) as u8).collect()
}

fn read(s: &Session, way: Way, size: usize) -> Result<Prepared<'_>> {
    let queue = s.new_queue()?;
    let mut steps = Steps::on(s, s.buffer(size, Place::Device)?)?;
    let mut right = pattern(size);
    steps.word.write(0, &right)?;
    steps.expected = first_word(&right);
    let mut found = vec![0; size];
    let mut many = move |count: usize| -> Result<f64> {
        found.fill(0);
        let mut time = 0.0;
        queue.settled(|| {
            for _ in 0..count {
                let launched = matches!(way, Way::AfterLaunch);
                let start = Instant::now();
                if launched {
                    queue.launch(steps.kernel()?, 1, 1, &[])?;
                }
                match way {
                    // SAFETY: `settled` waits for the command.
                    Way::NotBlocking => unsafe { queue.read_later(&steps.word, 0, &mut found)? },
                    Way::Blocking | Way::AfterLaunch => queue.read(&steps.word, 0, &mut found, &[])?,
                }
                time += start.elapsed().as_nanos() as f64;
                if launched {
                    expect("the word that was read", first_word(&found), steps.expected)?;
                }
            }
            let start = Instant::now();
            queue.finish()?;
            time += start.elapsed().as_nanos() as f64;
            Ok(())
        })?;
        right[..4].copy_from_slice(&steps.expected.to_le_bytes());
        if found == right { Ok(time / count as f64) } else { Err("what was read differs".into()) }
    };
    let count = often(MAX, || many(1).map(drop))?;
    ready(move || many(count))
}

fn write(s: &Session, way: Way, size: usize) -> Result<Prepared<'_>> {
    let queue = s.new_queue()?;
    let mut steps = Steps::on(s, s.buffer(size, Place::Device)?)?;
    let mut data = pattern(size);
    let mut found = vec![0; size];
    let mut many = move |count: usize| -> Result<f64> {
        let fresh = first_word(&data).wrapping_add(1);
        data[..4].copy_from_slice(&fresh.to_le_bytes());
        let start = Instant::now();
        queue.settled(|| {
            for _ in 0..count {
                if matches!(way, Way::AfterLaunch) {
                    queue.launch(steps.kernel()?, 1, 1, &[])?;
                }
                match way {
                    // SAFETY: `settled` waits for the command.
                    Way::NotBlocking => unsafe { queue.write_later(&steps.word, 0, &data)? },
                    Way::Blocking | Way::AfterLaunch => queue.write(&steps.word, 0, &data)?,
                }
            }
            Ok(())
        })?;
        let time = start.elapsed().as_nanos() as f64;
        queue.read(&steps.word, 0, &mut found, &[])?;
        if found == data { Ok(time / count as f64) } else { Err("what was written differs".into()) }
    };
    let count = often(MAX, || many(1).map(drop))?;
    ready(move || many(count))
}
