//! Work-item loops: one Vulkan work-group runs a larger OpenCL work-group by loops over its work-items, split at barriers.
//!
//! Work-groups that are larger than the device's: a Vulkan work-group goes through the work-items of an OpenCL one in pieces.
//!
//! ```text
//! state = start
//! do {
//!     for (i = own index; i < work-items; i += launched) { go on at `state` as work-item i, up to the next barrier or the end }
//!     barrier; state = where they came to
//! } while (state is not the end)
//! ```
//!
//! All work-items of a work-group come to the same barriers (OpenCL C §6.15.8), so that one state serves for all. A kernel without barriers has
//! the inner loop alone. What a work-item keeps over a barrier, values and private variables, has a place for each piece ([`live_across_barriers`]).
//! As many work-items are launched as the device takes, all in the first dimension, or those that there are: each has a first piece.
//! Their ids come from the index, [`Module::pieces`] says how many are launched.
//!
//! It is done where the caller asks for it ([`LowerOptions::large`](crate::LowerOptions)), and where a kernel requires a size that the device has not.
//! Work-group functions are made of local memory and barriers then (`lower_workgroup`).
//!
//! A piece's sub-groups are the device's: whole ones are launched, whose work-items are beside each other in every piece and are in the same piece at the
//! same time, so that each of the device's is one of OpenCL's in each piece, of another number. Its barriers are no cuts.

pub(crate) mod live_across_barriers;
#[cfg(test)]
mod tests;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, BranchTarget, BuiltinInput, Func, Function, Inst, InstKind, IntCC, KernelData, Module,
    Root, Scope, Semantics, Space, Terminator, Type, Value, WorkItem,
};
use crate::passes::optimize::inline;
use crate::target::{Target, TargetLimits};
use crate::transform::cleanup;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Work-groups in pieces have at most so many work-items.
pub const LARGEST: u32 = 1024;

/// How many work-items are launched at once, where kernels are to run in pieces.
pub(crate) fn launched(module: &Module, cx: &PassContext<'_>) -> Option<u32> {
    let limits = &cx.target.limits;
    let wanted = cx.options.large
        || module.kernels.iter().any(|k| k.reqd_work_group_size.is_some_and(|s| !fits(s, limits)));
    let most = cx.target.max_items_in_subgroups().min(limits.max_compute_work_group_size[0]).max(1);
    let sub_group = largest_sub_group(cx.target);
    wanted.then(|| if most < sub_group { most } else { most - most % sub_group })
}

/// The most members that the device's sub-groups may have.
fn largest_sub_group(target: &Target) -> u32 {
    target.limits.subgroup_size.max(target.limits.required_subgroup_sizes[1]).max(1)
}

/// Whether a device has work-groups of this size.
fn fits(size: [u32; 3], limits: &TargetLimits) -> bool {
    items(size) <= u64::from(limits.max_compute_work_group_invocations)
        && size.iter().zip(limits.max_compute_work_group_size).all(|(n, most)| *n <= most)
}

fn items(size: [u32; 3]) -> u64 {
    size.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul)
}

/// Runs the pass. Where the caller has not asked for it, and one kernel of the module cannot, none does: the one that requires such a size is refused at its
/// launch then, or lowered alone.
///
/// # Errors
/// [`LowerError::Unsupported`] for sizes beyond [`LARGEST`], what cannot be kept over a barrier, and sub-groups that are larger than the device's
/// work-groups.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let Some(launched) = launched(module, cx) else { return Ok(()) };
    let mut made = Vec::new();
    for kernel in &module.kernels {
        match kernel_in_pieces(module, kernel, launched, cx) {
            Ok(function) => made.push((kernel.func, function)),
            Err(what) if cx.options.large || module.kernels.len() == 1 => {
                return Err(LowerError::Unsupported {
                    kernel: kernel.name.clone(),
                    device: cx.target.name.clone(),
                    needs: format!(
                        "maxComputeWorkGroupInvocations and maxComputeWorkGroupSize (a larger work-group runs in pieces, but not {what})"
                    ),
                });
            }
            Err(_) => return Ok(()),
        }
    }
    for (func, function) in made {
        module.functions[func] = function;
    }
    module.pieces = Some(launched);
    Ok(())
}

