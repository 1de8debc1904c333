//! Points-to analysis: the roots that each pointer may point into.
//!
//! The analysis is inclusion-based and flow-insensitive:
//! - a value has the pointers of its operands;
//! - a memory has the pointers that were stored in it;
//! - an integer has the pointers that it was computed from.
//!
//! A worklist runs over the uses of values and the readers of memories. Every set grows a few times at most.
//!
//! All buffers are one memory ([`Memory::Buffers`]): two arguments may name one buffer, and a device address names any.
//! A value that is read from them may be an address that no root in sight explains, because other launches and the host write there.
//! [`elsewhere`] then finds the other pointers without a root in sight.

mod elsewhere;

use super::names::reads_integer;
use crate::ir::{
    BinaryOp, Block, Constant, Function, Inst, InstKind, Place, Root, Scalar, Space, Type, Value, ValueDef,
};
use crate::kernel_info::DataBlock;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The facts about a pointer value, an integer made of pointers, or the pointers in a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PointerInfo {
    /// The roots that it may point into, sorted.
    pub roots: SmallVec<[Root; 2]>,
    /// It may be an address that no root in sight explains: loaded from a buffer or made from an integer.
    pub address: bool,
    /// It may be null.
    pub null: bool,
    /// It may be an integer that is no object's address, made a pointer to private or local memory. It may then be null, too.
    pub number: bool,
}

impl PointerInfo {
    fn from_root(root: Root) -> Self {
        PointerInfo { roots: SmallVec::from_slice(&[root]), ..Self::default() }
    }

    fn null() -> Self {
        PointerInfo { null: true, ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.roots.is_empty() && !self.address
    }

    fn join(&mut self, other: &PointerInfo) -> bool {
        let mut changed =
            other.address && !self.address || other.null && !self.null || other.number && !self.number;
        self.address |= other.address;
        self.null |= other.null;
        self.number |= other.number;
        for root in &other.roots {
            if let Err(at) = self.roots.binary_search(root) {
                self.roots.insert(at, *root);
                changed = true;
            }
        }
        changed
    }

    /// The part that a pointer to a space can be.
    fn within(&self, space: Space) -> PointerInfo {
        PointerInfo {
            roots: self.roots.iter().copied().filter(|r| in_space(*r, space)).collect(),
            address: self.address && is_buffer_space(space),
            null: self.null,
            number: self.number && !is_buffers_alone(space),
        }
    }
}

/// Returns whether pointers to this space point to buffers only.
fn is_buffers_alone(space: Space) -> bool {
    matches!(space, Space::Global | Space::Constant)
}

/// Returns whether a pointer to this space may point into a root.
pub(super) fn in_space(root: Root, space: Space) -> bool {
    let of_root = match root {
        Root::Slot(_) => return matches!(space, Space::Private | Space::Generic),
        Root::Global(_) | Root::LocalArg(_) | Root::LocalArena => Space::Local,
        Root::Arg(_) | Root::Places | Root::Window(_) => {
            return matches!(space, Space::Global | Space::Constant | Space::Generic);
        }
        Root::Block => Space::Block,
        Root::Constants => Space::Constant,
        Root::Globals | Root::Printf | Root::Sequence => Space::Global,
    };
    of_root == space || space == Space::Generic && matches!(of_root, Space::Local | Space::Global)
}

/// Returns whether a root is a buffer.
pub(super) fn is_buffer(root: Root) -> bool {
    matches!(
        root,
        Root::Arg(_) | Root::Constants | Root::Globals | Root::Printf | Root::Sequence | Root::Places
    )
}

/// Returns whether the value is the null pointer. An undefined value counts as null.
pub(super) fn is_null(f: &Function, value: Value) -> bool {
    matches!(f.values[value].def, ValueDef::Const(Constant::Bits(0) | Constant::Undef))
}

/// Returns whether an integer is zero, also if it is composed of zeros.
fn is_zero(f: &Function, value: Value) -> bool {
    is_null(f, value)
        || f.def_inst(value).is_some_and(|data| match &data.kind {
            InstKind::Bitcast(bits) => is_zero(f, *bits),
            InstKind::Construct(parts) => parts.iter().all(|part| is_zero(f, *part)),
            _ => false,
        })
}

/// A memory that the analysis distinguishes from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Memory {
    Root(Root),
    Buffers,
}

fn memory_of(root: Root) -> Memory {
    match root {
        Root::Arg(_) | Root::Globals | Root::Printf | Root::Sequence => Memory::Buffers,
        other => Memory::Root(other),
    }
}

