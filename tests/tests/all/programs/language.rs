//! Programs that lean on the language: control flow, pointers, aliasing.

use crate::program::{Program, buffer, from_i32s, from_u8s, i32s, random, spec, u32s, zeros};
use pumice_cli::compare::Tolerance;

fn classify(x: i32) -> i32 {
    let mut score = 0;
    match x & 7 {
        0 => 3,
        1 => 2,
        3 => {
            for i in 0..x {
                if i == 5 {
                    continue;
                }
                if i == 9 {
                    return score + 100;
                }
                score += i;
            }
            score
        }
        5 | 6 => {
            if x & 7 == 5 {
                loop {
                    score += 1;
                    if score > 3 || x <= 0 {
                        break;
                    }
                }
            }
            score ^ 0x55
        }
        _ => score + 4,
    }
}

fn control(input: i32) -> i32 {
    let (mut x, mut steps, mut sum) = (input, 0, 0i32);
    while x > 1 && steps < 64 {
        x = if x & 1 == 1 { 3 * x + 1 } else { x / 2 };
        steps += 1;
        if x == 40 {
            sum += 7;
            x += 2;
        }
    }
    'both: for a in 0..4 {
        for b in 0..4 {
            if b == 2 && a == 1 {
                break 'both;
            }
            if a ^ b == 3 {
                continue;
            }
            sum += a * 10 + b;
        }
    }
    while sum <= 200 && steps != 0 {
        sum += steps;
        if sum % 7 != 0 {
            sum += 1;
        }
    }
    sum * 1000 + steps + classify(input)
}

#[test]
fn control_flow_torture() {
    let input = random("int", 256, 1, Some((0, 300)));
    let expected: Vec<i32> = i32s(&input).iter().map(|x| control(*x)).collect();
    Program {
        file: "control.cl",
        kernel: "control",
        global: &[256],
        local: None,
        args: vec![("in", buffer(&input)), ("out", buffer(&zeros("int", 256)))],
        expect: vec![("out", from_i32s("int", &expected), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

/// The kernel's walk over one work-item's words; its last result and the eight bytes that it writes.
fn walk(words: &[u32], id: u32) -> (i32, [u8; 8]) {
    let mut sum = 0i32;
    for word in words {
        let b = word.to_le_bytes();
        sum += i32::from(b[0]) + (i32::from(b[1]) << 8);
        sum ^= i32::from(u16::from_le_bytes([b[2], b[3]]));
    }
    for item in words.chunks(2) {
        let tag = item[0] as u8;
        let len = (item[0] >> 16) as u16;
        sum = sum.wrapping_add(i32::from(tag) * 3 + i32::from(len)).wrapping_sub(item[1] as i32 >> 3);
    }
    let wide = 0x0403_0201u32.wrapping_mul(id + 1).to_le_bytes();
    let written = [wide[0], wide[1], wide[2], wide[3], b'x', wide[1], 0xfe, 0xff];
    let mut scratch = [sum as u32, 0];
    scratch[1] |= 7 << 8; // byte 9
    scratch[0] ^= 0xbe << 16; // byte 2 with byte 13 of 0xdeadbeef
    (scratch[0].wrapping_add(scratch[1]) as i32, written)
}

#[test]
fn pointer_walks() {
    let (items, n) = (16usize, 6usize);
    let input = random("uint", items * n, 2, None);
    let walks: Vec<_> =
        u32s(&input).chunks(n).enumerate().map(|(id, words)| walk(words, id as u32)).collect();
    let out: Vec<i32> = walks.iter().map(|w| w.0).collect();
    let bytes: Vec<u8> = walks.iter().flat_map(|w| w.1).collect();
    Program {
        file: "pointers.cl",
        kernel: "pointers",
        global: &[16],
        local: None,
        args: vec![
            ("words", buffer(&input)),
            ("bytes", buffer(&zeros("uchar", items * 8))),
            ("out", buffer(&zeros("int", items))),
            ("n", spec("uint:6")),
        ],
        expect: vec![
            ("out", from_i32s("int", &out), Tolerance::Exact),
            ("bytes", from_u8s("uchar", &bytes), Tolerance::Exact),
        ],
        options: &[],
    }
    .check();
}

/// Rule A-15.
#[test]
fn one_buffer_as_two_arguments() {
    let input = random("int", 64, 3, Some((0, 100)));
    let after: Vec<i32> = i32s(&input).iter().map(|v| v * 2 + 1).collect();
    let buffer_after: Vec<i32> = after.iter().map(|v| v + 10).collect();
    let out: Vec<i32> = after.iter().map(|v| v * 1000 + v + 10).collect();
    Program {
        file: "alias.cl",
        kernel: "alias",
        global: &[64],
        local: None,
        args: vec![("a", buffer(&input)), ("b", spec("@a")), ("out", buffer(&zeros("int", 64)))],
        expect: vec![
            ("a", from_i32s("int", &buffer_after), Tolerance::Exact),
            ("out", from_i32s("int", &out), Tolerance::Exact),
        ],
        options: &[],
    }
    .check();
}
