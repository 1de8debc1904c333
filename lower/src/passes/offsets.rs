//! In the address model, where no buffer is larger than 4 GiB, offsets from the starts of buffers are computed in 32 bits.
//!
//! A valid access lies within the argument's buffer, so the low half of its whole offset from the buffer's start is the offset. A
//! signed index alone does not tell that: it is extended, scaled and added in 64 bits, which costs a GPU some six operations, where
//! an offset of 32 bits is an operand of the load. Only addresses that are sums with an argument's address in them are
//! rewritten; pointers that go round loops stay as they are. `narrow` then computes the offsets in 32 bits.

mod halves;

use super::PassContext;
use super::narrow::Ranges;
use super::rewrite::Rewriter;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{
    BinaryOp, ConvertOp, Func, Function, Inst, InstKind, Module, Place, Root, Scalar, Type, Value, ValueDef,
};
use crate::kernel_info::{BindingModel, BlockMember, BlockSource};
use halves::Varying;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An address with more terms is left alone.
const TERMS: usize = 12;

/// Rewrites the addresses in kernels, for devices with such buffers.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if !context.target.features.buffers_below_4_gib {
        return Ok(());
    }
    let kernels: Vec<(Func, Vec<BlockMember>)> = module
        .kernels
        .iter()
        .filter_map(|kernel| Some((kernel.func, kernel.plan.as_ref()?)))
        .filter(|(_, plan)| plan.model == BindingModel::Address)
        .map(|(func, plan)| (func, plan.block.members.clone()))
        .collect();
    for (func, members) in kernels {
        if module.functions.get(func).is_some() {
            rewrite(&mut module.functions[func], &members, context.target.slow_addresses());
        }
    }
    Ok(())
}

