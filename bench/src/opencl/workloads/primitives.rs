//! Passes of array primitives: scans and sorts, which live from local memory and barriers.

use super::{
    Arg, Buffer, Kernel, Place, Ready, Result, Scale, Session, Work, bytes_of, floats, fractions, int, noise,
    words,
};

const SCAN: &str = include_str!("../../../kernels/scan_rows.cl");
const SORTS: &str = include_str!("../../../kernels/sorts.cl");
/// Elements to a work-item and work-items to a work-group: 17 KiB of local memory.
const SCAN_OPTIONS: &str = "-D K=16 -D WG=256";
const UNIT: usize = 16 * 256;

/// Elements of a scan, and of each interval.
fn scan_sizes(scale: Scale) -> (usize, usize) {
    (scale.pick(1 << 20, 1 << 26) - 77, scale.pick(4, 16) * UNIT)
}

pub(super) fn bytes_of_words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Running sums.
pub(super) fn scanned(values: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, value: &u32| {
        *sum = sum.wrapping_add(*value);
        Some(*sum)
    };
    values.iter().scan(0, add).collect()
}

/// The end of a workload of words: the comparison of a whole buffer.
pub(super) fn same_words<'s>(what: &'static str, at: usize, expected: Vec<u32>) -> super::Step<'s> {
    Box::new(move |b: &[Buffer<'_>]| {
        let found = words(&b[at], 0, expected.len())?;
        match found.iter().zip(&expected).position(|(found, expected)| found != expected) {
            None => Ok(()),
            Some(i) => Err(format!("{what}: element {i} is {} where {} is right", found[i], expected[i])),
        }
    })
}

pub(super) fn scan_intervals(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (n, interval) = scan_sizes(scale);
    let data: Vec<u32> = noise(n, 20).map(|v| v & 0xff).collect();
    let kernel = s.kernel(SCAN, "scan_intervals", SCAN_OPTIONS)?;
    let groups = n.div_ceil(interval);
    let buffers = vec![
        s.buffer_with(&bytes_of_words(data.iter().copied()))?,
        s.buffer(n * 4, Place::Device)?,
        s.buffer(groups * 4, Place::Device)?,
    ];
    set_scan(&kernel, &buffers, n, interval)?;
    let check = same_words("scan, intervals", 1, data.chunks(interval).flat_map(scanned).collect());
    Ok(Ready::new(kernel, buffers, &[groups * 256], &[256], Work::Bytes(8.0 * n as f64), check))
}

pub(super) fn scan_update(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (n, interval) = scan_sizes(scale);
    let data: Vec<u32> = noise(n, 21).map(|v| v & 0xff).collect();
    let kernel = s.kernel(SCAN, "scan_update", SCAN_OPTIONS)?;
    let groups = n.div_ceil(interval);
    let sums: Vec<u32> = data.chunks(interval).map(|c| c.iter().sum()).collect();
    let buffers = vec![
        s.buffer_with(&bytes_of_words(data.chunks(interval).flat_map(scanned)))?,
        s.buffer_with(&bytes_of_words(scanned(&sums)))?,
        s.buffer(n * 4, Place::Device)?,
    ];
    set_scan(&kernel, &buffers, n, interval)?;
    let mut all = scanned(&data);
    all.insert(0, 0);
    all.pop();
    let check = same_words("scan, update", 2, all);
    Ok(Ready::new(kernel, buffers, &[groups * 256], &[256], Work::Bytes(8.0 * n as f64), check))
}

fn set_scan(kernel: &Kernel<'_>, buffers: &[Buffer<'_>], n: usize, interval: usize) -> Result<()> {
    let (n, interval) = (int(n), int(interval));
    let mut args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    args.extend([Arg::Value(&n), Arg::Value(&interval)]);
    kernel.set(&args)
}

/// Keys in a block of the radix sort, and the bits that a pass is about.
const BLOCK: usize = 1024;
const SHIFT: usize = 8;