/// The result of the analysis for one function.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    /// For each pointer value, and for integers that pointers were made into.
    pub info: FxHashMap<Value, PointerInfo>,
    /// A buffer pointer may be an address that no root explains.
    pub needs_addresses: bool,
    /// A buffer pointer may point into several buffers.
    pub several_buffers: bool,
    /// A buffer's address, or an integer made of one, is stored in a buffer.
    pub escapes: bool,
    /// The program's constants, which the kernel uses, hold pointers.
    pub relocated: bool,
    /// A pointer read from memory or made of an integer may point into several buffers.
    pub reads_several: bool,
    /// A pointer read from memory or made of an integer may point into a buffer or into something else.
    pub reads_mixed: bool,
    /// Roots that were merged into a new one, and their offsets in it.
    pub merged: FxHashMap<Root, (Root, u64)>,
}

impl Analysis {
    /// Returns whether integers of pointers into buffers hold the buffer's number, and not an address.
    pub fn tags_buffers(&self, address_bits: u32) -> bool {
        self.reads_several || address_bits == 32 && self.reads_mixed
    }
}

/// Finds the roots of every pointer.
pub(super) fn analyse(f: &Function, constants: &DataBlock, address_bits: u32) -> Analysis {
    let mut solver = Solver::new(f, constants);
    solver.seed();
    solver.run();
    // The search needs the complete result: it looks for integers without a pointer in them.
    solver.find_elsewhere(address_bits);
    let Solver { info, contents, .. } = solver;
    let buffers = |i: &PointerInfo| i.roots.iter().filter(|r| is_buffer(**r)).count();
    let pointers =
        || info.iter().filter_map(|(v, i)| if let Type::Ptr(s) = f.ty(*v) { Some((*v, s, i)) } else { None });
    let read = |v: Value| f.def_inst(v).is_some_and(|d| reads_integer(&d.kind));
    Analysis {
        needs_addresses: pointers().any(|(_, space, i)| is_buffer_space(space) && i.address),
        several_buffers: pointers().any(|(_, _, i)| buffers(i) > 1),
        escapes: contents.get(&Memory::Buffers).is_some_and(|i| buffers(i) > 0),
        relocated: !constants.relocations.is_empty()
            && pointers().any(|(_, _, i)| i.roots.contains(&Root::Constants)),
        reads_several: pointers().any(|(v, _, i)| buffers(i) > 1 && read(v)),
        reads_mixed: pointers().any(|(v, _, i)| buffers(i) > 0 && i.roots.len() > 1 && read(v)),
        info,
        merged: FxHashMap::default(),
    }
}

/// A use of a value.
#[derive(Clone, Copy)]
enum Use {
    Inst(Inst),
    /// By the block's terminator.
    End(Block),
}

struct Solver<'f> {
    f: &'f Function,
    /// The program's constants. Their initialisers may be pointers.
    constants: &'f DataBlock,
    /// Pointers are stored or made integers, so integers and memories may hold them.
    tracks_memory: bool,
    uses: FxHashMap<Value, SmallVec<[Use; 4]>>,
    info: FxHashMap<Value, PointerInfo>,
    contents: FxHashMap<Memory, PointerInfo>,
    /// The instructions that read a memory, each once.
    readers: FxHashMap<Memory, Vec<Inst>>,
    known_readers: FxHashSet<(Memory, Inst)>,
    /// Values whose uses are to be visited.
    queue: Vec<Value>,
    queued: Vec<bool>,
    /// Readers of a memory whose set has grown.
    reread: Vec<Inst>,
}

fn is_pointer_type(ty: Type) -> bool {
    matches!(ty, Type::Ptr(_))
}

impl<'f> Solver<'f> {
    fn new(f: &'f Function, constants: &'f DataBlock) -> Self {
        let kinds = || f.layout.iter().flat_map(|b| &f.blocks[*b].insts).map(|i| &f.insts[*i].kind);
        let tracks_memory = kinds().any(|k| match k {
            InstKind::Store { value, .. } => is_pointer_type(f.ty(*value)),
            InstKind::Atomic { operands, .. } => operands.iter().any(|o| is_pointer_type(f.ty(*o))),
            InstKind::PtrToInt(_) => true,
            _ => false,
        });
        let mut solver = Solver {
            f,
            constants,
            tracks_memory,
            uses: FxHashMap::default(),
            info: FxHashMap::default(),
            contents: FxHashMap::default(),
            readers: FxHashMap::default(),
            known_readers: FxHashSet::default(),
            queue: Vec::new(),
            queued: vec![false; f.values.len()],
            reread: Vec::new(),
        };
        solver.find_uses();
        solver
    }

