//! The data of a launch, as JavaScript asks for it: the work-group size, the constants of a pipeline, and the argument block.

use crate::program::{Model, Program, ProgramKernel};
use bundle::launch::{Addresses, Arg, Launch};
use lower::KernelInfo;
use lower::kernel_info::{ArgKind, BindingModel, DescriptorInfo, ImageAccess};
use serde::{Deserialize, Serialize};

/// A launch, without what it works on.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Request {
    /// Work-items by dimension.
    pub global: Vec<u32>,
    /// The work-group size. `None`: chosen here.
    pub local: Option<Vec<u32>>,
    /// The first global id.
    pub offset: Option<Vec<u32>>,
    /// The arguments.
    pub args: Vec<Argument>,
    /// See [`Addresses`].
    pub windows: [u32; 4],
    /// The packed address of the program's constants.
    pub constants: u32,
    /// The packed address of the program's variables.
    pub globals: u32,
    /// The packed address of the printf buffer.
    pub printf: u32,
    /// How the buffers are bound.
    pub model: Model,
}

/// An argument of a launch.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Argument {
    /// A buffer: its packed address, if the kernel asks for one, and its size in bytes.
    Buffer {
        /// See [`Arg::Buffer`].
        address: u32,
        /// Bytes.
        size: u32,
    },
    /// Bytes of `__local` memory.
    Local {
        /// Bytes.
        bytes: u32,
    },
    /// A value's bytes.
    Value {
        /// Them.
        bytes: Vec<u8>,
    },
    /// An image, in a buffer.
    Image {
        /// The packed address of its buffer, if the kernel asks for one.
        address: u32,
        /// See [`Arg::Image`].
        format: u32,
        /// Width, height and depth in texels.
        size: [u32; 3],
    },
    /// A sampler's bits.
    Sampler {
        /// See [`Arg::Sampler`].
        bits: u32,
    },
}

/// The data of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prepared {
    /// The work-group size.
    pub local: [u32; 3],
    /// The dispatches: one, if work-groups divide the NDRange.
    pub parts: Vec<PreparedPart>,
}

/// The data of a dispatch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreparedPart {
    /// For dispatchWorkgroups.
    pub groups: [u32; 3],
    /// The pipeline: launches with the same key share one. [`text`] takes it.
    pub key: String,
    /// The bytes of the argument block.
    pub block: Vec<u8>,
}

/// Prepares a launch.
///
/// # Errors
/// A launch that the kernel cannot have, in words.
pub fn prepare(program: &Program, kernel: &ProgramKernel, request: &Request) -> Result<Prepared, String> {
    let global = three(&request.global, "global size")?;
    let offset = request.offset.as_deref().map_or(Ok([0; 3]), |o| three(o, "global offset"))?;
    let offset = if request.offset.is_none() { [0; 3] } else { zero_beyond(offset, request.global.len()) };
    let info = kernel.info();
    let given = request.local.as_deref().map(|l| three(l, "work-group size")).transpose()?;
    let limits = &program.target().limits;
    let local = given.or(info.reqd_work_group_size).unwrap_or_else(|| {
        choose(global, info, limits.max_compute_work_group_size, limits.max_compute_work_group_invocations)
    });
    let variant = program.variant(kernel, Some(local), request.model)?;
    let ready = kernel.of(&variant)?;
    let launch = Launch { dimensions: request.global.len() as u32, global, offset, local };
    let args: Vec<Arg<'_>> = request.args.iter().map(argument).collect();
    let text = |e: bundle::launch::LaunchError| e.to_string();
    let addresses = Addresses {
        windows: request.windows.map(u64::from),
        constants: request.constants.into(),
        globals: request.globals.into(),
        printf: request.printf.into(),
        block: 0,
    };
    let items = local.iter().fold(1u64, |all, n| all.saturating_mul((*n).into()));
    let loops = ready.info().work_item_loops;
    match loops {
        Some(most) if items > u64::from(most) && items > u64::from(lower::MAX_WORK_GROUP_SIZE) => {
            return Err(format!("work-groups of {items} work-items"));
        }
        Some(_) => {}
        None if items > u64::from(limits.max_compute_work_group_invocations)
            || (0..3).any(|d| local[d] > limits.max_compute_work_group_size[d]) =>
        {
            return Err(format!("work-groups of {local:?} exceed the device's"));
        }
        None => {}
    }
    let mut parts = Vec::new();
    for part in ready.parts(&launch).map_err(text)? {
        let mut groups = part.groups;
        if loops.is_some() {
            let count = groups.iter().try_fold(1u32, |all, n| all.checked_mul(*n));
            groups = [count.ok_or("more work-groups than a dispatch can have")?, 1, 1];
        }
        if let Some(n) =
            groups.iter().zip(limits.max_compute_work_group_count).position(|(n, most)| *n > most)
        {
            return Err(format!("{} work-groups in dimension {n}: the device dispatches fewer", groups[n]));
        }
        let constants = ready.part_specialization(&launch, &part, &args).map_err(text)?;
        let mut key: Vec<String> = constants.iter().map(|(id, value)| format!("{id}={value}")).collect();
        key.extend(loops.map(|_| "large".to_owned()));
        let model = Model::NAMES.iter().find(|(_, model)| *model == request.model);
        key.extend(model.map(|(name, _)| (*name).to_owned()));
        let block = ready.part_block(&launch, &part, &args, &addresses).map_err(text)?;
        parts.push(PreparedPart { groups, key: key.join(","), block });
    }
    Ok(Prepared { local, parts })
}

