//! What libpumice.so and the `pumice` program share: settings, and what a device's Target means for the front end.
#![forbid(unsafe_code)]

pub mod cache;
pub mod image;
pub mod settings;
pub mod target;
pub mod version;
