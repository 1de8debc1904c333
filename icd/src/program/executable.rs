//! A module lowered for one device.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use vk_runtime::sync::Mutex;

use host::cache::{Hash, hash};
use lower::enqueue::block_kernel;
use lower::kernel_info::ProgramData;
use lower::{
    BindingChoice, BindingModel, Iterations, KernelInfo, LowerError, LowerOptions, Lowered, Target, Zeroed,
};
use opencl_sys as cl;
use vk_runtime::RuntimeError;

use crate::abi::error::{ClError, ClResult};
use crate::abi::trace;
use crate::device::Runtime;
use crate::program::compile::{build, cache};
use crate::program::module::Module;
use crate::program::pipeline_prebuild::PipelinePrebuild;
use crate::program::printf_buffers::Spare;
use crate::program::trials::Trials;
use bundle::wire::{Reader, Writer};

/// A program on one device, ready to launch.
pub(crate) struct Executable {
    pub(crate) module: Arc<Module>,
    /// The reflection of its kernels, in the order of the source.
    pub(crate) kernels: Vec<Arc<KernelInfo>>,
    /// CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE.
    pub(crate) globals_size: usize,
    /// `None` for a program without kernels.
    program: Option<vk_runtime::Program>,
    /// Pipelines that are being made.
    _prebuild: Option<PipelinePrebuild>,
    /// Kernels that were asked for: their pipelines are kept for the next kernel object of the same name. Libraries make and release
    /// one for each launch.
    asked: Mutex<HashMap<String, vk_runtime::Kernel>>,
    /// Kernels lowered again for the address model, where the Target's preference was another.
    by_address: Mutex<HashMap<String, vk_runtime::Kernel>>,
    /// Kernels lowered again in other forms, by their names and binding models.
    forms: Mutex<HashMap<(String, bool, Form), vk_runtime::Kernel>>,
    /// Blocks in the form for batches; `None` for those that have none.
    batches: Mutex<HashMap<u32, Option<vk_runtime::Kernel>>>,
    /// The work-group sizes that kernels of blocks had.
    pub(crate) block_sizes: Mutex<HashMap<u32, BlockSize>>,
    /// Iterations without the host met kernels that need it.
    pub(crate) needs_host: AtomicBool,
    /// Buffers for what its kernels print.
    pub(crate) printf: Spare,
    /// Its kernels whose loops the driver may end.
    pub(crate) trials: Trials,
    /// The kinds of memory that hold zeros when a kernel begins.
    zeroed: Zeroed,
    runtime: Arc<Runtime>,
}

/// A launch's demands on a kernel's code, besides the binding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Form {
    /// Global ids of 64 bits: the NDRange goes beyond 2^32.
    pub(crate) wide: bool,
    /// Work-groups are larger than the device's: they run in pieces.
    pub(crate) large: bool,
    /// Two arguments share memory, of which one is written.
    pub(crate) together: bool,
    /// An argument's address is not the start of what may be reached from it, or not as aligned as the starts of buffers, or its
    /// buffer is larger than 4 GiB.
    pub(crate) anywhere: bool,
    /// Its loops may iterate more often than the driver lets them.
    pub(crate) long: bool,
    /// It goes on where the driver ended its loops.
    pub(crate) resume: bool,
    /// Work-groups of at most so many work-items are one vector each, whose loops may iterate more often than the driver lets them
    /// around barriers, too. 0: they are not.
    pub(crate) single_vector: u32,
    /// A dispatch runs several enqueued kernels of a block.
    pub(crate) batch: bool,
    /// The kinds of memory that hold zeros when a kernel begins: a property of the context.
    pub(crate) zeroed: Zeroed,
}

/// The work-groups of dispatches of a block that run kernels which kernels enqueued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockSize {
    /// The size serves any NDRange.
    pub(crate) any: bool,
    pub(crate) size: [u32; 3],
}

