//! The report on emulation: each kernel gets a list of what later passes emulate for it.
//!
//! ```text
//! kernel void k(global char *p, long n) { *p = n; }      without 8-bit storage and 64-bit integers: [Int64, Int8, Storage8]
//! ```
//!
//! A kernel's list ([`Emulated`]) has the types and accesses that the target lacks.
//! It is made before pointers are lowered: dead code is gone then, and accesses are still those of the source.

use super::has_storage;
use crate::ir::{Func, Function, InstKind, Module, Place, Scalar, Space, Type, Value};
use crate::kernel_info::Emulated;
use crate::target::Target;
use std::collections::BTreeSet;

/// The emulated features of a kernel and of the functions that it calls.
pub(super) fn emulated_in(module: &Module, kernel: Func, target: &Target) -> BTreeSet<Emulated> {
    let (mut found, mut seen, mut work) = (BTreeSet::new(), BTreeSet::new(), vec![kernel]);
    while let Some(func) = work.pop() {
        let Some(f) = module.functions.get(func).filter(|_| seen.insert(func)) else { continue };
        for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
            let data = &f.insts[*inst];
            if let InstKind::Call { func, .. } = data.kind {
                work.push(func);
            }
            for value in data.results.iter() {
                found.extend(computed(f.ty(*value), target));
            }
            found.extend(accessed(f, &data.kind, data.results.first().copied(), target));
        }
    }
    found
}

/// The emulated feature that a value of a type needs.
fn computed(ty: Type, target: &Target) -> Option<Emulated> {
    let scalar = ty.scalar().filter(|s| !target.has_arithmetic(*s))?;
    match scalar {
        Scalar::I64 => Some(Emulated::Int64),
        Scalar::I16 => Some(Emulated::Int16),
        Scalar::I8 => Some(Emulated::Int8),
        _ => None,
    }
}

/// The emulated feature that an access of a buffer needs, if the target lacks elements of its size.
fn accessed(f: &Function, kind: &InstKind, result: Option<Value>, target: &Target) -> Option<Emulated> {
    let (Place::Pointer(pointer), value) = (match kind {
        InstKind::Load { place, .. } => (*place, result?),
        InstKind::Store { place, value, .. } => (*place, *value),
        _ => return None,
    }) else {
        return None;
    };
    let in_buffer = matches!(f.ty(pointer), Type::Ptr(Space::Global | Space::Constant | Space::Generic));
    let scalar = f.ty(value).scalar().filter(|s| in_buffer && !has_storage(target, *s))?;
    match scalar.bytes() {
        1 => Some(Emulated::Storage8),
        2 => Some(Emulated::Storage16),
        _ => None,
    }
}
