//! Shadow memory of `__local` memory and buffers: which of it was written, and by whom it was last used.
//!
//! Memory is seen as **cells** of 1 to 16 bytes, the largest that no access shares with another one. A cell has a record:
//!
//! | classes | the record |
//! |---|---|
//! | `uninitialised` alone | a word that is not 0 once the cell was written |
//! | `races` | two [states](super::states) of 64 bits: the last write, and the last read |
//!
//! The records of a `__local` variable are another variable. Those of a `__local` argument are behind its own bytes, those of a buffer at the end of the
//! launch's printf buffer: [`InstKind::ArgumentShadow`] says where, and whether there are any. A buffer has none in launches where each work-item uses
//! places of its own alone ([`OwnPlaces`]), or nobody writes: a specialization constant ([`InstKind::HasArgumentCells`]) leaves the code out.
//!
//! Kernels whose work-items may order themselves by atomic operations or fences are not looked at for races, and neither are volatile accesses.

use super::accesses::access;
use super::objects::{Origin, Origins, Sizes};
use crate::analysis::linear;
use crate::check::{Access as Direction, Checks, OwnPlaces};
use crate::ir::{
    AtomicOp, Function, GlobalVar, GlobalVarData, Inst, InstKind, Module, Place, Root, Scope, Space, Type,
    Value, WorkItem,
};
use crate::passes::language::zero_memory::is_own;
use crate::target::Target;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of cells of an access that is looked at.
const MAX_CELLS: u64 = 16;
/// The largest cell, in bytes.
const MAX_CELL: u64 = 16;

/// Where the records of an object are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Memory {
    /// In a `__local` variable.
    Variable(GlobalVar),
    /// Behind the bytes of a `__local` argument.
    Local(u32),
    /// In the printf buffer.
    Buffer(u32),
}

/// The cells of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells {
    pub memory: Memory,
    /// Bytes of a cell.
    pub bytes: u64,
    /// The number of cells; 0 if the launch determines it.
    pub count: u64,
    /// Reads of what was not written are faults.
    pub uninitialised: bool,
}

/// An access whose records are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub root: Root,
    pub direction: Direction,
    pub bytes: u64,
    pub volatile: bool,
    /// The place, if each work-item has its own: a step for each dimension of the global id, and a constant.
    pub own: Option<([i32; 3], i32)>,
}

/// The objects of a kernel that have records.
pub(super) struct Shadows {
    pub cells: FxHashMap<Root, Cells>,
    pub uses: FxHashMap<Inst, Use>,
    /// Races are looked for.
    pub races: bool,
    /// Work-items exchange values by atomic operations: only plain writes beside these are reported.
    pub exchanges: bool,
    /// The places of async copies, whose accesses are no work-item's.
    pub copies: FxHashSet<(u16, u32, u32)>,
}

