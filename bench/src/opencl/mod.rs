//! OpenCL libraries loaded side by side: each by its path, each called through its own dispatch table, so that no ICD loader
//! decides which one is measured.

pub mod big;
pub mod control;
pub mod workloads;

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

/// What goes wrong, in words.
pub type Result<T> = std::result::Result<T, String>;

/// A loaded library: an installable client driver.
pub struct Library {
    /// What the user calls it.
    pub label: String,
    platform: cl::cl_platform_id,
    table: *const cl_icd_dispatch,
    /// Keeps the code mapped.
    _library: libloading::Library,
}

/// A device of a library with a context and an in-order queue.
pub struct Session {
    library: Rc<Library>,
    /// The device's name.
    pub device: String,
    device_id: cl::cl_device_id,
    context: cl::cl_context,
    queue: cl::cl_command_queue,
}

/// A buffer.
pub struct Buffer<'a> {
    session: &'a Session,
    raw: cl::cl_mem,
    /// Its size in bytes.
    pub size: usize,
}

/// A kernel.
pub struct Kernel<'a> {
    session: &'a Session,
    raw: cl::cl_kernel,
}

/// A kernel argument.
pub enum Arg<'a> {
    /// A buffer.
    Buffer(&'a Buffer<'a>),
    /// A value.
    Value(&'a [u8]),
    /// So many bytes of local memory.
    Local(usize),
    /// A NULL buffer.
    Null,
}

/// Where a buffer's memory shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The device's memory.
    Device,
    /// CL_MEM_ALLOC_HOST_PTR.
    Pinned,
}

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
    pub fn load(label: &str, path: &str) -> Result<Rc<Self>> {
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
        Ok(Rc::new(Library { label: label.to_owned(), platform, table, _library: library }))
    }

    fn table(&self) -> &cl_icd_dispatch {
        // SAFETY: the table lives as long as the library is loaded.
        unsafe { &*self.table }
    }

    /// Opens a session on the first GPU, else on the first device; or on the device whose name contains a text.
    ///
    /// # Errors
    /// No such device; anything that the library fails with.
    pub fn open(self: &Rc<Self>, wanted: Option<&str>) -> Result<Session> {
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
        let Some((_, device, device_id)) = found.into_iter().next() else {
            return Err(format!("{}: no such device", self.label));
        };
        let context = make!(self, clCreateContext(null(), 1, &device_id, None, null_mut()))?;
        let queue = make!(self, clCreateCommandQueue(context, device_id, 0))?;
        Ok(Session { library: self.clone(), device, device_id, context, queue })
    }
}

impl Session {
    /// The library's label.
    pub fn label(&self) -> &str {
        &self.library.label
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

    /// Builds the program, makes the kernel and releases the program.
    fn build(&self, program: cl::cl_program, name: &str, options: &str) -> Result<Kernel<'_>> {
        let options = CString::new(options).map_err(|e| e.to_string())?;
        let name = CString::new(name).map_err(|e| e.to_string())?;
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
        let raw = make!(l, clCreateKernel(program, name.as_ptr()))?;
        call!(l, clReleaseProgram(program))?;
        Ok(Kernel { session: self, raw })
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
        let mut size = 0u64;
        let (param, place) = (cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE, (&raw mut size).cast());
        call!(&self.library, clGetDeviceInfo(self.device_id, param, 8, place, null_mut()))?;
        Ok(size)
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

impl Buffer<'_> {
    /// Writes, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn write(&self, offset: usize, data: &[u8]) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueWriteBuffer(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                offset,
                data.len(),
                data.as_ptr().cast(),
                0,
                null(),
                null_mut()
            )
        )
    }

    /// Reads, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn read(&self, offset: usize, data: &mut [u8]) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueReadBuffer(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                offset,
                data.len(),
                data.as_mut_ptr().cast(),
                0,
                null(),
                null_mut()
            )
        )
    }

    /// Maps the whole buffer, lets the memory be used, unmaps it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn with_map(&self, flags: cl::cl_map_flags, work: impl FnOnce(&mut [u8])) -> Result<()> {
        let s = self.session;
        let pointer = make!(
            &s.library,
            clEnqueueMapBuffer(s.queue, self.raw, cl::CL_TRUE, flags, 0, self.size, 0, null(), null_mut())
        )?;
        // SAFETY: the mapping is `size` bytes until it is unmapped.
        work(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.size) });
        call!(&s.library, clEnqueueUnmapMemObject(s.queue, self.raw, pointer, 0, null(), null_mut()))?;
        s.finish()
    }

    /// Fills a part with a pattern; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn fill(&self, pattern: &[u8], offset: usize, size: usize) -> Result<()> {
        let s = self.session;
        let (data, length) = (pattern.as_ptr().cast(), pattern.len());
        call!(
            &s.library,
            clEnqueueFillBuffer(s.queue, self.raw, data, length, offset, size, 0, null(), null_mut())
        )
    }

    /// Copies a part to another part of it; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn copy_within(&self, from: usize, to: usize, size: usize) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueCopyBuffer(s.queue, self.raw, self.raw, from, to, size, 0, null(), null_mut())
        )
    }

    /// Copies it into another one; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn copy_to(&self, to: &Buffer<'_>, size: usize) -> Result<()> {
        let s = self.session;
        call!(&s.library, clEnqueueCopyBuffer(s.queue, self.raw, to.raw, 0, 0, size, 0, null(), null_mut()))
    }
}

impl Kernel<'_> {
    /// Sets all arguments.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn set(&self, args: &[Arg<'_>]) -> Result<()> {
        (0..).zip(args).try_for_each(|(index, arg)| self.set_one(index, arg))
    }

    /// Sets one argument.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn set_one(&self, index: u32, arg: &Arg<'_>) -> Result<()> {
        let (size, pointer): (usize, *const c_void) = match arg {
            Arg::Buffer(buffer) => (size_of::<cl::cl_mem>(), (&raw const buffer.raw).cast()),
            Arg::Value(bytes) => (bytes.len(), bytes.as_ptr().cast()),
            Arg::Local(size) => (*size, null()),
            Arg::Null => (size_of::<cl::cl_mem>(), null()),
        };
        call!(&self.session.library, clSetKernelArg(self.raw, index, size, pointer))
    }

    /// Enqueues a launch.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch(&self, global: &[usize], local: Option<&[usize]>) -> Result<()> {
        self.launch_from(None, global, local)
    }

    /// Enqueues a launch with a global offset.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch_from(
        &self,
        offset: Option<&[usize]>,
        global: &[usize],
        local: Option<&[usize]>,
    ) -> Result<()> {
        let s = self.session;
        call!(
            &s.library,
            clEnqueueNDRangeKernel(
                s.queue,
                self.raw,
                global.len() as cl::cl_uint,
                offset.map_or(null(), <[usize]>::as_ptr),
                global.as_ptr(),
                local.map_or(null(), <[usize]>::as_ptr),
                0,
                null(),
                null_mut()
            )
        )
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = call!(&self.library, clReleaseCommandQueue(self.queue));
        let _ = call!(&self.library, clReleaseContext(self.context));
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseMemObject(self.raw));
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseKernel(self.raw));
    }
}
