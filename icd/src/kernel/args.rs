//! Kernel arguments (§5.9.2).
//!
//! A kernel object holds no references to the objects that are its arguments, as the specification demands: the
//! application could not take them away again. A launch takes references for as long as it needs them.

use std::ffi::c_void;
use std::sync::{Arc, Weak};

use lower::KernelInfo;
use lower::kernel_info::{ArgKind, ImageAccess, ImageArg};
use opencl_sys as cl;
use smallvec::SmallVec;

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::flags::CL_MEM_IMMUTABLE_EXT;
use crate::abi::handle;
use crate::device::device_queue::DeviceQueue;
use crate::device::{Device, checking};
use crate::kernel::Kernel;
use crate::kernel::prepared::Prepared;
use crate::memory::Memory;
use crate::memory::sampler::Sampler;

/// The bytes of a value argument; most fit here.
pub(crate) type Bytes = SmallVec<[u8; 24]>;

/// One argument.
#[derive(Clone)]
pub(crate) enum Arg {
    /// A buffer.
    Buffer(Weak<Memory>),
    /// A NULL buffer.
    Null,
    /// A pointer to shared virtual memory.
    Svm(u64),
    /// A pointer to unified shared memory, or any other.
    Unified(u64),
    /// A device address of a buffer (cl_ext_buffer_device_address).
    Address(u64),
    /// A value.
    Value(Bytes),
    /// An image.
    Image(Weak<Memory>),
    /// A sampler: the bits of OpenCL C's literals.
    Sampler(u32),
    /// Bytes of local memory.
    Local(u64),
    /// A device queue.
    Queue(Weak<DeviceQueue>),
    /// The record of a launch that enqueues, which the launch makes.
    Record,
}

/// All arguments of a kernel object, and what clSetKernelExecInfo says.
#[derive(Clone)]
pub(crate) struct Args {
    pub(crate) list: Vec<Option<Arg>>,
    /// clSetKernelExecInfo: shared virtual memory that the kernel reaches by pointers in memory.
    pub(crate) svm: Vec<u64>,
    /// The same for device addresses.
    pub(crate) addresses: Vec<u64>,
    /// The same for unified shared memory.
    pub(crate) unified: Vec<u64>,
    /// It reaches unified shared memory that is not named: the host's, devices', and what they share, a bit each.
    pub(crate) indirect: u8,
    /// The prepared forms of these arguments, by device.
    pub(crate) prepared: Vec<(*const Device, Arc<Prepared>)>,
}

// SAFETY: the pointers are compared, never followed.
unsafe impl Send for Args {}

impl PartialEq for Arg {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Arg::Buffer(a), Arg::Buffer(b)) | (Arg::Image(a), Arg::Image(b)) => Weak::ptr_eq(a, b),
            (Arg::Sampler(a), Arg::Sampler(b)) => a == b,
            (Arg::Null, Arg::Null) => true,
            (Arg::Svm(a), Arg::Svm(b))
            | (Arg::Unified(a), Arg::Unified(b))
            | (Arg::Address(a), Arg::Address(b))
            | (Arg::Local(a), Arg::Local(b)) => a == b,
            (Arg::Value(a), Arg::Value(b)) => a == b,
            (Arg::Queue(a), Arg::Queue(b)) => Weak::ptr_eq(a, b),
            (Arg::Record, Arg::Record) => true,
            _ => false,
        }
    }
}

impl Args {
    /// None is set, but for what the application does not see.
    pub(crate) fn new(info: &KernelInfo) -> Self {
        Args {
            list: info.args.iter().map(|arg| arg.is_record().then_some(Arg::Record)).collect(),
            svm: Vec::new(),
            addresses: Vec::new(),
            unified: Vec::new(),
            indirect: 0,
            prepared: Vec::new(),
        }
    }
}

