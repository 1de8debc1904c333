//! Reflection: what a host must know to launch a lowered kernel.
//!
//! All small values that a kernel needs (value arguments, buffer addresses, launch geometry) lie in
//! one **argument block** whose members are listed with their sources. The block is the push
//! constants where it fits, else a buffer.

use crate::iterations::Count;
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
    /// Few storage buffer descriptors, each of which has many buffers ([`Windows`]), and places in the argument block: on devices
    /// without addresses, where a kernel has more buffers than the device binds, or follows pointers that it finds in memory.
    Packed,
}

impl BindingModel {
    /// As it is written in reflection.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BindingModel::Descriptor => "descriptor",
            BindingModel::Address => "address",
            BindingModel::Packed => "packed",
        }
    }
}

/// How a kernel of the packed model sees buffers. Every buffer of the device is told a **place**: a number of 32 bits that stands for
/// its address, is a multiple of 256 and not 0, and no two buffers overlap there. A **window** is a part of Vulkan's memory that
/// begins at a place, as one descriptor: it has all buffers that lie there in Vulkan's memory as their places say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// How many descriptors there are ([`DescriptorSource::Window`]). Those that a launch has no use for are bound to anything, and
    /// begin behind all others ([`BlockSource::WindowStart`]).
    pub count: u32,
    /// The specialization constant (a bool) to set where a launch has more than one window: all accesses go to the first else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub several_id: Option<u32>,
    /// It follows pointers that it reads from memory, or makes of integers: they may point into any buffer of the context whose
    /// place was stored.
    pub follows_pointers: bool,
    /// It may store the places of its buffers, or numbers that are made of them, where other kernels find them.
    #[serde(default = "yes")]
    pub stores_pointers: bool,
}

fn yes() -> bool {
    true
}

impl Windows {
    /// No kernel has more.
    pub const MAX: u32 = 4;
    /// Places of windows end below this: what is above it names variables, where pointers have 32 bits.
    pub const END: u64 = 1 << 31;
}

/// The result of lowering: one Vulkan module and what its entry points need.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// The Vulkan SPIR-V module.
    pub spirv: Vec<u32>,
    /// One per entry point, in the order of the source.
    pub kernels: Vec<KernelInfo>,
    /// The program's constant data, one for all kernels of the program (the same bytes for each
    /// module lowered from one program).
    pub program_data: ProgramData,
    /// Warnings for the build log.
    pub warnings: Vec<String>,
}

/// Program-scope variables that live in memory. `vk-runtime` makes one buffer of each kind per
/// program and device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramData {
    /// Read-only: program-scope `__constant` variables that were not folded into the code.
    pub constants: DataBlock,
    /// Writable: program-scope `__global` variables.
    pub globals: DataBlock,
}

/// Initial bytes of a buffer, and the addresses to patch into them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataBlock {
    /// The bytes; the buffer's size is their length.
    pub bytes: Vec<u8>,
    /// Its alignment in bytes.
    pub align: u32,
    /// Places that get the device address of a block plus what stands there already.
    pub relocations: Vec<Relocation>,
}

/// One address to patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relocation {
    /// Byte offset of the place.
    pub at: u64,
    /// Whether the address is that of the globals block (else the constants block).
    pub to_globals: bool,
    /// How many bytes the place has: 8, or 4 where addresses have 32 bits.
    #[serde(default = "eight")]
    pub bytes: u32,
}

fn eight() -> u32 {
    8
}

/// Something that a kernel has and its device has not, and that is made of other things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Emulated {
    /// 64-bit integers: pairs of words.
    Int64,
    /// 16-bit integers: computed with in 32 bits.
    Int16,
    /// 8-bit integers: computed with in 32 bits.
    Int8,
    /// 16-bit elements of buffers: parts of words, which stores change by atomics.
    Storage16,
    /// 8-bit elements of buffers: parts of words, which stores change by atomics.
    Storage8,
    /// Device addresses without 64-bit integers: pairs of words.
    Addresses,
    /// More buffers than the device binds, or pointers in memory without addresses: buffers share descriptors ([`Windows`]).
    Buffers,
    /// Storage images that leave their format open: the texels' bits ([`ImageView::bits`]).
    Texels,
}

