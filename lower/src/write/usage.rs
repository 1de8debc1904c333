//! The usage of each kernel: functions, memories with their element types, and the features that follow. It is computed before anything
//! is written, because variables come before functions.

use crate::check::ArgumentFact;
use crate::ir::{
    AtomicOp, BinaryOp, BuiltinInput, Func, Function, ImageOp, ImageRef, InstKind, Module, Place, Root,
    Scalar, Scope, Semantics, Slot, Space, Type,
};
use crate::kernel_info::{SamplerSource, TexelClass};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// An element type that a memory is seen as: `lanes` × `scalar`.
pub(crate) type Elem = (Scalar, u8);

/// How a memory is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    /// The element types of its accesses.
    pub elems: BTreeSet<Elem>,
    pub read: bool,
    pub written: bool,
}

impl MemoryUse {
    fn note(&mut self, elem: Elem, read: bool, written: bool) {
        self.elems.insert(elem);
        self.read |= read;
        self.written |= written;
    }
}

/// A kind of use of an image argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ImageUse {
    pub arg: u32,
    /// As a storage image.
    pub stored: bool,
    pub class: TexelClass,
    /// The level that is written; others are seen in one view.
    pub level: u8,
    /// The size of texels that are seen as bits (of a sampled image, any number); 0 for texels of a class.
    pub bytes: u8,
}

/// [`ImageUse::bytes`] of a sampled image: what it is does not say its format.
pub(super) const SAMPLED_BITS: u8 = 4;

/// The functions, memories and features that a kernel uses.
#[derive(Debug, Clone, Default)]
pub(crate) struct KernelUse {
    /// Its function and all it calls, callers first.
    pub funcs: Vec<Func>,
    /// Memories other than private variables.
    pub roots: BTreeMap<Root, MemoryUse>,
    /// Private variables.
    pub slots: BTreeMap<(Func, Slot), MemoryUse>,
    /// Images.
    pub images: BTreeMap<ImageUse, MemoryUse>,
    /// Samplers that a VkSampler is needed for.
    pub samplers: BTreeSet<SamplerSource>,
    /// Accesses through device addresses.
    pub addresses: MemoryUse,
    /// Work-items exchange data through buffers: global fences or atomics.
    pub shares_buffers: bool,
    /// Other running kernels may pass it data through buffers: atomics on these, or fences beyond the work-group.
    pub communicates: bool,
    /// The kinds of memory that fences, barriers and ordered atomics order between work-items.
    pub orders: Semantics,
    pub has_barrier: bool,
    /// The set of work-items that executes an instruction together matters: barriers, group operations.
    pub converges: bool,
    /// It computes addresses by whether buffers cross multiples of 4 GiB.
    pub asks_crossing: bool,
    /// It asks whether a launch has several windows.
    pub asks_several: bool,
    /// What it asks about the contents of arguments' buffers.
    pub asks_contents: std::collections::BTreeSet<ArgumentFact>,
    /// Work-items may notice their work-group: its ids and sizes, its memory, what orders it.
    pub sees_work_groups: bool,
    /// Float widths 16, 32, 64 that its values have.
    pub floats: [bool; 3],
    /// It has quotients of 32-bit floats.
    pub float_quotients: bool,
    /// Its functions compute with denormal floats.
    pub needs_denormals: bool,
}

/// Scans a kernel's function and what it calls.
pub(crate) fn scan(module: &Module, kernel: Func) -> KernelUse {
    let mut found = KernelUse::default();
    let mut seen = FxHashSet::default();
    let mut work = vec![kernel];
    while let Some(func) = work.pop() {
        let Some(function) = module.functions.get(func).filter(|_| seen.insert(func)) else { continue };
        found.funcs.push(func);
        found.needs_denormals |= function.needs_denormals;
        scan_function(&mut found, module, function, func, &mut work);
    }
    found
}

fn scan_function(
    found: &mut KernelUse,
    module: &Module,
    function: &Function,
    func: Func,
    calls: &mut Vec<Func>,
) {
    let note_float = |found: &mut KernelUse, ty: Type| match ty.scalar() {
        Some(Scalar::F16) => found.floats[0] = true,
        Some(Scalar::F32) => found.floats[1] = true,
        Some(Scalar::F64) => found.floats[2] = true,
        _ => {}
    };
    for block in &function.layout {
        for param in &function.blocks[*block].params {
            note_float(found, function.ty(*param));
        }
        for inst in &function.blocks[*block].insts {
            let data = &function.insts[*inst];
            for result in data.results.iter() {
                note_float(found, function.ty(*result));
            }
            found.sees_work_groups |= shows_work_groups(module, &data.kind);
            match &data.kind {
                InstKind::Binary(BinaryOp::FDiv, a, _) => {
                    found.float_quotients |= function.ty(*a).scalar() == Some(Scalar::F32);
                }
                InstKind::Load { place, .. } => {
                    let ty = data.results.first().map(|v| function.ty(*v));
                    note_place(found, func, place, ty, (true, false));
                }
                InstKind::Store { place, value, .. } => {
                    note_place(found, func, place, Some(function.ty(*value)), (false, true));
                }
                InstKind::Atomic { op, place, semantics, .. } => {
                    scan_atomic(found, func, *op, place);
                    note_order(found, *semantics);
                }
                InstKind::Barrier { semantics, execution, memory } => {
                    found.communicates |=
                        semantics.contains(Semantics::GLOBAL) && *memory != Scope::Workgroup;
                    found.has_barrier |= *execution == Scope::Workgroup;
                    found.converges |= *execution != Scope::Invocation;
                    found.shares_buffers |= semantics.contains(Semantics::GLOBAL);
                    note_order(found, *semantics);
                }
                InstKind::MemBarrier { semantics, memory } => {
                    found.communicates |=
                        semantics.contains(Semantics::GLOBAL) && *memory != Scope::Workgroup;
                    found.shares_buffers |= semantics.contains(Semantics::GLOBAL);
                    note_order(found, *semantics);
                }
                InstKind::Group { .. } => found.converges = true,
                InstKind::Image { op, image: ImageRef::Arg(arg), .. } => scan_image(found, *op, *arg),
                InstKind::BuffersCross => found.asks_crossing = true,
                InstKind::SeveralWindows => found.asks_several = true,
                InstKind::HasArgumentRecord(arg) => {
                    found.asks_contents.insert(ArgumentFact::Record(*arg));
                }
                InstKind::HasArgumentFlags(arg) => {
                    found.asks_contents.insert(ArgumentFact::Flags(*arg));
                }
                InstKind::HasArgumentCells(arg) => {
                    found.asks_contents.insert(ArgumentFact::Cells(*arg));
                }
                InstKind::Call { func, .. } => calls.push(*func),
                _ => {}
            }
        }
    }
}

