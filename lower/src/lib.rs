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
pub use options::{BindingChoice, Iterations, LowerOptions, Zeroed};
pub use outline_entry::outline_entry_points;
pub use passes::structurize::uniform_branches::NAME as UNIFORM_VALUE;
pub use quirks::{Driver, Quirks};
pub use strip::strip_debug_info;
pub use target::{MAX_WORK_GROUP_SIZE, SubgroupOperations, Target};
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
        names: !options.dump_after.is_empty() || !options.check.is_empty() || target.features.wgsl,
        verify: !options.own_module,
        wide: options.wide,
        events: options.check.intersects(check::Checks::BARRIERS | check::Checks::RACES),
        copies: options.check.contains(check::Checks::UNINITIALISED),
        // The types of others' modules need not be those of the source.
        members: options.own_module && options.check.of_kernels().contains(check::Checks::BOUNDS),
    };
    let mut read = read::read_as(module, how)?;
    if options.inline_limit.is_none() && options.share_in.is_empty() {
        read.size_limit = Some(LARGE_KERNEL);
    }
    match pipeline::lower_ir(read, target, options) {
        Err(LowerError::TooLarge(kernels)) => {
            let options = LowerOptions { share_in: kernels, ..options.clone() };
            pipeline::lower_ir(read::read_as(module, how)?, target, &options)
        }
        lowered => lowered,
    }
}

/// Limit on a kernel's instructions with a copy of each function for each call. A larger kernel is lowered again with one copy for all
/// calls. NVIDIA's driver (580) takes 14 s for 118,000 instructions (John the Ripper's sha512crypt).
const LARGE_KERNEL: usize = 1 << 15;

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