impl Kernel {
    /// clSetKernelArg. An argument that cannot be set stays as it was.
    ///
    /// # Safety
    /// `value` is NULL or points to `size` bytes.
    ///
    /// # Errors
    /// Those of §5.9.2.
    pub(crate) unsafe fn set_arg(
        &self,
        index: cl::cl_uint,
        size: usize,
        value: *const c_void,
    ) -> ClResult<()> {
        // SAFETY: by the caller's promise.
        let made = unsafe { self.made_arg(index, size, value) };
        if let Err(ClError(code)) = made {
            checking::report_call(&self.definition().name, || self.refusal(index, size, code));
        }
        self.put(index, made?);
        Ok(())
    }

    /// In the checking mode, reports the arguments for which there is no launch.
    pub(crate) fn report_missing(&self) {
        let definition = self.definition();
        for (n, (arg, info)) in self.args().list.iter().zip(&definition.args).enumerate() {
            let what = match arg {
                None => "was never set",
                Some(Arg::Buffer(memory) | Arg::Image(memory)) if memory.strong_count() == 0 => {
                    "is a memory object that was released"
                }
                Some(_) => continue,
            };
            checking::report_call(&definition.name, || {
                format!("argument {n} '{}' ({}) {what}", info.name, info.type_name)
            });
        }
    }

    /// The text about an argument that cannot be set.
    fn refusal(&self, index: cl::cl_uint, size: usize, code: cl::cl_int) -> String {
        let args = &self.definition().args;
        let Ok(info) = self.arg_info(index) else {
            return format!("argument {index} is set, and there are {}", args.len());
        };
        let needed = match &info.kind {
            ArgKind::Value { size } => *size as usize,
            ArgKind::Local { .. } => 0,
            ArgKind::Buffer { .. } | ArgKind::Image(_) => size_of::<cl::cl_mem>(),
            ArgKind::Sampler => size_of::<cl::cl_sampler>(),
        };
        let what = format!("argument {index} '{}' ({})", info.name, info.type_name);
        match code {
            cl::CL_INVALID_ARG_SIZE => format!("{what} takes {needed} bytes, and {size} are given"),
            _ => format!("{what} is given what it does not take (error {code})"),
        }
    }

    /// # Safety
    /// As [`Self::set_arg`].
    unsafe fn made_arg(&self, index: cl::cl_uint, size: usize, value: *const c_void) -> ClResult<Arg> {
        let info = self.arg_info(index)?;
        let arg = match &info.kind {
            // SAFETY: by the caller's promise.
            ArgKind::Buffer { .. } if info.is_pipe() => unsafe { self.pipe_arg(size, value) }?,
            // SAFETY: by the caller's promise.
            ArgKind::Buffer { .. } => unsafe { self.buffer_arg(size, value) }?,
            ArgKind::Local { .. } => {
                // A size of 0 is one since OpenCL 3.1, which the platform is: the kernel needs no memory there.
                ensure(value.is_null(), cl::CL_INVALID_ARG_VALUE)?;
                Arg::Local(size as u64)
            }
            // SAFETY: by the caller's promise.
            ArgKind::Sampler => unsafe { self.sampler_arg(size, value) }?,
            // SAFETY: by the caller's promise.
            ArgKind::Image(image) => unsafe { self.image_arg(image, size, value) }?,
            // SAFETY: by the caller's promise.
            ArgKind::Value { .. } if info.is_queue() => unsafe { self.queue_arg(size, value) }?,
            ArgKind::Value { size: needed } => {
                ensure(!value.is_null(), cl::CL_INVALID_ARG_VALUE)?;
                ensure(size == *needed as usize, cl::CL_INVALID_ARG_SIZE)?;
                // SAFETY: by the caller's promise; bytes have no alignment.
                Arg::Value(Bytes::from_slice(unsafe { crate::abi::ffi::slice(value.cast::<u8>(), size) }))
            }
        };
        Ok(arg)
    }