impl Shadows {
    /// Finds the objects, and makes the variables of their records.
    pub fn new(
        module: &mut Module,
        kernel: usize,
        f: &Function,
        checks: Checks,
        target: &Target,
    ) -> Option<Self> {
        if !checks.intersects(Checks::UNINITIALISED | Checks::RACES) {
            return None;
        }
        let races = checks.contains(Checks::RACES) && target.can_find_races() && !synchronises(f);
        let sizes = Sizes::new(module);
        let origins = Origins::find(f, &sizes);
        let own: Vec<bool> = module.globals.values().map(is_own).collect();
        let wanted = |root: Root| match root {
            Root::Global(var) => sizes.is_local(root) && !own[var.0 as usize],
            Root::LocalArg(_) => true,
            Root::Arg(_) => races,
            _ => false,
        };
        let mut uses = FxHashMap::default();
        let mut granules: FxHashMap<Root, u64> = FxHashMap::default();
        let mut odd: FxHashSet<Root> = FxHashSet::default();
        for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
            let Some((pointer, ty, direction, align)) = access(f, *inst) else { continue };
            let Origin::One(root) = origins.origin(f, pointer) else { continue };
            let pointer_bytes = if matches!(ty, Type::Ptr(_)) { sizes.pointer_bytes() } else { 0 };
            let bytes = u64::from(ty.bytes()) + pointer_bytes;
            if bytes == 0 || !wanted(root) {
                continue;
            }
            let granule = (1 << bytes.trailing_zeros()).min(align.max(1)).min(MAX_CELL);
            let least = granules.entry(root).or_insert(MAX_CELL);
            *least = granule.min(*least);
            if align < bytes {
                odd.insert(root);
            }
            let volatile = matches!(
                f.insts[*inst].kind,
                InstKind::Load { flags, .. } | InstKind::Store { flags, .. } if flags.volatile
            );
            let own = own_place(f, pointer).filter(|_| matches!(root, Root::Arg(_)));
            uses.insert(*inst, Use { root, direction, bytes, volatile, own });
        }
        let escaped = escaped(f, &origins);
        let all_known = !calls(f);
        let written =
            uses.values().any(|of| matches!(of.root, Root::Arg(_)) && of.direction != Direction::Read);
        // Buffers may be one another: they have cells of one size.
        let of_buffers = |(root, bytes): (&Root, &u64)| matches!(root, Root::Arg(_)).then_some(*bytes);
        let buffers = granules.iter().filter_map(of_buffers).min();
        let mut shadows = Shadows {
            cells: FxHashMap::default(),
            uses: FxHashMap::default(),
            races,
            exchanges: exchanges(f),
            copies: super::async_copies::places(f),
        };
        let mut left = shadows.room(module, f, target);
        let mut roots: Vec<(Root, u64)> = granules.into_iter().collect();
        roots.sort_unstable_by_key(|(root, _)| (sizes.known(f, *root), format!("{root:?}")));
        for (root, bytes) in roots {
            let uninitialised =
                checks.contains(Checks::UNINITIALISED) && all_known && !escaped.contains(&root);
            let cells = match root {
                Root::Global(_) if uninitialised || races => {
                    let Some(size) = sizes.known(f, root) else { continue };
                    let count = size.div_ceil(bytes);
                    let Some(rest) = u64::checked_sub(left, count * shadows.record()) else { continue };
                    left = rest;
                    let memory = Memory::Variable(variable(module, count * shadows.record()));
                    Cells { memory, bytes, count, uninitialised }
                }
                // States are behind the argument's own bytes: one memory has both, and 64-bit atomic operations need whole words there.
                Root::LocalArg(_)
                    if races && (bytes < 4 || odd.contains(&root) || escaped.contains(&root)) =>
                {
                    continue;
                }
                Root::LocalArg(n) if uninitialised || races => {
                    Cells { memory: Memory::Local(n), bytes, count: 0, uninitialised }
                }
                Root::Arg(n) => {
                    let bytes = buffers.unwrap_or(bytes);
                    Cells { memory: Memory::Buffer(n), bytes, count: 0, uninitialised: false }
                }
                _ => continue,
            };
            shadows.cells.insert(root, cells);
        }
        if !written {
            // Nothing races with reads.
            shadows.cells.retain(|root, _| !matches!(root, Root::Arg(_)));
        }
        let fits = |of: &Use| {
            let cells = shadows.cells.get(&of.root);
            cells.is_some_and(|cells| of.bytes.div_ceil(cells.bytes) <= MAX_CELLS)
        };
        shadows.uses = uses.into_iter().filter(|(_, of)| fits(of)).collect();
        shadows.note(module, kernel);
        (!shadows.uses.is_empty()).then_some(shadows)
    }

    /// Bytes of a record.
    pub fn record(&self) -> u64 {
        if self.races { 16 } else { 4 }
    }

    /// The bytes of `__local` memory that records of variables may take.
    fn room(&self, module: &Module, f: &Function, target: &Target) -> u64 {
        let used = used_roots(f);
        let mut left = u64::from(target.limits.max_compute_shared_memory_size);
        if used.iter().any(|root| matches!(root, Root::LocalArg(_))) {
            // The sizes of arguments are not known.
            left /= 4;
        }
        let sizes = used.iter().filter_map(|root| match root {
            Root::Global(var) => module.globals.get(*var).filter(|var| var.space == Space::Local),
            _ => None,
        });
        let taken: u64 = sizes.map(|var| var.size + u64::from(var.align)).sum();
        left.saturating_sub(taken + 256)
    }

    /// Tells the runtime what records the arguments of a kernel need.
    fn note(&self, module: &mut Module, kernel: usize) {
        let mut args: Vec<crate::check::ArgumentCells> = Vec::new();
        for (root, cells) in &self.cells {
            let (Root::Arg(arg) | Root::LocalArg(arg)) = *root else { continue };
            let writes = |of: &Use| of.root == *root && of.direction != Direction::Read;
            let written = self.uses.values().any(writes);
            let (bytes, record) = (cells.bytes as u32, self.record() as u32);
            let own = own_places(self.uses.values().filter(|of| of.root == *root));
            args.push(crate::check::ArgumentCells { arg, bytes, record, written, own });
        }
        args.sort_unstable_by_key(|cells| cells.arg);
        module.kernels[kernel].printf.checks.cells = args;
    }
}

/// The roots whose addresses a function takes.
pub(super) fn used_roots(f: &Function) -> FxHashSet<Root> {
    let insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    let root = |inst: &Inst| match f.insts[*inst].kind {
        InstKind::RootAddr(root) => Some(root),
        _ => None,
    };
    insts.filter_map(root).collect()
}

