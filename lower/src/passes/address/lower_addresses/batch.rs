//! Batches: one dispatch of a block runs several enqueued kernels ([`layout::batch`]).
//!
//! The argument block has the address of the batch's header in place of the record's. Each work-group finds its kernel's packet at the start,
//! and the NDRange and the record in it:
//!
//! ```text
//! kernel b { … group_id … block.global_size … }    becomes    kernel b { packet = list[group.y + group.z * ROW]; if (beyond(packet)) return;
//!                                                              … group.x % groups … packet.global_size … }
//! ```

use super::block::{RECORD, address_of};
use crate::analysis::alias::origins::block_word;
use crate::enqueue::layout::{UNIT, batch, packet};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, BranchTarget, BuiltinInput, ConvertOp, Function, Inst, InstKind, IntCC, KernelData, MemFlags,
    Place, Terminator, Type, Value, WorkItem,
};
use crate::kernel_info::{ArgumentBlock, Batch, BlockLocation, BlockSource};
use crate::transform::rewriter::{Rewriter, replace_results};
use crate::transform::split::split_entry;
use smallvec::SmallVec;

/// Where a work-group belongs to.
struct Found {
    /// The two words of the record's address.
    record: [Value; 2],
    dimensions: Value,
    offset: [Value; 3],
    global: [Value; 3],
    /// The numbers of work-groups.
    counts: [Value; 3],
    /// The number of this work-group.
    group: [Value; 3],
}

/// Returns whether the first argument of a kernel is a record, as that of blocks is.
pub(super) fn takes_record(kernel: &KernelData) -> bool {
    kernel.args.first().is_some_and(|arg| arg.type_qualifiers.iter().any(|word| word == "record"))
}

/// Returns whether a kernel has remainder guards.
pub(super) fn is_guarded(f: &Function) -> bool {
    let mut all = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    all.any(|inst| matches!(f.insts[*inst].kind, InstKind::WorkItem(WorkItem::DispatchSize, _)))
}

/// Changes a block's kernel. `guarded`: it had remainder guards, which stay.
///
/// # Errors
/// [`LowerError::NotYet`] for kernels that have no such form: the caller launches those one by one.
pub(super) fn run(
    f: &mut Function,
    (kernel, linear_groups): (&mut KernelData, bool),
    block: &mut ArgumentBlock,
    guarded: bool,
) -> Result<(), LowerError> {
    let refused = |what: &str| {
        Err(LowerError::NotYet { kernel: kernel.name.clone(), what: format!("a batch of blocks {what}") })
    };
    let header = block.members.iter().find(|m| m.source == RECORD).map(|m| m.offset);
    let Some(header) = header.filter(|_| block.location == BlockLocation::PushConstants) else {
        return refused("whose argument block is in a buffer");
    };
    let cuts = |d| block.members.iter().any(|m| m.source == BlockSource::DispatchSize(d));
    if guarded && !(0..3).all(cuts) {
        return refused("whose remainder guards have no room");
    }
    if linear_groups || kernel.wide || kernel.reqd_work_group_size.is_some() {
        return refused("with sub-groups, 64-bit ids or a required work-group size");
    }
    let entry = f.entry();
    let start = split_entry(f);
    f.layout.pop();
    f.layout.insert(1, start);
    let mut rw = Rewriter::new(f);
    let (found, beyond) = find(&mut rw, header);
    rw.finish_block(entry);
    let leave = f.new_block();
    f.blocks[leave].term = Terminator::Return(SmallVec::new());
    let to = |block| BranchTarget { block, args: SmallVec::new() };
    f.blocks[entry].term = Terminator::CondBranch { cond: beyond, then: to(leave), els: to(start) };
    // The entry is the first block: what it has now is not to be replaced.
    let own = std::mem::take(&mut f.blocks[entry].insts);
    let members = std::mem::take(&mut block.members);
    replace_results(
        f,
        |f, inst| asked(f, inst, &members).is_some(),
        |rw, inst| {
            let asked = asked(rw.f, inst, &members)?;
            Some(answer(rw, asked, &found))
        },
    );
    f.blocks[entry].insts = own;
    block.members = members.into_iter().filter(|m| m.source == RECORD || !is_of_packet(m.source)).collect();
    kernel.batch = Some(Batch { any_size: guarded });
    Ok(())
}

/// Returns whether a member of the argument block is different for each kernel of a batch.
fn is_of_packet(source: BlockSource) -> bool {
    source == RECORD
        || matches!(
            source,
            BlockSource::GlobalIdBase(_)
                | BlockSource::GlobalOffset(_)
                | BlockSource::GlobalSize(_)
                | BlockSource::NumGroups(_)
                | BlockSource::GroupBase(_)
                | BlockSource::EnqueuedLocalSize(_)
                | BlockSource::DispatchSize(_)
                | BlockSource::WorkDim
        )
}

/// What an instruction asks for.
enum Asked {
    Input(BuiltinInput, u8),
    /// A word of a member.
    Member(BlockSource, u32),
}

fn asked(f: &Function, inst: Inst, members: &[crate::kernel_info::BlockMember]) -> Option<Asked> {
    if let InstKind::Input(input, dim) = f.insts[inst].kind {
        let of_dispatch = matches!(input, BuiltinInput::WorkgroupId | BuiltinInput::GlobalInvocationId);
        return of_dispatch.then_some(Asked::Input(input, dim));
    }
    let result = f.insts[inst].results.first()?;
    let at = 4 * block_word(f, BlockLocation::PushConstants, *result)?;
    let member = members.iter().find(|m| (m.offset..m.offset + m.size).contains(&at))?;
    is_of_packet(member.source).then(|| Asked::Member(member.source, (at - member.offset) / 4))
}

