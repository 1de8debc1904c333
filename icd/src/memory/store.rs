//! The memory behind a buffer and its sub-buffers, or behind images.
//!
//! Each device of the context has its own copy, made when the buffer is first used there (or at once, where that is asked
//! for, or where the memory may not suffice: then clCreateBuffer says so). In a context of several devices the store remembers which copies hold the newest contents; [`Store::prepare`] brings them
//! to the device that needs them, through the host, when a command is recorded. Everything that the command waits for is recorded
//! by then, so waiting for the other device's stream always ends.
//!
//! With CL_MEM_USE_HOST_PTR the application's memory is the store itself where device and host share memory and it can be
//! imported. Elsewhere the copies count, and the application's memory is brought up to date when it is mapped (§5.2.4).

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use vk_runtime::sync::{Mutex, MutexGuard};

use lower::check::Checks;
use opencl_sys as cl;
use smallvec::SmallVec;
use vk_runtime::{
    Buffer, BufferUse, DeviceKind, Image, ImageBox, ImageDesc, Pitches, Points, Queue, RuntimeError,
};

use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::abi::flags;
use crate::device::Runtime;
use crate::device::context::Context;
use crate::device::creation::Creation;
use crate::device::svm::Allocation;
use crate::memory::contents::Contents;
use crate::memory::image_map::ImageMap;
use crate::memory::map::Map;
use crate::memory::origin::Origin;
use crate::memory::pinned::PinnedMirror;

/// Data goes from device to device in pieces of this size, where the host copies it.
const PIECE: u64 = 16 << 20;
/// Buffers of this size or larger go without the host's help.
const BRIDGED: u64 = 256 << 10;

/// The place of a store's memory.
pub(crate) enum Place {
    /// The device's own.
    Device,
    /// The device's own, with pinned host memory that maps show (CL_MEM_ALLOC_HOST_PTR); one memory where both share it.
    Pinned,
    /// Host memory, whatever the device prefers (CL_MEM_FORCE_HOST_MEMORY_INTEL).
    Host,
    /// The application's (CL_MEM_USE_HOST_PTR).
    User(UserPointer),
    /// Shared virtual memory, from this byte of the allocation on.
    Svm(Arc<Allocation>, u64),
    /// Another API's, which these devices of the context have, by their numbers.
    External(Box<[usize]>),
    /// The device's own, which has what an object of OpenGL has.
    Gl(Arc<Origin>),
}

/// A command's access to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Changes it or parts of it.
    Write,
    /// Gives it new contents altogether.
    Replace,
}

/// The form of a store on a device.
pub(crate) enum Form {
    /// Bytes: a buffer.
    Bytes,
    /// Texels: an image.
    Image(ImageDesc),
}

/// Memory that memory objects share.
pub(crate) struct Store {
    pub(crate) context: Arc<Context>,
    pub(crate) size: u64,
    pub(crate) place: Place,
    /// The memory of the copies that are made for it.
    usage: BufferUse,
    form: Form,
    /// By the context's devices.
    copies: SmallVec<[OnceLock<Copy>; 1]>,
    /// True for each device whose copy holds the newest contents; all false: the contents are undefined.
    newest: Mutex<SmallVec<[bool; 4]>>,
    /// The regions that are mapped.
    maps: Mutex<Vec<Map>>,
    image_maps: Mutex<Vec<ImageMap>>,
    /// Bytes that it will take when it is first used.
    promised: AtomicU64,
    /// What was ever written of it.
    pub(crate) contents: Contents,
    /// Where it was made, if reports name it.
    pub(crate) creation: Option<Arc<Creation>>,
}

/// One device's copy.
struct Copy {
    memory: Stuff,
    /// The application's memory itself.
    imported: bool,
    /// The host's memory that maps show, made when it is first mapped.
    mirror: OnceLock<Arc<PinnedMirror>>,
}

impl Copy {
    fn new(memory: Stuff) -> Self {
        Copy { memory, imported: false, mirror: OnceLock::new() }
    }
}