/// The WGSL of a kernel for a pipeline's key.
///
/// # Errors
/// A text that is no key; what naga or WGSL does not know.
pub fn text(program: &Program, kernel: &ProgramKernel, key: &str) -> Result<String, String> {
    let mut constants = crate::wgsl::Constants::new();
    let (mut large, mut model) = (false, Model::Own);
    for part in key.split(',').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some((id, value)) => {
                let number = |text: &str| text.parse::<u32>().map_err(|e| format!("'{key}': {e}"));
                constants.insert(number(id)?, number(value)?);
            }
            None => {
                large |= part == "large";
                model =
                    Model::NAMES.iter().find(|(name, _)| *name == part).map_or(model, |(_, model)| *model);
            }
        }
    }
    let variant = program.variant(kernel, large.then_some([lower::MAX_WORK_GROUP_SIZE, 1, 1]), model)?;
    crate::wgsl::translate(&variant.lowered, &constants)
}

fn argument(argument: &Argument) -> Arg<'_> {
    match argument {
        Argument::Buffer { address, size } => {
            Arg::Buffer { address: u64::from(*address), size: u64::from(*size) }
        }
        Argument::Local { bytes } => Arg::Local(*bytes),
        Argument::Value { bytes } => Arg::Value(bytes),
        Argument::Image { address, format, size } => {
            let address = u64::from(*address);
            Arg::Image { format: *format, levels: 1, samples: 1, size: *size, address }
        }
        Argument::Sampler { bits } => Arg::Sampler(*bits),
    }
}

/// One to three numbers, with 1 for the dimensions that there are not.
fn three(numbers: &[u32], what: &str) -> Result<[u32; 3], String> {
    if numbers.is_empty() || numbers.len() > 3 {
        return Err(format!("the {what} has 1 to 3 dimensions"));
    }
    let mut all = [1; 3];
    all[..numbers.len()].copy_from_slice(numbers);
    Ok(all)
}

fn zero_beyond(mut numbers: [u32; 3], count: usize) -> [u32; 3] {
    numbers[count.min(3)..].fill(0);
    numbers
}

/// A work-group size for a launch that leaves it open: one that suits GPUs where the kernel returns beyond the NDRange, else one that divides it.
fn choose(global: [u32; 3], info: &KernelInfo, most: [u32; 3], items: u32) -> [u32; 3] {
    let guarded = info.guarded();
    if guarded != [false; 3] {
        let count = (0..3).filter(|d| guarded[*d] && global[*d] > 1).count();
        let edge = [64, 64, 8, 4][count];
        return [0, 1, 2].map(|d| if guarded[d] && global[d] > 1 { edge } else { 1 });
    }
    if let Some(hint) = info.work_group_size_hint
        && (0..3).all(|d| hint[d] > 0 && global[d].is_multiple_of(hint[d]))
        && hint.iter().map(|n| u64::from(*n)).product::<u64>() <= u64::from(items)
        && (0..3).all(|d| hint[d] <= most[d])
    {
        return hint;
    }
    let mut left = items.min(64);
    let mut local = [1; 3];
    for d in 0..3 {
        let largest = left.min(most[d]);
        local[d] = (1..=largest).rev().find(|n| global[d].is_multiple_of(*n)).unwrap_or(1);
        left /= local[d];
    }
    local
}

/// A kernel's reflection for JavaScript.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reflection<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its arguments.
    pub args: Vec<ArgReflection<'a>>,
    /// `reqd_work_group_size`.
    pub required_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// Bytes of its `__local` variables, without arguments.
    pub local_memory_size: u32,
    /// It has a barrier.
    pub has_barrier: bool,
    /// What is emulated, in words.
    pub emulated: Vec<&'static str>,
    /// `descriptor` or `packed`.
    pub binding_model: &'static str,
    /// The number of windows, in the packed model.
    pub windows: u32,
    /// It follows pointers in memory.
    pub follows_pointers: bool,
    /// It prints.
    pub prints: bool,
    /// The size of its argument block in bytes.
    pub block_size: u32,
    /// Its bindings in group 0.
    pub bindings: &'a [DescriptorInfo],
    /// Its whole reflection (`lower/src/kernel_info.rs`).
    pub info: &'a KernelInfo,
}

