//! Whole programs, each checked against a reference written here.

mod calls;
mod crypto;
mod language;
mod local;
mod maps;
mod numeric;
mod vectors;
