//! OpenCL libraries loaded side by side: each by its path, each called through its own dispatch table, so that no ICD loader
//! decides which one is measured.

/// Calls a function of the table; a missing one and an error code are errors with its name.
macro_rules! call {
    ($library:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        match $library.table().$name {
            Some(function) => {
                // SAFETY: the arguments are as the specification demands: handles that are alive, pointers to enough elements.
                let code = unsafe { function($($arg),*) };
                check(stringify!($name), code)
            }
            None => Err(format!("{} is missing", stringify!($name))),
        }
    }};
}

/// As `call`, for functions whose last parameter is the error code's place.
macro_rules! make {
    ($library:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let mut code = 0;
        match $library.table().$name {
            Some(function) => {
                // SAFETY: as in `call`.
                let object = unsafe { function($($arg,)* &mut code) };
                check(stringify!($name), code).map(|()| object)
            }
            None => Err(format!("{} is missing", stringify!($name))),
        }
    }};
}

pub mod big;
pub mod case;
pub mod clock;
pub mod command;
pub mod compare;
pub mod control;
pub mod costs;
pub mod faults;
pub mod first;
pub mod images;
pub mod launches;
pub mod library;
pub mod objects;
pub mod runtime;
pub mod shared;
pub mod spin;
pub mod workloads;

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

pub use command::{Event, Queue};
pub use objects::{Arg, Buffer, Kernel, Place};

/// The error, in words.
pub type Result<T> = std::result::Result<T, String>;

/// A loaded library: an installable client driver.
pub struct Library {
    /// The user's name for it.
    pub label: String,
    platform: cl::cl_platform_id,
    table: *const cl_icd_dispatch,
    /// Keeps the code mapped.
    _library: libloading::Library,
}

// SAFETY: what is in it does not change; OpenCL's functions may be called by several threads (OpenCL API, appendix A.2).
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

/// A device of a library with a context and an in-order queue.
pub struct Session {
    library: Arc<Library>,
    /// The device's name.
    pub device: String,
    /// The clock of kernels, fills, copies and builds: the time that passes unless somebody sets another.
    pub clock: fn() -> f64,
    device_id: cl::cl_device_id,
    context: cl::cl_context,
    queue: cl::cl_command_queue,
}

// SAFETY: as for `Library`.
unsafe impl Send for Session {}
// SAFETY: as for `Library`.
unsafe impl Sync for Session {}

/// Writes out what a library's printf left in the C library's buffer of standard output.
pub fn flush_c_streams() {
    // SAFETY: C99 7.19.5.2: a null pointer means all output streams.
    unsafe { libc::fflush(null_mut()) };
}

fn check(name: &str, code: cl::cl_int) -> Result<()> {
    if code == cl::CL_SUCCESS { Ok(()) } else { Err(format!("{name} fails with {code}")) }
}

impl Library {
    /// Loads a library.
    ///
    /// # Errors
    /// A file that is no OpenCL ICD, or one without a platform.
    pub fn load(label: &str, path: &str) -> Result<Arc<Self>> {
        // SAFETY: the user names the driver that is to be measured; its initialisers are trusted as any program trusts them.
        let library = unsafe { libloading::Library::new(path) }.map_err(|e| format!("{path}: {e}"))?;
        type Get = unsafe extern "C" fn(cl::cl_uint, *mut cl::cl_platform_id, *mut cl::cl_uint) -> cl::cl_int;
        type Address = unsafe extern "C" fn(*const std::ffi::c_char) -> *mut c_void;
        let name = c"clIcdGetPlatformIDsKHR";
        // SAFETY: cl_khr_icd says what these functions' types are.
        let get: Get = unsafe {
            match library.get::<Get>(name.to_bytes_with_nul()) {
                Ok(get) => *get,
                Err(_) => {
                    let find = library
                        .get::<Address>(b"clGetExtensionFunctionAddress\0")
                        .map_err(|e| format!("{path} is no OpenCL driver: {e}"))?;
                    let found = find(name.as_ptr());
                    if found.is_null() {
                        return Err(format!("{path} has no clIcdGetPlatformIDsKHR"));
                    }
                    std::mem::transmute::<*mut c_void, Get>(found)
                }
            }
        };
        let mut platform = null_mut();
        // SAFETY: room for one platform.
        check("clIcdGetPlatformIDsKHR", unsafe { get(1, &mut platform, null_mut()) })?;
        if platform.is_null() {
            return Err(format!("{path} has no platform"));
        }
        // SAFETY: the first word of every ICD object is its dispatch table (cl_khr_icd).
        let table = unsafe { *platform.cast::<*const cl_icd_dispatch>() };
        Ok(Arc::new(Library { label: label.to_owned(), platform, table, _library: library }))
    }

