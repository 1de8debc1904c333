//! Reflection: what a host must know to launch a lowered kernel.
//!
//! All small values that a kernel needs (value arguments, buffer addresses, the NDRange) are in one **argument block**, whose members
//! are listed with their sources. The block is the push constants if it fits, else a buffer.

use crate::check::ArgumentFact;
use crate::iterations::{Count, LaunchFacts};
use crate::printf::PrintfTable;
use serde::{Deserialize, Serialize};

/// How a kernel reaches its buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BindingModel {
    /// Storage and uniform buffer descriptors.
    Descriptor,
    /// Device addresses in the argument block.
    Address,
    /// Few storage buffer descriptors, each with many buffers ([`Windows`]), and 32-bit offsets in the argument block. It serves devices
    /// without addresses, for kernels that have more buffers than the device binds or that load pointers from memory.
    Packed,
}

impl BindingModel {
    /// The name in reflection.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BindingModel::Descriptor => "descriptor",
            BindingModel::Address => "address",
            BindingModel::Packed => "packed",
        }
    }
}

/// The buffers of a kernel in the packed model.
///
/// Every buffer of the device has a **packed address**: 32 bits, a multiple of 256, not 0. No two buffers overlap. A **window** is one
/// descriptor for a part of Vulkan's memory that begins at a packed address. It contains all buffers of that part, at the same distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// The number of descriptors ([`DescriptorSource::Window`]). A launch that needs fewer binds any buffer to the rest, which begin after
    /// all others ([`BlockSource::WindowStart`]).
    pub count: u32,
    /// The specialization constant (a bool) to set for launches with more than one window. Unless it is set, all accesses use the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub several_id: Option<u32>,
    /// The kernel dereferences pointers that it loads from memory or converts from integers. They may point into any buffer of the context
    /// whose packed address was stored.
    pub follows_pointers: bool,
    /// The kernel may store packed addresses of its buffers, or integers computed from them, into memory that other kernels read.
    #[serde(default = "yes")]
    pub stores_pointers: bool,
}

fn yes() -> bool {
    true
}

impl Windows {
    /// The largest number of windows of a kernel.
    pub const MAX: u32 = 4;
    /// The upper bound of the packed addresses of windows. Numbers above it name variables, if pointers have 32 bits.
    pub const END: u64 = 1 << 31;
}

/// The result of lowering: one Vulkan module and what its entry points need.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// The Vulkan SPIR-V module.
    pub spirv: Vec<u32>,
    /// The entry points, in the order of the source.
    pub kernels: Vec<KernelInfo>,
    /// The program's constant data, one for all kernels of the program (the same bytes for each
    /// module lowered from one program).
    pub program_data: ProgramData,
    /// Warnings for the build log.
    pub warnings: Vec<String>,
}

/// Program-scope variables in memory. `vk-runtime` creates one buffer of each kind for each program and device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramData {
    /// Read-only: program-scope `__constant` variables that were not folded into the code.
    pub constants: DataBlock,
    /// Writable: program-scope `__global` variables.
    pub globals: DataBlock,
}

/// The initial bytes of a buffer, and the addresses to patch into them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataBlock {
    /// The bytes; the buffer's size is their length.
    pub bytes: Vec<u8>,
    /// Its alignment in bytes.
    pub align: u32,
    /// The slots that get the device address of a block, added to the bytes that are there.
    pub relocations: Vec<Relocation>,
}

/// One address to patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relocation {
    /// The byte offset of the slot.
    pub at: u64,
    /// The address is that of the globals block, not of the constants block.
    pub to_globals: bool,
    /// The size of the slot in bytes: 8, or 4 if addresses have 32 bits.
    #[serde(default = "eight")]
    pub bytes: u32,
}

fn eight() -> u32 {
    8
}

