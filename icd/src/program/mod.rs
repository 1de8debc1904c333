//! Program objects (OpenCL API §5.8): what they hold, and the state of their builds.
//!
//! | module | what it is |
//! |---|---|
//! | [`il`] | programs from SPIR-V, and their specialization constants |
//! | [`module`] | a compiled module: OpenCL SPIR-V, and what is remembered of its compilation |
//! | [`binary`] | modules as bytes: program binaries |
//! | [`compile`] | source to module, through the disk cache |
//! | [`executable`] | a module lowered for one device, with its Vulkan program |
//! | [`pipeline_prebuild`] | pipelines that are made in the background |
//! | [`trials`] | what launches showed of loops that the driver may end |
//! | [`build`] | clBuildProgram, clCompileProgram, clLinkProgram: checks, threads, callbacks |
//! | [`info`] | the queries |

pub(crate) mod binary;
pub(crate) mod build;
mod compile;
pub(crate) mod executable;
pub(crate) mod il;
mod info;
pub(crate) mod module;
mod pipeline_prebuild;
pub(crate) mod printf_buffers;
pub(crate) mod trials;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::{Condvar, Mutex, MutexGuard};

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::device::Device;
use crate::device::context::Context;
use executable::Executable;
use il::Il;
use module::Module;

/// A program.
pub(crate) struct Program {
    own: Own<Program>,
    pub(crate) context: Arc<Context>,
    /// CL_PROGRAM_DEVICES.
    pub(crate) devices: Vec<Arc<Device>>,
    pub(crate) origin: Origin,
    /// One for each device.
    builds: Mutex<Vec<DeviceBuild>>,
    /// Signalled where a build on a device ended.
    ended: Condvar,
    /// Kernel objects attached.
    kernels: AtomicUsize,
}
object!(Program, cl::CL_INVALID_PROGRAM);

/// The origin of a program.
pub(crate) enum Origin {
    /// clCreateProgramWithSource: the source as given, without NUL characters.
    Source(Arc<[u8]>),
    /// clCreateProgramWithIL.
    Il(Arc<Il>),
    /// clCreateProgramWithBinary.
    Binary,
    /// clLinkProgram.
    Linked,
}

/// A program's state on one device.
#[derive(Clone)]
pub(crate) struct DeviceBuild {
    /// CL_PROGRAM_BUILD_STATUS.
    pub(crate) status: cl::cl_build_status,
    /// CL_PROGRAM_BUILD_OPTIONS.
    pub(crate) options: String,
    /// CL_PROGRAM_BUILD_LOG.
    pub(crate) log: String,
    /// The compiled, linked or loaded module.
    pub(crate) module: Option<Arc<Module>>,
    /// It, ready to launch.
    pub(crate) executable: Option<Arc<Executable>>,
}

impl Default for DeviceBuild {
    fn default() -> Self {
        DeviceBuild {
            status: cl::CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            module: None,
            executable: None,
        }
    }
}

impl Program {
    fn publish(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        origin: Origin,
        builds: Vec<DeviceBuild>,
    ) -> ClResult<Arc<Program>> {
        let program = Arc::new(Program {
            own: Own::reserve()?,
            context: context.clone(),
            devices,
            origin,
            builds: Mutex::new(builds),
            ended: Condvar::new(),
            kernels: AtomicUsize::new(0),
        });
        handle::publish(&program);
        Ok(program)
    }

    /// clCreateProgramWithSource: NUL characters are left out of the source (CL_PROGRAM_SOURCE, §5.8.8).
    pub(crate) fn from_source(context: &Arc<Context>, mut text: Vec<u8>) -> ClResult<Raw> {
        text.retain(|b| *b != 0);
        let devices = context.devices.clone();
        let builds = vec![DeviceBuild::default(); devices.len()];
        let program = Program::publish(context, devices, Origin::Source(text.into()), builds)?;
        Ok(program.raw())
    }

    /// clCreateProgramWithIL.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for what is no well-formed module.
    pub(crate) fn from_il(context: &Arc<Context>, bytes: &[u8]) -> ClResult<Raw> {
        let il = Il::load(bytes)?;
        let devices = context.devices.clone();
        let builds = vec![DeviceBuild::default(); devices.len()];
        Ok(Program::publish(context, devices, Origin::Il(il), builds)?.raw())
    }

