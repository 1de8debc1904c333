//! Kernels that real programs live from, each with its data and a reference for its result.

mod constants;
mod groups;
mod numeric;
mod plain;
mod primitives;
mod private;

use super::control::Bare;
use super::{Arg, Buffer, Kernel, Place, Result, Session};

/// How large the problems are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// For CPU drivers.
    Small,
    /// For discrete GPUs.
    Large,
}

impl Scale {
    pub(super) fn pick(self, small: usize, large: usize) -> usize {
        match self {
            Scale::Small => small,
            Scale::Large => large,
        }
    }
}

/// The amount of work of one launch, for a rate beside the time.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// Bytes read and written.
    Bytes(f64),
    /// Floating-point operations.
    Flops(f64),
    /// Something else: items and what they are called.
    Items(f64, &'static str),
}

/// A workload: its name and how to make it ready.
pub struct Workload {
    /// The name.
    pub name: &'static str,
    prepare: Prepare,
}

/// Builds a kernel, makes its data, sets its arguments.
enum Prepare {
    By(PrepareFn),
    Plain(&'static plain::Plain),
}

impl Workload {
    const fn new(name: &'static str, prepare: PrepareFn) -> Self {
        Self { name, prepare: Prepare::By(prepare) }
    }

    /// Makes it ready to be launched.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn prepare<'s>(&self, session: &'s Session, scale: Scale) -> Result<Ready<'s>> {
        match self.prepare {
            Prepare::By(prepare) => prepare(session, scale),
            Prepare::Plain(plain) => plain::prepare(session, scale, plain),
        }
    }
}

/// Something that is done with a workload's buffers.
type Step<'s> = Box<dyn Fn(&[Buffer<'s>]) -> Result<()> + 's>;

/// A workload that is ready to be launched on one session, again and again with the same result.
pub struct Ready<'s> {
    kernel: Kernel<'s>,
    /// Argument buffers; kept alive.
    buffers: Vec<Buffer<'s>>,
    global: Vec<usize>,
    local: Option<Vec<usize>>,
    /// The amount of work of one launch.
    pub work: Work,
    check: Step<'s>,
    /// Done before each launch.
    before: Option<Step<'s>>,
    /// The same by a shader that was written for it; its result is that of the last buffer.
    pub bare: Option<Beside>,
}

/// A shader for a workload, and what its result is.
pub struct Beside {
    /// The shader and its data.
    pub bare: Bare,
    /// True if the result is floats, which may be rounded otherwise; else words, which are the same.
    pub floats: bool,
}

impl<'s> Ready<'s> {
    /// A workload that needs nothing done before a launch.
    fn new(
        kernel: Kernel<'s>,
        buffers: Vec<Buffer<'s>>,
        global: &[usize],
        local: &[usize],
        work: Work,
        check: Step<'s>,
    ) -> Self {
        Ready {
            kernel,
            buffers,
            global: global.into(),
            local: Some(local.into()),
            work,
            check,
            before: None,
            bare: None,
        }
    }

    /// With a shader that does the same.
    fn beside(
        self,
        spirv: &'static [u8],
        inputs: &[&[u8]],
        push: &[u8],
        groups: [u32; 3],
        floats: bool,
    ) -> Self {
        let bare = Bare {
            spirv,
            inputs: inputs.iter().map(|i| i.to_vec()).collect(),
            output: self.buffers.last().map_or(0, |b| b.size),
            push: push.to_vec(),
            groups,
        };
        Ready { bare: Some(Beside { bare, floats }), ..self }
    }

    /// Returns whether a shader's result is what the kernel left in the last buffer.
    ///
    /// # Errors
    /// A difference, or what the library fails with.
    pub fn agrees(&self, result: &[u8], floats: bool) -> Result<()> {
        let mut own = vec![0; result.len()];
        self.buffers.last().ok_or("no result")?.read(0, &mut own)?;
        for (i, (own, other)) in own.as_chunks().0.iter().zip(result.as_chunks().0).enumerate() {
            let (a, b) = (f32::from_le_bytes(*own), f32::from_le_bytes(*other));
            let near = floats && (a - b).abs() <= 1e-4 * a.abs().max(1.0);
            if own != other && !near {
                return Err(format!("the shader's word {i} is {other:?} where the kernel's is {own:?}"));
            }
        }
        Ok(())
    }

