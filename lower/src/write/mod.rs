//! [`ir::Module`](crate::ir::Module) at [`Stage::Structured`] to Vulkan SPIR-V and [`KernelInfo`].
//!
//! Pointers get their types here. Each kernel is written with its own copy of everything that it uses: its variables (bindings count
//! from 0 in every kernel), its function, and the functions it calls. Types, constants, inputs and the constants of work-group sizes
//! are shared.
//!
//! | module | what it does |
//! |---|---|
//! | [`usage`] | collects what a kernel uses, before anything is written |
//! | [`types`] | types, constants, capabilities |
//! | [`roots`] | module-scope variables and their decorations |
//! | [`function`], [`phi`] | functions, blocks, terminators; phis |
//! | [`inst`], [`memory`], [`elements`], [`sync`], [`group`] | code: instructions, loads and stores, array elements at addresses, barriers and atomics, sub-groups |
//! | [`image`] | images and samplers |
//! | [`debug`] | debug information |
//! | [`entry`] | entry points and execution modes |
//! | [`reflect`], [`origins`] | KernelInfo; the buffers that are written by address |

mod debug;
mod elements;
mod entry;
mod function;
mod group;
mod image;
mod inst;
mod memory;
mod origins;
mod phi;
mod reflect;
mod roots;
mod sync;
#[cfg(test)]
mod tests;
mod types;
mod usage;

use crate::check::ArgumentFact;
use crate::error::LowerError;
use crate::ir::{BuiltinInput, Func, KernelData, Module, Root, Semantics, Stage, Type};
use crate::kernel_info::{
    BindingModel, DescriptorInfo, ImageView, KernelInfo, SamplerSource, SamplerUse, SpecialisedWord,
};
use crate::target::Target;
use entry::SizeForm;
use roots::Access;
use rustc_hash::FxHashMap;
use spirv_io::spirv::{AddressingModel, Capability, MemoryModel, Op};
use spirv_io::{Builder, Id, Section};
use std::cell::Cell;
use std::collections::BTreeMap;
use usage::KernelUse;
pub(crate) use usage::scan;

/// The module being written.
struct Writer<'m> {
    b: Builder,
    /// Types that were declared, by scalar and number of lanes less one.
    types: [[Option<Id>; 4]; 8],
    module: &'m Module,
    target: &'m Target,
    /// The current kernel, for messages.
    kernel: String,
    runtime_blocks: FxHashMap<Type, Id>,
    words_blocks: FxHashMap<u32, Id>,
    /// By the type of the only member, and whether that is NonWritable or Coherent.
    member_blocks: FxHashMap<(Type, bool), Id>,
    inputs: FxHashMap<BuiltinInput, Id>,
    /// OpString ids of source files.
    files: FxHashMap<u16, Id>,
    debug: debug::DebugIds,
    size_constants: Option<[Id; 3]>,
    /// Specialization ids 0 to 2 are the work-group size; each is used once in the module.
    next_spec_id: u32,
}

/// A kernel being written.
struct KernelState {
    roots: FxHashMap<Root, Access>,
    descriptors: Vec<DescriptorInfo>,
    interface: Vec<Id>,
    functions: FxHashMap<Func, Id>,
    /// Local arguments: specialization id and bytes of a unit.
    local_args: BTreeMap<u32, (u32, u32)>,
    images: FxHashMap<usage::ImageUse, image::Declared>,
    /// The views of each image argument, for KernelInfo.
    image_views: BTreeMap<u32, Vec<ImageView>>,
    samplers: FxHashMap<SamplerSource, Id>,
    sampler_uses: Vec<SamplerUse>,
    /// The specialization constants of the sizes of local arguments.
    local_units: BTreeMap<u32, Id>,
    /// The specialization constant that says whether a buffer crosses a multiple of 4 GiB, and its number.
    crossing: Option<(Id, u32)>,
    /// The one that says whether a launch has several windows.
    several: Option<(Id, u32)>,
    /// Those that say what a launch tells of the contents of arguments' buffers.
    contents: std::collections::BTreeMap<ArgumentFact, (Id, u32)>,
    /// The words of the argument block that can be specialised, by offset.
    specialised: BTreeMap<u32, (Id, SpecialisedWord)>,
    work_group_size: [Id; 3],
    local_size: u32,
    private_size: u64,
    contraction_off: bool,
    shares_buffers: bool,
    /// An access is one to an element of an array at an argument's address ([`elements`]).
    array_elements: Cell<bool>,
    /// The kinds of memory that are ordered between work-items.
    orders: Semantics,
    /// The kernel's own function, and what is known of the device addresses in it.
    func: Func,
    addresses: origins::Addresses,
}