/// A feature that a kernel uses and its device lacks, so that it is emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Emulated {
    /// 64-bit integers, as pairs of words.
    Int64,
    /// 16-bit integers, computed in 32 bits.
    Int16,
    /// 8-bit integers, computed in 32 bits.
    Int8,
    /// 16-bit elements of buffers, as parts of words that stores change by atomics.
    Storage16,
    /// 8-bit elements of buffers, as parts of words that stores change by atomics.
    Storage8,
    /// Device addresses without 64-bit integers, as pairs of words.
    Addresses,
    /// More buffers than the device binds, or pointers in memory without addresses: buffers share descriptors ([`Windows`]).
    Buffers,
    /// Storage images without a format, as the texels' bits ([`ImageView::bits`]).
    Texels,
}

impl Emulated {
    /// The emulation in words.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Emulated::Int64 => "64-bit integers are pairs of words",
            Emulated::Int16 => "16-bit integers are computed in 32 bits",
            Emulated::Int8 => "8-bit integers are computed in 32 bits",
            Emulated::Storage16 => "16-bit elements of buffers are parts of words",
            Emulated::Storage8 => "8-bit elements of buffers are parts of words",
            Emulated::Addresses => "device addresses are pairs of words",
            Emulated::Buffers => "buffers share descriptors",
            Emulated::Texels => "texels are packed and unpacked as bits",
        }
    }
}

/// One kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelInfo {
    /// The entry point's name, which is the kernel's.
    pub name: String,
    /// The binding model that it was lowered for.
    pub binding_model: BindingModel,
    /// Its arguments, in order.
    pub args: Vec<ArgInfo>,
    /// The argument block.
    pub block: ArgumentBlock,
    /// The descriptors of set 0, by binding number. In the address model these are images, samplers, and the argument block or a Uniform
    /// if the kernel needs one.
    pub descriptors: Vec<DescriptorInfo>,
    /// The samplers that need a VkSampler. [`DescriptorSource::Sampler`] is an index into them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samplers: Vec<SamplerUse>,
    /// `reqd_work_group_size`. The module has this size, which cannot be specialised.
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// The required number of sub-groups in a work-group (SPIR-V's SubgroupsPerWorkgroup).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_sub_groups: Option<u32>,
    /// The required size of sub-groups (`intel_reqd_sub_group_size`, SPIR-V's SubgroupSize), which is the device's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_sub_group_size: Option<u32>,
    /// The kernel uses sub-groups, which have the device's size.
    #[serde(default)]
    pub has_sub_groups: bool,
    /// Its global ids have 64 bits, so NDRanges may exceed 2^32.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wide: bool,
    /// The kernel assumes that its buffers, and images of buffers, do not alias ([`LowerOptions::noalias`](crate::LowerOptions)). A launch in
    /// which two share memory and one is written needs another variant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noalias: bool,
    /// The kernel assumes that each address argument is the start of its object and a multiple of
    /// [`START_ALIGNMENT`](crate::target::START_ALIGNMENT), and that the object is not larger than
    /// [`MAX_BUFFER_SIZE`](crate::target::MAX_BUFFER_SIZE). Other launches need a kernel that was lowered without
    /// [`TargetFeatures::buffers_below_4_gib`](crate::target::TargetFeatures) and without the quirk `prefers_array_elements`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aligned: bool,
    /// The specialization constants of the work-group size (x, y, z), unless the size is required.
    pub work_group_size_ids: Option<[u32; 3]>,
    /// The specialization constant (a bool) to set if a buffer of the device crosses a multiple of 4 GiB. Unless it is set, addresses are
    /// computed without a carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crossing_id: Option<u32>,
    /// What a launch may tell of arguments' buffers, each with the specialization constant, a bool, that says that it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents_ids: Vec<(ArgumentFact, u32)>,
    /// The words of the argument block that a pipeline can be specialised for. Such a pipeline serves only launches with the same words.
    /// A constant that is not set leaves the word to the block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specialised: Vec<SpecialisedWord>,
    /// The features that are emulated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emulated: Vec<Emulated>,
    /// Its buffers, in the packed model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<Windows>,
    /// The size of its `__local` variables in bytes, without `__local` arguments.
    pub local_memory_size: u32,
    /// The size of a work-item's private memory that was not promoted, in bytes.
    pub private_memory_size: u32,
    /// The largest number of invocations of a work-group, if the kernel has work-item loops. Its work-groups are dispatched in one
    /// dimension, and the loops run the other work-items. The OpenCL work-group size is specialised and counted as for other kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item_loops: Option<u32>,
    /// It contains a barrier.
    pub has_barrier: bool,
    /// Its results may depend on the work-group size: it uses ids and sizes of work-groups and sub-groups, local memory, barriers, fences
    /// or atomics.
    pub sees_work_groups: bool,
    /// It reports in the launch's buffer that the driver ended its loops early
    /// ([`Quirks::max_iterations`](crate::Quirks::max_iterations)). Its results are wrong then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watches_loops: bool,
    /// The number of words that a work-item saves when the driver ends its loops, without the word that names the resume point. They go to
    /// an area after the launch's buffer ([`AREA_START`](crate::printf::AREA_START)). The variant that is lowered with
    /// [`LowerOptions::resume`](crate::LowerOptions::resume) continues from there. It is launched with the same work-groups until
    /// [`LOOPS_ENDED`](crate::printf::LOOPS_ENDED) stays 0. Without an area the launch fails, as for kernels that cannot resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<u32>,
    /// The bytes that a work-group's local variables take in that area, if its local memory is saved. `__local` arguments come in
    /// addition, each a multiple of 16 bytes. The work-groups' local memory is before the rows ([`crate::printf`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_local: Option<u32>,
    /// The number of iterations that its loops take in a launch. A launch for which it is unknown, or beyond the driver's limit
    /// ([`Quirks::max_iterations`](crate::Quirks::max_iterations)), needs the variant of [`Iterations::Many`](crate::Iterations::Many).
    /// That one counts them with the copies of its loops' bodies. Where they are too many for it, too, or unknown, a kernel with barriers
    /// needs [`LowerOptions::single_vector`](crate::LowerOptions::single_vector).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Count>,
    /// One dispatch runs several enqueued kernels of this block ([`LowerOptions::batch`](crate::LowerOptions::batch)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// The records of its printf calls. Unless empty, a launch takes a buffer for them; see [`crate::printf`].
    #[serde(default, skip_serializing_if = "PrintfTable::is_empty")]
    pub printf: PrintfTable,
}

