//! Work-item loops: one Vulkan work-group runs a larger OpenCL work-group by loops over its work-items, split at barriers.
//!
//! The pass runs if the caller asks for it ([`LowerOptions::large`](crate::LowerOptions)).
//! It also runs if a kernel requires a work-group size that the device lacks.
//!
//! Before:
//! ```text
//! a; barrier; b; return
//! ```
//! After, where `launched` invocations run `all` work-items:
//! ```text
//! state = 0
//! do {
//!     for (i = own index; i < all; i += launched) switch (state) {
//!         case 0: a; reached = 1; break
//!         case 1: b; reached = end; break
//!     }
//!     barrier; state = reached
//! } while (state != end)
//! ```
//!
//! All work-items of a work-group reach the same barriers (OpenCL C §6.15.8), so one state serves all of them.
//! A kernel without barriers has the inner loop only.
//!
//! One iteration of the inner loop runs a *chunk*: one work-item in each launched invocation.
//! Values and private variables that live across a barrier have a copy for each chunk ([`live_across_barriers`]).
//! The launched invocations are all in the first dimension.
//! Their number is the device's maximum, or the number of work-items if that is smaller, so each invocation has a first chunk.
//! Ids come from the index `i`; [`Module::work_item_loops`] says how many invocations are launched.
//!
//! A chunk's sub-groups are the device's, because only whole sub-groups are launched.
//! Their work-items are neighbours in every chunk and are in the same chunk at the same time.
//! Each sub-group of the device is thus one of OpenCL's in each chunk, with another id.
//! Sub-group barriers do not split the loop.
//!
//! With [`LowerOptions::single_vector`](crate::LowerOptions::single_vector) one vector of the driver runs a work-group. Its lanes leave the
//! inner loop together, so that no barrier is needed. The copies are in local memory then, which kernels that resume save. This is for
//! drivers that end loops, and for kernels that have barriers behind or in long ones (`workaround/resume_loops`).
//!
//! The pass does not lower work-group functions: `lower_workgroup` makes them of local memory and barriers.
//! It does not handle ids or barriers in functions that are not inlined.

pub(crate) mod live_across_barriers;
#[cfg(test)]
mod tests;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, BranchTarget, BuiltinInput, EntityMap, Func, Function, GlobalVar, GlobalVarData, Inst,
    InstKind, IntCC, KernelData, Module, Root, Scope, Semantics, Slot, SlotData, Space, Terminator, Type,
    Value, ValueDef, WorkItem,
};
use crate::passes::optimize::inline;
use crate::passes::structurize::uniform_branches;
use crate::target::{MAX_WORK_GROUP_SIZE, Target, TargetLimits};
use crate::transform::cleanup;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number of invocations to launch if kernels need work-item loops.
pub(crate) fn launched(module: &Module, cx: &PassContext<'_>) -> Option<u32> {
    if cx.options.single_vector.is_some() {
        return Some(cx.target.limits.subgroup_size.max(1));
    }
    let limits = &cx.target.limits;
    let wanted = cx.options.large
        || module.kernels.iter().any(|k| k.reqd_work_group_size.is_some_and(|s| !fits(s, limits)));
    let max_items = cx.target.max_items_in_subgroups().min(limits.max_compute_work_group_size[0]).max(1);
    let sub_group = largest_sub_group(cx.target);
    wanted.then(|| if max_items < sub_group { max_items } else { max_items - max_items % sub_group })
}

/// The largest size of the device's sub-groups.
fn largest_sub_group(target: &Target) -> u32 {
    target.limits.subgroup_size.max(target.limits.required_subgroup_sizes[1]).max(1)
}

/// Returns whether a device has work-groups of this size.
fn fits(size: [u32; 3], limits: &TargetLimits) -> bool {
    items(size) <= u64::from(limits.max_compute_work_group_invocations)
        && size.iter().zip(limits.max_compute_work_group_size).all(|(n, limit)| *n <= limit)
}

fn items(size: [u32; 3]) -> u64 {
    size.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul)
}