/// Random keys, and for each digit and block how many there are.
fn radix_data(scale: Scale) -> (Vec<u32>, Vec<u32>) {
    let n = scale.pick(1 << 18, 1 << 25);
    let keys: Vec<u32> = noise(n, 22).collect();
    let blocks = n / BLOCK;
    let mut counts = vec![0; 16 * blocks];
    for (i, key) in keys.iter().enumerate() {
        counts[digit(*key) * blocks + i / BLOCK] += 1;
    }
    (keys, counts)
}

fn digit(key: u32) -> usize {
    (key >> SHIFT & 15) as usize
}

pub(super) fn radix_count(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (keys, counts) = radix_data(scale);
    let n = keys.len();
    let kernel = s.kernel(SORTS, "radix_count", "")?;
    let buffers = vec![s.buffer_with(&bytes_of_words(keys))?, s.buffer(counts.len() * 4, Place::Device)?];
    let shift = int(SHIFT);
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Value(&shift)])?;
    let check = same_words("radix sort, count", 1, counts);
    Ok(Ready::new(kernel, buffers, &[n / 4], &[256], Work::Bytes(4.0 * n as f64), check))
}

pub(super) fn radix_scatter(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (keys, counts) = radix_data(scale);
    let n = keys.len();
    let kernel = s.kernel(SORTS, "radix_scatter", "")?;
    let mut begins = scanned(&counts);
    begins.iter_mut().zip(&counts).for_each(|(end, count)| *end -= count);
    let buffers = vec![
        s.buffer_with(&bytes_of_words(keys.iter().copied()))?,
        s.buffer_with(&bytes_of_words(begins))?,
        s.buffer(n * 4, Place::Device)?,
    ];
    let shift = int(SHIFT);
    let mut args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    args.push(Arg::Value(&shift));
    kernel.set(&args)?;
    drop(args);
    let mut sorted = keys;
    sorted.sort_by_key(|key| digit(*key));
    let check = same_words("radix sort, scatter", 2, sorted);
    Ok(Ready::new(kernel, buffers, &[n / 4], &[256], Work::Bytes(8.0 * n as f64), check))
}

pub(super) fn bitonic_local(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    const LIST: usize = 512;
    let n = scale.pick(1 << 17, 1 << 24);
    let data = fractions(n, 23);
    let kernel = s.kernel(SORTS, "bitonic_local", "")?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(n * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])])?;
    let check = move |b: &[Buffer<'_>]| {
        let mut expected = data.clone();
        for (i, list) in expected.chunks_mut(LIST).enumerate() {
            list.sort_by(f32::total_cmp);
            if i % 2 == 1 {
                list.reverse();
            }
        }
        match floats(&b[1], 0, n)? == expected {
            true => Ok(()),
            false => Err("list sort: the lists differ".into()),
        }
    };
    let check = Box::new(check);
    Ok(Ready::new(kernel, buffers, &[n / 2], &[256], Work::Items(n as f64, "elements"), check))
}

pub(super) fn bitonic_eight(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 18, 1 << 25);
    let (length, distance) = (n / 4, n / 32);
    let data = fractions(n, 24);
    let kernel = s.kernel(SORTS, "bitonic_eight", "")?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(n * 4, Place::Device)?];
    let (length_bytes, distance_bytes) = (int(length), int(distance));
    kernel.set(&[
        Arg::Buffer(&buffers[0]),
        Arg::Buffer(&buffers[1]),
        Arg::Value(&length_bytes),
        Arg::Value(&distance_bytes),
    ])?;
    let check = move |b: &[Buffer<'_>]| {
        let mut expected = data.clone();
        for step in [distance * 4, distance * 2, distance] {
            for at in (0..n).filter(|at| at & step == 0) {
                let up = at & length == 0;
                if (expected[at] > expected[at + step]) == up {
                    expected.swap(at, at + step);
                }
            }
        }
        match floats(&b[1], 0, n)? == expected {
            true => Ok(()),
            false => Err("list sort, three steps: the list differs".into()),
        }
    };
    let check = Box::new(check);
    Ok(Ready::new(kernel, buffers, &[n / 8], &[256], Work::Bytes(8.0 * n as f64), check))
}
