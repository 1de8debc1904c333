//! Store merging: neighbouring byte stores to private memory become word stores.
//!
//! ```text
//! p[n] = a; p[n + 1] = b; p[n + 2] = c; p[n + 3] = d;    →    *(uint*)(p + n) = a | b << 8 | c << 16 | d << 24
//! ```
//!
//! A buffer that is filled byte by byte at run-time offsets stays in memory (a message before it is hashed). Memory is made of words
//! ([`crate::passes::address::lower_addresses`]), and each byte would be inserted into its word by itself.
//!
//! Here the stores of one block at consecutive offsets from one address become one, of up to four words, with the known alignment. Nothing
//! between them may read or write the memory. Loops of stores over known bytes were unrolled before ([`crate::passes::optimize::unroll`]). Bytes
//! that the source inserts into words by masks and shifts count as byte stores, too ([`insert`]).

mod insert;

use crate::analysis::linear::{Base, Pointer, Sum, Term};
use crate::ir::{
    BinaryOp, Block, Constant, ConvertOp, Function, Inst, InstKind, MemFlags, Place, Root, Space, Type,
    Value, ValueDef,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Fewer byte stores do not fill a word.
const MIN_BYTES: usize = 4;

/// Merges the byte stores of one function.
pub fn merge_in_function(function: &mut Function) {
    if function.slots.is_empty() {
        return;
    }
    insert::insertions_to_byte_stores(function, MIN_BYTES);
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let bytes = function.blocks[block].insts.iter().filter(|i| byte_store(function, **i).is_some());
        if bytes.count() >= MIN_BYTES {
            merge_in_block(function, block);
        }
    }
}

/// An address in private memory: base + Σ value × scale, to which an offset is added. Offsets are modulo 2^32: that suffices for the order
/// and the distance of two addresses within one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    base: Base,
    terms: SmallVec<[Term; 4]>,
}

/// Byte stores at offsets from one address.
struct Group {
    at: Address,
    stores: BTreeMap<i32, Store>,
}

#[derive(Clone, Copy)]
struct Store {
    inst: Inst,
    pointer: Value,
    value: Value,
    align: u32,
}

/// A byte store to private memory, with its pointer and value.
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

