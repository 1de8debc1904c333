//! Kernels whose speed is that of reading `__constant` memory.

use super::{
    Arg, Place, Ready, Result, Scale, Session, Work, bytes_of, close, floats, fractions, int, noise, words,
};

const SOURCE: &str = include_str!("../../../kernels/constants.cl");
const COUNT: usize = 256;

/// The memory of the constants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Argument,
    Program,
}

impl Home {
    fn options(self) -> &'static str {
        match self {
            Home::Argument => "-D PROGRAM=0",
            Home::Program => "-D PROGRAM=1",
        }
    }
}

fn tap(i: usize) -> f32 {
    i as f32 / 1024.0
}

fn entry(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_761) ^ 0x9e37_79b9
}

pub(super) fn taps_of_an_argument(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    polynomial(s, scale, Home::Argument)
}

pub(super) fn taps_of_the_program(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    polynomial(s, scale, Home::Program)
}

fn polynomial(s: &Session, scale: Scale, home: Home) -> Result<Ready<'_>> {
    let (n, rounds) = (scale.pick(1 << 12, 1 << 20), scale.pick(32, 256));
    let data = fractions(n, 18);
    let taps: Vec<f32> = (0..COUNT).map(tap).collect();
    let kernel = s.kernel(SOURCE, "polynomial", home.options())?;
    let buffers = vec![
        s.buffer_with(&bytes_of(&data))?,
        s.buffer(n * 4, Place::Device)?,
        s.buffer_with(&bytes_of(&taps))?,
    ];
    let count = int(rounds);
    let args =
        [Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Value(&count), Arg::Buffer(&buffers[2])];
    kernel.set(if home == Home::Program { &args[..3] } else { &args })?;
    let check = move |b: &[super::Buffer<'_>]| {
        let found = floats(&b[1], 0, n)?;
        for i in (0..n).step_by(n / 64 - 1) {
            let x = f64::from(data[i]);
            let exact = (0..rounds * 16).fold(0.0, |sum, k| sum * x + f64::from(taps[k % COUNT]));
            close("polynomial", found[i], exact, 1e-3)?;
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![64]),
        work: Work::Flops((2 * n * rounds * 16) as f64),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}

pub(super) fn table_of_an_argument(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    walk(s, scale, Home::Argument)
}

pub(super) fn table_of_the_program(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    walk(s, scale, Home::Program)
}

fn walk(s: &Session, scale: Scale, home: Home) -> Result<Ready<'_>> {
    let (n, rounds) = (scale.pick(1 << 12, 1 << 20), scale.pick(64, 1024));
    let data: Vec<u32> = noise(n, 19).collect();
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let table: Vec<u32> = (0..COUNT).map(entry).collect();
    let kernel = s.kernel(SOURCE, "walk", home.options())?;
    let buffers =
        vec![s.buffer_with(&bytes(&data))?, s.buffer(n * 4, Place::Device)?, s.buffer_with(&bytes(&table))?];
    let count = int(rounds);
    let args =
        [Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Value(&count), Arg::Buffer(&buffers[2])];
    kernel.set(if home == Home::Program { &args[..3] } else { &args })?;
    let check = move |b: &[super::Buffer<'_>]| {
        let found = words(&b[1], 0, n)?;
        for i in (0..n).step_by(n / 64 - 1) {
            let right = (0..rounds).fold(data[i], |at, _| table[(at & 0xff) as usize] ^ at >> 8);
            if found[i] != right {
                return Err(format!("walk: item {i} has {:#x} where {right:#x} is right", found[i]));
            }
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![64]),
        work: Work::Items((n * rounds) as f64, "steps"),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}
