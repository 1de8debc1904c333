//! Which root does each pointer point into? A fixed point over the function's pointer values, then
//! the merging of variables that one pointer may choose between.

use super::is_buffer_space;
use crate::error::LowerError;
use crate::ir::{
    Block, Constant, Func, Function, GlobalVarData, InstKind, LocalArena, Module, Root, SlotData, Space,
    Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What is known of a pointer value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PointerInfo {
    /// The roots it may point into, sorted.
    pub roots: SmallVec<[Root; 2]>,
    /// It may be an address that no root in sight explains: loaded from memory or made from an integer.
    pub address: bool,
}

impl PointerInfo {
    fn join(&mut self, other: &PointerInfo) -> bool {
        let mut changed = other.address && !self.address;
        self.address |= other.address;
        for root in &other.roots {
            if let Err(at) = self.roots.binary_search(root) {
                self.roots.insert(at, *root);
                changed = true;
            }
        }
        changed
    }
}

/// The result for one function.
#[derive(Debug, Default)]
pub(super) struct Analysis {
    /// For each pointer value.
    pub info: FxHashMap<Value, PointerInfo>,
    /// Some buffer pointer cannot be a descriptor.
    pub needs_addresses: bool,
    /// Roots that were merged into a new one, and their offsets in it.
    pub merged: FxHashMap<Root, (Root, u64)>,
}

/// Finds the roots of every pointer.
pub(super) fn analyse(f: &Function, name: &str) -> Result<Analysis, LowerError> {
    let mut info: FxHashMap<Value, PointerInfo> = FxHashMap::default();
    loop {
        let mut changed = false;
        for block in &f.layout {
            for inst in &f.blocks[*block].insts {
                let data = &f.insts[*inst];
                let Some(result) = data.results.first().filter(|r| matches!(f.ty(**r), Type::Ptr(_))) else {
                    continue;
                };
                let new = transfer(f, &info, &data.kind, *result, name)?;
                changed |= info.entry(*result).or_default().join(&new);
            }
            for target in f.blocks[*block].term.targets() {
                changed |= flow(f, &mut info, target.block, &target.args);
            }
        }
        if !changed {
            break;
        }
    }
    let needs_addresses = info.iter().any(|(value, info)| {
        let Type::Ptr(space) = f.ty(*value) else { return false };
        is_buffer_space(space) && (info.address || info.roots.iter().filter(|r| is_buffer(**r)).count() > 1)
    });
    Ok(Analysis { info, needs_addresses, merged: FxHashMap::default() })
}

/// Arguments of a branch flow into the parameters.
fn flow(f: &Function, info: &mut FxHashMap<Value, PointerInfo>, to: Block, args: &[Value]) -> bool {
    let mut changed = false;
    for (param, arg) in f.blocks[to].params.iter().zip(args) {
        if matches!(f.ty(*param), Type::Ptr(_)) {
            let new = info.get(arg).cloned().unwrap_or_default();
            changed |= info.entry(*param).or_default().join(&new);
        }
    }
    changed
}

/// What one instruction's pointer result points into.
fn transfer(
    f: &Function,
    info: &FxHashMap<Value, PointerInfo>,
    kind: &InstKind,
    result: Value,
    name: &str,
) -> Result<PointerInfo, LowerError> {
    let of = |v: &Value| info.get(v).cloned().unwrap_or_default();
    Ok(match kind {
        InstKind::RootAddr(root) => PointerInfo { roots: SmallVec::from_slice(&[*root]), address: false },
        InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. } => of(base),
        InstKind::PtrCast(base) | InstKind::Bitcast(base) => of(base),
        InstKind::Select(_, a, b) => {
            let mut both = of(a);
            both.join(&of(b));
            both
        }
        InstKind::IntToPtr(_) | InstKind::Load { .. } | InstKind::Atomic { .. } => {
            let Type::Ptr(space) = f.ty(result) else { return Ok(PointerInfo::default()) };
            if !is_buffer_space(space) {
                return Err(LowerError::NotYet {
                    kernel: name.to_owned(),
                    what: format!(
                        "a pointer to {space} memory that is stored in memory or made from an integer"
                    ),
                });
            }
            PointerInfo { roots: SmallVec::new(), address: true }
        }
        _ => PointerInfo::default(),
    })
}