/// An order without a kind of memory orders nothing, nor does a kind without an order.
fn note_order(found: &mut KernelUse, semantics: Semantics) {
    if semantics.intersects(Semantics::ACQUIRE | Semantics::RELEASE | Semantics::SEQ_CST) {
        found.orders |= semantics & (Semantics::GLOBAL | Semantics::LOCAL | Semantics::IMAGE);
    }
}

fn scan_image(found: &mut KernelUse, op: ImageOp, arg: u32) {
    let (stored, class, written, bytes) = match op {
        ImageOp::Fetch(class) => (false, class, None, 0),
        ImageOp::Filter { sampler, .. } => {
            found.samplers.extend(sampler);
            (false, TexelClass::Float, None, 0)
        }
        ImageOp::Load(class) => (true, class, None, 0),
        ImageOp::Store(class, level) => (true, class, Some(level), 0),
        ImageOp::FetchBits => (false, TexelClass::Uint, None, SAMPLED_BITS),
        ImageOp::LoadBits(bytes) => (true, TexelClass::Uint, None, bytes),
        ImageOp::StoreBits(bytes, level) => (true, TexelClass::Uint, Some(level), bytes),
        _ => return,
    };
    let key = ImageUse { arg, stored, class, level: written.unwrap_or(0), bytes };
    let memory = found.images.entry(key).or_default();
    memory.read |= written.is_none();
    memory.written |= written.is_some();
}

/// Returns whether an instruction depends on which work-items are in one work-group. The first work-group and the number of work-groups come from the
/// argument block.
fn shows_work_groups(module: &Module, kind: &InstKind) -> bool {
    let local = |root: Root| match root {
        Root::Global(var) => module.globals.get(var).is_none_or(|v| v.space == Space::Local),
        root => matches!(root, Root::LocalArg(_) | Root::LocalArena),
    };
    match kind {
        InstKind::Input(input, _) => *input != BuiltinInput::GlobalInvocationId,
        InstKind::WorkgroupSize(_)
        | InstKind::Group { .. }
        | InstKind::Barrier { .. }
        | InstKind::MemBarrier { .. }
        | InstKind::Atomic { .. } => true,
        kind => matches!(kind.place(), Some(Place::Element { root, .. }) if local(root)),
    }
}

fn scan_atomic(found: &mut KernelUse, func: Func, op: AtomicOp, place: &Place) {
    let mode = (op != AtomicOp::Store, op != AtomicOp::Load);
    let mut place = *place;
    if let Place::Element { scalar, .. } = &mut place {
        *scalar = atomic_scalar(op, *scalar);
    }
    note_place(found, func, &place, None, mode);
    let local = matches!(
        place,
        Place::Element { root: Root::LocalArg(_) | Root::LocalArena | Root::Global(_) | Root::Slot(_), .. }
    );
    found.shares_buffers |= !local;
    found.communicates |= !local;
}

fn note_place(
    found: &mut KernelUse,
    func: Func,
    place: &Place,
    ty: Option<Type>,
    (read, written): (bool, bool),
) {
    match place {
        Place::Element { root: Root::Slot(slot), scalar, lanes, .. } => {
            found.slots.entry((func, *slot)).or_default().note((*scalar, *lanes), read, written);
        }
        Place::Element { root, scalar, lanes, .. } => {
            found.roots.entry(*root).or_default().note((*scalar, *lanes), read, written);
        }
        Place::Address(_) => {
            let elem = ty.and_then(|ty| Some((ty.scalar()?, ty.lanes())));
            found.addresses.note(elem.unwrap_or((Scalar::I32, 1)), read, written);
        }
        Place::Pointer(_) => {}
    }
}

/// The scalar on which an atomic works. Only additions need floats; the rest move bits, and integers
/// of the same width do that on every device.
pub(super) fn atomic_scalar(op: AtomicOp, scalar: Scalar) -> Scalar {
    if op == AtomicOp::FAdd { scalar } else { Scalar::int(scalar.bytes()).unwrap_or(scalar) }
}
