//! Images: kernels that read, filter and write them, their transfers, their creation. Every case checks what it has done.

mod objects;
mod reference;

use std::time::Instant;

use super::case::{Case, Prepared, often, ready};
use super::workloads::{Scale, fractions, noise};
use super::{Arg, Kernel, Place, Result, Session};

pub use objects::{Image, Sampler, Texels};

const SOURCE: &str = include_str!("../../kernels/images.cl");
/// The work-groups of all kernels.
const LOCAL: [usize; 2] = [16, 16];
/// The most launches or transfers in one measurement.
const MAX: usize = 200;

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("image copy", |s, scale| copy(s, scale, "copy")),
        Case::new("image copy, sampler an argument", |s, scale| copy(s, scale, "copy_by_argument")),
        Case::new("image copy, no sampler", |s, scale| copy(s, scale, "copy_plainly")),
        Case::new("image convolution, 5x5", convolution),
        Case::new("image resize, bilinear", resize),
        Case::new("image rays, trilinear", rays),
        Case::new("image writes", writes),
        Case::new("image written from the host", |s, scale| transfer(s, scale, Way::Write)),
        Case::new("image read to the host", |s, scale| transfer(s, scale, Way::Read)),
        Case::new("image mapped and read", |s, scale| transfer(s, scale, Way::Map)),
        Case::new("image copied to an image", |s, scale| transfer(s, scale, Way::Copy)),
        Case::new("image copied from a buffer", |s, scale| transfer(s, scale, Way::FromBuffer)),
        Case::new("image of a buffer read", |s, scale| of_buffer(s, scale, false, false)),
        Case::new("image of a buffer written", |s, scale| of_buffer(s, scale, true, false)),
        Case::new("image of a buffer read, the buffer changed", |s, scale| of_buffer(s, scale, false, true)),
        Case::new("1D image of a buffer read", row),
        Case::new("image filled", |s, scale| transfer(s, scale, Way::Fill)),
        Case::new("image made, used, released", temporary),
        Case::new("image of 64x64 made, used, released", |s, _| one_temporary(s, [64, 64, 1])),
    ]
}

/// An image's width and height: 64 MiB of RGBA8 on the large scale.
fn plane(scale: Scale) -> [usize; 3] {
    let n = scale.pick(1024, 4096);
    [n, n, 1]
}

/// RGBA8 texels without a pattern.
fn picture(size: [usize; 3], seed: u32) -> Vec<u8> {
    noise(size.iter().product(), seed)
        .flat_map(|n| [n as u8, (n >> 8) as u8, (n >> 16) as u8, (n >> 4) as u8])
        .collect()
}

/// Measures launches of a kernel in a row. The result was checked before.
fn launches<'s>(
    s: &'s Session,
    kernel: Kernel<'s>,
    global: [usize; 2],
    keep: impl Sized + 's,
) -> Result<Prepared<'s>> {
    let many = move |count: usize| -> Result<f64> {
        let _kept = &keep;
        let start = Instant::now();
        for _ in 0..count {
            kernel.launch(&global, Some(&LOCAL))?;
        }
        s.finish()?;
        Ok(start.elapsed().as_nanos() as f64 / count as f64)
    };
    let count = often(MAX, || many(1).map(drop))?;
    ready(move || many(count))
}

/// Compares some rows of an RGBA8 image, channel by channel.
fn compare(
    what: &str,
    image: &Image<'_>,
    tolerance: f64,
    exact: impl Fn(usize, usize, usize) -> f64,
) -> Result<()> {
    let [w, h, _] = image.size;
    let mut found = vec![0; image.bytes()];
    image.read(&mut found)?;
    for y in [0, 1, h / 3, h - 2, h - 1] {
        for (i, found) in found[y * w * 4..(y + 1) * w * 4].iter().enumerate() {
            let exact = exact(i / 4, y, i % 4);
            if (f64::from(*found) - exact).abs() > tolerance {
                return Err(format!("{what}: {found} where {exact} is right (texel {}, {y})", i / 4));
            }
        }
    }
    Ok(())
}