    /// Enqueues one launch.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch(&self) -> Result<()> {
        self.kernel.launch(&self.global, self.local.as_deref())
    }

    /// Launches once and compares the result with the reference.
    ///
    /// # Errors
    /// A difference, or what the library fails with.
    pub fn check(&self) -> Result<()> {
        if let Some(before) = &self.before {
            before(&self.buffers)?;
        }
        self.launch()?;
        (self.check)(&self.buffers)
    }
}

/// All of them.
pub fn all() -> impl Iterator<Item = Workload> {
    let plain = plain::KERNELS.iter().map(|p| Workload { name: p.name, prepare: Prepare::Plain(p) });
    WORKLOADS.iter().map(|(name, prepare)| Workload::new(name, *prepare)).chain(plain)
}

type PrepareFn = for<'s> fn(&'s Session, Scale) -> Result<Ready<'s>>;

const WORKLOADS: &[(&str, PrepareFn)] = &[
    ("stream copy", stream_copy),
    ("stream copy, float4", stream_copy_4),
    ("stream triad", stream_triad),
    ("reduction", reduction),
    ("sgemm", sgemm),
    ("transpose", transpose),
    ("n-body", nbody),
    ("histogram", histogram),
    ("black-scholes", black_scholes),
    ("sha-256", sha256),
    ("sgemm, 8x8 tiles", private::gemm_8x8),
    ("sgemm, 8x8 tiles of 128x128", private::gemm_8x8_wide),
    ("sgemm, 4x8 tiles", private::gemm_4x8),
    ("sgemm, 8x8 tiles, no local memory", private::gemm_8x8_global),
    ("md5 chain, bytes", private::md5_bytes),
    ("md5 chain, words", private::md5_words),
    ("md5 chain, patterns", private::md5_patterns),
    ("rc4", private::rc4),
    ("constants alike, argument", constants::taps_of_an_argument),
    ("constants alike, program", constants::taps_of_the_program),
    ("constants apart, argument", constants::table_of_an_argument),
    ("constants apart, program", constants::table_of_the_program),
    ("scan, intervals", primitives::scan_intervals),
    ("scan, update", primitives::scan_update),
    ("radix sort, count", primitives::radix_count),
    ("radix sort, scatter", primitives::radix_scatter),
    ("list sort, local memory", primitives::bitonic_local),
    ("list sort, three steps", primitives::bitonic_eight),
    ("group sums", groups::sums),
    ("group scans", groups::scans),
    ("group scans of eight words, cached", groups::scans_of_eight),
    ("group softmax, cached", groups::softmax),
    ("group matrix and vector", groups::matrix_vector),
    ("group bytes, matrix and vector", groups::bytes_vector),
    ("group product of bytes", groups::bytes_product),
    ("Philox, normal numbers", numeric::philox_normal),
    ("exp sin sqrt", numeric::exp_sin_sqrt),
    ("sums over a stride", numeric::strided_sums),
    ("dot, one work-group", numeric::dot_of_one_group),
    ("largest, one work-group", numeric::largest_of_one_group),
    ("FFT of 512, radix 8", numeric::fft_512),
    ("sparse matrix, rows", numeric::spmv),
    ("stencil of 7 points", numeric::stencil_7),
    ("stencil of 25 points", numeric::stencil_25),
    ("dgemm, 4x4 tiles", numeric::dgemm),
];

fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(buffer: &Buffer<'_>, first: usize, count: usize) -> Result<Vec<f32>> {
    let mut bytes = vec![0; count * 4];
    buffer.read(first * 4, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

fn words(buffer: &Buffer<'_>, first: usize, count: usize) -> Result<Vec<u32>> {
    let mut bytes = vec![0; count * 4];
    buffer.read(first * 4, &mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

/// Numbers without a pattern, the same on every run: a linear congruential generator.
pub(super) fn noise(count: usize, seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    (0..count).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
}

/// Floats from 0 to 1.
pub(super) fn fractions(count: usize, seed: u32) -> Vec<f32> {
    noise(count, seed).map(|n| n as f32 / (1 << 24) as f32).collect()
}

fn close(what: &str, found: f32, expected: f64, tolerance: f64) -> Result<()> {
    if (f64::from(found) - expected).abs() <= tolerance * expected.abs().max(1.0) {
        return Ok(());
    }
    Err(format!("{what}: {found} where {expected} is right"))
}

fn int(value: usize) -> [u8; 4] {
    (value as u32).to_le_bytes()
}

fn stream_copy(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let spirv = include_bytes!("../../shaders/copy.spv");
    copy_of(s, scale, "copy", (1, 256), spirv)
}

fn stream_copy_4(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    copy_of(s, scale, "copy4", (4, 64), include_bytes!("../../shaders/copy4.spv"))
}

/// A copy by a kernel: so many floats a work-item, so many work-items a work-group.
fn copy_of<'s>(
    s: &'s Session,
    scale: Scale,
    name: &str,
    (each, local): (usize, usize),
    spirv: &'static [u8],
) -> Result<Ready<'s>> {
    let n = scale.pick(1 << 22, 1 << 26);
    let data = fractions(n, 1);
    let bytes = bytes_of(&data);
    let kernel = s.kernel(include_str!("../../kernels/stream.cl"), name, "")?;
    let buffers = vec![s.buffer_with(&bytes)?, s.buffer(n * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])])?;
    let check = move |b: &[Buffer<'_>]| match floats(&b[1], 0, n)? == data {
        true => Ok(()),
        false => Err("stream copy: the copy differs".into()),
    };
    let work = Work::Bytes(8.0 * n as f64);
    let ready = Ready::new(kernel, buffers, &[n / each], &[local], work, Box::new(check));
    Ok(ready.beside(spirv, &[&bytes], &[], [(n / each / local) as u32, 1, 1], false))
}

fn stream_triad(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 22, 1 << 26);
    let (b, c) = (fractions(n, 2), fractions(n, 3));
    let kernel = s.kernel(include_str!("../../kernels/stream.cl"), "triad", "")?;
    let (b_bytes, c_bytes) = (bytes_of(&b), bytes_of(&c));
    let buffers = vec![s.buffer_with(&b_bytes)?, s.buffer_with(&c_bytes)?, s.buffer(n * 4, Place::Device)?];
    let q = 3f32.to_le_bytes();
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
        Arg::Value(&q),
    ])?;
    let check = move |buffers: &[Buffer<'_>]| {
        for (i, found) in floats(&buffers[2], 0, n)?.into_iter().enumerate() {
            close("stream triad", found, f64::from(b[i]) + 3.0 * f64::from(c[i]), 1e-6)?;
        }
        Ok(())
    };
    let work = Work::Bytes(12.0 * n as f64);
    let ready = Ready::new(kernel, buffers, &[n], &[256], work, Box::new(check));
    let spirv = include_bytes!("../../shaders/triad.spv");
    Ok(ready.beside(spirv, &[&b_bytes, &c_bytes], &q, [n as u32 / 256, 1, 1], true))
}

fn reduction(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 22, 1 << 26);
    let data: Vec<u32> = noise(n, 4).map(|v| v & 0xff).collect();
    let kernel = s.kernel(include_str!("../../../tests/kernels/reduce.cl"), "reduce", "")?;
    let bytes: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
    let buffers = vec![s.buffer_with(&bytes)?, s.buffer(n / 256 * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Local(256 * 4)])?;
    let sums: Vec<u32> = data.chunks(256).map(|c| c.iter().sum()).collect();
    let check = move |b: &[Buffer<'_>]| match words(&b[1], 0, n / 256)? == sums {
        true => Ok(()),
        false => Err("reduction: the sums differ".into()),
    };
    let work = Work::Bytes(4.0 * n as f64);
    let ready = Ready::new(kernel, buffers, &[n], &[256], work, Box::new(check));
    let spirv = include_bytes!("../../shaders/reduce.spv");
    Ok(ready.beside(spirv, &[&bytes], &[], [n as u32 / 256, 1, 1], false))
}

