//! The image functions (§6.15.15): reads with a sampler and without, writes and queries, by the type of the image.

use super::op::{Builtin, BuiltinOp, Family, ImageOp, Lod, Query, Resolution};
use super::samples::{Sample, exists};
use super::special::{is_scalar, made};
use crate::options::{Features, LangVersion, Optional, Options};
use crate::types::{ImageAccess, Scalar, Type, TypeId, Types};

/// What is to be known of an image type.
#[derive(Debug, Clone, Copy)]
pub struct ImageType {
    /// The name in OpenCL C.
    pub name: &'static str,
    /// Components of a coordinate, the array index included.
    pub coordinate: u8,
    /// Components of a gradient.
    pub gradient: u8,
    /// Components of its size, without the array's.
    pub dimensions: u8,
    /// Arrays have a size of their own.
    pub array: bool,
    /// It holds one depth instead of a color.
    pub depth: bool,
    /// It has several samples for each pixel.
    pub samples: bool,
    /// Its texels are a buffer's.
    pub buffer: bool,
    /// When it exists.
    pub since: LangVersion,
    /// What it needs beyond images.
    pub needs: Features,
}

const fn image(name: &'static str, dimensions: u8, array: bool) -> ImageType {
    let coordinate = match (dimensions, array) {
        (1, false) => 1,
        (1, true) | (2, false) => 2,
        _ => 4,
    };
    ImageType {
        name,
        coordinate,
        gradient: if dimensions == 3 { 4 } else { dimensions },
        dimensions,
        array,
        depth: false,
        samples: false,
        buffer: false,
        since: LangVersion::Cl1_2,
        needs: Features::empty(),
    }
}

const fn depth(name: &'static str, array: bool) -> ImageType {
    ImageType {
        depth: true,
        since: LangVersion::Cl1_0,
        needs: Features::DEPTH_IMAGES,
        ..image(name, 2, array)
    }
}

const fn multisampled(name: &'static str, array: bool, depth: bool) -> ImageType {
    let needs = Features::MSAA_IMAGES;
    ImageType { samples: true, depth, since: LangVersion::Cl1_0, needs, ..image(name, 2, array) }
}

/// The image types (§6.3.3).
pub const IMAGE_TYPES: &[ImageType] = &[
    image("image1d_t", 1, false),
    image("image1d_array_t", 1, true),
    ImageType { buffer: true, ..image("image1d_buffer_t", 1, false) },
    ImageType { since: LangVersion::Cl1_0, ..image("image2d_t", 2, false) },
    image("image2d_array_t", 2, true),
    depth("image2d_depth_t", false),
    depth("image2d_array_depth_t", true),
    multisampled("image2d_msaa_t", false, false),
    multisampled("image2d_array_msaa_t", true, false),
    multisampled("image2d_msaa_depth_t", false, true),
    multisampled("image2d_array_msaa_depth_t", true, true),
    ImageType { since: LangVersion::Cl1_0, ..image("image3d_t", 3, false) },
];

impl ImageType {
    /// The image type of that name.
    pub fn find(name: &str) -> Option<&'static ImageType> {
        IMAGE_TYPES.iter().find(|t| t.name == name)
    }
}

/// A function by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Read(Scalar),
    Write(Scalar),
    Query(Query),
}