/// Runs the pass. If the caller has not asked for it and one kernel of the module cannot have the loops, no kernel gets them.
/// The kernel that requires such a size is then refused at its launch, or lowered alone.
///
/// # Errors
/// [`LowerError::Unsupported`] for sizes beyond [`MAX_WORK_GROUP_SIZE`], for values that cannot be kept across a barrier, and for sub-groups that
/// are larger than the device's work-groups.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let Some(launched) = launched(module, cx) else { return Ok(()) };
    let mut made = Vec::new();
    let cell = cx.target.features.wgsl.then(|| uniform_branches::variable(&mut module.globals));
    let mut globals = module.globals.clone();
    for kernel in &module.kernels {
        match kernel_with_loops(module, (kernel, &mut globals), (launched, cell), cx) {
            Ok(function) => made.push((kernel.func, function)),
            Err(what) if cx.options.single_vector.is_some() => {
                return Err(LowerError::NotYet {
                    kernel: kernel.name.clone(),
                    what: format!("more iterations than the driver allows, {what}"),
                });
            }
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
    module.globals = globals;
    module.work_item_loops = Some(launched);
    module.single_vector = cx.options.single_vector.is_some();
    Ok(())
}

/// The kernel's function with work-item loops. The error names what the loops cannot run.
fn kernel_with_loops(
    module: &Module,
    (kernel, globals): (&KernelData, &mut EntityMap<GlobalVar, GlobalVarData>),
    (launched, cell): (u32, Option<GlobalVar>),
    cx: &PassContext<'_>,
) -> Result<Function, String> {
    let largest = MAX_WORK_GROUP_SIZE.max(cx.target.limits.max_compute_work_group_invocations);
    if let Some(size) = kernel.reqd_work_group_size.filter(|size| items(*size) > u64::from(largest)) {
        return Err(format!("one of {} work-items", items(size)));
    }
    let mut function = module.functions[kernel.func].clone();
    if module.linear_groups && !launched.is_multiple_of(largest_sub_group(cx.target)) {
        return Err("with sub-groups that are larger than work-groups".to_owned());
    }
    if calls_work_item_functions(module, kernel.func) {
        return Err("with ids or barriers in functions that are not inlined".to_owned());
    }
    let address = if module.address_bits == 64 { Type::I64 } else { Type::I32 };
    let copies = match cx.options.single_vector {
        Some(items) => {
            private_becomes_local(&mut function)?;
            Copies { count: items.max(1), local: Some(globals) }
        }
        None => Copies { count: largest.div_ceil(launched), local: None },
    };
    add_loops(&mut function, launched, copies, address, cell)?;
    Ok(function)
}

fn insts(f: &Function) -> impl Iterator<Item = &InstKind> {
    f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i].kind)
}

