//! The common part of libpumice.so and the `pumice` program: settings, what a device's Target means for the front end, and C++ for
//! OpenCL by an installed clang.
#![forbid(unsafe_code)]

pub mod cache;
pub mod check;
pub mod cxx;
mod folders;
pub mod image;
pub mod present;
pub mod profile;
pub mod programs;
pub mod settings;
pub mod target;
pub mod version;
