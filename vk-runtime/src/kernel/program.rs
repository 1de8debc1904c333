//! Programs and kernels: modules, layouts, program data, pipelines.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use timeline::sync::Mutex;

use ash::vk;
use lower::check::ArgumentFact;
use lower::kernel_info::{ArgKind, BlockLocation, DataBlock, DescriptorKind, ProgramData};
use lower::{KernelInfo, Lowered};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::device::logical::{Device, DeviceInner};
use crate::device::retained::Retained;
use crate::error::{Call, RuntimeError, UserError};
use crate::kernel::arguments::{ArgumentContent, program_data_used, sequenced};
use crate::kernel::descriptor_counts::Room;
use crate::kernel::image_bindings::{StandIn, StandInKey};
use crate::kernel::ndrange::{NdRange, Plan, Wishes};
use crate::kernel::pipeline_cache::{PipelineCache, explained};
use crate::kernel::speed::Speed;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Buffer;
use timeline::PerStream;

/// This many different sizes of local arguments get pipelines of exactly their sizes; further ones are rounded up.
const EXACT_SIZES: usize = 3;
/// A kernel that is launched with images of more formats, or more samplers, has one pipeline for the rest.
const EXACT_WORDS: usize = 4;
/// Work-groups of so many work-items fill the sub-groups of every device.
const FULL: u32 = 64;
/// A driver that takes longer for a pipeline is spared another size of the same kernel.
const LONG: Duration = Duration::from_secs(2);

/// A lowered program on a device. Cheap to clone.
#[derive(Clone)]
pub struct Program {
    inner: Arc<ProgramInner>,
}

pub(crate) struct ProgramInner {
    module: vk::ShaderModule,
    /// The module's words, where the driver's compiler may die of them.
    words: Option<Box<[u32]>>,
    /// Its arguments then.
    second: Mutex<Option<vk::ShaderModule>>,
    infos: Vec<KernelInfo>,
    data: ProgramData,
    /// Made at the first launch. The lock is held while they are.
    blocks: OnceLock<Blocks>,
    loading: Mutex<()>,
    /// True if it has initialisers.
    initializes: bool,
    /// True once they have run. The lock is held while they do.
    initialized: Mutex<bool>,
    /// The device's word for sequential consistency, from the first launch of a kernel that has it.
    sequence: OnceLock<Buffer>,
    /// The program whose data this one uses, where it is the same program lowered another way.
    beside: Option<Arc<ProgramInner>>,
    kernels: Mutex<HashMap<String, Weak<KernelInner>>>,
    device: Arc<DeviceInner>,
}

/// A program's data in device memory.
#[derive(Default)]
pub(crate) struct Blocks {
    pub(crate) constants: Option<Buffer>,
    pub(crate) globals: Option<Buffer>,
}

/// A kernel of a [`Program`]. Cheap to clone.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) inner: Arc<KernelInner>,
}

pub(crate) struct KernelInner {
    pub(crate) info: KernelInfo,
    pub(crate) entry: CString,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) pipelines: Mutex<HashMap<PipelineKey, Arc<PipelineSlot>, FxBuildHasher>>,
    /// True if it uses the program's constants and globals blocks.
    pub(crate) program_data_used: (bool, bool),
    /// True if it increments the device's word for sequential consistency.
    pub(crate) sequenced: bool,
    kept_by: PerStream,
    /// True if a pipeline of it took the driver long.
    pub(crate) costly: AtomicBool,
    /// [`KernelInfo::guarded`].
    pub(crate) guarded: [bool; 3],
    pub(crate) speed: Speed,
    /// Sizes of the local arguments that were asked for, up to EXACT_SIZES.
    local_sizes: Mutex<Vec<SmallVec<[u32; 2]>>>,
    /// The words that pipelines are specialised for, up to EXACT_WORDS of them.
    specialised: Mutex<Vec<SmallVec<[u32; 2]>>>,
    /// Views that are bound if one does not fit an image.
    pub(crate) stand_ins: Mutex<Vec<(StandInKey, StandIn)>>,
    /// The descriptors that a set of it takes from a pool.
    pub(crate) room: Room,
    pub(crate) program: Arc<ProgramInner>,
}

