//! Strength reduction of addresses: offsets within buffers are computed in 32 bits and share common bases.
//!
//! It applies in the address binding model, on devices where no buffer is larger than 4 GiB.
//!
//! ```text
//! start + ((long)(i + 1) << 2)    →    start + (ulong)((uint)i * 4 + 4)
//! ```
//!
//! A valid access lies within the argument's buffer, so the low half of the whole offset from the buffer's start is the offset. A signed index
//! alone does not prove that. It is extended, scaled and added in 64 bits, which costs a GPU some six operations, where a 32-bit offset is an
//! operand of the load.
//!
//! Only sums that contain an argument's address are rewritten. Loop-carried pointers stay. `narrow_int64` then computes the offsets in 32 bits.

mod low_halves;
mod order;

use crate::analysis::alias::origins::block_word;
use crate::analysis::linear::{self, Term};
use crate::analysis::ranges::Ranges;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{BinaryOp, Block, ConvertOp, Func, Function, Inst, InstKind, Module, Place, Type, Value};
use crate::kernel_info::{ArgumentBlock, BindingModel, BlockSource};
use crate::target::{MAX_BUFFER_SIZE, START_ALIGNMENT};
use crate::transform::rewriter::Rewriter;
use low_halves::{UniformAddresses, UniformParts, Varying};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Limit on the terms of an address; others stay.
const MAX_TERMS: usize = 12;
/// Accesses share the sum of their terms where their distance in bytes is less than this. The largest buffer is smaller than 4 GiB by the same
/// number, so that offsets which differ by less modulo 2^32 really differ by that.
const MAX_NEIGHBOUR_DISTANCE: u32 = (1u64 << 32).wrapping_sub(MAX_BUFFER_SIZE) as u32;

/// Rewrites the addresses in kernels, for devices whose buffers are below 4 GiB.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let kernels: Vec<(Func, ArgumentBlock)> = module
        .kernels
        .iter()
        .filter_map(|kernel| Some((kernel.func, kernel.plan.as_ref()?)))
        .filter(|(_, plan)| plan.model == BindingModel::Address)
        .map(|(func, plan)| (func, plan.block.clone()))
        .collect();
    for (func, arguments) in kernels {
        if module.functions.get(func).is_some() {
            rewrite(&mut module.functions[func], &arguments, context.target.slow_addresses(), module.noalias);
        }
    }
    Ok(())
}

