//! Kernel objects (OpenCL API §5.9) and their launches (§5.10).
//!
//! | module | what it is |
//! |---|---|
//! | [`args`] | arguments: what the application sets |
//! | [`launch`] | clEnqueueNDRangeKernel |
//! | [`repeat`] | launches like the one before |
//! | [`printf`] | what kernels print |
//! | [`enqueue`] | kernels that kernels enqueue |
//! | [`info`] | the queries |

pub(crate) mod args;
pub(crate) mod dimensions;
pub(crate) mod enqueue;
pub(crate) mod info;
pub(crate) mod prepared;
pub(crate) mod printf;
pub(crate) mod repeat;
pub(crate) mod resume;
pub(crate) mod trial;

use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use lower::KernelInfo;
use lower::kernel_info::ArgKind;
use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::device::Device;
use crate::program::Program;
use crate::program::executable::Executable;
use args::Args;

/// A kernel object.
pub(crate) struct Kernel {
    pub(crate) own: Own<Kernel>,
    pub(crate) program: Attached,
    /// The kernel on each device that the program was built for; never empty.
    pub(crate) parts: Arc<[Part]>,
    args: Mutex<Args>,
}
object!(Kernel, cl::CL_INVALID_KERNEL, repeat::Place);

/// A kernel on one device.
pub(crate) struct Part {
    pub(crate) device: Arc<Device>,
    pub(crate) executable: Arc<Executable>,
    pub(crate) kernel: vk_runtime::Kernel,
}

/// A kernel object's hold on its program: while there is one, the program cannot be built again.
pub(crate) struct Attached(Arc<Program>);

impl std::ops::Deref for Attached {
    type Target = Arc<Program>;
    fn deref(&self) -> &Arc<Program> {
        &self.0
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.0.detach(1);
    }
}

impl Kernel {
    /// clCreateKernel.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME; CL_INVALID_KERNEL_DEFINITION when its arguments are not
    /// the same on all devices.
    pub(crate) fn create(program: &Arc<Program>, name: &str) -> ClResult<Raw> {
        let executables = program.attach(1)?;
        let program = Attached(program.clone());
        ensure(!lower::enqueue::is_hidden(name), cl::CL_INVALID_KERNEL_NAME)?;
        Kernel::from_executables(program, &executables, name).map(|k| handle::publish(&k))
    }

    /// The number of kernel objects that clCreateKernelsInProgram makes: one for each function that is the same on all devices that have an executable
    /// (§5.9.1).
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE.
    pub(crate) fn count_all(program: &Program) -> ClResult<usize> {
        let executables = program.executables();
        let is_one = |name: &String| {
            let mut all = executables.iter().filter_map(|(_, executable)| executable.info(name));
            let first = all.next();
            first.is_some_and(|first| all.all(|other| same_definition(first, other)))
        };
        Ok(program.kernel_names()?.iter().filter(|name| is_one(name)).count())
    }

    /// clCreateKernelsInProgram: a kernel object for each of these.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE, and what Vulkan fails with.
    pub(crate) fn create_all(program: &Arc<Program>) -> ClResult<Vec<Raw>> {
        let mut made = Vec::new();
        for name in program.kernel_names()? {
            let executables = program.attach(1)?;
            match Kernel::from_executables(Attached(program.clone()), &executables, &name) {
                Ok(kernel) => made.push(kernel),
                Err(ClError(cl::CL_INVALID_KERNEL_DEFINITION)) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(made.iter().map(handle::publish).collect())
    }

    fn from_executables(
        program: Attached,
        executables: &[(usize, Arc<Executable>)],
        name: &str,
    ) -> ClResult<Arc<Self>> {
        let mut parts = Vec::new();
        for (place, executable) in executables {
            if executable.info(name).is_none() {
                continue;
            }
            let device = program.devices.get(*place).ok_or(ClError(cl::CL_INVALID_DEVICE))?.clone();
            let (executable, kernel) = (executable.clone(), executable.kernel(name)?);
            parts.push(Part { device, executable, kernel });
        }
        let [first, others @ ..] = parts.as_slice() else { return fail(cl::CL_INVALID_KERNEL_NAME) };
        let same = others.iter().all(|p| same_definition(first.kernel.info(), p.kernel.info()));
        ensure(same, cl::CL_INVALID_KERNEL_DEFINITION)?;
        let args = Mutex::new(Args::new(first.kernel.info()));
        Ok(Arc::new(Kernel { own: Own::reserve()?, program, parts: parts.into(), args }))
    }

    /// clCloneKernel: with the arguments that are set.
    ///
    /// # Errors
    /// CL_OUT_OF_HOST_MEMORY.
    pub(crate) fn duplicate(&self) -> ClResult<Raw> {
        self.copy().map(|copy| handle::publish(&copy))
    }

    /// The same for use within.
    ///
    /// # Errors
    /// CL_OUT_OF_HOST_MEMORY.
    pub(crate) fn copy(&self) -> ClResult<Arc<Self>> {
        self.program.attach(1)?;
        let program = Attached(self.program.clone());
        let args = Mutex::new(self.args().clone());
        Ok(Arc::new(Kernel { own: Own::reserve()?, program, parts: self.parts.clone(), args }))
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// Returns whether there are arguments that are not set.
    pub(crate) fn lacks_arguments(&self) -> bool {
        self.args().list.iter().any(Option::is_none)
    }

    /// Returns what is known of it: the same on all devices but for what the lowering chose.
    pub(crate) fn definition(&self) -> &KernelInfo {
        // `of` makes no kernel without parts.
        self.parts[0].kernel.info()
    }

    /// The kernel on a device: the one for NULL where there is just one (§5.9.4).
    ///
    /// # Errors
    /// CL_INVALID_DEVICE.
    pub(crate) fn part(&self, device: Option<&Arc<Device>>) -> ClResult<&Part> {
        match device {
            Some(device) => self.parts.iter().find(|p| Arc::ptr_eq(&p.device, device)),
            None if self.program.devices.len() == 1 => self.parts.first(),
            None => None,
        }
        .ok_or(ClError(cl::CL_INVALID_DEVICE))
    }

    /// To be called after a change of the arguments.
    pub(crate) fn changed(&self, args: &mut Args) {
        args.prepared.clear();
        self.own.beside().forget();
    }

    pub(crate) fn args(&self) -> MutexGuard<'_, Args> {
        self.args.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.own.beside().forget();
    }
}

/// Returns whether two lowerings are of kernels with the same arguments.
fn same_definition(a: &KernelInfo, b: &KernelInfo) -> bool {
    let shape = |kind: &ArgKind| match kind {
        ArgKind::Buffer { constant, .. } => (0, u32::from(*constant)),
        ArgKind::Local { .. } => (1, 0),
        ArgKind::Value { size } => (2, *size),
        ArgKind::Image(image) => (3, image.access as u32),
        ArgKind::Sampler => (4, 0),
    };
    let same = |(a, b): (&lower::kernel_info::ArgInfo, &lower::kernel_info::ArgInfo)| {
        a.type_name == b.type_name && shape(&a.kind) == shape(&b.kind)
    };
    a.args.len() == b.args.len() && a.args.iter().zip(&b.args).all(same)
}
