//! Kernels whose speed is that of small memories: register tiles, messages that are put together byte by byte, a cipher's state in
//! bytes of local memory.

use super::{
    Arg, Place, Ready, Result, Scale, Session, Work, bytes_of, close, floats, fractions, int, noise, words,
};

/// Sizes of a GEMM's tiles, as the kernel's macros have them.
struct Tiles {
    tile: [usize; 2],
    item: [usize; 2],
    slice: usize,
    unroll: usize,
    local: bool,
}

pub(super) fn gemm_8x8(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    gemm(s, scale, &Tiles { tile: [64, 64], item: [8, 8], slice: 8, unroll: 8, local: true })
}

pub(super) fn gemm_8x8_wide(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    gemm(s, scale, &Tiles { tile: [128, 128], item: [8, 8], slice: 4, unroll: 2, local: true })
}

pub(super) fn gemm_4x8(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    gemm(s, scale, &Tiles { tile: [64, 64], item: [4, 8], slice: 8, unroll: 2, local: true })
}

pub(super) fn gemm_8x8_global(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    gemm(s, scale, &Tiles { tile: [64, 64], item: [8, 8], slice: 8, unroll: 2, local: false })
}

fn gemm<'s>(s: &'s Session, scale: Scale, tiles: &Tiles) -> Result<Ready<'s>> {
    let n = scale.pick(256, 4096);
    let (a, b) = (fractions(n * n, 14), fractions(n * n, 15));
    let [tile_m, tile_n] = tiles.tile;
    let [item_m, item_n] = tiles.item;
    let options = format!(
        "-D TILE_M={tile_m} -D TILE_N={tile_n} -D ITEM_M={item_m} -D ITEM_N={item_n} -D SLICE={} -D UNROLL={} -D LOCAL={}",
        tiles.slice,
        tiles.unroll,
        u8::from(tiles.local)
    );
    let kernel = s.kernel(include_str!("../../../kernels/gemm_tiles.cl"), "gemm_tiles", &options)?;
    let buffers = vec![
        s.buffer_with(&bytes_of(&a))?,
        s.buffer_with(&bytes_of(&b))?,
        s.buffer(n * n * 4, Place::Device)?,
    ];
    let size = int(n);
    kernel.set(&[
        Arg::Value(&size),
        Arg::Value(&size),
        Arg::Value(&size),
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
    ])?;
    let check = move |buffers: &[super::Buffer<'_>]| {
        // Some rows: the whole product would take the host minutes.
        for row in [0, n / 3, n - 1] {
            let found = floats(&buffers[2], row * n, n)?;
            let mut exact = vec![0f64; n];
            for k in 0..n {
                let factor = f64::from(b[k * n + row]);
                exact.iter_mut().zip(&a[k * n..]).for_each(|(sum, a)| *sum += f64::from(*a) * factor);
            }
            for (found, exact) in found.into_iter().zip(exact) {
                close("gemm with register tiles", found, exact, 1e-4)?;
            }
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n / item_m, n / item_n],
        local: Some(vec![tile_m / item_m, tile_n / item_n]),
        work: Work::Flops(2.0 * (n as f64).powi(3)),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}

pub(super) fn md5_bytes(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    md5_chain(s, scale, "-D FORM=0")
}

pub(super) fn md5_words(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    md5_chain(s, scale, "-D FORM=1")
}

pub(super) fn md5_patterns(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    md5_chain(s, scale, "-D FORM=2")
}

fn md5_chain<'s>(s: &'s Session, scale: Scale, options: &str) -> Result<Ready<'s>> {
    const SALT: [u8; 8] = *b"x7Tk/q.2";
    let (n, rounds) = (scale.pick(1 << 10, 1 << 16), scale.pick(50, 1000));
    // Sorted by length, as password crackers have them: 64 neighbours are of one length.
    let mut passwords: Vec<u8> = noise(n * 16, 16).map(|v| b' ' + (v % 95) as u8).collect();
    for (i, password) in passwords.chunks_mut(16).enumerate() {
        let length = 5 + i / 64 % 11;
        password[length..].fill(0);
        password[15] = length as u8;
    }
    let kernel = s.kernel(include_str!("../../../kernels/md5_chain.cl"), "md5_chain", options)?;
    let buffers = vec![s.buffer_with(&passwords)?, s.buffer(n * 16, Place::Device)?];
    let count = int(rounds);
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Value(&SALT[..4]),
        Arg::Value(&SALT[4..]),
        Arg::Value(&count),
        Arg::Buffer(&buffers[1]),
    ])?;
    let check = move |b: &[super::Buffer<'_>]| {
        let found = words(&b[1], 0, n * 4)?;
        for i in (0..n).step_by(n / 64 - 1) {
            let password = &passwords[i * 16..i * 16 + usize::from(passwords[i * 16 + 15])];
            if found[i * 4..i * 4 + 4] != chain(password, &SALT, rounds) {
                return Err(format!("md5 chain: the digest of password {i} differs"));
            }
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![64]),
        work: Work::Items((n * rounds) as f64, "blocks"),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}

