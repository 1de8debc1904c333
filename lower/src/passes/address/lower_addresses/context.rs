//! The facts that rewriting a function needs.

use super::address::Form;
use super::block;
use super::roots::{self, PointerInfo};
use super::views::View;
use crate::error::LowerError;
use crate::ir::{Function, LocalArena, Root, Type, Value};
use crate::kernel_info::BindingModel;
use crate::target::Target;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::Cell;

/// The facts that rewriting a function needs.
pub(crate) struct Context<'a> {
    /// The kernel's name, for messages.
    pub(super) name: String,
    pub(super) target: &'a Target,
    pub(super) model: BindingModel,
    /// Address width of the module.
    pub(super) address_bits: u32,
    pub(super) info: FxHashMap<Value, PointerInfo>,
    pub(super) views: FxHashMap<Root, View>,
    /// Buffers and element sizes whose elements are accessed as integers of that size.
    pub(super) mixed: FxHashSet<(Root, u32)>,
    /// Roots that were merged into another root, with their offsets in it.
    pub(super) merged: FxHashMap<Root, (Root, u64)>,
    /// The numbers that distinguish roots in pointers.
    pub(super) numbers: FxHashMap<Root, u32>,
    /// Integers of pointers into buffers hold the root's number, as those into variables do, and not the buffer's address.
    pub(super) tags_buffers: bool,
    /// A root that was asked for its number or address and has none. This is a bug, reported at the end of the function.
    pub(super) nameless: Cell<Option<Root>>,
    pub(super) block: block::BlockPlan,
    /// Work-groups are dispatched in one dimension.
    pub(super) linear_groups: bool,
    /// The size of all work-groups, if the kernel requires one.
    pub(super) local_size: Option<[u32; 3]>,
    /// The number of windows in the packed model.
    pub(super) windows: u32,
    /// The memory that `__local` variables and arguments share, if they do.
    pub(super) arena: Option<LocalArena>,
    /// Kept pointers differ from device addresses ([`TargetFeatures::shared_base`](crate::target::TargetFeatures)).
    pub(super) shared_base: bool,
}

impl Context<'_> {
    /// The error for a construct that has no lowering yet.
    pub(super) fn not_yet(&self, what: impl Into<String>) -> LowerError {
        LowerError::NotYet { kernel: self.name.clone(), what: what.into() }
    }

    /// The error for what an earlier step of the pass should not have left.
    pub(super) fn bug(&self, what: impl std::fmt::Display) -> LowerError {
        LowerError::Bug { pass: "lower_addresses", message: format!("{}: {what}", self.name) }
    }

    /// The error for something that the device lacks.
    pub(super) fn unsupported(&self, needs: impl Into<String>) -> LowerError {
        LowerError::Unsupported {
            kernel: self.name.clone(),
            device: self.target.name.clone(),
            needs: needs.into(),
        }
    }

    /// The root after merging, and the offset in it.
    pub(super) fn root(&self, root: Root) -> (Root, u64) {
        self.merged.get(&root).copied().unwrap_or((root, 0))
    }

    /// Returns whether buffers are accessed by packed offsets.
    pub(super) fn is_packed(&self) -> bool {
        self.model == BindingModel::Packed
    }

    /// Returns whether a buffer's elements of a size are accessed as integers.
    pub(super) fn is_mixed(&self, root: Root, size: u32) -> bool {
        let root = if let Root::Window(_) = root { Root::Places } else { root };
        self.mixed.contains(&(root, size))
    }

    /// Returns whether pointers into this root are device addresses.
    pub(super) fn is_address(&self, root: Root) -> bool {
        self.model == BindingModel::Address && roots::is_buffer(root)
    }

    /// The roots other than device addresses that a pointer may be into, after merging.
    pub(super) fn roots_of(&self, pointer: Value) -> SmallVec<[Root; 2]> {
        let Some(info) = self.info.get(&pointer) else { return SmallVec::new() };
        let mut roots: SmallVec<[Root; 2]> =
            info.roots.iter().filter(|r| !self.is_address(**r)).map(|r| self.root(*r).0).collect();
        roots.sort();
        roots.dedup();
        roots
    }

    /// Returns whether a pointer may be an integer that is no object's address.
    pub(super) fn is_number(&self, pointer: Value) -> bool {
        self.info.get(&pointer).is_some_and(|info| info.number)
    }

    /// The form that a pointer value gets.
    pub(super) fn form(&self, pointer: Value) -> Form {
        let Some(info) = self.info.get(&pointer) else { return Form::Nothing };
        let address = info.address || info.roots.iter().any(|r| self.is_address(*r));
        match (&self.roots_of(pointer)[..], address) {
            ([], false) if !info.number => Form::Nothing,
            ([], true) => Form::Address,
            (_, true) => Form::Tagged,
            // Null is a packed offset: 0.
            ([root @ Root::Places], false) => Form::Plain(*root),
            ([root], false) if !info.null => Form::Plain(*root),
            _ => Form::Pair,
        }
    }
}

/// Returns whether a value is a pointer.
pub(super) fn is_pointer(f: &Function, value: Value) -> bool {
    matches!(f.ty(value), Type::Ptr(_))
}
