//! Coarse-grain shared virtual memory: kernels in it beside the same in buffers, maps, copies and allocations. Each case checks what it
//! computed; a device without any is skipped.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Instant;

use opencl_sys as cl;

use super::case::{Case, Prepared, often, ready};
use super::{Arg, Kernel, Place, Result, Session, check};

const TRIAD: usize = 64 << 20;
const CHASE: usize = 16 << 20;
const STEPS: u32 = 20_000;
/// The most of something short in one measurement.
const MAX: usize = 500;

const SOURCE: &str = "
kernel void triad(global float *a, global const float *b, global const float *c) {
    size_t i = get_global_id(0);
    a[i] = b[i] + 3.0f * c[i];
}
kernel void chase(global uint *out, global uint *start, uint steps) {
    global uint *p = start;
    for (uint i = 0; i < steps; i++) p = *(global uint *global *)p;
    *(global ulong *)out = (ulong)p;
}
kernel void mark(global uint *p, uint value) { p[get_global_id(0)] = value + (uint)get_global_id(0); }";

/// All of them.
pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case::new("triad of 64 MiB, buffers", |s, _| triad_of_buffers(s, Place::Device)).moving(3 * TRIAD),
        Case::new("triad of 64 MiB, ALLOC_HOST_PTR", |s, _| triad_of_buffers(s, Place::Pinned))
            .moving(3 * TRIAD),
        Case::new("triad of 64 MiB, shared", |s, _| with_svm(s, triad)).moving(3 * TRIAD),
        Case::new("following pointers through 16 MiB, shared, a step", |s, _| with_svm(s, chase)),
    ];
    for size in [4 << 10, 64 << 20] {
        cases.push(Case::new(format!("map and unmap, shared, {}", name(size)), move |s, _| {
            with_svm(s, |s| map(s, size, Use::Nothing))
        }));
    }
    for (what, words) in [(Use::Read, "kernel, map, read"), (Use::Write, "map, write, unmap, kernel")] {
        for size in [4 << 10, 4 << 20] {
            let title = format!("{words}, shared, {}", name(size));
            cases.push(Case::new(title, move |s, _| with_svm(s, |s| map(s, size, what))).moving(size));
        }
    }
    for size in [1 << 10, 32 << 10, 1 << 20, 32 << 20] {
        for (way, words) in
            [(Way::To, "to shared"), (Way::From, "from shared"), (Way::Within, "within shared")]
        {
            let title = format!("copy {words} memory, {}", name(size));
            cases.push(Case::new(title, move |s, _| with_svm(s, |s| copy(s, size, way))).moving(size));
        }
    }
    for size in [4 << 10, 16 << 20] {
        let title = format!("allocate and free, shared, {}", name(size));
        cases.push(Case::new(title, move |s, _| with_svm(s, |s| allocations(s, size))));
    }
    cases
}

fn name(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) }
}

fn with_svm<'s>(
    s: &'s Session,
    prepare: impl FnOnce(&'s Session) -> Result<Prepared<'s>>,
) -> Result<Prepared<'s>> {
    match s.number(cl::CL_DEVICE_SVM_CAPABILITIES) {
        Ok(has) if has & cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0 => prepare(s),
        _ => Ok(Prepared::Skipped("no shared virtual memory".into())),
    }
}

/// An allocation of clSVMAlloc.
struct Shared<'s> {
    session: &'s Session,
    pointer: *mut c_void,
    size: usize,
}

impl<'s> Shared<'s> {
    fn new(session: &'s Session, size: usize) -> Result<Self> {
        let function = session.library.table().clSVMAlloc.ok_or("clSVMAlloc is missing")?;
        // SAFETY: the context is alive.
        let pointer = unsafe { function(session.context, cl::CL_MEM_READ_WRITE, size, 0) };
        if pointer.is_null() {
            return Err(format!("clSVMAlloc gives nothing for {size} bytes"));
        }
        Ok(Self { session, pointer, size })
    }

    fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    fn map(&self, flags: cl::cl_map_flags) -> Result<()> {
        let s = self.session;
        call!(
            s.library,
            clEnqueueSVMMap(s.queue, cl::CL_TRUE, flags, self.pointer, self.size, 0, null(), null_mut())
        )
    }

    fn unmap(&self) -> Result<()> {
        let s = self.session;
        call!(s.library, clEnqueueSVMUnmap(s.queue, self.pointer, 0, null(), null_mut()))
    }

    /// Its bytes as words.
    ///
    /// # Safety
    /// It is mapped, and nothing else borrows them.
    #[allow(clippy::mut_from_ref)]
    unsafe fn words(&self) -> &mut [u32] {
        // SAFETY: memory of this size, aligned for all types.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.cast(), self.size / 4) }
    }

