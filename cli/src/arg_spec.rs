//! Argument specifications: `[NAME=]SPEC`, see `pumice run --help`.

use crate::array::{Array, ElementType, Number};
use crate::error::CliError;
use crate::files;
use crate::image_spec::{self, Head, ImageKind, ImageSpec};
use std::path::{Path, PathBuf};

/// One parsed specification.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgSpec {
    /// The argument's name, where one was given.
    pub name: Option<String>,
    /// What to pass.
    pub value: ArgData,
}

/// What to pass for an argument.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgData {
    /// A buffer with these elements.
    Buffer(Array),
    /// The buffer of another argument.
    Same(String),
    /// A NULL buffer.
    Null,
    /// A value and its type.
    Value(Array),
    /// A value of any type.
    Bytes(Vec<u8>),
    /// An image.
    Image(Box<ImageSpec>),
    /// A sampler: the bits of OpenCL C's literals.
    Sampler(u32),
    /// Bytes of local memory.
    Local(u64),
}

/// More elements than this in one buffer are refused (the count may be a slip).
const MAX_BYTES: usize = 1 << 36;

fn usage(spec: &str, message: impl std::fmt::Display) -> CliError {
    CliError::Usage(format!("argument '{spec}': {message}"))
}

impl ArgSpec {
    /// Parses one specification; files that it names are read.
    ///
    /// # Errors
    /// Malformed specifications (usage), unreadable files.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        // A name is an identifier before the first '=' that comes before any ':' or '['.
        let head = text.find([':', '[']).unwrap_or(text.len());
        let (name, spec) = match text[..head].split_once('=') {
            Some((name, _)) => (Some(name.to_owned()), &text[name.len() + 1..]),
            None => (None, text),
        };
        if name.as_deref().is_some_and(|n| n.is_empty()) {
            return Err(usage(text, "the name before '=' is empty"));
        }
        Ok(ArgSpec { name, value: parse_value(text, spec)? })
    }
}

fn parse_value(text: &str, spec: &str) -> Result<ArgData, CliError> {
    if let Some(other) = spec.strip_prefix('@') {
        return Ok(ArgData::Same(other.to_owned()));
    }
    if spec == "null" {
        return Ok(ArgData::Null);
    }
    if let Some(bytes) = spec.strip_prefix("local:") {
        let bytes = bytes.parse().ok().filter(|b| *b > 0);
        return bytes
            .map(ArgData::Local)
            .ok_or_else(|| usage(text, "'local:' needs a number of bytes above 0"));
    }
    if let Some(hex) = spec.strip_prefix("bytes:") {
        return parse_hex(hex)
            .map(ArgData::Bytes)
            .ok_or_else(|| usage(text, "'bytes:' needs pairs of hexadecimal digits"));
    }
    if let Some(words) = spec.strip_prefix("sampler:") {
        return image_spec::sampler(words).map(ArgData::Sampler).map_err(|e| usage(text, e));
    }
    if let Some(head) = image_spec::head(spec) {
        let head = head.map_err(|e| usage(text, e))?;
        return parse_image(text, &head).map(|image| ArgData::Image(Box::new(image)));
    }
    let (ty, rest) = match spec.split_once([':', '[']) {
        Some((ty, _)) => (ty, &spec[ty.len()..]),
        None => {
            return Err(usage(
                text,
                "expected TYPE[COUNT], TYPE[COUNT]:INIT, TYPE:VALUE, local:BYTES, @NAME or null",
            ));
        }
    };
    let element = ElementType::parse(ty).ok_or_else(|| {
        usage(text, format!("'{ty}' is not an OpenCL C scalar or vector type (such as uint or float4)"))
    })?;
    match rest.strip_prefix('[') {
        Some(rest) => parse_buffer(text, element, rest).map(ArgData::Buffer),
        None => {
            let values = parse_list(text, &rest[1..])?;
            if values.len() != element.lanes {
                return Err(usage(
                    text,
                    format!("a {element} needs {} value(s), not {}", element.lanes, values.len()),
                ));
            }
            Ok(ArgData::Value(Array::from_fn(element, 1, |n| values[n])))
        }
    }
}

