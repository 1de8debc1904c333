//! Views: the one element type of each Workgroup and Function variable, chosen from all accesses to it.
//!
//! | the accesses | the element |
//! |---|---|
//! | all of one scalar size, aligned to it | that scalar (an integer where kinds differ); a vector where all accesses are that vector, aligned to it |
//! | of several sizes, each aligned to it | a 32-bit word; smaller accesses take part of it, larger ones several |
//! | the same, with stores of less than a word to `__local` memory that outweigh the rest | the smallest of them |
//! | with some that straddle words | a byte, or a word where that is less work or there are no bytes |
//!
//! `__local` memory with several sizes has an element type for each access if the target can lay it out
//! (VK_KHR_workgroup_memory_explicit_layout). All of the kernel's `__local` memory is then one block, seen as arrays of each type.
//!
//! Buffers have an element type for each access. In WGSL a binding has one variable, so that buffers have one view there, like variables.

use super::roots::{Analysis, in_space};
use crate::ir::{AtomicOp, Func, Function, InstKind, Module, Place, Root, Scalar, Space, Type, Value};
use crate::target::Target;
use rustc_hash::{FxHashMap, FxHashSet};

/// The element type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    pub scalar: Scalar,
    /// 1, 2 or 4.
    pub lanes: u8,
}

impl View {
    /// 32-bit words.
    pub const WORDS: View = View { scalar: Scalar::I32, lanes: 1 };
}

/// The common properties of the accesses to one root.
#[derive(Debug, Clone, Copy)]
struct Uses {
    scalar: Scalar,
    same_kind: bool,
    same_size: bool,
    lanes: Option<u8>,
    /// Every access is aligned to its scalar, or to 4 if the scalar is larger.
    words: bool,
    natural: bool,
    /// Some access is an atomic, an atomic of 64 bits, a float addition, another atomic.
    atomic: bool,
    atomic64: bool,
    atomic_kinds: [bool; 2],
    /// The minimum of the sizes and alignments of the accesses' scalars.
    smallest: u32,
    /// The bytes of all accesses.
    bytes: u32,
    /// The approximate cost of the accesses as words, in shared or private memory.
    in_words: u32,
    in_private_words: u32,
}

/// The approximate costs of a store of part of a word (two atomics) and of a load (a shift and a mask).
const STORE_IN_WORD: u32 = 8;
const LOAD_FROM_WORD: u32 = 2;

/// An access to memory.
#[derive(Debug, Clone, Copy)]
struct AccessUse {
    pointer: Value,
    ty: Type,
    align: u32,
    store: bool,
    /// The operation of an atomic.
    atomic: Option<AtomicOp>,
}

/// The views of all functions. `__local` variables belong to the module.
pub(super) struct Views {
    local: FxHashMap<Root, View>,
    own: FxHashMap<(Func, Root), View>,
    mixed: FxHashSet<(Func, Root, u32)>,
}

impl Views {
    /// Collects the views from every access of the module.
    pub fn collect(module: &Module, analyses: &[Analysis], target: &Target) -> Self {
        let mut uses: FxHashMap<(Option<Func>, Root), Uses> = FxHashMap::default();
        // The scalar of each size in a buffer, and whether several scalars have that size.
        let mut buffers: FxHashMap<(Func, Root, u32), (Scalar, bool)> = FxHashMap::default();
        for (func, analysis) in module.functions.keys().zip(analyses) {
            let f = &module.functions[func];
            for access in accesses(f) {
                note(&mut uses, func, analysis, &access, (module.address_bits, target));
                let scalar = memory_type(access.ty, module.address_bits).scalar();
                let Some((info, scalar)) = analysis.info.get(&access.pointer).zip(scalar) else { continue };
                for root in &info.roots {
                    let root = analysis.merged.get(root).map_or(*root, |(merged, _)| *merged);
                    if super::roots::is_buffer(root) || root == Root::LocalArena {
                        buffers
                            .entry((func, root, scalar.bytes()))
                            .and_modify(|(known, mixed)| *mixed |= *known != scalar)
                            .or_insert((scalar, false));
                    }
                }
            }
        }
        let mut views =
            Views { local: FxHashMap::default(), own: FxHashMap::default(), mixed: FxHashSet::default() };
        for ((func, root, size), (_, mixed)) in buffers {
            if mixed {
                views.mixed.insert((func, root, size));
            }
        }
        for ((func, root), uses) in uses {
            let view = choose(root, uses, target);
            match func {
                Some(func) => views.own.insert((func, root), view),
                None => views.local.insert(root, view),
            };
        }
        views
    }

    /// The buffers of a function with elements of one size and of different kinds (int and float).
    /// One view of integers serves all of them.
    pub fn mixed(&self, func: Func) -> FxHashSet<(Root, u32)> {
        self.mixed.iter().filter(|(f, _, _)| *f == func).map(|(_, root, size)| (*root, *size)).collect()
    }

