//! From nothing to a first result: processes that begin, each with one library, one program and no cache. The wait of a user who
//! starts a program: the library and its drivers are loaded, a device is opened, the driver's compiler meets its first kernel.
//!
//! Each process is a fork of this one, made before any library is loaded.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;

use super::clock::{process, wall};
use super::{Arg, Library, Place, Result, Session};
use crate::stages;

/// The phases of a process, in order.
pub const PHASES: [&str; 6] = ["load", "context", "build", "launch", "read", "end"];
/// The phases from the source text to the result, without what comes before and after.
pub const TO_RESULT: std::ops::Range<usize> = 2..5;

/// The program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// A sum of two vectors.
    Add,
    /// A step of n bodies, with local memory and barriers in a loop.
    Bodies,
}

/// All of them, with their names.
pub const PROGRAMS: [(Program, &str); 2] = [(Program::Add, "vector add"), (Program::Bodies, "n bodies")];

const ADD: &str = "__kernel void add(__global const float *a, __global const float *b, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
";
const BODIES: &str = include_str!("../../../tests/kernels/nbody.cl");
/// Elements of the vectors; bodies.
const N: usize = 1024;
const GROUP: usize = 64;

/// Nanoseconds of each phase.
#[derive(Debug, Clone, Copy, Default)]
pub struct Phases {
    /// The time that passed.
    pub wall: [f64; PHASES.len()],
    /// The CPU time of the process, all threads, the kernel's for it with it.
    pub cpu: [f64; PHASES.len()],
}

/// A clock that is read at the ends of phases.
struct Laps {
    last: (f64, f64),
    times: Vec<(f64, f64)>,
}

impl Laps {
    fn lap(&mut self) {
        let now = (wall(), process());
        self.times.push((now.0 - self.last.0, now.1 - self.last.1));
        self.last = now;
    }
}

/// Runs a program in so many new processes for each library, given as (label, path), in turns: the medians for each library.
///
/// # Errors
/// What a library fails with, with its label; a wrong result.
pub fn measure(
    libraries: &[(String, String)],
    device: Option<&str>,
    program: Program,
    rounds: usize,
) -> Result<Vec<Phases>> {
    let mut all = vec![Vec::with_capacity(rounds); libraries.len()];
    // The first round brings the files into memory.
    for round in 0..=rounds {
        for ((label, path), all) in libraries.iter().zip(&mut all) {
            let phases =
                in_new_process(|| once(label, path, device, program)).map_err(|e| format!("{label}: {e}"))?;
            if round > 0 {
                all.push(phases);
            }
        }
    }
    Ok(all.iter().map(|all| median(all)).collect())
}

fn median(all: &[Phases]) -> Phases {
    let of = |time: fn(&Phases, usize) -> f64| {
        std::array::from_fn(|phase| stages::median(all.iter().map(|p| time(p, phase)).collect()))
    };
    Phases { wall: of(|p, phase| p.wall[phase]), cpu: of(|p, phase| p.cpu[phase]) }
}

/// Does something in a fork of this process. Its phases are those that it notes, and the end of the process.
fn in_new_process(work: impl FnOnce() -> Result<Vec<(f64, f64)>>) -> Result<Phases> {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
        return Err("no pipe".into());
    }
    // SAFETY: the descriptors were made above and belong to nobody else.
    let (mut from, mut to) = unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) };
    // SAFETY: this process has one thread: nothing was loaded yet that has others.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err("no new process".into());
    }
    if child == 0 {
        let text = match work() {
            Ok(times) => times.iter().map(|(wall, cpu)| format!("{wall} {cpu}\n")).collect(),
            Err(error) => format!("! {error}"),
        };
        let _ = to.write_all(format!("{text}{} {}\n", wall(), process()).as_bytes());
        drop(to);
        // What a program does at its end: the exit handlers of drivers.
        std::process::exit(0);
    }
    drop(to);
    let mut text = String::new();
    let read = from.read_to_string(&mut text);
    // SAFETY: plain data, which the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let mut status = 0;
    // SAFETY: the child was started above; there is room for what is told of it.
    unsafe { libc::wait4(child, &mut status, 0, &mut usage) };
    let ended = wall();
    read.map_err(|e| e.to_string())?;
    if let Some(error) = text.strip_prefix("! ") {
        return Err(error.to_owned());
    }
    let lines = text.lines().filter_map(|line| {
        let (wall, cpu) = line.split_once(' ')?;
        Some((wall.parse::<f64>().ok()?, cpu.parse::<f64>().ok()?))
    });
    let mut lines: Vec<_> = lines.collect();
    let Some((at, cpu)) = lines.pop().filter(|_| status == 0 && lines.len() == PHASES.len() - 1) else {
        return Err(format!("the process ended with {status} after {} phases", lines.len()));
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 * 1e9 + t.tv_usec as f64 * 1e3;
    lines.push((ended - at, seconds(usage.ru_utime) + seconds(usage.ru_stime) - cpu));
    Ok(Phases { wall: std::array::from_fn(|i| lines[i].0), cpu: std::array::from_fn(|i| lines[i].1) })
}

