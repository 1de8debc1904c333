//! Local memory of resumable kernels: each store goes to the save area too, and the resumed kernel starts with what is there.
//!
//! A work-group has a slab before the rows of the save area, the last group's first. It holds the work-group's local variables, the
//! arena and the `__local` arguments, each at a multiple of 16 bytes.
//!
//! Nothing is copied at the kernel's end. A loop there would end at once, because the driver's count of iterations is used up. The
//! resumed kernel copies the slab to local memory, and waits for the whole work-group before its work-items go on.

use super::area::Area;
use super::to;
use crate::ir::{
    AtomicOp, BinaryOp, Block, BuiltinInput, ConvertOp, Function, InstKind, IntCC, KernelData, LocalArena,
    MemFlags, Module, Place, Root, Scalar, Scope, Semantics, Space, Terminator, Type, Value,
};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;

/// The alignment of a slab and of each part of it.
pub(crate) const ALIGN: u64 = 16;

/// The local memory of a kernel.
pub(super) struct LocalMemory {
    parts: Vec<Part>,
    /// The bytes of the parts whose size is known.
    pub(super) bytes: u32,
}

/// A variable, an argument or the arena.
struct Part {
    root: Root,
    /// The type by which it is copied.
    element: (Scalar, u8),
    /// The bytes that are known.
    bytes: u64,
    /// The arguments in it, each with the bytes of its unit.
    args: Vec<(u32, u32)>,
}

/// A part in a kernel.
struct Placed<'a> {
    part: &'a Part,
    /// Its size in bytes.
    size: Value,
    /// Its first byte in the buffer.
    start: Value,
    /// The address of that byte, in the address model.
    address: Option<Value>,
}

impl LocalMemory {
    /// Finds the local memory that a kernel accesses. `None` if it cannot be saved.
    pub(super) fn find(module: &Module, kernel: &KernelData, target: &Target) -> Option<Self> {
        let f = &module.functions[kernel.func];
        let mut parts: Vec<Part> = Vec::new();
        for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
            let Some(Place::Element { root, scalar, lanes, .. }) = f.insts[*inst].kind.place() else {
                continue;
            };
            let (bytes, args) = match root {
                Root::Global(var) if module.globals[var].space == Space::Local => {
                    (module.globals[var].size, Vec::new())
                }
                Root::LocalArg(arg) => (0, vec![(arg, Type::new(scalar, lanes).bytes())]),
                Root::LocalArena => {
                    let arena = kernel.local_arena.as_ref()?;
                    (arena.static_bytes, arena.args.iter().map(|arg| (*arg, LocalArena::UNIT)).collect())
                }
                _ => continue,
            };
            let can = match scalar {
                Scalar::Bool => false,
                Scalar::I8 => target.features.storage_buffer_8bit_access,
                Scalar::I16 | Scalar::F16 => target.features.storage_buffer_16bit_access,
                _ => true,
            };
            if !can {
                return None;
            }
            match parts.iter_mut().find(|part| part.root == root) {
                // An arena with views is copied by words.
                Some(part) if part.element != (scalar, lanes) => {
                    let views = kernel.local_arena.as_ref().is_some_and(|arena| arena.views);
                    part.element = (Scalar::I32, 1);
                    (views && root == Root::LocalArena).then_some(())?;
                }
                Some(_) => {}
                None => parts.push(Part { root, element: (scalar, lanes), bytes, args }),
            }
        }
        for part in parts.iter_mut().filter(|part| part.args.is_empty()) {
            part.bytes = part.bytes.next_multiple_of(part.element_bytes());
        }
        // Parts whose size only the launch knows come last.
        parts.sort_by_key(|part| (!part.args.is_empty(), part.root));
        let bytes: u64 = parts.iter().map(|part| part.bytes.next_multiple_of(ALIGN)).sum();
        Some(LocalMemory { parts, bytes: u32::try_from(bytes).ok()? })
    }

    /// The largest number of iterations that copying a slab takes, in work-groups of so many work-items.
    pub(super) fn iterations(&self, target: &Target, items: u64) -> u64 {
        let most = u64::from(target.limits.max_compute_shared_memory_size);
        let of = |part: &Part| {
            let bytes = if part.args.is_empty() { part.bytes } else { most };
            (bytes / part.element_bytes()).div_ceil(items.max(1)) + 2
        };
        self.parts.iter().map(of).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds the stores to the slab. A kernel that is to `resume` copies the slab first, if the lane is a work-item.
    pub(super) fn keep(&self, f: &mut Function, area: &Area, entry: Block, resume: bool) {
        let mut rw = Rewriter::new(f);
        let placed = self.place(&mut rw, area);
        let made = rw.take();
        f.blocks[entry].insts.extend(made);
        let blocks: Vec<Block> = f.layout.iter().copied().filter(|block| *block != entry).collect();
        for block in blocks {
            store_through(f, &placed, block);
        }
        let Terminator::CondBranch { then, .. } = &f.blocks[entry].term else { return };
        if !resume {
            return;
        }
        let begins = then.block;
        let last = f.new_block();
        let mut rw = Rewriter::new(f);
        rw.void(InstKind::Barrier {
            execution: Scope::Workgroup,
            memory: Scope::Workgroup,
            semantics: Semantics::ACQUIRE | Semantics::RELEASE | Semantics::LOCAL,
        });
        rw.finish_block(last);
        f.blocks[last].term = Terminator::Branch(to(begins, &[]));
        let mut next = last;
        for part in placed.iter().rev() {
            next = copy(f, area, part, next);
        }
        f.blocks[entry]
            .term
            .targets_mut()
            .filter(|target| target.block == begins)
            .for_each(|t| t.block = next);
    }

    /// Computes where the parts are.
    fn place(&self, rw: &mut Rewriter<'_>, area: &Area) -> Vec<Placed<'_>> {
        let mut sizes = Vec::new();
        let mut offset = rw.iconst(Type::I32, 0);
        for part in &self.parts {
            let mut size = rw.iconst(Type::I32, part.bytes);
            for (arg, unit) in &part.args {
                let units = rw.inst(InstKind::LocalArgUnits(*arg), Type::I32);
                let bytes = rw.mul_const(units, u64::from(*unit));
                size = rw.add(size, bytes);
            }
            sizes.push((size, offset));
            let up = rw.binary_const(BinaryOp::IAdd, size, ALIGN - 1);
            let whole = rw.binary_const(BinaryOp::And, up, !(ALIGN - 1) & u64::from(u32::MAX));
            offset = rw.add(offset, whole);
        }
        // Slabs end where the rows begin.
        let group = area.group(rw);
        let number = rw.binary_const(BinaryOp::IAdd, group, 1);
        let before = rw.binary(BinaryOp::IMul, number, offset);
        let rows = area.start_bytes(rw);
        let slab = rw.binary(BinaryOp::ISub, rows, before);
        let mut placed = Vec::new();
        for (part, (size, offset)) in self.parts.iter().zip(sizes) {
            let start = rw.add(slab, offset);
            let address = area.address_of_byte(rw, start);
            placed.push(Placed { part, size, start, address });
        }
        placed
    }
}

impl Part {
    fn element_bytes(&self) -> u64 {
        Type::new(self.element.0, self.element.1).bytes().max(1).into()
    }
}

impl Placed<'_> {
    /// The place of an element in the slab.
    fn element(&self, rw: &mut Rewriter<'_>, (scalar, lanes): (Scalar, u8), index: Value) -> Place {
        let shift = u64::from(Type::new(scalar, lanes).bytes().max(1).trailing_zeros());
        match self.address {
            Some(address) => {
                let wide = if rw.f.ty(index) == Type::I64 {
                    index
                } else {
                    rw.convert(ConvertOp::ZExt, index, Type::I64)
                };
                let bytes = rw.binary_const(BinaryOp::Shl, wide, shift);
                Place::Address(rw.add(address, bytes))
            }
            None => {
                let index = rw.int_cast(index, Type::I32, false);
                let first = rw.binary_const(BinaryOp::LShr, self.start, shift);
                let index = rw.add(first, index);
                Place::Element { root: Root::Printf, scalar, lanes, index }
            }
        }
    }
}