/// Why a module is no executable: text for the build log.
pub(crate) type Refusal = String;

impl Executable {
    /// Lowers a module and gives it to the device. Pipelines are made later, or in the background.
    ///
    /// # Errors
    /// What the lowering or the device refuses, for the build log.
    pub(crate) fn new(
        module: Arc<Module>,
        runtime: &Arc<Runtime>,
        zeroed: Zeroed,
    ) -> Result<(Self, String), Refusal> {
        let form = Form { zeroed, ..Form::default() };
        let lowered =
            lower(&module, &runtime.target, runtime.device.binding(), None, form).map_err(refusal)?;
        // Variables keep pointers from launch to launch: what they differ from addresses is not to change.
        if !lowered.program_data.globals.bytes.is_empty() {
            runtime.shared_base();
        }
        let warnings: String = lowered.warnings.iter().map(|w| format!("warning: {w}\n")).collect();
        let program = match lowered.kernels.is_empty() {
            true => None,
            false => {
                let made = runtime.device.create_program(&lowered);
                Some(made.map_err(|e: RuntimeError| format!("error: {e}\n"))?)
            }
        };
        let kernels: Vec<_> = lowered.kernels.into_iter().map(Arc::new).collect();
        let prebuild = program.as_ref().and_then(|program| PipelinePrebuild::start(&kernels, program));
        let executable = Executable {
            module,
            kernels,
            _prebuild: prebuild,
            globals_size: lowered.program_data.globals.bytes.len(),
            program,
            asked: Mutex::default(),
            by_address: Mutex::default(),
            forms: Mutex::default(),
            batches: Mutex::default(),
            block_sizes: Mutex::default(),
            needs_host: AtomicBool::new(false),
            printf: Spare::default(),
            trials: Trials::default(),
            zeroed,
            runtime: runtime.clone(),
        };
        Ok((executable, warnings))
    }

    /// Returns what is known of a kernel.
    pub(crate) fn info(&self, name: &str) -> Option<&Arc<KernelInfo>> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// A kernel, in the binding model that the Target prefers.
    ///
    /// # Errors
    /// CL_INVALID_KERNEL_NAME, and what Vulkan fails with.
    pub(crate) fn kernel(&self, name: &str) -> ClResult<vk_runtime::Kernel> {
        let program = self.program.as_ref().filter(|_| self.info(name).is_some());
        let program = program.ok_or(ClError(cl::CL_INVALID_KERNEL_NAME))?;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = asked.get(name) {
            return Ok(kernel.clone());
        }
        let kernel = program.kernel(name)?;
        asked.insert(name.to_owned(), kernel.clone());
        Ok(kernel)
    }

    /// A kernel in the address model: what arguments that are addresses need, and buffers that no descriptor reaches.
    ///
    /// # Errors
    /// CL_OUT_OF_RESOURCES when the device has no such model or the kernel cannot be lowered for it.
    pub(crate) fn kernel_by_address(&self, name: &str) -> ClResult<vk_runtime::Kernel> {
        if self.info(name).is_some_and(|k| k.binding_model == BindingModel::Address) {
            return self.kernel(name);
        }
        let program = self.program.as_ref().ok_or(ClError(cl::CL_INVALID_KERNEL_NAME))?;
        let mut known = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = known.get(name) {
            return Ok(kernel.clone());
        }
        let choice = BindingChoice::Fixed(BindingModel::Address);
        let kernel = self.lower_again(name, choice, Form::default(), program)?;
        known.insert(name.to_owned(), kernel.clone());
        Ok(kernel)
    }