/// Rewrites the addresses of one function. `noalias`: the arguments' buffers share no memory, and start at multiples of
/// [`START_ALIGNMENT`].
fn rewrite(function: &mut Function, arguments: &ArgumentBlock, slow: bool, noalias: bool) {
    let cfg = function.cfg();
    let varying = slow.then(|| Varying::new(function));
    let mut planned = find(function, &cfg, arguments, varying.as_ref(), noalias);
    for (block, insts) in planned.orders.drain(..) {
        function.blocks[block].insts = insts;
    }
    for (inst, align) in planned.aligns.drain(..).filter(|_| noalias) {
        if let InstKind::Load { flags, .. } | InstKind::Store { flags, .. } = &mut function.insts[inst].kind {
            flags.align = flags.align.max(align);
        }
    }
    let planned = planned.accesses;
    if planned.is_empty() {
        return;
    }
    let uniform_parts = varying.as_ref().map(|varying| {
        UniformParts::new(planned.values().filter(|planned| planned.offset.varies(varying)), varying)
    });
    let uniform = varying.as_ref().map(|varying| UniformAddresses::new(planned.values(), varying));
    for block in function.layout.clone() {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        for inst in insts {
            rw.at(inst);
            if let Some(planned) = planned.get(&inst) {
                let address = match (&varying, &uniform_parts, &uniform) {
                    (Some(varying), Some(uniform_parts), _) if planned.offset.varies(varying) => {
                        planned.in_halves(&mut rw, varying, uniform_parts)
                    }
                    (_, _, Some(uniform)) if planned.chunk.is_some() => {
                        planned.uniform_in_halves(&mut rw, *uniform)
                    }
                    _ => planned.in_32_bits(&mut rw),
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

/// An access to rewrite.
struct Planned {
    sum: Sum,
    offset: Offset,
    /// True if it is in a loop.
    repeated: bool,
    /// The least constant among neighbours: accesses of the block that differ by small constants alone.
    first: Option<u32>,
    /// True if it stores.
    stores: bool,
    /// For a written buffer: the least constant of the accesses of its group in the same sixteen bytes.
    chunk: Option<u32>,
    /// True if it moved up. Its address is then built from the terms of an earlier access, because its own may be computed behind it.
    moved: bool,
}

/// The findings in a function.
#[derive(Default)]
struct Found {
    accesses: FxHashMap<Inst, Planned>,
    /// The alignment of each access, given aligned starts of buffers.
    aligns: Vec<(Inst, u32)>,
    /// The better orders of instructions, by block.
    orders: Vec<(Block, Vec<Inst>)>,
}

/// Finds the accesses to rewrite: those whose offsets may need more than 32 bits, and those with neighbours. Where addresses are slow, it also
/// finds those whose offsets vary between work-items.
fn find(
    function: &Function,
    cfg: &Cfg,
    arguments: &ArgumentBlock,
    slow: Option<&Varying>,
    noalias: bool,
) -> Found {
    let mut ranges = Ranges::new(function, cfg);
    let mut found = Found::default();
    let loops = slow.map(|_| cfg.loops());
    let mut blocks = Vec::new();
    let mut written: FxHashSet<Value> = FxHashSet::default();
    for block in &function.layout {
        let mut of_block = Vec::new();
        let repeated = loops.as_ref().is_some_and(|loops| loops.depth(*block) > 0);
        for inst in &function.blocks[*block].insts {
            if let Some(Place::Address(address)) = function.insts[*inst].kind.place()
                && let Some(sum) = Sum::new(function, arguments, address)
            {
                let offset = Offset::new(function, &sum);
                found.aligns.push((*inst, offset.align()));
                let kind = &function.insts[*inst].kind;
                if !matches!(kind, InstKind::Load { .. }) {
                    written.insert(sum.base);
                }
                let stores = matches!(kind, InstKind::Store { .. });
                // Atomics are merged with nothing.
                let chunk = matches!(kind, InstKind::Atomic { .. }).then_some(offset.constant);
                let (first, moved) = (None, false);
                of_block.push((*inst, Planned { sum, offset, repeated, stores, first, chunk, moved }));
            }
        }
        if !of_block.is_empty() {
            blocks.push((*block, of_block));
        }
    }
    for (block, mut of_block) in blocks {
        find_neighbours(&mut of_block);
        if of_block.len() > 1 || slow.is_some() {
            let order = order::order(function, block, &mut of_block, &written, (slow.is_some(), noalias));
            found.orders.extend(order.map(|insts| (block, insts)));
        }
        for (inst, planned) in of_block {
            // A sum that fits in 32 bits may have a uniform part added to the start: it is best left there.
            let mut bounds = planned.sum.terms.iter().map(|term| ranges.greatest(*term));
            let fits = bounds.try_fold(0u64, u64::checked_add).is_some_and(|sum| sum <= u64::from(u32::MAX));
            let slow = slow.is_some_and(|varying| planned.chunk.is_some() || planned.offset.varies(varying));
            if !fits || planned.first.is_some() || planned.moved || slow {
                found.accesses.insert(inst, planned);
            }
        }
    }
    found
}

/// Finds neighbours: accesses whose addresses differ by small constants. A block executes all of its accesses or none, so that the offset of
/// each is inside the buffer. The offsets of the others are that offset and the exact difference, which is added last, where drivers see it.
fn find_neighbours(accesses: &mut [(Inst, Planned)]) {
    let mut groups: FxHashMap<_, SmallVec<[usize; 4]>> = FxHashMap::default();
    for (n, (_, planned)) in accesses.iter().enumerate() {
        groups.entry((planned.sum.base, planned.offset.sorted_terms())).or_default().push(n);
    }
    for mut these in groups.into_values().filter(|these| these.len() > 1) {
        // Constants are signed: negative ones come first.
        let at = |n: usize| accesses[n].1.offset.constant.cast_signed();
        these.sort_unstable_by_key(|n| at(*n));
        let mut firsts = SmallVec::<[(usize, i32); 8]>::new();
        let mut rest = these.as_slice();
        while let Some(first) = rest.first().map(|n| at(*n)) {
            let count = rest.partition_point(|n| at(*n).abs_diff(first) < MAX_NEIGHBOUR_DISTANCE);
            let (group, others) = rest.split_at(count);
            if group.iter().any(|n| at(*n) != first) {
                firsts.extend(group.iter().map(|n| (*n, first)));
            }
            rest = others;
        }
        for (n, first) in firsts {
            accesses[n].1.first = Some(first.cast_unsigned());
        }
    }
}

impl Planned {
    /// The distance behind the first of its neighbours.
    fn beyond(&self) -> u64 {
        self.first.map_or(0, |first| self.offset.constant.wrapping_sub(first)).into()
    }

    /// Builds the address with a 32-bit offset.
    fn in_32_bits(&self, rw: &mut Rewriter<'_>) -> Value {
        let Some(first) = self.first else { return self.sum.in_32_bits(rw) };
        let constant = rw.iconst(Type::I32, first.into());
        let offset = self.offset.sum(rw, None, |_| true);
        let offset = offset.map_or(constant, |offset| rw.add(offset, constant));
        let offset = rw.convert(ConvertOp::ZExt, offset, Type::I64);
        let first = rw.add(self.sum.base, offset);
        let beyond = rw.iconst(Type::I64, self.beyond());
        rw.add(first, beyond)
    }
}

/// An offset modulo 2^32.
type Offset = linear::Sum;

impl Offset {
    fn new(f: &Function, sum: &Sum) -> Offset {
        let mut offset = Offset { constant: sum.constant as u32, ..Offset::default() };
        sum.terms.iter().for_each(|term| offset.add(f, *term, 1));
        offset
    }

    /// The alignment of an address with this offset from the start of a buffer.
    fn align(&self) -> u32 {
        let factors = self.terms.iter().fold(self.constant | START_ALIGNMENT, |all, term| all | term.1);
        1 << factors.trailing_zeros()
    }

    /// Returns whether the offset may differ between neighbouring work-items.
    fn varies(&self, varying: &Varying) -> bool {
        self.terms.iter().any(|term| varying.contains(term.0))
    }

    /// Builds the sum of the wanted terms. Terms with one factor are scaled once.
    fn sum(
        &self,
        rw: &mut Rewriter<'_>,
        start: Option<Value>,
        wanted: impl Fn(&Term) -> bool,
    ) -> Option<Value> {
        let these: SmallVec<[Term; 4]> = self.terms.iter().copied().filter(wanted).collect();
        let mut total = start;
        for (n, (_, factor)) in these.iter().enumerate() {
            if these[..n].iter().any(|(_, f)| f == factor) {
                continue;
            }
            let mut sum: Option<Value> = None;
            for (value, _) in these[n..].iter().filter(|(_, f)| f == factor) {
                let value = rw.int_cast(*value, Type::I32, false);
                sum = Some(sum.map_or(value, |sum| rw.add(sum, value)));
            }
            if let Some(sum) = sum {
                let scaled = rw.mul_const(sum, u64::from(*factor));
                total = Some(total.map_or(scaled, |total| rw.add(total, scaled)));
            }
        }
        total
    }
}

/// An address as the start of a buffer and added terms.
struct Sum {
    base: Value,
    /// The buffer, as the offset of its address in the argument block.
    buffer: u32,
    terms: SmallVec<[Value; 4]>,
    constant: u64,
}

impl Sum {
    /// Splits an address that has exactly one buffer's start among its terms.
    fn new(f: &Function, arguments: &ArgumentBlock, address: Value) -> Option<Self> {
        let (mut base, mut constant) = (None::<(Value, u32)>, 0u64);
        let mut terms = SmallVec::<[Value; 4]>::new();
        let mut work = vec![address];
        while let Some(value) = work.pop() {
            match f.def_inst(value).map(|inst| &inst.kind) {
                Some(InstKind::Binary(BinaryOp::IAdd, a, b)) => work.extend([*b, *a]),
                _ => match (start(f, arguments, value), f.const_bits(value)) {
                    (Some(_), _) if base.is_some() => return None,
                    (Some(buffer), _) => base = Some((value, buffer)),
                    (None, Some(bits)) => constant = constant.wrapping_add(bits),
                    (None, None) => terms.push(value),
                },
            }
            if terms.len() + work.len() > MAX_TERMS {
                return None;
            }
        }
        let (base, buffer) = base?;
        Some(Sum { base, buffer, terms, constant })
    }

    fn in_32_bits(&self, rw: &mut Rewriter<'_>) -> Value {
        let constant = rw.iconst(Type::I64, self.constant);
        let offset = self.terms.iter().rev().fold(constant, |sum, term| rw.add(*term, sum));
        let low = rw.convert(ConvertOp::Trunc, offset, Type::I32);
        let offset = rw.convert(ConvertOp::ZExt, low, Type::I64);
        rw.add(self.base, offset)
    }
}

/// The offset in the argument block of a value that is a buffer's start: two neighbouring words of the block.
fn start(f: &Function, arguments: &ArgumentBlock, value: Value) -> Option<u32> {
    let InstKind::Bitcast(pair) = f.def_inst(value)?.kind else { return None };
    let InstKind::Construct(words) = &f.def_inst(pair)?.kind else { return None };
    let [low, high] = words.as_slice() else { return None };
    let word = |word: Value| block_word(f, arguments.location, word);
    let (low, high) = (word(*low)?, word(*high)?);
    let source = arguments.members.iter().find(|m| m.offset == low * 4)?.source;
    let starts = matches!(
        source,
        BlockSource::ArgumentAddress(_)
            | BlockSource::ConstantsAddress
            | BlockSource::GlobalsAddress
            | BlockSource::PrintfAddress
    );
    (starts && high == low + 1).then_some(low * 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// A kernel that stores at an offset, v9, from the start of its first argument's buffer.
    fn stored_at(offset: &str, slow: bool) -> String {
        rewritten(
            &format!(
                "{offset}  v10: i64 = iadd v4, v9\n  v11: i64 = iadd v10, i64:4\n  store address[v11], v2, align=4\n"
            ),
            slow,
            false,
        )
    }

    /// A kernel with these instructions, after the pass.
    fn rewritten(insts: &str, slow: bool, aligned: bool) -> String {
        let source = format!(
            r#"module resolved bits=64
kernel "k" f0
  arg "p" "int*" () pointer global
  arg "n" "int" () value size=4 align=4 leaves=(0)
  plan address "{{\"size\":24,\"location\":\"push_constants\",\"members\":[{{\"offset\":0,\"size\":8,\"source\":{{\"argument_address\":0}}}},{{\"offset\":8,\"size\":4,\"source\":{{\"argument\":1}}}},{{\"offset\":16,\"size\":8,\"source\":{{\"argument_address\":2}}}}]}}"
func f0 "k" returns ()
b0():
  v0: i32 = load block.i32[i32:0], align=4
  v1: i32 = load block.i32[i32:1], align=4
  v2: i32 = load block.i32[i32:2], align=4
  v3: i32x2 = construct(v0, v1)
  v4: i64 = bitcast v3
{insts}  return()
"#
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let kernel = &module.kernels[0];
        let arguments = kernel.plan.as_ref().expect("a plan").block.clone();
        rewrite(&mut module.functions[kernel.func], &arguments, slow, aligned);
        module.to_string()
    }

    #[test]
    fn offsets_that_may_be_negative_are_truncated() {
        let signed = stored_at("  v8: i64 = convert.sext v2\n  v9: i64 = shl v8, i64:2\n", false);
        assert!(signed.contains("convert.trunc") && signed.contains("convert.zext"), "{signed}");
        assert!(!signed.contains("store address[v11]"), "{signed}");
    }

    #[test]
    fn slow_addresses_use_low_halves() {
        let varies = "  v6: i32 = input.globalinvocationid 0\n  v7: i32 = shl v6, i32:1\n  v8: i32 = iadd v7, v2\n  v12: i64 = convert.sext v8\n  \
                      v9: i64 = shl v12, i64:2\n";
        let halves = stored_at(varies, true);
        assert!(
            halves.contains("bufferscross") && halves.contains("store address[v11]").eq(&false),
            "{halves}"
        );
        // 4 and the uniform number are added to the start.
        assert!(halves.contains("iadd v0, i32:4") && halves.contains("shl v2, i32:2"), "{halves}");
        assert!(!stored_at(varies, false).contains("bufferscross"));
        let same = stored_at("  v8: i64 = convert.sext v2\n  v9: i64 = shl v8, i64:2\n", true);
        // The uniform part is added to the start, too.
        assert!(same.contains("bufferscross") && same.contains("iadd v0, "), "{same}");
    }

    /// Word stores at constant offsets behind a loaded number of words.
    fn stores_at_constants(constants: &[u64], align: u32) -> String {
        let mut text = String::from(
            "  v8: i64 = convert.sext v2\n  v9: i64 = shl v8, i64:2\n  v10: i64 = iadd v4, v9\n",
        );
        for (n, constant) in constants.iter().enumerate() {
            let at = 20 + n;
            text += &format!(
                "  v{at}: i64 = iadd v10, i64:{constant}\n  store address[v{at}], v2, align={align}\n"
            );
        }
        text
    }

    #[test]
    fn neighbours_share_a_sum() {
        let count = |text: &str, what: &str| text.matches(what).count();
        // -4, 0 and 4: the first is the sum, and the others are 4 and 8 behind it. The text still has the old 4 behind 0.
        let near = rewritten(&stores_at_constants(&[0, u64::MAX - 3, 4], 4), false, false);
        assert_eq!([count(&near, "convert.zext"), count(&near, "convert.trunc")], [3, 0], "{near}");
        assert_eq!([count(&near, ", i64:4\n"), count(&near, ", i64:8\n")], [2, 1], "{near}");
        // Distant accesses are computed by themselves.
        let far = rewritten(&stores_at_constants(&[0, 4096], 4), false, false);
        assert_eq!(count(&far, "convert.trunc"), 2, "{far}");
        let same = rewritten(&stores_at_constants(&[4, 4], 4), false, false);
        assert_eq!(count(&same, "convert.trunc"), 2, "{same}");
    }

    #[test]
    fn alignments_are_those_of_constants_and_factors() {
        let aligned = |aligned| rewritten(&stores_at_constants(&[0, 2, 8, 16], 1), false, aligned);
        let (with_alignment, unknown) = (aligned(true), aligned(false));
        let found = |text: &str| [1, 2, 4, 8, 16].map(|n| text.matches(&format!("v2, align={n}\n")).count());
        assert_eq!(found(&with_alignment), [0, 1, 3, 0, 0], "{with_alignment}");
        assert_eq!(found(&unknown), [4, 0, 0, 0, 0], "{unknown}");
    }

    #[test]
    fn uniform_parts_are_added_where_that_is_cheaper() {
        // One offset into a buffer: the uniform part is scaled with the varying one, and added once.
        let one = "  v6: i32 = input.globalinvocationid 0\n  v7: i32 = iadd v6, v2\n  v8: i64 = convert.zext v7\n  \
                   v9: i64 = shl v8, i64:2\n  v10: i64 = iadd v4, v9\n  store address[v10], v2, align=4\n";
        let joined = rewritten(one, true, false);
        assert!(!joined.contains("shl v2, i32:2") && joined.contains("bufferscross"), "{joined}");
        // Two offsets with the same uniform part: it is added to the buffer's start, once.
        let two = format!(
            "{one}  v20: i32 = shl v6, i32:1\n  v21: i32 = iadd v20, v2\n  v22: i64 = convert.zext v21\n  \
                           v23: i64 = shl v22, i64:2\n  v24: i64 = iadd v4, v23\n  store address[v24], v2, align=4\n"
        );
        let noalias = rewritten(&two, true, false);
        assert_eq!(noalias.matches("shl v2, i32:2").count(), 2, "{noalias}");
    }

    /// The stores in order, each by its value and its alignment.
    fn stores(text: &str) -> Vec<&str> {
        text.lines()
            .filter(|l| l.contains("store address"))
            .filter_map(|l| l.split_once(", ").map(|l| l.1))
            .collect()
    }

    /// Two buffers, v4 and v14, of which the second's address is the argument block's last member.
    fn with_two_buffers(insts: &str, slow: bool, noalias: bool) -> String {
        let second = format!(
            "  v10: i32 = load block.i32[i32:4], align=4\n  v11: i32 = load block.i32[i32:5], align=4\n  v12: i32x2 = construct(v10, v11)\n  \
             v14: i64 = bitcast v12\n  v15: i32 = iadd v2, i32:1\n  v16: i32 = iadd v2, i32:2\n  v17: i32 = iadd v2, i32:3\n{insts}"
        );
        rewritten(&second, slow, noalias)
    }

    #[test]
    fn neighbouring_accesses_become_adjacent() {
        // A store to the other buffer is between two that can be merged.
        let insts = "  store address[v4], v15, align=4\n  store address[v14], v16, align=4\n  v20: i64 = iadd v4, i64:4\n  \
                     store address[v20], v17, align=4\n";
        let order = |noalias| {
            let text = with_two_buffers(insts, false, noalias);
            stores(&text).iter().map(|s| s[..3].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(order(true), ["v16", "v15", "v17"]);
        assert_eq!(order(false), ["v15", "v16", "v17"], "they may be the same memory");
        // A load of the stored address between, and one of another address in the same buffer.
        let loaded = |at: u32| {
            let insts = format!(
                "  v20: i64 = iadd v4, i64:{at}\n  store address[v4], v15, align=4\n  store address[v14], v16, align=4\n  \
                 v21: i32 = load address[v20], align=4\n  v22: i64 = iadd v4, i64:4\n  store address[v22], v21, align=4\n"
            );
            with_two_buffers(&insts, false, true)
        };
        assert!(stores(&loaded(0))[0].starts_with("v15"), "{}", loaded(0));
        assert!(stores(&loaded(8))[0].starts_with("v16"), "{}", loaded(8));
        // No access crosses a barrier.
        let barrier = insts.replace("  v20", "  barrier workgroup workgroup acquire|release|global\n  v20");
        assert!(stores(&with_two_buffers(&barrier, false, true))[0].starts_with("v15"));
    }

    #[test]
    fn loads_come_with_their_neighbours() {
        let insts = "  v20: i32 = load address[v4], align=4\n  store address[v14], v20, align=4\n  v21: i64 = iadd v4, i64:4\n  \
                     v22: i32 = load address[v21], align=4\n  v23: i64 = iadd v14, i64:64\n  store address[v23], v22, align=4\n";
        let place = |text: &str, what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        let (noalias, may_alias) =
            (with_two_buffers(insts, false, true), with_two_buffers(insts, false, false));
        assert!(place(&noalias, "v22: i32 = load") < place(&noalias, "store address"), "{noalias}");
        assert!(place(&may_alias, "v22: i32 = load") > place(&may_alias, "store address"), "{may_alias}");
    }

    /// Equal addresses through separate values: the second load moves up, above the definition of its own address.
    #[test]
    fn a_load_that_moves_up_has_its_address_there() {
        let insts = "  v30: i32 = and v2, i32:255\n  v31: i64 = convert.zext v30\n  v32: i64 = iadd v4, v31\n  v33: i64 = iadd v32, i64:8\n  \
                     v20: i32 = load address[v33], align=4\n  store address[v14], v20, align=4\n  v34: i64 = iadd v31, i64:8\n  \
                     v35: i64 = iadd v34, v4\n  v22: i32 = load address[v35], align=4\n  v23: i64 = iadd v14, i64:64\n  \
                     store address[v23], v22, align=4\n";
        let text = with_two_buffers(insts, false, true);
        assert!(text.find("v22: i32 = load") < text.find("store address"), "{text}");
        let module = text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }

    #[test]
    fn constants_at_written_buffers_are_added_to_halves() {
        let store =
            |at: u32| format!("  v{at}: i64 = iadd v4, i64:{at}\n  store address[v{at}], v2, align=4\n");
        let one = rewritten(&store(32), true, true);
        assert!(one.contains("iadd v0, i32:32") && one.contains("bufferscross"), "{one}");
        // With three the driver must not know that they are uniform.
        let three = rewritten(&[32, 64, 96].map(store).concat(), true, true);
        assert!(three.contains("localinvocationid") && three.contains("i32:31"), "{three}");
        assert!(
            !one.contains("localinvocationid")
                && !rewritten(&store(32), false, true).contains("bufferscross")
        );
    }

    #[test]
    fn offsets_that_fit_stay() {
        let small = stored_at(
            "  v7: i32 = and v2, i32:255\n  v8: i64 = convert.zext v7\n  v9: i64 = shl v8, i64:2\n",
            false,
        );
        assert!(!small.contains("convert.trunc") && small.contains("store address[v11]"), "{small}");
        // A sum with two starts stays.
        let two = stored_at("  v8: i64 = convert.sext v2\n  v9: i64 = iadd v8, v4\n", false);
        assert!(two.contains("store address[v11]"), "{two}");
    }
}