/// The runtime's objects.
enum Stuff {
    Buffer(Buffer),
    Image(Image),
}

impl Place {
    /// Returns where the bytes of a new buffer lie, by its flags and its host pointer, which is NULL if they use and copy none.
    ///
    /// # Errors
    /// Those of §5.2.1 for both.
    pub(crate) fn of_buffer(
        context: &Context,
        flags: cl::cl_mem_flags,
        size: u64,
        host: *mut c_void,
    ) -> ClResult<Self> {
        flags::check_new_buffer(flags)?;
        flags::check_contents(flags, false)?;
        let uses = flags::has(flags, cl::CL_MEM_USE_HOST_PTR);
        let copies = flags::has(flags, cl::CL_MEM_COPY_HOST_PTR);
        ensure((uses || copies) != host.is_null(), cl::CL_INVALID_HOST_PTR)?;
        if uses && flags::has(flags, cl::CL_MEM_FORCE_HOST_MEMORY_INTEL) {
            check_forced(context, size, host)?;
        }
        Ok(match shared_memory(context, host, size)? {
            Some((allocation, offset)) if uses => {
                if let Some((coarse, ..)) = allocation.coarse() {
                    coarse.stay_behind();
                }
                Place::Svm(allocation, offset)
            }
            _ if uses => Place::User(UserPointer(host)),
            _ if flags::has(flags, cl::CL_MEM_FORCE_HOST_MEMORY_INTEL) => Place::Host,
            _ if flags::has(flags, cl::CL_MEM_ALLOC_HOST_PTR) => Place::Pinned,
            _ => Place::Device,
        })
    }
}

/// Checks the application's memory for a buffer that is to be in host memory (cl_intel_mem_force_host_memory): whole cache lines, and no
/// shared memory, which lies where its allocation has it.
///
/// # Errors
/// CL_INVALID_HOST_PTR, CL_INVALID_BUFFER_SIZE.
fn check_forced(context: &Context, size: u64, host: *mut c_void) -> ClResult<()> {
    let lines = context.devices.iter().filter_map(|d| d.caps.cache.as_ref().map(|cache| cache.line));
    let line = lines.max().unwrap_or(0).max(1);
    ensure(host.addr().is_multiple_of(line as usize), cl::CL_INVALID_HOST_PTR)?;
    ensure(size.is_multiple_of(line.into()), cl::CL_INVALID_BUFFER_SIZE)?;
    ensure(context.svm.find(host.addr()).is_none(), cl::CL_INVALID_HOST_PTR)
}

/// The SVM allocation of a host pointer, and the offset in it.
///
/// # Errors
/// CL_INVALID_BUFFER_SIZE if the buffer would not fit it (§5.2.1).
fn shared_memory(
    context: &Context,
    host: *mut c_void,
    size: u64,
) -> ClResult<Option<(Arc<Allocation>, u64)>> {
    let Some(allocation) = context.svm.find(host.addr()) else { return Ok(None) };
    ensure(allocation.is_hosts(), cl::CL_INVALID_HOST_PTR)?;
    let offset = allocation.offset_of(host.addr());
    ensure(allocation.holds(host.addr(), size), cl::CL_INVALID_BUFFER_SIZE)?;
    Ok(Some((allocation, offset)))
}

impl Store {
    /// Creates a store for a memory object with these flags. It has no memory yet.
    pub(crate) fn new(
        context: &Arc<Context>,
        flags: cl::cl_mem_flags,
        size: u64,
        place: Place,
        form: Form,
    ) -> Self {
        let count = context.runtimes().len();
        let watched = host::check::checks().contains(Checks::UNINITIALISED)
            && count == 1
            && matches!((&place, &form), (Place::Device | Place::Pinned, Form::Bytes));
        Store {
            contents: Contents::new(size, watched),
            context: context.clone(),
            size,
            usage: match flags::has(flags, cl::CL_MEM_FORCE_HOST_MEMORY_INTEL) {
                true => BufferUse::HostPinned,
                false => BufferUse::Device,
            },
            place,
            form,
            copies: (0..count).map(|_| OnceLock::new()).collect(),
            newest: Mutex::new(SmallVec::from_elem(false, count)),
            maps: Mutex::default(),
            image_maps: Mutex::default(),
            promised: AtomicU64::new(0),
            creation: Creation::here(),
        }
    }