fn merge_in_block(f: &mut Function, block: Block) {
    let insts = std::mem::take(&mut f.blocks[block].insts);
    let mut groups: Vec<Group> = Vec::new();
    let mut gone: FxHashSet<Inst> = FxHashSet::default();
    let mut rw = Rewriter::new(f);
    for inst in insts {
        if let Some(store) = byte_store(rw.f, inst) {
            let (at, offset) = address_of(rw.f, store.pointer);
            flush(&mut rw, &mut groups, &mut gone, |g| g.at != at && may_overlap(g.at.base, at.base));
            match groups.iter_mut().find(|g| g.at == at) {
                Some(group) => {
                    // The old byte is overwritten before anything reads it.
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
                        let base = address_of(rw.f, p).0.base;
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
        (Base::Root(Root::Slot(a)), Base::Root(Root::Slot(b))) => a == b,
        _ => true,
    }
}

/// The address of a pointer to private memory, and its offset.
fn address_of(f: &Function, pointer: Value) -> (Address, i32) {
    let Pointer { base, indices, bytes, .. } = Pointer::new(f, pointer, usize::MAX);
    let mut sum = Sum { constant: bytes as u32, ..Sum::default() };
    indices.iter().for_each(|(index, scale)| sum.add(f, *index, *scale as u32));
    (Address { base, terms: sum.sorted_terms() }, sum.constant.cast_signed())
}

/// Writes the groups for which `which` holds, at the current instruction.
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

/// Writes the words among a group's bytes.
fn write(rw: &mut Rewriter<'_>, group: &Group, gone: &mut FxHashSet<Inst>) {
    let aligned = alignment(rw.f, &group.at);
    let mut run: Vec<(i32, Store)> = Vec::new();
    let mut stores = group.stores.iter().map(|(offset, store)| (*offset, *store)).peekable();
    while let Some((offset, store)) = stores.next() {
        run.push((offset, store));
        if stores.peek().is_some_and(|next| Some(next.0) == offset.checked_add(1)) {
            continue;
        }
        // The alignment of words is known: no merged word straddles two.
        let skipped = if aligned >= 4 { run[0].0.wrapping_neg() as usize % 4 } else { 0 };
        for part in run.get(skipped..).unwrap_or_default().chunks(16) {
            write_words(rw, part, aligned, gone);
        }
        run.clear();
    }
}

/// Writes one store of up to four words.
fn write_words(rw: &mut Rewriter<'_>, run: &[(i32, Store)], aligned: u32, gone: &mut FxHashSet<Inst>) {
    let words = run.len() / 4;
    let Some((offset, first)) = run.first().filter(|_| words > 0) else { return };
    let last = run[words * 4 - 1].1.inst;
    let within = run[..words * 4].iter().all(|(_, store)| rw.f.insts[store.inst].line.is_within());
    rw.f.insts[last].line = rw.f.insts[last].line.within(within);
    rw.at(last);
    let values: SmallVec<[Value; 4]> = run
        .chunks_exact(4)
        .map(|four| word(rw, [four[0].1.value, four[1].1.value, four[2].1.value, four[3].1.value]))
        .collect();
    let value = rw.construct(&values, Type::new(crate::ir::Scalar::I32, words as u8));
    let at_offset = 1u32 << offset.trailing_zeros().min(4);
    let align = aligned.min(at_offset).max(first.align);
    let flags = MemFlags { align, volatile: false };
    rw.void(InstKind::Store { place: Place::Pointer(first.pointer), value, flags });
    gone.extend(run[..words * 4].iter().map(|(_, store)| store.inst));
}

/// The alignment of every address with these terms, at offset 0.
fn alignment(f: &Function, at: &Address) -> u32 {
    let Base::Root(Root::Slot(slot)) = at.base else { return 1 };
    let terms = at.terms.iter().map(|(_, scale)| 1 << scale.trailing_zeros().min(4));
    terms.fold(f.slots[slot].align.clamp(1, 16), u32::min)
}

/// The word of four bytes, the least significant first: the original word, if the bytes were extracted from one.
fn word(rw: &mut Rewriter<'_>, bytes: [Value; 4]) -> Value {
    let extracted_from = |n: usize| {
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
    if let Some(whole) = extracted_from(0)
        && rw.f.ty(whole) == Type::I32
        && (1..4).all(|n| extracted_from(n) == Some(whole))
    {
        return whole;
    }
    let constants = bytes.map(|b| rw.f.const_bits(b).filter(|_| !is_undef(rw.f, b)));
    if let [Some(a), Some(b), Some(c), Some(d)] = constants {
        return rw.iconst(Type::I32, a | b << 8 | c << 16 | d << 24);
    }
    let vector = rw.construct(&bytes, Type::new(crate::ir::Scalar::I8, 4));
    rw.bitcast(vector, Type::I32)
}

fn is_undef(f: &Function, value: Value) -> bool {
    matches!(f.values[value].def, ValueDef::Const(Constant::Undef))
}

#[cfg(test)]
mod tests {
    use super::merge_in_function;
    use crate::ir::text::parse;

    fn merged(body: &str) -> String {
        let text = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\n  slot s0 size=64 align=4\n  slot s1 size=64 align=4\n{body}  return()\n"
        );
        let mut module = parse(&text).expect("the test's IR");
        module.functions.values_mut().for_each(merge_in_function);
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    /// Stores of a word's bytes at a run-time offset.
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
        let text = merged(&bytes(""));
        assert!(text.contains("v1, align=1") && text.matches("store").count() == 1, "{text}");
    }

    /// Accesses to another variable may stand between; accesses to the same one may not.
    #[test]
    fn accesses_between_stores() {
        let text = merged(&bytes("  store [v3], v1, align=4\n"));
        assert!(text.matches("store").count() == 2, "{text}");
        let text = merged(&bytes("  v7: i32 = load [v2], align=4\n  store [v3], v7, align=4\n"));
        assert!(text.matches("store").count() == 5, "{text}");
        let text = merged(&bytes("  store [v2], i8:1, align=1\n"));
        assert!(text.matches("store").count() == 5, "{text}");
    }

    /// The alignment of words is known from constant offsets.
    #[test]
    fn aligned() {
        let mut body = "b0():\n  v2: ptr.private = rootaddr s0\n".to_owned();
        for n in 3..13 {
            body += &format!("  v{n}0: ptr.private = ptroffset v2, {n}\n  store [v{n}0], i8:{n}, align=1\n");
        }
        let text = merged(&body);
        assert!(
            text.contains("store [v40]") && text.contains("align=4") && text.matches("store").count() == 3,
            "{text}"
        );
    }
}
