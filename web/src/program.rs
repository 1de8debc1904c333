//! A compiled source: its kernels for one GPUDevice, each a module of its own.

use crate::messages::{Message, Places};
use crate::target::{Adapter, webgpu};
use crate::wgsl::{self, Constants};
use bundle::launch::Kernel;
use bundle::{Traits, Variant};
use frontend::options::{LangVersion, Options};
use lower::enqueue::INITIALIZER;
use lower::kernel_info::BindingModel;
use lower::{BindingChoice, KernelInfo, LowerOptions, Target};
use rspirv::binary::Disassemble;
use serde::Deserialize;
use spirv_io::spirv::Op;
use std::cell::OnceCell;

/// What a compilation is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Build options, as clBuildProgram takes them.
    pub options: String,
    /// The name of the source in `__FILE__` and messages. `None`: `kernel.cl`.
    pub file: Option<String>,
    /// The features and limits of the GPUDevice.
    pub adapter: Adapter,
}

/// What a compilation gives.
#[derive(Debug)]
pub struct Compiled {
    /// Errors and warnings.
    pub messages: Vec<Message>,
    /// The program, if the source has no error. Kernels that WebGPU cannot run are not in it, and none is if an initialiser cannot run.
    pub program: Option<Program>,
}

/// A program for one GPUDevice.
#[derive(Debug)]
pub struct Program {
    spirv: Vec<u32>,
    target: Target,
    traits: Traits,
    kernels: Vec<ProgramKernel>,
    initializers: Vec<ProgramKernel>,
}

/// How a kernel's buffers are bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Model {
    /// As suits the kernel: one by one, or in the packed model if it follows pointers in memory or has too many.
    #[default]
    Own,
    /// In the packed model: some arguments are one buffer.
    Packed,
    /// All in one window of the packed model: they are copied together.
    Whole,
}

impl Model {
    /// All of them, by their names in a pipeline's key.
    pub(crate) const NAMES: [(&str, Model); 2] = [("packed", Model::Packed), ("whole", Model::Whole)];
}

/// A kernel of a program.
#[derive(Debug)]
pub struct ProgramKernel {
    name: String,
    plain: Variant,
    /// Its other forms: with work-item loops for work-groups that exceed the device's, and in each [`Model`].
    others: [OnceCell<Result<Variant, String>>; 5],
    /// The WGSL with default constants, which shows that there is one.
    text: String,
}

/// Compiles a source.
///
/// # Errors
/// Build options that are none.
pub fn compile(source: &str, settings: &Settings) -> Result<Compiled, String> {
    let target = webgpu(&settings.adapter)?;
    let mut options = Options::default();
    language::apply(&target, &mut options);
    options.parse_build_options(&settings.options).map_err(|e| e.to_string())?;
    let file = settings.file.as_deref().unwrap_or("kernel.cl");
    let compiled = frontend::compile(file, source, &options);
    let places = Places { sources: &compiled.sources, text: source };
    let mut messages: Vec<Message> =
        compiled.diagnostics.iter().map(|d| places.message(d, &compiled.sources)).collect();
    let Some(spirv) = compiled.spirv else { return Ok(Compiled { messages, program: None }) };
    let non_uniform = options.std >= LangVersion::Cl2_0;
    let traits = Traits { non_uniform, group_functions: false };
    let mut program = Program { spirv, target, traits, kernels: Vec::new(), initializers: Vec::new() };
    let mut initialized = true;
    for name in kernel_names(&program.spirv) {
        let made = program.kernel_of(&name);
        let initializes = name.starts_with(INITIALIZER);
        initialized &= !initializes || made.is_ok();
        match made {
            Ok(kernel) if initializes => program.initializers.push(kernel),
            Ok(kernel) => program.kernels.push(kernel),
            Err(why) if initializes => {
                let why = format!("the values of the program's objects: {why}");
                messages.push(Message::refusal(&name, why, source));
            }
            Err(why) => messages.push(Message::refusal(&name, why, source)),
        }
    }
    if !initialized {
        // No kernel may see objects without their values.
        program.kernels.clear();
    }
    Ok(Compiled { messages, program: Some(program) })
}

/// The names of a module's kernels.
fn kernel_names(spirv: &[u32]) -> Vec<String> {
    let Ok((_, reader)) = spirv_io::Reader::new(spirv) else { return Vec::new() };
    reader
        .filter_map(Result::ok)
        .filter(|i| i.op == Op::EntryPoint)
        .filter_map(|i| i.string(2).ok().map(|(name, _)| name))
        .collect()
}