    /// The views of one function's roots, after merging.
    pub fn of_function(&self, func: Func, analysis: &Analysis) -> FxHashMap<Root, View> {
        let mut views = self.local.clone();
        views
            .extend(self.own.iter().filter(|((f, _), _)| *f == func).map(|((_, root), view)| (*root, *view)));
        debug_assert!(analysis.merged.values().all(|(root, _)| !analysis.merged.contains_key(root)));
        views
    }
}

/// The accesses of a function through pointers.
fn accesses(f: &Function) -> impl Iterator<Item = AccessUse> + '_ {
    let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
    insts.filter_map(|inst| access_of(f, &f.insts[*inst].kind, *inst))
}

fn access_of(f: &Function, kind: &InstKind, inst: crate::ir::Inst) -> Option<AccessUse> {
    match kind {
        InstKind::Load { place: Place::Pointer(pointer), flags } => {
            let ty = f.ty(*f.insts[inst].results.first()?);
            Some(AccessUse { pointer: *pointer, ty, align: flags.align, store: false, atomic: None })
        }
        InstKind::Store { place: Place::Pointer(pointer), value, flags } => Some(AccessUse {
            pointer: *pointer,
            ty: f.ty(*value),
            align: flags.align,
            store: true,
            atomic: None,
        }),
        InstKind::Atomic { op, place: Place::Pointer(pointer), operands, .. } => {
            let value = f.insts[inst].results.first().or(operands.first())?;
            let mut ty = f.ty(*value);
            let mut op = *op;
            if ty.bytes() == 2 {
                // A 16-bit atomic is a compare-exchange of the word around it.
                (ty, op) = (Type::I32, AtomicOp::CompareExchange);
            } else if op != AtomicOp::FAdd {
                ty = ty.with_scalar(Scalar::int(ty.bytes())?);
            }
            Some(AccessUse { pointer: *pointer, ty, align: ty.bytes(), store: true, atomic: Some(op) })
        }
        _ => None,
    }
}

/// Returns whether a kernel's `__local` memory should be one block with a view for each type, and the target can have it.
/// Some variable is then accessed in several sizes, of which one is less than a word or one is an atomic of 64 bits.
/// Or some variable is accessed by atomics of integers and of floats.
pub(super) fn wants_block(f: &Function, analysis: &Analysis, address_bits: u32, target: &Target) -> bool {
    if !target.features.workgroup_memory_explicit_layout || target.spirv_version() < (1, 4) {
        return false;
    }
    let mut uses: FxHashMap<(Option<Func>, Root), Uses> = FxHashMap::default();
    for access in accesses(f) {
        note(&mut uses, Func(0), analysis, &access, (address_bits, target));
    }
    let local = || uses.iter().filter(|((_, root), _)| in_space(*root, Space::Local)).map(|(_, uses)| uses);
    let punned = |u: &Uses| {
        let several = !(u.same_size && u.natural);
        several && (u.smallest < 4 || u.atomic64) || u.atomic_kinds == [true; 2]
    };
    let has = |u: &Uses| Scalar::int(u.smallest).is_some_and(|s| u.smallest >= 4 || has_view(target, s));
    local().any(punned) && local().all(has)
}

/// The type of a value in memory. Pointers are integers there.
pub(super) fn memory_type(ty: Type, address_bits: u32) -> Type {
    match ty {
        Type::Ptr(_) if address_bits == 64 => Type::I64,
        Type::Ptr(_) => Type::I32,
        _ => ty,
    }
}

fn note(
    uses: &mut FxHashMap<(Option<Func>, Root), Uses>,
    func: Func,
    analysis: &Analysis,
    access: &AccessUse,
    (address_bits, target): (u32, &Target),
) {
    let ty = memory_type(access.ty, address_bits);
    let (Some(scalar), Some(info)) = (ty.scalar(), analysis.info.get(&access.pointer)) else { return };
    for root in &info.roots {
        let root = analysis.merged.get(root).map_or(*root, |(merged, _)| *merged);
        let key = match root {
            Root::Global(_) => (None, root),
            Root::Slot(_) | Root::LocalArg(_) | Root::LocalArena => (Some(func), root),
            _ if target.features.wgsl && super::roots::is_buffer(root) => (Some(func), root),
            _ => continue,
        };
        let new = Uses::from_access(access, ty, scalar);
        uses.entry(key).and_modify(|old| *old = join(*old, new)).or_insert(new);
    }
}