impl Emulated {
    /// What it is made of, in words.
    #[must_use]
    pub fn told(self) -> &'static str {
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
    /// Descriptors of set 0, by binding number. In the address model images and samplers alone, and the block or a
    /// Uniform where it needs one.
    pub descriptors: Vec<DescriptorInfo>,
    /// What [`DescriptorSource::Sampler`] counts: the samplers that a VkSampler must be made for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samplers: Vec<SamplerUse>,
    /// `reqd_work_group_size`: the module's size is this, not specializable.
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// So many sub-groups a work-group must have (SPIR-V's SubgroupsPerWorkgroup).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_sub_groups: Option<u32>,
    /// So many work-items a sub-group must have (`intel_reqd_sub_group_size`, SPIR-V's SubgroupSize): the device's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_sub_group_size: Option<u32>,
    /// It has sub-groups: their size is the device's.
    #[serde(default)]
    pub has_sub_groups: bool,
    /// Its global ids have 64 bits: NDRanges may go beyond 2^32.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wide: bool,
    /// It takes its buffers, and images made of buffers, to be apart ([`LowerOptions::apart`](crate::LowerOptions)): a launch in which two
    /// share memory and one is written needs the kernel in another form.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// It takes the addresses that it is given to be the starts of what may be reached from them, and
    /// multiples of [`START_ALIGNMENT`](crate::target::START_ALIGNMENT): a launch with others needs a kernel that was lowered without
    /// [`TargetFeatures::buffers_below_4_gib`](crate::target::TargetFeatures).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aligned: bool,
    /// Specialization constant ids of the work-group size (x, y, z), unless it is required.
    pub work_group_size_ids: Option<[u32; 3]>,
    /// The specialization constant (a bool) to set where a buffer of the device crosses a multiple of 4 GiB: addresses are computed without
    /// a carry else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crossing_id: Option<u32>,
    /// Specialization constants that may be set to what a launch has in its argument block: the pipeline serves launches with the
    /// same alone, then. Where they are not set the block is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<ToldWord>,
    /// What it has that the device has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emulated: Vec<Emulated>,
    /// How it sees buffers, in the packed model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows: Option<Windows>,
    /// Bytes of `__local` variables, without `__local` arguments.
    pub local_memory_size: u32,
    /// Bytes of private memory that was not promoted, per work-item.
    pub private_memory_size: u32,
    /// Work-groups are launched with so many work-items at most, in one dimension, whatever their size: it goes through them in pieces. The size is told
    /// to it all the same, and work-groups are counted by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<u32>,
    /// Whether it contains a barrier.
    pub has_barrier: bool,
    /// Whether a work-item can tell how the NDRange is cut into work-groups: ids and sizes of work-groups and sub-groups,
    /// local memory, barriers, fences and atomics. If not, any work-group size gives the same.
    pub sees_work_groups: bool,
    /// Whether it says in its launch's buffer if the driver ended its loops before their time
    /// ([`Quirks::most_turns`](crate::Quirks::most_turns)): then its results are wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watches_loops: bool,
    /// Work-items whose loops the driver ended save what they go on with, each so many words and one more, in an area behind the launch's
    /// buffer ([`AREA_START`](crate::printf::AREA_START)): the kernel that is lowered with [`LowerOptions::resume`](crate::LowerOptions::resume)
    /// goes on, launched in the same work-groups until [`LOOPS_ENDED`](crate::printf::LOOPS_ENDED) stays 0. Where there is no area the launch
    /// fails as that of another kernel that watches its loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<u32>,
    /// Its loops may iterate more often than the driver lets them ([`Quirks::most_turns`](crate::Quirks::most_turns)) in launches of which this is
    /// unknown: such a launch needs the kernel as it is lowered with [`Iterations::Many`](crate::Iterations::Many).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Count>,
    /// What its printf calls write. Unless empty, a launch takes a buffer for them; see [`crate::printf`].
    #[serde(default, skip_serializing_if = "PrintfTable::is_empty")]
    pub printf: PrintfTable,
}

/// A word of the argument block that a pipeline may be told beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToldWord {
    /// The specialization constant.
    pub id: u32,
    /// The word: an image's format, a sampler, or where ids begin, of which 0 alone may be told.
    pub source: BlockSource,
}

impl ToldWord {
    /// What the constant is unless it is set: no format, no sampler, no number of a work-group.
    pub const NOT: u32 = u32::MAX;
}

