//! Instrumentation: the checks of the checking mode ([`crate::check`]).

pub mod insert_checks;
pub mod mark_operations;
pub mod track_variables;
pub mod version_loops;
