//! A compiled module.

use std::sync::Arc;

use bundle::Bundle;
use lower::{Lowered, Target};
use opencl_sys as cl;

/// OpenCL SPIR-V, and what is remembered of how it was made. The contents of a program binary.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Module {
    pub(crate) spirv: Vec<u32>,
    pub(crate) kind: Kind,
    /// The options that it was made with: taken again where a binary is built without options (§5.8.3).
    pub(crate) options: String,
    pub(crate) traits: Traits,
    /// The part of a bundle for the device. There is no OpenCL SPIR-V then.
    pub(crate) ready: Option<Arc<Ready>>,
}

/// The part of a bundle for a device (docs/how-to/aot.md).
#[derive(Debug, PartialEq)]
pub(crate) struct Ready {
    pub(crate) lowered: Lowered,
    /// The bundle: the program's binary.
    pub(crate) bytes: Vec<u8>,
}

/// CL_PROGRAM_BINARY_TYPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Compiled, to be linked.
    Object,
    /// Linked with -create-library.
    Library,
    /// Linked.
    Executable,
}

/// Facts about a module's kernels from its compilation. A linked module has those that hold for all inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Traits {
    /// -cl-kernel-arg-info: clGetKernelArgInfo answers.
    pub(crate) arg_info: bool,
    /// Work-groups need not divide the NDRange (OpenCL C 2.0 and later without -cl-uniform-work-group-size; §5.10).
    pub(crate) non_uniform: bool,
}

impl Kind {
    /// As the API names it.
    pub(crate) fn code(self) -> cl::cl_program_binary_type {
        match self {
            Kind::Object => cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            Kind::Library => cl::CL_PROGRAM_BINARY_TYPE_LIBRARY,
            Kind::Executable => cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        }
    }

    /// The kind of a code.
    pub(crate) fn from_code(code: cl::cl_program_binary_type) -> Option<Self> {
        [Kind::Object, Kind::Library, Kind::Executable].into_iter().find(|k| k.code() == code)
    }
}

impl Traits {
    /// Returns what holds for both.
    pub(crate) fn and(self, other: Traits) -> Traits {
        Traits {
            arg_info: self.arg_info && other.arg_info,
            non_uniform: self.non_uniform && other.non_uniform,
        }
    }
}

impl Module {
    /// The module for a device in a bundle.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of_bundle(bytes: &[u8], target: &Target) -> Result<Module, String> {
        let bundle = Bundle::read(bytes).map_err(|e| e.to_string())?;
        let variant = bundle.choose(target)?;
        Ok(Module {
            spirv: Vec::new(),
            kind: Kind::Executable,
            options: String::new(),
            traits: Traits { arg_info: true, non_uniform: variant.traits.non_uniform },
            ready: Some(Arc::new(Ready { lowered: variant.lowered.clone(), bytes: bytes.to_vec() })),
        })
    }

    /// CL_KERNEL_ATTRIBUTES of a kernel: the front end keeps them as strings `kernel_attributes.KERNEL.TEXT`.
    pub(crate) fn attributes(&self, kernel: &str) -> String {
        let prefix = format!("kernel_attributes.{kernel}.");
        let Ok((_, reader)) = spirv_io::Reader::new(&self.spirv) else { return String::new() };
        reader
            .filter_map(Result::ok)
            .take_while(|i| i.op != spirv_io::spirv::Op::Function)
            .filter(|i| i.op == spirv_io::spirv::Op::String)
            .filter_map(|i| i.string(1).ok())
            .find_map(|(text, _)| text.strip_prefix(&prefix).map(str::to_owned))
            .unwrap_or_default()
    }
}