    /// Leaves the memory of a store without contents to its first use, if the device has enough for all that was left so. Programs
    /// that make buffers until none is to be had are to come to an end, at clCreateBuffer.
    pub(crate) fn is_left_to_first_use(&self) -> bool {
        let (Place::Device, [runtime]) = (&self.place, self.context.runtimes()) else { return false };
        let free = runtime.device.free_memory();
        let enough = runtime.promise(self.size).is_some_and(|all| all <= free);
        if enough {
            self.promised.store(self.size, Ordering::Relaxed);
        } else {
            runtime.keep_promise(self.size);
        }
        enough
    }

    /// Ends a promise: the memory is taken, or never will be.
    fn keep_promise(&self) {
        let size = self.promised.swap(0, Ordering::Relaxed);
        if size > 0
            && let [runtime] = self.context.runtimes()
        {
            runtime.keep_promise(size);
        }
    }

    /// Returns where the store begins in its Vulkan buffers.
    pub(crate) fn base(&self) -> u64 {
        match &self.place {
            Place::Svm(_, offset) => *offset,
            _ => 0,
        }
    }

    /// The device that a region is mapped on for another one's queue: shared virtual memory has one place.
    pub(crate) fn map_device(&self, device: usize) -> usize {
        match &self.place {
            Place::Svm(allocation, _) if !allocation.is_multi_device() => {
                allocation.home().and_then(|home| self.index(home)).unwrap_or(device)
            }
            _ => device,
        }
    }

    /// Returns whether it is shared virtual memory of which the host has its own.
    pub(crate) fn lies_twice(&self) -> bool {
        matches!(&self.place, Place::Svm(allocation, _) if allocation.coarse().is_some())
    }

    /// The number of a Vulkan device among the context's.
    ///
    /// # Errors
    /// CL_INVALID_CONTEXT if it is none of them.
    pub(crate) fn index(&self, runtime: &Arc<Runtime>) -> ClResult<usize> {
        let found = self.context.runtimes().iter().position(|r| Arc::ptr_eq(r, runtime));
        found.ok_or(ClError(cl::CL_INVALID_CONTEXT))
    }

    fn runtime(&self, index: usize) -> ClResult<&Arc<Runtime>> {
        self.context.runtimes().get(index).ok_or(ClError(cl::CL_INVALID_CONTEXT))
    }

    /// A device's copy; made if there is none. Its contents may be old.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE when there is no memory for it; CL_INVALID_MEM_OBJECT for an image.
    pub(crate) fn buffer(&self, index: usize) -> ClResult<&Buffer> {
        self.copy(index)?.memory.buffer()
    }

    /// The same for an image.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED; CL_INVALID_MEM_OBJECT for a buffer.
    pub(crate) fn image(&self, index: usize) -> ClResult<&Image> {
        self.copy(index)?.memory.image()
    }

    /// The devices that have external memory, with their numbers.
    ///
    /// # Errors
    /// CL_INVALID_CONTEXT for a number that none of the context's devices has.
    pub(crate) fn external_devices(&self) -> ClResult<Vec<(usize, &Arc<Runtime>)>> {
        match &self.place {
            Place::External(devices) => devices.iter().map(|i| Ok((*i, self.runtime(*i)?))).collect(),
            _ => Ok(Vec::new()),
        }
    }

    /// Takes external memory as a device's copy.
    ///
    /// # Errors
    /// CL_INVALID_CONTEXT for a number that none of the context's devices has.
    pub(crate) fn adopt_buffer(&self, index: usize, buffer: Buffer) -> ClResult<()> {
        self.adopt(index, Stuff::Buffer(buffer))
    }