    /// A kernel in another form.
    ///
    /// # Errors
    /// As [`Self::kernel_by_address`]; CL_INVALID_WORK_GROUP_SIZE where it cannot run in pieces.
    pub(crate) fn kernel_in_form(
        &self,
        name: &str,
        by_address: bool,
        form: Form,
    ) -> ClResult<vk_runtime::Kernel> {
        let program = self.program.as_ref().ok_or(ClError(cl::CL_INVALID_KERNEL_NAME))?;
        let mut known = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (name.to_owned(), by_address, form);
        if let Some(kernel) = known.get(&key) {
            return Ok(kernel.clone());
        }
        let choice = match by_address {
            true => BindingChoice::Fixed(BindingModel::Address),
            false => self.runtime.device.binding(),
        };
        let kernel = self.lower_again(name, choice, form, program)?;
        known.insert(key, kernel.clone());
        Ok(kernel)
    }

    /// A block in the form whose dispatches run several kernels. `None` where it has no such form: its kernels are launched one by one. The
    /// host has to look after the loops and the text of some.
    pub(crate) fn batch(&self, block: u32) -> Option<vk_runtime::Kernel> {
        let mut known = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(block).or_insert_with(|| self.new_batch(&block_kernel(block))).clone()
    }

    fn new_batch(&self, name: &str) -> Option<vk_runtime::Kernel> {
        let by_itself = |info: &KernelInfo| {
            let looked_after = info.takes_buffer() || info.resumes.is_some() || info.iterations.is_some();
            !looked_after && info.work_item_loops.is_none()
        };
        let program = self.program.as_ref()?;
        if self.module.ready.is_some() || !by_itself(self.info(name)?) {
            return None;
        }
        let choice = BindingChoice::Fixed(BindingModel::Address);
        let form = Form { batch: true, ..Form::default() };
        let kernel = self.lower_again(name, choice, form, program).ok()?;
        by_itself(kernel.info()).then_some(kernel)
    }

    fn lower_again(
        &self,
        name: &str,
        choice: BindingChoice,
        form: Form,
        program: &vk_runtime::Program,
    ) -> ClResult<vk_runtime::Kernel> {
        let form = Form { zeroed: self.zeroed, ..form };
        let lowered = lower(&self.module, &self.runtime.target, choice, Some(name), form).map_err(|e| {
            if form.large {
                // It may have been asked for CL_KERNEL_WORK_GROUP_SIZE alone.
                log::warn!("{e}");
                return ClError(cl::CL_INVALID_WORK_GROUP_SIZE);
            }
            match form.batch || form.single_vector > 0 {
                true => log::info!("{e}"),
                false => log::error!("{e}"),
            }
            ClError(cl::CL_OUT_OF_RESOURCES)
        })?;
        Ok(self.runtime.device.create_program_beside(&lowered, program)?.kernel(name)?)
    }
}

/// The lowering's refusal as a line of the build log.
fn refusal(error: LowerError) -> Refusal {
    format!("error: {error}\n")
}

/// The kernels of a module, for messages: the first of many.
fn listed(lowered: &Lowered) -> String {
    match lowered.kernels.as_slice() {
        [] => "no kernel".to_owned(),
        [one] => format!("kernel '{}'", one.name),
        [first, rest @ ..] => format!("kernel '{}' and {} more", first.name, rest.len()),
    }
}

