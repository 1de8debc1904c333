//! Maps of CL_MEM_ALLOC_HOST_PTR buffers: alone, behind a kernel that wrote them, and before one that reads them.

use std::time::Instant;

use opencl_sys as cl;

use super::super::case::{Case, Prepared, often, ready};
use super::super::{Arg, Place, Result, Session};
use super::{expect, first_word, size_name};

const SIZES: [usize; 3] = [4 << 10, 4 << 20, 64 << 20];
/// The most rounds in one measurement.
const MAX: usize = 200;

const SOURCE: &str = "
kernel void mark(global uint *p, uint value) { p[get_global_id(0)] = value + (uint)get_global_id(0); }
kernel void last(global const uint *p, uint count, global uint *out) { *out = p[count - 1]; }";

/// The work around a map.
#[derive(Clone, Copy)]
enum Use {
    /// Nothing: mapped for reading and unmapped.
    Nothing,
    /// A kernel writes it, the host reads it.
    Read,
    /// The host writes all of it, a kernel reads a word.
    Write,
}

pub(super) fn cases() -> Vec<Case> {
    let uses = [
        (Use::Nothing, "map and unmap"),
        (Use::Read, "kernel, map, read"),
        (Use::Write, "map, write, unmap, kernel"),
    ];
    let mut cases = Vec::new();
    for (what, words) in uses {
        for size in SIZES {
            let title = format!("{words}, ALLOC_HOST_PTR, {}", size_name(size));
            cases.push(Case::new(title, move |s, _| maps(s, size, what)).moving(size));
        }
    }
    cases
}

fn maps(s: &Session, size: usize, what: Use) -> Result<Prepared<'_>> {
    let count = size / 4;
    let (mark, last) = (s.kernel(SOURCE, "mark", "")?, s.kernel(SOURCE, "last", "")?);
    let (memory, out) = (s.buffer(size, Place::Pinned)?, s.buffer(4, Place::Device)?);
    mark.set_one(0, &Arg::Buffer(&memory))?;
    last.set(&[Arg::Buffer(&memory), Arg::Value(&(count as u32).to_ne_bytes()), Arg::Buffer(&out)])?;
    let mut round = 0u32;
    let mut once = move || -> Result<f64> {
        round = round.wrapping_add(7);
        mark.set_one(1, &Arg::Value(&round.to_ne_bytes()))?;
        let start = Instant::now();
        match what {
            Use::Nothing => memory.with_map(cl::CL_MAP_READ, |_| ())?,
            Use::Read => {
                mark.launch(&[count], None)?;
                let mut found = 0;
                memory.with_map(cl::CL_MAP_READ, |bytes| {
                    found = bytes
                        .as_chunks()
                        .0
                        .iter()
                        .fold(0, |sum: u32, w| sum.wrapping_add(u32::from_ne_bytes(*w)));
                })?;
                let time = start.elapsed().as_nanos() as f64;
                let sum = (0..count as u32).fold(0, |sum: u32, i| sum.wrapping_add(round.wrapping_add(i)));
                expect("the sum of what the kernel wrote", found, sum)?;
                return Ok(time);
            }
            Use::Write => {
                memory.with_map(cl::CL_MAP_WRITE_INVALIDATE_REGION, |bytes| {
                    bytes.as_chunks_mut().0.iter_mut().for_each(|w| *w = round.to_ne_bytes());
                })?;
                last.launch(&[1], None)?;
                s.finish()?;
            }
        }
        let time = start.elapsed().as_nanos() as f64;
        if matches!(what, Use::Write) {
            let mut word = [0; 4];
            out.read(0, &mut word)?;
            expect("the word that the host wrote", first_word(&word), round)?;
        }
        Ok(time)
    };
    let rounds = often(MAX, || once().map(drop))?;
    ready(move || {
        let mut sum = 0.0;
        for _ in 0..rounds {
            sum += once()?;
        }
        Ok(sum / rounds as f64)
    })
}
