//! All end-to-end tests, one binary.

mod cases;
mod cli;
mod debug_info;
mod judges;
mod overloads;
mod program;
mod programs;
