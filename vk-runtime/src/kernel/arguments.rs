//! Kernel arguments: checked against the kernel, then written into the argument block.

use std::sync::Arc;

use lower::KernelInfo;
use lower::check::ArgumentFact;
use lower::kernel_info::{
    ArgInfo, ArgKind, BindingModel, BlockSource, DescriptorKind, DescriptorSource, SpecialisedWord,
};
use lower::target::{MAX_BUFFER_SIZE, START_ALIGNMENT, TargetLimits};
use smallvec::SmallVec;

use crate::device::logical::DeviceInner;
use crate::error::{RuntimeError, UserError};
use crate::image::resource_use::{Bytes, Resource, Use};
use crate::kernel::image_bindings::{Bindable, ImageValue};
use crate::kernel::ndrange::{Plan, Split};
use crate::kernel::packed_bindings::{self, Found, TooMany, Window};
use crate::kernel::program::{Blocks, KernelInner};
use crate::kernel::records;
use crate::memory::buffer::{Buffer, BufferInner};

/// One argument of one launch.
#[derive(Debug, Clone, Copy)]
pub enum ArgValue<'a> {
    /// A whole buffer, for a `__global` or `__constant` pointer.
    Buffer(&'a Buffer),
    /// Part of a buffer (a sub-buffer). In the descriptor model the offset must be a multiple of
    /// minStorageBufferOffsetAlignment.
    BufferRange {
        /// The buffer.
        buffer: &'a Buffer,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
    },
    /// A NULL pointer: address 0 in the address model; in the descriptor model a small dummy buffer that
    /// the kernel must not use.
    NullBuffer,
    /// The bytes of a value, of exactly its size (16 bytes for a 4-byte 3-vector).
    Value(&'a [u8]),
    /// An image.
    Image(ImageValue<'a>),
    /// A sampler: the bits of OpenCL C's literals (see [`SamplerSource`](lower::kernel_info::SamplerSource)).
    Sampler(u32),
    /// The size in bytes of a `__local` pointer's memory.
    Local(u64),
    /// After the kernel's own arguments, before [`ArgValue::Printf`]: facts about buffers, for a kernel that checks its accesses.
    Contents(&'a [ArgumentContent]),
    /// After the kernel's own arguments: the buffer for the text of its printf calls, with a header as
    /// [`lower::printf`] says. A kernel that prints or watches its loops needs one; another ignores it.
    Printf(&'a Buffer),
    /// A device address (of shared virtual memory, or from [`Buffer::device_address`]) for a buffer argument in the
    /// address model. The caller keeps the memory there alive, and to name in
    /// [`DispatchExtras`](crate::DispatchExtras): a launch that names nothing is ordered as if it touched anything.
    Address(Pointer),
}

/// The facts about an argument's buffer, for a kernel that checks its accesses ([`BlockSource::ArgumentContent`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgumentContent {
    /// The argument.
    pub arg: u32,
    /// Where the record of what was written begins in the printf buffer: a byte of ones for each byte of the argument. 0 if there is none.
    pub start: u64,
    /// Kernels may not read the buffer.
    pub unreadable: bool,
    /// Kernels may not write it.
    pub unwritable: bool,
}

impl ArgumentContent {
    /// Returns whether it has a fact.
    pub(crate) fn tells(&self, fact: ArgumentFact) -> bool {
        match fact {
            ArgumentFact::Record(arg) => arg == self.arg && self.start != 0,
            ArgumentFact::Flags(arg) => arg == self.arg && (self.unreadable || self.unwritable),
            ArgumentFact::Cells(_) => false,
        }
    }

    /// The word that kernels get.
    fn word(&self) -> u64 {
        self.start | u64::from(self.unreadable) << 62 | u64::from(self.unwritable) << 63
    }
}

/// A device address, and what is known of the memory there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// The address.
    pub address: u64,
    /// The bytes of its memory before it, and all of them. Kernels that check their accesses need it.
    pub memory: Option<(u64, u64)>,
}

impl Pointer {
    /// The memory of a pointer of which nothing is known: it has all bytes around it.
    const ANYWHERE: (u64, u64) = (1 << 62, 1 << 63);

    /// The bytes of the memory.
    pub(crate) fn memory_size(&self) -> u64 {
        if self.address == 0 { 0 } else { self.memory.unwrap_or(Self::ANYWHERE).1 }
    }
}

impl From<u64> for Pointer {
    fn from(address: u64) -> Self {
        Pointer { address, memory: None }
    }
}

/// An argument that was checked.
#[derive(Clone, Copy)]
pub(crate) enum Bound<'a> {
    Buffer(Range<'a>),
    Null,
    Address(Pointer),
    Value(&'a [u8]),
    Image(ImageValue<'a>),
    Sampler(u32),
    /// `__local` memory of so many bytes. Its specialization constant, where the kernel has one, is apart.
    Local(u64),
}

/// Part of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Range<'a> {
    pub(crate) buffer: &'a Arc<BufferInner>,
    pub(crate) offset: u64,
    /// Bytes to bind: as asked for, rounded up to whole words.
    pub(crate) size: u64,
    /// Bytes as asked for.
    pub(crate) asked: u64,
}

impl<'a> Range<'a> {
    /// Bytes of the buffer.
    pub(crate) fn new(buffer: &'a Arc<BufferInner>, offset: u64, size: u64) -> Self {
        Range { buffer, offset, size: size.next_multiple_of(4).min(buffer.bound_size - offset), asked: size }
    }

    /// Returns what a kernel does that reads or writes it.
    pub(crate) fn used(&self, read: bool, write: bool) -> Use<'a> {
        // Sub-word stores touch the whole word.
        let (start, end) = (self.offset / 4 * 4, (self.offset + self.size).next_multiple_of(4));
        let bytes = Bytes { buffer: self.buffer, start, end };
        Use { resource: Resource::Buffer(bytes), read, write }
    }
}

/// Returns what descriptors of a kind demand: the largest range, the offset's alignment, and the range's limit by name.
pub(crate) fn demands(kind: DescriptorKind, limits: &TargetLimits) -> (u64, u64, &'static str) {
    match kind {
        DescriptorKind::StorageBuffer => (
            limits.max_storage_buffer_range,
            limits.min_storage_buffer_offset_alignment.max(1),
            "maxStorageBufferRange",
        ),
        DescriptorKind::UniformBuffer => (
            limits.max_uniform_buffer_range,
            limits.min_uniform_buffer_offset_alignment.max(1),
            "maxUniformBufferRange",
        ),
        // These bind no range of a buffer.
        DescriptorKind::SampledImage
        | DescriptorKind::StorageImage
        | DescriptorKind::UniformTexelBuffer
        | DescriptorKind::StorageTexelBuffer
        | DescriptorKind::Sampler => (u64::MAX, 1, ""),
    }
}

/// All arguments of a launch.
pub(crate) struct BoundArgs<'a> {
    pub(crate) args: SmallVec<[Bound<'a>; 8]>,
    pub(crate) local_args: SmallVec<[u32; 2]>,
    /// The `__local` arguments that have records, and where these begin.
    pub(crate) local_records: SmallVec<[(u32, u64); 2]>,
    /// Views and samplers, by the bindings of their descriptors.
    pub(crate) views: SmallVec<[(u32, Bindable); 4]>,
    pub(crate) blocks: &'a Blocks,
    /// The device's word for sequential consistency. It orders kernels that run at once: no launch waits for another because of it.
    pub(crate) sequence: Option<&'a Buffer>,
    /// The printf buffer, where the kernel prints.
    pub(crate) printf: Option<&'a Buffer>,
    /// The facts about the arguments' buffers.
    pub(crate) contents: &'a [ArgumentContent],
    /// The buffers that a kernel of the packed model sees, ascending by their places.
    pub(crate) windows: SmallVec<[Window; 1]>,
    /// Why it has none: there would be too many.
    pub(crate) too_many: Option<Box<TooMany>>,
}

impl<'a> BoundArgs<'a> {
    /// Makes `__local` arguments larger, so that their records have room behind them, while local memory has it.
    fn add_local_records(&mut self, info: &KernelInfo, local_bytes: &mut u64, max: u64) {
        let mut nth = 0;
        for (n, (arg, value)) in info.args.iter().zip(&self.args).enumerate() {
            let (ArgKind::Local { spec_id: Some(_), unit, .. }, Bound::Local(size)) = (&arg.kind, value)
            else {
                continue;
            };
            let room = max.saturating_sub(*local_bytes);
            if let Some((end, start)) = records::local(info, n as u32, *size, room) {
                let units = end.div_ceil(u64::from((*unit).max(1)));
                self.local_args[nth] = u32::try_from(units).unwrap_or(u32::MAX);
                self.local_records.push((n as u32, start));
                *local_bytes = local_bytes.saturating_add(end - size);
            }
            nth += 1;
        }
    }

    /// Checks an argument and notes what it needs besides; `local_bytes` grows by its local memory.
    fn one(
        &mut self,
        kernel: &'a KernelInner,
        (index, arg): (usize, &'a ArgInfo),
        value: ArgValue<'a>,
        local_bytes: &mut u64,
    ) -> Result<Bound<'a>, RuntimeError> {
        let (info, device) = (&kernel.info, kernel.device());
        let fail = |what: UserError, text: String| {
            let name = if arg.name.is_empty() { String::new() } else { format!(" '{}'", arg.name) };
            Err(RuntimeError::user(what, format!("kernel '{}', argument {index}{name}: {text}", info.name)))
        };
        let entry = match (&arg.kind, value) {
            (ArgKind::Buffer { .. }, ArgValue::Buffer(b)) => Bound::Buffer(Range {
                buffer: &b.inner,
                offset: 0,
                size: b.inner.bound_size,
                asked: b.inner.size,
            }),
            (ArgKind::Buffer { .. }, ArgValue::BufferRange { buffer, offset, size }) => {
                let b = &buffer.inner;
                if offset.checked_add(size).is_none_or(|end| end > b.size) {
                    b.check_range(&format!("kernel '{}', argument {index}", info.name), offset, size)?;
                }
                if size == 0 {
                    return fail(UserError::InvalidArgValue, "an empty range of a buffer".to_owned());
                }
                Bound::Buffer(Range::new(b, offset, size))
            }
            (ArgKind::Buffer { .. }, ArgValue::NullBuffer) => Bound::Null,
            (ArgKind::Buffer { .. }, ArgValue::Address(pointer)) => {
                if info.binding_model != BindingModel::Address {
                    return Err(RuntimeError::unsupported(format!(
                        "kernel '{}', argument {index}: a device address needs the address binding model",
                        info.name
                    )));
                }
                Bound::Address(pointer)
            }
            (ArgKind::Buffer { .. }, _) => {
                return fail(UserError::InvalidArgValue, "a buffer is needed".to_owned());
            }
            (ArgKind::Value { size }, ArgValue::Value(bytes)) => {
                if bytes.len() != *size as usize {
                    let text = format!("a value of {size} bytes is needed, {} are given", bytes.len());
                    return fail(UserError::InvalidArgSize, text);
                }
                Bound::Value(bytes)
            }
            (ArgKind::Value { .. }, _) => {
                return fail(UserError::InvalidArgValue, "a value is needed".to_owned());
            }
            (ArgKind::Local { spec_id, unit, align }, ArgValue::Local(bytes)) => {
                let unit = u64::from((*unit).max(1));
                // None may be asked for (OpenCL 3.1); Vulkan has no empty arrays.
                let units = bytes.div_ceil(unit).max(1);
                if spec_id.is_some() {
                    let align = u64::from((*align).max(1));
                    let total = units.checked_mul(unit).and_then(|b| b.checked_next_multiple_of(align));
                    *local_bytes = total.and_then(|b| b.checked_add(*local_bytes)).unwrap_or(u64::MAX);
                    self.local_args.push(u32::try_from(units).unwrap_or(u32::MAX));
                }
                Bound::Local(bytes)
            }
            (ArgKind::Local { .. }, _) => {
                return fail(UserError::InvalidArgValue, "the size of its local memory is needed".to_owned());
            }
            (ArgKind::Image(image), ArgValue::Image(value)) => {
                if !Arc::ptr_eq(value.device(), device) {
                    return fail(UserError::InvalidContext, "an image of another device".to_owned());
                }
                value.check(image)?;
                for view in &image.views {
                    self.views.push((view.binding, value.view(kernel, image, view)?));
                }
                Bound::Image(value)
            }
            (ArgKind::Image(_), _) => {
                return fail(UserError::InvalidArgValue, "an image is needed".to_owned());
            }
            (ArgKind::Sampler, ArgValue::Sampler(bits)) => Bound::Sampler(bits),
            (ArgKind::Sampler, _) => {
                return fail(UserError::InvalidArgValue, "a sampler is needed".to_owned());
            }
        };
        if let Bound::Buffer(range) = &entry
            && !Arc::ptr_eq(&range.buffer.device, device)
        {
            return fail(UserError::InvalidContext, "a buffer of another device".to_owned());
        }
        Ok(entry)
    }
}

/// Checks arguments against a kernel. One that has [too many](BoundArgs::too_many) windows cannot be launched with them.
pub(crate) fn bind<'a>(
    kernel: &'a KernelInner,
    args: &[ArgValue<'a>],
) -> Result<BoundArgs<'a>, RuntimeError> {
    let info = &kernel.info;
    let device = kernel.device();
    let (args, printf) = printf_buffer(kernel, args)?;
    let (args, contents) = match args {
        [own @ .., ArgValue::Contents(contents)] => (own, *contents),
        own => (own, [].as_slice()),
    };
    if args.len() != info.args.len() {
        return Err(RuntimeError::user(
            UserError::InvalidKernelArgs,
            format!("kernel '{}' takes {} arguments, {} are given", info.name, info.args.len(), args.len()),
        ));
    }
    let mut bound = BoundArgs {
        args: SmallVec::with_capacity(args.len()),
        local_args: SmallVec::new(),
        local_records: SmallVec::new(),
        views: SmallVec::new(),
        blocks: kernel.program.load()?,
        sequence: if kernel.sequenced { Some(kernel.program.sequence()?) } else { None },
        printf,
        contents,
        windows: SmallVec::new(),
        too_many: None,
    };
    let mut local_bytes = u64::from(info.local_memory_size);
    for (arg, value) in info.args.iter().enumerate().zip(args) {
        let entry = bound.one(kernel, arg, *value, &mut local_bytes)?;
        bound.args.push(entry);
    }
    for sampler in &info.samplers {
        let bits = |index: u32| match bound.args.get(index as usize) {
            Some(Bound::Sampler(bits)) => Some(*bits),
            _ => None,
        };
        let found = kernel.sampler(sampler.source, bits)?;
        bound.views.push((sampler.binding, found));
    }
    let max = device.target.limits.max_compute_shared_memory_size;
    if !info.printf.checks.cells.is_empty() {
        bound.add_local_records(info, &mut local_bytes, max.into());
    }
    if local_bytes > u64::from(max) {
        return Err(RuntimeError::user(
            UserError::OutOfResources,
            format!(
                "kernel '{}' would use {local_bytes} bytes of local memory, the device has {max}",
                info.name
            ),
        ));
    }
    check_descriptors(info, &bound, device)?;
    match &info.windows {
        Some(windows) => match packed_bindings::find(kernel, &bound, windows)? {
            Found::Windows(windows) => bound.windows = windows,
            Found::TooMany(excess) => bound.too_many = Some(excess),
        },
        None => packed_bindings::note_addresses(kernel, &bound),
    }
    Ok(bound)
}

/// Takes the printf buffer off the end of the arguments.
fn printf_buffer<'a, 'b>(
    kernel: &KernelInner,
    args: &'b [ArgValue<'a>],
) -> Result<(&'b [ArgValue<'a>], Option<&'a Buffer>), RuntimeError> {
    let info = &kernel.info;
    let fail = |text: &str| {
        Err(RuntimeError::user(UserError::InvalidKernelArgs, format!("kernel '{}' {text}", info.name)))
    };
    match args {
        [own @ .., ArgValue::Printf(_)] if !info.takes_buffer() => Ok((own, None)),
        [own @ .., ArgValue::Printf(buffer)] => {
            if !Arc::ptr_eq(&buffer.inner.device, kernel.device()) {
                return fail("is given a printf buffer of another device");
            }
            if buffer.inner.size < 4 * lower::printf::HEADER_WORDS as u64 {
                return fail("is given a printf buffer that is too small");
            }
            Ok((own, Some(*buffer)))
        }
        _ if info.takes_buffer() => fail("prints or watches its loops, and is given no printf buffer"),
        _ => Ok((args, None)),
    }
}