/// A kernel's function as it goes through pieces; else what cannot be had so.
fn kernel_in_pieces(
    module: &Module,
    kernel: &KernelData,
    launched: u32,
    cx: &PassContext<'_>,
) -> Result<Function, String> {
    let most = LARGEST.max(cx.target.limits.max_compute_work_group_invocations);
    if let Some(size) = kernel.reqd_work_group_size.filter(|size| items(*size) > u64::from(most)) {
        return Err(format!("one of {} work-items", items(size)));
    }
    let mut function = module.functions[kernel.func].clone();
    if module.flat && !launched.is_multiple_of(largest_sub_group(cx.target)) {
        return Err("with sub-groups that are larger than work-groups".to_owned());
    }
    if below(module, kernel.func) {
        return Err("with ids or barriers in functions that are not inlined".to_owned());
    }
    let address = if module.address_bits == 64 { Type::I64 } else { Type::I32 };
    in_pieces(&mut function, launched, most.div_ceil(launched), address)?;
    Ok(function)
}

fn insts(f: &Function) -> impl Iterator<Item = &InstKind> {
    f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i].kind)
}

/// Whether a function calls others that tell work-items apart or have barriers.
fn below(module: &Module, func: Func) -> bool {
    let mut seen: Vec<Func> = inline::calls(&module.functions[func]).collect();
    let mut next = 0;
    while let Some(&callee) = seen.get(next) {
        next += 1;
        let f = &module.functions[callee];
        if insts(f)
            .any(|k| matches!(k, InstKind::WorkItem(..) | InstKind::Barrier { .. } | InstKind::Group { .. }))
        {
            return true;
        }
        for other in inline::calls(f) {
            if !seen.contains(&other) {
                seen.push(other);
            }
        }
    }
    false
}

/// What is known in every piece.
struct Piece {
    /// The block that computes it: it is before all blocks of the kernel, and in the loop over pieces.
    block: Block,
    /// Which piece of this work-item it is.
    number: Value,
}

fn to(block: Block, args: &[Value]) -> BranchTarget {
    BranchTarget { block, args: SmallVec::from_slice(args) }
}

fn binary(f: &mut Function, block: Block, op: BinaryOp, a: Value, b: Value) -> Value {
    f.append(block, InstKind::Binary(op, a, b), Type::I32)
}

/// Makes a kernel of a launched size go through pieces.
fn in_pieces(f: &mut Function, launched: u32, pieces: u32, address: Type) -> Result<(), &'static str> {
    cleanup::remove_unreachable(f);
    f.simplified = false;
    let entry = f.entry();
    // What the entry held.
    let start = f.new_block();
    f.blocks[start].insts = std::mem::take(&mut f.blocks[entry].insts);
    f.blocks[start].term = std::mem::replace(&mut f.blocks[entry].term, Terminator::Unreachable);
    let own: Vec<Block> = f.layout.iter().copied().filter(|b| *b != entry).collect();

    let (head, body, latch, after) = (f.new_block(), f.new_block(), f.new_block(), f.new_block());
    let (outer, again, leave) = (f.new_block(), f.new_block(), f.new_block());
    let zero = f.iconst(Type::I32, 0);
    let one = f.iconst(Type::I32, 1);
    // The entry: how many work-items there are, how many are launched.
    let sizes = [0, 1, 2].map(|d| f.append(entry, InstKind::WorkItem(WorkItem::LocalSize, d), Type::I32));
    let plane = binary(f, entry, BinaryOp::IMul, sizes[0], sizes[1]);
    let all = binary(f, entry, BinaryOp::IMul, plane, sizes[2]);
    let launched = f.iconst(Type::I32, launched.into());
    let step = binary(f, entry, BinaryOp::UMin, all, launched);
    let first = f.append(entry, InstKind::Input(BuiltinInput::LocalInvocationIndex, 0), Type::I32);
    f.blocks[entry].term = Terminator::Branch(to(outer, &[zero]));
    let state = f.add_param(outer, Type::I32);
    f.blocks[outer].term = Terminator::Branch(to(head, &[first, zero, zero]));
    // The loop over pieces, with where the last one came to.
    let (i, number, came) =
        (f.add_param(head, Type::I32), f.add_param(head, Type::I32), f.add_param(head, Type::I32));
    let there = f.append(head, InstKind::ICmp(IntCC::Ult, i, all), Type::BOOL);
    f.blocks[head].term = Terminator::CondBranch { cond: there, then: to(body, &[]), els: to(after, &[]) };
    let next = f.add_param(latch, Type::I32);
    let (further, later) =
        (binary(f, latch, BinaryOp::IAdd, i, step), binary(f, latch, BinaryOp::IAdd, number, one));
    f.blocks[latch].term = Terminator::Branch(to(head, &[further, later, next]));
    f.blocks[leave].term = Terminator::Return(SmallVec::new());

    let piece = Piece { block: body, number };
    ids(f, &own, entry, &piece, i, (sizes, all));
    let (resumed, barrier) = cut_at_barriers(f, &own, latch);
    let end = f.iconst(Type::I32, resumed.len() as u64 + 1);
    for block in own.iter().chain(&resumed) {
        if matches!(f.blocks[*block].term, Terminator::Return(_)) {
            f.blocks[*block].term = Terminator::Branch(to(latch, &[end]));
        }
    }
    match barrier {
        None => {
            f.blocks[body].term = Terminator::Branch(to(start, &[]));
            f.blocks[after].term = Terminator::Branch(to(leave, &[]));
        }
        Some(barrier) => {
            let cases = (1..).zip(&resumed).map(|(n, block)| (n, to(*block, &[]))).collect();
            f.blocks[body].term = Terminator::Switch { value: state, cases, default: to(start, &[]) };
            let done = f.append(after, InstKind::ICmp(IntCC::Eq, came, end), Type::BOOL);
            f.blocks[after].term =
                Terminator::CondBranch { cond: done, then: to(leave, &[]), els: to(again, &[]) };
            f.append_void(again, barrier);
            f.blocks[again].term = Terminator::Branch(to(outer, &[came]));
            let all: Vec<Block> = own.iter().chain(&resumed).copied().collect();
            live_across_barriers::run(f, &all, &resumed, (entry, &piece), pieces, address)?;
        }
    }
    cleanup::remove_unreachable(f);
    cleanup::order_layout(f);
    Ok(())
}

