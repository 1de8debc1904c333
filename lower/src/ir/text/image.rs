//! The words for images: `image.two.arrayed.readonly`, `sample.float.zero`, `filter.given.literal.53`.

use super::names::{find, word};
use crate::ir::{ImageOp, ImageType, Level};
use crate::kernel_info::{SamplerSource, TexelClass};

const CLASSES: &[TexelClass] = &[TexelClass::Float, TexelClass::Sint, TexelClass::Uint];
const LEVELS: &[Level] = &[Level::Zero, Level::Given, Level::Gradients];

/// `image.two.arrayed.readonly`
pub(super) fn type_word(ty: ImageType) -> String {
    let shape = ty.shape;
    let mut text = format!("image.{}", word(shape.dim));
    for (present, flag) in
        [(shape.arrayed, ".arrayed"), (shape.depth, ".depth"), (shape.multisampled, ".multisampled")]
    {
        if present {
            text += flag;
        }
    }
    format!("{text}.{}", word(ty.access))
}

/// The reverse of [`type_word`].
pub(super) fn find_type(text: &str) -> Option<ImageType> {
    ImageType::all().find(|ty| type_word(*ty) == text)
}

/// `fetch.float`
pub(super) fn op_word(op: ImageOp) -> String {
    let class = |class: Option<TexelClass>| class.map_or("any".to_owned(), word);
    match op {
        ImageOp::Sample { class: c, level } => format!("sample.{}.{}", class(c), word(level)),
        ImageOp::Read(c) => format!("read.{}", class(c)),
        ImageOp::Write(c) => format!("write.{}", class(c)),
        ImageOp::Fetch(c) => format!("fetch.{}", word(c)),
        ImageOp::Filter { sampler, level } => {
            let sampler = match sampler {
                None => String::new(),
                Some(SamplerSource::Argument(n)) => format!(".argument.{n}"),
                Some(SamplerSource::Literal(bits)) => format!(".literal.{bits}"),
            };
            format!("filter.{}{sampler}", word(level))
        }
        ImageOp::Load(c) => format!("load.{}", word(c)),
        ImageOp::Store(c, 0) => format!("store.{}", word(c)),
        ImageOp::Store(c, level) => format!("store.{}.{level}", word(c)),
        ImageOp::LoadBits(bytes) => format!("loadbits.{bytes}"),
        ImageOp::StoreBits(bytes, level) => format!("storebits.{bytes}.{level}"),
        ImageOp::FetchBits => "fetchbits".to_owned(),
        ImageOp::ReadBytes(bytes) => format!("readbytes.{bytes}"),
        ImageOp::WriteBytes(bytes) => format!("writebytes.{bytes}"),
        ImageOp::Bounds(written) => format!("bounds.{}", u8::from(written)),
        ImageOp::Size(dim) => format!("size.{dim}"),
        ImageOp::Format => "format".to_owned(),
        ImageOp::Levels => "levels".to_owned(),
    }
}

/// The reverse of [`op_word`].
pub(super) fn find_op(text: &str) -> Option<ImageOp> {
    let parts: Vec<&str> = text.split('.').collect();
    let class = |text: &str| find(CLASSES, text);
    let any = |text: &str| if text == "any" { Some(None) } else { class(text).map(Some) };
    Some(match *parts.as_slice() {
        ["sample", c, level] => ImageOp::Sample { class: any(c)?, level: find(LEVELS, level)? },
        ["read", c] => ImageOp::Read(any(c)?),
        ["write", c] => ImageOp::Write(any(c)?),
        ["fetch", c] => ImageOp::Fetch(class(c)?),
        ["filter", level] => ImageOp::Filter { sampler: None, level: find(LEVELS, level)? },
        ["filter", level, of, number] => {
            let number = number.parse().ok()?;
            let sampler = match of {
                "argument" => SamplerSource::Argument(number),
                "literal" => SamplerSource::Literal(number),
                _ => return None,
            };
            ImageOp::Filter { sampler: Some(sampler), level: find(LEVELS, level)? }
        }
        ["load", c] => ImageOp::Load(class(c)?),
        ["store", c] => ImageOp::Store(class(c)?, 0),
        ["store", c, level] => ImageOp::Store(class(c)?, level.parse().ok()?),
        ["loadbits", bytes] => ImageOp::LoadBits(bytes.parse().ok()?),
        ["storebits", bytes, level] => ImageOp::StoreBits(bytes.parse().ok()?, level.parse().ok()?),
        ["fetchbits"] => ImageOp::FetchBits,
        ["readbytes", bytes] => ImageOp::ReadBytes(bytes.parse().ok()?),
        ["writebytes", bytes] => ImageOp::WriteBytes(bytes.parse().ok()?),
        ["bounds", written] => ImageOp::Bounds(written == "1"),
        ["size", dim] => ImageOp::Size(dim.parse().ok()?),
        ["format"] => ImageOp::Format,
        ["levels"] => ImageOp::Levels,
        _ => return None,
    })
}
