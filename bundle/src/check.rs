//! Checks that the description of a variant's kernels is consistent and agrees with its module: a bundle may come from anywhere.

use std::collections::{BTreeMap, BTreeSet};

use lower::kernel_info::{
    ArgKind, BindingModel, BlockLocation, BlockSource, DataBlock, DescriptorKind, DescriptorSource,
    ProgramData, SamplerSource, Windows,
};
use lower::{KernelInfo, Lowered};
use spirv_io::Reader;
use spirv_io::spirv::{Decoration, ExecutionModel, Op};

/// No argument block is larger: what a launch copies for each kernel.
const MAX_BLOCK_BYTES: u32 = 1 << 20;

/// The facts of a module that reflection repeats.
#[derive(Default)]
struct Interface {
    /// Entry points with the variables that they name.
    entries: BTreeMap<String, Vec<u32>>,
    /// Bindings of variables in set 0; variables in another set.
    bindings: BTreeMap<u32, u32>,
    strange: BTreeSet<u32>,
    /// Ids of specialization constants.
    spec_ids: BTreeSet<u32>,
    /// Variables outside functions: before SPIR-V 1.4 entry points name inputs alone.
    variables: Vec<u32>,
    version: (u8, u8),
}

impl Interface {
    fn from_words(words: &[u32]) -> Result<Self, String> {
        let (header, reader) = Reader::new(words).map_err(|e| e.to_string())?;
        let mut found = Interface { version: header.version, ..Interface::default() };
        for inst in reader {
            let inst = inst.map_err(|e| e.to_string())?;
            match (inst.op, inst.operands) {
                (Op::EntryPoint, [model, _, ..]) => {
                    let (name, after) = inst.string(2).map_err(|e| e.to_string())?;
                    if *model != ExecutionModel::GLCompute as u32 {
                        return Err(format!("entry point '{name}' is no compute shader"));
                    }
                    if found.entries.insert(name.clone(), inst.rest(after).to_vec()).is_some() {
                        return Err(format!("two entry points are called '{name}'"));
                    }
                }
                (Op::Decorate, [id, decoration, value]) => match Decoration::from_u32(*decoration) {
                    Some(Decoration::Binding) => drop(found.bindings.insert(*id, *value)),
                    Some(Decoration::DescriptorSet) if *value != 0 => drop(found.strange.insert(*id)),
                    Some(Decoration::SpecId) => drop(found.spec_ids.insert(*value)),
                    _ => {}
                },
                (Op::Variable, [_, id, ..]) => found.variables.push(*id),
                (Op::Function, _) => break,
                _ => {}
            }
        }
        match found.strange.is_empty() {
            true => Ok(found),
            false => Err("a descriptor is not in set 0".to_owned()),
        }
    }

    /// The bindings that an entry point may use.
    fn bindings_of(&self, name: &str) -> Option<BTreeSet<u32>> {
        let named = self.entries.get(name)?;
        let used = if self.version >= (1, 4) { named } else { &self.variables };
        Some(used.iter().filter_map(|id| self.bindings.get(id).copied()).collect())
    }
}

/// Checks all kernels of a module, and its data.
pub(crate) fn check(lowered: &Lowered) -> Result<(), String> {
    let module = Interface::from_words(&lowered.spirv)?;
    let mut names = BTreeSet::new();
    for kernel in &lowered.kernels {
        if !names.insert(&kernel.name) {
            return Err(format!("two kernels are called '{}'", kernel.name));
        }
        check_kernel(kernel, &module, &lowered.program_data)
            .map_err(|e| format!("kernel '{}': {e}", kernel.name))?;
    }
    let ProgramData { constants, globals } = &lowered.program_data;
    check_data(constants, &lowered.program_data)?;
    check_data(globals, &lowered.program_data)
}

fn ensure(good: bool, what: &str) -> Result<(), String> {
    if good { Ok(()) } else { Err(what.to_owned()) }
}

fn check_data(block: &DataBlock, all: &ProgramData) -> Result<(), String> {
    ensure(block.align <= 1 << 16, "an alignment of program data that no type has")?;
    for relocation in &block.relocations {
        ensure(matches!(relocation.bytes, 4 | 8), "an address of program data is of no size")?;
        let end = relocation.at.checked_add(relocation.bytes.into());
        ensure(
            end.is_some_and(|end| end <= block.bytes.len() as u64),
            "an address lies outside the program data",
        )?;
        let to = if relocation.to_globals { &all.globals } else { &all.constants };
        ensure(!to.bytes.is_empty(), "an address of program data that there is not")?;
    }
    Ok(())
}

