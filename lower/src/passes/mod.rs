//! The passes, one folder for each phase and one file or folder for each pass. [`crate::pipeline`] has the order in which they run.

pub mod address;
pub mod check;
#[cfg(test)]
pub mod fuzz;
pub mod language;
pub mod legalize;
pub mod optimize;
pub mod structurize;
pub mod workaround;
