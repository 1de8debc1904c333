//! The options of a lowering.

use crate::check::Checks;
use crate::kernel_info::BindingModel;
#[cfg(doc)]
use crate::kernel_info::KernelInfo;

/// The binding model to lower for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BindingChoice {
    /// The best one for the Target and the kernel's pointers.
    #[default]
    Auto,
    /// This one if the kernel and the Target support it, else as `Auto`. For tests.
    Prefer(BindingModel),
    /// This one. A kernel that cannot use it is refused.
    Fixed(BindingModel),
}

/// Knowledge about the trip counts of launches, for drivers that end loops after a number of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Iterations {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Below the driver's limit: the host evaluates [`KernelInfo::iterations`] before a launch.
    Few,
    /// Above the limit, by that formula.
    Many,
}

/// The kinds of memory that hold zeros when a kernel begins (OpenCL API §4.4, `CL_CONTEXT_MEMORY_INITIALIZE_KHR`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Zeroed {
    /// `__local` variables and arguments.
    pub local: bool,
    /// Private variables.
    pub private: bool,
}

/// The options of a lowering.
#[derive(Debug, Clone, Default)]
pub struct LowerOptions {
    /// The kernels to lower; `None` for all.
    pub kernels: Option<Vec<String>>,
    /// The binding model.
    pub binding: BindingChoice,
    /// `PUMICE_DUMP`: the passes (`NAME`, or `all`) after which the IR is printed to standard error.
    pub dump_after: Vec<String>,
    /// The module comes from our own front end and need not be verified.
    pub own_module: bool,
    /// The most instructions of a kernel for which each call gets its own copy of the function. Larger kernels have one copy of a
    /// function for all its calls. `None`: kernels that exceed 32,768 instructions after unrolling.
    pub inline_limit: Option<u32>,
    /// The kernels in which functions of several calls have one copy, whatever their size is. Empty: `inline_limit` decides.
    pub share_in: Vec<String>,
    /// Work-groups may be non-uniform (OpenCL C 2.0 and later without -cl-uniform-work-group-size). The size is then specialised even for
    /// kernels with a required size, for the smaller work-groups at the NDRange's ends.
    pub non_uniform: bool,
    /// Global ids, sizes and offsets have 64 bits, for NDRanges that exceed 2^32. Modules with 32-bit pointers ignore it.
    pub wide: bool,
    /// Work-groups may exceed the device's size, up to [`MAX_WORK_GROUP_SIZE`](crate::MAX_WORK_GROUP_SIZE): kernels get work-item loops. A module in which a kernel
    /// requires such a size gets them without this option.
    pub large: bool,
    /// Each work-group of at most so many work-items is one vector of the driver: as many invocations as a sub-group has, whose loops run
    /// the work-items. No barrier is left then, so that kernels with barriers can resume ([`KernelInfo::resumes`]).
    pub single_vector: Option<u32>,
    /// The arguments of a launch do not alias, unless none of them is written, and their addresses are multiples of
    /// [`START_ALIGNMENT`](crate::target::START_ALIGNMENT). The host must ensure it for kernels with [`KernelInfo::noalias`] and [`KernelInfo::aligned`].
    pub noalias: bool,
    /// The formats of images and the bits of samplers can be specialised ([`KernelInfo::specialised`]).
    pub specialised: bool,
    /// Kernels can resume after the driver ended their loops ([`KernelInfo::resumes`]).
    pub long_loops: bool,
    /// Knowledge about the launches, for drivers that end loops.
    pub iterations: Iterations,
    /// Kernels start from the state that work-items saved when the driver ended their loops ([`KernelInfo::resumes`]).
    pub resume: bool,
    /// One dispatch of a block runs several enqueued kernels: each work-group finds its own ([`Batch`](crate::kernel_info::Batch)).
    pub batch: bool,
    /// The classes of faults that kernels look for. None: the code has no checks.
    pub check: Checks,
    /// The memory that begins as zeros (cl_khr_initialize_memory).
    pub zeroed: Zeroed,
    /// The names of passes, rewrite rules and unrolling policies to skip, which shows whether one of them causes a wrong result. A pass that is
    /// required is an error.
    pub skip: Vec<String>,
}
