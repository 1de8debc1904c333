//! Which element type each Workgroup and Function variable has: one for all accesses to it.
//!
//! | the accesses | the element |
//! |---|---|
//! | all of one scalar size, aligned to it | that scalar (an integer where kinds differ); a vector where all accesses are that vector, aligned to it |
//! | of several sizes, each aligned to it | a 32-bit word; smaller accesses take part of it, larger ones several |
//! | with some that straddle words | a byte |

use super::roots::Analysis;
use crate::error::LowerError;
use crate::ir::{AtomicOp, Func, Function, InstKind, Module, Place, Root, Scalar, Type, Value};
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

/// What the accesses to one root have in common.
#[derive(Debug, Clone, Copy)]
struct Uses {
    scalar: Scalar,
    same_kind: bool,
    same_size: bool,
    lanes: Option<u8>,
    /// Every access of a scalar of at most 4 bytes is aligned to it, larger ones to 4.
    words: bool,
    natural: bool,
}

/// The views of all functions; `__local` variables are the module's.
pub(super) struct Views {
    local: FxHashMap<Root, View>,
    own: FxHashMap<(Func, Root), View>,
    mixed: FxHashSet<(Func, Root, u32)>,
}

impl Views {
    /// Looks at every access of the module.
    pub fn collect(module: &Module, analyses: &[Analysis], target: &Target) -> Result<Self, LowerError> {
        let mut uses: FxHashMap<(Option<Func>, Root), Uses> = FxHashMap::default();
        // The scalar that a buffer has for each size, and whether there are several of that size.
        let mut buffers: FxHashMap<(Func, Root, u32), (Scalar, bool)> = FxHashMap::default();
        for (func, analysis) in module.functions.keys().zip(analyses) {
            let f = &module.functions[func];
            for block in &f.layout {
                for inst in &f.blocks[*block].insts {
                    if let Some((pointer, ty, align, atomic)) = access_of(f, &f.insts[*inst].kind, *inst) {
                        note(&mut uses, func, analysis, pointer, ty, align, atomic, module.address_bits);
                        let scalar = memory_type(ty, module.address_bits).scalar();
                        let roots = analysis.info.get(&pointer).map_or(&[][..], |i| &i.roots[..]);
                        for root in roots.iter().filter(|r| super::roots::is_buffer(**r)) {
                            let Some(scalar) = scalar else { continue };
                            buffers
                                .entry((func, *root, scalar.bytes()))
                                .and_modify(|(known, mixed)| *mixed |= *known != scalar)
                                .or_insert((scalar, false));
                        }
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
            let view = choose(uses, target).ok_or_else(|| LowerError::Unsupported {
                kernel: func.map_or_else(String::new, |f| module.functions[f].name.clone()),
                device: target.name.clone(),
                needs: "unaligned accesses to local or private memory need shaderInt8".to_owned(),
            })?;
            match func {
                Some(func) => views.own.insert((func, root), view),
                None => views.local.insert(root, view),
            };
        }
        Ok(views)
    }

    /// Buffers of a function whose elements of some size are of different kinds (int and float): one view
    /// of integers serves them all.
    pub fn mixed(&self, func: Func) -> FxHashSet<(Root, u32)> {
        self.mixed.iter().filter(|(f, _, _)| *f == func).map(|(_, root, size)| (*root, *size)).collect()
    }

    /// The views that one function's roots have, after merging.
    pub fn of(&self, func: Func, analysis: &Analysis) -> FxHashMap<Root, View> {
        let mut views = self.local.clone();
        views
            .extend(self.own.iter().filter(|((f, _), _)| *f == func).map(|((_, root), view)| (*root, *view)));
        debug_assert!(analysis.merged.values().all(|(root, _)| !analysis.merged.contains_key(root)));
        views
    }
}

/// Pointer, type, alignment and atomicity of an access.
fn access_of(f: &Function, kind: &InstKind, inst: crate::ir::Inst) -> Option<(Value, Type, u32, bool)> {
    match kind {
        InstKind::Load { place: Place::Pointer(p), flags } => {
            Some((*p, f.ty(*f.insts[inst].results.first()?), flags.align, false))
        }
        InstKind::Store { place: Place::Pointer(p), value, flags } => {
            Some((*p, f.ty(*value), flags.align, false))
        }
        InstKind::Atomic { op, place: Place::Pointer(p), operands, .. } => {
            let value = f.insts[inst].results.first().or(operands.first())?;
            let mut ty = f.ty(*value);
            if *op != AtomicOp::FAdd {
                ty = ty.with_scalar(Scalar::int(ty.bytes())?);
            }
            Some((*p, ty, ty.bytes(), true))
        }
        _ => None,
    }
}

/// The scalar that stands for a value in memory: pointers are integers there.
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
    pointer: Value,
    ty: Type,
    align: u32,
    atomic: bool,
    address_bits: u32,
) {
    let ty = memory_type(ty, address_bits);
    let (Some(scalar), Some(info)) = (ty.scalar(), analysis.info.get(&pointer)) else { return };
    for root in &info.roots {
        let root = analysis.merged.get(root).map_or(*root, |(merged, _)| *merged);
        let key = match root {
            Root::Global(_) => (None, root),
            Root::Slot(_) | Root::LocalArg(_) | Root::LocalArena => (Some(func), root),
            _ => continue,
        };
        let size = scalar.bytes();
        let full = size * u32::from(ty.lanes());
        let lanes =
            (!atomic && matches!(ty.lanes(), 2 | 4) && align >= full && full <= 16).then_some(ty.lanes());
        let new = Uses {
            scalar,
            same_kind: true,
            same_size: true,
            lanes,
            words: align >= size.min(4),
            natural: align >= size,
        };
        uses.entry(key).and_modify(|old| *old = join(*old, new)).or_insert(new);
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
    }
}

fn choose(uses: Uses, target: &Target) -> Option<View> {
    let bytes = View { scalar: Scalar::I8, lanes: 1 };
    if uses.same_size && uses.natural {
        let size = uses.scalar.bytes();
        let scalar = if uses.same_kind { Some(uses.scalar) } else { Scalar::int(size) };
        let scalar = scalar.filter(|s| has_type(target, *s));
        if let Some(scalar) = scalar {
            return Some(View { scalar, lanes: uses.lanes.unwrap_or(1) });
        }
    }
    if uses.words {
        return Some(View::WORDS);
    }
    has_type(target, Scalar::I8).then_some(bytes)
}

/// Whether variables of this scalar can be declared.
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

/// Whether buffers can hold elements of this scalar.
pub(super) fn has_storage(target: &Target, scalar: Scalar) -> bool {
    let features = &target.features;
    has_type(target, scalar)
        && match scalar.bytes() {
            1 => features.storage_buffer_8bit_access,
            2 => features.storage_buffer_16bit_access,
            _ => true,
        }
}