/// The place of a pointer into a buffer as a sum of global ids, each times a step, and a constant, modulo 2^32; none if it depends on anything else.
fn own_place(f: &Function, pointer: Value) -> Option<([i32; 3], i32)> {
    let pointer = linear::Pointer::new(f, pointer, usize::MAX);
    let linear::Base::Root(_) = pointer.base else { return None };
    let mut sum = linear::Sum::default();
    for (index, scale) in &pointer.indices {
        sum.add(f, *index, *scale as u32);
    }
    let mut steps = [0i32; 3];
    for (term, factor) in &sum.terms {
        let InstKind::WorkItem(WorkItem::GlobalId, dim) = f.def_inst(*term)?.kind else { return None };
        let step = steps.get_mut(usize::from(dim))?;
        *step = step.wrapping_add(*factor as i32);
    }
    Some((steps, sum.constant.wrapping_add(pointer.bytes as u32) as i32))
}

/// The places of a buffer that each work-item has for itself, if all uses of the buffer are such.
fn own_places<'u>(mut uses: impl Iterator<Item = &'u Use>) -> Option<OwnPlaces> {
    let end = |low: i32, of: &Use| i64::from(low).checked_add_unsigned(of.bytes);
    let first = uses.next()?;
    let (steps, low) = first.own?;
    let mut places = OwnPlaces { steps, low, high: end(low, first)? };
    for of in uses {
        let (steps, low) = of.own?;
        if steps != places.steps {
            return None;
        }
        (places.low, places.high) = (places.low.min(low), places.high.max(end(low, of)?));
    }
    Some(places)
}

/// A `__local` variable for records.
fn variable(module: &mut Module, size: u64) -> GlobalVar {
    let name = "records".to_owned();
    module.globals.push(GlobalVarData { name, space: Space::Local, size, align: 16, init: None })
}

pub(super) fn calls(f: &Function) -> bool {
    let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    insts.any(|inst| matches!(f.insts[*inst].kind, InstKind::Call { pure: false, .. }))
}

/// Returns whether work-items may order their accesses by other means than barriers of the work-group.
fn synchronises(f: &Function) -> bool {
    let insts = || f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    // A fence orders nothing by itself: somebody must see a value that another work-item wrote.
    let sees = insts().any(|inst| match &f.insts[*inst].kind {
        InstKind::Atomic { .. } => true,
        InstKind::Load { flags, .. } | InstKind::Store { flags, .. } => flags.volatile,
        _ => false,
    });
    insts().any(|inst| match &f.insts[*inst].kind {
        InstKind::MemBarrier { .. } => sees,
        InstKind::ExtInst { .. } => true,
        InstKind::Call { pure, .. } => !pure,
        InstKind::Barrier { execution, .. } => *execution != Scope::Workgroup,
        InstKind::Atomic { op, semantics, .. } => {
            let orders = semantics.intersects(crate::ir::Semantics::ACQUIRE | crate::ir::Semantics::RELEASE);
            orders || matches!(op, AtomicOp::Load | AtomicOp::Store)
        }
        _ => false,
    })
}

/// Returns whether work-items exchange values by atomic operations: they may order themselves, but not where one of them writes plainly.
fn exchanges(f: &Function) -> bool {
    let mut insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    insts.any(|inst| {
        let op = match &f.insts[*inst].kind {
            InstKind::Atomic { op, .. } => op,
            _ => return false,
        };
        matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange)
    })
}

/// The objects that may have accesses which are not known to be theirs.
pub(super) fn escaped(f: &Function, origins: &Origins) -> FxHashSet<Root> {
    let mut escaped = FxHashSet::default();
    let root = |value: Value| match origins.origin(f, value) {
        Origin::One(root) if matches!(f.ty(value), Type::Ptr(_)) => Some(root),
        _ => None,
    };
    for block in &f.layout {
        for inst in &f.blocks[*block].insts {
            let data = &f.insts[*inst];
            let result = data.results.first().and_then(|r| root(*r));
            let mut uses = |value: Value| {
                if let Some(root) = root(value).filter(|root| result != Some(*root)) {
                    escaped.insert(root);
                }
            };
            match &data.kind {
                InstKind::Load { place: Place::Pointer(_), .. }
                | InstKind::ICmp(..)
                | InstKind::PtrDiff(..)
                | InstKind::AsyncCopy { .. }
                | InstKind::PtrFence(_) => {}
                InstKind::Store { place: Place::Pointer(_), value, .. } => uses(*value),
                InstKind::Atomic { place: Place::Pointer(_), operands, .. } => {
                    operands.iter().for_each(|v| uses(*v))
                }
                kind => kind.each_value(uses),
            }
        }
        f.blocks[*block].term.each_target(|target| {
            for (param, arg) in f.blocks[target.block].params.iter().zip(&target.args) {
                if let Some(of) = root(*arg).filter(|of| root(*param) != Some(*of)) {
                    escaped.insert(of);
                }
            }
        });
    }
    escaped
}
