//! Kernels of numerical libraries: random numbers, reductions by a single work-group, transforms, sparse matrices, stencils, double.

use super::primitives::{bytes_of_words, same_words};
use super::{
    Arg, Buffer, Place, Ready, Result, Scale, Session, Work, bytes_of, close, floats, fractions, int, noise,
    words,
};

const SOURCE: &str = include_str!("../../../kernels/numeric.cl");

pub(super) fn philox_normal(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    const SEED: u32 = 4711;
    const TURNS: usize = 16;
    let items = scale.pick(1 << 12, 1 << 20);
    let kernel = s.kernel(SOURCE, "philox_normal", "")?;
    let buffers = vec![s.buffer(items * TURNS * 16, Place::Device)?];
    let (seed, turns) = (SEED.to_le_bytes(), int(TURNS));
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Value(&seed), Arg::Value(&turns)])?;
    let check = move |b: &[Buffer<'_>]| {
        for turn in 0..TURNS {
            for id in (0..items).step_by(97) {
                let c = philox(id as u32, turn as u32, SEED);
                let found = floats(&b[0], (turn * items + id) * 4, 4)?;
                for (pair, found) in found.chunks(2).enumerate() {
                    let radius = (-2.0 * (f64::from((c[pair * 2] >> 8) + 1) / 16_777_216.0).ln()).sqrt();
                    let angle = std::f64::consts::TAU * f64::from(c[pair * 2 + 1]) / 4_294_967_296.0;
                    close("Philox and Box-Muller", found[0], radius * angle.cos(), 1e-5)?;
                    close("Philox and Box-Muller", found[1], radius * angle.sin(), 1e-5)?;
                }
            }
        }
        Ok(())
    };
    let work = Work::Items((items * TURNS * 4) as f64, "numbers");
    Ok(Ready::new(kernel, buffers, &[items], &[256], work, Box::new(check)))
}

/// Philox 4x32-10 of the counter (id, turn, 0, 0).
fn philox(id: u32, turn: u32, seed: u32) -> [u32; 4] {
    let mut c = [id, turn, 0, 0];
    let mut key = [seed, 0xcafe_f00d_u32];
    for _ in 0..10 {
        let [a, b] = [u64::from(c[0]) * 0xd251_1f53, u64::from(c[2]) * 0xcd9e_8d57];
        c = [(b >> 32) as u32 ^ c[1] ^ key[0], b as u32, (a >> 32) as u32 ^ c[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    c
}

pub(super) fn exp_sin_sqrt(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 20, 1 << 26);
    let data: Vec<f32> = fractions(n, 30).into_iter().map(|f| f * 10.0).collect();
    let kernel = s.kernel(SOURCE, "exp_sin_sqrt", "")?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(n * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])])?;
    let check = move |b: &[Buffer<'_>]| {
        for (x, found) in data.iter().zip(floats(&b[1], 0, n)?).step_by(97) {
            let x = f64::from(*x);
            close("exp sin sqrt", found, x.exp() * x.sin() * x.sqrt(), 2e-6)?;
        }
        Ok(())
    };
    Ok(Ready::new(kernel, buffers, &[n], &[256], Work::Bytes(8.0 * n as f64), Box::new(check)))
}

pub(super) fn dot_of_one_group(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 14, 1 << 18);
    let (a, b) = (fractions(n, 31), fractions(n, 32));
    let kernel = s.kernel(SOURCE, "dot_of_one_group", "")?;
    let buffers =
        vec![s.buffer_with(&bytes_of(&a))?, s.buffer_with(&bytes_of(&b))?, s.buffer(4, Place::Device)?];
    set_with_size(&kernel, &buffers, n)?;
    let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    let check = move |b: &[Buffer<'_>]| close("dot of one group", floats(&b[2], 0, 1)?[0], exact, 1e-5);
    Ok(Ready::new(kernel, buffers, &[1024], &[1024], Work::Bytes(8.0 * n as f64), Box::new(check)))
}