fn parse(name: &str) -> Option<Function> {
    let scalar = |suffix: &str| {
        Some(match suffix {
            "f" => Scalar::Float,
            "h" => Scalar::Half,
            "i" => Scalar::Int,
            "ui" => Scalar::UInt,
            _ => return None,
        })
    };
    if let Some(suffix) = name.strip_prefix("read_image") {
        return Some(Function::Read(scalar(suffix)?));
    }
    if let Some(suffix) = name.strip_prefix("write_image") {
        return Some(Function::Write(scalar(suffix)?));
    }
    Some(Function::Query(match name.strip_prefix("get_image_")? {
        "width" => Query::Width,
        "height" => Query::Height,
        "depth" => Query::Depth,
        "channel_data_type" => Query::ChannelType,
        "channel_order" => Query::ChannelOrder,
        "dim" => Query::Dim,
        "array_size" => Query::ArraySize,
        "num_samples" => Query::Samples,
        "num_mip_levels" => Query::MipLevels,
        _ => return None,
    }))
}

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: |name| parse(name).is_some(), resolve };

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    let function = parse(name)?;
    if !options.has(Features::IMAGES) {
        let name = Optional::name_of(Features::IMAGES, options.std);
        return Some(Resolution::NeedsFeature(name));
    }
    let image = args.first().map(|a| types.get(*a).clone());
    let Some(Type::Image(image, access)) = image else {
        return Some(Resolution::NoMatch(vec![describe(function, name)]));
    };
    let Some(image) = ImageType::find(image) else { return Some(Resolution::NotBuiltin) };
    let found = match function {
        Function::Read(scalar) => read(types, image, access, scalar, args),
        Function::Write(scalar) => write(types, image, access, scalar, args),
        Function::Query(query) => ask(types, image, query, args),
    };
    // Reads without a sampler came with 1.2 (§6.15.15.3).
    let is_later = |b: &Builtin| {
        matches!(b.op, BuiltinOp::Image(ImageOp::Read { .. }))
            && !image.samples
            && options.std < LangVersion::Cl1_2
    };
    let Some((builtin, needs)) = found.filter(|(b, _)| !is_later(b)) else {
        return Some(Resolution::NoMatch(vec![describe(function, name)]));
    };
    let lacking = (needs | image.needs).difference(options.features.in_version(options.std));
    if !lacking.is_empty() {
        return Some(Resolution::NeedsFeature(Optional::name_of(lacking, options.std)));
    }
    Some(Resolution::Match(builtin))
}

fn describe(function: Function, name: &str) -> String {
    match function {
        Function::Read(s) => format!(
            "{0}4 {name}(read_only image, sampler_t, coordinate) or {0}4 {name}(read_only or read_write image, int \
             coordinate); coordinates: int or float for 1D, of 2 components for 2D and 1D arrays, of 4 for 3D and 2D \
             arrays",
            s.name()
        ),
        Function::Write(s) => {
            format!("void {name}(write_only or read_write image, int coordinate, {}4)", s.name())
        }
        Function::Query(_) => format!("{name}(image)"),
    }
}

/// The coordinate as it is passed: int or float, as many components as the image wants.
fn coordinate(types: &mut Types, image: &ImageType, arg: TypeId, float: Option<bool>) -> Option<TypeId> {
    let (scalar, lanes) = types.scalar_and_lanes(arg)?;
    let to = match (float, scalar.is_float()) {
        (Some(true), _) | (None, true) => Scalar::Float,
        (Some(false), true) => return None,
        _ => Scalar::Int,
    };
    let exact = lanes == image.coordinate && scalar == to;
    (lanes == 1 || exact).then(|| types.vector(to, image.coordinate))
}

fn signed(scalar: Scalar) -> Option<bool> {
    (!scalar.is_float()).then(|| scalar.is_signed())
}

/// The color that is read or written.
fn color(types: &mut Types, image: &ImageType, scalar: Scalar) -> Option<TypeId> {
    match image.depth {
        true => (scalar == Scalar::Float).then_some(Types::FLOAT),
        false => Some(types.vector(scalar, 4)),
    }
}

fn of_scalar(scalar: Scalar) -> Features {
    if scalar == Scalar::Half { Features::FP16 } else { Features::empty() }
}

fn of_access(access: ImageAccess) -> Features {
    match access {
        ImageAccess::ReadWrite => Features::READ_WRITE_IMAGES,
        _ => Features::empty(),
    }
}

