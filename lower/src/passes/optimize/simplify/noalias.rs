//! Alias analysis of buffers: which of a kernel's buffers share no memory.
//!
//! Three facts prove that: the launch promises arguments that never alias, an argument is `restrict`, or nothing writes the buffer (`__constant`).

use crate::ir::cfg::Cfg;
use crate::ir::origins::{Buffers, Origin, Origins};
use crate::ir::{Function, KernelArgKind, KernelData, Place, Root, Space, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The alias facts of a function's buffers.
pub(crate) struct NoAlias<'a> {
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

    /// The buffers that an address may lie in; none where they are not known.
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
                let buffers = match found.origins.of(function, self.graph, address) {
                    Origin::Of(buffers) => buffers,
                    _ => Buffers::NONE,
                };
                found.cache.insert(address, buffers);
                buffers
            }
            _ => Buffers::NONE,
        }
    }

    /// Whether two sets of buffers share no byte. Nothing is known of an empty set.
    pub fn never_alias(&self, these: Buffers, those: Buffers) -> bool {
        these != Buffers::NONE
            && those != Buffers::NONE
            && these.are_none_of(those)
            && (self.all || these.are_all_of(self.alone) || those.are_all_of(self.alone))
    }
}
