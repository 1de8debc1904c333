//! Costs of the host: launches, transfers of 64 MiB, builds.

use std::time::Instant;

use super::case::Case;
use super::clock::{cpu, process, wall};
use super::control::{Bare, COPY_BYTES, Control};
use super::library::Generated;
use super::{Arg, Buffer, Kernel, Place, Result, Session};
use crate::stages;

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("round trip", round_trip).beside(|c, _| bare_round_trip(c)),
        Case::plain("enqueue", |s, _| enqueue(s, wall, false)).beside(|c, _| bare_enqueue(c, wall, false)),
        Case::plain("enqueue, CPU time", |s, _| enqueue(s, cpu, false))
            .beside(|c, _| bare_enqueue(c, cpu, false)),
        Case::plain("enqueue with a new argument", |s, _| enqueue(s, wall, true))
            .beside(|c, _| bare_enqueue(c, wall, true)),
        Case::plain("enqueue with a new argument, CPU time", |s, _| enqueue(s, cpu, true))
            .beside(|c, _| bare_enqueue(c, cpu, true)),
        Case::plain("write 64 MiB", write).moving(COPY_BYTES).beside(|c, _| c.write(&vec![5; COPY_BYTES])),
        Case::plain("read 64 MiB", read).moving(COPY_BYTES),
        Case::plain("map and write 64 MiB", map_write).moving(COPY_BYTES),
        Case::plain("map and read 64 MiB of the device", map_read).moving(COPY_BYTES),
        Case::plain("copy 64 MiB on the device", copy).moving(COPY_BYTES),
        Case::plain("fill 64 MiB on the device", fill).moving(COPY_BYTES).beside(bare_fill),
        Case::plain("build, cold", build_cold),
        Case::plain("build, again", build_again),
        Case::plain("build and run a library of 100 kernels, CPU time", library),
    ]
}

const TINY: &str = include_str!("../../kernels/tiny.cl");

fn tiny(session: &Session) -> Result<(Kernel<'_>, Buffer<'_>)> {
    let kernel = session.kernel(TINY, "tiny", "")?;
    let buffer = session.buffer(4096, Place::Device)?;
    kernel.set(&[Arg::Buffer(&buffer), Arg::Value(&[0; 4])])?;
    kernel.launch(&[1], Some(&[1]))?;
    session.finish()?;
    Ok((kernel, buffer))
}

/// Enqueue and clFinish of a kernel that does nothing: the median of many.
fn round_trip(session: &Session, _: usize) -> Result<f64> {
    let (kernel, _buffer) = tiny(session)?;
    let mut times = Vec::with_capacity(200);
    for _ in 0..200 {
        let start = Instant::now();
        kernel.launch(&[1], Some(&[1]))?;
        session.finish()?;
        times.push(start.elapsed().as_nanos() as f64);
    }
    Ok(stages::median(times))
}

fn bare_round_trip(control: &Control) -> Result<f64> {
    let mut times = Vec::with_capacity(200);
    for _ in 0..200 {
        times.push(control.launches(1, false, wall)?.done);
    }
    Ok(stages::median(times))
}

/// Launches in a batch.
const BATCH: u32 = 10_000;

/// The host's time for one enqueue in a batch. `changing`: a value argument is set before each.
fn enqueue(session: &Session, clock: fn() -> f64, changing: bool) -> Result<f64> {
    let (kernel, buffer) = tiny(session)?;
    let start = clock();
    for n in 0..BATCH {
        if changing {
            kernel.set_one(1, &Arg::Value(&n.to_le_bytes()))?;
        }
        kernel.launch(&[1], Some(&[1]))?;
    }
    let time = clock() - start;
    session.finish()?;
    drop(buffer);
    Ok(time / f64::from(BATCH))
}

fn bare_enqueue(control: &Control, clock: fn() -> f64, changing: bool) -> Result<f64> {
    Ok(control.launches(BATCH as usize, changing, clock)?.enqueued / f64::from(BATCH))
}

fn write(session: &Session, _: usize) -> Result<f64> {
    let data = vec![7; COPY_BYTES];
    let buffer = session.buffer_with(&data)?;
    let start = Instant::now();
    buffer.write(0, &data)?;
    session.finish()?;
    Ok(start.elapsed().as_nanos() as f64)
}

fn read(session: &Session, _: usize) -> Result<f64> {
    let mut data = vec![7; COPY_BYTES];
    let buffer = session.buffer_with(&data)?;
    let start = Instant::now();
    buffer.read(0, &mut data)?;
    Ok(start.elapsed().as_nanos() as f64)
}