    /// The same for an image.
    ///
    /// # Errors
    /// As [`adopt_buffer`](Self::adopt_buffer).
    pub(crate) fn adopt_image(&self, index: usize, image: Image) -> ClResult<()> {
        self.adopt(index, Stuff::Image(image))
    }

    fn adopt(&self, index: usize, memory: Stuff) -> ClResult<()> {
        let cell = self.copies.get(index).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
        // A device that the application names twice has one copy.
        let _ = cell.set(Copy::new(memory));
        Ok(())
    }

    /// Makes a device's copy if there is none.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer) and [`image`](Self::image).
    pub(crate) fn ensure(&self, index: usize) -> ClResult<()> {
        self.copy(index).map(drop)
    }

    /// Returns whether it is an image's.
    pub(crate) fn is_image(&self) -> bool {
        matches!(self.form, Form::Image(_))
    }

    /// A device's buffer if it was made.
    pub(crate) fn existing(&self, index: usize) -> Option<&Buffer> {
        self.copies.get(index)?.get()?.memory.buffer().ok()
    }

    /// Returns whether a device's copy is the application's memory itself.
    pub(crate) fn is_imported(&self, index: usize) -> bool {
        self.copies.get(index).and_then(OnceLock::get).is_some_and(|c| c.imported)
    }

    /// The pinned host memory that maps of a device's buffer show, of the buffer's size and more, and never moved.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE when there is no memory for it; CL_INVALID_MEM_OBJECT for an image.
    pub(crate) fn mirror(&self, index: usize, more: u64) -> ClResult<&Arc<PinnedMirror>> {
        let copy = self.copy(index)?;
        if let Some(mirror) = copy.mirror.get() {
            return Ok(mirror);
        }
        let size = copy.memory.buffer()?.size().checked_add(more);
        let size = size.ok_or(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
        let made = self.runtime(index)?.device.create_buffer(size, BufferUse::Download)?;
        Ok(copy.mirror.get_or_init(|| Arc::new(PinnedMirror::new(made))))
    }

    fn copy(&self, index: usize) -> ClResult<&Copy> {
        let cell = self.copies.get(index).ok_or(ClError(cl::CL_INVALID_CONTEXT))?;
        if let Some(copy) = cell.get() {
            return Ok(copy);
        }
        // Two threads may both come here: the lock lets one make it.
        let _guard = self.newest();
        if let Some(copy) = cell.get() {
            return Ok(copy);
        }
        let made = self.make(index)?;
        self.keep_promise();
        Ok(cell.get_or_init(|| made))
    }

    fn make(&self, index: usize) -> ClResult<Copy> {
        let runtime = self.runtime(index)?;
        if let Form::Image(desc) = &self.form {
            let image = runtime.device.create_image(desc).map_err(|e| match e {
                RuntimeError::Unsupported(why) => {
                    log::error!("{why}");
                    ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED)
                }
                e => ClError::from(e),
            })?;
            return Ok(Copy::new(Stuff::Image(image)));
        }
        if let Place::Svm(allocation, _) = &self.place
            && let Some(buffer) = allocation.on(runtime)
        {
            return Ok(Copy::new(Stuff::Buffer(buffer.clone())));
        }
        if let Place::User(pointer) = &self.place
            && let Some(buffer) = self.import(runtime, *pointer)
        {
            return Ok(Copy { imported: true, ..Copy::new(Stuff::Buffer(buffer)) });
        }
        let usage = match &self.place {
            Place::Pinned if !runtime.device.has_own_memory() => BufferUse::HostPinned,
            _ => self.usage,
        };
        // Where the store begins in its Vulkan buffer is the same on all devices.
        let size = self.size.checked_add(self.base()).ok_or(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
        if size > runtime.device.max_buffer_size() {
            return Err(ClError(cl::CL_MEM_OBJECT_ALLOCATION_FAILURE));
        }
        let made = match runtime.device.create_buffer(size, usage) {
            // What asks for host memory may have it where the device's is full.
            Err(e) if e.is_out_of_memory() && matches!(self.place, Place::Pinned) => {
                log::info!("CL_MEM_ALLOC_HOST_PTR: {size} bytes in host memory, as the device's is full");
                runtime.device.create_buffer(size, BufferUse::HostPinned)
            }
            made => made,
        };
        let buffer = made?;
        Ok(Copy::new(Stuff::Buffer(buffer)))
    }

    /// The application's memory as a Vulkan buffer, where host and device share memory, for one device alone (others would have
    /// copies, and the application's memory cannot be one of several).
    fn import(&self, runtime: &Arc<Runtime>, pointer: UserPointer) -> Option<Buffer> {
        let kind = runtime.device.physical().kind();
        if self.copies.len() != 1 || !matches!(kind, DeviceKind::Cpu | DeviceKind::Integrated) {
            return None;
        }
        // SAFETY: the application keeps the memory, of at least the buffer's size, for as long as the buffer lives (§5.2.1); the
        // destructor callback, after which it may free it, is called when the Vulkan buffer is gone.
        unsafe { runtime.device.import_host(pointer.0.cast(), self.size) }
            .inspect_err(|e| log::debug!("CL_MEM_USE_HOST_PTR is not imported: {e}"))
            .ok()
    }

    fn newest(&self) -> MutexGuard<'_, SmallVec<[bool; 4]>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mapped regions.
    pub(crate) fn maps(&self) -> MutexGuard<'_, Vec<Map>> {
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mapped boxes of an image.
    pub(crate) fn image_maps(&self) -> MutexGuard<'_, Vec<ImageMap>> {
        self.image_maps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A device's copy, with the newest contents, for a command that is being recorded.
    ///
    /// # Errors
    /// CL_MEM_OBJECT_ALLOCATION_FAILURE; what the transfer between the devices gives.
    pub(crate) fn prepare(&self, index: usize, access: Access) -> ClResult<&Buffer> {
        if access != Access::Read {
            self.contents.all_written();
        }
        self.prepare_part(index, access)
    }

    /// The same for a command that says what it writes ([`Contents`]).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub(crate) fn prepare_part(&self, index: usize, access: Access) -> ClResult<&Buffer> {
        self.newest_copy(index, access)?.memory.buffer()
    }