/// Returns whether a function calls others that use ids, barriers or group operations.
fn calls_work_item_functions(module: &Module, func: Func) -> bool {
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

/// One iteration of the loop over work-items.
struct Chunk {
    /// The first block of the loop's body, before all blocks of the kernel: what each chunk computes once goes here.
    block: Block,
    /// The chunk's index in this invocation.
    number: Value,
    /// The work-item's index in the work-group.
    item: Value,
}

fn to(block: Block, args: &[Value]) -> BranchTarget {
    BranchTarget { block, args: SmallVec::from_slice(args) }
}

fn binary(f: &mut Function, block: Block, op: BinaryOp, a: Value, b: Value) -> Value {
    f.append(block, InstKind::Binary(op, a, b), Type::I32)
}

/// Puts the work-item loops around a kernel.
///
/// `cell` is the variable by which WGSL sees that the state is the same in all work-items.
fn add_loops(
    f: &mut Function,
    launched: u32,
    mut copies: Copies<'_>,
    address: Type,
    cell: Option<GlobalVar>,
) -> Result<(), &'static str> {
    let alone = copies.local.is_some();
    cleanup::remove_unreachable(f);
    f.simplified = false;
    let entry = f.entry();
    // The old entry's instructions move to a block of their own.
    let start = f.new_block();
    f.blocks[start].insts = std::mem::take(&mut f.blocks[entry].insts);
    f.blocks[start].term = std::mem::replace(&mut f.blocks[entry].term, Terminator::Unreachable);
    let own: Vec<Block> = f.layout.iter().copied().filter(|b| *b != entry).collect();

    let (head, body, latch, after) = (f.new_block(), f.new_block(), f.new_block(), f.new_block());
    let (outer, again, leave) = (f.new_block(), f.new_block(), f.new_block());
    let zero = f.iconst(Type::I32, 0);
    let one = f.iconst(Type::I32, 1);
    // The entry computes the number of work-items and the number of launched invocations.
    let sizes = [0, 1, 2].map(|d| f.append(entry, InstKind::WorkItem(WorkItem::LocalSize, d), Type::I32));
    let plane = binary(f, entry, BinaryOp::IMul, sizes[0], sizes[1]);
    let all = binary(f, entry, BinaryOp::IMul, plane, sizes[2]);
    let launched = f.iconst(Type::I32, launched.into());
    let step = binary(f, entry, BinaryOp::UMin, all, launched);
    let first = f.append(entry, InstKind::Input(BuiltinInput::LocalInvocationIndex, 0), Type::I32);
    f.blocks[entry].term = Terminator::Branch(to(outer, &[zero]));
    let state = f.add_param(outer, Type::I32);
    f.blocks[outer].term = Terminator::Branch(to(head, &[first, zero, zero]));
    // The loop over chunks carries the state that the last chunk reached.
    let (i, number, reached) =
        (f.add_param(head, Type::I32), f.add_param(head, Type::I32), f.add_param(head, Type::I32));
    let remains = f.append(head, InstKind::ICmp(IntCC::Ult, i, all), Type::BOOL);
    f.blocks[head].term = Terminator::CondBranch { cond: remains, then: to(body, &[]), els: to(after, &[]) };
    let next = f.add_param(latch, Type::I32);
    let (next_index, next_number) =
        (binary(f, latch, BinaryOp::IAdd, i, step), binary(f, latch, BinaryOp::IAdd, number, one));
    f.blocks[latch].term = Terminator::Branch(to(head, &[next_index, next_number, next]));
    f.blocks[leave].term = Terminator::Return(SmallVec::new());

    let chunk = Chunk { block: body, number, item: i };
    ids(f, &own, entry, &chunk, i, (sizes, all));
    let (resumed, barrier) = split_at_barriers(f, &own, latch);
    let end = f.iconst(Type::I32, resumed.len() as u64 + 1);
    for block in own.iter().chain(&resumed) {
        if matches!(f.blocks[*block].term, Terminator::Return(_)) {
            f.blocks[*block].term = Terminator::Branch(to(latch, &[end]));
        }
    }
    match barrier {
        None => {
            // Kernels that resume save more local memory than private variables.
            if alone {
                live_across_barriers::copy_variables(f, &own, entry, &chunk, &mut copies);
            }
            f.blocks[body].term = Terminator::Branch(to(start, &[]));
            f.blocks[after].term = Terminator::Branch(to(leave, &[]));
        }
        Some(barrier) => {
            let cases = (1..).zip(&resumed).map(|(n, block)| (n, to(*block, &[]))).collect();
            f.blocks[body].term = Terminator::Switch { value: state, cases, default: to(start, &[]) };
            let (after, reached) = match cell {
                Some(cell) => uniform_branches::of_the_first(f, after, reached, cell),
                None => (after, reached),
            };
            let done = f.append(after, InstKind::ICmp(IntCC::Eq, reached, end), Type::BOOL);
            f.blocks[after].term =
                Terminator::CondBranch { cond: done, then: to(leave, &[]), els: to(again, &[]) };
            // The lanes of one vector leave the inner loop together.
            if !alone {
                f.append_void(again, barrier);
            }
            f.blocks[again].term = Terminator::Branch(to(outer, &[reached]));
            let all: Vec<Block> = own.iter().chain(&resumed).copied().collect();
            live_across_barriers::run(f, &all, &resumed, (entry, &chunk), copies, address)?;
        }
    }
    cleanup::remove_unreachable(f);
    cleanup::order_layout(f);
    Ok(())
}

