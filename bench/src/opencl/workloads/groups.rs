//! Sub-groups and dot products of bytes, where the OpenCL library has them; elsewhere the same by local memory and by single products.

use super::primitives::{bytes_of_words, same_words, scanned};
use super::{
    Arg, Buffer, Place, Ready, Result, Scale, Session, Work, bytes_of, close, floats, int, noise, words,
};

const SOURCE: &str = include_str!("../../../kernels/groups.cl");
const OPTIONS: &str = "-cl-std=CL3.0";
/// Words that a work-group adds or scans.
const GROUP: usize = 256;

pub(super) fn sums(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 18, 1 << 26);
    let data: Vec<u32> = noise(n, 30).collect();
    let kernel = s.kernel(SOURCE, "group_sums", OPTIONS)?;
    let buffers =
        vec![s.buffer_with(&bytes_of_words(data.iter().copied()))?, s.buffer(n / GROUP * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])])?;
    let sum = |group: &[u32]| group.iter().fold(0, |sum: u32, v| sum.wrapping_add(*v));
    let check = same_words("sums of groups", 1, data.chunks(GROUP).map(sum).collect());
    Ok(Ready::new(kernel, buffers, &[n], &[GROUP], Work::Bytes(4.0 * n as f64), check))
}

pub(super) fn scans(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(1 << 18, 1 << 26);
    let data: Vec<u32> = noise(n, 31).collect();
    let kernel = s.kernel(SOURCE, "group_scans", OPTIONS)?;
    let buffers =
        vec![s.buffer_with(&bytes_of_words(data.iter().copied()))?, s.buffer(n * 4, Place::Device)?];
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1])])?;
    let check = same_words("scans of groups", 1, data.chunks(GROUP).flat_map(scanned).collect());
    Ok(Ready::new(kernel, buffers, &[n], &[GROUP], Work::Bytes(8.0 * n as f64), check))
}

/// The options with the size of sub-groups, where the device has one.
fn options_with_size(s: &Session) -> String {
    const SUB_GROUP_SIZES_INTEL: u32 = 0x4108;
    let sizes = s.info(SUB_GROUP_SIZES_INTEL).unwrap_or_default();
    match sizes.as_chunks().0 {
        [size] => format!("{OPTIONS} -DSUB_GROUP_SIZE={}", usize::from_le_bytes(*size)),
        _ => OPTIONS.to_owned(),
    }
}

/// Words that caches hold, scanned again and again.
pub(super) fn scans_of_eight(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (n, all) = (scale.pick(1 << 14, 1 << 22), scale.pick(1 << 16, 1 << 26));
    let data: Vec<u32> = noise(n, 38).collect();
    let kernel = s.kernel(SOURCE, "scans_of_eight", &options_with_size(s))?;
    let buffers =
        vec![s.buffer_with(&bytes_of_words(data.iter().copied()))?, s.buffer(n * 4, Place::Device)?];
    let mask = int(n / 4 - 1);
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Value(&mask)])?;
    let check = same_words("scans of eight", 1, data.chunks(GROUP).flat_map(scanned).collect());
    Ok(Ready::new(kernel, buffers, &[all / 8], &[256], Work::Bytes(8.0 * all as f64), check))
}

/// Rows that caches hold, again and again.
pub(super) fn softmax(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    const COLUMNS: usize = 256;
    let (rows, all) = (scale.pick(1 << 8, 1 << 13), scale.pick(1 << 9, 1 << 18));
    let data: Vec<f32> = noise(rows * COLUMNS, 39).map(|v| (v % 8000) as f32 * 1e-3 - 4.0).collect();
    let kernel = s.kernel(SOURCE, "softmax", &options_with_size(s))?;
    let buffers = vec![s.buffer_with(&bytes_of(&data))?, s.buffer(data.len() * 4, Place::Device)?];
    let mask = int(rows - 1);
    kernel.set(&[Arg::Buffer(&buffers[0]), Arg::Buffer(&buffers[1]), Arg::Value(&mask)])?;
    let check = move |b: &[Buffer<'_>]| {
        let found = floats(&b[1], 0, data.len())?;
        for (row, found) in data.chunks(COLUMNS).zip(found.chunks(COLUMNS)) {
            let sum: f64 = row.iter().map(|v| f64::from(*v).exp()).sum();
            for (value, found) in row.iter().zip(found) {
                close("softmax", *found, f64::from(*value).exp() / sum, 1e-5)?;
            }
        }
        Ok(())
    };
    let work = Work::Bytes((all * COLUMNS * 8) as f64);
    Ok(Ready::new(kernel, buffers, &[all * 32], &[256], work, Box::new(check)))
}