/// The values by which a pipeline is specialised.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    pub(crate) local_size: [u32; 3],
    /// The specialization constants of the local arguments, in the order of the arguments.
    pub(crate) local_args: SmallVec<[u32; 2]>,
    /// The specialization constant for buffers that cross multiples of 4 GiB, where the kernel asks.
    pub(crate) crosses: bool,
    /// The one for launches with several windows, where the kernel asks.
    pub(crate) several: bool,
    /// Those for launches that tell of the contents of buffers, where the kernel asks.
    pub(crate) contents: SmallVec<[ArgumentFact; 2]>,
    /// The words of the launches that it serves ([`KernelInfo::specialised`]); empty for any launch.
    pub(crate) specialised: SmallVec<[u32; 2]>,
}

/// A compute pipeline.
pub(crate) struct Pipeline {
    pub(crate) raw: vk::Pipeline,
    /// True if it was made for buffers that cross multiples of 4 GiB.
    crosses: bool,
    kept_by: PerStream,
    device: Arc<DeviceInner>,
}

/// A pipeline's place: its lock is held while it is made, so that others can be used and made meanwhile.
#[derive(Default)]
pub(crate) struct PipelineSlot {
    pipeline: OnceLock<Arc<Pipeline>>,
    making: Mutex<()>,
    /// This many launches used another pipeline in place of it.
    pub(crate) wished: AtomicU32,
}

impl PipelineSlot {
    /// Returns whether the pipeline was made.
    pub(crate) fn is_made(&self) -> bool {
        self.pipeline.get().is_some()
    }

    /// The pipeline, if it was made.
    pub(crate) fn made(&self) -> Option<Arc<Pipeline>> {
        self.pipeline.get().cloned()
    }
}

impl Retained for KernelInner {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        self.kept_by.stream(stream)
    }
}

impl Retained for Pipeline {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        self.kept_by.stream(stream)
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("kernels", &self.kernel_names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("name", &self.inner.info.name).finish_non_exhaustive()
    }
}

impl Program {
    pub(crate) fn new(
        device: &Device,
        lowered: &Lowered,
        beside: Option<&Program>,
    ) -> Result<Self, RuntimeError> {
        if beside.is_some_and(|p| p.inner.data != lowered.program_data) {
            return Err(RuntimeError::bug("two lowerings of one program differ in their data"));
        }
        for info in &lowered.kernels {
            check(info, &device.inner)?;
        }
        let info = vk::ShaderModuleCreateInfo::default().code(&lowered.spirv);
        // SAFETY: the device is alive; the module was validated by lower's tests or spirv-val, as Vulkan demands.
        let module =
            unsafe { device.inner.raw.create_shader_module(&info, None) }.call("vkCreateShaderModule")?;
        device.inner.name(module, "pumice program");
        let guarded = device.inner.workarounds.compiler_may_crash || device.inner.modes.guard_compiler;
        let inner = ProgramInner {
            module,
            words: guarded.then(|| lowered.spirv.as_slice().into()),
            second: Mutex::default(),
            infos: lowered.kernels.clone(),
            data: lowered.program_data.clone(),
            blocks: OnceLock::new(),
            loading: Mutex::new(()),
            initializes: lowered.kernels.iter().any(KernelInfo::is_initializer),
            initialized: Mutex::new(false),
            sequence: OnceLock::new(),
            beside: beside.map(|p| p.inner.clone()),
            kernels: Mutex::default(),
            device: device.inner.clone(),
        };
        Ok(Program { inner: Arc::new(inner) })
    }

    /// The kernels' names, in the order of the source.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.inner.infos.iter().map(|i| i.name.as_str())
    }

    /// A kernel by its name. Pipelines are made at the first launch with each work-group size, and shared by all
    /// handles of one kernel.
    ///
    /// # Errors
    /// User (InvalidKernelName) when the program has none of this name, with the names that it has; Driver
    /// when Vulkan fails.
    pub fn kernel(&self, name: &str) -> Result<Kernel, RuntimeError> {
        let mut kernels = self.inner.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = kernels.get(name).and_then(Weak::upgrade) {
            return Ok(Kernel { inner });
        }
        let Some(info) = self.inner.infos.iter().find(|i| i.name == name) else {
            let names: Vec<&str> = self.kernel_names().collect();
            return Err(RuntimeError::user(
                UserError::InvalidKernelName,
                format!("no kernel '{name}' in the program; it has: {}", names.join(", ")),
            ));
        };
        let inner = Arc::new(KernelInner::new(&self.inner, info)?);
        kernels.insert(name.to_owned(), Arc::downgrade(&inner));
        Ok(Kernel { inner })
    }
}

