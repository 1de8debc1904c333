//! Queries about kernels (§5.9.4).

use std::sync::Arc;

use frontend::options::Features;
use lower::kernel_info::{ArgInfo, ArgKind, ImageAccess};
use lower::{KernelInfo, Target};
use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::param_value::ParamValue;
use crate::device::Device;
use crate::kernel::{Kernel, Part};
use crate::program::Origin;
use crate::program::executable::Form;

impl Kernel {
    /// Answers clGetKernelInfo.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query.
    pub(crate) fn info(&self, param: cl::cl_kernel_info) -> ClResult<ParamValue> {
        let definition = self.definition();
        Ok(match param {
            cl::CL_KERNEL_FUNCTION_NAME => ParamValue::text(&definition.name),
            cl::CL_KERNEL_NUM_ARGS => {
                ParamValue::uint(u32::try_from(definition.own_args().len()).unwrap_or(u32::MAX))
            }
            cl::CL_KERNEL_REFERENCE_COUNT => ParamValue::uint(self.own.references()),
            cl::CL_KERNEL_CONTEXT => ParamValue::pointer(self.program.context.raw()),
            cl::CL_KERNEL_PROGRAM => ParamValue::pointer(self.program.raw()),
            cl::CL_KERNEL_ATTRIBUTES => match (&self.program.origin, self.parts.first()) {
                (Origin::Source(_) | Origin::Linked, Some(part)) => {
                    ParamValue::text(&part.executable.module.attributes(&definition.name))
                }
                // "For kernels not created from OpenCL C source … the string returned will be empty".
                _ => ParamValue::text(""),
            },
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }

    /// Answers clGetKernelArgInfo. The information is there for programs built with -cl-kernel-arg-info.
    ///
    /// # Errors
    /// CL_INVALID_ARG_INDEX; CL_KERNEL_ARG_INFO_NOT_AVAILABLE; CL_INVALID_VALUE for an unknown query.
    pub(crate) fn argument_info(
        &self,
        index: cl::cl_uint,
        param: cl::cl_kernel_arg_info,
    ) -> ClResult<ParamValue> {
        let arg =
            self.definition().own_args().get(index as usize).ok_or(ClError(cl::CL_INVALID_ARG_INDEX))?;
        let known = self.parts.iter().all(|p| p.executable.module.traits.arg_info);
        let reply = match param {
            cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER => ParamValue::uint(address_qualifier(arg)),
            cl::CL_KERNEL_ARG_ACCESS_QUALIFIER => ParamValue::uint(access_qualifier(arg)),
            cl::CL_KERNEL_ARG_TYPE_NAME => known_text(&arg.type_name)?,
            cl::CL_KERNEL_ARG_TYPE_QUALIFIER => ParamValue::ulong(u64::from(type_qualifier(arg))),
            cl::CL_KERNEL_ARG_NAME => known_text(&arg.name)?,
            _ => return fail(cl::CL_INVALID_VALUE),
        };
        ensure(known, cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE)?;
        Ok(reply)
    }

    /// Answers clGetKernelWorkGroupInfo.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE; CL_INVALID_VALUE for an unknown query.
    pub(crate) fn work_group_info(
        &self,
        device: Option<&Arc<Device>>,
        param: cl::cl_kernel_work_group_info,
    ) -> ClResult<ParamValue> {
        let part = self.part(device)?;
        let info = part.kernel.info();
        Ok(match param {
            cl::CL_KERNEL_WORK_GROUP_SIZE => ParamValue::size(largest_work_group(part)),
            cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                let size = info.reqd_work_group_size.unwrap_or([0; 3]);
                ParamValue::sizes(&size.map(|n| n as usize))
            }
            cl::CL_KERNEL_LOCAL_MEM_SIZE => {
                let arguments = self.local_argument_bytes(info);
                ParamValue::ulong(u64::from(info.local_memory_size).saturating_add(arguments))
            }
            cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                ParamValue::size(part.device.target.limits.subgroup_size.max(1) as usize)
            }
            // Vulkan tells of no registers, and 0 would promise that they are enough: what is private, or one byte.
            cl::CL_KERNEL_SPILL_MEM_SIZE_INTEL
                if part.device.caps.language.contains(Features::INTEL_REQUIRED_SIZE) =>
            {
                ParamValue::ulong(u64::from(info.private_memory_size.max(1)))
            }
            cl::CL_KERNEL_PRIVATE_MEM_SIZE => ParamValue::ulong(u64::from(info.private_memory_size)),
            // CL_KERNEL_GLOBAL_WORK_SIZE is for built-in kernels only.
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }

    /// CL_KERNEL_* about sub-groups, whose input is a size or a number, and whose reply may have room for so many numbers.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE; CL_INVALID_OPERATION on a device without sub-groups; CL_INVALID_VALUE for an unknown query, or an
    /// input of another size.
    pub(crate) fn sub_group_info(
        &self,
        device: Option<&Arc<Device>>,
        param: cl::cl_kernel_sub_group_info,
        input: &[usize],
        room: Option<usize>,
    ) -> ClResult<ParamValue> {
        let part = self.part(device)?;
        let Some(size) = part.device.subgroup_size() else { return fail(cl::CL_INVALID_OPERATION) };
        let most = largest_work_group(part);
        let language = part.device.caps.language;
        Ok(match param {
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
                ensure(!input.is_empty(), cl::CL_INVALID_VALUE)?;
                ParamValue::size(size)
            }
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                ensure(!input.is_empty(), cl::CL_INVALID_VALUE)?;
                let items = input.iter().fold(1usize, |items, n| items.saturating_mul(*n));
                ParamValue::size(items.div_ceil(size))
            }
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let &[count] = input else { return fail(cl::CL_INVALID_VALUE) };
                let items = count.saturating_mul(size);
                // Zeros where no work-group has so many.
                let first = if items <= most { items } else { 0 };
                let rest = usize::from(first > 0);
                let dimensions = room.unwrap_or(3).clamp(1, 3);
                ParamValue::sizes(&[first, rest, rest][..dimensions])
            }
            cl::CL_KERNEL_MAX_NUM_SUB_GROUPS => ParamValue::size(most.div_ceil(size)),
            // SPIR-V's SubgroupsPerWorkgroup: OpenCL C has no attribute for it.
            cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS => {
                ParamValue::size(part.kernel.info().required_sub_groups.unwrap_or(0) as usize)
            }
            // cl_intel_required_subgroup_size.
            cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL
                if language.contains(Features::INTEL_REQUIRED_SIZE) =>
            {
                ParamValue::size(part.kernel.info().required_sub_group_size.unwrap_or(0) as usize)
            }
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

/// CL_KERNEL_WORK_GROUP_SIZE: on a device with small work-groups, those that the kernel goes through in pieces, if it can.
fn largest_work_group(part: &Part) -> usize {
    let (info, target) = (part.kernel.info(), &part.device.target);
    let largest = match info.reqd_work_group_size {
        Some(size) => size.map(u64::from),
        None => [lower::MAX_WORK_GROUP_SIZE.into(), 1, 1],
    };
    let asked = info.work_item_loops.is_none() && target.needs_work_item_loops(&largest);
    let form = Form { large: true, ..Form::default() };
    match asked && part.executable.kernel_in_form(&info.name, false, form).is_ok() {
        true => largest.iter().product::<u64>() as usize,
        false => max_work_group_size(part),
    }
}

/// The most work-items of a work-group that is not in pieces, or that the kernel requires.
pub(crate) fn max_work_group_size(part: &Part) -> usize {
    largest_invocations(part.kernel.info(), &part.device.target)
}

/// The same of a kernel on a device with a Target.
pub(crate) fn largest_invocations(info: &KernelInfo, target: &Target) -> usize {
    let most = match info.has_sub_groups {
        true => target.max_items_in_subgroups() as usize,
        false => target.limits.max_compute_work_group_invocations as usize,
    };
    let (required, pieces) = (info.reqd_work_group_size, info.work_item_loops);
    let most = if pieces.is_some() { most.max(lower::MAX_WORK_GROUP_SIZE as usize) } else { most };
    required.map_or(most, |size| size.iter().map(|n| *n as usize).product::<usize>().min(most))
}

/// A text that modules may lack: arguments of sources have a type, and names or none.
fn known_text(text: &str) -> ClResult<ParamValue> {
    ensure(!text.is_empty(), cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE)?;
    Ok(ParamValue::text(text))
}

fn access_qualifier(arg: &ArgInfo) -> cl::cl_kernel_arg_access_qualifier {
    match &arg.kind {
        ArgKind::Image(image) => match image.access {
            ImageAccess::ReadOnly => cl::CL_KERNEL_ARG_ACCESS_READ_ONLY,
            ImageAccess::WriteOnly => cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
            ImageAccess::ReadWrite => cl::CL_KERNEL_ARG_ACCESS_READ_WRITE,
        },
        _ if arg.is_pipe() => match arg.type_qualifiers.iter().any(|word| word == "read_only") {
            true => cl::CL_KERNEL_ARG_ACCESS_READ_ONLY,
            false => cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        },
        _ => cl::CL_KERNEL_ARG_ACCESS_NONE,
    }
}

fn address_qualifier(arg: &ArgInfo) -> cl::cl_kernel_arg_address_qualifier {
    match arg.kind {
        ArgKind::Buffer { constant: false, .. } => cl::CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgKind::Buffer { constant: true, .. } => cl::CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ArgKind::Local { .. } => cl::CL_KERNEL_ARG_ADDRESS_LOCAL,
        ArgKind::Image(_) => cl::CL_KERNEL_ARG_ADDRESS_GLOBAL,
        ArgKind::Value { .. } | ArgKind::Sampler => cl::CL_KERNEL_ARG_ADDRESS_PRIVATE,
    }
}

fn type_qualifier(arg: &ArgInfo) -> cl::cl_kernel_arg_type_qualifier {
    let bit = |word: &String| match word.as_str() {
        "const" => cl::CL_KERNEL_ARG_TYPE_CONST,
        "restrict" => cl::CL_KERNEL_ARG_TYPE_RESTRICT,
        "volatile" => cl::CL_KERNEL_ARG_TYPE_VOLATILE,
        "pipe" => cl::CL_KERNEL_ARG_TYPE_PIPE,
        _ => 0,
    };
    arg.type_qualifiers.iter().map(bit).fold(cl::CL_KERNEL_ARG_TYPE_NONE, |a, b| a | b)
}