/// Whether a root is a buffer.
pub(super) fn is_buffer(root: Root) -> bool {
    matches!(root, Root::Arg(_) | Root::Constants | Root::Globals | Root::Printf)
}

/// Whether the value is the null pointer (or undefined, which may as well be).
pub(super) fn is_null(f: &Function, value: Value) -> bool {
    matches!(f.values[value].def, ValueDef::Const(Constant::Bits(0) | Constant::Undef))
}

/// Variables between which some pointer chooses become parts of one variable, so that a pointer is an
/// offset into it.
pub(super) fn merge(
    module: &mut Module,
    func: Func,
    mut analysis: Analysis,
    name: &str,
) -> Result<Analysis, LowerError> {
    let mut classes: Vec<SmallVec<[Root; 2]>> = Vec::new();
    let mut sets: Vec<&PointerInfo> = analysis.info.values().filter(|i| i.roots.len() > 1).collect();
    sets.sort_by(|a, b| a.roots.cmp(&b.roots));
    for set in sets {
        let buffers = set.roots.iter().filter(|r| is_buffer(**r)).count();
        if buffers == set.roots.len() {
            continue;
        }
        if buffers > 0 || set.address {
            return Err(LowerError::NotYet {
                kernel: name.to_owned(),
                what: "a generic pointer that may point into different address spaces".to_owned(),
            });
        }
        let mut joined = set.roots.clone();
        classes.retain(|class| {
            let overlaps = class.iter().any(|r| joined.contains(r));
            if overlaps {
                joined.extend(class.iter().copied());
            }
            !overlaps
        });
        joined.sort();
        joined.dedup();
        classes.push(joined);
    }
    for class in classes {
        merge_class(module, func, &class, &mut analysis, name)?;
    }
    Ok(analysis)
}

fn merge_class(
    module: &mut Module,
    func: Func,
    class: &[Root],
    analysis: &mut Analysis,
    name: &str,
) -> Result<(), LowerError> {
    let all = |pred: fn(&Root) -> bool| class.iter().all(pred);
    let not_yet = |what: &str| LowerError::NotYet { kernel: name.to_owned(), what: what.to_owned() };
    let (mut end, mut align, mut places) = (0u64, 1u32, Vec::new());
    let mut place = |root: Root, size: u64, var_align: u32| {
        let offset = end.next_multiple_of(u64::from(var_align.max(1)));
        end = offset + size;
        align = align.max(var_align);
        places.push((root, offset));
    };
    let root = if all(|r| matches!(r, Root::Slot(_))) {
        let f = &mut module.functions[func];
        for r in class {
            if let Root::Slot(slot) = r {
                place(*r, f.slots[*slot].size, f.slots[*slot].align);
            }
        }
        Root::Slot(f.slots.push(SlotData { name: Some("merged".to_owned()), size: end, align }))
    } else if all(|r| matches!(r, Root::Global(_))) {
        for r in class {
            if let Root::Global(var) = r {
                place(*r, module.globals[*var].size, module.globals[*var].align);
            }
        }
        let name = format!("{name}.merged");
        let data = GlobalVarData { name, space: Space::Local, size: end, align, init: None };
        Root::Global(module.globals.push(data))
    } else if all(|r| matches!(r, Root::Global(_) | Root::LocalArg(_))) {
        for r in class {
            if let Root::Global(var) = r {
                place(*r, module.globals[*var].size, module.globals[*var].align);
            }
        }
        let args: Vec<u32> =
            class.iter().filter_map(|r| if let Root::LocalArg(n) = r { Some(*n) } else { None }).collect();
        let static_bytes = end.next_multiple_of(LocalArena::UNIT.into());
        analysis.merged.extend(args.iter().map(|n| (Root::LocalArg(*n), (Root::LocalArena, static_bytes))));
        let arena = LocalArena { static_bytes, args };
        match module.kernels.iter_mut().find(|k| k.func == func) {
            Some(kernel) if kernel.local_arena.is_none() => kernel.local_arena = Some(arena),
            // Two groups of pointers that never meet: one arena serves the first.
            Some(_) => return Err(not_yet("two sets of pointers that choose between __local arguments")),
            None => return Err(not_yet("__local arguments outside a kernel")),
        }
        Root::LocalArena
    } else {
        return Err(not_yet("a generic pointer that may point into different address spaces"));
    };
    analysis.merged.extend(places.into_iter().map(|(old, offset)| (old, (root, offset))));
    Ok(())
}
