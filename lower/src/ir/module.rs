//! Modules: global variables, functions, kernels.

use super::{DebugInfo, EntityMap, Func, Function, GlobalVar, ImageType, Opaque, OpaqueType, Space};
use crate::iterations::Count;
use crate::kernel_info::{ArgumentBlock, Batch, BindingModel, Emulated, ProgramData};
use crate::printf::PrintfTable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How far the lowering has come; see the table in [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[allow(missing_docs)]
pub enum Stage {
    #[default]
    Read,
    Resolved,
    Legal,
    Structured,
}

/// The first value of a global variable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GlobalInit {
    /// Its bytes; shorter than the variable means zeros at the end.
    pub bytes: Vec<u8>,
    /// Places that hold the address of another global plus what stands there: (byte offset, variable).
    pub addresses: Vec<(u64, GlobalVar)>,
}

/// A variable of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalVarData {
    /// Its name.
    pub name: String,
    /// Constant, Global or Local.
    pub space: Space,
    /// Bytes.
    pub size: u64,
    /// A power of two.
    pub align: u32,
    /// Its first value; `None` for `__local` variables.
    pub init: Option<GlobalInit>,
}

/// What a kernel parameter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelArgKind {
    /// A pointer to Global, Constant or Local.
    Pointer {
        /// The space.
        space: Space,
        /// Declared `restrict`.
        restrict: bool,
        /// Declared pointing to const.
        read_only: bool,
    },
    /// A value of so many bytes as the host hands it over.
    Value {
        /// Its size in bytes.
        size: u32,
        /// Its alignment.
        align: u32,
        /// Where each of the function's parameters for it lies in those bytes. A structure passed by a
        /// private pointer (`byval`) has one parameter, the pointer, and `None`.
        leaves: Option<Vec<u32>>,
    },
    /// An image.
    Image(ImageType),
    /// A sampler. The function's parameter is an i32: its bits.
    Sampler,
}

/// A kernel parameter as the host sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelArg {
    /// Its name, if the module has it.
    pub name: String,
    /// Its type as written, if the module has it.
    pub type_name: String,
    /// `const`, `volatile`, `restrict`.
    pub type_qualifiers: Vec<String>,
    /// What it is.
    pub kind: KernelArgKind,
}