/// Computes ids from the index `i` of the chunk's work-item. Values that are the same in all chunks are read once, in the entry.
fn ids(
    f: &mut Function,
    own: &[Block],
    entry: Block,
    chunk: &Chunk,
    i: Value,
    (sizes, all): ([Value; 3], Value),
) {
    let (per_chunk, shared) = (FxHashMap::default(), FxHashMap::default());
    let mut ids = Ids { entry, body: chunk.block, i, sizes, all, per_chunk, shared };
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

/// The values of work-item functions, each made at its first use.
struct Ids {
    entry: Block,
    body: Block,
    i: Value,
    sizes: [Value; 3],
    /// The number of work-items.
    all: Value,
    /// Values that differ between chunks.
    per_chunk: FxHashMap<(WorkItem, u8), Value>,
    /// Values that are the same in all chunks.
    shared: FxHashMap<(WorkItem, u8), Value>,
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
                if let Some(known) = self.per_chunk.get(&(what, dim)) {
                    return *known;
                }
                let value = match what {
                    WorkItem::LocalId => self.local(f, dim),
                    WorkItem::GlobalId => self.global(f, dim),
                    WorkItem::SubgroupId => self.sub_group(f),
                    WorkItem::SubgroupSize => self.members(f),
                    _ => self.linear(f),
                };
                self.per_chunk.insert((what, dim), value);
                value
            }
            _ => self.shared(f, what, dim),
        }
    }

    fn shared(&mut self, f: &mut Function, what: WorkItem, dim: u8) -> Value {
        let entry = self.entry;
        let make = || f.append(entry, InstKind::WorkItem(what, dim), Type::I32);
        *self.shared.entry((what, dim)).or_insert_with(make)
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

    /// The global id from the dispatch's work-group and start, as the writer computes Vulkan's own.
    fn global(&mut self, f: &mut Function, dim: u8) -> Value {
        let group = f.append(self.entry, InstKind::Input(BuiltinInput::WorkgroupId, dim), Type::I32);
        let first = binary(f, self.entry, BinaryOp::IMul, group, self.sizes[usize::from(dim.min(2))]);
        let start = self.shared(f, WorkItem::GlobalStart, dim);
        let first = binary(f, self.entry, BinaryOp::IAdd, first, start);
        let local = self.value(f, WorkItem::LocalId, dim);
        binary(f, self.body, BinaryOp::IAdd, first, local)
    }

    fn sub_group(&mut self, f: &mut Function) -> Value {
        let size = self.shared(f, WorkItem::SubgroupMaxSize, 0);
        binary(f, self.body, BinaryOp::UDiv, self.i, size)
    }

    /// The last sub-group may not be full.
    fn members(&mut self, f: &mut Function) -> Value {
        let (number, size) =
            (self.value(f, WorkItem::SubgroupId, 0), self.shared(f, WorkItem::SubgroupMaxSize, 0));
        let before = binary(f, self.body, BinaryOp::IMul, number, size);
        let left = binary(f, self.body, BinaryOp::ISub, self.all, before);
        binary(f, self.body, BinaryOp::UMin, left, size)
    }

    /// `get_global_linear_id` (OpenCL C §6.15.1): ids without the global offset, row by row.
    fn linear(&mut self, f: &mut Function) -> Value {
        let mut linear = f.iconst(Type::I32, 0);
        for dim in (0..3).rev() {
            let (size, offset) =
                (self.shared(f, WorkItem::GlobalSize, dim), self.shared(f, WorkItem::GlobalOffset, dim));
            let id = self.value(f, WorkItem::GlobalId, dim);
            let relative = binary(f, self.body, BinaryOp::ISub, id, offset);
            let rows = binary(f, self.body, BinaryOp::IMul, linear, size);
            linear = binary(f, self.body, BinaryOp::IAdd, rows, relative);
        }
        linear
    }
}

