//! Small kernels as beginners and tuners write them, with bounds that are arguments: loops of floats, of integers and over memory,
//! and functions of an element. One table has their sizes and references.

use super::{
    Arg, Buffer, Place, Ready, Result, Scale, Session, Work, bytes_of, close, floats, fractions, int, noise,
    words,
};

/// A kernel of `plain.cl`.
pub(super) struct Plain {
    /// The row's name.
    pub(super) name: &'static str,
    kernel: &'static str,
    size: Size,
    reference: Reference,
}

/// Work-items and the bound, small and large; of these, how many elements the input has and how many steps a launch takes.
struct Size {
    items: [usize; 2],
    bound: [usize; 2],
    input: fn(usize, usize) -> usize,
    steps: fn(usize, usize) -> usize,
}

/// The right result of work-item `i` of `m`, for an input and a bound.
enum Reference {
    /// The input is floats from 0 to 1. The tolerance is relative, absolute below 1.
    Floats(fn(usize, usize, &[f32], usize) -> f64, f64),
    /// A count, of floats, and how far it may be off: orbits at the Mandelbrot set's edge escape otherwise where sums are fused.
    Counts(fn(usize, usize, &[f32], usize) -> u32, u32),
    /// The input is words.
    Words(fn(usize, usize, &[u32], usize) -> u32),
}

/// One element for each work-item, and some behind.
const LOOP: Size =
    Size { items: [1 << 10, 1 << 20], bound: [100, 1000], input: |m, n| m + n, steps: |m, n| m * n };
/// The same for slow steps.
const SLOW: Size =
    Size { items: [1 << 10, 1 << 18], bound: [60, 300], input: |m, n| m + n, steps: |m, n| m * n };
/// A matrix of a row or column for each work-item.
const MATRIX: Size =
    Size { items: [1 << 8, 1 << 12], bound: [256, 4096], input: |m, n| m * n, steps: |m, n| m * n };

const fn of_floats(
    name: &'static str,
    kernel: &'static str,
    size: Size,
    tolerance: f64,
    reference: fn(usize, usize, &[f32], usize) -> f64,
) -> Plain {
    Plain { name, kernel, size, reference: Reference::Floats(reference, tolerance) }
}

const fn of_words(
    name: &'static str,
    kernel: &'static str,
    size: Size,
    reference: fn(usize, usize, &[u32], usize) -> u32,
) -> Plain {
    Plain { name, kernel, size, reference: Reference::Words(reference) }
}

/// Work-item `i`'s element as a double.
fn at(x: &[f32], i: usize) -> f64 {
    f64::from(x[i])
}

/// Applies a step so many times.
fn steps<T>(start: T, n: usize, step: impl Fn(T) -> T) -> T {
    (0..n).fold(start, |v, _| step(v))
}

/// The sum of a function of an element and what the loop adds to it.
fn each(x: &[f32], i: usize, n: usize, function: impl Fn(f64) -> f64) -> f64 {
    (0..n).map(|k| function(f64::from(x[i] + k as f32 * 0.01))).sum()
}

