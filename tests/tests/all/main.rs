//! All end-to-end tests, one binary.

mod cases;
mod cli;
mod judges;
mod overloads;
mod program;
mod programs;