/// The computation of the kernel.
fn chain(password: &[u8], salt: &[u8], rounds: usize) -> [u32; 4] {
    let mut digest = [0; 4];
    for i in 0..rounds {
        let bytes: Vec<u8> = digest.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
        let odd = i % 2 == 1;
        let parts = [
            if odd { password } else { &bytes },
            if i % 3 == 0 { &[] } else { salt },
            if i % 7 == 0 { &[] } else { password },
            if odd { &bytes } else { password },
        ];
        digest = md5(&parts.concat());
    }
    digest
}

/// MD5 (RFC 1321) of a message of at most 55 bytes.
fn md5(message: &[u8]) -> [u32; 4] {
    const LEFT: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut block = [0; 64];
    block[..message.len()].copy_from_slice(message);
    block[message.len()] = 0x80;
    block[56] = (message.len() * 8) as u8;
    block[57] = (message.len() >> 5) as u8;
    let start = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let [mut a, mut b, mut c, mut d] = start;
    for i in 0..64 {
        let (mixed, at) = match i / 16 {
            0 => (b & c | !b & d, i),
            1 => (d & b | !d & c, 5 * i + 1),
            2 => (b ^ c ^ d, 3 * i + 5),
            _ => (c ^ (b | !d), 7 * i),
        };
        let word = &block[at % 16 * 4..at % 16 * 4 + 4];
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        // |sin(i + 1)| in 32 bits after the point.
        let constant = (((i + 1) as f64).sin().abs() * 2f64.powi(32)) as u32;
        let sum = a.wrapping_add(mixed).wrapping_add(word).wrapping_add(constant);
        let turned = b.wrapping_add(sum.rotate_left(LEFT[i / 16][i % 4]));
        (a, b, c, d) = (d, turned, b, c);
    }
    let end = [a, b, c, d];
    std::array::from_fn(|i| start[i].wrapping_add(end[i]))
}

pub(super) fn rc4(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (n, length) = (scale.pick(1 << 10, 1 << 18), 64);
    let keys: Vec<u8> = noise(n * 5, 17).map(|v| v as u8).collect();
    let kernel = s.kernel(include_str!("../../../../tests/kernels/rc4.cl"), "rc4", "")?;
    let buffers =
        vec![s.buffer_with(&keys)?, s.buffer(n * length, Place::Device)?, s.buffer(n * 4, Place::Device)?];
    let (key_length, stream_length) = (int(5), int(length));
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Value(&key_length),
        Arg::Value(&stream_length),
        Arg::Buffer(&buffers[1]),
        Arg::Buffer(&buffers[2]),
    ])?;
    let check = move |b: &[super::Buffer<'_>]| {
        let found = words(&b[1], 0, n * length / 4)?;
        for i in (0..n).step_by(n / 64 - 1) {
            let expected = rc4_stream(&keys[i * 5..i * 5 + 5], length);
            let bytes = found[i * length / 4..(i + 1) * length / 4].iter().flat_map(|w| w.to_le_bytes());
            if !bytes.eq(expected) {
                return Err(format!("rc4: the stream of key {i} differs"));
            }
        }
        Ok(())
    };
    Ok(Ready {
        kernel,
        buffers,
        global: vec![n],
        local: Some(vec![32]),
        work: Work::Items((n * (256 + length)) as f64, "swaps"),
        check: Box::new(check),
        before: None,
        bare: None,
    })
}

/// The computation of the kernel.
fn rc4_stream(key: &[u8], length: usize) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut y = 0;
    for x in 0..256 {
        y = (y + usize::from(state[x]) + usize::from(key[x % key.len()])) % 256;
        state.swap(x, y);
    }
    y = 0;
    (1..=length)
        .map(|n| {
            y = (y + usize::from(state[n % 256])) % 256;
            state.swap(n % 256, y);
            state[(usize::from(state[n % 256]) + usize::from(state[y])) % 256]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::md5;

    #[test]
    fn the_digests_are_those_of_rfc_1321() {
        let text = |message: &str| -> String {
            md5(message.as_bytes()).iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:02x}")).collect()
        };
        assert_eq!(text(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(text("abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(text("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
    }
}