fn copy<'s>(s: &'s Session, scale: Scale, name: &str) -> Result<Prepared<'s>> {
    let size = plane(scale);
    let data = picture(size, 1);
    let (from, to) = (s.image_with(size, Texels::Rgba8, &data)?, s.image(size, Texels::Rgba8)?);
    let kernel = s.kernel(SOURCE, name, "")?;
    kernel.set(&[Arg::Image(&from), Arg::Image(&to)])?;
    let sampler = s.nearest_sampler()?;
    if name == "copy_by_argument" {
        kernel.set_one(2, &Arg::Sampler(&sampler))?;
    }
    kernel.launch(&size[..2], Some(&LOCAL))?;
    let mut found = vec![0; data.len()];
    to.read(&mut found)?;
    if found != data {
        return Err("the copy differs".into());
    }
    launches(s, kernel, [size[0], size[1]], (from, to, sampler))
}

fn convolution(s: &Session, scale: Scale) -> Result<Prepared<'_>> {
    let size = plane(scale);
    let data = picture(size, 2);
    let (from, to) = (s.image_with(size, Texels::Rgba8, &data)?, s.image(size, Texels::Rgba8)?);
    let weights: Vec<u8> = reference::weights().iter().flat_map(|w| w.to_le_bytes()).collect();
    let weights = s.buffer_with(&weights)?;
    let kernel = s.kernel(SOURCE, "convolve", "")?;
    kernel.set(&[Arg::Image(&from), Arg::Image(&to), Arg::Buffer(&weights)])?;
    kernel.launch(&size[..2], Some(&LOCAL))?;
    // OpenCL C §8.3.1.1: a conversion to 8 bits may be off by 0.6.
    compare("convolution", &to, 0.6, |x, y, n| reference::convolved(&data, [size[0], size[1]], x, y, n))?;
    launches(s, kernel, [size[0], size[1]], (from, to, weights))
}

fn resize(s: &Session, scale: Scale) -> Result<Prepared<'_>> {
    let size = plane(scale);
    let (w, h) = (scale.pick(720, 2880), scale.pick(560, 2160));
    let data = picture(size, 3);
    let (from, to) = (s.image_with(size, Texels::Rgba8, &data)?, s.image([w, h, 1], Texels::Rgba8)?);
    let kernel = s.kernel(SOURCE, "resize", "")?;
    kernel.set(&[Arg::Image(&from), Arg::Image(&to)])?;
    kernel.launch(&[w, h], Some(&LOCAL))?;
    // Samplers have shares of 8 bits: each dimension may be off by half a 256th of the channel's range.
    compare("resize", &to, 2.0, |x, y, n| reference::resized(&data, [size[0], size[1]], [w, h], x, y, n))?;
    launches(s, kernel, [w, h], (from, to))
}

fn rays(s: &Session, scale: Scale) -> Result<Prepared<'_>> {
    let size = [scale.pick(64, 256); 3];
    let (w, h, steps) = (scale.pick(128, 1024), scale.pick(128, 1024), scale.pick(32, 128));
    let data = fractions(size.iter().product(), 4);
    let bytes: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
    let volume = s.image_with(size, Texels::Float, &bytes)?;
    let means = s.buffer(w * h * 4, Place::Device)?;
    let kernel = s.kernel(SOURCE, "rays", "")?;
    let count = (steps as i32).to_le_bytes();
    kernel.set(&[Arg::Image(&volume), Arg::Buffer(&means), Arg::Value(&count)])?;
    kernel.launch(&[w, h], Some(&LOCAL))?;
    let mut row = vec![0; w * 4];
    for y in [0, h / 3, h - 1] {
        means.read(y * w * 4, &mut row)?;
        for (x, found) in row.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).enumerate() {
            let start = [(x as f64 + 0.5) / w as f64, (y as f64 + 0.5) / h as f64];
            let exact = reference::ray(&data, size, start, steps);
            if (f64::from(found) - exact).abs() > 3.0 / 512.0 {
                return Err(format!("rays: {found} where {exact} is right (ray {x}, {y})"));
            }
        }
    }
    launches(s, kernel, [w, h], (volume, means))
}