    fn may_hold(&self, value: Value) -> bool {
        let ty = self.f.ty(value);
        is_pointer_type(ty) || self.tracks_memory && ty.scalar() != Some(Scalar::Bool)
    }

    fn find_uses(&mut self) {
        for &block in &self.f.layout {
            for &inst in &self.f.blocks[block].insts {
                for value in self.f.insts[inst].kind.values() {
                    if self.may_hold(value) {
                        self.uses.entry(value).or_default().push(Use::Inst(inst));
                    }
                }
            }
            for value in self.f.blocks[block].term.values() {
                if self.may_hold(value) {
                    self.uses.entry(value).or_default().push(Use::End(block));
                }
            }
        }
    }

    /// Visits what depends on no other value: roots, null constants, integers of unknown origin.
    fn seed(&mut self) {
        let null = |v: Value| is_pointer_type(self.f.ty(v)) && is_null(self.f, v);
        for &block in &self.f.layout {
            for &inst in &self.f.blocks[block].insts {
                let data = &self.f.insts[inst];
                match (&data.kind, data.results.first()) {
                    (
                        InstKind::RootAddr(_)
                        | InstKind::IntToPtr(_)
                        | InstKind::Select(..)
                        | InstKind::PtrToSpace(_),
                        Some(_),
                    ) => self.visit(inst),
                    (kind, _) if kind.values().any(null) => self.visit(inst),
                    _ => {}
                }
            }
            if self.f.blocks[block].term.values().any(null) {
                self.end(block, None);
            }
        }
    }

    fn run(&mut self) {
        loop {
            if let Some(inst) = self.reread.pop() {
                self.visit(inst);
            } else if let Some(value) = self.queue.pop() {
                self.queued[value.0 as usize] = false;
                self.propagate(value);
            } else {
                return;
            }
        }
    }

    /// The facts about a value.
    fn info_of(&self, value: Value) -> PointerInfo {
        match self.info.get(&value) {
            Some(info) => info.clone(),
            None if self.f.const_bits(value) == Some(0) && is_pointer_type(self.f.ty(value)) => {
                PointerInfo::null()
            }
            None => PointerInfo::default(),
        }
    }

    /// Adds facts about a value. Returns whether any was new.
    fn join(&mut self, value: Value, more: &PointerInfo) -> bool {
        if more.is_empty() && !more.null {
            return false;
        }
        let index = value.0 as usize;
        let changed = self.info.entry(value).or_default().join(more);
        if changed && !self.queued[index] {
            self.queued[index] = true;
            self.queue.push(value);
        }
        changed
    }

    fn propagate(&mut self, value: Value) {
        for at in self.uses.get(&value).cloned().unwrap_or_default() {
            match at {
                Use::Inst(inst) => self.visit(inst),
                Use::End(block) => self.end(block, Some(value)),
            }
        }
    }

    /// Passes the facts of a branch's arguments to parameters.
    fn end(&mut self, block: Block, only: Option<Value>) {
        let f = self.f;
        for target in f.blocks[block].term.targets() {
            for (param, arg) in f.blocks[target.block].params.iter().zip(&target.args) {
                if only.is_none_or(|v| v == *arg) && self.may_hold(*param) {
                    let info = self.info_of(*arg);
                    self.join(*param, &info);
                }
            }
        }
    }

    /// The memories that a pointer may point into.
    fn memories(&self, pointer: Value) -> SmallVec<[Memory; 2]> {
        let info = self.info_of(pointer);
        let mut list: SmallVec<[Memory; 2]> = info.roots.iter().map(|r| memory_of(*r)).collect();
        if info.address {
            list.push(Memory::Buffers);
        }
        list.dedup();
        list
    }

    /// Updates one instruction after the facts about an operand have changed.
    fn visit(&mut self, inst: Inst) {
        let f = self.f;
        let data = &f.insts[inst];
        let result = data.results.first().copied();
        match &data.kind {
            InstKind::Load { place: Place::Pointer(p), .. } => {
                if let Some(result) = result {
                    self.load(inst, *p, result);
                }
            }
            InstKind::Store { place: Place::Pointer(p), value, .. } => self.store(*p, *value),
            InstKind::Atomic { place: Place::Pointer(p), operands, .. } => {
                for operand in operands.iter() {
                    self.store(*p, *operand);
                }
                if let Some(result) = result {
                    self.load(inst, *p, result);
                }
            }
            InstKind::ICmp(..) | InstKind::FCmp(..) | InstKind::PtrFence(_) => {}
            InstKind::Call { args, .. } => {
                let mut all = PointerInfo::default();
                args.iter().for_each(|a| {
                    all.join(&self.info_of(*a));
                });
                for result in data.results.iter() {
                    self.join(*result, &all);
                }
            }
            kind => {
                let Some(result) = result.filter(|r| self.may_hold(*r)) else { return };
                let info = self.computed(kind, result);
                self.join(result, &info);
            }
        }
    }