impl Program {
    fn kernel_of(&self, name: &str) -> Result<ProgramKernel, String> {
        let plain = self.lower(name, false, Model::Own)?;
        let text = wgsl::translate(&plain.lowered, &Constants::new())?;
        Ok(ProgramKernel { name: name.to_owned(), plain, others: Default::default(), text })
    }

    /// Lowers one kernel, with or without work-item loops for large work-groups, in a model.
    fn lower(&self, name: &str, large: bool, model: Model) -> Result<Variant, String> {
        let binding = match model {
            Model::Own => BindingChoice::Auto,
            Model::Packed | Model::Whole => BindingChoice::Fixed(BindingModel::Packed),
        };
        let options = LowerOptions {
            kernels: Some(vec![name.to_owned()]),
            binding,
            own_module: true,
            non_uniform: self.traits.non_uniform,
            large,
            ..LowerOptions::default()
        };
        let mut target = self.target.clone();
        if model == Model::Whole {
            // The window and the argument block.
            target.limits.max_per_stage_descriptor_storage_buffers = 2;
        }
        let lowered = lower::lower(&self.spirv, &target, &options).map_err(|e| e.to_string())?;
        Variant::new(target, self.traits, lowered).map_err(|e| e.to_string())
    }

    /// The OpenCL SPIR-V.
    #[must_use]
    pub fn spirv(&self) -> &[u32] {
        &self.spirv
    }

    /// The OpenCL SPIR-V as a listing.
    ///
    /// # Errors
    /// None that is known: the module is the front end's.
    pub fn listing(&self) -> Result<String, String> {
        let module = rspirv::dr::load_words(&self.spirv).map_err(|e| e.to_string())?;
        Ok(module.disassemble() + "\n")
    }

    /// The kernels that WebGPU can run, in the order of the source.
    #[must_use]
    pub fn kernels(&self) -> &[ProgramKernel] {
        &self.kernels
    }

    /// The hidden kernels that give objects of a C++ program their values, in their order. Each runs once, before the first kernel, as one
    /// work-item without arguments.
    #[must_use]
    pub fn initializers(&self) -> &[ProgramKernel] {
        &self.initializers
    }

    /// The device.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// A kernel or an initialiser by its name.
    ///
    /// # Errors
    /// There is none.
    pub fn kernel(&self, name: &str) -> Result<&ProgramKernel, String> {
        let found = self.kernels.iter().chain(&self.initializers).find(|k| k.name == name);
        found.ok_or_else(|| format!("there is no kernel '{name}' that WebGPU can run"))
    }

    /// The variant of a kernel for work-groups of a size, or for launches that leave it open, in a model.
    ///
    /// # Errors
    /// Work-groups that are too large, or a kernel that cannot have loops for them.
    pub fn variant(
        &self,
        kernel: &ProgramKernel,
        local: Option<[u32; 3]>,
        model: Model,
    ) -> Result<Variant, String> {
        let large = local.is_some_and(|local| self.target.needs_work_item_loops(&local.map(u64::from)));
        let which = match (large, model) {
            (false, Model::Own) => return Ok(kernel.plain.clone()),
            (true, Model::Own) => 0,
            (false, Model::Packed) => 1,
            (true, Model::Packed) => 2,
            (false, Model::Whole) => 3,
            (true, Model::Whole) => 4,
        };
        kernel.others[which].get_or_init(|| self.lower(&kernel.name, large, model)).clone()
    }
}

impl ProgramKernel {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The WGSL with work-groups of 64 work-items, if the kernel requires no size, and [`wgsl::LOCAL_ELEMENTS`] elements for each `__local` argument.
    #[must_use]
    pub fn wgsl(&self) -> &str {
        &self.text
    }

    /// Its lowered form, without loops for large work-groups.
    #[must_use]
    pub fn plain(&self) -> &Variant {
        &self.plain
    }

    /// Its reflection.
    #[must_use]
    pub fn info(&self) -> &KernelInfo {
        // A variant of a kernel has that kernel alone.
        &self.plain.lowered.kernels[0]
    }

    /// The kernel of a variant for launches.
    ///
    /// # Errors
    /// A variant of another kernel.
    pub fn of<'a>(&self, variant: &'a Variant) -> Result<Kernel<'a>, String> {
        Kernel::new(variant, &self.name).map_err(|e| e.to_string())
    }
}