fn map_write(session: &Session, round: usize) -> Result<f64> {
    let buffer = session.buffer(COPY_BYTES, Place::Pinned)?;
    buffer.with_map(opencl_sys::CL_MAP_WRITE, |memory| memory.fill(1))?;
    let start = Instant::now();
    buffer.with_map(opencl_sys::CL_MAP_WRITE, |memory| memory.fill(round as u8))?;
    Ok(start.elapsed().as_nanos() as f64)
}

/// Maps of the device's memory, not of pinned memory: the library copies, or shows it as it is.
fn map_read(session: &Session, round: usize) -> Result<f64> {
    let data = vec![round as u8; COPY_BYTES];
    let buffer = session.buffer_with(&data)?;
    let mut right = true;
    let start = Instant::now();
    buffer.with_map(opencl_sys::CL_MAP_READ, |memory| right = *memory == *data)?;
    let time = start.elapsed().as_nanos() as f64;
    if right { Ok(time) } else { Err("the mapped data is wrong".into()) }
}

/// With a pattern of 16 bytes.
fn fill(session: &Session, round: usize) -> Result<f64> {
    let buffer = session.buffer(COPY_BYTES, Place::Device)?;
    let pattern: [u8; 16] = std::array::from_fn(|i| (i + round) as u8);
    buffer.fill(&[0; 16], 0, COPY_BYTES)?;
    session.finish()?;
    let start = (session.clock)();
    buffer.fill(&pattern, 0, COPY_BYTES)?;
    session.finish()?;
    let time = (session.clock)() - start;
    let mut end = [0; 16];
    buffer.read(COPY_BYTES - 16, &mut end)?;
    if end == pattern { Ok(time) } else { Err("the filled data is wrong".into()) }
}

/// By a shader that writes 16 bytes an invocation.
fn bare_fill(control: &Control, clock: fn() -> f64) -> Result<f64> {
    let pattern: [u8; 16] = std::array::from_fn(|i| i as u8);
    let shader = control.shader(&Bare {
        spirv: include_bytes!("../../shaders/fill.spv"),
        inputs: Vec::new(),
        output: COPY_BYTES,
        push: pattern.to_vec(),
        groups: [(COPY_BYTES / 16 / 256) as u32, 1, 1],
    })?;
    shader.launches(1, clock)?;
    let time = shader.launches(1, clock)?;
    match shader.result()?.chunks(16).all(|c| c == pattern) {
        true => Ok(time),
        false => Err("the shader's fill is wrong".into()),
    }
}

fn copy(session: &Session, _: usize) -> Result<f64> {
    let (from, to) = (session.buffer_with(&vec![3; COPY_BYTES])?, session.buffer(COPY_BYTES, Place::Device)?);
    from.copy_to(&to, COPY_BYTES)?;
    session.finish()?;
    let start = (session.clock)();
    from.copy_to(&to, COPY_BYTES)?;
    session.finish()?;
    Ok((session.clock)() - start)
}

/// From source to the first finished launch, with a text that no cache has.
fn build_cold(session: &Session, round: usize) -> Result<f64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let source = format!("{}\n// {now} {round}\n__constant int nonce = {};\n", NBODY, now as i32 & 0xffff);
    build(session, &source.replace("0.0f)", &format!("{}.0e-9f)", now % 1_000_000)))
}

/// The same with a text that was built before.
fn build_again(session: &Session, _: usize) -> Result<f64> {
    build(session, NBODY)
}

/// CPU time of the process, all threads: from a text that no cache has to every kernel's checked result.
fn library(session: &Session, _: usize) -> Result<f64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let library = Generated::new(now as u64);
    let start = process();
    library.run(session)?;
    Ok(process() - start)
}

const NBODY: &str = include_str!("../../../tests/kernels/nbody.cl");

fn build(session: &Session, source: &str) -> Result<f64> {
    let data = vec![0; 256 * 16];
    let buffers = [session.buffer_with(&data)?, session.buffer_with(&data)?, session.buffer_with(&data)?];
    let start = (session.clock)();
    let kernel = session.kernel(source, "nbody", "")?;
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
        Arg::Value(&256u32.to_le_bytes()),
        Arg::Value(&0.1f32.to_le_bytes()),
        Arg::Value(&0.1f32.to_le_bytes()),
        Arg::Local(64 * 16),
    ])?;
    kernel.launch(&[256], Some(&[64]))?;
    session.finish()?;
    Ok((session.clock)() - start)
}
