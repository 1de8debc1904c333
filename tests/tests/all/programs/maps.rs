//! One work-item for each element.

use crate::program::{Program, buffer, f32s, from_f32s, from_u8s, from_u32s, random, spec, u8s, u32s, zeros};
use pumice_cli::compare::Tolerance;

#[test]
fn vector_add() {
    let (a, b) = (random("float", 1000, 1, None), random("float", 1000, 2, None));
    let sum: Vec<f32> = f32s(&a).iter().zip(f32s(&b)).map(|(x, y)| x + y).collect();
    Program {
        file: "vector_add.cl",
        kernel: "vector_add",
        global: &[1000],
        local: None,
        args: vec![("a", buffer(&a)), ("b", buffer(&b)), ("c", buffer(&zeros("float", 1000)))],
        expect: vec![("c", from_f32s("float", &sum), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn saxpy() {
    let (x, y) = (random("float", 512, 3, None), random("float", 512, 4, None));
    let result = f32s(&x).into_iter().zip(f32s(&y)).enumerate();
    let result: Vec<f32> = result.map(|(i, (x, y))| if i < 500 { 2.5 * x + y } else { y }).collect();
    Program {
        file: "saxpy.cl",
        kernel: "saxpy",
        global: &[512],
        local: Some(&[64]),
        args: vec![("y", buffer(&y)), ("x", buffer(&x)), ("a", spec("float:2.5")), ("n", spec("uint:500"))],
        // A fused multiply-add is allowed.
        expect: vec![("y", from_f32s("float", &result), Tolerance::Ulp(1.0))],
        options: &[],
    }
    .check();
}

#[test]
fn saxpy_with_a_global_offset() {
    let (x, y) = (random("float", 512, 3, None), random("float", 512, 4, None));
    let result = f32s(&x).into_iter().zip(f32s(&y)).enumerate();
    let result: Vec<f32> =
        result.map(|(i, (x, y))| if (100..228).contains(&i) { 2.0 * x + y } else { y }).collect();
    Program {
        file: "saxpy.cl",
        kernel: "saxpy",
        global: &[128],
        local: Some(&[32]),
        args: vec![("y", buffer(&y)), ("x", buffer(&x)), ("a", spec("float:2")), ("n", spec("uint:512"))],
        expect: vec![("y", from_f32s("float", &result), Tolerance::Ulp(1.0))],
        options: &["--offset", "100"],
    }
    .check();
}

#[test]
fn mandelbrot() {
    let (x0, y0, step, limit) = (-2.0f32, -1.25f32, 0.0390625f32, 200u32);
    let mut counts = Vec::new();
    for py in 0..64 {
        for px in 0..64 {
            let (cx, cy) = (x0 + step * px as f32, y0 + step * py as f32);
            let (mut x, mut y, mut n) = (0f32, 0f32, 0);
            while x * x + y * y <= 4.0 && n < limit {
                (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                n += 1;
            }
            counts.push(n);
        }
    }
    Program {
        file: "mandelbrot.cl",
        kernel: "mandelbrot",
        global: &[64, 64],
        local: None,
        args: vec![
            ("out", buffer(&zeros("uint", 4096))),
            ("x0", spec(format!("float:{x0}"))),
            ("y0", spec(format!("float:{y0}"))),
            ("step", spec(format!("float:{step}"))),
            ("limit", spec(format!("uint:{limit}"))),
        ],
        expect: vec![("out", from_u32s("uint", &counts), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn game_of_life() {
    let (w, h) = (48usize, 32usize);
    let now = random("uchar", w * h, 5, Some((0, 1)));
    let cells = u8s(&now);
    let next: Vec<u8> = (0..w * h)
        .map(|i| {
            let (x, y) = (i % w, i / w);
            let around =
                (0..9).filter(|k| *k != 4).map(|k| ((x + k % 3 + w - 1) % w, (y + k / 3 + h - 1) % h));
            let alive: u8 = around.map(|(x, y)| cells[y * w + x]).sum();
            u8::from(alive == 3 || (cells[i] == 1 && alive == 2))
        })
        .collect();
    Program {
        file: "life.cl",
        kernel: "life",
        global: &[48, 32],
        local: Some(&[16, 4]),
        args: vec![("now", buffer(&now)), ("next", buffer(&zeros("uchar", w * h)))],
        expect: vec![("next", from_u8s("uchar", &next), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn convolution() {
    let (w, h) = (40usize, 24usize);
    let (image, filter) = (random("float", w * h, 6, None), random("float", 25, 7, Some((-1, 1))));
    let (pixels, weights) = (f32s(&image), f32s(&filter));
    let bias = [0.5f32, -0.25, 0.125, 0.0];
    let result: Vec<f32> = (0..w * h)
        .map(|i| {
            let (x, y) = ((i % w) as i32, (i / w) as i32);
            let mut sum = bias[(x + y) as usize & 3];
            for (k, weight) in weights.iter().enumerate() {
                let sx = (x + k as i32 % 5 - 2).clamp(0, w as i32 - 1);
                let sy = (y + k as i32 / 5 - 2).clamp(0, h as i32 - 1);
                sum += pixels[sy as usize * w + sx as usize] * weight;
            }
            sum
        })
        .collect();
    Program {
        file: "convolution.cl",
        kernel: "convolution",
        global: &[40, 24],
        local: None,
        args: vec![
            ("in", buffer(&image)),
            ("out", buffer(&zeros("float", w * h))),
            ("filter", buffer(&filter)),
            ("width", spec("int:40")),
            ("height", spec("int:24")),
        ],
        expect: vec![("out", from_f32s("float", &result), Tolerance::Abs(1e-5))],
        options: &[],
    }
    .check();
}

#[test]
fn sparse_matrix_vector() {
    let rows = 200usize;
    let lengths = u32s(&random("uint", rows, 8, Some((0, 12))));
    let mut starts = vec![0u32];
    starts.extend(lengths.iter().scan(0, |sum, n| {
        *sum += n;
        Some(*sum)
    }));
    let entries = starts[rows] as usize;
    let columns = random("uint", entries, 9, Some((0, rows as i32 - 1)));
    let values = random("float", entries, 10, Some((-1, 1)));
    let x = random("float", rows, 11, None);
    let (c, v, xs) = (u32s(&columns), f32s(&values), f32s(&x));
    let y: Vec<f32> = (0..rows)
        .map(|r| (starts[r]..starts[r + 1]).map(|k| v[k as usize] * xs[c[k as usize] as usize]).sum())
        .collect();
    Program {
        file: "spmv.cl",
        kernel: "spmv",
        global: &[64],
        local: None,
        args: vec![
            ("row_start", buffer(&from_u32s("uint", &starts))),
            ("column", buffer(&columns)),
            ("value", buffer(&values)),
            ("x", buffer(&x)),
            ("y", buffer(&zeros("float", rows))),
            ("rows", spec(format!("uint:{rows}"))),
        ],
        expect: vec![("y", from_f32s("float", &y), Tolerance::Abs(1e-5))],
        options: &[],
    }
    .check();
}
