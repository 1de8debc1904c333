//! Store merging: neighbouring byte stores to private memory become word stores.
//!
//! Stores of bytes that lie side by side in private memory become stores of words.
//!
//! What is put together byte by byte, at offsets that are known only at run time (a message before it is hashed), stays in memory;
//! memory is made of words ([`crate::passes::address::lower_addresses`]), and each byte would be put into its word by itself. Here the stores of one block at
//! consecutive offsets from one place become one, of up to four words, aligned as far as is known. Between them nothing reads or
//! writes the memory. Loops of stores over known bytes were unrolled before ([`crate::passes::optimize::unroll`]). Bytes that the source itself puts into
//! words, by masks and shifts, are such stores, too ([`insert`]).

mod insert;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, Constant, ConvertOp, Function, Inst, InstKind, MemFlags, Module, Place, Root, Slot,
    Space, Type, Value, ValueDef,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// How far a pointer's arithmetic is followed.
const MAX_STEPS: usize = 32;

/// Fewer stores of bytes are no word.
const LEAST_BYTES: usize = 4;

/// Joins stores in every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    for function in module.functions.values_mut() {
        join_function(function);
    }
    Ok(())
}

/// Joins stores in one function.
pub fn join_function(function: &mut Function) {
    if function.slots.is_empty() {
        return;
    }
    insert::stores_of_bytes(function, LEAST_BYTES);
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let bytes = function.blocks[block].insts.iter().filter(|i| byte_store(function, **i).is_some());
        if bytes.count() >= LEAST_BYTES {
            join_block(function, block);
        }
    }
}

/// What a place counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Slot(Slot),
    Pointer(Value),
}

/// A place in private memory: base + Σ value × scale + offset. Offsets are modulo 2^32: of two places within one variable that tells
/// which comes first, and how far it is to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Linear {
    base: Base,
    terms: SmallVec<[(Value, u32); 2]>,
}

/// Stores of bytes at offsets from one place.
struct Group {
    at: Linear,
    stores: BTreeMap<i32, Store>,
}

#[derive(Clone, Copy)]
struct Store {
    inst: Inst,
    pointer: Value,
    value: Value,
    align: u32,
}

/// The pointer to private memory and the value of a store of a byte.
fn byte_store(f: &Function, inst: Inst) -> Option<Store> {
    match f.insts[inst].kind {
        InstKind::Store { place: Place::Pointer(pointer), value, flags }
            if f.ty(value) == Type::Scalar(crate::ir::Scalar::I8)
                && !flags.volatile
                && f.ty(pointer) == Type::Ptr(Space::Private) =>
        {
            Some(Store { inst, pointer, value, align: flags.align })
        }
        _ => None,
    }
}

fn join_block(f: &mut Function, block: Block) {
    let insts = std::mem::take(&mut f.blocks[block].insts);
    let mut groups: Vec<Group> = Vec::new();
    let mut gone: FxHashSet<Inst> = FxHashSet::default();
    let mut rw = Rewriter::new(f);
    for inst in insts {
        if let Some(store) = byte_store(rw.f, inst) {
            let (at, offset) = linear(rw.f, store.pointer);
            flush(&mut rw, &mut groups, &mut gone, |g| g.at != at && may_overlap(g.at.base, at.base));
            match groups.iter_mut().find(|g| g.at == at) {
                Some(group) => {
                    // A byte that is overwritten unseen.
                    gone.extend(group.stores.insert(offset, store).map(|old| old.inst));
                }
                None => groups.push(Group { at, stores: BTreeMap::from([(offset, store)]) }),
            }
        } else {
            let kind = rw.f.insts[inst].kind.clone();
            let effects = kind.effects(rw.f);
            match kind.place() {
                Some(Place::Pointer(p))
                    if !matches!(kind, InstKind::Atomic { .. } | InstKind::Copy { .. }) =>
                {
                    if let Type::Ptr(Space::Private | Space::Generic) = rw.f.ty(p) {
                        let base = linear(rw.f, p).0.base;
                        flush(&mut rw, &mut groups, &mut gone, |g| may_overlap(g.at.base, base));
                    }
                }
                _ if effects.reads || effects.writes => flush(&mut rw, &mut groups, &mut gone, |_| true),
                _ => {}
            }
        }
        rw.keep(inst);
    }
    flush(&mut rw, &mut groups, &mut gone, |_| true);
    let mut insts = rw.take();
    insts.retain(|i| !gone.contains(i));
    f.blocks[block].insts = insts;
}

fn may_overlap(a: Base, b: Base) -> bool {
    match (a, b) {
        (Base::Slot(a), Base::Slot(b)) => a == b,
        _ => true,
    }
}

