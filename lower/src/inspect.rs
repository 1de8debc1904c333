//! `pumice inspect`: the destination of each pointer argument and variable of a kernel.

use crate::error::LowerError;
use crate::ir::{Func, InstKind, KernelArgKind, KernelData, Module, Root, Space};
use crate::kernel_info::{
    ArgKind, BindingModel, BlockLocation, BlockSource, DescriptorSource, Emulated, ImageAccess, ImageView,
    KernelInfo, SamplerSource,
};
use crate::target::Target;
use crate::{LowerOptions, pipeline};
use serde::Serialize;
use std::collections::BTreeSet;

/// The memories of a kernel after lowering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KernelReport {
    /// The kernel's name.
    pub kernel: String,
    /// Descriptors or addresses.
    pub binding_model: BindingModel,
    /// The emulated features.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub emulated: Vec<Emulated>,
    /// Its arguments, then the variables that it and its callees name.
    pub memories: Vec<MemoryReport>,
}

/// An argument or variable after lowering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryReport {
    /// Its name.
    pub name: String,
    /// `argument` or `variable`.
    pub what: &'static str,
    /// The access to an image argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<ImageAccess>,
    /// Its type as written, if known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub type_name: String,
    /// The OpenCL address space that it was declared with or that was inferred; of a value argument,
    /// `private`.
    pub address_space: &'static str,
    /// The Vulkan storage class; `none` for what needs no memory (unused, folded, or in registers).
    pub storage_class: &'static str,
    /// The descriptors of an image argument.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<ImageView>,
    /// Its binding in descriptor set 0; an image's, if it has one descriptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<u32>,
    /// Its byte offset in the argument block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// The specialization constant that takes its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_id: Option<u32>,
    /// Bytes, where the program says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

impl MemoryReport {
    fn new(name: &str, what: &'static str, address_space: &'static str) -> Self {
        MemoryReport {
            name: name.to_owned(),
            what,
            access: None,
            type_name: String::new(),
            address_space,
            storage_class: "none",
            views: Vec::new(),
            binding: None,
            offset: None,
            spec_id: None,
            size: None,
        }
    }
}

/// Lowers a module of IR and reports the destination of its memories.
///
/// # Errors
/// As for lowering.
pub fn inspect_ir(
    module: Module,
    target: &Target,
    options: &LowerOptions,
) -> Result<Vec<KernelReport>, LowerError> {
    let source = module.clone();
    let mut module = module;
    pipeline::run_passes(&mut module, target, options)?;
    let lowered = pipeline::finish(&module, target)?;
    let mut reports = Vec::new();
    for (info, kernel) in lowered.kernels.iter().zip(&module.kernels) {
        let Some(before) = source.kernels.iter().find(|k| k.name == info.name) else { continue };
        let mut memories = arguments(before, info);
        memories.extend(variables(&source, before, &module, kernel, info));
        reports.push(KernelReport {
            kernel: info.name.clone(),
            binding_model: info.binding_model,
            emulated: info.emulated.clone(),
            memories,
        });
    }
    Ok(reports)
}

fn arguments(kernel: &KernelData, info: &KernelInfo) -> Vec<MemoryReport> {
    let mut list = Vec::new();
    for (n, (arg, lowered)) in (0..).zip(kernel.args.iter().zip(&info.args)) {
        let space = match arg.kind {
            KernelArgKind::Pointer { space, .. } => space_name(space),
            KernelArgKind::Image(_) => "global",
            KernelArgKind::Value { .. } | KernelArgKind::Sampler => "private",
        };
        let mut report = MemoryReport::new(&arg.name, "argument", space);
        report.type_name.clone_from(&arg.type_name);
        let member = |source: BlockSource| info.block.members.iter().find(|m| m.source == source);
        match lowered.kind {
            ArgKind::Buffer { binding: Some(binding), .. } => {
                report.storage_class = "StorageBuffer";
                report.binding = Some(binding);
            }
            ArgKind::Buffer { .. } => {
                if let Some(member) = member(BlockSource::ArgumentAddress(n)) {
                    report.storage_class = address_class(info);
                    report.offset = Some(member.offset);
                }
            }
            ArgKind::Local { spec_id, .. } => {
                if spec_id.is_some() {
                    report.storage_class = "Workgroup";
                    report.spec_id = spec_id;
                }
            }
            ArgKind::Value { size } => {
                report.size = Some(u64::from(size));
                if let Some(member) = member(BlockSource::Argument(n)) {
                    report.storage_class = block_class(info);
                    report.offset = Some(member.offset);
                }
            }
            ArgKind::Image(ref image) => {
                report.access = Some(image.access);
                report.views.clone_from(&image.views);
                if let [first, others @ ..] = image.views.as_slice() {
                    report.storage_class = "UniformConstant";
                    report.binding = others.is_empty().then_some(first.binding);
                }
            }
            ArgKind::Sampler => {
                if let Some(member) = member(BlockSource::Sampler(n)) {
                    report.storage_class = block_class(info);
                    report.offset = Some(member.offset);
                }
                let of = SamplerSource::Argument(n);
                if let Some(sampler) = info.samplers.iter().find(|s| s.source == of) {
                    report.storage_class = "UniformConstant";
                    report.binding = Some(sampler.binding);
                }
            }
        }
        list.push(report);
    }
    list
}