    fn table(&self) -> &cl_icd_dispatch {
        // SAFETY: the table lives as long as the library is loaded.
        unsafe { &*self.table }
    }

    /// Opens a session on the first GPU, else on the first device; or on the device whose name contains a text.
    ///
    /// # Errors
    /// No such device; anything that the library fails with.
    pub fn open(self: &Arc<Self>, wanted: Option<&str>) -> Result<Session> {
        let (device, device_id) = self.find(wanted)?;
        self.session(device, device_id)
    }

    /// The device that a session is opened on, and its name.
    fn find(&self, wanted: Option<&str>) -> Result<(String, cl::cl_device_id)> {
        let mut count = 0;
        call!(self, clGetDeviceIDs(self.platform, cl::CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count))?;
        let mut devices = vec![null_mut(); count as usize];
        call!(
            self,
            clGetDeviceIDs(self.platform, cl::CL_DEVICE_TYPE_ALL, count, devices.as_mut_ptr(), null_mut())
        )?;
        let mut found = Vec::new();
        for id in devices {
            let mut kind: cl::cl_device_type = 0;
            call!(self, clGetDeviceInfo(id, cl::CL_DEVICE_TYPE, 8, (&raw mut kind).cast(), null_mut()))?;
            let mut name = [0u8; 256];
            let place = name.as_mut_ptr().cast();
            call!(self, clGetDeviceInfo(id, cl::CL_DEVICE_NAME, name.len(), place, null_mut()))?;
            let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
            if wanted.is_none_or(|w| name.to_lowercase().contains(&w.to_lowercase())) {
                found.push((kind & cl::CL_DEVICE_TYPE_GPU == 0, name, id));
            }
        }
        found.sort_by_key(|(no_gpu, _, _)| *no_gpu);
        match found.into_iter().next() {
            Some((_, device, device_id)) => Ok((device, device_id)),
            None => Err(format!("{}: no such device", self.label)),
        }
    }

    /// A new context and queue on a device.
    fn session(self: &Arc<Self>, device: String, device_id: cl::cl_device_id) -> Result<Session> {
        let context = make!(self, clCreateContext(null(), 1, &device_id, None, null_mut()))?;
        let queue = make!(self, clCreateCommandQueue(context, device_id, 0))?;
        Ok(Session { library: self.clone(), device, clock: clock::wall, device_id, context, queue })
    }
}

impl Session {
    /// The library's label.
    pub fn label(&self) -> &str {
        &self.library.label
    }

