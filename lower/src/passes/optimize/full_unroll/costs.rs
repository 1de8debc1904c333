//! What unfolding asks of a driver, and what code counts there.

use crate::context::PassContext;
use crate::ir::cfg::LoopData;
use crate::ir::{Function, InstData, InstKind, Module, Place, Space, Type, Value};
use crate::passes::language::lower_program_scope::Globals;

/// What holds for all functions of a module.
pub struct Env<'a> {
    pub(super) address_bits: u32,
    pub(super) globals: &'a Globals,
    /// A loop may become so much code, or as much as it is.
    pub(super) most: u32,
    /// What an access to memory counts.
    pub(super) access: u32,
    /// Whether loops around others that stay become their rounds.
    pub(super) around: bool,
    /// Rounds with accesses to buffers are better than the loop that the driver would unroll itself: it joins what it knows to be
    /// aligned, and is told that of constant indices alone (`address_arithmetic`).
    pub(super) joins: bool,
}

impl<'a> Env<'a> {
    /// By driver: NVIDIA's unrolls by hints, with better knowledge of what it costs. llvmpipe does not leave out what no lane needs, and its code
    /// for an access is long.
    pub(super) fn of(module: &'a Module, context: &PassContext<'_>) -> Env<'a> {
        let quirks = &context.target.quirks;
        let joins = context.target.features.buffers_below_4_gib;
        let (most, access) = match () {
            () if quirks.unrolls_when_told => (0, 1),
            () if quirks.slow_unrolled_loops => (64, 4),
            () if joins => (256, 1),
            () => (128, 1),
        };
        let around = most >= 128;
        Env { address_bits: module.address_bits, globals: &module.globals, most, access, around, joins }
    }

    /// What a loop counts as code, and how much of it stays code in every round that comes there.
    pub(super) fn size(&self, function: &Function, data: &LoopData) -> (u32, u32) {
        let insts = data.blocks.iter().flat_map(|b| &function.blocks[*b].insts);
        insts.fold((0, 0), |(own, kept), inst| {
            let data = &function.insts[*inst];
            let cost = self.cost(function, data);
            let stays = match &data.kind {
                InstKind::Load { place: Place::Pointer(p), .. } => {
                    function.ty(*p) != Type::Ptr(Space::Constant)
                }
                InstKind::Store { .. } | InstKind::Atomic { .. } | InstKind::Image { .. } => true,
                _ => false,
            };
            (own + cost, if stays { kept + cost } else { kept })
        })
    }

    /// What an instruction counts as code.
    pub(super) fn cost(&self, function: &Function, data: &InstData) -> u32 {
        let lanes = |v: &Value| u32::from(function.ty(*v).lanes());
        match &data.kind {
            InstKind::RootAddr(_) | InstKind::PtrOffset { .. } | InstKind::PtrCast(_) => 0,
            InstKind::Construct(_)
            | InstKind::Extract(..)
            | InstKind::Insert { .. }
            | InstKind::Shuffle(..)
            | InstKind::Bitcast(_) => 0,
            InstKind::Load { .. } | InstKind::Store { .. } => self.access,
            InstKind::Atomic { .. } | InstKind::Image { .. } => self.access,
            _ => data.results.first().map_or(1, lanes),
        }
    }
}