/// Where a pointer to private memory points.
fn linear(f: &Function, pointer: Value) -> (Linear, i32) {
    let mut at = Linear { base: Base::Pointer(pointer), terms: SmallVec::new() };
    let mut offset = 0i32;
    let mut pointer = pointer;
    for _ in 0..MAX_STEPS {
        at.base = Base::Pointer(pointer);
        match f.def_inst(pointer).map(|d| &d.kind) {
            Some(InstKind::RootAddr(Root::Slot(slot))) => {
                at.base = Base::Slot(*slot);
                break;
            }
            Some(InstKind::PtrOffset { base, bytes }) => {
                offset = offset.wrapping_add(*bytes as i32);
                pointer = *base;
            }
            Some(InstKind::PtrAdd { base, index, scale }) => {
                let scale = *scale as u32;
                let (value, more) = split_index(f, *index);
                offset = offset.wrapping_add(more.wrapping_mul(scale) as i32);
                if let Some(value) = value {
                    match at.terms.iter_mut().find(|t| t.0 == value) {
                        Some(term) => term.1 = term.1.wrapping_add(scale),
                        None => at.terms.push((value, scale)),
                    }
                }
                pointer = *base;
            }
            Some(InstKind::PtrCast(base)) if f.ty(*base) == Type::Ptr(Space::Private) => pointer = *base,
            _ => break,
        }
    }
    at.terms.retain(|t| t.1 != 0);
    at.terms.sort_unstable();
    (at, offset)
}

/// An index modulo 2^32 as a value and a constant.
fn split_index(f: &Function, mut index: Value) -> (Option<Value>, u32) {
    let mut more = 0u32;
    for _ in 0..MAX_STEPS {
        if let Some(bits) = f.const_signed(index) {
            return (None, more.wrapping_add(bits as u32));
        }
        let wide = f.ty(index).bytes() >= 4;
        match f.def_inst(index).map(|d| &d.kind) {
            Some(InstKind::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
                value,
                ..
            }) if wide && f.ty(*value).lanes() == 1 && f.ty(*value).bytes() >= 4 => {
                index = *value;
            }
            Some(InstKind::Binary(BinaryOp::IAdd, a, b)) if wide => {
                let (value, constant) = match (f.const_signed(*a), f.const_signed(*b)) {
                    (_, Some(n)) => (*a, n),
                    (Some(n), _) => (*b, n),
                    _ => break,
                };
                more = more.wrapping_add(constant as u32);
                index = value;
            }
            _ => break,
        }
    }
    (Some(index), more)
}

/// Writes out the groups for which `which` holds, at this place of the block.
fn flush(
    rw: &mut Rewriter<'_>,
    groups: &mut Vec<Group>,
    gone: &mut FxHashSet<Inst>,
    which: impl Fn(&Group) -> bool,
) {
    let mut kept = Vec::new();
    for group in groups.drain(..) {
        if which(&group) {
            write(rw, &group, gone);
        } else {
            kept.push(group);
        }
    }
    *groups = kept;
}

/// The words among a group's bytes.
fn write(rw: &mut Rewriter<'_>, group: &Group, gone: &mut FxHashSet<Inst>) {
    let aligned = alignment(rw.f, &group.at);
    let mut run: Vec<(i32, Store)> = Vec::new();
    let mut stores = group.stores.iter().map(|(offset, store)| (*offset, *store)).peekable();
    while let Some((offset, store)) = stores.next() {
        run.push((offset, store));
        if stores.peek().is_some_and(|next| Some(next.0) == offset.checked_add(1)) {
            continue;
        }
        // Where words lie is known: none straddles two.
        let skipped = if aligned >= 4 { run[0].0.wrapping_neg() as usize % 4 } else { 0 };
        for part in run.get(skipped..).unwrap_or_default().chunks(16) {
            write_words(rw, part, aligned, gone);
        }
        run.clear();
    }
}

/// One store for up to four words.
fn write_words(rw: &mut Rewriter<'_>, run: &[(i32, Store)], aligned: u32, gone: &mut FxHashSet<Inst>) {
    let words = run.len() / 4;
    let Some((offset, first)) = run.first().filter(|_| words > 0) else { return };
    rw.at(run[words * 4 - 1].1.inst);
    let values: SmallVec<[Value; 4]> = run
        .chunks_exact(4)
        .map(|four| word(rw, [four[0].1.value, four[1].1.value, four[2].1.value, four[3].1.value]))
        .collect();
    let value = rw.construct(&values, Type::of(crate::ir::Scalar::I32, words as u8));
    let at_offset = 1u32 << offset.trailing_zeros().min(4);
    let align = aligned.min(at_offset).max(first.align);
    let flags = MemFlags { align, volatile: false };
    rw.void(InstKind::Store { place: Place::Pointer(first.pointer), value, flags });
    gone.extend(run[..words * 4].iter().map(|(_, store)| store.inst));
}