    /// Another context on the same device.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn another(&self) -> Result<Session> {
        self.library.session(self.device.clone(), self.device_id)
    }

    /// Returns whether the device says that it is a CPU.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn is_cpu(&self) -> Result<bool> {
        Ok(self.number(cl::CL_DEVICE_TYPE)? & cl::CL_DEVICE_TYPE_CPU != 0)
    }

    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn compute_units(&self) -> Result<usize> {
        Ok(self.number(cl::CL_DEVICE_MAX_COMPUTE_UNITS)? as usize)
    }

    /// A query that is answered by an integer of 4 or 8 bytes.
    fn number(&self, param: cl::cl_device_info) -> Result<u64> {
        let bytes = self.info(param)?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// Builds a program and makes one of its kernels.
    ///
    /// # Errors
    /// The build log, or another failure.
    pub fn kernel(&self, source: &str, name: &str, options: &str) -> Result<Kernel<'_>> {
        let text = CString::new(source).map_err(|e| e.to_string())?;
        let mut pointer = text.as_ptr();
        let l = &self.library;
        let program = make!(l, clCreateProgramWithSource(self.context, 1, &mut pointer, null()))?;
        self.build(program, name, options)
    }

    /// As [`Session::kernel`], from a module of intermediate language (SPIR-V).
    ///
    /// # Errors
    /// The build log, or another failure.
    pub fn kernel_from_il(&self, module: &[u8], name: &str, options: &str) -> Result<Kernel<'_>> {
        let l = &self.library;
        let program = make!(l, clCreateProgramWithIL(self.context, module.as_ptr().cast(), module.len()))?;
        self.build(program, name, options)
    }

    /// Builds a program and makes kernels of it.
    ///
    /// # Errors
    /// The build log, or another failure.
    pub fn kernels(&self, source: &str, names: &[&str], options: &str) -> Result<Vec<Kernel<'_>>> {
        let text = CString::new(source).map_err(|e| e.to_string())?;
        let mut pointer = text.as_ptr();
        let l = &self.library;
        let program = make!(l, clCreateProgramWithSource(self.context, 1, &mut pointer, null()))?;
        self.build_all(program, names, options)
    }

    /// Builds the program, makes the kernel and releases the program.
    fn build(&self, program: cl::cl_program, name: &str, options: &str) -> Result<Kernel<'_>> {
        let mut kernels = self.build_all(program, &[name], options)?;
        kernels.pop().ok_or_else(|| "no kernel".to_owned())
    }

    /// The same with several kernels.
    fn build_all(&self, program: cl::cl_program, names: &[&str], options: &str) -> Result<Vec<Kernel<'_>>> {
        let options = CString::new(options).map_err(|e| e.to_string())?;
        let l = &self.library;
        let built = call!(l, clBuildProgram(program, 1, &self.device_id, options.as_ptr(), None, null_mut()));
        if let Err(error) = built {
            let mut log = vec![0u8; 1 << 16];
            let place = log.as_mut_ptr().cast();
            let param = cl::CL_PROGRAM_BUILD_LOG;
            let _ =
                call!(l, clGetProgramBuildInfo(program, self.device_id, param, log.len(), place, null_mut()));
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned();
            return Err(format!("{}: {error}\n{log}", self.label()));
        }
        let mut kernels = Vec::with_capacity(names.len());
        for name in names {
            let name = CString::new(*name).map_err(|e| e.to_string())?;
            kernels.push(Kernel { session: self, raw: make!(l, clCreateKernel(program, name.as_ptr()))? });
        }
        call!(l, clReleaseProgram(program))?;
        Ok(kernels)
    }

    /// Makes a buffer.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn buffer(&self, size: usize, place: Place) -> Result<Buffer<'_>> {
        let flags = match place {
            Place::Device => cl::CL_MEM_READ_WRITE,
            Place::Pinned => cl::CL_MEM_READ_WRITE | cl::CL_MEM_ALLOC_HOST_PTR,
        };
        let raw = make!(&self.library, clCreateBuffer(self.context, flags, size, null_mut()))?;
        Ok(Buffer { session: self, raw, size })
    }

    /// A buffer with data in it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn buffer_with(&self, data: &[u8]) -> Result<Buffer<'_>> {
        let buffer = self.buffer(data.len(), Place::Device)?;
        buffer.write(0, data)?;
        Ok(buffer)
    }

    /// CL_DEVICE_MAX_MEM_ALLOC_SIZE.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn max_alloc(&self) -> Result<u64> {
        self.number(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE)
    }

    /// A text of clGetDeviceInfo, or what it is as bytes.
    ///
    /// # Errors
    /// What the library fails with: CL_INVALID_VALUE where it does not know the query.
    pub fn info(&self, param: cl::cl_device_info) -> Result<Vec<u8>> {
        let (l, id) = (&self.library, self.device_id);
        let mut size = 0;
        call!(l, clGetDeviceInfo(id, param, 0, null_mut(), &mut size))?;
        let mut bytes = vec![0u8; size];
        call!(l, clGetDeviceInfo(id, param, size, bytes.as_mut_ptr().cast(), null_mut()))?;
        Ok(bytes)
    }

    /// Waits for everything.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn finish(&self) -> Result<()> {
        call!(&self.library, clFinish(self.queue))
    }

    /// Hands everything to the device.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn flush(&self) -> Result<()> {
        call!(&self.library, clFlush(self.queue))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = call!(&self.library, clReleaseCommandQueue(self.queue));
        let _ = call!(&self.library, clReleaseContext(self.context));
    }
}