    /// # Safety
    /// `value` is NULL or points to `size` bytes.
    unsafe fn buffer_arg(&self, size: usize, value: *const c_void) -> ClResult<Arg> {
        if value.is_null() {
            // "arg_value must be NULL": 1.x applications pass any size with it.
            return Ok(Arg::Null);
        }
        ensure(size == size_of::<cl::cl_mem>(), cl::CL_INVALID_ARG_SIZE)?;
        // SAFETY: the size is that of a handle.
        let raw = unsafe { value.cast::<cl::cl_mem>().read_unaligned() };
        if raw.is_null() {
            return Ok(Arg::Null);
        }
        let memory = handle::get::<Memory>(raw)?;
        ensure(memory.is_buffer(), cl::CL_INVALID_MEM_OBJECT)?;
        self.program.context.same(memory.context())?;
        Ok(Arg::Buffer(Arc::downgrade(&memory)))
    }

    /// # Safety
    /// `value` is NULL or points to `size` bytes.
    unsafe fn pipe_arg(&self, size: usize, value: *const c_void) -> ClResult<Arg> {
        ensure(!value.is_null(), cl::CL_INVALID_MEM_OBJECT)?;
        ensure(size == size_of::<cl::cl_mem>(), cl::CL_INVALID_ARG_SIZE)?;
        // SAFETY: the size is that of a handle.
        let memory = handle::get::<Memory>(unsafe { value.cast::<cl::cl_mem>().read_unaligned() })?;
        ensure(memory.pipe.is_some(), cl::CL_INVALID_MEM_OBJECT)?;
        self.program.context.same(memory.context())?;
        Ok(Arg::Buffer(Arc::downgrade(&memory)))
    }

    /// # Safety
    /// `value` is NULL or points to `size` bytes.
    unsafe fn queue_arg(&self, size: usize, value: *const c_void) -> ClResult<Arg> {
        ensure(!value.is_null(), cl::CL_INVALID_DEVICE_QUEUE)?;
        ensure(size == size_of::<cl::cl_command_queue>(), cl::CL_INVALID_ARG_SIZE)?;
        // SAFETY: the size is that of a handle.
        let raw = unsafe { value.cast::<cl::cl_command_queue>().read_unaligned() };
        let queue = handle::get::<DeviceQueue>(raw).map_err(|_| ClError(cl::CL_INVALID_DEVICE_QUEUE))?;
        let own = Arc::ptr_eq(queue.context(), &self.program.context);
        ensure(own, cl::CL_INVALID_DEVICE_QUEUE)?;
        Ok(Arg::Queue(Arc::downgrade(&queue)))
    }

    /// # Safety
    /// `value` is NULL or points to `size` bytes.
    unsafe fn image_arg(&self, arg: &ImageArg, size: usize, value: *const c_void) -> ClResult<Arg> {
        ensure(!value.is_null(), cl::CL_INVALID_MEM_OBJECT)?;
        ensure(size == size_of::<cl::cl_mem>(), cl::CL_INVALID_ARG_SIZE)?;
        // SAFETY: the size is that of a handle.
        let memory = handle::get::<Memory>(unsafe { value.cast::<cl::cl_mem>().read_unaligned() })?;
        let form = memory.form()?;
        self.program.context.same(memory.context())?;
        ensure(form.has_shape(&arg.shape), cl::CL_INVALID_MEM_OBJECT)?;
        let excluded = match arg.access {
            ImageAccess::ReadOnly => cl::CL_MEM_WRITE_ONLY,
            ImageAccess::WriteOnly => cl::CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT,
            ImageAccess::ReadWrite => cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY | CL_MEM_IMMUTABLE_EXT,
        };
        ensure(memory.flags & excluded == 0, cl::CL_INVALID_ARG_VALUE)?;
        Ok(Arg::Image(Arc::downgrade(&memory)))
    }

