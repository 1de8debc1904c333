//! Byte insertions: words into which the source inserts a byte become byte stores, which can then be merged.
//!
//! ```text
//! buffer[at >> 2] = buffer[at >> 2] & ~(0xff << ((at & 3) << 3)) | value << ((at & 3) << 3)    →    ((uchar*)buffer)[at] = value
//! ```
//!
//! OpenCL C programs write bytes so where byte accesses were slow; memory is little-endian. A byte store that is not merged becomes the mask and
//! shift of a word again when memory is made of words.

use crate::analysis::ranges::possible_bits;
use crate::analysis::uses::Uses;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, MemFlags, Place, Space, Type, UnaryOp, Value,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites the blocks that have at least `least` insertions.
pub(super) fn insertions_to_byte_stores(function: &mut Function, least: usize) {
    let mut uses: Option<Uses> = None;
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let words = function.blocks[block].insts.iter().filter(|i| word_store(function, **i).is_some());
        if words.count() < least {
            continue;
        }
        let uses = uses.get_or_insert_with(|| Uses::new(function));
        let inserts = find(function, block, uses);
        if inserts.len() >= least {
            rewrite(function, block, &inserts);
        }
    }
}

/// A word store that inserts one byte.
struct Insert {
    /// The load of the word, which has no other use.
    load: Inst,
    /// The value with the byte at bit `shift`.
    byte: Value,
    shift: u8,
    at: At,
}

/// The address of the byte.
enum At {
    /// Byte 0 to 3 of the word at a pointer.
    Lane(Value, u8, u32),
    /// A pointer, an offset in bytes, and the type of indices.
    Offset(Value, Value, Type),
}

/// The pointer and the value of a word store to private memory.
fn word_store(f: &Function, inst: Inst) -> Option<(Value, Value, MemFlags)> {
    match f.insts[inst].kind {
        InstKind::Store { place: Place::Pointer(pointer), value, flags }
            if f.ty(value) == Type::I32 && !flags.volatile && f.ty(pointer) == Type::Ptr(Space::Private) =>
        {
            Some((pointer, value, flags))
        }
        _ => None,
    }
}

fn find(f: &Function, block: Block, uses: &Uses) -> FxHashMap<Inst, Insert> {
    let mut found = FxHashMap::default();
    // The loads since memory was last written.
    let mut fresh: FxHashSet<Inst> = FxHashSet::default();
    for &inst in &f.blocks[block].insts {
        if let Some(insert) = insert(f, inst, uses).filter(|i| fresh.contains(&i.load)) {
            found.insert(inst, insert);
        }
        let effects = f.insts[inst].kind.effects(f);
        if effects.writes {
            fresh.clear();
        } else if matches!(f.insts[inst].kind, InstKind::Load { .. }) {
            fresh.insert(inst);
        }
    }
    found
}

fn insert(f: &Function, inst: Inst, uses: &Uses) -> Option<Insert> {
    let (pointer, value, flags) = word_store(f, inst)?;
    let once = |v: &Value| uses.is_single(*v);
    let InstKind::Binary(BinaryOp::Or | BinaryOp::IAdd, a, b) = f.def_inst(value)?.kind else { return None };
    [(a, b), (b, a)].into_iter().filter(|_| once(&value)).find_map(|(kept, inserted)| {
        let InstKind::Binary(BinaryOp::And, x, y) = f.def_inst(kept).filter(|_| once(&kept))?.kind else {
            return None;
        };
        [(x, y), (y, x)].into_iter().filter(|(word, _)| once(word)).find_map(|(word, mask)| {
            let load = loaded(f, word, pointer)?;
            let (byte, at) = match f.const_bits(mask) {
                Some(mask) => {
                    let lane = (0..4).find(|n| mask as u32 == !(0xff << (8 * n)))?;
                    (byte_of_lane(f, inserted, lane)?, At::Lane(pointer, lane, flags.align))
                }
                None => byte_at_offset(f, mask, inserted, pointer)?,
            };
            let (byte, shift) = byte;
            Some(Insert { load, byte, shift, at })
        })
    })
}

/// The load of a word from a pointer.
fn loaded(f: &Function, word: Value, pointer: Value) -> Option<Inst> {
    let crate::ir::ValueDef::Inst(inst, _) = f.values[word].def else { return None };
    match f.insts[inst].kind {
        InstKind::Load { place: Place::Pointer(from), flags } if from == pointer && !flags.volatile => {
            Some(inst)
        }
        _ => None,
    }
}

