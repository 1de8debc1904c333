//! The passes, as an ordered list that anyone can read. Each is one file with one entry function
//! `run`; after each the verifier checks the module (debug and test builds), and `PUMICE_DUMP=after:NAME`
//! prints it.

pub mod bitcounts;
mod choices;
mod cleanup;
mod compares;
mod contract;
mod counts;
mod divide;
mod dots;
mod emulated;
pub mod exits;
mod expand_copies;
mod fences;
mod finals;
mod float_atomics;
#[cfg(test)]
pub mod fuzz;
pub(crate) mod groups;
mod hidden;
pub mod images;
mod indices;
pub mod inline;
mod invariants;
mod join;
pub mod kernel_args;
mod lanes;
pub mod legalize;
mod loop_groups;
pub mod magnitudes;
mod math;
mod merges;
pub mod narrow;
mod offsets;
mod operands;
mod overflow;
mod pairs;
pub(crate) mod pieces;
mod powers;
pub mod printf;
mod products;
pub mod program_data;
pub mod promote;
pub mod resolve;
mod resume;
mod returns;
pub mod rewrite;
mod rotates;
mod roundings;
mod rounds;
pub mod select_kernels;
mod sequence;
mod shifts;
mod shorts;
mod signs;
pub mod simplify;
mod singles;
mod sizes;
pub mod sroa;
pub mod ssa;
pub mod structurize;
mod sums;
mod swaps;
mod threads;
mod turns;
mod unfold;
mod unroll;
mod unsigned;
mod ways;
mod zeros;

use crate::error::LowerError;
use crate::ir::Module;
use crate::target::Target;
use crate::{BindingChoice, LowerOptions};

/// What a pass may look at besides the module.
#[derive(Debug, Clone, Copy)]
pub struct PassContext<'a> {
    /// The device.
    pub target: &'a Target,
    /// The caller's wishes.
    pub options: &'a LowerOptions,
}

impl PassContext<'_> {
    /// Which binding model the caller wants.
    pub fn binding(&self) -> BindingChoice {
        self.options.binding
    }
}

/// One pass.
pub struct Pass {
    /// Its name, for `PUMICE_DUMP` and messages.
    pub name: &'static str,
    /// Its entry function.
    pub run: fn(&mut Module, &PassContext<'_>) -> Result<(), LowerError>,
}

/// All passes in the order in which they run.
/// What each does is in ARCHITECTURE.md ("The passes, in order") and in its own file.
pub const PASSES: &[Pass] = &[
    Pass { name: "sequence", run: sequence::run },
    Pass { name: "select_kernels", run: select_kernels::run },
    Pass { name: "images", run: images::run },
    Pass { name: "math", run: math::run },
    Pass { name: "groups", run: groups::run },
    Pass { name: "inline", run: inline::run },
    Pass { name: "kernel_args", run: kernel_args::run },
    Pass { name: "sizes", run: sizes::run },
    Pass { name: "expand_copies", run: expand_copies::run },
    Pass { name: "promote", run: promote::run },
    Pass { name: "simplify", run: simplify::run },
    Pass { name: "unroll", run: unroll::run },
    Pass { name: "finals", run: finals::run },
    Pass { name: "unfold", run: unfold::run },
    Pass { name: "bounded", run: unroll::bounded::run },
    Pass { name: "join", run: join::run },
    Pass { name: "several", run: unroll::several::run },
    Pass { name: "rounds", run: rounds::run },
    Pass { name: "ways", run: ways::run },
    Pass { name: "pieces", run: pieces::run },
    Pass { name: "printf", run: printf::run },
    Pass { name: "turns", run: turns::run },
    Pass { name: "fences", run: fences::run },
    Pass { name: "float_atomics", run: float_atomics::run },
    Pass { name: "program_data", run: program_data::run },
    Pass { name: "emulated", run: emulated::run },
    Pass { name: "resolve", run: resolve::run },
    Pass { name: "threads", run: threads::run },
    Pass { name: "simplify", run: simplify::run },
    Pass { name: "legalize", run: legalize::run },
    Pass { name: "dots", run: dots::run },
    Pass { name: "lanes", run: lanes::run },
    Pass { name: "offsets", run: offsets::run },
    Pass { name: "powers", run: powers::run },
    Pass { name: "narrow", run: narrow::run },
    Pass { name: "contract", run: contract::run },
    Pass { name: "singles", run: singles::run },
    Pass { name: "rotates", run: rotates::run },
    Pass { name: "swaps", run: swaps::run },
    Pass { name: "overflow", run: overflow::run },
    Pass { name: "shorts", run: shorts::run },
    Pass { name: "divide", run: divide::run },
    Pass { name: "pairs", run: pairs::run },
    Pass { name: "sums", run: sums::run },
    Pass { name: "simplify", run: simplify::run },
    Pass { name: "magnitudes", run: magnitudes::run },
    Pass { name: "zeros", run: zeros::run },
    Pass { name: "roundings", run: roundings::run },
    Pass { name: "unsigned", run: unsigned::run },
    Pass { name: "compares", run: compares::run },
    Pass { name: "products", run: products::run },
    Pass { name: "shifts", run: shifts::run },
    Pass { name: "swaps", run: swaps::run },
    Pass { name: "signs", run: signs::run },
    Pass { name: "operands", run: operands::run },
    Pass { name: "choices", run: choices::run },
    Pass { name: "merges", run: merges::run },
    Pass { name: "bitcounts", run: bitcounts::run },
    Pass { name: "counts", run: counts::run },
    Pass { name: "invariants", run: invariants::run },
    Pass { name: "indices", run: indices::run },
    Pass { name: "returns", run: returns::run },
    Pass { name: "resume", run: resume::run },
    Pass { name: "exits", run: exits::run },
    Pass { name: "loop_groups", run: loop_groups::run },
    Pass { name: "hints", run: unroll::hints::run },
    Pass { name: "structurize", run: structurize::run },
];