/// Ranges and alignments that the descriptors demand.
fn check_descriptors(
    info: &KernelInfo,
    bound: &BoundArgs<'_>,
    device: &DeviceInner,
) -> Result<(), RuntimeError> {
    let limits: &TargetLimits = &device.target.limits;
    for descriptor in &info.descriptors {
        let DescriptorSource::Argument(index) = descriptor.source else { continue };
        let Some(Bound::Buffer(range)) = bound.args.get(index as usize) else { continue };
        let (max, align, name) = demands(descriptor.kind, limits);
        if range.size > max {
            return Err(RuntimeError::unsupported(format!(
                "kernel '{}', argument {index}: {} bytes, but the device '{}' binds {max} ({name}); \
                 the address binding model has no such limit",
                info.name, range.size, device.target.name
            )));
        }
        if !range.offset.is_multiple_of(align) {
            return Err(RuntimeError::user(
                UserError::InvalidValue,
                format!(
                    "kernel '{}', argument {index}: a range from offset {}, which must be a multiple of {align}",
                    info.name, range.offset
                ),
            ));
        }
    }
    Ok(())
}

impl BoundArgs<'_> {
    /// Returns what the launch does to memory, as far as its arguments and the program's data say, and which argument says so.
    pub(crate) fn uses<'b>(&'b self, kernel: &KernelInner) -> SmallVec<[(Option<u32>, Use<'b>); 8]> {
        let mut out = SmallVec::new();
        for (index, (arg, bound)) in (0..).zip(kernel.info.args.iter().zip(&self.args)) {
            match (&arg.kind, bound) {
                (ArgKind::Buffer { read, written, .. }, Bound::Buffer(range)) => {
                    out.push((Some(index), range.used(*read, *written)));
                }
                (ArgKind::Image(image), Bound::Image(value)) => {
                    out.extend(value.used(image).map(|used| (Some(index), used)));
                }
                _ => {}
            }
        }
        let (constants, globals) = kernel.program_data_used;
        for (buffer, used, write) in [
            (&self.blocks.constants, constants, false),
            // Constants may hold pointers to globals.
            (&self.blocks.globals, globals || constants, true),
        ] {
            if let Some(buffer) = buffer.as_ref().filter(|_| used) {
                let b = &buffer.inner;
                out.push((None, Use { resource: Resource::whole(b), read: true, write }));
            }
        }
        // Its increments order themselves: to launches it is something that was written once, so that they may run at the same time.
        if let Some(Buffer { inner: b }) = self.sequence {
            out.push((None, Use { resource: Resource::whole(b), read: true, write: false }));
        }
        if let Some(Buffer { inner: b }) = self.printf {
            out.push((None, Use { resource: Resource::whole(b), read: true, write: true }));
        }
        out
    }

    /// The words for which a pipeline can be specialised, of a launch or a part of it whose ids begin at 0 and which is not cut off, or
    /// another.
    pub(crate) fn specialised(
        &self,
        info: &KernelInfo,
        usual: bool,
    ) -> Result<SmallVec<[u32; 2]>, RuntimeError> {
        let word = |word: &SpecialisedWord| match word.source {
            source if source.is_usually_zero() => Ok(if usual { 0 } else { SpecialisedWord::UNSET }),
            BlockSource::ImageFormat(index) => match self.args.get(index as usize) {
                Some(Bound::Image(image)) => Ok(image.look.word),
                _ => Err(RuntimeError::bug("a word of an image argument that is none")),
            },
            BlockSource::Sampler(index) => match self.args.get(index as usize) {
                Some(Bound::Sampler(bits)) => Ok(*bits),
                _ => Err(RuntimeError::bug("a word of a sampler argument that is none")),
            },
            _ => Err(RuntimeError::bug("a specialised word that is no image, sampler or start")),
        };
        info.specialised.iter().map(word).collect()
    }

    /// The view or sampler for a binding.
    pub(crate) fn view(&self, binding: u32) -> Option<Bindable> {
        self.views.iter().find(|(b, _)| *b == binding).map(|(_, found)| *found)
    }

    /// Returns whether memory is reached by the caller's addresses.
    pub(crate) fn has_addresses(&self) -> bool {
        self.args.iter().any(|a| matches!(a, Bound::Address(_)))
    }
}

