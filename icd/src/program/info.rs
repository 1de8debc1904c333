//! clGetProgramInfo and clGetProgramBuildInfo (§5.8.8).

use std::sync::Arc;

use lower::enqueue;
use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, fail};
use crate::abi::param_value::ParamValue;
use crate::device::Device;
use crate::program::{DeviceBuild, Program, binary};

impl Program {
    /// Answers clGetProgramInfo, except for CL_PROGRAM_BINARIES.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query; CL_INVALID_PROGRAM_EXECUTABLE where there is none to tell about.
    pub(crate) fn info(&self, param: cl::cl_program_info) -> ClResult<ParamValue> {
        Ok(match param {
            cl::CL_PROGRAM_REFERENCE_COUNT => ParamValue::uint(self.references()),
            cl::CL_PROGRAM_CONTEXT => ParamValue::pointer(self.context.raw()),
            cl::CL_PROGRAM_NUM_DEVICES => {
                ParamValue::uint(u32::try_from(self.devices.len()).unwrap_or(u32::MAX))
            }
            cl::CL_PROGRAM_DEVICES => ParamValue::handles(self.devices.iter().map(|d| d.raw())),
            cl::CL_PROGRAM_SOURCE => {
                let mut bytes = self.source().map_or_else(Vec::new, |text| text.to_vec());
                bytes.push(0);
                ParamValue(bytes)
            }
            // Nothing, with size 0, of programs that were made of something else.
            cl::CL_PROGRAM_IL => {
                self.il().map_or_else(ParamValue::default, |il| ParamValue(il.bytes.clone()))
            }
            cl::CL_PROGRAM_BINARY_SIZES => {
                ParamValue::sizes(&self.binaries().iter().map(Vec::len).collect::<Vec<_>>())
            }
            cl::CL_PROGRAM_NUM_KERNELS => ParamValue::size(self.kernel_names()?.len()),
            cl::CL_PROGRAM_KERNEL_NAMES => ParamValue::text(&self.kernel_names()?.join(";")),
            cl::CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT => {
                self.kernel_names()?;
                let executables = self.executables();
                let mut kernels = executables.iter().flat_map(|(_, e)| &e.kernels);
                ParamValue::bool(kernels.any(|kernel| kernel.is_initializer()))
            }
            cl::CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                self.kernel_names()?;
                ParamValue::bool(false)
            }
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }

    /// CL_PROGRAM_BINARIES: one for each device, empty where there is none.
    pub(crate) fn binaries(&self) -> Vec<Vec<u8>> {
        let of = |(device, state): (&Arc<Device>, DeviceBuild)| {
            state.module.map_or_else(Vec::new, |m| binary::write(&m, device.binaries(binary::identity)))
        };
        self.devices.iter().zip(self.states()).map(of).collect()
    }

    /// The kernels of the executables: those of the first device and what others have beyond.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE when there is none.
    pub(crate) fn kernel_names(&self) -> ClResult<Vec<String>> {
        let executables = self.executables();
        if executables.is_empty() {
            return Err(ClError(cl::CL_INVALID_PROGRAM_EXECUTABLE));
        }
        let mut names: Vec<String> = Vec::new();
        let all = executables.iter().flat_map(|(_, e)| &e.kernels);
        // Blocks are kernels that only kernels launch.
        for kernel in all.filter(|kernel| !enqueue::is_hidden(&kernel.name)) {
            if executables.len() == 1 || !names.contains(&kernel.name) {
                names.push(kernel.name.clone());
            }
        }
        Ok(names)
    }

    /// Answers clGetProgramBuildInfo.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE; CL_INVALID_VALUE for an unknown query.
    pub(crate) fn build_info(
        &self,
        device: &Arc<Device>,
        param: cl::cl_program_build_info,
    ) -> ClResult<ParamValue> {
        let place = self.index(device)?;
        let state = self.states().into_iter().nth(place).ok_or(ClError(cl::CL_INVALID_DEVICE))?;
        Ok(match param {
            cl::CL_PROGRAM_BUILD_STATUS => ParamValue::int(state.status),
            cl::CL_PROGRAM_BUILD_OPTIONS => ParamValue::text(&state.options),
            cl::CL_PROGRAM_BUILD_LOG => ParamValue::text(&state.log),
            cl::CL_PROGRAM_BINARY_TYPE => {
                ParamValue::uint(state.module.map_or(cl::CL_PROGRAM_BINARY_TYPE_NONE, |m| m.kind.code()))
            }
            cl::CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                ParamValue::size(state.executable.map_or(0, |e| e.globals_size))
            }
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}