/// A block whose dispatches run a batch of enqueued kernels ([`crate::enqueue::layout::batch`]). Its first argument is the batch's header,
/// and NDRanges come from packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Any work-group size serves any NDRange: the block cannot notice its work-groups, and work-items beyond the NDRange return at once.
    /// Otherwise the work-group size of the dispatch is that of each kernel, and divides its NDRange.
    pub any_size: bool,
}

/// A word of the argument block that a pipeline can be specialised for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialisedWord {
    /// The specialization constant.
    pub id: u32,
    /// The word: an image's format, a sampler, or the start of ids. A start, or the size of a dispatch with a
    /// remainder, can only be specialised as 0.
    pub source: BlockSource,
}

impl SpecialisedWord {
    /// The constant's default: no format, sampler or start has this value.
    pub const UNSET: u32 = u32::MAX;
}

impl KernelInfo {
    /// The dimensions in which it cuts off the work-items beyond a dispatch's end ([`BlockSource::DispatchSize`]).
    #[must_use]
    pub fn guarded(&self) -> [bool; 3] {
        let has = |d| self.block.members.iter().any(|m| m.source == BlockSource::DispatchSize(d));
        [has(0), has(1), has(2)]
    }

    /// Returns whether it gives objects of the program their values: it runs once, before the first kernel that uses the program's data.
    #[must_use]
    pub fn is_initializer(&self) -> bool {
        self.name.starts_with(crate::enqueue::INITIALIZER)
    }