/// Returns whether the kernel uses the program's constants and globals blocks.
pub(crate) fn program_data_used(info: &KernelInfo) -> (bool, bool) {
    let block = |source| info.block.members.iter().any(|m| m.source == source);
    let bound = |source| info.descriptors.iter().any(|d| d.source == source);
    (block(BlockSource::ConstantsAddress) || bound(DescriptorSource::Constants), info.uses_globals())
}

/// Returns whether the kernel has the device's word for sequential consistency.
pub(crate) fn sequenced(info: &KernelInfo) -> bool {
    info.block.members.iter().any(|m| m.source == BlockSource::SequenceAddress)
        || info.descriptors.iter().any(|d| d.source == DescriptorSource::Sequence)
}

/// The argument block of one dispatch.
pub(crate) fn assemble(
    kernel: &KernelInner,
    bound: &BoundArgs<'_>,
    plan: &Plan,
    split: &Split,
) -> Result<SmallVec<[u8; 128]>, RuntimeError> {
    let info = &kernel.info;
    let args = &bound.args;
    let bug = |what: &str| RuntimeError::bug(format!("kernel '{}': {what}", info.name));
    let image = |index: u32| match args.get(index as usize) {
        Some(Bound::Image(value)) => Ok(value),
        _ => Err(bug("a member for an image argument that is none")),
    };
    let mut block: SmallVec<[u8; 128]> = smallvec::smallvec![0; info.block.size as usize];
    for member in &info.block.members {
        let start = member.offset as usize;
        let place = block
            .get_mut(start..start + member.size as usize)
            .ok_or_else(|| bug("a member outside the block"))?;
        let by_dim = |values: &[u32; 3], d: u32| {
            values.get(d as usize).map(|v| u64::from(*v)).ok_or_else(|| bug("a dimension above 2"))
        };
        let wide_by_dim = |values: &[u64; 3], d: u32| {
            values.get(d as usize).copied().ok_or_else(|| bug("a dimension above 2"))
        };
        let first_id = |d: u32| -> Result<u64, RuntimeError> {
            let first = by_dim(&split.base, d)? * by_dim(&plan.local, d)?;
            Ok(wide_by_dim(&plan.offset, d)? + wide_by_dim(&plan.start(), d)? + first)
        };
        let value = match member.source {
            BlockSource::Argument(index) => {
                let Some(Bound::Value(bytes)) = args.get(index as usize) else {
                    return Err(bug("a member for a value argument that is none"));
                };
                let n = bytes.len().min(place.len());
                place[..n].copy_from_slice(&bytes[..n]);
                continue;
            }
            BlockSource::ArgumentAddress(index) => match args.get(index as usize) {
                Some(Bound::Buffer(range)) => range.buffer.kernel_address()? + range.offset,
                Some(Bound::Null) => 0,
                Some(Bound::Address(pointer)) => pointer.address,
                _ => return Err(bug("a member for a buffer argument that is none")),
            },
            BlockSource::GlobalIdBase(d) => first_id(d)?,
            BlockSource::GlobalOffset(d) => wide_by_dim(&plan.offset, d)?,
            BlockSource::GlobalSize(d) => wide_by_dim(&plan.global, d)?,
            BlockSource::GlobalIdBaseHigh(d) => first_id(d)? >> 32,
            BlockSource::GlobalOffsetHigh(d) => wide_by_dim(&plan.offset, d)? >> 32,
            BlockSource::GlobalSizeHigh(d) => wide_by_dim(&plan.global, d)? >> 32,
            BlockSource::NumGroups(d) => by_dim(&plan.all_groups(), d)?,
            BlockSource::GroupBase(d) => by_dim(&split.base, d)? + by_dim(&plan.first, d)?,
            BlockSource::EnqueuedLocalSize(d) => by_dim(&plan.enqueued, d)?,
            BlockSource::DispatchSize(d @ 0..3) => plan.dispatch_size(split, d as usize),
            BlockSource::DispatchSize(_) => return Err(bug("a dimension above 2")),
            BlockSource::WorkDim => u64::from(plan.work_dim),
            BlockSource::ConstantsAddress => data_address(bound.blocks.constants.as_ref())?,
            BlockSource::GlobalsAddress => data_address(bound.blocks.globals.as_ref())?,
            BlockSource::PrintfAddress => data_address(bound.printf)?,
            BlockSource::SequenceAddress => data_address(bound.sequence)?,
            BlockSource::SharedBase => crate::memory::svm::base(kernel.device()),
            BlockSource::WindowStart(n) => packed_bindings::start(&bound.windows, n).into(),
            BlockSource::ImageFormat(index) => image(index)?.look.word.into(),
            BlockSource::ImageLevels(index) => image(index)?.levels().into(),
            BlockSource::ImageSize { arg, dim } => image(arg)?.size(dim).into(),
            BlockSource::ArgumentSize(index) | BlockSource::ArgumentBefore(index) => {
                let (before, size) = args
                    .get(index as usize)
                    .and_then(memory_at)
                    .ok_or_else(|| bug("a member for a pointer argument that is none"))?;
                if matches!(member.source, BlockSource::ArgumentSize(_)) { size } else { before }
            }
            BlockSource::ArgumentShadow(index) => records::start(bound, info, plan.global, index),
            BlockSource::ArgumentContent(index) => {
                bound.contents.iter().find(|of| of.arg == index).map_or(0, ArgumentContent::word)
            }
            BlockSource::Sampler(index) => match args.get(index as usize) {
                Some(Bound::Sampler(bits)) => u64::from(*bits),
                _ => return Err(bug("a member for a sampler argument that is none")),
            },
        };
        let starts = matches!(
            member.source,
            BlockSource::ArgumentAddress(_)
                | BlockSource::ConstantsAddress
                | BlockSource::GlobalsAddress
                | BlockSource::PrintfAddress
        );
        let size = match member.source {
            BlockSource::ArgumentAddress(index) => match args.get(index as usize) {
                Some(Bound::Buffer(range)) => range.asked,
                _ => 0,
            },
            _ => 0,
        };
        if starts && info.aligned && !takes(value, size) {
            return Err(bug(
                "it was lowered for starts of buffers that are aligned and below 4 GiB, and is launched with another",
            ));
        }
        let n = place.len().min(8);
        place[..n].copy_from_slice(&value.to_le_bytes()[..n]);
    }
    Ok(block)
}