fn writes(s: &Session, scale: Scale) -> Result<Prepared<'_>> {
    let size = plane(scale);
    let to = s.image(size, Texels::Rgba8)?;
    let kernel = s.kernel(SOURCE, "write", "")?;
    kernel.set(&[Arg::Image(&to)])?;
    kernel.launch(&size[..2], Some(&LOCAL))?;
    compare("writes", &to, 0.0, |x, y, n| f64::from([x, y, x ^ y, 255][n] as u8))?;
    launches(s, kernel, [size[0], size[1]], to)
}

/// How texels move.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Write,
    Read,
    Map,
    Copy,
    FromBuffer,
    Fill,
}

fn transfer(s: &Session, scale: Scale, way: Way) -> Result<Prepared<'_>> {
    let size = plane(scale);
    let (image, other) = (s.image(size, Texels::Rgba8)?, s.image(size, Texels::Rgba8)?);
    let mut data = picture(size, 5);
    let (mut found, mut turn) = (vec![0; data.len()], 0u8);
    let mut once = move |check: bool| -> Result<f64> {
        turn = turn.wrapping_add(1);
        data[..4].copy_from_slice(&[turn; 4]);
        let mut buffer = None;
        match way {
            Way::Read | Way::Map => image.write(&data)?,
            Way::Copy => other.write(&data)?,
            Way::FromBuffer => buffer = Some(s.buffer_with(&data)?),
            Way::Fill => data.fill(turn),
            Way::Write => {}
        }
        let mut right = true;
        let start = Instant::now();
        match way {
            Way::Write => image.write(&data)?,
            Way::Read => image.read(&mut found)?,
            Way::Map => {
                image.with_rows(|y, row| right &= *row == data[y * row.len()..(y + 1) * row.len()])?
            }
            Way::Copy => other.copy_to(&image)?,
            Way::FromBuffer => buffer.as_ref().map_or(Ok(()), |b| image.copy_from(b))?,
            Way::Fill => image.fill([f32::from(turn) / 255.0; 4])?,
        }
        s.finish()?;
        let time = start.elapsed().as_nanos() as f64;
        if check && !matches!(way, Way::Read | Way::Map) {
            image.read(&mut found)?;
        }
        if way != Way::Map && (check || way == Way::Read) {
            right = found == data;
        }
        if right { Ok(time) } else { Err("the texels differ".into()) }
    };
    once(true)?;
    ready(move || once(true))
}

/// A kernel that copies from or to an image of a buffer; `changed`: one changes a word of the buffer before each launch.
fn of_buffer(s: &Session, scale: Scale, written: bool, changed: bool) -> Result<Prepared<'_>> {
    let size = plane(scale);
    let data = picture(size, 6);
    let buffer = s.buffer_with(&data)?;
    let of = s.image_of_buffer(size, &buffer)?;
    let other = s.image_with(size, Texels::Rgba8, &picture(size, 7))?;
    let kernel = s.kernel(SOURCE, "copy", "")?;
    let (from, to) = if written { (&other, &of) } else { (&of, &other) };
    kernel.set(&[Arg::Image(from), Arg::Image(to)])?;
    let change = s.kernel(SOURCE, "change", "")?;
    change.set(&[Arg::Buffer(&buffer)])?;
    kernel.launch(&size[..2], Some(&LOCAL))?;
    if changed {
        change.launch(&[64], Some(&[64]))?;
        kernel.launch(&size[..2], Some(&LOCAL))?;
    }
    let (mut found, mut bytes) = (vec![0; data.len()], vec![0; data.len()]);
    other.read(&mut found)?;
    buffer.read(0, &mut bytes)?;
    if found != bytes || (bytes == data) == (written || changed) {
        return Err("the buffer and the image differ".into());
    }
    let many = move |count: usize| -> Result<f64> {
        let _kept = (&of, &other, &buffer);
        let start = Instant::now();
        for _ in 0..count {
            if changed {
                change.launch(&[64], Some(&[64]))?;
            }
            kernel.launch(&size[..2], Some(&LOCAL))?;
        }
        s.finish()?;
        Ok(start.elapsed().as_nanos() as f64 / count as f64)
    };
    let count = often(MAX, || many(1).map(drop))?;
    ready(move || many(count))
}