/// The source of a value with no bits outside byte `lane`: a value, and the bit at which its byte starts.
fn byte_of_lane(f: &Function, inserted: Value, lane: u8) -> Option<(Value, u8)> {
    if possible_bits(f, inserted) & !(0xff << (8 * lane)) != 0 {
        return None;
    }
    match f.def_inst(inserted).map(|d| &d.kind) {
        Some(&InstKind::Binary(BinaryOp::Shl, byte, by)) if f.const_bits(by) == Some(u64::from(8 * lane)) => {
            Some((byte, 0))
        }
        _ => Some((inserted, 8 * lane)),
    }
}

/// Matches `mask` = ~(0xff << s) and `inserted` = byte << s, where s is (offset & 3) * 8 and `pointer` points to the word at that offset.
fn byte_at_offset(f: &Function, mask: Value, inserted: Value, pointer: Value) -> Option<((Value, u8), At)> {
    let shifted = |v: Value| match f.def_inst(v)?.kind {
        InstKind::Binary(BinaryOp::Shl, value, by) => Some((value, by)),
        _ => None,
    };
    let InstKind::Unary(UnaryOp::Not, ones) = f.def_inst(mask)?.kind else { return None };
    let (ones, shift) = shifted(ones)?;
    let (byte, by) = shifted(inserted)?;
    if f.const_bits(ones) != Some(0xff) || by != shift || possible_bits(f, byte) & !0xff != 0 {
        return None;
    }
    let (in_word, three) = shifted(shift)?;
    let InstKind::Binary(BinaryOp::And, offset, low) = f.def_inst(in_word)?.kind else { return None };
    if f.const_bits(three) != Some(3) || f.const_bits(low) != Some(3) {
        return None;
    }
    let InstKind::PtrAdd { base, index, scale: 4 } = f.def_inst(pointer)?.kind else { return None };
    let ty = f.ty(index);
    let index = match f.def_inst(index)?.kind {
        InstKind::Convert { op: ConvertOp::ZExt, value, .. } => value,
        _ => index,
    };
    let InstKind::Binary(BinaryOp::LShr, from, by) = f.def_inst(index)?.kind else { return None };
    (from == offset && f.const_bits(by) == Some(2)).then_some(((byte, 0), At::Offset(base, offset, ty)))
}

fn rewrite(f: &mut Function, block: Block, inserts: &FxHashMap<Inst, Insert>) {
    let gone: FxHashSet<Inst> = inserts.values().map(|i| i.load).collect();
    let insts = std::mem::take(&mut f.blocks[block].insts);
    let mut rw = Rewriter::new(f);
    for inst in insts {
        rw.at(inst);
        match inserts.get(&inst) {
            Some(insert) => write(&mut rw, insert),
            None => rw.keep(inst),
        }
    }
    let mut insts = rw.take();
    // Operations on the removed words have no other use, and go with them.
    let dead = |f: &Function, inst: &Inst| uses_any(f, *inst, &gone);
    let masked: FxHashSet<Inst> = insts.iter().copied().filter(|i| dead(f, i)).collect();
    let combined: FxHashSet<Inst> = insts.iter().copied().filter(|i| uses_any(f, *i, &masked)).collect();
    insts.retain(|i| !gone.contains(i) && !masked.contains(i) && !combined.contains(i));
    f.blocks[block].insts = insts;
}

/// Returns whether an instruction uses the result of one of these.
fn uses_any(f: &Function, inst: Inst, of: &FxHashSet<Inst>) -> bool {
    f.insts[inst].kind.values().any(|v| match f.values[v].def {
        crate::ir::ValueDef::Inst(inst, _) => of.contains(&inst),
        _ => false,
    })
}

