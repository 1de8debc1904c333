//! SHA-256 and AES, against implementations written from FIPS 180-4 and FIPS 197; RC4, against its usual description.

use crate::program::{Program, buffer, from_u8s, from_u32s, random, spec, u8s, u32s, zeros};
use pumice_cli::array::Array;
use pumice_cli::compare::Tolerance;

/// The constants of SHA-256: fractional parts of cube (or square) roots of the first primes.
fn root_bits(root: impl Fn(f64) -> f64, count: usize) -> Vec<u32> {
    let is_prime = |n: &u32| (2..*n).all(|d| !n.is_multiple_of(d));
    // 52 bits of a double hold the 32 bits of fraction that are wanted.
    (2..).filter(is_prime).take(count).map(|p| (root(f64::from(p)).fract() * 2f64.powi(32)) as u32).collect()
}

fn sha256(message: &[u8]) -> Vec<u32> {
    let k = root_bits(f64::cbrt, 64);
    let mut h = root_bits(f64::sqrt, 8);
    for block in message.chunks(64) {
        let mut w: Vec<u32> = block.as_chunks().0.iter().map(|b| u32::from_be_bytes(*b)).collect();
        for i in 16..64 {
            let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
            let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let mut s = h.clone();
        for i in 0..64 {
            let big1 = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let ch = (s[4] & s[5]) ^ (!s[4] & s[6]);
            let t1 = s[7].wrapping_add(big1).wrapping_add(ch).wrapping_add(k[i]).wrapping_add(w[i]);
            let big0 = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let t2 = big0.wrapping_add((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s.rotate_right(1);
            s[4] = s[4].wrapping_add(t1);
            s[0] = t1.wrapping_add(t2);
        }
        h.iter_mut().zip(s).for_each(|(h, s)| *h = h.wrapping_add(s));
    }
    h
}

/// One block with FIPS 180-4's padding.
fn padded(text: &[u8]) -> Vec<u8> {
    let mut block = text.to_vec();
    block.push(0x80);
    block.resize((text.len() + 9).next_multiple_of(64) - 8, 0);
    block.extend((text.len() as u64 * 8).to_be_bytes());
    block
}

#[test]
fn sha256_reference_is_right() {
    let digest = sha256(&padded(b"abc"));
    assert_eq!(digest[..2], [0xba7816bf, 0x8f01cfea], "FIPS 180-4's example");
}

#[test]
fn sha256_of_many_messages() {
    let random = u8s(&random("uchar", 32 * 100, 1, None));
    let messages: Vec<u8> = random.chunks(100).flat_map(padded).collect();
    let digests: Vec<u32> = messages.chunks(128).flat_map(sha256).collect();
    Program {
        file: "sha256.cl",
        kernel: "sha256",
        global: &[32],
        local: None,
        args: vec![
            ("messages", buffer(&from_u8s("uchar", &messages))),
            ("blocks", spec("uint:2")),
            ("digests", buffer(&zeros("uint", 32 * 8))),
        ],
        expect: vec![("digests", from_u32s("uint", &digests), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

fn times2(x: u8) -> u8 {
    x << 1 ^ if x & 0x80 != 0 { 0x1b } else { 0 }
}

fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        product ^= if b & 1 != 0 { a } else { 0 };
        a = times2(a);
        b >>= 1;
    }
    product
}

fn s_box(x: u8) -> u8 {
    let inverse = (1..=255).find(|y| multiply(x, *y) == 1).unwrap_or(0);
    (0..5).fold(0x63, |s, n| s ^ inverse.rotate_left(n))
}

/// The eleven round keys.
fn expand(key: &[u8]) -> Vec<u8> {
    let (mut words, mut rcon) = (key.to_vec(), 1u8);
    for i in 4..44 {
        let mut t = words[i * 4 - 4..].to_vec();
        if i % 4 == 0 {
            t.rotate_left(1);
            t = t.into_iter().map(s_box).collect();
            t[0] ^= rcon;
            rcon = times2(rcon);
        }
        for (n, byte) in t.into_iter().enumerate() {
            words.push(words[i * 4 - 16 + n] ^ byte);
        }
    }
    words
}

fn aes(block: &[u8], keys: &[u8]) -> Vec<u8> {
    let add =
        |s: &[u8], round: usize| s.iter().zip(&keys[round * 16..]).map(|(a, b)| a ^ b).collect::<Vec<u8>>();
    let mut s = add(block, 0);
    for round in 1..=10 {
        let shifted: Vec<u8> = (0..16).map(|i| s_box(s[(i + 4 * (i % 4)) % 16])).collect();
        s = match round {
            10 => shifted,
            _ => (0..16)
                .map(|i| {
                    let at = |n: usize| shifted[i / 4 * 4 + (i + n) % 4];
                    times2(at(0)) ^ times2(at(1)) ^ at(1) ^ at(2) ^ at(3)
                })
                .collect(),
        };
        s = add(&s, round);
    }
    s
}

#[test]
fn aes_reference_is_right() {
    // FIPS 197, appendix C.1.
    let key: Vec<u8> = (0..16).collect();
    let plain: Vec<u8> = (0..16).map(|i| i * 0x11).collect();
    assert_eq!(aes(&plain, &expand(&key))[..4], [0x69, 0xc4, 0xe0, 0xd8]);
}

#[test]
fn aes_with_constant_tables() {
    let keys = expand(&u8s(&random("uchar", 16, 2, None)));
    let plain = random("uint4", 64, 3, None);
    assert_eq!(u32s(&plain).len(), 256);
    let cipher: Vec<u8> = plain.bytes.chunks(16).flat_map(|block| aes(block, &keys)).collect();
    let ty = plain.ty;
    Program {
        file: "aes.cl",
        kernel: "aes",
        global: &[64],
        local: None,
        args: vec![
            ("in", buffer(&plain)),
            ("keys", buffer(&Array { ty, bytes: keys })),
            ("out", buffer(&zeros("uint4", 64))),
        ],
        expect: vec![("out", Array { ty, bytes: cipher }, Tolerance::Exact)],
        options: &[],
    }
    .check();
}

/// The stream of a key, and the first byte of the permutation after it.
fn rc4(key: &[u8], length: usize) -> (Vec<u8>, u8) {
    let mut state: Vec<u8> = (0..=255).collect();
    let mut y = 0usize;
    for x in 0..256 {
        y = (y + usize::from(state[x]) + usize::from(key[x % key.len()])) % 256;
        state.swap(x, y);
    }
    y = 0;
    let stream = (1..=length)
        .map(|n| {
            let x = n % 256;
            y = (y + usize::from(state[x])) % 256;
            state.swap(x, y);
            state[(usize::from(state[x]) + usize::from(state[y])) % 256]
        })
        .collect();
    (stream, state[0])
}

/// Rule L-5: bytes, halves and words of local memory, by neighbours.
#[test]
fn rc4_in_local_memory() {
    let known = rc4(b"Key", 4).0;
    assert_eq!(known, [0xeb, 0x9f, 0x77, 0x81], "the stream that encrypts \"Plaintext\" to bbf316e8...");
    let (items, length) = (64, 40);
    let keys = random("uchar", items * 5, 21, None);
    let results: Vec<(Vec<u8>, u8)> = u8s(&keys).chunks(5).map(|key| rc4(key, length)).collect();
    let stream: Vec<u8> = results.iter().flat_map(|r| r.0.clone()).collect();
    let total = |i: usize| results[i].0.iter().map(|b| u16::from(*b)).sum::<u16>();
    let sums: Vec<u32> =
        (0..items).map(|i| u32::from(total(i / 32 * 32 + (i + 1) % 32) ^ u16::from(results[i].1))).collect();
    Program {
        file: "rc4.cl",
        kernel: "rc4",
        global: &[items as u64],
        local: Some(&[32]),
        args: vec![
            ("keys", buffer(&keys)),
            ("key_length", spec("uint:5")),
            ("length", spec("uint:40")),
            ("stream", buffer(&zeros("uchar", items * length))),
            ("sums", buffer(&zeros("uint", items))),
        ],
        expect: vec![
            ("stream", from_u8s("uchar", &stream), Tolerance::Exact),
            ("sums", from_u32s("uint", &sums), Tolerance::Exact),
        ],
        options: &[],
    }
    .check();
}
