//! The builtin functions of OpenCL C (§6.15): one declarative table with generic types, resolved
//! lazily by name, so that a builtin that is not used costs nothing.
//!
//! | module | content |
//! |---|---|
//! | [`op`] | a builtin as the rest of the front end sees it: overload and instruction |
//! | [`table`], [`integer`], [`collective`], [`ext`] | the rows, and the numbers of OpenCL.std's instructions |
//! | [`resolve`](mod@resolve) | the choice of an overload among rows |
//! | [`special`], [`c11`], [`memory`], [`block`], [`image`], [`pipe`], [`enqueue`] | families with rules of their own |
//! | [`samples`], [`catalog`] | every overload as text, for tests and lists |

mod block;
mod c11;
pub mod catalog;
pub mod collective;
pub mod enqueue;
pub mod ext;
pub mod image;
mod integer;
mod memory;
pub mod op;
mod pipe;
mod resolve;
mod samples;
mod special;
mod table;
#[cfg(test)]
mod tests;

use crate::options::Options;
use crate::types::{TypeId, Types};
use op::Family;
pub use op::{Builtin, BuiltinOp, Resolution, Rounding};

/// All of them; no two have a name in common.
const FAMILIES: [Family; 7] = [
    special::FAMILY,
    c11::FAMILY,
    memory::FAMILY,
    block::FAMILY,
    image::FAMILY,
    pipe::FAMILY,
    enqueue::FAMILY,
];

/// Returns whether `name` is a builtin function's name (so that an undeclared identifier that is called may
/// be looked up, and a declaration that hides it can be noticed).
pub fn is_builtin_name(name: &str) -> bool {
    table::rows(name).next().is_some() || FAMILIES.iter().any(|family| (family.has)(name))
}

/// Resolves a call of `name` with arguments of types `args` (after array decay and lvalue
/// conversion) by the rules of §6.15 and C's conversions. The caller converts each argument to its
/// parameter: scalars to scalars, scalars to vectors (convert, then replicate), an integer constant 0 to
/// `event_t`; everything else has its type already.
pub fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Resolution {
    let found = FAMILIES.iter().find_map(|family| (family.resolve)(types, options, name, args));
    found.unwrap_or_else(|| resolve::resolve(types, options, name, args))
}
