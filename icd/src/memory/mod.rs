//! Buffers, sub-buffers, images and pipes (OpenCL API §5.2 to §5.5).
//!
//! | module | what it is |
//! |---|---|
//! | [`flags`] | which flags go together |
//! | [`store`] | the memory behind an object, on each device |
//! | [`image`] | images |
//! | `import` | memory of the host and dma-bufs (cl_arm_import_memory) |
//! | [`mirror`] | images of buffers' bytes |
//! | [`requirements`] | what images of buffers demand |
//! | [`rect`] | boxes of bytes |
//! | [`map`] | mapped regions |
//! | [`pinned`] | pinned host memory that maps show |
//! | [`pending`] | host memory that is yet to be written |
//! | [`transfer`] | the commands |
//! | [`contents`] | what was ever written of a buffer, for the checking mode |
//! | [`addresses`] | buffers by their device addresses |
//! | [`external`] | memory of other APIs, and the properties of new objects |
//! | `gl`, [`origin`] | objects of OpenGL and EGL |

pub(crate) mod addresses;
pub(crate) mod contents;
pub(crate) mod external;
mod gl;
pub(crate) mod host;
pub(crate) mod image;
pub(crate) mod image_map;
mod import;
pub(crate) mod map;
pub(crate) mod mirror;
pub(crate) mod origin;
pub(crate) mod pinned;
pub(crate) mod rect;
pub(crate) mod requirements;
pub(crate) mod sampler;
pub(crate) mod store;
pub(crate) mod usm;

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, PoisonError};
use vk_runtime::sync::Mutex;

use lower::pipes::PipeLayout;
use opencl_sys as cl;
use vk_runtime::{Buffer, Image, ImageLook, ImageValue, Points, Texels};

use crate::abi::callbacks::{Callback, DestructorFunction};
use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::flags;
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::param_value::ParamValue;
use crate::device::context::Context;
use crate::device::{Device, Runtime};
use external::Properties;
use image::{ImageForm, Kind};
use image_map::ImageMap;
use map::Map;
use mirror::Mirror;
pub(crate) use store::Access;
use store::{Form, Place, Store};

/// A buffer, a sub-buffer, an image or a pipe.
pub(crate) struct Memory {
    own: Own<Memory>,
    pub(crate) store: Arc<Store>,
    /// The buffer that a sub-buffer is part of; what an image is made of.
    parent: Option<Arc<Memory>>,
    /// The properties of an image.
    pub(crate) image: Option<ImageForm>,
    /// The properties of a pipe.
    pub(crate) pipe: Option<PipeLayout>,
    /// An image of a buffer's bytes that is no row of texels.
    mirror: Option<Mirror>,
    /// A sub-buffer's first byte in the store.
    pub(crate) offset: u64,
    pub(crate) size: u64,
    /// As given, with what a sub-buffer inherits.
    pub(crate) flags: cl::cl_mem_flags,
    /// CL_MEM_PROPERTIES, as given.
    properties: Vec<cl::cl_mem_properties>,
    /// CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT.
    addresses: Option<addresses::Entry>,
    /// The last field, so that it is dropped after the memory was given back.
    destructors: Destructors,
}
object!(Memory, cl::CL_INVALID_MEM_OBJECT);

/// An image on a device.
pub(crate) struct DeviceImage {
    place: ImagePlace,
    look: ImageLook,
}

enum ImagePlace {
    Image(Image),
    /// In a buffer, from a byte on, so many bytes.
    Buffer(Buffer, u64, u64),
}

impl DeviceImage {
    /// As an argument of a launch.
    pub(crate) fn value(&self) -> ImageValue<'_> {
        let texels = match &self.place {
            ImagePlace::Image(image) => Texels::Image(image),
            ImagePlace::Buffer(buffer, offset, size) => {
                Texels::Buffer { buffer, offset: *offset, size: *size }
            }
        };
        ImageValue { texels, look: &self.look }
    }
}