impl ProgramInner {
    /// Runs `run` with each kernel that gives objects of the program their values, once for all lowerings of the program.
    ///
    /// # Errors
    /// Those of `run`.
    pub(crate) fn initialize(
        self: &Arc<Self>,
        mut run: impl FnMut(&Kernel) -> Result<(), RuntimeError>,
    ) -> Result<(), RuntimeError> {
        if let Some(other) = &self.beside {
            return other.initialize(run);
        }
        if !self.initializes {
            return Ok(());
        }
        let mut done = self.initialized.lock().unwrap_or_else(PoisonError::into_inner);
        if *done {
            return Ok(());
        }
        for info in self.infos.iter().filter(|info| info.is_initializer()) {
            run(&Kernel { inner: Arc::new(KernelInner::new(self, info)?) })?;
        }
        *done = true;
        Ok(())
    }

    /// The device's word for sequential consistency.
    pub(crate) fn sequence(&self) -> Result<&Buffer, RuntimeError> {
        if let Some(word) = self.sequence.get() {
            return Ok(word);
        }
        let word = self.device.sequence()?;
        Ok(self.sequence.get_or_init(|| word))
    }

    /// The program's data, loaded into device memory when it is first asked for (OpenCL C specification: program-scope
    /// variables are initialised once, before their first use).
    pub(crate) fn load(&self) -> Result<&Blocks, RuntimeError> {
        if let Some(other) = &self.beside {
            return other.load();
        }
        if let Some(blocks) = self.blocks.get() {
            return Ok(blocks);
        }
        let guard = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(blocks) = self.blocks.get() {
            return Ok(blocks);
        }
        let make = |block: &DataBlock, name: &str| match block.bytes.len() {
            0 => Ok(None),
            size => Buffer::new(&self.device, size as u64, BufferUse::Device, name).map(Some),
        };
        let blocks = Blocks {
            constants: make(&self.data.constants, "program constants")?,
            globals: make(&self.data.globals, "program globals")?,
        };
        let device = Device { inner: self.device.clone() };
        for (block, buffer) in
            [(&self.data.constants, &blocks.constants), (&self.data.globals, &blocks.globals)]
        {
            if let Some(buffer) = buffer {
                upload(&device, buffer, &relocated(block, &blocks)?)?;
            }
        }
        let blocks = self.blocks.get_or_init(|| blocks);
        drop(guard);
        Ok(blocks)
    }
}

/// Puts bytes into a new buffer, before what uses them.
fn upload(device: &Device, buffer: &Buffer, bytes: &[u8]) -> Result<(), RuntimeError> {
    device.create_queue()?.initialize(buffer, 0, bytes)
}

/// A data block's bytes with the addresses patched in.
fn relocated(block: &DataBlock, blocks: &Blocks) -> Result<Vec<u8>, RuntimeError> {
    let mut bytes = block.bytes.clone();
    for relocation in &block.relocations {
        let target = if relocation.to_globals { &blocks.globals } else { &blocks.constants };
        let Some(target) = target else {
            return Err(RuntimeError::bug("a relocation to a program data block that is empty"));
        };
        // As kernels keep pointers.
        let base = crate::memory::svm::base(&target.inner.device);
        if let Some(blocks) = target.inner.device.memory.blocks() {
            blocks.note_stored(target.inner.block());
        }
        let address = target.inner.kernel_address()?.wrapping_sub(base);
        let width = (relocation.bytes as usize).min(8);
        let place =
            usize::try_from(relocation.at).ok().and_then(|at| bytes.get_mut(at..at.checked_add(width)?));
        let Some(place) = place else {
            return Err(RuntimeError::bug("a relocation outside its program data block"));
        };
        let mut addend = [0; 8];
        addend[..width].copy_from_slice(place);
        let sum = u64::from_le_bytes(addend).wrapping_add(address).to_le_bytes();
        place.copy_from_slice(&sum[..width]);
    }
    Ok(bytes)
}

