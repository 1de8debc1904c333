//! Litmus tests of memory order, through the OpenCL API: small programs of a few work-items with an outcome that an order forbids,
//! run as often as there is time, and the same with weaker orders, which may show it.
//!
//! - [`shapes`]: the tests as data: message passing, store buffering and so on, with the outcome that is looked for.
//! - [`source`]: a test as OpenCL C. A launch has very many instances, whose roles are played by work-items that are drawn again
//!   for each launch, with other work-groups that keep the memory busy.
//! - [`run`]: builds and launches, and counts outcomes.

pub mod run;
pub mod shapes;
pub mod source;