/// Ids come from the index `i` of the piece's work-item; what all work-items have alike is asked for once.
fn ids(
    f: &mut Function,
    own: &[Block],
    entry: Block,
    piece: &Piece,
    i: Value,
    (sizes, all): ([Value; 3], Value),
) {
    let (known, alike) = (FxHashMap::default(), FxHashMap::default());
    let mut ids = Ids { entry, body: piece.block, i, sizes, all, known, alike };
    let mut replaced = cleanup::Replaced::default();
    for block in own {
        let list = std::mem::take(&mut f.blocks[*block].insts);
        let mut kept: Vec<Inst> = Vec::with_capacity(list.len());
        for inst in list {
            let InstKind::WorkItem(what, dim) = f.insts[inst].kind else {
                kept.push(inst);
                continue;
            };
            let value = ids.value(f, what, dim);
            for result in f.insts[inst].results.iter() {
                replaced.insert(*result, value);
            }
        }
        f.blocks[*block].insts = kept;
    }
    replaced.apply(f);
}

/// Work-item functions, as they are asked for.
struct Ids {
    entry: Block,
    body: Block,
    i: Value,
    sizes: [Value; 3],
    /// How many work-items there are.
    all: Value,
    /// What is another in each piece.
    known: FxHashMap<(WorkItem, u8), Value>,
    /// What is the same for all.
    alike: FxHashMap<(WorkItem, u8), Value>,
}

impl Ids {
    fn value(&mut self, f: &mut Function, what: WorkItem, dim: u8) -> Value {
        match what {
            WorkItem::LocalLinearId => self.i,
            WorkItem::LocalSize => self.sizes[usize::from(dim.min(2))],
            WorkItem::LocalId
            | WorkItem::GlobalId
            | WorkItem::GlobalLinearId
            | WorkItem::SubgroupId
            | WorkItem::SubgroupSize => {
                if let Some(known) = self.known.get(&(what, dim)) {
                    return *known;
                }
                let value = match what {
                    WorkItem::LocalId => self.local(f, dim),
                    WorkItem::GlobalId => self.global(f, dim),
                    WorkItem::SubgroupId => self.sub_group(f),
                    WorkItem::SubgroupSize => self.members(f),
                    _ => self.linear(f),
                };
                self.known.insert((what, dim), value);
                value
            }
            _ => self.alike(f, what, dim),
        }
    }

    fn alike(&mut self, f: &mut Function, what: WorkItem, dim: u8) -> Value {
        let entry = self.entry;
        let make = || f.append(entry, InstKind::WorkItem(what, dim), Type::I32);
        *self.alike.entry((what, dim)).or_insert_with(make)
    }

