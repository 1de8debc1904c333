//! Buffers from and to files: raw bytes, NumPy's .npy (format 1.0), PNG.

use crate::array::{Array, ElementType, Scalar};
use crate::error::CliError;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

/// What a file's name says about its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Raw,
    Npy,
    Png,
}

fn format_of(path: &Path) -> Format {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("npy") => Format::Npy,
        Some("png") => Format::Png,
        _ => Format::Raw,
    }
}

/// Whether a file is a PNG, by its name.
pub fn is_picture(path: &Path) -> bool {
    format_of(path) == Format::Png
}

fn contents(path: &Path, message: impl Into<String>) -> CliError {
    CliError::Contents { path: path.to_owned(), message: message.into() }
}

/// Reads a file as elements of a type.
///
/// # Errors
/// Unreadable files; contents that are not elements of that type.
pub fn read(path: &Path, ty: ElementType) -> Result<Array, CliError> {
    let bytes = match format_of(path) {
        Format::Png => return read_png(path, ty),
        Format::Raw => std::fs::read(path).map_err(|e| CliError::reading(path, e))?,
        Format::Npy => {
            let file = std::fs::read(path).map_err(|e| CliError::reading(path, e))?;
            let packed = npy_data(path, &file, ty.scalar)?;
            pad_lanes(path, packed, ty)?
        }
    };
    if bytes.is_empty() || !bytes.len().is_multiple_of(ty.size()) {
        return Err(contents(path, format!("{} bytes are not a whole number of {ty} elements", bytes.len())));
    }
    Ok(Array { ty, bytes })
}

/// The data of a .npy file, whose type must be the scalar's.
fn npy_data<'f>(path: &Path, file: &'f [u8], scalar: Scalar) -> Result<&'f [u8], CliError> {
    let bad = || contents(path, "not a .npy file");
    let rest = file.strip_prefix(b"\x93NUMPY").ok_or_else(bad)?;
    let (version, rest) = rest.split_at_checked(2).ok_or_else(bad)?;
    let (length, rest) = match version[0] {
        1 => rest.split_first_chunk::<2>().map(|(l, r)| (usize::from(u16::from_le_bytes(*l)), r)),
        _ => rest.split_first_chunk::<4>().map(|(l, r)| (u32::from_le_bytes(*l) as usize, r)),
    }
    .ok_or_else(bad)?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(bad)?;
    let header = String::from_utf8_lossy(header);
    let descr = header.split("'descr':").nth(1).and_then(|t| t.split('\'').nth(1)).ok_or_else(bad)?;
    if header.contains("'fortran_order': True") {
        return Err(contents(path, "it is in Fortran order; store it in C order"));
    }
    let wanted = npy_type(scalar);
    if descr != wanted && !(scalar.size() == 1 && descr[1..] == wanted[1..]) {
        return Err(contents(path, format!("its type is {descr}, not {wanted} ({})", scalar.name())));
    }
    Ok(data)
}

/// NumPy's name of a scalar type.
fn npy_type(scalar: Scalar) -> String {
    let kind = match scalar {
        s if s.is_float() => 'f',
        s if s.is_signed() => 'i',
        _ => 'u',
    };
    let order = if scalar.size() == 1 { '|' } else { '<' };
    format!("{order}{kind}{}", scalar.size())
}

/// Lanes side by side become elements: 3-component vectors get their padding.
fn pad_lanes(path: &Path, packed: &[u8], ty: ElementType) -> Result<Vec<u8>, CliError> {
    let element = ty.scalar.size() * ty.lanes;
    if !packed.len().is_multiple_of(element) {
        return Err(contents(
            path,
            format!("{} bytes are not a whole number of {ty} elements", packed.len()),
        ));
    }
    let mut bytes = Vec::with_capacity(packed.len() / element * ty.size());
    for chunk in packed.chunks(element) {
        bytes.extend_from_slice(chunk);
        bytes.resize(bytes.len().next_multiple_of(ty.size()), 0);
    }
    Ok(bytes)
}

/// Reads a PNG with its width and height.
///
/// # Errors
/// As [`read`].
pub fn picture(path: &Path, ty: ElementType) -> Result<(Array, (u32, u32)), CliError> {
    match format_of(path) {
        Format::Png => decode_png(path, ty),
        _ => Err(contents(path, "only PNG files have a size; give it in brackets and the file by ':file='")),
    }
}

fn read_png(path: &Path, ty: ElementType) -> Result<Array, CliError> {
    decode_png(path, ty).map(|(array, _)| array)
}