/// The location of the argument block.
fn block_class(info: &KernelInfo) -> &'static str {
    match info.block.location {
        BlockLocation::PushConstants => "PushConstant",
        BlockLocation::StorageBuffer { .. } => "StorageBuffer",
        BlockLocation::BufferAddress => "PhysicalStorageBuffer",
    }
}

/// Variables that the kernel and its callees name in the source module.
fn variables(
    source: &Module,
    before: &KernelData,
    module: &Module,
    kernel: &KernelData,
    info: &KernelInfo,
) -> Vec<MemoryReport> {
    let kept = remaining(module, kernel);
    let mut list = Vec::new();
    let (mut globals, mut slots) = (BTreeSet::new(), BTreeSet::new());
    for (func, root) in named_roots(source, before.func) {
        match root {
            Root::Global(global) => {
                globals.insert(global);
            }
            Root::Slot(slot) => {
                slots.insert((func, slot));
            }
            _ => {}
        }
    }
    for global in globals {
        let Some(data) = source.globals.get(global) else { continue };
        let mut report = MemoryReport::new(&data.name, "variable", space_name(data.space));
        report.size = Some(data.size);
        match data.space {
            Space::Local if kept.contains(&data.name) => report.storage_class = "Workgroup",
            Space::Constant => {
                program_data(&mut report, info, DescriptorSource::Constants, BlockSource::ConstantsAddress);
            }
            Space::Global => {
                program_data(&mut report, info, DescriptorSource::Globals, BlockSource::GlobalsAddress);
            }
            _ => {}
        }
        list.push(report);
    }
    for (func, slot) in slots {
        let Some(data) = source.functions.get(func).and_then(|f| f.slots.get(slot)) else { continue };
        let name = data.name.clone().unwrap_or_else(|| slot.to_string());
        let mut report = MemoryReport::new(&name, "variable", "private");
        report.size = Some(data.size);
        if kept.contains(&name) {
            report.storage_class = "Function";
        }
        list.push(report);
    }
    list
}

fn program_data(
    report: &mut MemoryReport,
    info: &KernelInfo,
    descriptor: DescriptorSource,
    address: BlockSource,
) {
    if let Some(found) = info.descriptors.iter().find(|d| d.source == descriptor) {
        report.storage_class = "StorageBuffer";
        report.binding = Some(found.binding);
    } else if let Some(member) = info.block.members.iter().find(|m| m.source == address) {
        report.storage_class = address_class(info);
        report.offset = Some(member.offset);
    }
}

/// The storage of memory that is reached by an address or a packed address.
fn address_class(info: &KernelInfo) -> &'static str {
    if info.windows.is_some() { "StorageBuffer" } else { "PhysicalStorageBuffer" }
}

/// Functions reached from a kernel, with the roots that their instructions name.
fn named_roots(module: &Module, kernel: Func) -> Vec<(Func, Root)> {
    let (mut seen, mut work, mut found) = (BTreeSet::new(), vec![kernel], Vec::new());
    while let Some(func) = work.pop() {
        if !seen.insert(func) {
            continue;
        }
        let Some(function) = module.functions.get(func) else { continue };
        for inst in function.layout.iter().flat_map(|b| &function.blocks[*b].insts) {
            match &function.insts[*inst].kind {
                InstKind::RootAddr(root) => found.push((func, *root)),
                InstKind::Call { func, .. } => work.push(*func),
                _ => {}
            }
        }
    }
    found
}

/// Names of the variables that are still memory after the passes.
fn remaining(module: &Module, kernel: &KernelData) -> BTreeSet<String> {
    let used = crate::write::scan(module, kernel.func);
    let globals = used.roots.keys().filter_map(|root| match root {
        Root::Global(global) => module.globals.get(*global).map(|g| g.name.clone()),
        _ => None,
    });
    let slots = used.slots.keys().filter_map(|(func, slot)| {
        let data = module.functions.get(*func)?.slots.get(*slot)?;
        Some(data.name.clone().unwrap_or_else(|| slot.to_string()))
    });
    globals.chain(slots).collect()
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Private => "private",
        Space::Local => "local",
        Space::Constant => "constant",
        Space::Global => "global",
        Space::Generic => "generic",
        Space::Block => "block",
    }
}