/// `:FILE.png`, or `[WIDTH,…]` and what may follow, as for buffers.
fn parse_image(text: &str, head: &Head<'_>) -> Result<ImageSpec, CliError> {
    let (kind, format) = (head.kind, head.format);
    if let Some(path) = head.rest.strip_prefix(':') {
        if kind != ImageKind::Two {
            return Err(usage(text, "the image's size is missing"));
        }
        let path = PathBuf::from(path);
        let (texels, (width, height)) = files::picture(&path, head.element)?;
        if texels.len() as u64 != u64::from(width) * u64::from(height) {
            let message = format!("it has colours, for which texels of type {} have no room", head.element);
            return Err(CliError::Contents { path, message });
        }
        return Ok(of_picture(ImageSpec { kind, format, size: [width, height, 1, 1], texels }));
    }
    let rest = head.rest.strip_prefix('[').ok_or_else(|| usage(text, "expected the size in brackets"))?;
    let (sizes, init) = rest.split_once(']').ok_or_else(|| usage(text, "']' is missing"))?;
    let given: Option<Vec<u32>> =
        sizes.split(',').map(|n| n.trim().parse::<u32>().ok().filter(|n| *n > 0)).collect();
    let given = given
        .filter(|list| list.len() == head.sizes)
        .ok_or_else(|| usage(text, format!("'[{sizes}]' are not {} sizes", head.sizes)))?;
    let count = given.iter().try_fold(1u64, |n, size| n.checked_mul(u64::from(*size)));
    let count = count.ok_or_else(|| usage(text, "the image is too large"))?;
    let texels = parse_buffer(text, head.element, &format!("{count}]{init}"))?;
    let image = ImageSpec { kind, format, size: kind.size(&given), texels };
    let picture = init.strip_prefix(":file=").is_some_and(|path| files::is_picture(Path::new(path)));
    Ok(if picture { of_picture(image) } else { image })
}

