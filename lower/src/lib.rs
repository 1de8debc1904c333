//! OpenCL SPIR-V to Vulkan SPIR-V for one [`Target`].
//!
//! ```text
//! OpenCL SPIR-V ──enqueue, pipes──▶ OpenCL SPIR-V ──read──▶ ir::Module ──passes──▶ ir::Module ──write──▶ Vulkan SPIR-V + KernelInfo
//! ```
#![deny(clippy::undocumented_unsafe_blocks)]
#![forbid(unsafe_code)]

mod analysis;
pub mod check;
mod context;
pub mod enqueue;
pub mod error;
mod gate;
mod impossible;
pub mod inspect;
pub mod ir;
pub mod iterations;
pub mod kernel_info;
mod library_calls;
pub mod link;
mod options;
mod outline_entry;
mod passes;
pub mod pipeline;
pub mod pipes;
pub mod printf;
pub mod profile;
pub mod quirks;
pub mod read;
mod rewrite;
pub mod specialize;
pub mod strip;
pub mod target;
mod transform;
pub mod validate;
pub mod write;

pub use error::LowerError;
pub use kernel_info::{BindingModel, KernelInfo, Lowered};
pub use options::{BindingChoice, Iterations, LowerOptions};
pub use outline_entry::outline_entry_points;
pub use quirks::{Driver, Quirks};
pub use strip::strip_debug_info;
pub use target::{MAX_WORK_GROUP_SIZE, Target};
pub use validate::{ValidateError, validate};

use std::borrow::Cow;

/// Lowers kernels of an OpenCL SPIR-V module for a Target.
///
/// # Errors
/// See [`LowerError`]; bad modules are errors, never panics.
pub fn lower(module: &[u32], target: &Target, options: &LowerOptions) -> Result<Lowered, LowerError> {
    impossible::check(module, target)?;
    let module = enqueue::lower_enqueue(module)?;
    let options = &*enqueue::options(options, matches!(module, Cow::Owned(_)));
    let module = &*pipes::lower_pipes(&module)?;
    let how = read::Reading {
        names: !options.dump_after.is_empty() || !options.check.is_empty(),
        verify: !options.own_module,
        wide: options.wide,
        events: options.check.intersects(check::Checks::BARRIERS | check::Checks::RACES),
    };
    pipeline::lower_ir(read::read_as(module, how)?, target, options)
}

/// Reports the destination of each kernel's pointer arguments and variables.
///
/// # Errors
/// As for [`lower`].
pub fn inspect(
    module: &[u32],
    target: &Target,
    options: &LowerOptions,
) -> Result<Vec<inspect::KernelReport>, LowerError> {
    impossible::check(module, target)?;
    let module = enqueue::lower_enqueue(module)?;
    let options = &*enqueue::options(options, matches!(module, Cow::Owned(_)));
    let module = &*pipes::lower_pipes(&module)?;
    inspect::inspect_ir(read::read(module)?, target, options)
}
