//! All end-to-end tests, one binary.

mod cases;
mod cli;
mod judges;
mod program;
mod programs;
