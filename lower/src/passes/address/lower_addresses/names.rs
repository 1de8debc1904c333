//! The names of roots: which roots need a number, and which buffers need their address although they have descriptors.
//!
//! A root needs a name if a pointer to it may also be something else.
//! It also needs one if its pointers are compared, stored or made integers.

use super::context::{Context, is_pointer};
use super::roots::{Analysis, is_buffer};
use crate::error::LowerError;
use crate::ir::{Function, InstKind, Root, Value};
use crate::kernel_info::BindingModel;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The names that distinguish the roots of a function.
pub(super) struct Names {
    /// A number for each root that needs one.
    pub numbers: FxHashMap<Root, u32>,
    /// The buffers whose addresses the argument block holds in the descriptor model.
    pub addresses: BTreeSet<Root>,
}

/// Finds the names that a function's pointers need.
pub(super) fn find(f: &Function, analysis: &Analysis, model: BindingModel) -> Names {
    let mut named: BTreeSet<Root> = BTreeSet::new();
    let mut addresses: BTreeSet<Root> = BTreeSet::new();
    let merged = |root: &Root| analysis.merged.get(root).map_or(*root, |(to, _)| *to);
    let roots = |value: Value| analysis.info.get(&value).map_or(&[][..], |i| &i.roots[..]);
    for (value, info) in &analysis.info {
        if is_pointer(f, *value) && (info.roots.len() > 1 || info.null || info.address) {
            named.extend(info.roots.iter().map(merged));
            // An argument may be null. A pointer that is read as an integer counts from the address.
            let read = f.def_inst(*value).is_some_and(|d| reads_integer(&d.kind));
            addresses
                .extend(info.roots.iter().filter(|r| matches!(r, Root::Arg(_)) || read && is_buffer(**r)));
        }
    }
    for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
        let in_same_root = |a: Value, b: Value| matches!((roots(a), roots(b)), ([p], [q]) if p == q);
        let compared: &[Value] = match &f.insts[*inst].kind {
            InstKind::ICmp(_, a, b) | InstKind::PtrDiff(a, b)
                if is_pointer(f, *a) && !in_same_root(*a, *b) =>
            {
                &[*a, *b]
            }
            InstKind::PtrToInt(a) => &[*a],
            InstKind::Store { value, .. } if is_pointer(f, *value) => &[*value],
            InstKind::Atomic { operands, .. } => operands,
            _ => continue,
        };
        for value in compared.iter().filter(|v| is_pointer(f, **v)) {
            named.extend(roots(*value).iter().map(merged));
            addresses.extend(roots(*value).iter().filter(|r| is_buffer(**r)));
        }
    }
    // Packed offsets and addresses distinguish buffers by themselves, and are in the block.
    if model != BindingModel::Descriptor {
        named.retain(|r| !is_buffer(*r));
        addresses.clear();
    }
    Names { numbers: named.into_iter().zip(0..).collect(), addresses }
}

/// Returns whether a pointer that this instruction gives was an integer.
pub(super) fn reads_integer(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Load { .. } | InstKind::Atomic { .. } | InstKind::IntToPtr(_))
}

impl Context<'_> {
    /// Refuses buffers that are too large for a 32-bit pointer with a root's number in it.
    pub(super) fn check_range(&self) -> Result<(), LowerError> {
        let buffers = self.numbers.keys().any(|r| is_buffer(*r));
        let room = 1u64 << self.shift();
        if self.address_bits == 32
            && self.tags_buffers
            && buffers
            && self.target.limits.max_storage_buffer_range > room
        {
            return Err(self.unsupported("pointers to several buffers in memory need shaderInt64"));
        }
        Ok(())
    }
}
