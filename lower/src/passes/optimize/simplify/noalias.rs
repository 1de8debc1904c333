//! Which buffers share no memory: those of a launch that is promised to have no such arguments, what is `restrict`, and what
//! nothing writes.

use crate::ir::cfg::Cfg;
use crate::ir::origins::{Buffers, Origin, Origins};
use crate::ir::{Function, KernelArgKind, KernelData, Place, Root, Space, Value};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// What is known of a function's buffers.
pub(crate) struct Apart<'a> {
    graph: &'a Cfg,
    /// All are apart from each other.
    all: bool,
    /// These are apart from all others.
    alone: Buffers,
    /// `None` where nothing is known.
    found: Option<RefCell<Found<'a>>>,
}

struct Found<'a> {
    origins: Origins<'a>,
    of: FxHashMap<Value, Buffers>,
}

impl<'a> Apart<'a> {
    /// Of a kernel's function; of any other without one.
    pub fn new(graph: &'a Cfg, kernel: Option<&'a KernelData>, all: bool) -> Self {
        let Some((kernel, plan)) = kernel.and_then(|k| Some((k, k.plan.as_ref()?))) else {
            return Apart { graph, all: false, alone: Buffers::NONE, found: None };
        };
        let mut alone = Buffers::CONSTANTS;
        for (n, arg) in (0..).zip(&kernel.args) {
            if let KernelArgKind::Pointer { restrict: true, .. }
            | KernelArgKind::Pointer { space: Space::Constant, .. } = arg.kind
            {
                alone = alone.and(Buffers::argument(n));
            }
        }
        let found = Found { origins: Origins::new(&plan.block), of: FxHashMap::default() };
        Apart { graph, all, alone, found: Some(RefCell::new(found)) }
    }

    /// The buffers that a place in one may lie in; none where that is not known.
    pub fn buffers(&self, function: &Function, place: &Place) -> Buffers {
        let Some(found) = &self.found else { return Buffers::NONE };
        match *place {
            Place::Element { root: Root::Arg(n), .. } => Buffers::argument(n),
            Place::Element { root: Root::Constants | Root::Block, .. } => Buffers::CONSTANTS,
            Place::Element { root: Root::Globals | Root::Printf | Root::Sequence, .. } => Buffers::OWN,
            Place::Address(address) => {
                let found = &mut *found.borrow_mut();
                if let Some(known) = found.of.get(&address) {
                    return *known;
                }
                let buffers = match found.origins.of(function, self.graph, address) {
                    Origin::Of(buffers) => buffers,
                    _ => Buffers::NONE,
                };
                found.of.insert(address, buffers);
                buffers
            }
            _ => Buffers::NONE,
        }
    }

    /// Whether no byte is in some of these and in some of those. Of no buffers nothing is known.
    pub fn are_apart(&self, these: Buffers, those: Buffers) -> bool {
        these != Buffers::NONE
            && those != Buffers::NONE
            && these.are_none_of(those)
            && (self.all || these.are_all_of(self.alone) || those.are_all_of(self.alone))
    }
}