pub(super) fn matrix_vector(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (rows, columns) = (scale.pick(1 << 10, 1 << 19), 128);
    // Small whole numbers: any order of summation gives the same.
    let small = |seed, n| noise(n, seed).map(|v| (v % 9) as f32 - 4.0).collect::<Vec<f32>>();
    let (matrix, vector) = (small(32, rows * columns), small(33, columns));
    let kernel = s.kernel(SOURCE, "matrix_vector", &options_with_size(s))?;
    let buffers = vec![
        s.buffer_with(&bytes_of(&matrix))?,
        s.buffer_with(&bytes_of(&vector))?,
        s.buffer(rows * 4, Place::Device)?,
    ];
    let length = int(columns);
    let mut args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    args.push(Arg::Value(&length));
    kernel.set(&args)?;
    drop(args);
    let expected: Vec<f32> =
        matrix.chunks(columns).map(|row| row.iter().zip(&vector).map(|(a, b)| a * b).sum()).collect();
    let check = move |b: &[Buffer<'_>]| match floats(&b[2], 0, expected.len())? == expected {
        true => Ok(()),
        false => Err("matrix and vector: the products differ".into()),
    };
    let work = Work::Bytes((rows * columns * 4) as f64);
    Ok(Ready::new(kernel, buffers, &[rows * 8], &[256], work, Box::new(check)))
}

pub(super) fn bytes_vector(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let (rows, columns) = (scale.pick(1 << 10, 1 << 19), 128);
    let (matrix, vector): (Vec<u32>, Vec<u32>) =
        (noise(rows * columns, 36).collect(), noise(columns, 37).collect());
    let kernel = s.kernel(SOURCE, "bytes_vector", &options_with_size(s))?;
    let buffers = vec![
        s.buffer_with(&bytes_of_words(matrix.iter().copied()))?,
        s.buffer_with(&bytes_of_words(vector.iter().copied()))?,
        s.buffer(rows * 4, Place::Device)?,
    ];
    let length = int(columns);
    let mut args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    args.push(Arg::Value(&length));
    kernel.set(&args)?;
    drop(args);
    let product =
        |row: &[u32]| row.iter().zip(&vector).map(|(a, b)| dot(*a, *b)).sum::<i32>().cast_unsigned();
    let check = same_words("bytes, matrix and vector", 2, matrix.chunks(columns).map(product).collect());
    let work = Work::Bytes((rows * columns * 4) as f64);
    Ok(Ready::new(kernel, buffers, &[rows * 8], &[256], work, check))
}

/// The products of four signed bytes, added up.
fn dot(a: u32, b: u32) -> i32 {
    let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    products.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
}

pub(super) fn bytes_product(s: &Session, scale: Scale) -> Result<Ready<'_>> {
    let n = scale.pick(256, 2048);
    let words_of = |seed| noise(n * n / 4, seed).collect::<Vec<u32>>();
    let (a, b) = (words_of(34), words_of(35));
    let kernel = s.kernel(SOURCE, "bytes_product", OPTIONS)?;
    let buffers = vec![
        s.buffer_with(&bytes_of_words(a.iter().copied()))?,
        s.buffer_with(&bytes_of_words(b.iter().copied()))?,
        s.buffer(n * n * 4, Place::Device)?,
    ];
    let size = int(n);
    let mut args = vec![Arg::Value(&size)];
    args.extend(buffers.iter().map(Arg::Buffer));
    kernel.set(&args)?;
    drop(args);
    let check = move |buffers: &[Buffer<'_>]| {
        // Some rows, each whole.
        for row in [0, 1, n / 2 + 3, n - 1] {
            let found = words(&buffers[2], row * n, n)?;
            for (column, found) in found.iter().enumerate() {
                let expected: i32 = (0..n / 4).map(|k| dot(a[row * n / 4 + k], b[k * n + column])).sum();
                if found.cast_signed() != expected {
                    return Err(format!(
                        "product of bytes: row {row}, column {column} is {found}, not {expected}"
                    ));
                }
            }
        }
        Ok(())
    };
    let work = Work::Items(2.0 * (n as f64).powi(3), "operations");
    Ok(Ready::new(kernel, buffers, &[n / 4, n / 4], &[16, 16], work, Box::new(check)))
}
