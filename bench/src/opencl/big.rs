//! A buffer of many gigabytes: whether every way to its bytes reaches the right ones.

use super::{Arg, Buffer, Place, Result, Session};

const SOURCE: &str = include_str!("../../kernels/places.cl");
/// Bytes of an element.
const WORD: usize = 4;
/// Bytes that are filled and copied as a whole.
const PART: usize = 1 << 20;

/// Makes a buffer of so many bytes (rounded down to whole MiB) and checks its first and last elements, and those on both sides of
/// every 2 GiB: written by the host and read by a kernel, written by a kernel and read by the host, filled, and copied. Says what
/// was shown.
///
/// # Errors
/// The first wrong value with its place; a buffer that the device does not make; what the library fails with.
pub fn check(session: &Session, bytes: usize) -> Result<String> {
    let size = bytes / PART * PART;
    if size < 2 * PART {
        return Err(format!("a buffer of {bytes} bytes is no large one"));
    }
    let limit = session.max_alloc()?;
    if size as u64 > limit {
        return Err(format!("{size} bytes are above CL_DEVICE_MAX_MEM_ALLOC_SIZE, {limit}"));
    }
    let large = session.buffer(size, Place::Device)?;
    let places = places(size);
    by_host(&large, &places, 0x1000_0000)?;
    by_kernel(session, &large, &places)?;
    whole_parts(&large, size)?;
    Ok(format!(
        "{:.2} GiB: {} elements up to byte {size}, by host, kernel, fill and copy",
        size as f64 / (1u64 << 30) as f64,
        places.len()
    ))
}

/// Element numbers: the first, the last, and around each 2 GiB.
fn places(size: usize) -> Vec<u64> {
    let count = (size / WORD) as u64;
    let step = (2u64 << 30) / WORD as u64;
    let mut places = vec![0, 1];
    places.extend((1..).map(|i| i * step).take_while(|p| *p < count).flat_map(|p| [p - 1, p]));
    places.extend([count - 2, count - 1]);
    places.dedup();
    places
}

/// The value of an element: one that no other has.
fn value(index: usize, base: u32) -> u32 {
    base + index as u32 * 0x101
}

/// Writes all of them from the host.
fn by_host(large: &Buffer<'_>, places: &[u64], base: u32) -> Result<()> {
    for (i, place) in places.iter().enumerate() {
        large.write(*place as usize * WORD, &value(i, base).to_ne_bytes())?;
    }
    expect_host(large, places, base, "host to host")
}

fn expect_host(large: &Buffer<'_>, places: &[u64], base: u32, what: &str) -> Result<()> {
    for (i, place) in places.iter().enumerate() {
        let mut word = [0; WORD];
        large.read(*place as usize * WORD, &mut word)?;
        same(what, *place, u32::from_ne_bytes(word), value(i, base))?;
    }
    Ok(())
}

fn same(what: &str, place: u64, found: u32, expected: u32) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: element {place} is {found:#x}, not {expected:#x}"))
}

/// A kernel reads what the host wrote; the host reads what a kernel writes.
fn by_kernel(session: &Session, large: &Buffer<'_>, places: &[u64]) -> Result<()> {
    let bytes: Vec<u8> = places.iter().flat_map(|p| p.to_ne_bytes()).collect();
    let list = session.buffer_with(&bytes)?;
    let values = session.buffer(places.len() * WORD, Place::Device)?;
    let take = session.kernel(SOURCE, "take", "")?;
    take.set(&[Arg::Buffer(large), Arg::Buffer(&list), Arg::Buffer(&values)])?;
    take.launch(&[places.len()], None)?;
    let mut found = vec![0; values.size];
    values.read(0, &mut found)?;
    for (i, (place, word)) in places.iter().zip(found.chunks_exact(WORD)).enumerate() {
        let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        same("host to kernel", *place, word, value(i, 0x1000_0000))?;
    }
    let new: Vec<u8> = (0..places.len()).flat_map(|i| value(i, 0x2000_0000).to_ne_bytes()).collect();
    values.write(0, &new)?;
    let put = session.kernel(SOURCE, "put", "")?;
    put.set(&[Arg::Buffer(large), Arg::Buffer(&list), Arg::Buffer(&values)])?;
    put.launch(&[places.len()], None)?;
    expect_host(large, places, 0x2000_0000, "kernel to host")
}

/// Fills the last part and copies it over the first one, and to the other side of each 4 GiB.
fn whole_parts(large: &Buffer<'_>, size: usize) -> Result<()> {
    let last = size - PART;
    large.fill(&0x5a5a_0001u32.to_ne_bytes(), last, PART)?;
    let border = (1usize << 32) - PART / 2;
    let targets: Vec<usize> = [0, border].into_iter().filter(|t| t + PART <= last).collect();
    for target in &targets {
        large.copy_within(last, *target, PART)?;
    }
    let mut part = vec![0; PART];
    for place in targets.into_iter().chain([last]) {
        large.read(place, &mut part)?;
        if let Some(i) = part.chunks_exact(WORD).position(|w| w != 0x5a5a_0001u32.to_ne_bytes()) {
            return Err(format!("fill and copy: byte {} is wrong", place + i * WORD));
        }
    }
    Ok(())
}

/// Reads a size: bytes, or with KiB, MiB, GiB behind it.
///
/// # Errors
/// Another text.
pub fn parse_size(text: &str) -> Result<usize> {
    let bad = || format!("'{text}' is no size: a number, with KiB, MiB or GiB behind it");
    let unit = ["KiB", "MiB", "GiB"].iter().zip([10, 20, 30]).find(|(u, _)| text.ends_with(**u));
    let (number, shift) = match unit {
        Some((unit, shift)) => (text.trim_end_matches(*unit), shift),
        None => (text, 0),
    };
    let number: usize = number.trim().parse().map_err(|_| bad())?;
    number.checked_mul(1 << shift).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("10GiB"), Ok(10 << 30));
        assert_eq!(parse_size("3 MiB"), Ok(3 << 20));
        assert_eq!(parse_size("77"), Ok(77));
        assert!(parse_size("GiB").is_err() && parse_size("-1").is_err());
        assert!(parse_size("99999999999999999GiB").is_err());
    }

    #[test]
    fn both_sides_of_each_border() {
        let half = 1u64 << 29;
        let last = (5u64 << 30) / 4 - 1;
        assert_eq!(places(5 << 30), [0, 1, half - 1, half, 2 * half - 1, 2 * half, last - 1, last]);
        assert_eq!(places(2 << 20), [0, 1, (1 << 19) - 2, (1 << 19) - 1]);
    }
}