    /// Returns whether the kernel uses the program's `__global` variables.
    #[must_use]
    pub fn uses_globals(&self) -> bool {
        self.block.members.iter().any(|member| member.source == BlockSource::GlobalsAddress)
            || self.descriptors.iter().any(|descriptor| descriptor.source == DescriptorSource::Globals)
    }

    /// Returns whether the driver may end its loops in a launch with these facts, so that a kernel with barriers or fences needs
    /// [`LowerOptions::single_vector`](crate::LowerOptions::single_vector).
    #[must_use]
    pub fn may_be_ended(&self, launch: &LaunchFacts<'_>) -> bool {
        let few = self.iterations.as_ref().is_some_and(|count| count.evaluate(launch).is_some());
        self.watches_loops && self.resumes.is_none() && self.sees_work_groups && !few
    }

    /// A launch takes a buffer besides its arguments; see [`crate::printf`].
    #[must_use]
    pub fn takes_buffer(&self) -> bool {
        self.watches_loops || !self.printf.is_empty()
    }

    /// The message about a launch whose loops the driver ended ([`crate::printf::loops_were_ended`]).
    #[must_use]
    pub fn loops_ended(&self) -> String {
        Self::loops_ended_in(std::slice::from_ref(&self.name))
    }

    /// The message about a launch of several kernels.
    #[must_use]
    pub fn loops_ended_in(names: &[String]) -> String {
        format!(
            "kernel '{}': the driver ended loops of work-items that had more iterations than it allows (65,535 of \
             all their loops together on Mesa's llvmpipe before version 25), so the launch failed and what it wrote is wrong",
            names.join("' or '")
        )
    }
}

/// One kernel argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgInfo {
    /// Its name, if the module has it.
    pub name: String,
    /// Its type's name as written (`float4*`), if the module has it.
    pub type_name: String,
    /// `const`, `volatile`, `restrict` as in CL_KERNEL_ARG_TYPE_*; of a pipe `pipe` and `read_only` or `write_only`; `queue` and `record` of device-side enqueue.
    pub type_qualifiers: Vec<String>,
    /// Its kind and its destination.
    pub kind: ArgKind,
}

impl KernelInfo {
    /// The arguments that programs set: all but the launch's record, which is the last one of kernels that enqueue.
    #[must_use]
    pub fn own_args(&self) -> &[ArgInfo] {
        match self.args.split_last() {
            Some((last, others)) if last.is_record() => others,
            _ => &self.args,
        }
    }

    /// The argument that is the launch's record, of kernels that enqueue and of blocks ([`ArgInfo::is_record`]).
    #[must_use]
    pub fn record(&self) -> Option<usize> {
        self.args.iter().position(ArgInfo::is_record)
    }
}

impl ArgInfo {
    /// Returns whether it is a device queue: its number in the launch's arena, 64 bits ([`crate::enqueue::layout`]).
    #[must_use]
    pub fn is_queue(&self) -> bool {
        self.type_qualifiers.iter().any(|word| word == "queue")
    }

    /// Returns whether it is the launch's record ([`crate::enqueue::layout`]), which programs do not see.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.type_qualifiers.iter().any(|word| word == "record")
    }

    /// Returns whether it is a pipe: a buffer with the layout of [`PipeLayout`](crate::pipes::PipeLayout).
    #[must_use]
    pub fn is_pipe(&self) -> bool {
        self.type_qualifiers.iter().any(|word| word == "pipe")
    }
}

