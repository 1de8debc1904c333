//! Blocks of buffers and of images that a sub-group reads and writes together: cl_intel_subgroups with its `_char`, `_short` and `_long`.

use super::op::{Builtin, BuiltinOp, Family, Resolution};
use super::samples::{Sample, exists, pointer};
use super::special::{is_writable, made};
use crate::options::{Features, Optional, Options};
use crate::types::{AddressSpace, ImageAccess, QualType, Scalar, Type, TypeId, Types};
use spirv::Op;

/// A function: whether it writes, and how many of which elements each work-item has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    write: bool,
    scalar: Scalar,
    lanes: u8,
}

/// The one type of images that has blocks.
const IMAGE: &str = "image2d_t";

/// The suffixes of the elements; words are also meant without one.
const ELEMENTS: [(&str, Scalar); 5] = [
    ("_uc", Scalar::UChar),
    ("_us", Scalar::UShort),
    ("_ui", Scalar::UInt),
    ("_ul", Scalar::ULong),
    ("", Scalar::UInt),
];

/// Returns whether work-items can have so many elements: 16 of words or more are too many.
fn has_lanes(scalar: Scalar, lanes: u8) -> bool {
    matches!(lanes, 1 | 2 | 4 | 8) || (lanes == 16 && scalar.size() <= 2)
}

fn parse(name: &str) -> Option<Block> {
    let rest = name.strip_prefix("intel_sub_group_block_")?;
    let (write, rest) = match rest.strip_prefix("read") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix("write")?),
    };
    let (lanes, scalar) =
        ELEMENTS.iter().find_map(|(suffix, scalar)| Some((rest.strip_prefix(suffix)?, *scalar)))?;
    let lanes = match lanes {
        "" => 1,
        "2" => 2,
        "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    has_lanes(scalar, lanes).then_some(Block { write, scalar, lanes })
}

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: |name| parse(name).is_some(), resolve };

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    let block = parse(name)?;
    if !options.has(Features::INTEL_SUBGROUPS) {
        return Some(Resolution::NeedsFeature(Optional::name_of(Features::INTEL_SUBGROUPS, options.std)));
    }
    Some(match builtin(types, block, args) {
        Some(builtin) => Resolution::Match(builtin),
        None => Resolution::NoMatch(vec![describe(block, name)]),
    })
}

/// The pointer is to elements in global memory; the value is a vector of them, or a scalar for one.
fn builtin(types: &mut Types, block: Block, args: &[TypeId]) -> Option<Builtin> {
    let Block { write, scalar, lanes } = block;
    let (&place, values) = args.split_first()?;
    if let Type::Image(IMAGE, access) = *types.get(place) {
        return of_image(types, block, access, args);
    }
    let pointee = types.pointee(place)?;
    let element = types.get(pointee.ty) == &Type::Scalar(scalar);
    if !element || pointee.space != AddressSpace::Global || (write && !is_writable(pointee)) {
        return None;
    }
    let value = types.vector(scalar, lanes);
    let place = types.pointer(QualType { is_const: !write, ..pointee });
    match (write, values) {
        (false, []) => {
            made("intel_sub_group_block_read", BuiltinOp::Op(Op::SubgroupBlockReadINTEL), vec![place], value)
        }
        (true, [given]) => {
            let passed =
                types.scalar_and_lanes(*given).is_some_and(|(s, n)| n == 1 || (s, n) == (scalar, lanes));
            let op = BuiltinOp::Op(Op::SubgroupBlockWriteINTEL);
            passed.then(|| made("intel_sub_group_block_write", op, vec![place, value], Types::VOID))?
        }
        _ => None,
    }
}

/// The image is followed by the first byte's place in its row and the row, of ints.
fn of_image(types: &mut Types, block: Block, access: ImageAccess, args: &[TypeId]) -> Option<Builtin> {
    let Block { write, scalar, lanes } = block;
    let (value, place) = (types.vector(scalar, lanes), types.vector(Scalar::Int, 2));
    let passes = |types: &Types, arg: TypeId, to: (Scalar, u8)| {
        types.scalar_and_lanes(arg).is_some_and(|(s, n)| n == 1 || (s, n) == to)
    };
    match (write, args) {
        (false, [image, at]) => {
            let there = access != ImageAccess::WriteOnly && passes(types, *at, (Scalar::Int, 2));
            let op = BuiltinOp::Op(Op::SubgroupImageBlockReadINTEL);
            there.then(|| made("intel_sub_group_block_read", op, vec![*image, place], value))?
        }
        (true, [image, at, given]) => {
            let there = access != ImageAccess::ReadOnly
                && passes(types, *at, (Scalar::Int, 2))
                && passes(types, *given, (scalar, lanes));
            let op = BuiltinOp::Op(Op::SubgroupImageBlockWriteINTEL);
            let params = vec![*image, place, value];
            there.then(|| made("intel_sub_group_block_write", op, params, Types::VOID))?
        }
        _ => None,
    }
}

fn describe(block: Block, name: &str) -> String {
    let element = block.scalar.name();
    let lanes = if block.lanes == 1 { String::new() } else { block.lanes.to_string() };
    match block.write {
        false => {
            format!(
                "{element}{lanes} {name}(const __global {element} *) or {element}{lanes} {name}(read_only or \
                 read_write image2d_t, int2)"
            )
        }
        true => format!(
            "void {name}(__global {element} *, {element}{lanes}) or void {name}(write_only or read_write \
             image2d_t, int2, {element}{lanes})"
        ),
    }
}

/// Every overload of this file's functions.
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    if !options.has(Features::INTEL_SUBGROUPS) {
        return;
    }
    for (suffix, scalar) in ELEMENTS.into_iter().filter(|(_, s)| exists(*s, options)) {
        let element = types.vector(scalar, 1);
        let place = pointer(types, element, AddressSpace::Global);
        for lanes in [1, 2, 4, 8, 16].into_iter().filter(|n| has_lanes(scalar, *n)) {
            let number = if lanes == 1 { String::new() } else { lanes.to_string() };
            let value = types.vector(scalar, lanes);
            out.push((format!("intel_sub_group_block_read{suffix}{number}"), vec![place]));
            out.push((format!("intel_sub_group_block_write{suffix}{number}"), vec![place, value]));
        }
    }
    if !options.has(Features::IMAGES) {
        return;
    }
    let place = types.vector(Scalar::Int, 2);
    for access in [ImageAccess::ReadOnly, ImageAccess::WriteOnly, ImageAccess::ReadWrite] {
        if access == ImageAccess::ReadWrite && !options.has(Features::READ_WRITE_IMAGES) {
            continue;
        }
        let image = types.intern(Type::Image(IMAGE, access));
        for (suffix, scalar) in ELEMENTS.into_iter().filter(|(_, s)| exists(*s, options)) {
            for lanes in [1, 2, 4, 8, 16].into_iter().filter(|n| has_lanes(scalar, *n)) {
                let number = if lanes == 1 { String::new() } else { lanes.to_string() };
                let value = types.vector(scalar, lanes);
                if access != ImageAccess::WriteOnly {
                    out.push((format!("intel_sub_group_block_read{suffix}{number}"), vec![image, place]));
                }
                if access != ImageAccess::ReadOnly {
                    let args = vec![image, place, value];
                    out.push((format!("intel_sub_group_block_write{suffix}{number}"), args));
                }
            }
        }
    }
}