    /// The facts about the result of an instruction that accesses no memory.
    fn computed(&self, kind: &InstKind, result: Value) -> PointerInfo {
        let f = self.f;
        match kind {
            InstKind::RootAddr(root) => PointerInfo::from_root(*root),
            InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. } => self.info_of(*base),
            InstKind::PtrCast(base) | InstKind::PtrToSpace(base) => {
                let Type::Ptr(space) = f.ty(result) else { return PointerInfo::default() };
                let mut info = self.info_of(*base).within(space);
                if matches!(kind, InstKind::PtrToSpace(_)) {
                    info.null = true;
                    info.number = false;
                }
                info
            }
            InstKind::IntToPtr(integer) => {
                let Type::Ptr(space) = f.ty(result) else { return PointerInfo::default() };
                let mut info = self.info_of(*integer).within(space);
                info.null = true;
                info.number = !is_buffers_alone(space) && !is_zero(f, *integer);
                info
            }
            InstKind::Select(_, a, b) => {
                let mut info = self.info_of(*a);
                info.join(&self.info_of(*b));
                info
            }
            InstKind::PtrToInt(pointer) => self.info_of(*pointer),
            // The distance between two pointers into one object is no pointer.
            InstKind::PtrDiff(a, b) if self.in_one_object(*a, *b) => PointerInfo::default(),
            InstKind::Binary(BinaryOp::ISub, a, b)
                if self.made_of_pointer(*a) && self.made_of_pointer(*b) && self.in_one_object(*a, *b) =>
            {
                PointerInfo::default()
            }
            _ => {
                let mut info = PointerInfo::default();
                for operand in kind.values() {
                    info.join(&self.info_of(operand));
                }
                info.null = false;
                info
            }
        }
    }

    fn made_of_pointer(&self, value: Value) -> bool {
        self.f.def_inst(value).is_some_and(|d| matches!(d.kind, InstKind::PtrToInt(_)))
    }

    /// Returns whether two pointers point into the same object. A distance between two objects moves a pointer from one into the other.
    fn in_one_object(&self, a: Value, b: Value) -> bool {
        let (x, y) = (self.info_of(a), self.info_of(b));
        let same = x.roots == y.roots && x.address == y.address;
        same && x.roots.len() + usize::from(x.address) <= 1
    }

    fn load(&mut self, inst: Inst, pointer: Value, result: Value) {
        if !self.may_hold(result) {
            return;
        }
        let space = match self.f.ty(result) {
            Type::Ptr(space) => Some(space),
            _ => None,
        };
        let mut info = PointerInfo::default();
        for memory in self.memories(pointer) {
            if self.tracks_memory && self.known_readers.insert((memory, inst)) {
                self.readers.entry(memory).or_default().push(inst);
            }
            let held = self.held(memory);
            info.join(&held);
            // An integer beside pointers in a buffer may be an address from elsewhere, too.
            let foreign = matches!(memory, Memory::Buffers | Memory::Root(Root::Block));
            info.address |= foreign && (space.is_some() || !held.is_empty());
            info.number |= foreign && space.is_some();
        }
        if let Some(space) = space {
            info = info.within(space);
            info.null = true;
        }
        self.join(result, &info);
    }

    /// The pointers in a memory. Those in the program's constants come from initialisers.
    fn held(&self, memory: Memory) -> PointerInfo {
        let mut info = self.contents.get(&memory).cloned().unwrap_or_default();
        if memory == Memory::Root(Root::Constants) {
            for (to_globals, root) in [(false, Root::Constants), (true, Root::Globals)] {
                if self.constants.relocations.iter().any(|r| r.to_globals == to_globals) {
                    info.join(&PointerInfo::from_root(root));
                }
            }
        }
        info
    }

    fn store(&mut self, pointer: Value, value: Value) {
        let info = self.info_of(value);
        if info.is_empty() && !info.number {
            return;
        }
        for memory in self.memories(pointer) {
            if self.contents.entry(memory).or_default().join(&info) {
                self.reread.extend(self.readers.get(&memory).into_iter().flatten());
            }
        }
    }
}

/// Returns whether a space holds buffers.
fn is_buffer_space(space: Space) -> bool {
    matches!(space, Space::Global | Space::Constant | Space::Generic)
}