/// The kind of an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgKind {
    /// A buffer (`__global` or `__constant` pointer), as a descriptor or as an address in the block.
    Buffer {
        /// `__constant` rather than `__global`.
        constant: bool,
        /// The kernel may write to it.
        written: bool,
        /// The kernel may read from it.
        read: bool,
        /// The descriptor's binding, in the descriptor model. `None` if it is unused or an address.
        binding: Option<u32>,
    },
    /// A `__local` pointer. Its size is set before the pipeline is created.
    Local {
        /// The specialization constant of the size. `None` if the kernel does not use the argument.
        spec_id: Option<u32>,
        /// The unit of the constant in bytes. Sizes are rounded up.
        unit: u32,
        /// Its alignment.
        align: u32,
    },
    /// A value, copied into the block.
    Value {
        /// Its size in bytes, as clSetKernelArg takes it.
        size: u32,
    },
    /// An image, as descriptors.
    Image(ImageArg),
    /// A sampler: 8 bytes for clSetKernelArg. The argument block ([`BlockSource::Sampler`]) and [`KernelInfo::samplers`] have its parts.
    Sampler,
}

/// An image argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageArg {
    /// The images that fit.
    pub shape: ImageShape,
    /// `read_only`, `write_only`, `read_write`.
    pub access: ImageAccess,
    /// The descriptors of the image, one for each kind of view and class. There are none if the kernel accesses no texels. A kernel may
    /// have several classes and select one by the channel type. A class that does not fit the image's format still needs a valid
    /// descriptor of the shape and class, whose texels are not used.
    pub views: Vec<ImageView>,
}

/// The shape of an image, as OpenCL C's type says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageShape {
    /// The dimensions.
    pub dim: ImageDim,
    /// An array of 1D or 2D images.
    pub arrayed: bool,
    /// A depth image: its texels are one float each, the first channel.
    pub depth: bool,
    /// Each texel has several samples.
    pub multisampled: bool,
}

impl ImageShape {
    /// Returns whether Vulkan's image is an array. Samples are layers there: sample *s* of layer *z* is layer *z* × samples + *s*.
    #[must_use]
    pub fn is_layered(self) -> bool {
        self.arrayed || self.multisampled
    }
}

/// The dimensions of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageDim {
    /// 1D.
    One,
    /// 2D.
    Two,
    /// 3D.
    Three,
    /// 1D, its texels in a buffer.
    Buffer,
}

/// The access of a kernel to an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum ImageAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

impl ImageAccess {
    /// The qualifier of OpenCL C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ImageAccess::ReadOnly => "read_only",
            ImageAccess::WriteOnly => "write_only",
            ImageAccess::ReadWrite => "read_write",
        }
    }
}

/// One descriptor of an image argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageView {
    /// The binding in set 0.
    pub binding: u32,
    /// The kind of view.
    pub kind: ImageViewKind,
    /// The type of the channels.
    pub class: TexelClass,
    /// The mip level of a storage view. Writes to a level that the image lacks have no effect.
    #[serde(default)]
    pub level: u8,
    /// The view has unsigned integers of the texel's size instead of the image's format: R8, R16, R32, RGBA16 or RGBA32. The kernel
    /// packs and unpacks the bits by [`BlockSource::ImageFormat`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bits: bool,
}

/// The kind of a view of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageViewKind {
    /// A sampled image. The view's swizzle and sRGB format give OpenCL's channels.
    Sampled,
    /// A storage image, with the identity swizzle. The kernel permutes channels and encodes sRGB by [`BlockSource::ImageFormat`].
    Storage,
    /// A uniform texel buffer. It has no swizzle: the kernel permutes.
    TexelSampled,
    /// A storage texel buffer. It has no swizzle: the kernel permutes.
    TexelStorage,
}

impl ImageViewKind {
    /// The type of its descriptors.
    pub fn descriptor(self) -> DescriptorKind {
        match self {
            ImageViewKind::Sampled => DescriptorKind::SampledImage,
            ImageViewKind::Storage => DescriptorKind::StorageImage,
            ImageViewKind::TexelSampled => DescriptorKind::UniformTexelBuffer,
            ImageViewKind::TexelStorage => DescriptorKind::StorageTexelBuffer,
        }
    }
}