/// An entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelData {
    /// The entry point's name.
    pub name: String,
    /// Its function: its parameters are those of `args`, values split into leaves.
    pub func: Func,
    /// Its arguments.
    pub args: Vec<KernelArg>,
    /// `reqd_work_group_size`
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint`
    pub work_group_size_hint: Option<[u32; 3]>,
    /// So many sub-groups a work-group must have (SubgroupsPerWorkgroup).
    pub required_sub_groups: Option<u32>,
    /// So many work-items a sub-group must have (SubgroupSize).
    pub required_sub_group_size: Option<u32>,
    /// Global ids, sizes and offsets have 64 bits.
    pub wide: bool,
    /// Contraction of a*b+c is off (ContractionOff).
    pub contraction_off: bool,
    /// What it has that the Target has not; set by `lower_addresses`.
    pub emulated: BTreeSet<Emulated>,
    /// How it reaches its arguments; set by `lower_addresses`.
    pub plan: Option<KernelPlan>,
    /// Behind [`super::Root::LocalArena`]; set by `lower_addresses`.
    pub local_arena: Option<LocalArena>,
    /// It reports whether the driver ended its loops; set by `loop_watchdog`.
    pub watches_loops: bool,
    /// The number of words that a work-item saves to resume in another launch after the driver ended its loops. `loop_watchdog` sets 0,
    /// `resume_loops` the number.
    pub resumes: Option<u32>,
    /// The bytes that a work-group's local variables take in the save area, if they are saved; set by `resume_loops`.
    pub saved_local: Option<u32>,
    /// The number of iterations of its loops, if a launch determines it; set by `loop_watchdog`.
    pub iterations: Option<Count>,
    /// Its dispatches run several enqueued kernels; set by `lower_addresses`.
    pub batch: Option<Batch>,
    /// Behind [`super::Root::Printf`]; set by `printf`.
    pub printf: PrintfTable,
}

/// Work-group memory that `__local` variables and arguments share: the variables first, then the arguments
/// in order, each a whole number of units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalArena {
    /// Bytes of the variables, a multiple of the unit.
    pub static_bytes: u64,
    /// The arguments, by number.
    pub args: Vec<u32>,
    /// It is a block that is seen as several types (VK_KHR_workgroup_memory_explicit_layout), and all of the kernel's `__local`
    /// memory is in it.
    pub views: bool,
}

impl LocalArena {
    /// Arguments are rounded up to so many bytes: the largest element of any view.
    pub const UNIT: u32 = 16;
}

/// What `lower_addresses` decided for a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPlan {
    /// Descriptors or addresses.
    pub model: BindingModel,
    /// The argument block that [`super::Root::Block`] reads.
    pub block: ArgumentBlock,
    /// In the packed model.
    pub windows: Option<WindowPlan>,
}

/// What `lower_addresses` decided for a kernel of the packed model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowPlan {
    /// How many windows it has.
    pub count: u32,
    /// It follows pointers from memory or of integers.
    pub follows_pointers: bool,
    /// It may store pointers to buffers, or integers that are made of them, where other kernels find them.
    #[serde(default)]
    pub stores_pointers: bool,
    /// The arguments that it may read and write through.
    pub read: BTreeSet<u32>,
    /// See `read`.
    pub written: BTreeSet<u32>,
}

impl Module {
    /// The most opaque types that a module has.
    pub const MAX_OPAQUES: usize = 256;
}

/// A module.
#[derive(Debug, Clone, Default)]
pub struct Module {
    /// How far the lowering has come.
    pub stage: Stage,
    /// 32 or 64: the width of addresses in the source module.
    pub address_bits: u32,
    /// Source file names that lines refer to; entry 0 stands for none.
    pub files: Vec<String>,
    /// Work-groups are dispatched in one dimension, and local ids are computed from the linear index. `lower_workgroup` sets it for kernels
    /// with sub-groups.
    pub linear_groups: bool,
    /// The largest number of invocations of a work-group, if kernels have work-item loops. Work-groups are dispatched in one dimension.
    /// Set by `work_item_loops`.
    pub work_item_loops: Option<u32>,
    /// Each work-group is one vector of the driver, which needs no barriers; set by `work_item_loops`.
    pub single_vector: bool,
    /// Work-groups may be smaller at the ends of an NDRange ([`LowerOptions::non_uniform`]).
    ///
    /// [`LowerOptions::non_uniform`]: crate::LowerOptions::non_uniform
    pub non_uniform: bool,
    /// The arguments of a launch do not alias, unless neither is written ([`LowerOptions::noalias`]).
    ///
    /// [`LowerOptions::noalias`]: crate::LowerOptions::noalias
    pub noalias: bool,
    /// Pipelines may be specialised for images' formats and samplers ([`LowerOptions::specialised`]).
    ///
    /// [`LowerOptions::specialised`]: crate::LowerOptions::specialised
    pub specialised: bool,
    /// A limit on the instructions of a kernel, beyond which lowering ends with [`LowerError::TooLarge`]. `inline` removes it where no
    /// function has several copies.
    ///
    /// [`LowerError::TooLarge`]: crate::LowerError::TooLarge
    pub size_limit: Option<usize>,
    /// Debug information beyond files and lines.
    pub debug: DebugInfo,
    /// What opaque values are.
    pub opaques: EntityMap<Opaque, OpaqueType>,
    /// Global variables.
    pub globals: EntityMap<GlobalVar, GlobalVarData>,
    /// Functions.
    pub functions: EntityMap<Func, Function>,
    /// Kernels, in the order of the source.
    pub kernels: Vec<KernelData>,
    /// The bytes behind [`super::Root::Constants`] and [`super::Root::Globals`]; set by `lower_program_scope`.
    pub program_data: ProgramData,
}
