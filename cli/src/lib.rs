//! The pumice program.
