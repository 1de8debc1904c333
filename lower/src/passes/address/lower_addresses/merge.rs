//! Variable merging: variables that one accessed pointer may choose between become parts of one variable.
//!
//! The pointer is then an offset into that variable, and its accesses need no dispatch.
//! Private variables are merged with private ones, and `__local` variables with each other.
//! `__local` variables that are merged with `__local` arguments become the kernel's local arena; the arguments' sizes make its length.
//! If all `__local` memory is to be seen as several types ([`super::views`]), all of it is the arena.
//!
//! ```text
//! p = select c, &a, &b; load [p]        becomes        load merged[select c, 0, sizeof(a)]
//! ```
//!
//! Pointers between memories of different kinds, and between buffers, are left to [`super::dispatch`].

use super::roots::{Analysis, in_space};
use super::views;
use crate::error::LowerError;
use crate::ir::{Func, GlobalVarData, InstKind, LocalArena, Module, Place, Root, SlotData, Space};
use crate::target::Target;
use smallvec::SmallVec;

type Class = SmallVec<[Root; 2]>;

/// Merges the variables that a function's accesses choose between, and records it in the analysis.
pub(super) fn run(
    module: &mut Module,
    func: Func,
    analysis: &mut Analysis,
    name: &str,
    target: &Target,
) -> Result<(), LowerError> {
    for class in classes(module, func, analysis) {
        merge_class(module, func, &class, analysis, (name, false))?;
    }
    let is_kernel = module.kernels.iter().any(|k| k.func == func);
    if is_kernel && views::wants_block(&module.functions[func], analysis, module.address_bits, target) {
        // All of an entry point's Workgroup variables are laid out, or none (SPV_KHR_workgroup_memory_explicit_layout).
        analysis.merged.retain(|root, _| !in_space(*root, Space::Local));
        let class = all_local(module, func);
        merge_class(module, func, &class, analysis, (name, true))?;
    }
    Ok(())
}

/// The `__local` variables and arguments that a function names.
fn all_local(module: &Module, func: Func) -> Class {
    let f = &module.functions[func];
    let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
    let mut roots: Class = insts
        .filter_map(|i| match f.insts[*i].kind {
            InstKind::RootAddr(root) if in_space(root, Space::Local) => Some(root),
            _ => None,
        })
        .collect();
    roots.sort();
    roots.dedup();
    roots
}

/// Disjoint sets of variables to merge, in the order of their first access.
fn classes(module: &Module, func: Func, analysis: &Analysis) -> Vec<Class> {
    let f = &module.functions[func];
    let mut classes: Vec<Class> = Vec::new();
    let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
    for inst in insts {
        let Some(Place::Pointer(pointer)) = f.insts[*inst].kind.place() else { continue };
        let Some(info) = analysis.info.get(&pointer).filter(|i| i.roots.len() > 1) else { continue };
        let private = |r: &Root| matches!(r, Root::Slot(_));
        let local = |r: &Root| matches!(r, Root::Global(_) | Root::LocalArg(_));
        for sort in [&private as &dyn Fn(&Root) -> bool, &local] {
            let class: Class = info.roots.iter().copied().filter(sort).collect();
            if class.len() > 1 {
                add(&mut classes, class);
            }
        }
    }
    // A kernel has one arena: all classes with `__local` arguments are one.
    let argument = |c: &Class| c.iter().any(|r| matches!(r, Root::LocalArg(_)));
    let arena: Class = classes.iter().filter(|c| argument(c)).flatten().copied().collect();
    if !arena.is_empty() {
        add(&mut classes, arena);
    }
    classes
}

/// Adds a class, united with those that it overlaps.
fn add(classes: &mut Vec<Class>, mut class: Class) {
    if classes.iter().any(|c| class.iter().all(|r| c.contains(r)) && c.len() >= class.len()) {
        let inside = classes.iter().filter(|c| class.iter().any(|r| c.contains(r))).count();
        if inside == 1 {
            return;
        }
    }
    classes.retain(|c| {
        let overlaps = c.iter().any(|r| class.contains(r));
        if overlaps {
            class.extend(c.iter().copied());
        }
        !overlaps
    });
    class.sort();
    class.dedup();
    classes.push(class);
}

fn merge_class(
    module: &mut Module,
    func: Func,
    class: &[Root],
    analysis: &mut Analysis,
    (name, views): (&str, bool),
) -> Result<(), LowerError> {
    let (mut end, mut align, mut offsets) = (0u64, 1u32, Vec::new());
    let mut append = |root: Root, size: u64, var_align: u32| {
        let offset = end.next_multiple_of(u64::from(var_align.max(1)));
        end = offset + size;
        align = align.max(var_align);
        offsets.push((root, offset));
    };
    for r in class {
        match r {
            Root::Slot(slot) => {
                let data = &module.functions[func].slots[*slot];
                append(*r, data.size, data.align);
            }
            Root::Global(var) => append(*r, module.globals[*var].size, module.globals[*var].align),
            _ => {}
        }
    }
    let args: Vec<u32> =
        class.iter().filter_map(|r| if let Root::LocalArg(n) = r { Some(*n) } else { None }).collect();
    let root = if class.iter().all(|r| matches!(r, Root::Slot(_))) {
        let data = SlotData { name: Some("merged".to_owned()), size: end, align };
        Root::Slot(module.functions[func].slots.push(data))
    } else if args.is_empty() && !views {
        let data = GlobalVarData {
            name: format!("{name}.merged"),
            space: Space::Local,
            size: end,
            align,
            init: None,
        };
        Root::Global(module.globals.push(data))
    } else {
        let static_bytes = end.next_multiple_of(LocalArena::UNIT.into());
        analysis.merged.extend(args.iter().map(|n| (Root::LocalArg(*n), (Root::LocalArena, static_bytes))));
        let Some(kernel) = module.kernels.iter_mut().find(|k| k.func == func) else {
            return Err(LowerError::NotYet {
                kernel: name.to_owned(),
                what: "__local arguments outside a kernel".to_owned(),
            });
        };
        kernel.local_arena = Some(LocalArena { static_bytes, args, views });
        Root::LocalArena
    };
    analysis.merged.extend(offsets.into_iter().map(|(old, offset)| (old, (root, offset))));
    Ok(())
}
