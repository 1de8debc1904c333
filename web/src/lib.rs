//! OpenCL C on WebGPU: kernels compiled to WGSL, their reflection, and the data of their launches.
//!
//! ```text
//! OpenCL C ──frontend──▶ OpenCL SPIR-V ──lower──▶ Vulkan SPIR-V ──naga──▶ WGSL
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | [`target`] | WebGPU as a [`Target`](lower::Target): its default limits, and what an adapter offers besides |
//! | [`messages`] | errors and warnings with ranges |
//! | [`wgsl`] | Vulkan SPIR-V to WGSL |
//! | `readable` | the lengths of blocks and the names of values in the WGSL |
//! | [`program`] | a compiled source and its kernels |
//! | [`launch`] | the data of a launch, reflection |
//! | `js` | the functions that JavaScript calls |
//!
//! `web/npm` has the JavaScript part, which makes WebGPU's objects. docs/how-to/web.md is the manual.

#[cfg(target_arch = "wasm32")]
mod js;
pub mod launch;
pub mod messages;
pub mod program;
mod readable;
pub mod target;
pub mod wgsl;