/// All of them.
pub(super) const KERNELS: [Plain; 45] = [
    of_floats("plain, fma chain", "fma_chain", LOOP, 1e-4, |i, _, x, n| {
        steps(at(x, i), n, |v| v * f64::from(0.999f32) + f64::from(0.001f32))
    }),
    of_floats("plain, multiply and add", "mad_chain", LOOP, 1e-4, |i, _, x, n| {
        steps(0.0, n, |v| v * at(x, i) + at(x, i) * 0.5)
    }),
    of_floats("plain, fma chain of float4", "fma_chain_of_four", LOOP, 1e-4, |i, _, x, n| {
        let lane = |l: f64| steps(at(x, i) + 0.1 * l, n, |v| v * f64::from(0.999f32) + f64::from(0.001f32));
        (0..4).map(|l| lane(f64::from(l))).sum()
    }),
    of_floats("plain, power series", "polynomial", LOOP, 1e-3, |i, _, x, n| {
        (0..n).scan(1.0, |p, k| Some(std::mem::replace(p, *p * at(x, i)) / (k as f64 + 1.0))).sum()
    }),
    of_floats("plain, polynomial", "horner", LOOP, 1e-3, |i, _, x, n| {
        (1..=n).rev().fold(0.0, |sum, k| sum * at(x, i) + at(x, k))
    }),
    of_floats("plain, sum of quotients", "quotients", LOOP, 1e-4, |i, _, x, n| {
        (1..=n).map(|k| at(x, i) / k as f64).sum()
    }),
    of_floats("plain, square roots", "roots", LOOP, 1e-5, |i, _, x, n| {
        steps(at(x, i), n, |v| (v + 1.0).sqrt())
    }),
    of_floats("plain, Newton's steps", "newton", LOOP, 1e-5, |i, _, x, n| {
        steps(at(x, i) + 1.0, n, |v| 0.5 * (v + (at(x, i) + 1.0) / v))
    }),
    of_floats("plain, logistic map", "logistic_map", LOOP, 1e-3, |i, _, x, n| {
        steps(at(x, i), n, |v| 2.5 * v * (1.0 - v))
    }),
    Plain {
        name: "plain, Mandelbrot",
        kernel: "mandelbrot",
        size: LOOP,
        reference: Reference::Counts(
            |i, _, _, n| {
                let (cr, ci) = ((i % 512) as f32 / 256.0 - 1.5, (i / 512 % 512) as f32 / 256.0 - 1.0);
                let (mut zr, mut zi, mut k) = (0f32, 0f32, 0);
                while k < n && zr.mul_add(zr, zi * zi) < 4.0 {
                    let t = zr * zr - zi * zi + cr;
                    zi = 2.0 * zr * zi + ci;
                    zr = t;
                    k += 1;
                }
                k as u32
            },
            125,
        ),
    },
    of_floats("plain, Euler's steps", "euler_steps", LOOP, 1e-3, |i, _, x, n| {
        steps((at(x, i), 0.0), n, |(p, v)| {
            let v = v - p * 0.001;
            (p + v * 0.001, v)
        })
        .0
    }),
    of_floats(
        "plain, nested sums",
        "nested_sums",
        Size { items: [1 << 9, 1 << 18], bound: [16, 64], input: |m, n| m + n, steps: |m, n| m * n * n },
        1e-3,
        |i, _, x, n| (0..n).map(|j| (0..n).map(|k| at(x, j) * at(x, k + i % 7)).sum::<f64>()).sum(),
    ),
    of_floats("plain, sum of doubles", "harmonic_double", SLOW, 1e-6, |i, _, x, n| {
        (1..=n).map(|k| 1.0 / (k as f64 + at(x, i))).sum()
    }),
    of_words("plain, linear congruential", "congruential", LOOP, |i, _, x, n| {
        steps(x[i], n, |v| v.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    }),
    of_words("plain, linear congruential, 64 bits", "congruential_64", LOOP, |i, _, x, n| {
        let step = |v: u64| v.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (steps(u64::from(x[i]), n, step) >> 32) as u32
    }),
    of_words("plain, xorshift", "xorshift", LOOP, |i, _, x, n| {
        steps(x[i] | 1, n, |v| {
            let v = v ^ (v << 13);
            let v = v ^ (v >> 17);
            v ^ (v << 5)
        })
    }),
    of_words("plain, hash", "hash", LOOP, |i, _, x, n| {
        steps(x[i], n, |v| {
            let v = ((v ^ 61) ^ (v >> 16)).wrapping_mul(9);
            let v = (v ^ (v >> 4)).wrapping_mul(0x27d4_eb2d);
            v ^ (v >> 15)
        })
    }),
    of_words("plain, FNV", "fnv", LOOP, |i, _, x, n| {
        (0..n).fold(2_166_136_261, |v: u32, k| (v ^ ((x[i] >> (k % 4 * 8)) & 255)).wrapping_mul(16_777_619))
    }),
    of_words("plain, bits", "bits", LOOP, |i, _, x, n| {
        (0..n).map(|k| x[i].wrapping_add(k as u32).count_ones()).sum()
    }),
    of_words("plain, leading zeros", "leading_zeros", LOOP, |i, _, x, n| {
        (0..n).map(|k| (x[i] >> (k & 31)).leading_zeros()).sum()
    }),
    of_words("plain, remainders", "remainders", LOOP, |i, _, x, n| {
        (1..=n as u32).fold(0, |sum: u32, k| sum.wrapping_add(x[i] % k))
    }),
    of_words("plain, remainders, 64 bits", "remainders_64", SLOW, |i, _, x, n| {
        let v = u64::from(x[i]) << 30;
        (1..=n as u64).fold(0, |sum: u64, k| sum.wrapping_add(v % (k + 1_000_003))) as u32
    }),
    of_words("plain, Collatz", "collatz", LOOP, |i, _, x, n| {
        let (mut v, mut count) = (x[i] % 100_000 + 1, 0);
        while v != 1 && count < n as u32 {
            v = if v & 1 == 1 { v.wrapping_mul(3).wrapping_add(1) } else { v / 2 };
            count += 1;
        }
        count
    }),
    of_words("plain, common divisors", "common_divisor", SLOW, |i, _, x, n| {
        let divisor = |k: u32| {
            let (mut a, mut b) = (x[i] & 0xffff, k);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        (1..=n as u32).fold(0, |sum: u32, k| sum.wrapping_add(divisor(k)))
    }),
    of_words("plain, divisors", "primes", LOOP, |i, _, x, n| {
        (2..n as u32).filter(|k| x[i] % 65_536 % k == 0).count() as u32
    }),
    of_words("plain, Fibonacci", "fibonacci", LOOP, |i, _, x, n| {
        steps((x[i], x[i].wrapping_add(1)), n, |(a, b)| (b, a.wrapping_add(b))).0
    }),
    of_floats("plain, GEMV by rows", "gemv_rows", MATRIX, 1e-3, |i, _, x, n| {
        (0..n).map(|k| at(x, i * n + k) * at(x, k)).sum()
    }),
    of_floats("plain, GEMV by columns", "gemv_columns", MATRIX, 1e-3, |i, m, x, n| {
        (0..n).map(|k| at(x, k * m + i) * at(x, k)).sum()
    }),
    of_floats(
        "plain, dot product",
        "dot_strided",
        Size { items: [1 << 8, 1 << 16], bound: [1 << 14, 1 << 24], input: |_, n| n, steps: |_, n| n },
        1e-3,
        |i, m, x, n| (i..n).step_by(m).map(|k| at(x, k) * at(x, n - 1 - k)).sum(),
    ),
    of_floats("plain, largest", "largest", MATRIX, 0.0, |i, m, x, n| {
        (0..n).map(|k| at(x, k * m + i)).fold(f64::NEG_INFINITY, f64::max)
    }),
    of_floats("plain, moving average", "moving_average", LOOP, 1e-4, |i, _, x, n| {
        x[i..i + n].iter().map(|v| f64::from(*v)).sum::<f64>() / n as f64
    }),
    Plain {
        name: "plain, count of the smaller",
        kernel: "count_smaller",
        size: LOOP,
        reference: Reference::Counts(|i, _, x, n| x[..n].iter().filter(|v| **v < x[i]).count() as u32, 0),
    },
    of_words("plain, bytes", "bytes", LOOP, |i, _, x, n| {
        (i..i + n).fold(0, |sum: u32, k| sum.wrapping_mul(31).wrapping_add(x[k / 4] >> (k % 4 * 8) & 255))
    }),
    Plain {
        name: "plain, binary search",
        kernel: "binary_search",
        size: Size {
            items: [1 << 10, 1 << 20],
            bound: [1 << 10, 1 << 20],
            input: usize::max,
            steps: |m, n| m * n.ilog2() as usize,
        },
        reference: Reference::Counts(
            |i, _, x, n| {
                let (mut low, mut high) = (0, n);
                while low < high {
                    let middle = (low + high) / 2;
                    if x[middle] < x[i] { low = middle + 1 } else { high = middle }
                }
                low as u32
            },
            0,
        ),
    },
    of_floats("plain, pow", "of_pow", SLOW, 1e-4, |i, _, x, n| each(x, i, n, |v| v.powf(1.7))),
    of_floats("plain, atan2", "of_atan2", SLOW, 1e-4, |i, _, x, n| each(x, i, n, |v| v.atan2(0.7))),
    of_floats("plain, erf", "of_erf", SLOW, 1e-4, |i, _, x, n| each(x, i, n, error_function)),
    of_floats("plain, exp", "of_exp", SLOW, 1e-4, |i, _, x, n| each(x, i, n, f64::exp)),
    of_floats("plain, log", "of_log", SLOW, 1e-4, |i, _, x, n| each(x, i, n, |v| (v + 0.5).ln())),
    of_floats("plain, sin", "of_sin", SLOW, 1e-4, |i, _, x, n| each(x, i, n, f64::sin)),
    of_floats("plain, tanh", "of_tanh", SLOW, 1e-4, |i, _, x, n| each(x, i, n, f64::tanh)),
    of_floats("plain, cbrt", "of_cbrt", SLOW, 1e-4, |i, _, x, n| each(x, i, n, f64::cbrt)),
    of_floats("plain, tgamma", "of_tgamma", SLOW, 1e-3, |i, _, x, n| each(x, i, n, |v| gamma(v + 0.5))),
    of_floats("plain, rsqrt", "of_rsqrt", SLOW, 1e-4, |i, _, x, n| each(x, i, n, |v| 1.0 / (v + 0.1).sqrt())),
    of_floats("plain, sincos", "of_sincos", SLOW, 1e-4, |i, _, x, n| each(x, i, n, |v| v.sin() * v.cos())),
];

/// The error function by its series (Abramowitz and Stegun 7.1.6), for arguments up to 5.
fn error_function(x: f64) -> f64 {
    let series =
        (0..200).scan(x, |term, k| Some(std::mem::replace(term, *term * 2.0 * x * x / f64::from(2 * k + 3))));
    2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp() * series.sum::<f64>()
}

/// The gamma function of a positive number by Stirling's series (Abramowitz and Stegun 6.1.40), from 20 on downwards.
fn gamma(x: f64) -> f64 {
    let shifts = (20.0 - x).max(0.0).ceil();
    let z = x + shifts;
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    let log = (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series;
    (0..shifts as u32).fold(log.exp(), |g, k| g / (x + f64::from(k)))
}

/// The number of work-items that are checked.
const CHECKED: usize = 64;

/// Makes one ready.
pub(super) fn prepare<'s>(s: &'s Session, scale: Scale, plain: &'static Plain) -> Result<Ready<'s>> {
    let pick = |values: [usize; 2]| scale.pick(values[0], values[1]);
    let (items, bound) = (pick(plain.size.items), pick(plain.size.bound));
    let length = (plain.size.input)(items, bound);
    let kernel = s.kernel(include_str!("../../../kernels/plain.cl"), plain.kernel, "")?;
    let (mut of_floats, mut of_words) = (Vec::new(), Vec::new());
    let bytes = match plain.reference {
        Reference::Words(_) => {
            of_words = noise(length, 21).map(|v| v.wrapping_mul(2_654_435_769)).collect();
            of_words.iter().flat_map(|v| v.to_le_bytes()).collect()
        }
        Reference::Floats(..) | Reference::Counts(..) => {
            of_floats = fractions(length, 21);
            bytes_of(&of_floats)
        }
    };
    let buffers = vec![s.buffer_with(&bytes)?, s.buffer(items * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Value(&int(bound))])?;
    let check = move |b: &[Buffer<'_>]| {
        for i in (0..items).step_by(items / CHECKED - 1) {
            let word = || Ok::<u32, String>(words(&b[1], i, 1)?[0]);
            let (found, right, slack) = match plain.reference {
                Reference::Floats(reference, tolerance) => {
                    let right = reference(i, items, &of_floats, bound);
                    close(plain.name, floats(&b[1], i, 1)?[0], right, tolerance)?;
                    continue;
                }
                Reference::Counts(reference, slack) => {
                    (word()?, reference(i, items, &of_floats, bound), slack)
                }
                Reference::Words(reference) => (word()?, reference(i, items, &of_words, bound), 0),
            };
            if found.abs_diff(right) > slack {
                return Err(format!("{}: {found} where {right} is right, work-item {i}", plain.name));
            }
        }
        Ok(())
    };
    let work = Work::Items((plain.size.steps)(items, bound) as f64, "steps");
    Ok(Ready { local: None, ..Ready::new(kernel, buffers, &[items], &[1], work, Box::new(check)) })
}
