//! Cost model of full unrolling: the limits for each driver, and the cost of instructions.

use crate::context::PassContext;
use crate::ir::cfg::LoopData;
use crate::ir::{Function, InstData, InstKind, Module, Place, Space, Type, Value};
use crate::passes::language::lower_program_scope::Globals;

/// Limits and data that hold for all functions of a module.
pub struct Env<'a> {
    pub(super) address_bits: u32,
    pub(super) globals: &'a Globals,
    /// An unrolled loop may have this much code, or as much as the loop itself.
    pub(super) budget: u32,
    /// The cost of a memory access.
    pub(super) access: u32,
    /// True if a loop is unrolled although inner loops stay.
    pub(super) outer_loops: bool,
    /// True if unrolled accesses to buffers are better than a loop that the driver unrolls itself. The driver merges accesses that
    /// it knows to be aligned, and learns that of constant indices alone (`address_arithmetic`).
    pub(super) merges_accesses: bool,
}

impl<'a> Env<'a> {
    /// The limits by driver. NVIDIA's unrolls by hints, with better knowledge of the cost. llvmpipe computes what no lane needs, too, and its
    /// code for an access is long.
    pub(super) fn new(module: &'a Module, context: &PassContext<'_>) -> Env<'a> {
        let quirks = &context.target.quirks;
        let merges_accesses = context.target.features.buffers_below_4_gib;
        let (budget, access) = match () {
            () if quirks.unrolls_only_on_hint => (0, 1),
            () if quirks.slow_unrolled_loops => (64, 4),
            () if merges_accesses => (256, 1),
            () => (128, 1),
        };
        let outer_loops = budget >= 128;
        Env {
            address_bits: module.address_bits,
            globals: &module.globals,
            budget,
            access,
            outer_loops,
            merges_accesses,
        }
    }

    /// The cost of a loop's code, and the part of it that stays in every iteration that reaches it.
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

    /// The cost of an instruction.
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