fn check_kernel(kernel: &KernelInfo, module: &Interface, data: &ProgramData) -> Result<(), String> {
    let Some(bindings) = module.bindings_of(&kernel.name) else {
        return Err("the module has no such entry point".to_owned());
    };
    check_descriptors(kernel, data)?;
    let told: BTreeSet<u32> = kernel.descriptors.iter().map(|d| d.binding).collect();
    ensure(told.len() == kernel.descriptors.len(), "two descriptors have one binding")?;
    // Before SPIR-V 1.4 entry points do not say which of the module's variables are theirs.
    let same = if module.version >= (1, 4) { told == bindings } else { told.is_subset(&bindings) };
    ensure(same, "its descriptors are not the module's")?;
    let spec = |id: u32| module.spec_ids.contains(&id);
    ensure(
        kernel.work_group_size_ids.is_some() || kernel.reqd_work_group_size.is_some(),
        "it has no work-group size",
    )?;
    ensure(
        kernel.work_group_size_ids.is_none_or(|ids| ids.into_iter().all(spec)),
        "the work-group size is not specialized so",
    )?;
    ensure(
        kernel.reqd_work_group_size.is_none_or(|size| size.iter().all(|n| *n > 0)),
        "a work-group without work-items",
    )?;
    ensure(kernel.crossing_id.is_none_or(spec), "there is no such specialization constant")?;
    ensure(kernel.contents_ids.iter().all(|(_, id)| spec(*id)), "there is no such specialization constant")?;
    let words = kernel.specialised.iter().all(|word| {
        let known = |source: BlockSource| {
            matches!(
                source,
                BlockSource::ImageFormat(_) | BlockSource::Sampler(_) | BlockSource::DispatchSize(_)
            )
        };
        spec(word.id) && known(word.source)
    });
    ensure(words, "there is no such specialization constant")?;
    let packed = kernel.binding_model == BindingModel::Packed;
    ensure(
        packed == kernel.windows.is_some(),
        "windows without the packed model, or the model without windows",
    )?;
    if let Some(windows) = &kernel.windows {
        ensure(windows.count <= Windows::MAX, "a kernel has too many windows")?;
        ensure(windows.several_id.is_none_or(spec), "there is no such specialization constant")?;
    }
    for arg in &kernel.args {
        match &arg.kind {
            ArgKind::Local { spec_id, unit, align } => {
                ensure(spec_id.is_none_or(spec), "a local argument's size is not specialized so")?;
                ensure(*unit > 0 && align.is_power_of_two(), "a local argument has no unit or alignment")?;
            }
            ArgKind::Value { size } => ensure(*size <= MAX_BLOCK_BYTES, "a value is too large")?,
            ArgKind::Buffer { binding, .. } => {
                ensure(binding.is_none_or(|b| told.contains(&b)), "a buffer has no descriptor")?;
            }
            ArgKind::Image(image) => {
                ensure(image.views.iter().all(|v| told.contains(&v.binding)), "an image has no descriptor")?;
            }
            ArgKind::Sampler => {}
        }
    }
    check_block(kernel, data)
}

fn check_descriptors(kernel: &KernelInfo, data: &ProgramData) -> Result<(), String> {
    let arg = |n: u32| kernel.args.get(n as usize).map(|a| &a.kind);
    for d in &kernel.descriptors {
        let buffer = matches!(d.kind, DescriptorKind::StorageBuffer | DescriptorKind::UniformBuffer);
        let good = match d.source {
            DescriptorSource::Argument(n) => {
                let bound = match arg(n) {
                    Some(ArgKind::Buffer { binding, .. }) => *binding == Some(d.binding),
                    // An image in a buffer.
                    Some(ArgKind::Image(_)) => true,
                    _ => false,
                };
                buffer && bound
            }
            DescriptorSource::ArgumentBlock => {
                buffer && kernel.block.location == BlockLocation::StorageBuffer { binding: d.binding }
            }
            DescriptorSource::Constants => buffer && !data.constants.bytes.is_empty(),
            DescriptorSource::Globals => buffer && !data.globals.bytes.is_empty(),
            DescriptorSource::Printf => buffer && kernel.takes_buffer(),
            DescriptorSource::Sequence => buffer,
            DescriptorSource::Window(n) => {
                d.kind == DescriptorKind::StorageBuffer && kernel.windows.is_some_and(|w| n < w.count)
            }
            DescriptorSource::Image(n) => match arg(n) {
                Some(ArgKind::Image(image)) => {
                    image.views.iter().any(|v| v.binding == d.binding && v.kind.descriptor() == d.kind)
                }
                _ => false,
            },
            DescriptorSource::Sampler(n) => {
                let known = kernel.samplers.get(n as usize);
                d.kind == DescriptorKind::Sampler && known.is_some_and(|s| s.binding == d.binding)
            }
        };
        ensure(good, "a descriptor is of something that there is not")?;
    }
    let samplers = |s: &SamplerSource| match s {
        SamplerSource::Argument(n) => matches!(arg(*n), Some(ArgKind::Sampler)),
        SamplerSource::Literal(_) => true,
    };
    ensure(kernel.samplers.iter().all(|s| samplers(&s.source)), "a sampler is no argument")
}

