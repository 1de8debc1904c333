//! Array elements at buffers' addresses: the accesses that are written as accesses to elements of an array at an address.
//!
//! NVIDIA's compiler (580) makes better code of most accesses then (`Quirks::prefers_array_elements`). Accesses at unsigned 32-bit
//! indices in conditional code of loops are excluded: a scan with 32 of them has a tenth more code (11,520 bytes for 10,496), and is no
//! faster on an H200.
//!
//! That compiler computes the offset of an element in 32 bits: it is wrong in buffers of more than 4 GiB. Kernels with such accesses
//! therefore ask for smaller buffers ([`KernelInfo::aligned`](crate::kernel_info::KernelInfo)). Launches with other arguments
//! take a variant without them, lowered without `prefers_array_elements`.

use crate::ir::cfg::Cfg;
use crate::ir::{BinaryOp, ConvertOp, Function, InstKind, Place, Root, Value};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

/// The accesses of a function.
#[derive(Default)]
pub(super) struct Elements {
    /// Addresses that are accessed in a loop, but not in every iteration. Computed on first use.
    at_times: OnceCell<FxHashSet<Value>>,
}

impl Elements {
    /// The element at an address, if it should be accessed as one.
    pub fn element_at(&self, f: &Function, address: Value, size: u64) -> Option<Element> {
        let found = element(f, address, size)?;
        let unsigned = matches!(
            f.def_inst(found.index).map(|i| &i.kind),
            Some(InstKind::Convert { op: ConvertOp::ZExt, .. })
        );
        let at_times = unsigned && self.at_times.get_or_init(|| at_times(f)).contains(&address);
        (!at_times).then_some(found)
    }
}

/// The addresses that blocks access which are in loops, and not in each round of the innermost.
fn at_times(f: &Function) -> FxHashSet<Value> {
    let cfg = Cfg::new(f);
    let loops = cfg.loops();
    let mut found = FxHashSet::default();
    for block in &f.layout {
        let Some(around) = loops.innermost(*block) else { continue };
        if loops.loops[around].latches.iter().all(|latch| cfg.dominates(*block, *latch)) {
            continue;
        }
        found.extend(f.blocks[*block].insts.iter().filter_map(|inst| match f.insts[*inst].kind {
            InstKind::Load { place: Place::Address(address), .. }
            | InstKind::Store { place: Place::Address(address), .. } => Some(address),
            _ => None,
        }));
    }
    found
}

/// An address as a buffer's, an index of elements, and how many elements more.
pub(super) struct Element {
    pub base: Value,
    pub index: Value,
    pub more: u64,
}

/// Splits an address into an argument's address (two words of the argument block), a multiple of the elements' size and a constant
/// multiple. Pointers that are loaded from memory may lead into the middle of any buffer.
fn element(f: &Function, address: Value, size: u64) -> Option<Element> {
    let sum = |value: Value| match f.def_inst(value)?.kind {
        InstKind::Binary(BinaryOp::IAdd, a, b) => Some((a, b)),
        _ => None,
    };
    let (mut address, mut bytes) = (address, 0);
    if let Some((rest, constant)) = sum(address)
        && let Some(constant) = f.const_bits(constant)
    {
        (address, bytes) = (rest, constant.cast_signed());
    }
    let size = i64::try_from(size).ok().filter(|s| bytes % s == 0)?;
    let (base, offset) = sum(address)?;
    let InstKind::Bitcast(words) = f.def_inst(base)?.kind else { return None };
    let InstKind::Construct(words) = &f.def_inst(words)?.kind else { return None };
    let of_block = |word: &Value| {
        let load = f.def_inst(*word).map(|inst| &inst.kind);
        matches!(load, Some(InstKind::Load { place: Place::Element { root: Root::Block, .. }, .. }))
    };
    if !words.iter().all(of_block) {
        return None;
    }
    let InstKind::Binary(op, index, by) = f.def_inst(offset)?.kind else { return None };
    let by = f.const_bits(by)?;
    let scale = match op {
        BinaryOp::Shl if by < 62 => 1 << by,
        BinaryOp::IMul => by,
        _ => return None,
    };
    (scale == size.cast_unsigned()).then_some(Element { base, index, more: (bytes / size).cast_unsigned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// Accesses with two indices in a loop, in each iteration or under a condition. Returns those that are elements.
    fn elements(index: &str, behind: bool) -> usize {
        let words =
            "v21: i32 = load block.i32[i32:2], align=4\n  v22: i32 = load block.i32[i32:3], align=4\n";
        elements_of(words, index, behind)
    }

    /// The same with an address of these two words.
    fn elements_of(words: &str, index: &str, behind: bool) -> usize {
        let (block, end) =
            if behind { ("condbr v0, b4(), b5()\nb4():\n", "  br b5()\nb5():\n") } else { ("", "") };
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ()\n  slot s0 size=8 align=4\nb0(v0: bool, v1: i32):\n  \
             {words}  v3: i32x2 = construct(v21, v22)\n  v4: i64 = bitcast v3\n  br b1(i32:0)\nb1(v5: i32):\n  \
             v6: bool = icmp.ult v5, i32:9\n  condbr v6, b2(), b3()\nb2():\n  v7: i64 = convert.{index} v5\n  \
             v8: i64 = shl v7, i64:2\n  v9: i64 = iadd v4, v8\n  {block}  v10: i32 = load address[v9], align=4\n  \
             store address[v9], v10, align=4\n{end}  v11: i32 = iadd v5, i32:1\n  br b1(v11)\nb3():\n  return()\n"
        );
        let module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let f = module.functions.values().next().expect("a function");
        let elements = Elements::default();
        let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
        let is = |inst: &&crate::ir::Inst| match f.insts[**inst].kind {
            InstKind::Load { place: Place::Address(a), .. }
            | InstKind::Store { place: Place::Address(a), .. } => elements.element_at(f, a, 4).is_some(),
            _ => false,
        };
        insts.filter(is).count()
    }

    #[test]
    fn unsigned_indices_behind_conditions_in_loops_are_none() {
        assert_eq!(elements("zext", false), 2);
        assert_eq!(elements("sext", false), 2);
        assert_eq!(elements("sext", true), 2);
        assert_eq!(elements("zext", true), 0);
    }

    /// A pointer that is loaded from memory may lead into the middle of a large buffer.
    #[test]
    fn pointers_in_memory_are_none() {
        let words = "v21: i32 = load s0.i32[i32:0], align=4\n  v22: i32 = load s0.i32[i32:1], align=4\n";
        assert_eq!(elements_of(words, "sext", false), 0);
    }
}