fn flags(scalar: Scalar) -> MemFlags {
    MemFlags { align: (scalar.bits() / 8).max(1), volatile: false }
}

/// Lets the stores of a block go to the slab too. What an atomic operation stored is loaded for that.
fn store_through(f: &mut Function, placed: &[Placed<'_>], block: Block) {
    let is_local = |place: Option<Place>| match place {
        Some(Place::Element { root, scalar, lanes, index }) => {
            placed.iter().find(|p| p.part.root == root).map(|part| (part, (scalar, lanes), index))
        }
        _ => None,
    };
    let insts = std::mem::take(&mut f.blocks[block].insts);
    let mut rw = Rewriter::new(f);
    for inst in insts {
        rw.keep(inst);
        let kind = rw.f.insts[inst].kind.clone();
        let Some((part, element, index)) = is_local(kind.place()) else { continue };
        rw.at(inst);
        let value = match kind {
            InstKind::Store { value, .. } => value,
            InstKind::Atomic { op: AtomicOp::Load, .. } => continue,
            InstKind::Atomic { place, .. } => {
                rw.load(place, Type::new(element.0, element.1), flags(element.0))
            }
            _ => continue,
        };
        let place = part.element(&mut rw, element, index);
        rw.store(place, value, flags(element.0));
    }
    rw.finish_block(block);
}

/// The first block of a loop that copies a part from the slab, before `next`.
fn copy(f: &mut Function, area: &Area, placed: &Placed<'_>, next: Block) -> Block {
    let (begin, head, body) = (f.new_block(), f.new_block(), f.new_block());
    let element = placed.part.element;
    let ty = Type::new(element.0, element.1);
    let mut rw = Rewriter::new(f);
    let own = rw.inst(InstKind::Input(BuiltinInput::LocalInvocationIndex, 0), Type::I32);
    let shift = placed.part.element_bytes().trailing_zeros();
    let count = rw.binary_const(BinaryOp::LShr, placed.size, shift.into());
    let step = area.items(&mut rw);
    rw.finish_block(begin);
    f.blocks[begin].term = Terminator::Branch(to(head, &[own]));
    let index = f.add_param(head, Type::I32);
    let mut rw = Rewriter::new(f);
    let more = rw.icmp(IntCC::Ult, index, count);
    rw.finish_block(head);
    f.blocks[head].term = Terminator::CondBranch { cond: more, then: to(body, &[]), els: to(next, &[]) };
    let mut rw = Rewriter::new(f);
    let from = placed.element(&mut rw, element, index);
    let value = rw.load(from, ty, flags(element.0));
    let into = Place::Element { root: placed.part.root, scalar: element.0, lanes: element.1, index };
    rw.store(into, value, flags(element.0));
    let after = rw.add(index, step);
    rw.finish_block(body);
    f.blocks[body].term = Terminator::Branch(to(head, &[after]));
    begin
}