fn read(
    types: &mut Types,
    image: &ImageType,
    access: ImageAccess,
    scalar: Scalar,
    args: &[TypeId],
) -> Option<(Builtin, Features)> {
    let ret = color(types, image, scalar)?;
    let signed = signed(scalar);
    let (&first, rest) = args.split_first()?;
    // A sampler may be written as its integer constant.
    let sampler = types.intern(Type::Sampler);
    let integer = |a: TypeId| matches!(types.scalar_and_lanes(a), Some((s, 1)) if s.is_integer());
    let sampled =
        rest.first().is_some_and(|a| *a == sampler || (rest.len() > 1 && !image.samples && integer(*a)));
    let mut needs = of_scalar(scalar) | of_access(access);
    let (op, params) = if sampled {
        // Compilers take images that are read and written too, where there are levels of detail.
        let levels = rest.len() > 2 && access == ImageAccess::ReadWrite;
        if image.buffer || image.samples || !(levels || access == ImageAccess::ReadOnly) {
            return None;
        }
        let (_, rest) = rest.split_first()?;
        let (lod, at) = match *rest {
            [at] => (Lod::Zero, coordinate(types, image, at, None)?),
            [at, level] if is_scalar(types, level) => (Lod::Given, coordinate(types, image, at, Some(true))?),
            [at, _, _] => (Lod::Gradients, coordinate(types, image, at, Some(true))?),
            _ => return None,
        };
        let mut params = vec![first, sampler, at];
        if lod != Lod::Zero {
            needs |= Features::MIPMAPS;
        }
        match lod {
            Lod::Zero => {}
            Lod::Given => params.push(Types::FLOAT),
            Lod::Gradients => {
                let gradient = types.vector(Scalar::Float, image.gradient);
                let fits = |a: &TypeId| is_scalar(types, *a) || *a == gradient;
                if !rest.iter().skip(1).all(fits) {
                    return None;
                }
                params.extend([gradient, gradient]);
            }
        }
        (ImageOp::Sample { lod, signed }, params)
    } else {
        if access == ImageAccess::WriteOnly {
            return None;
        }
        let params = match *rest {
            [at] if !image.samples => vec![first, coordinate(types, image, at, Some(false))?],
            [at, sample] if image.samples && is_scalar(types, sample) => {
                vec![first, coordinate(types, image, at, Some(false))?, Types::INT]
            }
            _ => return None,
        };
        (ImageOp::Read { signed }, params)
    };
    Some((made("read_image", BuiltinOp::Image(op), params, ret)?, needs))
}

fn write(
    types: &mut Types,
    image: &ImageType,
    access: ImageAccess,
    scalar: Scalar,
    args: &[TypeId],
) -> Option<(Builtin, Features)> {
    if access == ImageAccess::ReadOnly || image.samples {
        return None;
    }
    let color = color(types, image, scalar)?;
    let (first, at, level, value) = match *args {
        [first, at, value] => (first, at, None, value),
        [first, at, level, value] if is_scalar(types, level) && !image.buffer => {
            (first, at, Some(level), value)
        }
        _ => return None,
    };
    if value != color && !is_scalar(types, value) {
        return None;
    }
    let mut needs = of_scalar(scalar) | of_access(access);
    needs.set(Features::IMAGE_3D_WRITES, image.dimensions == 3);
    needs.set(Features::MIPMAP_WRITES, level.is_some());
    let mut params = vec![first, coordinate(types, image, at, Some(false))?];
    params.extend(level.map(|_| Types::INT));
    params.push(color);
    let op = ImageOp::Write { signed: signed(scalar), lod: level.is_some() };
    Some((made("write_image", BuiltinOp::Image(op), params, Types::VOID)?, needs))
}