/// Checks what the launch code relies on, and what the device must have.
fn check(info: &KernelInfo, device: &DeviceInner) -> Result<(), RuntimeError> {
    let bug = |what: &str| Err(RuntimeError::bug(format!("kernel '{}': {what}", info.name)));
    let limits = &device.target.limits;
    if info.work_group_size_ids.is_none() && info.reqd_work_group_size.is_none() {
        return bug("neither specializable nor required work-group size");
    }
    let size = info.block.size;
    if !size.is_multiple_of(4)
        || info.block.members.iter().any(|m| m.offset.checked_add(m.size).is_none_or(|e| e > size))
    {
        return bug("the argument block's members exceed it");
    }
    let push = push_size(info);
    if push > limits.max_push_constants_size {
        return bug("the argument block exceeds the push constants");
    }
    let count = |kind| info.descriptors.iter().filter(|d| d.kind == kind).count();
    let (storage, uniform) = (count(DescriptorKind::StorageBuffer), count(DescriptorKind::UniformBuffer));
    for (have, max, name) in [
        (storage, limits.max_per_stage_descriptor_storage_buffers, "maxPerStageDescriptorStorageBuffers"),
        (uniform, limits.max_per_stage_descriptor_uniform_buffers, "maxPerStageDescriptorUniformBuffers"),
    ] {
        if have > max as usize {
            return Err(RuntimeError::unsupported(format!(
                "kernel '{}' needs {have} buffer descriptors, the device '{}' has {name} = {max}; \
                 the address binding model needs none",
                info.name, device.target.name
            )));
        }
    }
    if info.windows.is_some() && !device.memory.has_blocks() {
        return Err(RuntimeError::unsupported(format!(
            "kernel '{}' has windows (--target of a device without addresses), the device '{}' has addresses",
            info.name, device.target.name
        )));
    }
    check_images(info, device)?;
    if info.local_memory_size > limits.max_compute_shared_memory_size {
        return Err(RuntimeError::user(
            UserError::OutOfResources,
            format!(
                "kernel '{}' has {} bytes of local memory, the device '{}' has {}",
                info.name, info.local_memory_size, device.target.name, limits.max_compute_shared_memory_size
            ),
        ));
    }
    Ok(())
}

/// Checks that the device binds as many images and samplers as the kernel has.
fn check_images(info: &KernelInfo, device: &DeviceInner) -> Result<(), RuntimeError> {
    use DescriptorKind as Kind;
    let count = |of: [Kind; 2]| info.descriptors.iter().filter(|d| of.contains(&d.kind)).count();
    let limits = device.physical.image_limits();
    for (have, max, name) in [
        (count([Kind::SampledImage, Kind::UniformTexelBuffer]), limits.sampled_images, "SampledImages"),
        (count([Kind::StorageImage, Kind::StorageTexelBuffer]), limits.storage_images, "StorageImages"),
        (count([Kind::Sampler; 2]), limits.samplers, "Samplers"),
    ] {
        if have > max as usize {
            return Err(RuntimeError::unsupported(format!(
                "kernel '{}' needs {have} descriptors of images or samplers, the device '{}' has \
                 maxPerStageDescriptor{name} = {max}",
                info.name, device.target.name
            )));
        }
    }
    Ok(())
}

/// Bytes of push constants.
fn push_size(info: &KernelInfo) -> u32 {
    match info.block.location {
        _ if info.block.size == 0 => 0,
        BlockLocation::PushConstants => info.block.size,
        BlockLocation::StorageBuffer { .. } => 0,
        BlockLocation::BufferAddress => 8,
    }
}

impl Kernel {
    /// Returns what the lowering says about it: arguments, binding model, memory.
    #[must_use]
    pub fn info(&self) -> &KernelInfo {
        &self.inner.info
    }