/// The type of a texel's channels in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TexelClass {
    /// Floats: normalized formats, half and float.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
}

/// A sampler that needs a VkSampler because its filter may be linear.
///
/// The VkSampler has normalized coordinates, the addressing mode, the filter, and mip-maps only if the image has them. The kernel divides
/// coordinates that are not normalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplerUse {
    /// The binding in set 0.
    pub binding: u32,
    /// Its origin.
    pub source: SamplerSource,
}

/// The origin of a sampler.
///
/// Its bits are those of OpenCL C's literals. Bit 0 is set for normalized coordinates. Bits 1 to 3 are the addressing mode: 0 none, 1 clamp
/// to the edge, 2 clamp to the border, 3 repeat, 4 mirrored repeat. Bits 4 and 5 are the filter: 1 nearest, 2 linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplerSource {
    /// A sampler argument. With a nearest filter it needs a descriptor too, though the kernel does not use it.
    Argument(u32),
    /// A sampler in the source.
    Literal(u32),
}

/// The argument block: the bytes that a launch passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentBlock {
    /// The size in bytes, a multiple of 4; 0 if there is nothing to pass.
    pub size: u32,
    /// Its location.
    pub location: BlockLocation,
    /// Its members, ascending by offset.
    pub members: Vec<BlockMember>,
}

/// The location of the argument block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockLocation {
    /// In the push constants, from offset 0.
    PushConstants,
    /// In a storage buffer with this binding of set 0.
    StorageBuffer {
        /// The binding.
        binding: u32,
    },
    /// In a buffer whose 64-bit device address is the push constants' only member, at offset 0.
    BufferAddress,
}

/// One member of the argument block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockMember {
    /// Byte offset, a multiple of 4.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// The value to write.
    pub source: BlockSource,
}

/// The value of a member of the argument block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockSource {
    /// A value argument's bytes.
    Argument(u32),
    /// The 64-bit device address of a buffer argument; 0 for a NULL buffer. A device without addresses gets a number below 2^32 that is
    /// unique among the bytes of all buffers. In the packed model this and the addresses below are packed addresses ([`Windows`]).
    ArgumentAddress(u32),
    /// The difference between the global id and Vulkan's global invocation id in a dimension, 32 bits: the global offset plus the first
    /// work-group of this dispatch times the work-group size.
    GlobalIdBase(u32),
    /// The NDRange's global offset in a dimension, 32 bits.
    GlobalOffset(u32),
    /// The NDRange's global size in a dimension, 32 bits.
    GlobalSize(u32),
    /// The upper 32 bits of the start of global ids, if they have 64 bits ([`KernelInfo::wide`]).
    GlobalIdBaseHigh(u32),
    /// The upper 32 bits of the global offset.
    GlobalOffsetHigh(u32),
    /// The upper 32 bits of the global size.
    GlobalSizeHigh(u32),
    /// The number of work-groups of the whole NDRange in a dimension, 32 bits.
    NumGroups(u32),
    /// The first work-group of this dispatch in a dimension, 32 bits (split NDRanges).
    GroupBase(u32),
    /// The size of the work-groups that are not cut off at the NDRange's end, in a dimension, 32 bits.
    EnqueuedLocalSize(u32),
    /// The number of work-items of this dispatch in a dimension if its last work-groups reach beyond the NDRange there, else 0; 32 bits. The
    /// others return at once. Only kernels that cannot notice it have this member: launches may give them any work-group size that
    /// is 1 in the dimensions without it.
    DispatchSize(u32),
    /// The number of dimensions, 32 bits.
    WorkDim,
    /// The 64-bit device address of the program's constants block.
    ConstantsAddress,
    /// The 64-bit device address of the program's globals block.
    GlobalsAddress,
    /// The 64-bit device address of the launch's printf buffer.
    PrintfAddress,
    /// The 64-bit device address of the device's word for sequential consistency
    /// ([`TargetFeatures::shared_sequence`](crate::target::TargetFeatures::shared_sequence)).
    SequenceAddress,
    /// The difference between device addresses and the pointers in kernels, 64 bits
    /// ([`TargetFeatures::shared_base`](crate::target::TargetFeatures::shared_base)).
    SharedBase,
    /// The packed address at which a window begins, 32 bits, in ascending order. `u32::MAX` if the launch does not need it ([`Windows`]).
    WindowStart(u32),
    /// The format of the image of an argument, 32 bits: the channel order in the low half (CL_R is 0x10B0), the channel data
    /// type in the high half (CL_SNORM_INT8 is 0x10D0).
    ImageFormat(u32),
    /// The number of mip levels (low half) and of samples (high half; at least 1) of an argument's image, 32 bits.
    ImageLevels(u32),
    /// The size of the image of an argument in texels, 32 bits.
    ImageSize {
        /// The argument.
        arg: u32,
        /// 0 for the width. The height, depth and number of layers follow, if the shape has them. A 1D array has its layers at 1, a 2D
        /// array at 2.
        dim: u32,
    },
    /// The bits of a sampler argument (see [`SamplerSource`]), 32 bits.
    Sampler(u32),
    /// The size in bytes of the memory of a pointer argument, `__local` ones included; 0 for a null pointer; 64 bits. Only kernels that
    /// check their accesses, or begin with zeroed `__local` memory, have it.
    ArgumentSize(u32),
    /// The bytes of a pointer argument's memory before the place where the argument points, 64 bits. It is 0 for buffers.
    ArgumentBefore(u32),
    /// Where the records of a pointer argument's memory begin ([`crate::check::ArgumentCells`]), 64 bits: in the printf buffer, or in a `__local` argument
    /// itself; 0 if there are none.
    ArgumentShadow(u32),
    /// What the launch tells of a pointer argument's memory, 64 bits: where the record of what was written of it begins in the printf buffer, or 0;
    /// bit 62 if kernels may not read it, bit 63 if they may not write it.
    ArgumentContent(u32),
}