fn sgemm(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(256, 4096);
    let (a, b) = (fractions(n * n, 5), fractions(n * n, 6));
    let kernel = s.kernel(include_str!("../../kernels/sgemm.cl"), "sgemm", "")?;
    let (a_bytes, b_bytes) = (bytes_of(&a), bytes_of(&b));
    let buffers =
        vec![s.buffer_with(&a_bytes)?, s.buffer_with(&b_bytes)?, s.buffer(n * n * 4, Place::Device)?];
    let size = int(n);
    kernel.set(&[
        Arg::Value(&size),
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
    ])?;
    let check = move |buffers: &[Buffer<'_>]| {
        // Some rows: the whole product would take the host minutes.
        for row in [0, n / 3, n - 1] {
            let found = floats(&buffers[2], row * n, n)?;
            for column in 0..n {
                let exact = (0..n).map(|k| f64::from(a[row * n + k]) * f64::from(b[k * n + column])).sum();
                close("sgemm", found[column], exact, 1e-4)?;
            }
        }
        Ok(())
    };
    let work = Work::Flops(2.0 * (n as f64).powi(3));
    let ready = Ready::new(kernel, buffers, &[n / 4, n / 4], &[16, 16], work, Box::new(check));
    let (spirv, tiles) = (include_bytes!("../../shaders/sgemm.spv"), n as u32 / 64);
    Ok(ready.beside(spirv, &[&a_bytes, &b_bytes], &size, [tiles, tiles, 1], true))
}

fn transpose(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1024, 8192);
    let data = fractions(n * n, 7);
    let kernel = s.kernel(include_str!("../../../tests/kernels/transpose.cl"), "transpose", "")?;
    let bytes = bytes_of(&data);
    let buffers = vec![s.buffer_with(&bytes)?, s.buffer(n * n * 4, Place::Device)?];
    let size = int(n);
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Value(&size),
        Arg::Value(&size),
    ])?;
    let check = move |b: &[Buffer<'_>]| {
        let found = floats(&b[1], 0, n * n)?;
        match (0..n * n).all(|i| found[i] == data[(i % n) * n + i / n]) {
            true => Ok(()),
            false => Err("transpose: the result differs".into()),
        }
    };
    let work = Work::Bytes(8.0 * (n * n) as f64);
    let ready = Ready::new(kernel, buffers, &[n, n], &[16, 16], work, Box::new(check));
    let (spirv, tiles) = (include_bytes!("../../shaders/transpose.spv"), n as u32 / 16);
    Ok(ready.beside(spirv, &[&bytes], &size, [tiles, tiles, 1], false))
}

fn nbody(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(2048, 65536);
    let position = fractions(n * 4, 8);
    let kernel = s.kernel(include_str!("../../../tests/kernels/nbody.cl"), "nbody", "")?;
    let bytes = bytes_of(&position);
    let zeros = vec![0; n * 16];
    let buffers = vec![s.buffer_with(&bytes)?, s.buffer_with(&zeros)?, s.buffer(n * 16, Place::Device)?];
    let (dt, eps) = (0.01f32, 0.01f32);
    let (size, dt_bytes, eps_bytes) = (int(n), dt.to_le_bytes(), eps.to_le_bytes());
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
        Arg::Value(&size),
        Arg::Value(&dt_bytes),
        Arg::Value(&eps_bytes),
        Arg::Local(256 * 16),
    ])?;
    let check = move |b: &[Buffer<'_>]| {
        for i in [0, n / 2, n - 1] {
            let p = &position[i * 4..i * 4 + 4];
            let mut a = [0f64; 3];
            for q in position.chunks(4) {
                let d: Vec<f64> = (0..3).map(|k| f64::from(q[k]) - f64::from(p[k])).collect();
                let inverse = 1.0 / (d.iter().map(|d| d * d).sum::<f64>() + f64::from(eps)).sqrt();
                (0..3).for_each(|k| a[k] += d[k] * f64::from(q[3]) * inverse.powi(3));
            }
            let found = floats(&b[1], i * 4, 3)?;
            for k in 0..3 {
                close("n-body", found[k], a[k] * f64::from(dt), 1e-3)?;
            }
        }
        Ok(())
    };
    let before = move |b: &[Buffer<'_>]| b[1].write(0, &zeros);
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![256]),
        work: Work::Flops(20.0 * (n as f64).powi(2)),
        check: Box::new(check),
        before: Some(Box::new(before)),
        bare: None,
    })
}