fn rewrite(function: &mut Function, members: &[BlockMember], slow: bool) {
    let cfg = function.cfg();
    let varying = slow.then(|| Varying::of(function));
    let sums = find(function, &cfg, members, varying.as_ref());
    if sums.is_empty() {
        return;
    }
    for block in function.layout.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        for inst in insts {
            rw.at(inst);
            if let Some(sum) = sums.get(&inst) {
                let address = match &varying {
                    Some(varying) if sum.varies(varying) => sum.in_halves(&mut rw, varying),
                    _ => sum.in_32_bits(&mut rw),
                };
                if let InstKind::Load { place, .. }
                | InstKind::Store { place, .. }
                | InstKind::Atomic { place, .. } = &mut rw.f.insts[inst].kind
                {
                    *place = Place::Address(address);
                }
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
    }
}

/// The accesses whose offsets 32 bits are not known to hold; where addresses are slow, those whose offsets vary, too.
fn find(
    function: &Function,
    cfg: &Cfg,
    members: &[BlockMember],
    slow: Option<&Varying>,
) -> FxHashMap<Inst, Sum> {
    let mut ranges = Ranges::new(function, cfg);
    let mut found = FxHashMap::default();
    for inst in function.layout.iter().flat_map(|block| &function.blocks[*block].insts) {
        if let Some(Place::Address(address)) = function.insts[*inst].kind.place()
            && let Some(sum) = Sum::of(function, members, address)
        {
            // What is added to the start beside a number that fits is the same for all work-items: it is best left there.
            let mut most = sum.terms.iter().map(|term| ranges.greatest(*term));
            let fits = most.try_fold(0u64, u64::checked_add).is_some_and(|most| most <= u64::from(u32::MAX));
            if !fits || slow.is_some_and(|varying| sum.varies(varying)) {
                found.insert(*inst, sum);
            }
        }
    }
    found
}

/// An address as the start of a buffer and what is added to it.
struct Sum {
    base: Value,
    terms: SmallVec<[Value; 4]>,
    constant: u64,
}

impl Sum {
    /// Of an address that has one buffer's start among its terms.
    fn of(f: &Function, members: &[BlockMember], address: Value) -> Option<Self> {
        let (mut base, mut constant) = (None, 0u64);
        let mut terms = SmallVec::<[Value; 4]>::new();
        let mut work = vec![address];
        while let Some(value) = work.pop() {
            match f.def_inst(value).map(|inst| &inst.kind) {
                Some(InstKind::Binary(BinaryOp::IAdd, a, b)) => work.extend([*b, *a]),
                _ if is_start(f, members, value) => {
                    if base.replace(value).is_some() {
                        return None;
                    }
                }
                _ => match f.const_bits(value) {
                    Some(bits) => constant = constant.wrapping_add(bits),
                    None => terms.push(value),
                },
            }
            if terms.len() + work.len() > TERMS {
                return None;
            }
        }
        Some(Sum { base: base?, terms, constant })
    }

    /// Whether it may differ between neighbours.
    fn varies(&self, varying: &Varying) -> bool {
        self.terms.iter().any(|term| varying.has(*term))
    }

    fn in_32_bits(&self, rw: &mut Rewriter<'_>) -> Value {
        let constant = rw.iconst(Type::I64, self.constant);
        let offset = self.terms.iter().rev().fold(constant, |sum, term| rw.add(*term, sum));
        let low = rw.convert(ConvertOp::Trunc, offset, Type::I32);
        let offset = rw.convert(ConvertOp::ZExt, low, Type::I64);
        rw.add(self.base, offset)
    }
}

/// Whether a value is the address at which a buffer starts: two words of the argument block side by side.
fn is_start(f: &Function, members: &[BlockMember], value: Value) -> bool {
    let Some(InstKind::Bitcast(pair)) = f.def_inst(value).map(|inst| &inst.kind) else { return false };
    let Some(InstKind::Construct(words)) = f.def_inst(*pair).map(|inst| &inst.kind) else { return false };
    let [low, high] = words.as_slice() else { return false };
    let (Some(low), Some(high)) = (word(f, *low), word(f, *high)) else { return false };
    let source = members.iter().find(|m| m.offset == low * 4).map(|m| m.source);
    high == low + 1
        && matches!(
            source,
            Some(
                BlockSource::ArgumentAddress(_) | BlockSource::ConstantsAddress | BlockSource::GlobalsAddress
            )
        )
}

/// The number of a word of the argument block.
fn word(f: &Function, value: Value) -> Option<u32> {
    let ValueDef::Inst(inst, 0) = f.values[value].def else { return None };
    match f.insts[inst].kind {
        InstKind::Load {
            place: Place::Element { root: Root::Block, scalar: Scalar::I32, lanes: 1, index },
            ..
        } => u32::try_from(f.const_bits(index)?).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// A kernel that stores at an offset, v9, from its first argument's buffer, written in the text.
    fn stored_at(offset: &str, slow: bool) -> String {
        let source = format!(
            r#"module resolved bits=64
kernel "k" f0
  arg "p" "int*" () pointer global
  arg "n" "int" () value size=4 align=4 leaves=(0)
  plan address "{{\"size\":12,\"place\":\"push_constants\",\"members\":[{{\"offset\":0,\"size\":8,\"source\":{{\"argument_address\":0}}}},{{\"offset\":8,\"size\":4,\"source\":{{\"argument\":1}}}}]}}"
func f0 "k" returns ()
b0():
  v0: i32 = load block.i32[i32:0], align=4
  v1: i32 = load block.i32[i32:1], align=4
  v2: i32 = load block.i32[i32:2], align=4
  v3: i32x2 = construct(v0, v1)
  v4: i64 = bitcast v3
{offset}  v10: i64 = iadd v4, v9
  v11: i64 = iadd v10, i64:4
  store address[v11], v2, align=4
  return()
"#
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let kernel = &module.kernels[0];
        let members = kernel.plan.as_ref().expect("a plan").block.members.clone();
        rewrite(&mut module.functions[kernel.func], &members, slow);
        module.to_string()
    }

    #[test]
    fn offsets_that_may_be_negative_are_cut() {
        let signed = stored_at("  v8: i64 = convert.sext v2\n  v9: i64 = shl v8, i64:2\n", false);
        assert!(signed.contains("convert.trunc") && signed.contains("convert.zext"), "{signed}");
        assert!(!signed.contains("store address[v11]"), "{signed}");
    }

    #[test]
    fn where_addresses_are_slow_low_halves_are_added() {
        let varies = "  v6: i32 = input.globalinvocationid 0\n  v7: i32 = iadd v6, v2\n  v8: i64 = convert.sext v7\n  \
                      v9: i64 = shl v8, i64:2\n";
        let halves = stored_at(varies, true);
        assert!(
            halves.contains("bufferscross") && halves.contains("store address[v11]").eq(&false),
            "{halves}"
        );
        // 4 and the number that is the same for all are added to the start.
        assert!(halves.contains("iadd v0, i32:4") && halves.contains("shl v2, i32:2"), "{halves}");
        assert!(!stored_at(varies, false).contains("bufferscross"));
        let same = stored_at("  v8: i64 = convert.sext v2\n  v9: i64 = shl v8, i64:2\n", true);
        assert!(!same.contains("bufferscross") && same.contains("convert.trunc"), "{same}");
    }

    #[test]
    fn what_fits_stays() {
        let small = stored_at(
            "  v7: i32 = and v2, i32:255\n  v8: i64 = convert.zext v7\n  v9: i64 = shl v8, i64:2\n",
            false,
        );
        assert!(!small.contains("convert.trunc") && small.contains("store address[v11]"), "{small}");
        // Two starts are no sum of one.
        let two = stored_at("  v8: i64 = convert.sext v2\n  v9: i64 = iadd v8, v4\n", false);
        assert!(two.contains("store address[v11]"), "{two}");
    }
}