/// A word a work-item of 128 work-groups, over and over.
pub(super) fn strided_sums(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    const ITEMS: usize = 128 * 256;
    let n = scale.pick(1 << 18, 1 << 26);
    let data: Vec<u32> = noise(n, 40).collect();
    let kernel = s.kernel(SOURCE, "strided_sums", "")?;
    let buffers =
        vec![s.buffer_with(&bytes_of_words(data.iter().copied()))?, s.buffer(ITEMS * 4, Place::Device)?];
    set_with_size(&kernel, &buffers, n)?;
    let sum = |item| data[item..].iter().step_by(ITEMS).fold(0, |sum: u32, v| sum.wrapping_add(*v));
    let check = same_words("strided sums", 1, (0..ITEMS).map(sum).collect());
    Ok(Ready::new(kernel, buffers, &[ITEMS], &[256], Work::Bytes(4.0 * n as f64), check))
}

pub(super) fn largest_of_one_group(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 14, 1 << 18);
    let data: Vec<f32> = fractions(n, 33).into_iter().map(|f| f - 0.5).collect();
    let kernel = s.kernel(SOURCE, "largest_of_one_group", "")?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(4, Place::Device)?];
    set_with_size(&kernel, &buffers, n)?;
    // The first of those that are equal.
    let mut place = 0;
    for (i, value) in data.iter().enumerate() {
        if value.abs() > data[place].abs() {
            place = i;
        }
    }
    let check = move |b: &[Buffer<'_>]| match words(&b[1], 0, 1)?[0] as usize {
        found if found == place => Ok(()),
        found => Err(format!("largest of one group: element {found} where {place} is right")),
    };
    Ok(Ready::new(kernel, buffers, &[256], &[256], Work::Bytes(4.0 * n as f64), Box::new(check)))
}

fn set_with_size(kernel: &super::Kernel<'_>, buffers: &[Buffer<'_>], n: usize) -> Result<()> {
    let n = int(n);
    let mut args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    args.push(Arg::Value(&n));
    kernel.set(&args)
}

pub(super) fn fft_512(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    const POINTS: usize = 512;
    let n = scale.pick(1 << 8, 1 << 16);
    let data = fractions(n * POINTS * 2, 34);
    let kernel = s.kernel(SOURCE, "fft_512", "")?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(n * POINTS * 8, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])])?;
    let check = move |b: &[Buffer<'_>]| {
        for transform in [0, n / 2, n - 1] {
            let from = &data[transform * POINTS * 2..(transform + 1) * POINTS * 2];
            let found = floats(&b[1], transform * POINTS * 2, POINTS * 2)?;
            for (k, found) in found.chunks(2).enumerate() {
                let mut sum = [0f64; 2];
                for (i, x) in from.chunks(2).enumerate() {
                    let (sin, cos) = (-std::f64::consts::TAU * (i * k % POINTS) as f64 / 512.0).sin_cos();
                    let (re, im) = (f64::from(x[0]), f64::from(x[1]));
                    sum = [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos];
                }
                close("FFT", found[0], sum[0], 2e-5)?;
                close("FFT", found[1], sum[1], 2e-5)?;
            }
        }
        Ok(())
    };
    let work = Work::Bytes((n * POINTS * 16) as f64);
    Ok(Ready::new(kernel, buffers, &[n * 64], &[64], work, Box::new(check)))
}

pub(super) fn spmv(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let rows = scale.pick(1 << 12, 1 << 19);
    // From 0 to 63 elements in a row.
    let mut begins = vec![0u32];
    for (row, length) in noise(rows, 35).enumerate() {
        begins.push(begins[row] + length % 64);
    }
    let count = begins[rows] as usize;
    let columns: Vec<u32> = noise(count, 36).map(|v| v % rows as u32).collect();
    let (values, x) = (fractions(count, 37), fractions(rows, 38));
    let kernel = s.kernel(SOURCE, "spmv_rows", "")?;
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let buffers = vec![
        s.buffer_with(&bytes(&begins))?,
        s.buffer_with(&bytes(&columns))?,
        s.buffer_with(&bytes_of(&values))?,
        s.buffer_with(&bytes_of(&x))?,
        s.buffer(rows * 4, Place::Device)?,
    ];
    set_with_size(&kernel, &buffers, rows)?;
    let check = move |b: &[Buffer<'_>]| {
        for (row, found) in floats(&b[4], 0, rows)?.into_iter().enumerate() {
            let range = begins[row] as usize..begins[row + 1] as usize;
            let exact = range.map(|at| f64::from(values[at]) * f64::from(x[columns[at] as usize])).sum();
            close("sparse matrix", found, exact, 1e-5)?;
        }
        Ok(())
    };
    let work = Work::Bytes((count * 12 + rows * 8) as f64);
    Ok(Ready::new(kernel, buffers, &[rows * 32], &[256], work, Box::new(check)))
}