/// The callbacks of clSetMemObjectDestructorCallback; called in reverse order when this is dropped and the streams have reached
/// their values.
struct Destructors {
    object: UserPointer,
    calls: Mutex<Vec<Destructor>>,
    uses: Vec<(Arc<Runtime>, Points)>,
    /// The objects that are deleted after this one: the buffer that it is a part of, and the context (§5.5.1, clReleaseMemObject: "memobj
    /// cannot be deleted until all sub-buffer objects associated with memobj are deleted").
    after: Option<(Option<Arc<Memory>>, Arc<Context>)>,
}

/// A destructor callback.
pub(crate) type Destructor = (DestructorFunction, UserPointer);

impl Memory {
    /// clCreateBuffer, clCreateBufferWithProperties.
    ///
    /// # Safety
    /// `host`, unless NULL, points to `size` bytes; with CL_MEM_USE_HOST_PTR for as long as the buffer lives.
    ///
    /// # Errors
    /// Those of §5.2.1.
    pub(crate) unsafe fn create(
        context: &Arc<Context>,
        properties: Vec<cl::cl_mem_properties>,
        flags: cl::cl_mem_flags,
        size: usize,
        host: *mut c_void,
    ) -> ClResult<Raw> {
        let Properties { addressed, external } = Properties::read(&properties, false)?;
        ensure(size > 0, cl::CL_INVALID_BUFFER_SIZE)?;
        let length = size as u64;
        let fits = context.devices.iter().any(|d| length <= d.caps.max_mem_alloc_size);
        ensure(fits, cl::CL_INVALID_BUFFER_SIZE)?;
        if addressed {
            ensure(context.runtimes().iter().any(|r| has_addresses(r)), cl::CL_INVALID_OPERATION)?;
        }
        let place = match &external {
            Some(external) => external.place(context, flags, host)?,
            None => Place::of_buffer(context, flags, length, host)?,
        };
        let own = Own::reserve()?;
        let store = Arc::new(Store::new(context, flags, length, place, Form::Bytes));
        // SAFETY: of this size, by the caller's promise; the flags use or copy it (of_buffer).
        let data = (!host.is_null()).then(|| unsafe { crate::abi::ffi::slice(host.cast::<u8>(), size) });
        match &external {
            Some(external) => external.import_buffer(&store)?,
            None => fill_new(&store, data)?,
        }
        let addresses = if addressed { Some(addresses::Entry::new(&store)?) } else { None };
        let destructors = Destructors::new(&own);
        if let Some(external) = external {
            external.take_over();
        }
        Ok(handle::publish(&Arc::new(Memory {
            own,
            store,
            parent: None,
            image: None,
            pipe: None,
            mirror: None,
            offset: 0,
            size: length,
            flags,
            properties,
            addresses,
            destructors,
        })))
    }

    /// clCreateSubBuffer.
    ///
    /// # Errors
    /// Those of §5.2.1.
    pub(crate) fn create_sub(
        self: &Arc<Self>,
        flags: cl::cl_mem_flags,
        origin: usize,
        size: usize,
    ) -> ClResult<Raw> {
        ensure(self.parent.is_none() && self.is_buffer(), cl::CL_INVALID_MEM_OBJECT)?;
        let flags = flags::of_sub_buffer(self.flags, flags)?;
        ensure(size > 0, cl::CL_INVALID_BUFFER_SIZE)?;
        let (origin, size) = (origin as u64, size as u64);
        self.check_range(origin, size)?;
        let aligned = self.context().devices.iter().any(|d| origin.is_multiple_of(base_alignment(d)));
        ensure(aligned, cl::CL_MISALIGNED_SUB_BUFFER_OFFSET)?;
        Memory::publish(self.store.clone(), Some(self.clone()), origin, size, flags, Vec::new(), None)
    }