/// What every place with these terms, at offset 0, is a multiple of.
fn alignment(f: &Function, at: &Linear) -> u32 {
    let Base::Slot(slot) = at.base else { return 1 };
    let terms = at.terms.iter().map(|(_, scale)| 1 << scale.trailing_zeros().min(4));
    terms.fold(f.slots[slot].align.clamp(1, 16), u32::min)
}

/// The word of four bytes, the least significant first: the one that they were taken from, if it is.
fn word(rw: &mut Rewriter<'_>, bytes: [Value; 4]) -> Value {
    let taken = |n: usize| {
        let InstKind::Convert { op: ConvertOp::Trunc, value, .. } = rw.f.def_inst(bytes[n])?.kind else {
            return None;
        };
        match &rw.f.def_inst(value).map(|d| &d.kind) {
            Some(InstKind::Binary(BinaryOp::LShr, whole, by)) if n > 0 => {
                (rw.f.const_bits(*by) == Some(8 * n as u64)).then_some(*whole)
            }
            _ => (n == 0).then_some(value),
        }
    };
    if let Some(whole) = taken(0)
        && rw.f.ty(whole) == Type::I32
        && (1..4).all(|n| taken(n) == Some(whole))
    {
        return whole;
    }
    let constants = bytes.map(|b| rw.f.const_bits(b).filter(|_| !is_undef(rw.f, b)));
    if let [Some(a), Some(b), Some(c), Some(d)] = constants {
        return rw.iconst(Type::I32, a | b << 8 | c << 16 | d << 24);
    }
    let vector = rw.construct(&bytes, Type::of(crate::ir::Scalar::I8, 4));
    rw.bitcast(vector, Type::I32)
}

fn is_undef(f: &Function, value: Value) -> bool {
    matches!(f.values[value].def, ValueDef::Const(Constant::Undef))
}

#[cfg(test)]
mod tests {
    use super::join_function;
    use crate::ir::text::parse;

    fn joined(body: &str) -> String {
        let text = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\n  slot s0 size=64 align=4\n  slot s1 size=64 align=4\n{body}  return()\n"
        );
        let mut module = parse(&text).expect("the test's IR");
        module.functions.values_mut().for_each(join_function);
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    /// Stores of the bytes of a word at an offset that only the run tells.
    fn bytes(between: &str) -> String {
        let mut body =
            "b0(v0: i32, v1: i32):\n  v2: ptr.private = rootaddr s0\n  v3: ptr.private = rootaddr s1\n"
                .to_owned();
        for n in 0..4 {
            let v = 10 + 10 * n;
            if n == 2 {
                body += between;
            }
            body += &format!(
                "  v{v}: i32 = iadd v0, i32:{n}\n  v{}: i64 = convert.zext v{v}\n  v{}: ptr.private = ptradd v2, v{}, 1\n  \
                 v{}: i32 = lshr v1, i32:{}\n  v{}: i8 = convert.trunc v{}\n  store [v{}], v{}, align=1\n",
                v + 1,
                v + 2,
                v + 1,
                v + 3,
                8 * n,
                v + 4,
                if n == 0 { 1 } else { v + 3 },
                v + 2,
                v + 4
            );
        }
        body
    }

    #[test]
    fn bytes_of_a_word() {
        let text = joined(&bytes(""));
        assert!(text.contains("v1, align=1") && text.matches("store").count() == 1, "{text}");
    }

    /// Another variable is another variable's business; the same one is not.
    #[test]
    fn what_stands_between() {
        let text = joined(&bytes("  store [v3], v1, align=4\n"));
        assert!(text.matches("store").count() == 2, "{text}");
        let text = joined(&bytes("  v7: i32 = load [v2], align=4\n  store [v3], v7, align=4\n"));
        assert!(text.matches("store").count() == 5, "{text}");
        let text = joined(&bytes("  store [v2], i8:1, align=1\n"));
        assert!(text.matches("store").count() == 5, "{text}");
    }

    /// Where words lie is known from constant offsets.
    #[test]
    fn aligned() {
        let mut body = "b0():\n  v2: ptr.private = rootaddr s0\n".to_owned();
        for n in 3..13 {
            body += &format!("  v{n}0: ptr.private = ptroffset v2, {n}\n  store [v{n}0], i8:{n}, align=1\n");
        }
        let text = joined(&body);
        assert!(
            text.contains("store [v40]") && text.contains("align=4") && text.matches("store").count() == 3,
            "{text}"
        );
    }
}
