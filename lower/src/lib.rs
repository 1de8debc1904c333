//! OpenCL SPIR-V to Vulkan SPIR-V for one [`Target`](target::Target).
//!
//! ```text
//! OpenCL SPIR-V ──read──▶ ir::Module ──passes──▶ ir::Module ──write──▶ Vulkan SPIR-V + KernelInfo
//! ```
#![deny(clippy::undocumented_unsafe_blocks)]
#![forbid(unsafe_code)]

mod context;
pub mod error;
mod impossible;
pub mod inspect;
pub mod ir;
pub mod iterations;
pub mod kernel_info;
pub mod link;
mod passes;
pub mod pipeline;
pub mod printf;
pub mod profile;
pub mod quirks;
pub mod read;
pub mod specialize;
pub mod strip;
pub mod target;
mod transform;
pub mod validate;
pub mod write;

pub use error::LowerError;
pub use kernel_info::{BindingModel, KernelInfo, Lowered};
pub use passes::legalize::work_item_loops::LARGEST as LARGEST_WORK_GROUP;
pub use quirks::{Driver, Quirks};
pub use strip::strip_debug_info;
pub use target::Target;
pub use validate::{ValidateError, validate};

/// Which binding model to lower for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BindingChoice {
    /// By the Target and the kernel's own pointers.
    #[default]
    Auto,
    /// This one where the kernel and the Target can have it; else as `Auto`. For tests.
    Prefer(BindingModel),
    /// Always this one; a kernel that cannot use it is refused.
    Fixed(BindingModel),
}

/// How often the loops of launches iterate, where the driver ends loops that iterate too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Iterations {
    /// That is not known.
    #[default]
    Unknown,
    /// Seldom enough: whoever launches evaluates [`KernelInfo::iterations`].
    Few,
    /// Too often, by that formula.
    Many,
}

/// What to lower and how.
#[derive(Debug, Clone, Default)]
pub struct LowerOptions {
    /// The kernels to lower; `None` for all of them.
    pub kernels: Option<Vec<String>>,
    /// The binding model.
    pub binding: BindingChoice,
    /// `PUMICE_DUMP`: print the IR after these passes (`NAME`, or `all`) to standard error.
    pub dump_after: Vec<String>,
    /// The module is as our own front end made it: it need not be verified.
    pub own_module: bool,
    /// Where a kernel would have more instructions than this with a copy of each function for each call, functions get one
    /// copy for all their calls. `None`: about a million.
    pub inline_limit: Option<u32>,
    /// Work-groups need not divide the NDRange (OpenCL C 2.0 and later without -cl-uniform-work-group-size): kernels with a required
    /// size are specialized for the smaller ones at its ends, like those without.
    pub cut_off: bool,
    /// Global ids, sizes and offsets have 64 bits: for NDRanges that go beyond 2^32. Modules with 32-bit pointers have no such.
    pub wide: bool,
    /// Work-groups may have more work-items than the device's, up to [`LARGEST_WORK_GROUP`]: kernels go through them in pieces. So do those of a
    /// module in which a kernel requires a size that the device has not.
    pub large: bool,
    /// Launches have no memory in common among their arguments, unless none of these is written, and the addresses among them are
    /// multiples of [`target::START_ALIGNMENT`]: whoever launches sees to it, where [`KernelInfo::apart`] and [`KernelInfo::aligned`] say that it
    /// matters.
    pub apart: bool,
    /// The formats of images and the bits of samplers are specialization constants, too ([`KernelInfo::told`]).
    pub told: bool,
    /// Where the driver ends loops, kernels are such that they can go on ([`KernelInfo::resumes`]).
    pub long_loops: bool,
    /// What is known of the launches where the driver ends loops.
    pub iterations: Iterations,
    /// Kernels go on with what their work-items saved when the driver ended their loops ([`KernelInfo::resumes`]), instead of beginning.
    pub resume: bool,
    /// Passes that are left out, by their names: to see whether a wrong result comes with one. What cannot be done without is an error.
    pub skip: Vec<String>,
}

/// Lowers kernels of an OpenCL SPIR-V module for a Target.
///
/// # Errors
/// See [`LowerError`]; bad modules are errors, never panics.
pub fn lower(module: &[u32], target: &Target, options: &LowerOptions) -> Result<Lowered, LowerError> {
    impossible::check(module, target)?;
    let how = read::Reading {
        names: !options.dump_after.is_empty(),
        verify: !options.own_module,
        wide: options.wide,
    };
    pipeline::lower_ir(read::read_as(module, how)?, target, options)
}

/// Tells where the pointer arguments and variables of each kernel go when the module is lowered.
///
/// # Errors
/// As for [`lower`].
pub fn inspect(
    module: &[u32],
    target: &Target,
    options: &LowerOptions,
) -> Result<Vec<inspect::KernelReport>, LowerError> {
    impossible::check(module, target)?;
    inspect::inspect_ir(read::read(module)?, target, options)
}