    /// clCreatePipe: a buffer with the state of an empty pipe.
    ///
    /// # Errors
    /// Those of §5.4.1 for memory.
    pub(crate) fn create_pipe(
        context: &Arc<Context>,
        flags: cl::cl_mem_flags,
        pipe: PipeLayout,
    ) -> ClResult<Raw> {
        let size = pipe.bytes().ok_or(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
        let fits = context.devices.iter().any(|d| size <= d.caps.max_mem_alloc_size);
        ensure(fits, cl::CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let own = Own::reserve()?;
        let store = Arc::new(Store::new(context, flags, size, Place::Device, Form::Bytes));
        fill_new(&store, Some(&pipe.empty()))?;
        let destructors = Destructors::new(&own);
        Ok(handle::publish(&Arc::new(Memory {
            own,
            store,
            parent: None,
            image: None,
            pipe: Some(pipe),
            mirror: None,
            offset: 0,
            size,
            flags,
            properties: Vec::new(),
            addresses: None,
            destructors,
        })))
    }

    /// Returns whether it is a buffer or a sub-buffer.
    pub(crate) fn is_buffer(&self) -> bool {
        self.image.is_none() && self.pipe.is_none()
    }

    /// Gives an object to the application that has no addresses of its own.
    fn publish(
        store: Arc<Store>,
        parent: Option<Arc<Memory>>,
        offset: u64,
        size: u64,
        flags: cl::cl_mem_flags,
        properties: Vec<cl::cl_mem_properties>,
        image: Option<ImageForm>,
    ) -> ClResult<Raw> {
        let own = Own::reserve()?;
        let destructors = Destructors::new(&own);
        let addresses = None;
        let mirrored = image.is_some_and(|form| form.kind != Kind::Buffer) && !store.is_image();
        let mirror = mirrored.then(|| Mirror::new(store.context.runtimes().len()));
        Ok(handle::publish(&Arc::new(Memory {
            own,
            store,
            parent,
            image,
            pipe: None,
            mirror,
            offset,
            size,
            flags,
            properties,
            addresses,
            destructors,
        })))
    }

    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// The context that it was made for.
    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.store.context
    }

    /// Its copy on a device of its context: the Vulkan buffer, where it begins there, its size. Made when first asked
    /// for. For the arguments of kernels, when they are enqueued: then the errors surface there.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE when there is no memory for it; CL_INVALID_CONTEXT for a device of another context.
    pub(crate) fn device_buffer(&self, runtime: &Arc<Runtime>) -> ClResult<(Buffer, u64, u64)> {
        let buffer = self.store.buffer(self.store.index(runtime)?)?.clone();
        Ok((buffer, self.store.base() + self.offset, self.size))
    }

    /// The same for an image, and as what kernels see it.
    ///
    /// # Errors
    /// As [`device_buffer`](Self::device_buffer); CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED.
    pub(crate) fn device_image(&self, runtime: &Arc<Runtime>) -> ClResult<DeviceImage> {
        let form = self.form()?;
        let place = match self.has_texels() {
            true => ImagePlace::Image(self.image_on(self.store.index(runtime)?)?.clone()),
            false => {
                let (buffer, offset, size) = self.device_buffer(runtime)?;
                ImagePlace::Buffer(buffer, offset, size)
            }
        };
        let look = form.format.look(form.kernel_size());
        Ok(DeviceImage { place, look: ImageLook { samples: form.samples.max(1), ..look } })
    }

    /// To be called when a kernel that uses the object is being recorded, before its launch: brings the newest contents to the
    /// device. `written`: whether the kernel may write it.
    ///
    /// # Errors
    /// As [`device_buffer`](Self::device_buffer).
    pub(crate) fn before_kernel(
        &self,
        (runtime, stream): (&Arc<Runtime>, &vk_runtime::Queue),
        written: bool,
    ) -> ClResult<()> {
        let access = if written { Access::Write } else { Access::Read };
        let index = self.store.index(runtime)?;
        if self.is_mirrored() {
            return self.bring((index, stream), &self.form()?.whole(), access).map(drop);
        }
        self.store.prepare_kernel(index, access).map(drop)
    }

    /// Behind a kernel that may have written an image of a buffer: the points at which the buffer has it.
    ///
    /// # Errors
    /// What the copy gives.
    pub(crate) fn after_kernel(
        &self,
        (runtime, stream): (&Arc<Runtime>, &vk_runtime::Queue),
        points: Points,
    ) -> ClResult<Points> {
        self.give_back((self.store.index(runtime)?, stream), &self.form()?.whole(), points)
    }

    /// Checks that a sub-buffer begins where a device can use it (§5.2.1).
    ///
    /// # Errors
    /// CL_MISALIGNED_SUB_BUFFER_OFFSET.
    pub(crate) fn check_alignment(&self, device: &Device) -> ClResult<()> {
        let aligned = self.offset.is_multiple_of(base_alignment(device));
        ensure(aligned, cl::CL_MISALIGNED_SUB_BUFFER_OFFSET)
    }

    /// Checks that a range is inside the buffer.
    ///
    /// # Errors
    /// CL_INVALID_VALUE.
    pub(crate) fn check_range(&self, offset: u64, size: u64) -> ClResult<()> {
        let fits = offset.checked_add(size).is_some_and(|end| end <= self.size);
        ensure(fits, cl::CL_INVALID_VALUE)
    }

    /// Returns where the application's memory of CL_MEM_USE_HOST_PTR begins.
    fn host_pointer(&self) -> *const c_void {
        let offset = usize::try_from(self.offset).unwrap_or(0);
        match &self.store.place {
            Place::User(pointer) => pointer.0.cast::<u8>().wrapping_add(offset).cast(),
            Place::Svm(allocation, base) => allocation.host_pointer(base + offset as u64).cast(),
            Place::Device | Place::Pinned | Place::Host | Place::External(_) | Place::Gl(_) => {
                std::ptr::null()
            }
        }
    }

    /// clGetMemObjectInfo (§5.5.6).
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown query; CL_INVALID_OPERATION for the addresses of a buffer that was not made to have any.
    pub(crate) fn info(&self, param: cl::cl_mem_info) -> ClResult<ParamValue> {
        let size = |v: u64| ParamValue::size(usize::try_from(v).unwrap_or(usize::MAX));
        Ok(match param {
            cl::CL_MEM_TYPE => ParamValue::uint(match (self.image, self.pipe) {
                (Some(image), _) => image.kind.raw(),
                (None, Some(_)) => cl::CL_MEM_OBJECT_PIPE,
                (None, None) => cl::CL_MEM_OBJECT_BUFFER,
            }),
            cl::CL_MEM_FLAGS => ParamValue::ulong(self.flags),
            cl::CL_MEM_SIZE => size(self.size),
            cl::CL_MEM_HOST_PTR => ParamValue::pointer(self.host_pointer()),
            cl::CL_MEM_MAP_COUNT => {
                let count = Map::count(self) + ImageMap::count(self);
                ParamValue::uint(u32::try_from(count).unwrap_or(u32::MAX))
            }
            cl::CL_MEM_REFERENCE_COUNT => ParamValue::uint(self.own.references()),
            cl::CL_MEM_CONTEXT => ParamValue::pointer(self.context().raw()),
            cl::CL_MEM_ASSOCIATED_MEMOBJECT => {
                ParamValue::pointer(self.parent.as_ref().map_or(std::ptr::null_mut(), |p| p.raw()))
            }
            cl::CL_MEM_OFFSET => size(if self.image.is_some() { 0 } else { self.offset }),
            cl::CL_MEM_USES_SVM_POINTER => ParamValue::bool(matches!(self.store.place, Place::Svm(..))),
            cl::CL_MEM_PROPERTIES => ParamValue::ulongs(&self.properties),
            cl::CL_MEM_DEVICE_ADDRESS_EXT => {
                let addresses = self.addresses.as_ref().ok_or(ClError(cl::CL_INVALID_OPERATION))?;
                ParamValue::ulongs(addresses.all())
            }
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }

    /// Returns whether it, or the buffer that it is a part of, is made of the shared memory at these addresses.
    pub(crate) fn lies_at(&self, memory: &Range<usize>) -> bool {
        let own = matches!(&self.store.place, Place::Svm(allocation, _) if allocation.lies_at(memory));
        own || self.parent.as_ref().is_some_and(|parent| parent.lies_at(memory))
    }

    /// clSetMemObjectDestructorCallback (§5.5.1).
    pub(crate) fn on_destruction(&self, destructor: Destructor) {
        self.destructors.calls.lock().unwrap_or_else(PoisonError::into_inner).push(destructor);
    }
}

/// CL_DEVICE_MEM_BASE_ADDR_ALIGN in bytes.
fn base_alignment(device: &Device) -> u64 {
    device.caps.base_address_align.into()
}

/// Returns whether buffers of a device have addresses.
pub(crate) fn has_addresses(runtime: &Runtime) -> bool {
    runtime.device.target().features.buffer_device_address
}

/// Makes a new store's memory, on the context's first device, and gives it its contents. Without any, it is made when it is first
/// used: many buffers never are, and with several devices that says where it belongs. The commands that use it first then fail
/// with CL_MEM_OBJECT_ALLOCATION_FAILURE, as each may (§5.2.2, §5.10).
fn fill_new(store: &Arc<Store>, data: Option<&[u8]>) -> ClResult<()> {
    if data.is_none() && (store.context.runtimes().len() > 1 || store.is_left_to_first_use()) {
        return Ok(());
    }
    let index = match &store.place {
        Place::Svm(allocation, _) => store.index(allocation.home()?)?,
        _ => 0,
    };
    // A part of shared memory keeps its contents.
    let shared = matches!(store.place, Place::Svm(..));
    let buffer = store.prepare_part(index, if shared { Access::Read } else { Access::Replace })?;
    if data.is_some() {
        store.contents.all_written();
    }
    let runtime = store.context.runtimes().get(index).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
    match data {
        // The application's memory is the store, or a part of shared memory is.
        Some(_) if shared || store.is_imported(index) => Ok(()),
        Some(data) => runtime.stream.initialize(buffer, 0, data).map_err(ClError::from),
        None => Ok(()),
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // "After the commands that use it have finished" (§5.5.1): what is held back owns the object, what is recorded does not.
        let calls = self.destructors.calls.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !calls.is_empty() {
            self.destructors.uses = self.store.uses().into_iter().collect();
            self.destructors.after = Some((self.parent.take(), self.store.context.clone()));
        }
    }
}

impl Destructors {
    fn new(own: &Own<Memory>) -> Self {
        Destructors { object: UserPointer(own.raw()), calls: Mutex::default(), uses: Vec::new(), after: None }
    }
}

impl Drop for Destructors {
    fn drop(&mut self) {
        let calls = std::mem::take(self.calls.get_mut().unwrap_or_else(PoisonError::into_inner));
        let Some(after) = self.after.take() else { return };
        let object = self.object;
        // In the reverse order of their registration (§5.5.1, clSetMemObjectDestructorCallback).
        let calls = calls.into_iter().rev().map(|(call, user)| Callback::Destructor(call, object, user));
        let (calls, executor): (Vec<_>, _) = (calls.collect(), after.1.executor.clone());
        when_done(std::mem::take(&mut self.uses), Box::new(move || executor.deleted(calls, after)));
    }
}

/// Calls a function when streams have reached points (or never will).
fn when_done(mut uses: Vec<(Arc<Runtime>, Points)>, then: Box<dyn FnOnce() + Send>) {
    match uses.pop() {
        None => then(),
        Some((runtime, points)) => {
            let stream = runtime.stream.clone();
            stream.on_complete(points, Box::new(move |_| when_done(uses, then)));
        }
    }
}
