//! Work-groups that share local memory.

use crate::program::{
    Program, buffer, f32s, from_f32s, from_i32s, from_u32s, i32s, random, spec, u8s, u32s, zeros,
};
use pumice_cli::compare::Tolerance;

#[test]
fn tree_reduction() {
    let input = random("int", 1024, 1, Some((-1000, 1000)));
    let sums: Vec<i32> = i32s(&input).chunks(128).map(|c| c.iter().sum()).collect();
    Program {
        file: "reduce.cl",
        kernel: "reduce",
        global: &[1024],
        local: Some(&[128]),
        args: vec![
            ("in", buffer(&input)),
            ("sums", buffer(&zeros("int", 8))),
            ("scratch", spec("local:512")),
        ],
        expect: vec![("sums", from_i32s("int", &sums), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn tiled_transpose() {
    let (w, h) = (40usize, 24usize);
    let input = random("float", w * h, 2, None);
    let source = f32s(&input);
    let turned: Vec<f32> = (0..w * h).map(|i| source[i % h * w + i / h]).collect();
    Program {
        file: "transpose.cl",
        kernel: "transpose",
        global: &[48, 32],
        local: Some(&[16, 16]),
        args: vec![
            ("in", buffer(&input)),
            ("out", buffer(&zeros("float", w * h))),
            ("width", spec("int:40")),
            ("height", spec("int:24")),
        ],
        expect: vec![("out", from_f32s("float", &turned), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn tiled_matrix_multiply() {
    let n = 32usize;
    let (a, b) = (random("float", n * n, 3, None), random("float", n * n, 4, None));
    let (x, y) = (f32s(&a), f32s(&b));
    let product: Vec<f32> =
        (0..n * n).map(|i| (0..n).map(|k| x[i / n * n + k] * y[k * n + i % n]).sum()).collect();
    Program {
        file: "matmul.cl",
        kernel: "matmul",
        global: &[32, 32],
        local: Some(&[8, 8]),
        args: vec![
            ("n", spec("int:32")),
            ("A", buffer(&a)),
            ("B", buffer(&b)),
            ("C", buffer(&zeros("float", n * n))),
        ],
        expect: vec![("C", from_f32s("float", &product), Tolerance::Ulp(16.0))],
        options: &[],
    }
    .check();
}

#[test]
fn histogram() {
    let data = random("uchar", 5000, 5, None);
    let mut bins = vec![0u32; 64];
    u8s(&data).iter().for_each(|b| bins[usize::from(*b) & 63] += 1);
    Program {
        file: "histogram.cl",
        kernel: "histogram",
        global: &[512],
        local: Some(&[64]),
        args: vec![("data", buffer(&data)), ("n", spec("uint:5000")), ("bins", buffer(&zeros("uint", 64)))],
        expect: vec![("bins", from_u32s("uint", &bins), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn prefix_scan() {
    let input = random("uint", 512, 6, Some((0, 1000)));
    let sums = u32s(&input)
        .chunks(128)
        .flat_map(|group| {
            group
                .iter()
                .scan(0, |sum, n| {
                    *sum += n;
                    Some(*sum)
                })
                .collect::<Vec<u32>>()
        })
        .collect::<Vec<u32>>();
    Program {
        file: "scan.cl",
        kernel: "scan",
        global: &[512],
        local: Some(&[128]),
        args: vec![("in", buffer(&input)), ("out", buffer(&zeros("uint", 512)))],
        expect: vec![("out", from_u32s("uint", &sums), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

#[test]
fn bitonic_sort() {
    let data = random("uint", 1024, 7, None);
    let sorted: Vec<u32> = u32s(&data)
        .chunks(256)
        .flat_map(|group| {
            let mut group = group.to_vec();
            group.sort_unstable();
            group
        })
        .collect();
    Program {
        file: "bitonic.cl",
        kernel: "bitonic",
        global: &[1024],
        local: Some(&[256]),
        args: vec![("data", buffer(&data)), ("keys", spec("local:1024"))],
        expect: vec![("data", from_u32s("uint", &sorted), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

/// Rules L-1 and L-2.
#[test]
fn local_variables_and_arguments_together() {
    let input = random("int", 256, 8, Some((-1000, 1000)));
    let expected: Vec<i32> = i32s(&input)
        .chunks(64)
        .flat_map(|group| {
            let at = |i: usize| group[i % 64];
            (0..64).map(|i| at(i + 63) + at(i + 1) * 10 + (at(i + 63) + 1) * 1000).collect::<Vec<_>>()
        })
        .collect();
    Program {
        file: "neighbours.cl",
        kernel: "neighbours",
        global: &[256],
        local: Some(&[64]),
        args: vec![
            ("in", buffer(&input)),
            ("out", buffer(&zeros("int", 256))),
            ("given", spec("local:256")),
            ("other", spec("local:128")),
        ],
        expect: vec![("out", from_i32s("int", &expected), Tolerance::Exact)],
        options: &[],
    }
    .check();
}