impl KernelInfo {
    /// Whether a launch takes a buffer besides its arguments; see [`crate::printf`].
    #[must_use]
    pub fn takes_buffer(&self) -> bool {
        self.watches_loops || !self.printf.is_empty()
    }

    /// What to tell of a launch whose loops the driver ended ([`crate::printf::loops_were_ended`]).
    #[must_use]
    pub fn loops_ended(&self) -> String {
        Self::loops_ended_in(std::slice::from_ref(&self.name))
    }

    /// The same where it was one of several kernels.
    #[must_use]
    pub fn loops_ended_in(names: &[String]) -> String {
        format!(
            "kernel '{}': the driver ended loops of work-items that had gone round more often than it lets them (65,535 turns of \
             all their loops together on Mesa's llvmpipe before version 25), so the launch failed and what it wrote is wrong",
            names.join("' or '")
        )
    }
}

/// One kernel argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgInfo {
    /// Its name, where the module has it.
    pub name: String,
    /// Its type's name as written (`float4*`), where the module has it.
    pub type_name: String,
    /// `const`, `volatile`, `restrict` as in CL_KERNEL_ARG_TYPE_*.
    pub type_qualifiers: Vec<String>,
    /// What it is and where it goes.
    pub kind: ArgKind,
}

/// What an argument is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgKind {
    /// A `__global` or `__constant` pointer: a buffer, by descriptor or by address in the block.
    Buffer {
        /// `__constant` rather than `__global`.
        constant: bool,
        /// Whether the kernel may write through it.
        written: bool,
        /// Whether the kernel may read through it.
        read: bool,
        /// The descriptor's binding, in the descriptor model; `None` when unused or by address.
        binding: Option<u32>,
    },
    /// A `__local` pointer: its size is set before the pipeline is made.
    Local {
        /// The specialization constant that takes the size; `None` when the kernel never uses it.
        spec_id: Option<u32>,
        /// The constant counts in units of so many bytes, rounded up.
        unit: u32,
        /// Its alignment.
        align: u32,
    },
    /// A value, copied into the block.
    Value {
        /// Its size in bytes, as clSetKernelArg takes it.
        size: u32,
    },
    /// An image, by descriptors.
    Image(ImageArg),
    /// A sampler: 8 bytes as clSetKernelArg takes it. What the kernel needs of it is in the argument block
    /// ([`BlockSource::Sampler`]) and in [`KernelInfo::samplers`].
    Sampler,
}

/// An image argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageArg {
    /// Which images fit.
    pub shape: ImageShape,
    /// `read_only`, `write_only`, `read_write`.
    pub access: ImageAccess,
    /// The descriptors that the kernel uses of it, one for each way and class; none if it never reads or writes texels. A kernel
    /// may ask for several classes and choose by the channel type: what does not fit the format of the image at hand needs a
    /// valid descriptor of some image of the shape and class, whose texels nobody looks at.
    pub views: Vec<ImageView>,
}

/// What OpenCL C's type says of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageShape {
    /// How many dimensions.
    pub dim: ImageDim,
    /// An array of 1D or 2D images.
    pub arrayed: bool,
    /// A depth image: its texels are one float each, the first channel.
    pub depth: bool,
    /// With several samples in each texel.
    pub multisampled: bool,
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

/// What a kernel may do with an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum ImageAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// One descriptor of an image argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageView {
    /// The binding in set 0.
    pub binding: u32,
    /// How the kernel reaches the texels.
    pub way: ImageWay,
    /// As what it sees them.
    pub class: TexelClass,
    /// The level that a storage view is of. Of a level that the image lacks, nothing is written.
    #[serde(default)]
    pub level: u8,
    /// The view is of unsigned integers of the texel's size, whatever the image's format is: R8, R16, R32, RGBA16 or RGBA32. The kernel
    /// packs and unpacks the bits by [`BlockSource::ImageFormat`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bits: bool,
}

/// How a kernel reaches texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageWay {
    /// A sampled image: the view has the swizzle, and the sRGB format, that give OpenCL's channels.
    Sampled,
    /// A storage image: the identity swizzle. The kernel permutes channels and encodes sRGB by [`BlockSource::ImageFormat`].
    Storage,
    /// A uniform texel buffer. It has no swizzle: the kernel permutes.
    TexelSampled,
    /// A storage texel buffer. It has no swizzle: the kernel permutes.
    TexelStorage,
}