/// 8-bit pixels: grey as uchar, anything as uchar4 (RGBA).
fn decode_png(path: &Path, ty: ElementType) -> Result<(Array, (u32, u32)), CliError> {
    let file = File::open(path).map_err(|e| CliError::reading(path, e))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let bad = |e: png::DecodingError| contents(path, format!("not a PNG that can be read: {e}"));
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader.output_buffer_size().ok_or_else(|| contents(path, "the image is too large"))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(bad)?;
    pixels.truncate(info.buffer_size());
    let channels = info.color_type.samples();
    let rgba = |pixel: &[u8]| match *pixel {
        [grey] => [grey, grey, grey, 255],
        [grey, alpha] => [grey, grey, grey, alpha],
        [r, g, b] => [r, g, b, 255],
        [r, g, b, a, ..] => [r, g, b, a],
        [] => [0; 4],
    };
    let bytes = match (ty.scalar, ty.lanes) {
        (Scalar::UChar, 4) => pixels.chunks(channels).flat_map(rgba).collect(),
        (Scalar::UChar, 1) if channels == 1 => pixels,
        (Scalar::UChar, 1) => pixels.chunks(channels).flat_map(rgba).collect(),
        _ => return Err(contents(path, format!("a PNG is read as uchar or uchar4, not {ty}"))),
    };
    Ok((Array { ty, bytes }, (info.width, info.height)))
}

/// Writes a buffer; a PNG needs its size.
///
/// # Errors
/// Files that cannot be written; buffers that are no picture.
pub fn write(path: &Path, array: &Array, size: Option<(u32, u32)>) -> Result<(), CliError> {
    match format_of(path) {
        Format::Raw => std::fs::write(path, &array.bytes).map_err(|e| CliError::writing(path, e)),
        Format::Npy => write_npy(path, array, &[array.len()]),
        Format::Png => write_png(path, array, size),
    }
}

/// Writes an image's texels: a .npy file has the image's sizes, the slowest first.
///
/// # Errors
/// As [`write()`].
pub fn write_image(path: &Path, array: &Array, sizes: &[usize], picture: (u32, u32)) -> Result<(), CliError> {
    match format_of(path) {
        Format::Npy => write_npy(path, array, sizes),
        _ => write(path, array, Some(picture)),
    }
}

fn write_npy(path: &Path, array: &Array, sizes: &[usize]) -> Result<(), CliError> {
    std::fs::write(path, npy_file(array, sizes)).map_err(|e| CliError::writing(path, e))
}

/// Elements in so many dimensions, the slowest first; their components are another one.
fn npy_file(array: &Array, sizes: &[usize]) -> Vec<u8> {
    let ty = array.ty;
    let lanes = (ty.lanes > 1).then_some(ty.lanes);
    let sizes: Vec<String> = sizes.iter().copied().chain(lanes).map(|n| n.to_string()).collect();
    let shape = match sizes.as_slice() {
        [one] => format!("({one},)"),
        list => format!("({})", list.join(", ")),
    };
    let mut header =
        format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", npy_type(ty.scalar));
    // Magic, version, length and header together are a multiple of 64, with a newline at the end.
    let total = (10 + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', total - 10 - header.len() - 1));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    let packed = ty.scalar.size() * ty.lanes;
    file.extend(array.bytes.chunks(ty.size()).flat_map(|e| &e[..packed]));
    file
}

fn write_png(path: &Path, array: &Array, size: Option<(u32, u32)>) -> Result<(), CliError> {
    let color = match (array.ty.scalar, array.ty.lanes) {
        (Scalar::UChar, 1) => png::ColorType::Grayscale,
        (Scalar::UChar, 4) => png::ColorType::Rgba,
        _ => {
            return Err(contents(
                path,
                format!("a PNG is written from uchar or uchar4 elements, not {}", array.ty),
            ));
        }
    };
    let (width, height) = size.ok_or_else(|| {
        CliError::Usage(format!("'{}': give the picture's size: ',WIDTHxHEIGHT'", path.display()))
    })?;
    if u64::from(width) * u64::from(height) != array.len() as u64 || array.is_empty() {
        return Err(contents(
            path,
            format!("{width}x{height} pixels are not the buffer's {} elements", array.len()),
        ));
    }
    let file = File::create(path).map_err(|e| CliError::writing(path, e))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    let failed = |e: png::EncodingError| contents(path, format!("cannot write the PNG: {e}"));
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&array.bytes).map_err(failed)?;
    writer.finish().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Number;

    #[test]
    fn files_round_trip() {
        let dir = std::env::temp_dir().join(format!("pumice-files-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("temporary directory");
        for (name, ty, size) in [
            ("a.raw", "int3", None),
            ("b.npy", "float3", None),
            ("c.png", "uchar4", Some((3, 2))),
            ("d.png", "uchar", Some((2, 3))),
        ] {
            let ty = ElementType::parse(ty).expect("type");
            let array = Array::from_fn(ty, 6, |n| Number::Int(n as i128));
            let path = dir.join(name);
            write(&path, &array, size).expect(name);
            assert_eq!(read(&path, ty).expect(name), array, "{name}");
        }
        let wrong = read(&dir.join("b.npy"), ElementType::parse("int3").expect("type"));
        assert!(wrong.expect_err("wrong type").to_string().contains("<f4"));
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