fn check_block(kernel: &KernelInfo, data: &ProgramData) -> Result<(), String> {
    let block = &kernel.block;
    ensure(block.size.is_multiple_of(4) && block.size <= MAX_BLOCK_BYTES, "the argument block's size")?;
    if let BlockLocation::StorageBuffer { binding } = block.location {
        let there = kernel
            .descriptors
            .iter()
            .any(|d| d.binding == binding && d.source == DescriptorSource::ArgumentBlock);
        ensure(there || block.size == 0, "the argument block has no descriptor")?;
    }
    let arg = |n: u32| kernel.args.get(n as usize).map(|a| &a.kind);
    // Places have 32 bits.
    let address = if kernel.windows.is_some() { 4 } else { 8 };
    let mut end = 0;
    for member in &block.members {
        ensure(
            member.offset.is_multiple_of(4) && member.offset >= end,
            "members of the argument block overlap",
        )?;
        let after = member.offset.checked_add(member.size).filter(|end| *end <= block.size);
        end = after.ok_or("a member lies outside the argument block")?;
        let dim = |d: u32| d < 3 && member.size == 4;
        let good = match member.source {
            BlockSource::Argument(n) => {
                matches!(arg(n), Some(ArgKind::Value { size }) if *size <= member.size)
            }
            BlockSource::ArgumentAddress(n) => {
                matches!(arg(n), Some(ArgKind::Buffer { .. } | ArgKind::Image(_))) && member.size == address
            }
            BlockSource::GlobalIdBase(d)
            | BlockSource::GlobalOffset(d)
            | BlockSource::GlobalSize(d)
            | BlockSource::GlobalIdBaseHigh(d)
            | BlockSource::GlobalOffsetHigh(d)
            | BlockSource::GlobalSizeHigh(d)
            | BlockSource::NumGroups(d)
            | BlockSource::GroupBase(d)
            | BlockSource::EnqueuedLocalSize(d)
            | BlockSource::DispatchSize(d) => dim(d),
            BlockSource::WorkDim => member.size == 4,
            BlockSource::SharedBase => member.size == 8,
            BlockSource::SequenceAddress => member.size == address,
            BlockSource::WindowStart(n) => member.size == 4 && n < Windows::MAX && kernel.windows.is_some(),
            BlockSource::ConstantsAddress => member.size == address && !data.constants.bytes.is_empty(),
            BlockSource::GlobalsAddress => member.size == address && !data.globals.bytes.is_empty(),
            BlockSource::PrintfAddress => member.size == address && kernel.takes_buffer(),
            BlockSource::ImageFormat(n) | BlockSource::ImageLevels(n) => {
                matches!(arg(n), Some(ArgKind::Image(_))) && member.size == 4
            }
            BlockSource::ImageSize { arg: n, dim: d } => matches!(arg(n), Some(ArgKind::Image(_))) && dim(d),
            BlockSource::ArgumentSize(n)
            | BlockSource::ArgumentBefore(n)
            | BlockSource::ArgumentShadow(n)
            | BlockSource::ArgumentContent(n) => {
                matches!(arg(n), Some(ArgKind::Buffer { .. } | ArgKind::Local { .. })) && member.size == 8
            }
            BlockSource::Sampler(n) => matches!(arg(n), Some(ArgKind::Sampler)) && member.size == 4,
        };
        ensure(good, "a member of the argument block is of something that there is not")?;
    }
    Ok(())
}