impl BlockSource {
    /// It is a start of ids: 0 in launches without a global offset that are one dispatch.
    #[must_use]
    pub fn is_start(self) -> bool {
        matches!(
            self,
            BlockSource::GlobalIdBase(_)
                | BlockSource::GlobalIdBaseHigh(_)
                | BlockSource::GlobalOffset(_)
                | BlockSource::GlobalOffsetHigh(_)
                | BlockSource::GroupBase(_)
        )
    }

    /// It can be specialised only as 0: a start of ids, or the size of a dispatch with a remainder.
    #[must_use]
    pub fn is_usually_zero(self) -> bool {
        self.is_start() || matches!(self, BlockSource::DispatchSize(_))
    }
}

/// One descriptor of set 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescriptorInfo {
    /// The binding number.
    pub binding: u32,
    /// The descriptor type.
    pub kind: DescriptorKind,
    /// The object to bind.
    pub source: DescriptorSource,
}

/// Descriptor types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum DescriptorKind {
    StorageBuffer,
    UniformBuffer,
    SampledImage,
    StorageImage,
    UniformTexelBuffer,
    StorageTexelBuffer,
    Sampler,
}

/// The object of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DescriptorSource {
    /// A buffer argument.
    Argument(u32),
    /// The argument block.
    ArgumentBlock,
    /// The program's constants block.
    Constants,
    /// The program's globals block.
    Globals,
    /// The launch's printf buffer.
    Printf,
    /// The device's word for sequential consistency ([`BlockSource::SequenceAddress`]).
    Sequence,
    /// A window, by its number ([`Windows`]).
    Window(u32),
    /// A view of an image argument: the one of [`ImageArg::views`] with the descriptor's binding.
    Image(u32),
    /// A sampler, by its index in [`KernelInfo::samplers`].
    Sampler(u32),
}