pub(super) fn stencil_7(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(64, 384);
    let data = fractions(n * n * n, 39);
    let kernel = s.kernel(SOURCE, "stencil_7", "")?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(n * n * n * 4, Place::Device)?];
    let size = int(n);
    let args = [Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])];
    kernel.set(&args)?;
    (2..5).try_for_each(|index| kernel.set_one(index, &Arg::Value(&size)))?;
    let check = move |b: &[Buffer<'_>]| {
        for z in [1, n / 2, n - 2] {
            let layer = floats(&b[1], z * n * n, n * n)?;
            for at in (0..n * n).filter(|at| (1..n - 1).contains(&(at / n)) && (1..n - 1).contains(&(at % n)))
            {
                let here = z * n * n + at;
                let around = [here - n * n, here + n * n, here - 1, here + 1, here - n, here + n];
                let around: f64 = around.iter().map(|i| f64::from(data[*i])).sum();
                close("stencil of 7", layer[at], 0.4 * f64::from(data[here]) + 0.1 * around, 1e-6)?;
            }
        }
        Ok(())
    };
    let work = Work::Bytes(8.0 * (n * n * n) as f64);
    Ok(Ready::new(kernel, buffers, &[n, n], &[64, 4], work, Box::new(check)))
}

pub(super) fn stencil_25(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(512, 8192);
    let (data, weights) = (fractions(n * n, 40), fractions(25, 41));
    let kernel = s.kernel(SOURCE, "stencil_25", "")?;
    let buffers = vec![
        s.buffer_with(&bytes_of(&data))?,
        s.buffer(n * n * 4, Place::Device)?,
        s.buffer_with(&bytes_of(&weights))?,
    ];
    set_with_size(&kernel, &buffers, n)?;
    let check = move |b: &[Buffer<'_>]| {
        let edge = |at: usize, by: usize| (at + by).saturating_sub(2).min(n - 1);
        for y in [0, n / 2, n - 1] {
            for (x, found) in floats(&b[1], y * n, n)?.into_iter().enumerate() {
                let point = |i: usize| f64::from(data[edge(y, i / 5) * n + edge(x, i % 5)]);
                let exact = (0..25).map(|i| f64::from(weights[i]) * point(i)).sum();
                close("stencil of 25", found, exact, 1e-5)?;
            }
        }
        Ok(())
    };
    let work = Work::Bytes(8.0 * (n * n) as f64);
    Ok(Ready::new(kernel, buffers, &[n, n], &[16, 16], work, Box::new(check)))
}

pub(super) fn dgemm(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(256, 2048);
    let wide = |seed| -> Vec<f64> { fractions(n * n, seed).into_iter().map(f64::from).collect() };
    let bytes = |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let (a, b) = (wide(42), wide(43));
    let kernel = s.kernel(SOURCE, "dgemm", "")?;
    let buffers =
        vec![s.buffer_with(&bytes(&a))?, s.buffer_with(&bytes(&b))?, s.buffer(n * n * 8, Place::Device)?];
    let size = int(n);
    kernel.set(&[
        Arg::Value(&size),
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
    ])?;
    let check = move |buffers: &[Buffer<'_>]| {
        for row in [0, n / 3, n - 1] {
            let mut found = vec![0; n * 8];
            buffers[2].read(row * n * 8, &mut found)?;
            for (column, found) in found.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).enumerate() {
                let exact: f64 = (0..n).map(|k| a[row * n + k] * b[k * n + column]).sum();
                if (found - exact).abs() > 1e-12 * exact {
                    return Err(format!("dgemm: {found} where {exact} is right"));
                }
            }
        }
        Ok(())
    };
    let work = Work::Flops(2.0 * (n as f64).powi(3));
    Ok(Ready::new(kernel, buffers, &[n / 4, n / 4], &[16, 16], work, Box::new(check)))
}