impl ImageWay {
    /// The type of its descriptors.
    pub fn descriptor(self) -> DescriptorKind {
        match self {
            ImageWay::Sampled => DescriptorKind::SampledImage,
            ImageWay::Storage => DescriptorKind::StorageImage,
            ImageWay::TexelSampled => DescriptorKind::UniformTexelBuffer,
            ImageWay::TexelStorage => DescriptorKind::StorageTexelBuffer,
        }
    }
}

/// What the channels of a texel are in a kernel.
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

/// A sampler that a VkSampler must be made for, because its filter may be linear: normalized coordinates (those that are
/// not are divided in the kernel), the addressing mode, the filter, no mip-maps unless the image has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplerUse {
    /// The binding in set 0.
    pub binding: u32,
    /// What it is like.
    pub of: SamplerOf,
}

/// Where a sampler comes from. Its bits are those of OpenCL C's literals: bit 0 is set for normalized coordinates, bits 1 to 3
/// are the addressing mode (0 none, 1 clamp to the edge, 2 clamp to the border, 3 repeat, 4 mirrored repeat), bits 4 and 5 the
/// filter (1 nearest, 2 linear).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplerOf {
    /// A sampler argument. One with a nearest filter needs a descriptor, too, which the kernel does not use then.
    Argument(u32),
    /// A sampler in the source.
    Literal(u32),
}

/// The bytes that a launch hands over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentBlock {
    /// Size in bytes, a multiple of 4; 0 when there is nothing to hand over.
    pub size: u32,
    /// Where it lies.
    pub place: BlockPlace,
    /// Its members, ascending by offset.
    pub members: Vec<BlockMember>,
}

/// Where the argument block lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockPlace {
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
    /// What to write there.
    pub source: BlockSource,
}

/// What a member of the argument block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockSource {
    /// A value argument's bytes.
    Argument(u32),
    /// The 64-bit device address of a buffer argument; 0 for a NULL buffer. On a device whose kernels have no addresses,
    /// a number that stands for one: below 2^32, and different for all bytes of all buffers. In the packed model this and the
    /// addresses below are places ([`Windows`]) of 32 bits.
    ArgumentAddress(u32),
    /// What to add to Vulkan's global invocation id in a dimension, 32 bits: the global offset plus the
    /// first work-group of this dispatch times the work-group size.
    GlobalIdBase(u32),
    /// The NDRange's global offset in a dimension, 32 bits.
    GlobalOffset(u32),
    /// The NDRange's global size in a dimension, 32 bits.
    GlobalSize(u32),
    /// The upper 32 bits of what global ids start from, where they have 64: see [`KernelInfo::wide`].
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
    /// What device addresses are more than the pointers that kernels keep, 64 bits
    /// ([`TargetFeatures::shared_base`](crate::target::TargetFeatures::shared_base)).
    SharedBase,
    /// The place at which a window begins, 32 bits; they ascend. `u32::MAX` for one that a launch has no use for ([`Windows`]).
    WindowStart(u32),
    /// The format of the image of an argument, 32 bits: the channel order in the low half (CL_R is 0x10B0), the channel data
    /// type in the high half (CL_SNORM_INT8 is 0x10D0).
    ImageFormat(u32),
    /// How many mip levels (low half) and samples (high half; at least 1) the image of an argument has, 32 bits.
    ImageLevels(u32),
    /// The size of the image of an argument in texels, 32 bits.
    ImageSize {
        /// The argument.
        arg: u32,
        /// 0 for the width; the height, depth and number of layers follow, those that the shape has (a 1D array has its layers
        /// at 1, a 2D array at 2).
        dim: u32,
    },
    /// The bits of a sampler argument (see [`SamplerOf`]), 32 bits.
    Sampler(u32),
}

impl BlockSource {
    /// Whether it is where ids begin: 0 in launches without a global offset that are one dispatch.
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
}

/// One descriptor of set 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescriptorInfo {
    /// The binding number.
    pub binding: u32,
    /// The descriptor type.
    pub kind: DescriptorKind,
    /// What to bind.
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

/// What a descriptor refers to.
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
    /// A sampler, by its place in [`KernelInfo::samplers`].
    Sampler(u32),
}
