//! Tests on a Vulkan device, the one that PUMICE_TEST_DEVICE selects, with the validation layers silent. `null_device` is a program of its
//! own: its environment chooses the driver.

mod better_pipelines;
mod common;
mod host_memory;
mod images;
mod kept;
mod lavapipe;
mod pool;
mod stream;
mod wide;
