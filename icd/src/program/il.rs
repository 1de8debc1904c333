//! Programs from SPIR-V (OpenCL API §5.8.1): what was given, what is known of it, and values of its specialization constants
//! (§5.8.2).
//!
//! An ill-formed module is no program. A well-formed module with something that Pumice does not know is one that cannot be
//! built: its log says why.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::Mutex;

use lower::ValidateError;
use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure};
use crate::program::module::{Kind, Module, Traits};

/// The intermediate language of a program.
pub(crate) struct Il {
    /// As it was given: CL_PROGRAM_IL.
    pub(crate) bytes: Vec<u8>,
    /// The module, or why it cannot be built.
    module: Result<Vec<u32>, String>,
    /// The sizes of its specialization constants by their numbers.
    constants: BTreeMap<u32, u32>,
    /// The values of clSetProgramSpecializationConstant.
    values: Mutex<BTreeMap<u32, Vec<u8>>>,
}

impl Il {
    /// Takes a module.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for what is ill-formed.
    pub(crate) fn load(bytes: &[u8]) -> ClResult<Arc<Il>> {
        let refused = |e: &dyn std::fmt::Display| {
            log::error!("clCreateProgramWithIL: {e}");
            ClError(cl::CL_INVALID_VALUE)
        };
        let words = spirv_io::bytes_to_words(bytes).map_err(|e| refused(&e))?;
        let words = lower::strip_debug_info(&words).map_err(|e| refused(&e))?;
        let (module, constants) = match lower::validate(&words) {
            Ok(()) => {
                let constants = lower::specialize::constants(&words).map_err(|e| refused(&e))?;
                (Ok(words), constants)
            }
            Err(e @ ValidateError::Invalid { .. }) => return Err(refused(&e)),
            Err(e @ ValidateError::Unsupported { .. }) => (Err(format!("error: {e}\n")), BTreeMap::new()),
        };
        Ok(Arc::new(Il { bytes: bytes.to_vec(), module, constants, values: Mutex::default() }))
    }

    /// The size of a specialization constant.
    ///
    /// # Errors
    /// CL_INVALID_SPEC_ID.
    pub(crate) fn constant_size(&self, number: u32) -> ClResult<usize> {
        self.constants.get(&number).map(|size| *size as usize).ok_or(ClError(cl::CL_INVALID_SPEC_ID))
    }

    /// Gives a specialization constant a value for the builds to come.
    ///
    /// # Errors
    /// CL_INVALID_SPEC_ID; CL_INVALID_VALUE for another size.
    pub(crate) fn specialize(&self, number: u32, value: &[u8]) -> ClResult<()> {
        ensure(self.constant_size(number)? == value.len(), cl::CL_INVALID_VALUE)?;
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.insert(number, value.to_vec());
        Ok(())
    }

    /// The module with the values so far, as a build has it.
    ///
    /// # Errors
    /// Text for the build log.
    pub(crate) fn module(&self, options: &str, kind: Kind) -> Result<Module, String> {
        let words = self.module.as_ref().map_err(Clone::clone)?;
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let spirv = lower::specialize::specialize(words, &values).map_err(|e| format!("error: {e}\n"))?;
        let traits = Traits {
            arg_info: tells_of_arguments(&spirv),
            // §5.10: unless the option says otherwise.
            non_uniform: !options.split_whitespace().any(|o| o == "-cl-uniform-work-group-size"),
        };
        Ok(Module { spirv, kind, options: options.to_owned(), traits, ready: None })
    }
}

/// Returns whether a module has the strings in which LLVM's translator and our front end keep what clGetKernelArgInfo answers.
pub(crate) fn tells_of_arguments(words: &[u32]) -> bool {
    let Ok((_, reader)) = spirv_io::Reader::new(words) else { return false };
    reader
        .filter_map(Result::ok)
        .take_while(|i| i.op != spirv_io::spirv::Op::Function)
        .filter(|i| i.op == spirv_io::spirv::Op::String)
        .any(|i| i.string(1).is_ok_and(|(text, _)| text.starts_with("kernel_arg_type.")))
}