    /// Returns whether the loops of a launch iterate as seldom as the kernel takes them to ([`KernelInfo::iterations`]). `argument`: the bytes of an argument that
    /// is a value.
    #[must_use]
    pub fn iterates_few_times<'a>(
        &self,
        range: &NdRange,
        argument: &'a dyn Fn(u32) -> Option<&'a [u8]>,
    ) -> bool {
        let count = self.info().iterations.as_ref();
        count.is_none_or(|count| count.evaluate(&range.facts(argument)).is_some())
    }

    /// As [`KernelInfo::may_be_ended`] for a launch.
    #[must_use]
    pub fn may_be_ended<'a>(&self, range: &NdRange, argument: &'a dyn Fn(u32) -> Option<&'a [u8]>) -> bool {
        self.info().may_be_ended(&range.facts(argument))
    }

    /// Returns how many pipelines it has.
    #[must_use]
    pub fn pipelines(&self) -> usize {
        let pipelines = self.inner.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.values().filter(|slot| slot.made().is_some()).count()
    }

    /// Returns how many launches used another pipeline than the one they wished for.
    #[must_use]
    pub fn wishes(&self) -> u64 {
        let pipelines = self.inner.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.values().map(|slot| u64::from(slot.wished.load(Ordering::Relaxed))).sum()
    }

    /// Makes the pipeline for a work-group size (the required one wins) and sizes of the `__local` arguments in bytes, in
    /// the order of the arguments (64 bytes where none is given). Nothing is launched: shows that a driver takes the
    /// module.
    ///
    /// # Errors
    /// Driver when the driver refuses the module.
    pub fn compile(&self, local_size: [u32; 3], local_bytes: &[u64]) -> Result<(), RuntimeError> {
        let info = &self.inner.info;
        let locals = info.args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Local { spec_id, unit, .. } => Some((spec_id, u64::from(unit.max(1)))),
            _ => None,
        });
        let sizes = local_bytes.iter().copied().chain(std::iter::repeat(64));
        let local_args = locals
            .zip(sizes)
            .filter(|((id, _), _)| id.is_some())
            .map(|((_, unit), bytes)| u32::try_from(bytes.div_ceil(unit).max(1)).unwrap_or(u32::MAX))
            .collect();
        let local_size = info.reqd_work_group_size.unwrap_or(local_size);
        let crosses = self.inner.crosses();
        // Starts of ids, and sizes of dispatches, are specialised for the usual launch.
        let usual = info.specialised.iter().all(|word| word.source.is_usually_zero());
        let specialised = if usual { info.specialised.iter().map(|_| 0).collect() } else { SmallVec::new() };
        self.inner
            .pipeline(&PipelineKey {
                local_size,
                local_args,
                crosses,
                several: false,
                contents: SmallVec::new(),
                specialised,
            })
            .map(|_| ())
    }
}

impl KernelInner {
    fn new(program: &Arc<ProgramInner>, info: &KernelInfo) -> Result<Self, RuntimeError> {
        let device = &program.device;
        let entry = CString::new(info.name.as_str())
            .map_err(|_| RuntimeError::bug("a kernel's name holds a NUL character"))?;
        // From here on KernelInner's drop cleans up; destroying null handles does nothing.
        let mut kernel = KernelInner {
            info: info.clone(),
            entry,
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipelines: Mutex::default(),
            program_data_used: program_data_used(info),
            sequenced: sequenced(info),
            kept_by: PerStream::default(),
            costly: AtomicBool::new(false),
            guarded: info.guarded(),
            speed: Speed::default(),
            local_sizes: Mutex::default(),
            specialised: Mutex::default(),
            stand_ins: Mutex::default(),
            room: Room::for_kernel(info),
            program: program.clone(),
        };
        if !info.descriptors.is_empty() {
            let bindings: Vec<_> = info
                .descriptors
                .iter()
                .map(|d| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(d.binding)
                        .descriptor_type(descriptor_type(d.kind))
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the device is alive; counts are within its limits (`check`).
            kernel.set_layout = unsafe { device.raw.create_descriptor_set_layout(&create, None) }
                .call("vkCreateDescriptorSetLayout")?;
            device.name(kernel.set_layout, &info.name);
        }
        let layouts = [kernel.set_layout];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(push_size(info))];
        let mut create = vk::PipelineLayoutCreateInfo::default();
        if !info.descriptors.is_empty() {
            create = create.set_layouts(&layouts);
        }
        if push_size(info) > 0 {
            create = create.push_constant_ranges(&ranges);
        }
        // SAFETY: the device and the set layout are alive; the push constants are within the limit (`check`).
        kernel.layout =
            unsafe { device.raw.create_pipeline_layout(&create, None) }.call("vkCreatePipelineLayout")?;
        device.name(kernel.layout, &info.name);
        Ok(kernel)
    }