fn answer(rw: &mut Rewriter<'_>, asked: Asked, found: &Found) -> Value {
    let at = |values: &[Value; 3], d: u32| values[d.min(2) as usize];
    match asked {
        Asked::Input(BuiltinInput::WorkgroupId, dim) => at(&found.group, dim.into()),
        Asked::Input(_, dim) => {
            let size = rw.inst(InstKind::WorkgroupSize(dim), Type::I32);
            let start = rw.binary(BinaryOp::IMul, at(&found.group, dim.into()), size);
            let local = rw.inst(InstKind::Input(BuiltinInput::LocalInvocationId, dim), Type::I32);
            rw.add(start, local)
        }
        Asked::Member(source, word) => match source {
            RECORD => found.record[word.min(1) as usize],
            BlockSource::GlobalIdBase(d) | BlockSource::GlobalOffset(d) => at(&found.offset, d),
            BlockSource::GlobalSize(d) | BlockSource::DispatchSize(d) => at(&found.global, d),
            BlockSource::NumGroups(d) => at(&found.counts, d),
            BlockSource::EnqueuedLocalSize(d) => rw.inst(InstKind::WorkgroupSize(d.min(2) as u8), Type::I32),
            BlockSource::WorkDim => found.dimensions,
            _ => rw.iconst(Type::I32, 0),
        },
    }
}

/// Finds the packet of the work-group: what it says, and whether the work-group is beyond it.
fn find(rw: &mut Rewriter<'_>, header: u32) -> (Found, Value) {
    let header = address_of(rw, header, BlockLocation::PushConstants);
    let count = word(rw, header, batch::header::COUNT);
    let [x, y, z] = [0, 1, 2].map(|dim| rw.inst(InstKind::Input(BuiltinInput::WorkgroupId, dim), Type::I32));
    let rows = rw.mul_const(z, batch::ROW.into());
    let number = rw.add(y, rows);
    // A kernel beyond the last one reads the last one's packet, and returns.
    let last = rw.binary_const(BinaryOp::ISub, count, 1);
    let place = rw.binary(BinaryOp::UMin, number, last);
    let [list, arena] = [batch::header::LIST, batch::header::ARENA].map(|at| wide_word(rw, header, at));
    let entry = element(rw, list, place, 4);
    let units = word(rw, entry, 0);
    let from = element(rw, arena, units, UNIT);
    let mut wide = |first: usize| [0, 1, 2].map(|d| word(rw, from, packet::RANGE + first + 2 * d));
    let (offset, global) = (wide(0), wide(6));
    let dimensions = word(rw, from, packet::DIMENSIONS);
    let counts = [0u8, 1, 2].map(|d| {
        let size = rw.inst(InstKind::WorkgroupSize(d), Type::I32);
        let less = rw.binary_const(BinaryOp::ISub, size, 1);
        let up = rw.add(global[usize::from(d)], less);
        rw.binary(BinaryOp::UDiv, up, size)
    });
    let plane = rw.binary(BinaryOp::IMul, counts[0], counts[1]);
    let all = rw.binary(BinaryOp::IMul, plane, counts[2]);
    let row = rw.binary(BinaryOp::UDiv, x, counts[0]);
    let group = [
        rw.binary(BinaryOp::URem, x, counts[0]),
        rw.binary(BinaryOp::URem, row, counts[1]),
        rw.binary(BinaryOp::UDiv, row, counts[1]),
    ];
    let [behind, after] = [(count, number), (all, x)].map(|(most, n)| rw.icmp(IntCC::Ule, most, n));
    let beyond = rw.binary(BinaryOp::Or, behind, after);
    // The record is behind the lists.
    let lists = [packet::WAITS, packet::LOCALS].map(|at| word(rw, from, at));
    let listed = rw.add(lists[0], lists[1]);
    let bytes = rw.mul_const(listed, 4);
    let up = rw.binary_const(BinaryOp::IAdd, bytes, 4 * packet::LIST as u64 + u64::from(UNIT) - 1);
    let whole = rw.binary_const(BinaryOp::And, up, u64::from(!(UNIT - 1)));
    let record = element(rw, from, whole, 1);
    let pair = rw.bitcast(record, Type::Vector(crate::ir::Scalar::I32, 2));
    let record = [0, 1].map(|lane| rw.extract(pair, lane));
    (Found { record, dimensions, offset, global, counts, group }, beyond)
}

/// The address of an element of so many bytes.
fn element(rw: &mut Rewriter<'_>, base: Value, index: Value, bytes: u32) -> Value {
    let index = rw.convert(ConvertOp::ZExt, index, Type::I64);
    let at = rw.mul_const(index, bytes.into());
    rw.add(base, at)
}

/// The word with a number at an address.
fn word(rw: &mut Rewriter<'_>, base: Value, number: usize) -> Value {
    let offset = rw.iconst(Type::I64, 4 * number as u64);
    let address = rw.add(base, offset);
    rw.load(Place::Address(address), Type::I32, MemFlags { align: 4, volatile: false })
}

/// The address at the word with a number.
fn wide_word(rw: &mut Rewriter<'_>, base: Value, number: usize) -> Value {
    let parts = [word(rw, base, number), word(rw, base, number + 1)];
    let pair = rw.construct(&parts, Type::Vector(crate::ir::Scalar::I32, 2));
    rw.bitcast(pair, Type::I64)
}
