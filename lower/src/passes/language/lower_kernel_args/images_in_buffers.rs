//! Image buffers: loads and stores of texels' bits become accesses of the image argument's buffer.
//!
//! ```text
//! v9: i32x4 = image arg0 loadbits.4 (v8)        becomes        v10 = rootaddr arg0; v11 = ptradd v10, v8 1; v12 = load [v11]
//! ```
//!
//! The operand is an offset in bytes (`lower_images/in_buffers.rs`). The argument stays an image: the launch gives its format and size in the
//! argument block, and its buffer as that of a pointer argument.

use crate::ir::{
    BinaryOp, ConvertOp, Function, ImageOp, ImageRef, InstKind, MemFlags, Place, Root, Scalar, Space, Type,
    Value,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;

/// Rewrites the function of a kernel, whose images are named by their arguments.
pub(super) fn lower(f: &mut Function) {
    let mut map = FxHashMap::default();
    for block in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            let InstKind::Image { op, image: ImageRef::Arg(arg), args } = rw.f.insts[inst].kind.clone()
            else {
                rw.keep(inst);
                continue;
            };
            match (op, &args[..]) {
                (ImageOp::LoadBits(4), [offset]) => {
                    let place = place(&mut rw, arg, *offset, 0);
                    let word = rw.load(place, Type::I32, flags(4));
                    let zero = rw.iconst(Type::I32, 0);
                    let texel = rw.construct(&[word, zero, zero, zero], Type::Vector(Scalar::I32, 4));
                    if let Some(old) = rw.f.insts[inst].results.first().copied() {
                        map.insert(old, texel);
                    }
                }
                (ImageOp::StoreBits(bytes, 0), [offset, bits]) => {
                    store(&mut rw, (arg, *offset), *bits, bytes)
                }
                _ => rw.keep(inst),
            }
        }
        rw.finish_block(block);
    }
    f.replace_uses(&map);
}

fn flags(align: u8) -> MemFlags {
    MemFlags { align: align.into(), volatile: false }
}

/// The place so many bytes behind an offset of an argument's buffer.
fn place(rw: &mut Rewriter<'_>, arg: u32, offset: Value, more: i64) -> Place {
    let ty = Type::Ptr(Space::Global);
    let base = rw.inst(InstKind::RootAddr(Root::Arg(arg)), ty);
    let pointer = rw.inst(InstKind::PtrAdd { base, index: offset, scale: 1 }, ty);
    if more == 0 {
        return Place::Pointer(pointer);
    }
    Place::Pointer(rw.inst(InstKind::PtrOffset { base: pointer, bytes: more }, ty))
}

/// Stores the bits of a texel: a number of its size, or words.
fn store(rw: &mut Rewriter<'_>, (arg, offset): (u32, Value), bits: Value, bytes: u8) {
    let lanes = [0, 1, 2, 3].map(|lane| rw.extract(bits, lane));
    if bytes < 4 {
        let ty = Type::Scalar(if bytes == 1 { Scalar::I8 } else { Scalar::I16 });
        let value = rw.convert(ConvertOp::Trunc, lanes[0], ty);
        let place = place(rw, arg, offset, 0);
        return rw.void(InstKind::Store { place, value, flags: flags(bytes) });
    }
    // The bits of eight bytes come as four halves.
    let words = match bytes {
        4 => vec![lanes[0]],
        8 => [0, 2]
            .map(|n| {
                let high = rw.binary_const(BinaryOp::Shl, lanes[n + 1], 16);
                rw.binary(BinaryOp::Or, lanes[n], high)
            })
            .to_vec(),
        _ => lanes.to_vec(),
    };
    for (n, value) in (0i64..).zip(words) {
        let place = place(rw, arg, offset, 4 * n);
        rw.void(InstKind::Store { place, value, flags: flags(4) });
    }
}
