//! Alias analysis: the kinds of memory that share no byte, ranges within one, and buffers that never alias.
//!
//! Private variables, work-group memory and buffers are disjoint kinds ([`Area`]). Two accesses of one kind are disjoint where their bases
//! are equal and their constants differ enough ([`Extent`]).
//!
//! Buffers may alias. Three facts prove that some do not: the launch promises arguments that never alias, an argument is `restrict`, or nothing writes the buffer (`__constant`).

pub mod origins;

use super::linear::value_and_constant;
use crate::ir::cfg::Cfg;
use crate::ir::{Function, KernelArgKind, KernelData, Place, Root, Scalar, Slot, Space, Type, Value};
use origins::{Buffers, Origin, Origins};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Disjoint kinds of memory: a write to one changes no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// A private variable.
    Slot(Slot),
    /// Memory of the work-group.
    Local,
    /// Buffers and their contents.
    Global,
}

impl Area {
    /// The kind of memory of an access; `None` for a pointer value.
    pub fn from_place(place: &Place) -> Option<Area> {
        match *place {
            Place::Pointer(_) => None,
            Place::Element { root: Root::Slot(slot), .. } => Some(Area::Slot(slot)),
            Place::Element { root: Root::Global(_) | Root::LocalArg(_) | Root::LocalArena, .. } => {
                Some(Area::Local)
            }
            Place::Element { .. } | Place::Address(_) => Some(Area::Global),
        }
    }
}

/// A range of memory: `size` units, starting at unit `base` + `offset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The kind of memory.
    pub area: Area,
    /// `None`: any memory that has addresses.
    root: Option<Root>,
    /// The buffers that may contain it; none where they are not known.
    pub buffers: Buffers,
    /// The unit in bytes: an element where the index is computed.
    unit: u32,
    base: Option<Value>,
    /// Modulo 2 to the power of `bits`.
    offset: u64,
    bits: u32,
    size: u32,
}

impl Extent {
    /// The range of an access of this type; `None` for a pointer value.
    pub fn new(function: &Function, place: &Place, ty: Type, noalias: &NoAlias<'_>) -> Option<Extent> {
        let (root, unit, index, size) = match *place {
            Place::Pointer(_) => return None,
            Place::Address(address) => (None, 1, address, ty.bytes()),
            Place::Element { root, scalar, lanes, index } => {
                (Some(root), scalar.bytes() * u32::from(lanes), index, 1)
            }
        };
        let area = Area::from_place(place)?;
        let bits = function.ty(index).scalar().filter(|s| s.is_int()).map_or(64, Scalar::bits);
        let (base, offset) = value_and_constant(function, index);
        let buffers = if area == Area::Global { noalias.buffers(function, place) } else { Buffers::NONE };
        let extent = Extent { area, root, buffers, unit, base, offset, bits, size };
        if base.is_some() {
            return Some(extent);
        }
        let offset = offset.checked_mul(unit.into())?;
        Some(Extent { unit: 1, offset, bits: 64, size: size * unit, ..extent })
    }

    /// Returns whether two ranges share no byte, whatever the bases are.
    pub fn is_disjoint(&self, other: &Extent, noalias: &NoAlias<'_>) -> bool {
        if self.area != other.area || noalias.never_alias(self.buffers, other.buffers) {
            return true;
        }
        if self.root != other.root {
            // Buffers may alias. Variables of a work-group do not, unless they are parts of one arena.
            let own = |root| matches!(root, Some(Root::Global(_) | Root::LocalArg(_)));
            return self.area == Area::Local && own(self.root) && own(other.root);
        }
        if (self.base, self.unit, self.bits) != (other.base, other.unit, other.bits) {
            return false;
        }
        let mask = u64::MAX >> (64 - self.bits);
        let ahead = other.offset.wrapping_sub(self.offset) & mask;
        let behind = self.offset.wrapping_sub(other.offset) & mask;
        ahead >= self.size.into() && behind >= other.size.into()
    }
}

/// The alias facts of a function's buffers.
pub struct NoAlias<'a> {
    graph: &'a Cfg,
    /// No two of them alias.
    all: bool,
    /// These alias no other buffer.
    alone: Buffers,
    /// `None` where no origins are known.
    found: Option<RefCell<Found<'a>>>,
}

struct Found<'a> {
    origins: Origins<'a>,
    cache: FxHashMap<Value, Buffers>,
}

impl<'a> NoAlias<'a> {
    /// The facts of a kernel's function, or of a function without a kernel. `all`: the arguments never alias.
    pub fn new(graph: &'a Cfg, kernel: Option<&'a KernelData>, all: bool) -> Self {
        let Some((kernel, plan)) = kernel.and_then(|k| Some((k, k.plan.as_ref()?))) else {
            return NoAlias { graph, all: false, alone: Buffers::NONE, found: None };
        };
        let mut alone = Buffers::CONSTANTS;
        for (n, arg) in (0..).zip(&kernel.args) {
            if let KernelArgKind::Pointer { restrict: true, .. }
            | KernelArgKind::Pointer { space: Space::Constant, .. } = arg.kind
            {
                alone = alone.and(Buffers::argument(n));
            }
        }
        let found = Found { origins: Origins::new(&plan.block), cache: FxHashMap::default() };
        NoAlias { graph, all, alone, found: Some(RefCell::new(found)) }
    }

    /// The buffers that may contain an address; none where they are not known.
    pub fn buffers(&self, function: &Function, place: &Place) -> Buffers {
        let Some(found) = &self.found else { return Buffers::NONE };
        match *place {
            Place::Element { root: Root::Arg(n), .. } => Buffers::argument(n),
            Place::Element { root: Root::Constants | Root::Block, .. } => Buffers::CONSTANTS,
            Place::Element { root: Root::Globals | Root::Printf | Root::Sequence, .. } => Buffers::OWN,
            Place::Address(address) => {
                let found = &mut *found.borrow_mut();
                if let Some(known) = found.cache.get(&address) {
                    return *known;
                }
                let buffers = match found.origins.origin(function, self.graph, address) {
                    Origin::Of(buffers) => buffers,
                    _ => Buffers::NONE,
                };
                found.cache.insert(address, buffers);
                buffers
            }
            _ => Buffers::NONE,
        }
    }

    /// Returns whether two sets of buffers share no byte. Nothing is known of an empty set.
    pub fn never_alias(&self, these: Buffers, those: Buffers) -> bool {
        these != Buffers::NONE
            && those != Buffers::NONE
            && these.are_none_of(those)
            && (self.all || these.are_all_of(self.alone) || those.are_all_of(self.alone))
    }
}