fn histogram(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 22, 1 << 26);
    let data: Vec<u8> = noise(n, 9).map(|v| v as u8).collect();
    let kernel = s.kernel(include_str!("../../../tests/kernels/histogram.cl"), "histogram", "")?;
    let buffers = vec![s.buffer_with(&data)?, s.buffer(64 * 4, Place::Device)?];
    let size = int(n);
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Value(&size), Arg::Buffer(&buffers[1])])?;
    let mut bins = vec![0u32; 64];
    data.iter().for_each(|v| bins[usize::from(v & 63)] += 1);
    let check = move |b: &[Buffer<'_>]| match words(&b[1], 0, 64)? == bins {
        true => Ok(()),
        false => Err("histogram: the bins differ".into()),
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![scale.pick(1 << 14, 1 << 18)],
        local: Some(vec![256]),
        work: Work::Bytes(n as f64),
        check: Box::new(check),
        before: Some(Box::new(|b: &[Buffer<'_>]| b[1].write(0, &[0; 256]))),
        bare: None,
    })
}

/// The cumulative normal distribution by the kernel's polynomial, in double.
fn normal_cdf(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let polynomial = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_53];
    let sum = polynomial.iter().fold(0.0, |sum, a| (sum + a) * k);
    let tail = 0.398_942_280_401_432_7 * (-0.5 * d * d).exp() * sum;
    if d > 0.0 { 1.0 - tail } else { tail }
}

fn black_scholes(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 20, 1 << 25);
    let scaled = |seed, low: f32, high: f32| -> Vec<f32> {
        fractions(n, seed).into_iter().map(|f| low + f * (high - low)).collect()
    };
    let (price, strike, years) = (scaled(10, 5.0, 30.0), scaled(11, 1.0, 100.0), scaled(12, 0.25, 10.0));
    let kernel = s.kernel(include_str!("../../../tests/kernels/black_scholes.cl"), "black_scholes", "")?;
    let buffers = vec![
        s.buffer_with(&bytes_of(&price))?,
        s.buffer_with(&bytes_of(&strike))?,
        s.buffer_with(&bytes_of(&years))?,
        s.buffer(n * 4, Place::Device)?,
        s.buffer(n * 4, Place::Device)?,
    ];
    let (rate, volatility) = (0.02f32, 0.3f32);
    let values = [rate.to_le_bytes(), volatility.to_le_bytes()];
    let mut args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    args.extend(values.iter().map(|v| Arg::Value(v)));
    kernel.set(&args)?;
    drop(args);
    let check = move |b: &[Buffer<'_>]| {
        let calls = floats(&b[3], 0, n)?;
        for i in (0..n).step_by(97) {
            let (s, x, t) = (f64::from(price[i]), f64::from(strike[i]), f64::from(years[i]));
            let (r, v) = (f64::from(rate), f64::from(volatility));
            let d1 = ((s / x).ln() + (r + 0.5 * v * v) * t) / (v * t.sqrt());
            let d2 = d1 - v * t.sqrt();
            close("black-scholes", calls[i], s * normal_cdf(d1) - x * (-r * t).exp() * normal_cdf(d2), 1e-4)?;
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![256]),
        work: Work::Items(n as f64, "options"),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}

fn sha256(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    use sha2::block_api::compress256;
    let n = scale.pick(1 << 14, 1 << 21);
    let messages: Vec<u8> = noise(n * 64, 13).map(|v| v as u8).collect();
    let kernel = s.kernel(include_str!("../../../tests/kernels/sha256.cl"), "sha256", "")?;
    let buffers = vec![s.buffer_with(&messages)?, s.buffer(n * 32, Place::Device)?];
    let one = int(1);
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Value(&one), Arg::Buffer(&buffers[1])])?;
    let check = move |b: &[Buffer<'_>]| {
        let found = words(&b[1], 0, n * 8)?;
        let start = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ];
        for i in (0..n).step_by(61) {
            let mut state = start;
            let mut block = [0u8; 64];
            block.copy_from_slice(&messages[i * 64..i * 64 + 64]);
            compress256(&mut state, &[block]);
            if found[i * 8..i * 8 + 8] != state {
                return Err(format!("sha-256: the digest of message {i} differs"));
            }
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![64]),
        work: Work::Items(n as f64, "blocks"),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}