    pub(crate) fn wishes(&self) -> Wishes {
        Wishes {
            required: self.info.reqd_work_group_size,
            hint: self.info.work_group_size_hint,
            sub_groups: self.info.required_sub_groups,
            fixed: self.info.work_group_size_ids.is_none(),
            wide: self.info.wide,
            work_item_loops: self.info.work_item_loops.is_some(),
            guarded: self.guarded,
        }
    }

    pub(crate) fn device(&self) -> &Arc<DeviceInner> {
        &self.program.device
    }

    /// Returns whether a launch from now on may have a buffer that crosses a multiple of 4 GiB, and the kernel asks.
    fn crosses(&self) -> bool {
        self.info.crossing_id.is_some() && self.device().crossed.load(Ordering::SeqCst)
    }

    /// Returns whether a pipeline that was made before serves a launch now.
    pub(crate) fn serves(&self, pipeline: &Pipeline) -> bool {
        pipeline.crosses || !self.crosses()
    }

    /// The values by which a pipeline for these sizes is specialised. A sweep over many sizes of local arguments is to make few
    /// pipelines: once there were several, they are rounded up to powers of two as far as local memory goes.
    pub(crate) fn key(
        &self,
        local_size: [u32; 3],
        local_args: &SmallVec<[u32; 2]>,
        (several, contents, cells): (bool, &[ArgumentContent], &[(u32, u64)]),
        specialised: &SmallVec<[u32; 2]>,
    ) -> PipelineKey {
        let asked = self.info.contents_ids.iter().map(|(fact, _)| *fact);
        let holds = |fact: &ArgumentFact| match fact {
            ArgumentFact::Cells(arg) => cells.iter().any(|(of, _)| of == arg),
            ArgumentFact::Record(_) | ArgumentFact::Flags(_) => contents.iter().any(|of| of.tells(*fact)),
        };
        let contents: SmallVec<[ArgumentFact; 2]> = asked.filter(holds).collect();
        let crosses = self.crosses();
        let specialised = self.specialised(specialised);
        let exact = PipelineKey {
            local_size,
            local_args: local_args.clone(),
            crosses,
            several,
            contents: contents.clone(),
            specialised: specialised.clone(),
        };
        // What a dispatch saves is laid out by these sizes.
        if local_args.is_empty() || self.info.saved_local.is_some() {
            return exact;
        }
        let mut seen = self.local_sizes.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.contains(local_args) {
            return exact;
        }
        if seen.len() < EXACT_SIZES {
            seen.push(local_args.clone());
            return exact;
        }
        drop(seen);
        let rounded = self.rounded(local_args);
        rounded.map_or(exact, |local_args| PipelineKey {
            local_size,
            local_args,
            crosses,
            several,
            contents,
            specialised,
        })
    }

    /// The words for which a pipeline is specialised, of a launch with these words: all, while there are few such launches.
    fn specialised(&self, words: &SmallVec<[u32; 2]>) -> SmallVec<[u32; 2]> {
        if words.is_empty() {
            return SmallVec::new();
        }
        let mut seen = self.specialised.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains(words) {
            if seen.len() == EXACT_WORDS {
                return SmallVec::new();
            }
            seen.push(words.clone());
        }
        words.clone()
    }

    /// If a kernel cannot tell work-groups apart and the driver takes long for it, a size that a pipeline was made for
    /// serves as well as the one asked for: programs that look for the best size try many, and some drivers take a
    /// quarter of a minute for each. If a pipeline is cheap, each size has its own: sizes differ in speed.
    pub(crate) fn take_made_size(&self, plan: &mut Plan) {
        let fixed = self.info.sees_work_groups || self.info.reqd_work_group_size.is_some();
        let cheap = !self.costly.load(Ordering::Relaxed);
        if fixed || cheap || plan.global[1..] != [1, 1] {
            return;
        }
        let pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = plan.local[0];
        let serves = |size: u32| {
            let (enough, most) = (asked.min(FULL), asked.max(FULL).saturating_mul(4));
            plan.global[0].is_multiple_of(u64::from(size)) && (enough..=most).contains(&size)
        };
        let made = pipelines.keys().filter(|k| k.local_args.is_empty() && k.local_size[1..] == [1, 1]);
        let nearest =
            made.map(|k| k.local_size[0]).filter(|s| serves(*s)).min_by_key(|s| (s.abs_diff(asked), *s));
        if let Some(regrouped) = nearest.and_then(|size| plan.regrouped([size, 1, 1], [false; 3])) {
            *plan = regrouped;
        }
    }