/// A kernel that reads a 1D image of a buffer.
fn row(s: &Session, scale: Scale) -> Result<Prepared<'_>> {
    // NVIDIA's OpenCL has no more texels than 2^27; Vulkan promises 2^16.
    let texels = scale.pick(1 << 16, 1 << 24);
    let data = picture([texels, 1, 1], 8);
    let (buffer, out) = (s.buffer_with(&data)?, s.buffer(texels * 4, Place::Device)?);
    let of = s.image_of_buffer([texels, 1, 1], &buffer)?;
    let kernel = s.kernel(SOURCE, "row", "")?;
    kernel.set(&[Arg::Image(&of), Arg::Buffer(&out)])?;
    kernel.launch(&[texels], Some(&[256]))?;
    let mut found = vec![0; data.len()];
    out.read(0, &mut found)?;
    if found != data {
        return Err("the row differs".into());
    }
    let many = move |count: usize| -> Result<f64> {
        let _kept = (&of, &buffer, &out);
        let start = Instant::now();
        for _ in 0..count {
            kernel.launch(&[texels], Some(&[256]))?;
        }
        s.finish()?;
        Ok(start.elapsed().as_nanos() as f64 / count as f64)
    };
    let count = often(MAX, || many(1).map(drop))?;
    ready(move || many(count))
}

fn temporary(s: &Session, scale: Scale) -> Result<Prepared<'_>> {
    one_temporary(s, plane(scale))
}

/// An image that is made, of which a kernel writes a row, and which is released.
fn one_temporary(s: &Session, size: [usize; 3]) -> Result<Prepared<'_>> {
    let kernel = s.kernel(SOURCE, "touch", "")?;
    let (kept, mut turn) = (s.image(size, Texels::Rgba8)?, 0u8);
    let mut call = move |check: bool| -> Result<()> {
        turn = turn.wrapping_add(1);
        let colour: Vec<u8> = [f32::from(turn) / 255.0; 4].iter().flat_map(|c| c.to_le_bytes()).collect();
        let at: Vec<u8> = [0i32, size[1] as i32 / 2].iter().flat_map(|c| c.to_le_bytes()).collect();
        let image = s.image(size, Texels::Rgba8)?;
        kernel.set(&[Arg::Image(&image), Arg::Value(&at), Arg::Value(&colour)])?;
        kernel.launch(&[size[0]], Some(&[64]))?;
        if check {
            image.copy_to(&kept)?;
        }
        drop(image);
        s.finish()?;
        if check {
            let row = size[1] / 2;
            compare_row(&kept, row, turn)?;
        }
        Ok(())
    };
    let count = often(MAX, || call(false))?;
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

/// Checks that all bytes of a row are the same one.
fn compare_row(image: &Image<'_>, row: usize, byte: u8) -> Result<()> {
    let mut found = vec![0; image.bytes()];
    image.read(&mut found)?;
    let bytes = image.size[0] * 4;
    match found[row * bytes..(row + 1) * bytes].iter().all(|b| *b == byte) {
        true => Ok(()),
        false => Err("the row that was written differs".into()),
    }
}