fn write(rw: &mut Rewriter<'_>, insert: &Insert) {
    let i8 = Type::Scalar(crate::ir::Scalar::I8);
    let value = match rw.f.const_bits(insert.byte) {
        Some(bits) => rw.iconst(i8, bits >> insert.shift & 0xff),
        None => {
            // The mask that isolates the byte is not needed.
            let byte = match rw.f.def_inst(insert.byte).map(|d| &d.kind) {
                Some(&InstKind::Binary(BinaryOp::And, x, k))
                    if rw.f.const_bits(k).is_some_and(|k| k >> insert.shift & 0xff == 0xff) =>
                {
                    x
                }
                _ => insert.byte,
            };
            let low = match insert.shift {
                0 => byte,
                shift => rw.binary_const(BinaryOp::LShr, byte, u64::from(shift)),
            };
            rw.convert(ConvertOp::Trunc, low, i8)
        }
    };
    let private = Type::Ptr(Space::Private);
    let (pointer, align) = match insert.at {
        At::Lane(pointer, 0, align) => (pointer, align),
        At::Lane(pointer, lane, _) => {
            let bytes = i64::from(lane);
            (rw.inst(InstKind::PtrOffset { base: pointer, bytes }, private), 1)
        }
        At::Offset(base, offset, ty) => {
            let index = rw.int_cast(offset, ty, false);
            (rw.inst(InstKind::PtrAdd { base, index, scale: 1 }, private), 1)
        }
    };
    rw.void(InstKind::Store {
        place: Place::Pointer(pointer),
        value,
        flags: MemFlags { align, volatile: false },
    });
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;

    fn combined(body: &str) -> String {
        let text = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\n  slot s0 size=64 align=4\n  slot s1 size=64 align=4\n\
             b0(v0: i32, v1: i32):\n  v2: ptr.private = rootaddr s0\n  v3: ptr.private = rootaddr s1\n{body}  return()\n"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.values_mut().for_each(super::super::merge_in_function);
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e:?}\n{module}"));
        module.to_string()
    }

    /// The bytes of v1, inserted at v0 + 0 to 3, with `between` behind the first.
    fn at_offset(between: &str) -> String {
        let mut body = String::new();
        for n in 0..4 {
            let v = |i: u32| format!("v{}", 100 + 20 * n + i);
            let [at, word, wide, to, old, low, by, ones, not, kept, up, byte, inserted, new] =
                std::array::from_fn(|i| v(i as u32));
            body += &format!(
                "  {at}: i32 = iadd v0, i32:{n}\n  {word}: i32 = lshr {at}, i32:2\n  {wide}: i64 = convert.zext {word}\n  \
                 {to}: ptr.private = ptradd v2, {wide}, 4\n  {old}: i32 = load [{to}], align=4\n  {low}: i32 = and {at}, i32:3\n  \
                 {by}: i32 = shl {low}, i32:3\n  {ones}: i32 = shl i32:255, {by}\n  {not}: i32 = not {ones}\n  \
                 {kept}: i32 = and {old}, {not}\n  {up}: i32 = lshr v1, i32:{}\n  {byte}: i32 = and {up}, i32:255\n  \
                 {inserted}: i32 = shl {byte}, {by}\n  {new}: i32 = or {kept}, {inserted}\n{}  store [{to}], {new}, align=4\n",
                8 * n,
                if n == 0 { between } else { "" },
            );
        }
        body
    }

    #[test]
    fn bytes_put_at_an_offset() {
        let text = combined(&at_offset(""));
        assert!(text.matches("store").count() == 1 && !text.contains("load"), "{text}");
        assert!(text.contains("align=1"), "{text}");
    }

    /// A byte that is written between the load and the store of a word is overwritten in the source.
    #[test]
    fn a_word_that_changed_since() {
        let text = combined(&at_offset("  store [v2], v0, align=4\n"));
        assert!(text.matches("load").count() == 4 && text.matches("store").count() == 5, "{text}");
    }

    #[test]
    fn bytes_put_into_one_word() {
        let mut body = String::new();
        for n in 0..4u32 {
            let [old, kept, inserted, new] = std::array::from_fn(|i| format!("v{}", 100 + 10 * n + i as u32));
            body += &format!(
                "  {old}: i32 = load [v2], align=4\n  {kept}: i32 = and {old}, i32:{}\n  {inserted}: i32 = and v1, i32:{}\n  \
                 {new}: i32 = or {kept}, {inserted}\n  store [v2], {new}, align=4\n",
                !(0xffu32 << (8 * n)) as i32,
                (0xffu32 << (8 * n)) as i32,
            );
        }
        let text = combined(&body);
        assert!(text.contains("store [v2], v1, align=4") && !text.contains("load"), "{text}");
    }
}