    /// # Safety
    /// `value` is NULL or points to `size` bytes.
    unsafe fn sampler_arg(&self, size: usize, value: *const c_void) -> ClResult<Arg> {
        ensure(!value.is_null(), cl::CL_INVALID_SAMPLER)?;
        ensure(size == size_of::<cl::cl_sampler>(), cl::CL_INVALID_ARG_SIZE)?;
        // SAFETY: the size is that of a handle.
        let raw = unsafe { value.cast::<cl::cl_sampler>().read_unaligned() };
        let sampler = handle::get::<Sampler>(raw)?;
        self.program.context.same(&sampler.context)?;
        Ok(Arg::Sampler(sampler.bits()))
    }

    /// clSetKernelArgSVMPointer and clSetKernelArgDevicePointerEXT: `make` says which. The caller has checked that the
    /// context's devices can do that.
    ///
    /// # Errors
    /// CL_INVALID_ARG_INDEX; `wrong_kind` for arguments that are no global (or constant) pointers.
    pub(crate) fn set_pointer(
        &self,
        index: cl::cl_uint,
        value: u64,
        make: fn(u64) -> Arg,
        wrong_kind: cl::cl_int,
    ) -> ClResult<()> {
        let info = self.arg_info(index)?;
        match &info.kind {
            ArgKind::Buffer { .. } if info.is_pipe() => return fail(wrong_kind),
            ArgKind::Buffer { .. } if value == 0 => self.put(index, Arg::Null),
            ArgKind::Buffer { .. } => self.put(index, make(value)),
            ArgKind::Local { .. } | ArgKind::Value { .. } | ArgKind::Image(_) | ArgKind::Sampler => {
                return fail(wrong_kind);
            }
        }
        Ok(())
    }

    /// clSetKernelExecInfo: the memory that the kernel reaches by pointers in memory.
    pub(crate) fn set_svm_pointers(&self, pointers: Vec<u64>) {
        let mut args = self.args();
        args.svm = pointers;
        self.changed(&mut args);
    }

    /// The same for unified shared memory.
    pub(crate) fn set_unified_pointers(&self, pointers: Vec<u64>) {
        let mut args = self.args();
        args.unified = pointers;
        self.changed(&mut args);
    }

    /// Sets the bit for a kind of unified shared memory: the kernel reaches it without naming it.
    pub(crate) fn set_indirect(&self, kind: u8, reaches: bool) {
        let mut args = self.args();
        args.indirect = if reaches { args.indirect | kind } else { args.indirect & !kind };
        self.changed(&mut args);
    }

    /// The same for device addresses.
    pub(crate) fn set_device_pointers(&self, pointers: Vec<u64>) {
        let mut args = self.args();
        args.addresses = pointers;
        self.changed(&mut args);
    }

    fn put(&self, index: cl::cl_uint, arg: Arg) {
        let mut args = self.args();
        let Some(place) = args.list.get_mut(index as usize) else { return };
        if place.as_ref() == Some(&arg) {
            return;
        }
        let old = place.replace(arg);
        if let Some(arg) = place {
            self.own.beside().set_arg(index, arg, &self.program.context);
        }
        args.prepared.clear();
        drop(args);
        drop(old);
    }

    fn arg_info(&self, index: cl::cl_uint) -> ClResult<&lower::kernel_info::ArgInfo> {
        self.definition().own_args().get(index as usize).ok_or(ClError(cl::CL_INVALID_ARG_INDEX))
    }

    /// Bytes of local memory that the arguments set so far ask for (CL_KERNEL_LOCAL_MEM_SIZE).
    pub(crate) fn local_argument_bytes(&self, info: &KernelInfo) -> u64 {
        let args = self.args();
        let sizes = info.args.iter().zip(&args.list).map(|(info, arg)| match (&info.kind, arg) {
            (ArgKind::Local { align, .. }, Some(Arg::Local(size))) => {
                size.checked_next_multiple_of(u64::from((*align).max(1))).unwrap_or(u64::MAX)
            }
            _ => 0,
        });
        sizes.fold(0, u64::saturating_add)
    }
}