/// The work of a new process.
fn once(label: &str, path: &str, device: Option<&str>, program: Program) -> Result<Vec<(f64, f64)>> {
    // Of Pumice, Mesa and PoCL.
    let off = [("PUMICE_CACHE_DIR", ""), ("MESA_SHADER_CACHE_DISABLE", "true"), ("POCL_KERNEL_CACHE", "0")];
    for (name, value) in off {
        // SAFETY: no other thread was started yet.
        unsafe { std::env::set_var(name, value) };
    }
    let mut laps = Laps { last: (wall(), process()), times: Vec::with_capacity(PHASES.len()) };
    let library = Library::load(label, path)?;
    let found = library.find(device)?;
    laps.lap();
    let session = library.session(found.0, found.1)?;
    match program {
        Program::Add => add(&session, &mut laps)?,
        Program::Bodies => bodies(&session, &mut laps)?,
    }
    drop(session);
    Ok(laps.times)
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn add(session: &Session, laps: &mut Laps) -> Result<()> {
    let a: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..N).map(|i| (i * 3 % 101) as f32).collect();
    let buffers = [session.buffer_with(&bytes(&a))?, session.buffer_with(&bytes(&b))?];
    let out = session.buffer(4 * N, Place::Device)?;
    laps.lap();
    let kernel = session.kernel(ADD, "add", "")?;
    laps.lap();
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Buffer(&out)])?;
    kernel.launch(&[N], Some(&[GROUP]))?;
    session.finish()?;
    laps.lap();
    let mut result = vec![0; 4 * N];
    out.read(0, &mut result)?;
    laps.lap();
    let right = floats(&result).iter().zip(a.iter().zip(&b)).all(|(c, (a, b))| *c == a + b);
    if right { Ok(()) } else { Err("the sum is wrong".into()) }
}

fn bodies(session: &Session, laps: &mut Laps) -> Result<()> {
    const STEP: f32 = 0.01;
    const SOFT: f32 = 0.1;
    let positions: Vec<f32> = (0..4 * N).map(|i| (i * 37 % 101) as f32 / 101.0).collect();
    let still = vec![0f32; 4 * N];
    let from = session.buffer_with(&bytes(&positions))?;
    let (speeds, to) = (session.buffer_with(&bytes(&still))?, session.buffer(16 * N, Place::Device)?);
    laps.lap();
    let kernel = session.kernel(BODIES, "nbody", "")?;
    laps.lap();
    kernel.set(&[
        Arg::Buffer(&from),
        Arg::Buffer(&speeds),
        Arg::Buffer(&to),
        Arg::Value(&(N as u32).to_le_bytes()),
        Arg::Value(&STEP.to_le_bytes()),
        Arg::Value(&SOFT.to_le_bytes()),
        Arg::Local(GROUP * 16),
    ])?;
    kernel.launch(&[N], Some(&[GROUP]))?;
    session.finish()?;
    laps.lap();
    let mut result = vec![0; 16 * N];
    speeds.read(0, &mut result)?;
    laps.lap();
    let (speeds, positions) = (floats(&result), positions.as_chunks::<4>().0);
    for body in (0..N).step_by(61) {
        let p = positions[body];
        let mut sum = [0f64; 3];
        for other in positions {
            let d: [f64; 3] = std::array::from_fn(|k| f64::from(other[k]) - f64::from(p[k]));
            let square = d.iter().map(|d| d * d).sum::<f64>() + f64::from(SOFT);
            let weight = f64::from(other[3]) / (square * square.sqrt());
            sum = std::array::from_fn(|k| sum[k] + d[k] * weight);
        }
        for (k, sum) in sum.iter().enumerate() {
            let (is, should) = (f64::from(speeds[4 * body + k]), sum * f64::from(STEP));
            if (is - should).abs() > 1e-3 * should.abs().max(1.0) {
                return Err(format!("body {body} has the speed {is}, not {should}"));
            }
        }
    }
    Ok(())
}