    /// Gives it contents.
    fn fill(&self, word: impl Fn(usize) -> u32) -> Result<()> {
        self.map(cl::CL_MAP_WRITE_INVALIDATE_REGION)?;
        // SAFETY: mapped; borrowed here alone.
        unsafe { self.words() }.iter_mut().enumerate().for_each(|(i, w)| *w = word(i));
        self.unmap()?;
        self.session.finish()
    }

    /// Returns whether some of its words are what they should be.
    fn check(&self, word: impl Fn(usize) -> u32) -> Result<()> {
        self.map(cl::CL_MAP_READ)?;
        // SAFETY: as in `fill`.
        let words = unsafe { self.words() };
        let step = (words.len() / 100).max(1);
        let wrong = (0..words.len()).step_by(step).find(|i| words[*i] != word(*i));
        self.unmap()?;
        self.session.finish()?;
        wrong.map_or(Ok(()), |i| Err(format!("word {i} of shared memory is wrong")))
    }

    fn give(&self, kernel: &Kernel<'_>, index: u32) -> Result<()> {
        let s = self.session;
        call!(s.library, clSetKernelArgSVMPointer(kernel.raw, index, self.pointer.cast_const()))
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        if let Some(function) = self.session.library.table().clSVMFree {
            // SAFETY: allocated here; the cases wait for their commands.
            unsafe { function(self.session.context, self.pointer) };
        }
    }
}

fn value(i: usize) -> f32 {
    (i % 1000) as f32
}

fn launches(s: &Session, kernel: &Kernel<'_>) -> Result<f64> {
    let start = Instant::now();
    kernel.launch(&[TRIAD / 4], Some(&[256]))?;
    s.finish()?;
    Ok(start.elapsed().as_nanos() as f64)
}

fn triad(s: &Session) -> Result<Prepared<'_>> {
    let kernel = s.kernel(SOURCE, "triad", "")?;
    let arrays = [Shared::new(s, TRIAD)?, Shared::new(s, TRIAD)?, Shared::new(s, TRIAD)?];
    for (index, array) in (0..).zip(&arrays) {
        array.fill(|i| value(i).to_bits())?;
        array.give(&kernel, index)?;
    }
    launches(s, &kernel)?;
    arrays[0].check(|i| (4.0 * value(i)).to_bits())?;
    ready(move || {
        let _kept = &arrays;
        launches(s, &kernel)
    })
}

fn triad_of_buffers(s: &Session, place: Place) -> Result<Prepared<'_>> {
    let kernel = s.kernel(SOURCE, "triad", "")?;
    let bytes: Vec<u8> = (0..TRIAD / 4).flat_map(|i| value(i).to_ne_bytes()).collect();
    let buffers = [s.buffer(TRIAD, place)?, s.buffer(TRIAD, place)?, s.buffer(TRIAD, place)?];
    for buffer in &buffers {
        buffer.with_map(cl::CL_MAP_WRITE_INVALIDATE_REGION, |memory| memory.copy_from_slice(&bytes))?;
    }
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Buffer(&buffers[2])])?;
    launches(s, &kernel)?;
    let mut word = [0; 4];
    buffers[0].read(4000, &mut word)?;
    if f32::from_ne_bytes(word) != 4.0 * value(1000) {
        return Err("the triad is wrong".into());
    }
    ready(move || {
        // A kernel does not keep its arguments.
        let _kept = &buffers;
        launches(s, &kernel)
    })
}

/// One work-item follows pointers in no order, each in a line of its own.
fn chase(s: &Session) -> Result<Prepared<'_>> {
    let kernel = s.kernel(SOURCE, "chase", "")?;
    let (nodes, out) = (Shared::new(s, CHASE)?, Shared::new(s, 4096)?);
    let (lines, base) = (CHASE / 128, nodes.address());
    // An odd step goes through all of a power of two.
    let next = |line: usize| (line * 1_664_525 + 1_013_904_223) % lines;
    nodes.fill(|i| {
        let to = base + next(i / 32) as u64 * 128;
        [to as u32, (to >> 32) as u32].get(i % 32).copied().unwrap_or(0)
    })?;
    out.give(&kernel, 0)?;
    nodes.give(&kernel, 1)?;
    kernel.set_one(2, &Arg::Value(&STEPS.to_ne_bytes()))?;
    let end = base + (0..STEPS).fold(0, |line, _| next(line)) as u64 * 128;
    let right = move |i: usize| [end as u32, (end >> 32) as u32][i.min(1)];
    ready(move || {
        let start = Instant::now();
        kernel.launch(&[1], Some(&[1]))?;
        s.finish()?;
        let time = start.elapsed().as_nanos() as f64 / f64::from(STEPS);
        let _kept = &nodes;
        out.map(cl::CL_MAP_READ)?;
        // SAFETY: mapped; borrowed here alone.
        let found = unsafe { out.words() };
        let good = (0..2).all(|i| found[i] == right(i));
        out.unmap()?;
        if good { Ok(time) } else { Err("the chase ends elsewhere".into()) }
    })
}