/// Returns whether a buffer may start there and have this size for kernels that ask ([`lower::kernel_info::KernelInfo::aligned`]).
pub(crate) fn takes(address: u64, size: u64) -> bool {
    is_aligned(address) && size <= MAX_BUFFER_SIZE
}

/// Returns whether the start of a buffer may be there for kernels that ask ([`lower::kernel_info::KernelInfo::aligned`]).
pub fn is_aligned(address: u64) -> bool {
    address.is_multiple_of(START_ALIGNMENT.into())
}

/// The bytes of an argument's memory before the place that the argument names, and all of them.
fn memory_at(bound: &Bound<'_>) -> Option<(u64, u64)> {
    match bound {
        Bound::Buffer(range) => Some((0, range.asked)),
        Bound::Null | Bound::Address(Pointer { address: 0, .. }) => Some((0, 0)),
        Bound::Address(pointer) => Some(pointer.memory.unwrap_or(Pointer::ANYWHERE)),
        Bound::Local(bytes) => Some((0, *bytes)),
        Bound::Value(_) | Bound::Image(_) | Bound::Sampler(_) => None,
    }
}

fn data_address(buffer: Option<&Buffer>) -> Result<u64, RuntimeError> {
    buffer.map_or(Ok(0), |b| b.inner.kernel_address())
}