/// Writes all kernels of a module for a Target.
///
/// # Errors
/// [`LowerError::Unsupported`] naming the Vulkan feature that the Target lacks, [`LowerError::NotYet`],
/// and [`LowerError::Bug`] for IR that the passes should not have left.
pub fn write(module: &Module, target: &Target) -> Result<(Vec<u32>, Vec<KernelInfo>), LowerError> {
    let (major, minor) = target.spirv_version();
    let mut writer = Writer {
        b: Builder::new(major, minor),
        types: [[None; 4]; 8],
        module,
        target,
        kernel: String::new(),
        runtime_blocks: FxHashMap::default(),
        words_blocks: FxHashMap::default(),
        member_blocks: FxHashMap::default(),
        inputs: FxHashMap::default(),
        files: FxHashMap::default(),
        debug: debug::DebugIds::default(),
        size_constants: None,
        next_spec_id: 3,
    };
    if module.stage != Stage::Structured {
        return Err(writer.bug(format_args!("the module is only at stage {:?}", module.stage)));
    }
    let infos = writer.module_parts()?;
    Ok((writer.b.finish(), infos))
}

impl Writer<'_> {
    fn vulkan_memory_model(&self) -> bool {
        self.target.features.vulkan_memory_model
    }

    fn module_parts(&mut self) -> Result<Vec<KernelInfo>, LowerError> {
        self.b.capability(Capability::Shader);
        let module = self.module;
        let uses: Vec<KernelUse> = module.kernels.iter().map(|k| usage::scan(module, k.func)).collect();
        self.memory_model(&uses)?;
        let form = self.size_form();
        let mut infos = Vec::new();
        for (kernel, used) in module.kernels.iter().zip(&uses) {
            infos.push(self.kernel(kernel, used, form)?);
        }
        Ok(infos)
    }

    fn memory_model(&mut self, uses: &[KernelUse]) -> Result<(), LowerError> {
        let addresses = uses.iter().any(|u| u.addresses.read || u.addresses.written);
        let addressing = if addresses {
            self.declare_addresses()?;
            AddressingModel::PhysicalStorageBuffer64
        } else {
            AddressingModel::Logical
        };
        let memory = if self.vulkan_memory_model() {
            self.b.capability(Capability::VulkanMemoryModel);
            self.extension_before((1, 5), "SPV_KHR_vulkan_memory_model");
            MemoryModel::Vulkan
        } else {
            MemoryModel::GLSL450
        };
        self.b.push(Section::MemoryModel, Op::MemoryModel, &[addressing as u32, memory as u32]);
        Ok(())
    }

    fn kernel(
        &mut self,
        kernel: &KernelData,
        used: &KernelUse,
        form: SizeForm,
    ) -> Result<KernelInfo, LowerError> {
        self.kernel.clone_from(&kernel.name);
        let work_group_size = self.work_group_size(kernel, form)?;
        let mut state = KernelState::new(kernel, used, work_group_size);
        let takes_parameters = match self.module.functions.get(kernel.func) {
            Some(f) => f.layout.first().is_none_or(|b| !f.blocks[*b].params.is_empty()),
            None => true,
        };
        if takes_parameters {
            return Err(self.bug("the kernel's function is missing or still takes parameters"));
        }
        if kernel.plan.as_ref().is_some_and(|plan| plan.model == BindingModel::Address) {
            state.addresses = origins::addresses(self.module, kernel, used);
        }
        self.declare_roots(kernel, used, &mut state)?;
        self.declare_images(kernel, used, &mut state)?;
        for func in &used.funcs {
            let id = self.b.id();
            state.functions.insert(*func, id);
        }
        if used.asks_crossing {
            state.crossing = Some(self.truth_constant("buffers_cross")?);
        }
        if used.asks_several {
            state.several = Some(self.truth_constant("several_windows")?);
        }
        for fact in &used.asks_contents {
            state.contents.insert(*fact, self.truth_constant("told_contents")?);
        }
        for func in &used.funcs {
            self.function(*func, used, &mut state)?;
        }
        self.entry_point(kernel, used, &state, form)?;
        self.kernel_info(kernel, used, &state, form)
    }
}

impl KernelState {
    fn new(kernel: &KernelData, used: &KernelUse, work_group_size: [Id; 3]) -> Self {
        KernelState {
            roots: FxHashMap::default(),
            descriptors: Vec::new(),
            interface: Vec::new(),
            functions: FxHashMap::default(),
            local_args: BTreeMap::new(),
            images: FxHashMap::default(),
            image_views: BTreeMap::new(),
            samplers: FxHashMap::default(),
            sampler_uses: Vec::new(),
            local_units: BTreeMap::new(),
            crossing: None,
            several: None,
            contents: std::collections::BTreeMap::new(),
            specialised: BTreeMap::new(),
            work_group_size,
            local_size: 0,
            private_size: 0,
            contraction_off: kernel.contraction_off,
            shares_buffers: used.shares_buffers,
            array_elements: Cell::new(false),
            orders: used.orders,
            func: kernel.func,
            addresses: origins::Addresses::default(),
        }
    }
}