    /// Sizes rounded up to powers of two, the last one perhaps cut to what local memory has; `None` where even that is
    /// too much.
    fn rounded(&self, sizes: &[u32]) -> Option<SmallVec<[u32; 2]>> {
        let mut left = u64::from(self.device().target.limits.max_compute_shared_memory_size)
            .checked_sub(self.info.local_memory_size.into())?;
        let args = self.info.args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Local { spec_id: Some(_), unit, align } => Some((unit.max(1), align.max(1))),
            _ => None,
        });
        let mut out = SmallVec::new();
        for (index, (&size, (unit, align))) in sizes.iter().zip(args).enumerate() {
            // The rest may need padding for its alignment: nothing exact is asked of the driver's layout.
            left = left.checked_sub(u64::from(align) - 1)?;
            let fits = u32::try_from(left / u64::from(unit)).unwrap_or(u32::MAX);
            let round = size.checked_next_power_of_two()?;
            let last = index + 1 == sizes.len();
            let size = if last { round.min(fits).max(size) } else { round };
            if size > fits {
                return None;
            }
            left -= u64::from(size) * u64::from(unit);
            out.push(size);
        }
        Some(out)
    }

    /// The place of the pipeline for these sizes.
    pub(crate) fn slot(&self, key: &PipelineKey) -> Arc<PipelineSlot> {
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        match pipelines.get(key) {
            Some(slot) => slot.clone(),
            None => pipelines.entry(key.clone()).or_default().clone(),
        }
    }

    /// The pipeline for these sizes, made when it is first needed.
    pub(crate) fn pipeline(&self, key: &PipelineKey) -> Result<Arc<Pipeline>, RuntimeError> {
        let slot = self.slot(key);
        if let Some(pipeline) = slot.pipeline.get() {
            return Ok(pipeline.clone());
        }
        let _making = slot.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = slot.pipeline.get() {
            return Ok(pipeline.clone());
        }
        let made = self.make_pipeline(key).inspect_err(|_| {
            // A size that the driver refuses is not to stand for others (`take_made_size`); another thread may have begun
            // anew meanwhile.
            let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
            if pipelines.get(key).is_some_and(|now| Arc::ptr_eq(now, &slot)) {
                pipelines.remove(key);
            }
        });
        let pipeline = Arc::new(made?);
        let _ = slot.pipeline.set(pipeline.clone());
        Ok(pipeline)
    }

    /// The size of sub-groups that a pipeline for a work-group's size requires, and whether they are all full: where the kernel has
    /// sub-groups and the device several sizes. These work-groups have one dimension.
    fn subgroups(&self, local_size: [u32; 3]) -> Option<(u32, bool)> {
        let target = &self.device().target;
        let size = target.required_subgroup_size().filter(|_| self.info.has_sub_groups)?;
        let items = local_size.iter().fold(1u32, |items, n| items.saturating_mul(*n));
        let items = self.info.work_item_loops.map_or(items, |launched| items.min(launched));
        // More cannot be required (VUID-VkPipelineShaderStageCreateInfo-pNext-02756); no work-group of such a kernel has more.
        (items <= target.max_items_in_subgroups())
            .then(|| (size, target.features.compute_full_subgroups && items.is_multiple_of(size)))
    }

    fn make_pipeline(&self, key: &PipelineKey) -> Result<Pipeline, RuntimeError> {
        let mut constants: Vec<(u32, u32)> = Vec::new();
        if let Some(ids) = self.info.work_group_size_ids {
            constants.extend(ids.into_iter().zip(key.local_size));
        }
        let ids = self.info.args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Local { spec_id, .. } => spec_id,
            _ => None,
        });
        constants.extend(ids.zip(key.local_args.iter().copied()));
        // A VkBool32.
        constants.extend(self.info.crossing_id.map(|id| (id, u32::from(key.crosses))));
        let several = self.info.windows.and_then(|w| w.several_id);
        constants.extend(several.map(|id| (id, u32::from(key.several))));
        let fact = self.info.contents_ids.iter();
        constants.extend(fact.map(|(fact, id)| (*id, u32::from(key.contents.contains(fact)))));
        constants
            .extend(self.info.specialised.iter().map(|word| word.id).zip(key.specialised.iter().copied()));
        let mut data = Vec::with_capacity(constants.len() * 4);
        let mut entries = Vec::with_capacity(constants.len());
        for ((id, value), offset) in constants.into_iter().zip((0u32..).step_by(4)) {
            entries.push(vk::SpecializationMapEntry { constant_id: id, offset, size: 4 });
            data.extend_from_slice(&value.to_ne_bytes());
        }
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let device = self.device();
        let flags = match device.modes.plain_pipelines {
            true => vk::PipelineCreateFlags::DISABLE_OPTIMIZATION,
            false => vk::PipelineCreateFlags::empty(),
        };
        let make = |module: vk::ShaderModule| {
            let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
            let mut stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&self.entry)
                .specialization_info(&specialization);
            if let Some((size, full)) = self.subgroups(key.local_size) {
                required = required.required_subgroup_size(size);
                stage = stage.push_next(&mut required);
                if full {
                    stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
                }
            }
            let info = vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(self.layout);
            device.pipeline_cache().create_pipeline(device, &info)
        };
        let start = Instant::now();
        let raw = match make(self.program.module) {
            Err(e) if PipelineCache::died(&e) => match self.program.second()? {
                Some(module) => {
                    log::info!("kernel '{}': {e}; once more in another form", self.info.name);
                    make(module)?
                }
                None => return Err(e),
            },
            made => made.map_err(|e| explained(e, &self.info.name, self.info.private_memory_size))?,
        };
        let [x, y, z] = key.local_size;
        log::info!(
            "kernel '{}': pipeline for work-groups of {x}x{y}x{z} made in {:.1?}",
            self.info.name,
            start.elapsed()
        );
        if start.elapsed() > LONG || device.modes.slow_pipelines {
            self.costly.store(true, Ordering::Relaxed);
        }
        if device.has_names() {
            device.name(raw, &format!("{} {:?}", self.info.name, key.local_size));
        }
        Ok(Pipeline { raw, crosses: key.crosses, kept_by: PerStream::default(), device: device.clone() })
    }
}