fn ask(types: &mut Types, image: &ImageType, query: Query, args: &[TypeId]) -> Option<(Builtin, Features)> {
    let &[first] = args else { return None };
    let answers = match query {
        Query::Width | Query::ChannelType | Query::ChannelOrder => true,
        Query::Height | Query::Dim => image.dimensions >= 2,
        Query::Depth => image.dimensions == 3,
        Query::ArraySize => image.array,
        Query::Samples => image.samples,
        Query::MipLevels => !image.samples && !image.buffer,
    };
    if !answers {
        return None;
    }
    let ret = match query {
        Query::Dim => types.vector(Scalar::Int, if image.dimensions == 3 { 4 } else { 2 }),
        Query::ArraySize => types.size_t(),
        _ => Types::INT,
    };
    let needs = if query == Query::MipLevels { Features::MIPMAPS } else { Features::empty() };
    let op = BuiltinOp::Image(ImageOp::Query(query));
    Some((made("get_image", op, vec![first], ret)?, needs))
}

/// Every overload of this file's functions.
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    if !options.has(Features::IMAGES) {
        return;
    }
    let there = |image: &&ImageType| options.std >= image.since && options.has(image.needs);
    for image in IMAGE_TYPES.iter().filter(there) {
        for access in [ImageAccess::ReadOnly, ImageAccess::WriteOnly, ImageAccess::ReadWrite] {
            if !options.has(of_access(access)) {
                continue;
            }
            let ty = types.intern(Type::Image(image.name, access));
            for (suffix, scalar) in
                [("f", Scalar::Float), ("h", Scalar::Half), ("i", Scalar::Int), ("ui", Scalar::UInt)]
            {
                if exists(scalar, options) && !(image.depth && scalar != Scalar::Float) {
                    of_scalar_and_image(types, options, (image, access, ty), (suffix, scalar), out);
                }
            }
            for name in QUERIES {
                let Some(Function::Query(query)) = parse(name) else { continue };
                if let Some((_, needs)) = ask(types, image, query, &[ty])
                    && options.has(needs)
                {
                    out.push((name.to_owned(), vec![ty]));
                }
            }
        }
    }
}

const QUERIES: [&str; 9] = [
    "get_image_width",
    "get_image_height",
    "get_image_depth",
    "get_image_channel_data_type",
    "get_image_channel_order",
    "get_image_dim",
    "get_image_array_size",
    "get_image_num_samples",
    "get_image_num_mip_levels",
];

fn of_scalar_and_image(
    types: &mut Types,
    options: &Options,
    (image, access, ty): (&ImageType, ImageAccess, TypeId),
    (suffix, scalar): (&str, Scalar),
    out: &mut Vec<Sample>,
) {
    let (reads, writes) = (format!("read_image{suffix}"), format!("write_image{suffix}"));
    let ints = types.vector(Scalar::Int, image.coordinate);
    let floats = types.vector(Scalar::Float, image.coordinate);
    let gradient = types.vector(Scalar::Float, image.gradient);
    let sampler = types.intern(Type::Sampler);
    let Some(color) = color(types, image, scalar) else { return };
    if access != ImageAccess::WriteOnly && !image.buffer && !image.samples {
        if access == ImageAccess::ReadOnly {
            out.push((reads.clone(), vec![ty, sampler, ints]));
            out.push((reads.clone(), vec![ty, sampler, floats]));
        }
        if options.has(Features::MIPMAPS) {
            out.push((reads.clone(), vec![ty, sampler, floats, Types::FLOAT]));
            out.push((reads.clone(), vec![ty, sampler, floats, gradient, gradient]));
        }
    }
    if access != ImageAccess::WriteOnly && (image.samples || options.std >= LangVersion::Cl1_2) {
        let mut args = vec![ty, ints];
        args.extend(image.samples.then_some(Types::INT));
        out.push((reads, args));
    }
    let writable = image.dimensions < 3 || options.has(Features::IMAGE_3D_WRITES);
    if access != ImageAccess::ReadOnly && !image.samples && writable {
        out.push((writes.clone(), vec![ty, ints, color]));
        if options.has(Features::MIPMAP_WRITES) && !image.buffer {
            out.push((writes, vec![ty, ints, Types::INT, color]));
        }
    }
}