/// An image whose texels came from a picture, with the channels where it has them.
fn of_picture(image: ImageSpec) -> ImageSpec {
    ImageSpec { texels: image.from_picture(&image.texels), ..image }
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits.filter(|d| !d.is_empty() && d.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn parse_list(text: &str, list: &str) -> Result<Vec<Number>, CliError> {
    list.split(',')
        .map(|item| Number::parse(item).ok_or_else(|| usage(text, format!("'{item}' is not a number"))))
        .collect()
}

/// `COUNT]` and what may follow.
fn parse_buffer(text: &str, ty: ElementType, rest: &str) -> Result<Array, CliError> {
    let (count, init) = rest.split_once(']').ok_or_else(|| usage(text, "']' is missing"))?;
    let init = match init.strip_prefix(':') {
        Some(init) => init,
        None if init.is_empty() => "zero",
        None => return Err(usage(text, "expected ':' after ']'")),
    };
    let (kind, value) = init.split_once('=').map_or((init, None), |(kind, value)| (kind, Some(value)));
    let fits = |n: &usize| *n > 0 && n.checked_mul(ty.size()).is_some_and(|b| b <= MAX_BYTES);
    let count = match count {
        "" => None,
        digits => Some(
            digits
                .parse::<usize>()
                .ok()
                .filter(fits)
                .ok_or_else(|| usage(text, format!("'{digits}' is not a number of elements")))?,
        ),
    };
    if kind == "file" {
        let path = PathBuf::from(value.ok_or_else(|| usage(text, "'file' needs '=PATH'"))?);
        let array = files::read(&path, ty)?;
        return match count {
            Some(count) if count != array.len() => Err(CliError::Contents {
                path,
                message: format!("it holds {} elements of type {ty}, not {count}", array.len()),
            }),
            _ => Ok(array),
        };
    }
    if kind == "values" {
        let values = parse_list(text, value.unwrap_or(""))?;
        let elements = values.len() / ty.lanes;
        let whole = values.len().is_multiple_of(ty.lanes) && count.is_none_or(|c| c == elements);
        if !whole {
            return Err(usage(text, format!("{} values do not make the elements", values.len())));
        }
        return Ok(Array::from_fn(ty, elements, |n| values[n]));
    }
    let count = count.ok_or_else(|| usage(text, "the number of elements is missing"))?;
    let numbers = value.map(|v| parse_list(text, v)).transpose()?;
    match (kind, numbers.as_deref()) {
        ("zero", None) => Ok(Array::from_fn(ty, count, |_| Number::Int(0))),
        ("range", None) => Ok(Array::from_fn(ty, count, |n| Number::Int(n as i128))),
        ("range", Some([start])) => Ok(Array::from_fn(ty, count, |n| affine(*start, Number::Int(1), n))),
        ("range", Some([start, step])) => Ok(Array::from_fn(ty, count, |n| affine(*start, *step, n))),
        ("const", Some([value])) => Ok(Array::from_fn(ty, count, |_| *value)),
        ("random", Some([Number::Int(seed)])) => Ok(Array::random(ty, count, *seed as u64, None)),
        ("random", Some([Number::Int(seed), low, high])) => {
            Ok(Array::random(ty, count, *seed as u64, Some((*low, *high))))
        }
        _ => Err(usage(
            text,
            format!(
                "'{init}' is none of zero, range[=START[,STEP]], const=V, random=SEED[,LOW,HIGH], values=…, file=PATH"
            ),
        )),
    }
}

/// start + n × step.
fn affine(start: Number, step: Number, n: usize) -> Number {
    match (start, step) {
        (Number::Int(start), Number::Int(step)) => {
            Number::Int(start.wrapping_add(step.wrapping_mul(n as i128)))
        }
        _ => {
            let float = |v| match v {
                Number::Int(v) => v as f64,
                Number::Float(v) => v,
            };
            Number::Float(float(start) + float(step) * n as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> ArgData {
        ArgSpec::parse(text).expect(text).value
    }

    #[test]
    fn specifications() {
        assert!(matches!(value("int:42"), ArgData::Value(a) if a.bytes == [42, 0, 0, 0]));
        assert!(matches!(value("float4:1,2,3,4"), ArgData::Value(a) if a.bytes.len() == 16));
        assert!(matches!(value("uchar[3]:range"), ArgData::Buffer(a) if a.bytes == [0, 1, 2]));
        assert!(matches!(value("short[2]:const=-1"), ArgData::Buffer(a) if a.bytes == [255; 4]));
        assert!(matches!(value("int[]:values=1,2,3"), ArgData::Buffer(a) if a.len() == 3));
        assert!(matches!(value("local:256"), ArgData::Local(256)));
        assert!(
            matches!(value("image2d<r,unorm8>[3,2]:range"), ArgData::Image(i) if i.texels.bytes == [0, 1, 2, 3, 4, 5])
        );
        assert!(matches!(value("sampler:nearest"), ArgData::Sampler(21)));
        assert_eq!(value("@in"), ArgData::Same("in".to_owned()));
        assert_eq!(value("bytes:00ff"), ArgData::Bytes(vec![0, 255]));
        let named = ArgSpec::parse("data=float[4]:const=2").expect("named");
        assert_eq!(named.name.as_deref(), Some("data"));
        assert_eq!(value("uint[8]:random=1"), value("uint[8]:random=1"));
    }

    #[test]
    fn mistakes_are_usage_errors() {
        for text in [
            "",
            "int",
            "int:",
            "int:x",
            "int:1,2",
            "foo:1",
            "int[",
            "int[4",
            "int[0]",
            "int[4]x",
            "int[4]:bogus",
            "int[]",
            "int[-1]",
            "local:0",
            "local:x",
            "=int:1",
            "image2d[3]",
            "image2d[3,0]",
            "image3d:a.png",
            "image2d<r,x>[1,1]",
            "sampler:x",
            "bytes:0",
            "float[99999999999999]:range",
        ] {
            let error = ArgSpec::parse(text).expect_err(text);
            assert_eq!(error.exit_code(), 2, "{text}: {error}");
        }
    }
}