/// Splits blocks at the barriers of the work-group. Each barrier becomes a branch to the latch with the number of the block
/// behind it. Gives the blocks behind barriers in order, and one barrier with the effects of all.
fn split_at_barriers(f: &mut Function, own: &[Block], latch: Block) -> (Vec<Block>, Option<InstKind>) {
    let (mut resumed, mut barrier) = (Vec::new(), None);
    for &block in own {
        let mut block = block;
        let is_barrier = |f: &Function, inst: &Inst| {
            let scope = Scope::Workgroup;
            matches!(f.insts[*inst].kind, InstKind::Barrier { execution, .. } if execution == scope)
        };
        while let Some(at) = f.blocks[block].insts.iter().position(|inst| is_barrier(f, inst)) {
            let rest = f.new_block();
            let behind = f.blocks[block].insts.split_off(at + 1);
            let removed = f.blocks[block].insts.pop();
            f.blocks[rest].insts = behind;
            resumed.push(rest);
            let number = f.iconst(Type::I32, resumed.len() as u64);
            f.blocks[rest].term =
                std::mem::replace(&mut f.blocks[block].term, Terminator::Branch(to(latch, &[number])));
            if let Some(InstKind::Barrier { execution, memory, semantics }) =
                removed.map(|inst| f.insts[inst].kind.clone())
            {
                let (other, more) = match barrier {
                    Some(InstKind::Barrier { memory, semantics, .. }) => (memory, semantics),
                    _ => (memory, Semantics::empty()),
                };
                // The order of scopes begins with the widest, so the minimum covers both.
                let (memory, semantics) = (memory.min(other), semantics | more);
                barrier = Some(InstKind::Barrier { execution, memory, semantics });
            }
            block = rest;
        }
    }
    (resumed, barrier)
}

/// The copies of what lives across barriers: one for each chunk in private memory, or one for each work-item in local memory.
struct Copies<'a> {
    count: u32,
    /// The module's variables, if the copies are in local memory, which kernels that resume save.
    local: Option<&'a mut EntityMap<GlobalVar, GlobalVarData>>,
}

impl Copies<'_> {
    /// The address of the copy of something of so many bytes. `slot`: the private variable that it is, if it is one.
    fn address(
        &mut self,
        f: &mut Function,
        chunk: &Chunk,
        (bytes, align): (u64, u32),
        slot: Option<Slot>,
    ) -> Value {
        let stride = bytes.next_multiple_of(u64::from(align.max(1)));
        let size = stride.saturating_mul(u64::from(self.count));
        let (root, space) = match (&mut self.local, slot) {
            (Some(globals), _) => {
                let name = format!("copies.{}", globals.len());
                let var = GlobalVarData { name, space: Space::Local, size, align, init: None };
                (Root::Global(globals.push(var)), Space::Local)
            }
            (None, Some(slot)) => {
                f.slots[slot].size = size;
                (Root::Slot(slot), Space::Private)
            }
            (None, None) => (Root::Slot(f.slots.push(SlotData { name: None, size, align })), Space::Private),
        };
        let pointer = Type::Ptr(space);
        let index = if space == Space::Local { chunk.item } else { chunk.number };
        let base = f.append(chunk.block, InstKind::RootAddr(root), pointer);
        f.append(chunk.block, InstKind::PtrAdd { base, index, scale: stride }, pointer)
    }
}

/// Makes all pointers to private memory pointers to local memory, where the variables are to be.
fn private_becomes_local(f: &mut Function) -> Result<(), &'static str> {
    let private = Type::Ptr(Space::Private);
    let asks = |kind: &InstKind, f: &Function| match kind {
        InstKind::PtrFence(_) => true,
        InstKind::Call { args, .. } => args.iter().any(|arg| f.ty(*arg) == private),
        _ => false,
    };
    let is_private = |value: &Value| f.ty(*value) == private;
    let used =
        f.layout.iter().flat_map(|b| f.blocks[*b].term.values()).chain(insts(f).flat_map(InstKind::values));
    let used: Vec<Value> = used.filter(is_private).collect();
    if used.is_empty() {
        return Ok(());
    }
    if used.iter().any(|value| matches!(f.values[*value].def, ValueDef::Const(_))) {
        return Err("with null pointers to private memory");
    }
    if insts(f).any(|kind| asks(kind, f)) {
        return Err("with pointers to private memory in calls, or whose address space is asked for");
    }
    for value in f.values.keys().collect::<Vec<_>>() {
        if f.ty(value) == private {
            f.values[value].ty = Type::Ptr(Space::Local);
        }
    }
    Ok(())
}
