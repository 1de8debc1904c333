//! All end-to-end tests, one binary.

mod aot;
mod book;
mod cases;
mod checked;
mod cli;
mod cxx;
mod debug_info;
mod examples;
mod generic;
mod group_shapes;
mod judges;
mod masked;
mod modules;
mod mutants;
mod overloads;
mod program;
mod programs;
mod structure;
mod targets;
mod web;