impl Uses {
    fn from_access(access: &AccessUse, ty: Type, scalar: Scalar) -> Self {
        let size = scalar.bytes();
        let (lanes, align) = (u32::from(ty.lanes()), access.align);
        let full = size * lanes;
        let atomic = access.atomic.is_some();
        let whole = !atomic && matches!(lanes, 2 | 4) && align >= full && full <= 16;
        Uses {
            scalar,
            same_kind: true,
            same_size: true,
            lanes: whole.then_some(ty.lanes()),
            words: align >= size.min(4),
            natural: align >= size,
            atomic,
            atomic64: atomic && size == 8,
            atomic_kinds: access.atomic.map_or([false; 2], |op| [op == AtomicOp::FAdd, op != AtomicOp::FAdd]),
            smallest: size.min(align.max(1)),
            bytes: full,
            in_words: match size {
                0..4 if access.store => STORE_IN_WORD * lanes,
                0..4 => LOAD_FROM_WORD * lanes,
                _ => size / 4 * lanes,
            },
            in_private_words: match (size, access.store) {
                (0..4, true) => 2 * lanes,
                (0..4, false) => lanes,
                (_, true) if align < 4 => size / 4 * lanes + 3,
                (_, false) if align < 4 => size / 4 * lanes + 1,
                _ => size / 4 * lanes,
            },
        }
    }
}

fn join(a: Uses, b: Uses) -> Uses {
    Uses {
        scalar: a.scalar,
        same_kind: a.same_kind && b.same_kind && a.scalar == b.scalar,
        same_size: a.same_size && b.same_size && a.scalar.bytes() == b.scalar.bytes(),
        lanes: if a.lanes == b.lanes { a.lanes } else { None },
        words: a.words && b.words,
        natural: a.natural && b.natural,
        atomic: a.atomic || b.atomic,
        atomic64: a.atomic64 || b.atomic64,
        atomic_kinds: [0, 1].map(|n| a.atomic_kinds[n] || b.atomic_kinds[n]),
        smallest: a.smallest.min(b.smallest),
        bytes: a.bytes.saturating_add(b.bytes),
        in_words: a.in_words.saturating_add(b.in_words),
        in_private_words: a.in_private_words.saturating_add(b.in_private_words),
    }
}

fn choose(root: Root, uses: Uses, target: &Target) -> View {
    let bytes = View { scalar: Scalar::I8, lanes: 1 };
    if uses.same_size && uses.natural {
        let size = uses.scalar.bytes();
        let scalar = if uses.same_kind { Some(uses.scalar) } else { Scalar::int(size) };
        let scalar = scalar.filter(|s| has_type(target, *s));
        if let Some(scalar) = scalar {
            return View { scalar, lanes: uses.lanes.unwrap_or(1) };
        }
    }
    if let Root::Slot(_) = root {
        let bytes_are_less =
            !uses.words && has_type(target, Scalar::I8) && uses.bytes < uses.in_private_words;
        return if bytes_are_less { bytes } else { View::WORDS };
    }
    let features = &target.features;
    if uses.atomic64 && uses.natural && features.shader_int64 && features.shader_shared_int64_atomics {
        return View { scalar: Scalar::I64, lanes: 1 };
    }
    if uses.words {
        let smallest = Scalar::int(uses.smallest).filter(|s| has_type(target, *s) && uses.smallest < 4);
        let in_smallest = uses.bytes / uses.smallest.max(1);
        return match smallest {
            Some(scalar) if !uses.atomic && in_smallest < uses.in_words => View { scalar, lanes: 1 },
            _ => View::WORDS,
        };
    }
    if has_type(target, Scalar::I8) { bytes } else { View::WORDS }
}

/// Returns whether variables of this scalar can be declared.
pub(super) fn has_type(target: &Target, scalar: Scalar) -> bool {
    let features = &target.features;
    match scalar {
        Scalar::I8 => features.shader_int8,
        Scalar::I16 => features.shader_int16,
        Scalar::I64 => features.shader_int64,
        Scalar::F16 => features.shader_float16,
        Scalar::F64 => features.shader_float64,
        Scalar::I32 | Scalar::F32 => true,
        Scalar::Bool => false,
    }
}

/// Returns whether buffers can hold elements of this scalar.
pub(super) fn has_storage(target: &Target, scalar: Scalar) -> bool {
    let features = &target.features;
    has_type(target, scalar)
        && match scalar.bytes() {
            1 => features.storage_buffer_8bit_access,
            2 => features.storage_buffer_16bit_access,
            _ => true,
        }
}

/// Returns whether a block of `__local` memory can be seen as elements of this scalar.
pub(super) fn has_view(target: &Target, scalar: Scalar) -> bool {
    let features = &target.features;
    has_type(target, scalar)
        && match scalar.bytes() {
            1 => features.workgroup_memory_explicit_layout_8bit_access,
            2 => features.workgroup_memory_explicit_layout_16bit_access,
            _ => true,
        }
}