    /// clCreateProgramWithBinary. Gives the status of each binary beside the program; the program is made only if all
    /// are good (§5.8.1).
    pub(crate) fn from_binaries(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        binaries: &[&[u8]],
    ) -> (Vec<cl::cl_int>, ClResult<Raw>) {
        let mut status = Vec::new();
        let mut builds = Vec::new();
        for (device, bytes) in devices.iter().zip(binaries) {
            let read = if bytes.is_empty() {
                Err(cl::CL_INVALID_VALUE)
            } else if bundle::Bundle::is_bundle(bytes) {
                match context.runtime(device) {
                    Ok(runtime) => Module::of_bundle(bytes, &runtime.target).map_err(|e| {
                        log::error!("{e}");
                        cl::CL_INVALID_BINARY
                    }),
                    Err(error) => Err(error.0),
                }
            } else {
                let whole = binary::read(bytes, device.binaries(binary::identity));
                // The sum over its bytes says that nothing changed by chance, not who wrote them.
                let good = |m: &Module| lower::validate(&m.spirv).is_ok();
                whole.filter(good).ok_or(cl::CL_INVALID_BINARY)
            };
            status.push(read.as_ref().map_or_else(|e| *e, |_| cl::CL_SUCCESS));
            let module = read.ok().map(Arc::new);
            builds.push(DeviceBuild { module, ..DeviceBuild::default() });
        }
        let worst = status.iter().copied().find(|s| *s == cl::CL_INVALID_VALUE);
        let worst = worst.or_else(|| status.iter().copied().find(|s| *s != cl::CL_SUCCESS));
        let made = match worst {
            Some(code) => fail(code),
            None => Program::publish(context, devices, Origin::Binary, builds).map(|p| p.raw()),
        };
        (status, made)
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// CL_PROGRAM_REFERENCE_COUNT.
    pub(crate) fn references(&self) -> u32 {
        self.own.references()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DeviceBuild>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state on each device, in their order.
    pub(crate) fn states(&self) -> Vec<DeviceBuild> {
        self.lock().clone()
    }

    /// A device's place among the program's devices.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE.
    pub(crate) fn index(&self, device: &Arc<Device>) -> ClResult<usize> {
        self.devices.iter().position(|d| Arc::ptr_eq(d, device)).ok_or(ClError(cl::CL_INVALID_DEVICE))
    }

    /// The source.
    pub(crate) fn source(&self) -> Option<&Arc<[u8]>> {
        match &self.origin {
            Origin::Source(text) => Some(text),
            Origin::Il(_) | Origin::Binary | Origin::Linked => None,
        }
    }

    /// The intermediate language.
    pub(crate) fn il(&self) -> Option<&Arc<Il>> {
        match &self.origin {
            Origin::Il(il) => Some(il),
            _ => None,
        }
    }

    /// The executables that there are, each with its device's place.
    pub(crate) fn executables(&self) -> Vec<(usize, Arc<Executable>)> {
        let builds = self.lock();
        builds.iter().enumerate().filter_map(|(i, b)| Some((i, b.executable.clone()?))).collect()
    }

    /// Attaches kernel objects to the executables that there are: none may be built while they exist. Waits for builds that other
    /// threads have under way.
    ///
    /// # Errors
    /// CL_INVALID_PROGRAM_EXECUTABLE without a successful build.
    pub(crate) fn attach(&self, kernels: usize) -> ClResult<Vec<(usize, Arc<Executable>)>> {
        let under_way =
            |builds: &mut Vec<DeviceBuild>| builds.iter().any(|b| b.status == cl::CL_BUILD_IN_PROGRESS);
        let builds = self.ended.wait_while(self.lock(), under_way).unwrap_or_else(PoisonError::into_inner);
        let list: Vec<_> =
            builds.iter().enumerate().filter_map(|(i, b)| Some((i, b.executable.clone()?))).collect();
        ensure(!list.is_empty(), cl::CL_INVALID_PROGRAM_EXECUTABLE)?;
        // Under the lock, as `begin` looks at it.
        self.kernels.fetch_add(kernels, Ordering::Relaxed);
        Ok(list)
    }

    /// Detaches a kernel object.
    pub(crate) fn detach(&self, kernels: usize) {
        self.kernels.fetch_sub(kernels, Ordering::Relaxed);
    }

    /// Marks a build as begun on some devices.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION when one is under way there, or kernel objects are attached.
    fn begin(&self, devices: &[usize], options: &str) -> ClResult<()> {
        let mut builds = self.lock();
        ensure(self.kernels.load(Ordering::Relaxed) == 0, cl::CL_INVALID_OPERATION)?;
        let busy = |i: &usize| builds.get(*i).is_some_and(|b| b.status == cl::CL_BUILD_IN_PROGRESS);
        ensure(!devices.iter().any(busy), cl::CL_INVALID_OPERATION)?;
        for i in devices {
            if let Some(build) = builds.get_mut(*i) {
                build.status = cl::CL_BUILD_IN_PROGRESS;
                build.options = options.to_owned();
                build.log = String::new();
                build.executable = None;
                // A loaded binary is built again; what was compiled is replaced.
                if !matches!(self.origin, Origin::Binary) {
                    build.module = None;
                }
            }
        }
        Ok(())
    }

    /// Notes how a build on a device ended.
    fn end(&self, device: usize, outcome: build::Outcome) {
        if let Some(build) = self.lock().get_mut(device) {
            build.status = if outcome.good { cl::CL_BUILD_SUCCESS } else { cl::CL_BUILD_ERROR };
            build.log = outcome.log;
            if let Some(module) = outcome.module {
                build.module = Some(module);
            }
            build.executable = outcome.executable;
        }
        self.ended.notify_all();
    }
}