    fn local(&mut self, f: &mut Function, dim: u8) -> Value {
        let mut rest = self.i;
        for before in 0..usize::from(dim.min(2)) {
            rest = binary(f, self.body, BinaryOp::UDiv, rest, self.sizes[before]);
        }
        match self.sizes.get(usize::from(dim)) {
            Some(size) if dim < 2 => binary(f, self.body, BinaryOp::URem, rest, *size),
            _ => rest,
        }
    }

    /// As the writer makes Vulkan's own: the dispatch's work-group, and where the dispatch starts.
    fn global(&mut self, f: &mut Function, dim: u8) -> Value {
        let group = f.append(self.entry, InstKind::Input(BuiltinInput::WorkgroupId, dim), Type::I32);
        let first = binary(f, self.entry, BinaryOp::IMul, group, self.sizes[usize::from(dim.min(2))]);
        let start = self.alike(f, WorkItem::GlobalStart, dim);
        let first = binary(f, self.entry, BinaryOp::IAdd, first, start);
        let local = self.value(f, WorkItem::LocalId, dim);
        binary(f, self.body, BinaryOp::IAdd, first, local)
    }

    fn sub_group(&mut self, f: &mut Function) -> Value {
        let size = self.alike(f, WorkItem::SubgroupMaxSize, 0);
        binary(f, self.body, BinaryOp::UDiv, self.i, size)
    }

    /// The last sub-group may not be full.
    fn members(&mut self, f: &mut Function) -> Value {
        let (number, size) =
            (self.value(f, WorkItem::SubgroupId, 0), self.alike(f, WorkItem::SubgroupMaxSize, 0));
        let before = binary(f, self.body, BinaryOp::IMul, number, size);
        let left = binary(f, self.body, BinaryOp::ISub, self.all, before);
        binary(f, self.body, BinaryOp::UMin, left, size)
    }

    /// §6.15.1: ids without the global offset, row by row.
    fn linear(&mut self, f: &mut Function) -> Value {
        let mut linear = f.iconst(Type::I32, 0);
        for dim in (0..3).rev() {
            let (size, offset) =
                (self.alike(f, WorkItem::GlobalSize, dim), self.alike(f, WorkItem::GlobalOffset, dim));
            let id = self.value(f, WorkItem::GlobalId, dim);
            let relative = binary(f, self.body, BinaryOp::ISub, id, offset);
            let rows = binary(f, self.body, BinaryOp::IMul, linear, size);
            linear = binary(f, self.body, BinaryOp::IAdd, rows, relative);
        }
        linear
    }
}

/// Every barrier of the work-group becomes a branch to the latch with the number of what stands behind it, a block of its own: these in order, and one barrier
/// that does what each of them does.
fn cut_at_barriers(f: &mut Function, own: &[Block], latch: Block) -> (Vec<Block>, Option<InstKind>) {
    let (mut resumed, mut barrier) = (Vec::new(), None);
    for &block in own {
        let mut block = block;
        let is_barrier = |f: &Function, inst: &Inst| {
            let of = Scope::Workgroup;
            matches!(f.insts[*inst].kind, InstKind::Barrier { execution, .. } if execution == of)
        };
        while let Some(at) = f.blocks[block].insts.iter().position(|inst| is_barrier(f, inst)) {
            let rest = f.new_block();
            let behind = f.blocks[block].insts.split_off(at + 1);
            let cut = f.blocks[block].insts.pop();
            f.blocks[rest].insts = behind;
            resumed.push(rest);
            let number = f.iconst(Type::I32, resumed.len() as u64);
            f.blocks[rest].term =
                std::mem::replace(&mut f.blocks[block].term, Terminator::Branch(to(latch, &[number])));
            if let Some(InstKind::Barrier { execution, memory, semantics }) =
                cut.map(|inst| f.insts[inst].kind.clone())
            {
                let (other, more) = match barrier {
                    Some(InstKind::Barrier { memory, semantics, .. }) => (memory, semantics),
                    _ => (memory, Semantics::empty()),
                };
                // Scopes begin with the widest.
                let (memory, semantics) = (memory.min(other), semantics | more);
                barrier = Some(InstKind::Barrier { execution, memory, semantics });
            }
            block = rest;
        }
    }
    (resumed, barrier)
}

/// The start of a private variable, or of the piece's own copy.
fn slot_address(f: &mut Function, piece: &Piece, slot: crate::ir::Slot, stride: u64) -> Value {
    let pointer = Type::Ptr(Space::Private);
    let base = f.append(piece.block, InstKind::RootAddr(Root::Slot(slot)), pointer);
    f.append(piece.block, InstKind::PtrAdd { base, index: piece.number, scale: stride }, pointer)
}