    /// The same for an image.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare) and [`image`](Self::image).
    pub(crate) fn prepare_image(&self, index: usize, access: Access) -> ClResult<&Image> {
        self.newest_copy(index, access)?.memory.image()
    }

    /// The same for either; the points at which nothing writes it any more.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub(crate) fn prepare_any(&self, index: usize, access: Access) -> ClResult<Points> {
        if access != Access::Read {
            self.contents.all_written();
        }
        self.prepare_kernel(index, access)
    }

    /// The same for a launch, which notes itself what it writes.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub(crate) fn prepare_kernel(&self, index: usize, access: Access) -> ClResult<Points> {
        let stream = &self.runtime(index)?.stream;
        Ok(match &self.newest_copy(index, access)?.memory {
            Stuff::Buffer(buffer) => stream.last_write(buffer),
            Stuff::Image(image) => stream.last_image_write(image),
        })
    }

    fn newest_copy(&self, index: usize, access: Access) -> ClResult<&Copy> {
        let copy = self.copy(index)?;
        if access != Access::Read
            && let Place::Svm(allocation, base) = &self.place
        {
            allocation.written(*base..*base + self.size);
        }
        // What several devices reach is the same for all.
        let is_one = matches!(&self.place, Place::Svm(allocation, _) if allocation.is_multi_device());
        if self.copies.len() > 1 && !is_one {
            let mut newest = self.newest();
            let here = newest.get(index).copied().unwrap_or(false);
            if !here
                && access != Access::Replace
                && let Some(from) = newest.iter().position(|n| *n)
            {
                self.migrate(from, index)?;
            }
            if access != Access::Read {
                newest.iter_mut().for_each(|n| *n = false);
            }
            if let Some(here) = newest.get_mut(index) {
                *here = true;
            }
        }
        Ok(copy)
    }

    /// Copies the whole store from one device to another.
    fn migrate(&self, from: usize, to: usize) -> ClResult<()> {
        let existing = |i: usize| {
            let copy = self.copies.get(i).and_then(OnceLock::get);
            copy.map(|c| &c.memory).ok_or(ClError(cl::CL_OUT_OF_RESOURCES))
        };
        let (source_runtime, target_runtime) = (self.runtime(from)?, self.runtime(to)?);
        let (source, target) = match (existing(from)?, existing(to)?) {
            (Stuff::Buffer(source), Stuff::Buffer(target)) => (source, target),
            (Stuff::Image(source), Stuff::Image(target)) => {
                return migrate_image((&source_runtime.stream, source), (&target_runtime.stream, target));
            }
            _ => return Err(ClError(cl::CL_OUT_OF_RESOURCES)),
        };
        let (source_stream, target_stream) = (source_runtime.copy_stream(), target_runtime.copy_stream());
        source_stream.behind(&source_stream.last_write(source))?;
        target_stream.behind(&target_stream.last_use(target))?;
        let (mut at, end) = (self.base(), self.base() + self.size);
        if self.size >= BRIDGED {
            match self.context.bridge.copy((source_stream, source), (target_stream, target), at..end) {
                Err(RuntimeError::Unsupported(why)) => log::debug!("a buffer goes through the host: {why}"),
                done => return Ok(done?),
            }
        }
        let mut data = vec![0u8; usize::try_from(self.size.min(PIECE)).unwrap_or(0)];
        while at < end {
            let piece = usize::try_from((end - at).min(PIECE)).unwrap_or(0);
            let Some(piece) = data.get_mut(..piece) else { break };
            source_stream.read_buffer(source, at, piece)?;
            target_stream.initialize(target, at, piece)?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    /// Commands that may still be using the store: devices and the points that their streams must reach.
    pub(crate) fn uses(&self) -> SmallVec<[(Arc<Runtime>, Points); 1]> {
        let mut out = SmallVec::new();
        for (runtime, copy) in self.context.runtimes().iter().zip(&self.copies) {
            if let Some(copy) = copy.get() {
                let points = match &copy.memory {
                    Stuff::Buffer(buffer) => runtime.stream.last_use(buffer),
                    Stuff::Image(image) => runtime.stream.last_image_use(image),
                };
                if !points.is_empty() {
                    out.push((runtime.clone(), points));
                }
            }
        }
        out
    }
}

impl Stuff {
    fn buffer(&self) -> ClResult<&Buffer> {
        match self {
            Stuff::Buffer(buffer) => Ok(buffer),
            Stuff::Image(_) => Err(ClError(cl::CL_INVALID_MEM_OBJECT)),
        }
    }

    fn image(&self) -> ClResult<&Image> {
        match self {
            Stuff::Image(image) => Ok(image),
            Stuff::Buffer(_) => Err(ClError(cl::CL_INVALID_MEM_OBJECT)),
        }
    }
}

/// Copies an image from one device to another, slice by slice.
fn migrate_image((from, source): (&Queue, &Image), (to, target): (&Queue, &Image)) -> ClResult<()> {
    let desc = source.desc();
    let slices = (0..desc.levels).flat_map(|level| {
        let [width, height, depth] = desc.level_size(level);
        (0..depth).map(move |z| ImageBox { level, origin: [0, 0, z], size: [width, height, 1] })
    });
    for slice in slices {
        let size = slice.bytes(desc.texel).and_then(|n| usize::try_from(n).ok());
        let mut data = vec![0; size.ok_or(ClError(cl::CL_OUT_OF_HOST_MEMORY))?];
        from.read_image(source, &slice, &mut data, Pitches::default())?;
        to.initialize_image(target, &slice, &data, Pitches::default())?;
    }
    Ok(())
}

impl Drop for Store {
    fn drop(&mut self) {
        self.keep_promise();
    }
}