/// The work between a map and an unmap.
#[derive(Clone, Copy)]
enum Use {
    Nothing,
    /// A kernel's data is read.
    Read,
    /// Data is written for the next kernel.
    Write,
}

fn map(s: &Session, size: usize, what: Use) -> Result<Prepared<'_>> {
    let kernel = s.kernel(SOURCE, "mark", "")?;
    let memory = Shared::new(s, size)?;
    memory.fill(|_| 0)?;
    memory.give(&kernel, 0)?;
    let mut round = 0u32;
    let mut once = move || -> Result<f64> {
        round = round.wrapping_add(7);
        kernel.set_one(1, &Arg::Value(&round.to_ne_bytes()))?;
        let (launch, flags) = (|| kernel.launch(&[size / 4], None), cl::CL_MAP_READ | cl::CL_MAP_WRITE);
        if matches!(what, Use::Nothing) {
            let start = Instant::now();
            memory.map(flags)?;
            memory.unmap()?;
            s.finish()?;
            return Ok(start.elapsed().as_nanos() as f64);
        }
        let start = Instant::now();
        if matches!(what, Use::Read) {
            launch()?;
            memory.map(cl::CL_MAP_READ)?;
            // SAFETY: mapped; borrowed here alone.
            let words = unsafe { memory.words() };
            let right = words.iter().enumerate().all(|(i, w)| *w == round.wrapping_add(i as u32));
            memory.unmap()?;
            s.finish()?;
            let time = start.elapsed().as_nanos() as f64;
            return if right { Ok(time) } else { Err("what the kernel wrote is not there".into()) };
        }
        memory.map(cl::CL_MAP_WRITE_INVALIDATE_REGION)?;
        // SAFETY: as above.
        unsafe { memory.words() }.fill(round);
        memory.unmap()?;
        launch()?;
        s.finish()?;
        let time = start.elapsed().as_nanos() as f64;
        memory.check(|i| round.wrapping_add(i as u32))?;
        Ok(time)
    };
    let count = often(MAX, || once().map(drop))?;
    ready(move || average(count, &mut once))
}

/// Which way a copy goes.
#[derive(Clone, Copy)]
enum Way {
    To,
    From,
    Within,
}

fn copy(s: &Session, size: usize, way: Way) -> Result<Prepared<'_>> {
    let (memory, other) = (Shared::new(s, size)?, Shared::new(s, size)?);
    let pattern = |i: usize| (i * 2_654_435) as u32;
    let mut host: Vec<u32> = (0..size / 4).map(pattern).collect();
    memory.fill(|i| if matches!(way, Way::To) { 0 } else { pattern(i) })?;
    other.fill(|_| 0)?;
    if matches!(way, Way::From) {
        host.fill(0);
    }
    let mut once = move || -> Result<f64> {
        let (to, from) = match way {
            Way::To => (memory.pointer, host.as_ptr().cast()),
            Way::From => (host.as_mut_ptr().cast(), memory.pointer.cast_const()),
            Way::Within => (other.pointer, memory.pointer.cast_const()),
        };
        let start = Instant::now();
        call!(s.library, clEnqueueSVMMemcpy(s.queue, cl::CL_TRUE, to, from, size, 0, null(), null_mut()))?;
        let time = start.elapsed().as_nanos() as f64;
        match way {
            Way::From if host.iter().step_by(97).enumerate().any(|(i, w)| *w != pattern(i * 97)) => {
                return Err("what was copied differs".into());
            }
            Way::From => host.fill(0),
            Way::To => memory.check(pattern)?,
            Way::Within => other.check(pattern)?,
        }
        Ok(time)
    };
    let count = often(MAX, || once().map(drop))?;
    ready(move || average(count, &mut once))
}

fn allocations(s: &Session, size: usize) -> Result<Prepared<'_>> {
    let mut once = move || -> Result<f64> {
        let start = Instant::now();
        drop(Shared::new(s, size)?);
        Ok(start.elapsed().as_nanos() as f64)
    };
    let count = often(MAX, || once().map(drop))?;
    ready(move || average(count, &mut once))
}

fn average(count: usize, once: &mut impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut time = 0.0;
    for _ in 0..count {
        time += once()?;
    }
    Ok(time / count as f64)
}