/// Vulkan's name of a kind of descriptor.
#[must_use]
pub fn descriptor_type(kind: DescriptorKind) -> vk::DescriptorType {
    match kind {
        DescriptorKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
        DescriptorKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: batches that use the pipeline hold an Arc of it until the device has finished; destroyed once.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}

impl Drop for KernelInner {
    fn drop(&mut self) {
        let raw = &self.program.device.raw;
        // SAFETY: batches that use the layouts hold an Arc of the kernel until the device has finished; each (or null) is
        // destroyed once.
        unsafe {
            raw.destroy_pipeline_layout(self.layout, None);
            raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

impl ProgramInner {
    /// The module in another form ([`outline_entry_points`](lower::outline_entry_points)), where there may be need of one.
    fn second(&self) -> Result<Option<vk::ShaderModule>, RuntimeError> {
        let Some(words) = &self.words else { return Ok(None) };
        let mut second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        if second.is_none() {
            let words = lower::outline_entry_points(words);
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            // SAFETY: as for the first: the same functions, and others that call them.
            let module =
                unsafe { self.device.raw.create_shader_module(&info, None) }.call("vkCreateShaderModule")?;
            self.device.name(module, "pumice program, called");
            *second = Some(module);
        }
        Ok(*second)
    }
}

impl Drop for ProgramInner {
    fn drop(&mut self) {
        let second = self.second.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // SAFETY: kernels, which make pipelines from the modules, hold an Arc of the program; destroyed once.
        unsafe {
            self.device.raw.destroy_shader_module(self.module, None);
            second.inspect(|module| self.device.raw.destroy_shader_module(*module, None));
        }
    }
}
