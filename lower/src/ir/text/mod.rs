//! The IR as text: what `PUMICE_DUMP` shows and what pass tests are written in.
//!
//! ```text
//! module read bits=64
//! file "a.cl"
//! global g0 "table" constant size=4 align=4 init="01000000" addresses=()
//! kernel "k" f0
//!   arg "out" "int*" () pointer global
//!   arg "n" "int" () value size=4 align=4 leaves=(0)
//! func f0 "k" returns ()
//!   slot s0 "tmp" size=16 align=4
//! b0(v0: ptr.global, v1 "n": i32):
//!   v2: i32 = iadd v1, i32:5 @1:3
//!   store [v0], v2, align=4
//!   condbr bool:1, b1(), b2(v2)
//! ```
//!
//! Constants stand where they are used (`i32:5`, `f32x4:0.5`, `bool:1`, `i32:undef`); floats that decimal notation does
//! not give exactly are written as bits (`f32:0x7fc00000`). Handles keep their numbers; instructions have
//! none. Blocks outside the layout are not printed.

pub(super) mod fields;
mod group;
mod image;
pub(crate) mod names;
pub(super) mod parse;
mod print;

pub use parse::parse;
pub use print::inst_to_string;

#[cfg(test)]
mod tests;