/// An argument's reflection.
#[derive(Debug, Serialize)]
pub struct ArgReflection<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type, as written.
    #[serde(rename = "type")]
    pub type_name: &'a str,
    /// `buffer`, `local`, `value`, `image` or `sampler`.
    pub kind: &'static str,
    /// The size of a value in bytes.
    pub size: Option<u32>,
    /// The kernel may write to the buffer or image.
    pub written: bool,
}

impl<'a> Reflection<'a> {
    /// Of a kernel.
    #[must_use]
    pub fn new(info: &'a KernelInfo) -> Self {
        let args = info.args.iter().map(|arg| {
            let (kind, size, written) = match &arg.kind {
                ArgKind::Buffer { written, .. } => ("buffer", None, *written),
                ArgKind::Local { .. } => ("local", None, true),
                ArgKind::Value { size } => ("value", Some(*size), false),
                ArgKind::Image(image) => ("image", None, image.access != ImageAccess::ReadOnly),
                ArgKind::Sampler => ("sampler", None, false),
            };
            ArgReflection { name: &arg.name, type_name: &arg.type_name, kind, size, written }
        });
        Reflection {
            name: &info.name,
            args: args.collect(),
            required_work_group_size: info.reqd_work_group_size,
            work_group_size_hint: info.work_group_size_hint,
            local_memory_size: info.local_memory_size,
            has_barrier: info.has_barrier,
            emulated: info.emulated.iter().map(|e| e.description()).collect(),
            binding_model: info.binding_model.name(),
            windows: info.windows.map_or(0, |w| w.count),
            follows_pointers: info.windows.is_some_and(|w| w.follows_pointers),
            prints: info.takes_buffer(),
            block_size: match info.binding_model {
                BindingModel::Descriptor | BindingModel::Packed => info.block.size,
                BindingModel::Address => 0,
            },
            bindings: &info.descriptors,
            info,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Settings, compile};

    /// Sizes whose product has more than 32 bits are refused, not multiplied.
    #[test]
    fn large_hints_and_sizes() {
        let source = "__attribute__((work_group_size_hint(65536, 65536, 1)))\n\
                      kernel void k(global int *o) { o[get_global_id(0)] = get_local_id(0); }";
        let program = compile(source, &Settings::default()).expect("options").program.expect("a program");
        let kernel = program.kernel("k").expect("the kernel");
        let request = |size: Option<u32>| Request {
            global: vec![65536, 65536],
            local: size.map(|n| vec![n, n]),
            args: vec![Argument::Buffer { address: 0, size: 4 }],
            ..Request::default()
        };
        for size in [None, Some(65536), Some(0x8000_0000)] {
            let refused = prepare(&program, kernel, &request(size)).expect_err("too many");
            assert!(refused.contains("work-group"), "{refused}");
        }
        let small = Request { global: vec![64], ..request(None) };
        assert_eq!(prepare(&program, kernel, &small).expect("a launch").parts[0].groups, [1, 1, 1]);
    }

    /// Work-groups that do not divide the NDRange are dispatched in parts, from OpenCL C 2.0 on.
    #[test]
    fn parts() {
        let source = "kernel void k(global int *o) { barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = get_local_size(0); }";
        let request = Request {
            global: vec![7, 5],
            local: Some(vec![4, 3]),
            args: vec![Argument::Buffer { address: 0, size: 4 }],
            ..Request::default()
        };
        let prepared = |options: &str| {
            let settings = Settings { options: options.to_owned(), ..Settings::default() };
            let program = compile(source, &settings).expect("options").program.expect("a program");
            prepare(&program, program.kernel("k").expect("the kernel"), &request)
        };
        let refused = prepared("-cl-std=CL1.2").expect_err("they do not divide it");
        assert!(refused.contains("do not divide"), "{refused}");
        let parts = prepared("-cl-std=CL2.0").expect("a launch").parts;
        let keys: Vec<&str> = parts.iter().map(|part| part.key.as_str()).collect();
        assert_eq!(keys, ["0=4,1=3,2=1", "0=3,1=3,2=1", "0=4,1=2,2=1", "0=3,1=2,2=1"]);
        assert!(parts.iter().all(|part| part.groups == [1, 1, 1]));
    }
}