/// Lowers, or takes what the disk cache has.
fn lower(
    module: &Module,
    target: &Target,
    binding: BindingChoice,
    kernel: Option<&str>,
    form: Form,
) -> Result<Lowered, LowerError> {
    if let Some(ready) = &module.ready {
        if !host::check::checks().is_empty() {
            log::warn!("PUMICE_CHECK: the kernels of a bundle are not checked: they are compiled already");
        }
        if form.zeroed != Zeroed::default() {
            return Err(LowerError::NotYet {
                kernel: kernel.unwrap_or_default().to_owned(),
                what: "CL_CONTEXT_MEMORY_INITIALIZE_KHR for a kernel of a bundle, which is compiled already"
                    .to_owned(),
            });
        }
        return match (binding, kernel) {
            (BindingChoice::Auto | BindingChoice::Prefer(_), None) => Ok(ready.lowered.clone()),
            _ => Err(LowerError::NotYet {
                kernel: kernel.unwrap_or_default().to_owned(),
                what: "a kernel of a bundle in another form than it was compiled for".to_owned(),
            }),
        };
    }
    let dump_after = host::settings::dump_after();
    let inline_limit = host::settings::inline_limit();
    let cache = cache().filter(|_| dump_after.is_empty() && inline_limit.is_none());
    let non_uniform = module.traits.non_uniform;
    let key = key(module, target, binding, kernel, form);
    if let Some(lowered) = cache.and_then(|cache| unpack(&cache.get(&key)?)) {
        log::info!("{}: lowered in the cache", listed(&lowered));
        return Ok(lowered);
    }
    let begun = Instant::now();
    let kernels = kernel.map(|name| vec![name.to_owned()]);
    let start = trace::now();
    let mut target = target.clone();
    target.features.buffers_below_4_gib &= !form.anywhere;
    target.quirks.prefers_array_elements &= !form.anywhere;
    let lowered = lower::lower(
        &module.spirv,
        &target,
        &LowerOptions {
            kernels,
            binding,
            dump_after,
            inline_limit,
            non_uniform,
            wide: form.wide,
            large: form.large,
            noalias: !form.together,
            specialised: true,
            long_loops: host::settings::long_loops(),
            iterations: if form.long { Iterations::Many } else { Iterations::Few },
            resume: form.resume,
            single_vector: Some(form.single_vector).filter(|items| *items > 0),
            batch: form.batch,
            check: host::check::checks(),
            zeroed: form.zeroed,
            ..LowerOptions::default()
        },
    )?;
    log::info!("{}: lowered in {:.1?}", listed(&lowered), begun.elapsed());
    trace::span("compile", "lowering", start, ("kernels", i64::try_from(lowered.kernels.len()).unwrap_or(0)));
    if let Some(cache) = cache
        && let Some(bytes) = pack(&lowered)
    {
        cache.put(&key, &bytes);
    }
    Ok(lowered)
}

fn key(module: &Module, target: &Target, binding: BindingChoice, kernel: Option<&str>, form: Form) -> Hash {
    let long = host::settings::long_loops();
    let checks = host::check::checks().names();
    let how = format!("{binding:?} {kernel:?} {} {long} {form:?} {checks}", module.traits.non_uniform);
    // Plain data without maps: its debug form is the same each time.
    let target = format!("{target:?}");
    let pieces = [b"lowering".as_slice(), build(), target.as_bytes(), how.as_bytes()];
    hash(pieces.into_iter().chain([spirv_io::words_to_bytes(&module.spirv).as_slice()]))
}

fn pack(lowered: &Lowered) -> Option<Vec<u8>> {
    let mut out = Writer::default();
    out.bytes(&serde_json::to_vec(&lowered.kernels).ok()?);
    out.bytes(&serde_json::to_vec(&lowered.warnings).ok()?);
    for block in [&lowered.program_data.constants, &lowered.program_data.globals] {
        out.u32(block.align);
        out.bytes(&serde_json::to_vec(&block.relocations).ok()?);
        out.bytes(&block.bytes);
    }
    out.words(&lowered.spirv);
    Some(out.0)
}

fn unpack(bytes: &[u8]) -> Option<Lowered> {
    let mut reader = Reader(bytes);
    let kernels = serde_json::from_slice(reader.bytes()?).ok()?;
    let warnings = serde_json::from_slice(reader.bytes()?).ok()?;
    let mut program_data = ProgramData::default();
    for block in [&mut program_data.constants, &mut program_data.globals] {
        block.align = reader.u32()?;
        block.relocations = serde_json::from_slice(reader.bytes()?).ok()?;
        block.bytes = reader.bytes()?.to_vec();
    }
    let spirv = reader.words()?;
    reader.0.is_empty().then_some(Lowered { spirv, kernels, program_data, warnings })
}
