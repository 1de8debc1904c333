//! Handles: what the application holds of an object.
//!
//! A handle is the address of a [`Slot`]. Slots are in chunks that are never given back while the library is loaded, and a
//! handle that comes in is looked up among the chunks before anything is read: NULL, a wild value, a released handle or
//! an object of another type or driver is an error code, never a crash.
//!
//! A slot's first word is the dispatch table (cl_khr_icd), its second the loader's own data (cl_khr_icd 2.0). The object
//! itself is an `Arc<T>` beside it. While the application holds references (clRetain*, clRelease*), the slot owns one
//! `Arc`. Objects hold each other by `Arc`s: an object that another one needs stays alive, and its handle valid, after its
//! last release, as the specification's implicit retains demand (§5.3 and others). A slot is used again when its object
//! has been dropped, the longest unused first, so that a stale handle seldom meets a new object.

use std::alloc::Layout;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use vk_runtime::sync::{Mutex, MutexGuard};

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult};
use crate::abi::loader;

/// A handle as the API passes it.
pub(crate) type Raw = *mut c_void;

/// A type of object that handles name. See [`object`] for how to implement it.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// The code for a bad handle of this type: CL_INVALID_CONTEXT and so on.
    const INVALID: cl::cl_int;
    /// A value in the slot beside the object, reachable without a reference to the object. The type empties it when the
    /// object is dropped.
    type Beside: Default + Send + Sync + 'static;
    /// Returns where handles of this type live.
    fn pool() -> &'static Pool<Self>;
    /// The token inside the object.
    fn own(&self) -> &Own<Self>;
}

/// Implements [`Object`] for a type with a field `own: Own<Self>`, and perhaps something beside it.
macro_rules! object {
    ($type:ty, $invalid:expr) => {
        $crate::abi::handle::object!($type, $invalid, ());
    };
    ($type:ty, $invalid:expr, $beside:ty) => {
        impl $crate::abi::handle::Object for $type {
            const INVALID: opencl_sys::cl_int = $invalid;
            type Beside = $beside;
            fn pool() -> &'static $crate::abi::handle::Pool<Self> {
                static POOL: $crate::abi::handle::Pool<$type> = $crate::abi::handle::Pool::new();
                &POOL
            }
            fn own(&self) -> &$crate::abi::handle::Own<Self> {
                &self.own
            }
        }
    };
}
pub(crate) use object;

/// Chunks lie at multiples of their size, so that a handle's chunk is found by its address.
const CHUNK_BYTES: usize = 64 << 10;
/// Buckets of the table of chunks; it is never more than half full.
const BUCKETS: usize = 1 << 15;

/// The slot that a handle points to.
#[repr(C)]
pub(crate) struct Slot<T: Object> {
    /// The dispatch table of the ICD loader.
    _dispatch: AtomicPtr<cl::cl_icd::cl_icd_dispatch>,
    loader_data: AtomicPtr<c_void>,
    /// How many objects have been dropped here.
    lives: AtomicU64,
    beside: T::Beside,
    state: Mutex<State<T>>,
}

struct State<T> {
    /// The application's references.
    references: u32,
    /// Held while there are any.
    owned: Option<Arc<T>>,
    /// Reaches the object while it is alive.
    object: Weak<T>,
}

/// All slots of one type. A new one is zeros alone, so that it takes no room in the library's file.
pub(crate) struct Pool<T: Object> {
    chunks: [AtomicUsize; BUCKETS],
    /// There with the first object.
    inner: Mutex<Option<Box<Inner<T>>>>,
    live: AtomicUsize,
}

struct Inner<T: Object> {
    free: VecDeque<&'static Slot<T>>,
    chunks: usize,
}

/// Knows one object by its handle, without a reference to it.
pub(crate) struct Mark<T: Object> {
    slot: &'static Slot<T>,
    lives: u64,
}

/// An object's own slot. Made before the object, kept in it; gives the slot back when the object is dropped.
pub(crate) struct Own<T: Object> {
    slot: &'static Slot<T>,
}

impl<T: Object> Default for Inner<T> {
    fn default() -> Self {
        Inner { free: VecDeque::new(), chunks: 0 }
    }
}

impl<T: Object> Pool<T> {
    pub(crate) const fn new() -> Self {
        Pool {
            chunks: [const { AtomicUsize::new(0) }; BUCKETS],
            inner: Mutex::new(None),
            live: AtomicUsize::new(0),
        }
    }

    /// Returns how many objects of this type are alive.
    pub(crate) fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    const PER_CHUNK: usize = CHUNK_BYTES / size_of::<Slot<T>>();

    fn bucket(base: usize) -> usize {
        (base / CHUNK_BYTES).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize) >> (usize::BITS - 15)
    }

    /// The slot at an address, if there is one.
    fn find(&self, handle: Raw) -> Option<&'static Slot<T>> {
        let address = handle.addr();
        let base = address & !(CHUNK_BYTES - 1);
        let offset = address - base;
        let size = size_of::<Slot<T>>();
        if base == 0 || !offset.is_multiple_of(size) || offset / size >= Self::PER_CHUNK {
            return None;
        }
        let mut bucket = Self::bucket(base);
        loop {
            match self.chunks[bucket % BUCKETS].load(Ordering::Acquire) {
                0 => return None,
                found if found == base => break,
                _ => bucket += 1,
            }
        }
        // SAFETY: the address is that of a slot in a chunk of this pool; chunks hold initialised slots before they are
        // entered in the table, and are never freed.
        Some(unsafe { &*handle.cast::<Slot<T>>() })
    }

    fn take(&self) -> ClResult<&'static Slot<T>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = inner.get_or_insert_default();
        // A released slot rests while there are others, so that stale handles are noticed.
        if inner.free.len() <= 32 {
            self.grow(inner)?;
        }
        inner.free.pop_front().ok_or(ClError(cl::CL_OUT_OF_HOST_MEMORY))
    }

    fn grow(&self, inner: &mut Inner<T>) -> ClResult<()> {
        if inner.chunks >= BUCKETS / 2 {
            return if inner.free.is_empty() { Err(ClError(cl::CL_OUT_OF_HOST_MEMORY)) } else { Ok(()) };
        }
        let layout = Layout::from_size_align(CHUNK_BYTES, CHUNK_BYTES)
            .map_err(|_| ClError(cl::CL_OUT_OF_HOST_MEMORY))?;
        // SAFETY: the layout's size is not 0.
        let memory = NonNull::new(unsafe { std::alloc::alloc(layout) })
            .ok_or(ClError(cl::CL_OUT_OF_HOST_MEMORY))?
            .cast::<Slot<T>>();
        for i in 0..Self::PER_CHUNK {
            let state = State { references: 0, owned: None, object: Weak::new() };
            let slot = Slot {
                _dispatch: AtomicPtr::new(loader::table()),
                loader_data: AtomicPtr::new(loader::loader_data()),
                lives: AtomicU64::new(0),
                beside: T::Beside::default(),
                state: Mutex::new(state),
            };
            // SAFETY: PER_CHUNK slots fit the chunk, which is aligned far beyond a slot; the memory is ours, uninitialised
            // and never freed, so that a reference to it lives as long as the process.
            inner.free.push_back(unsafe {
                let place = memory.add(i);
                place.write(slot);
                place.as_ref()
            });
        }
        let base = memory.as_ptr().expose_provenance();
        let mut bucket = Self::bucket(base);
        while self.chunks[bucket % BUCKETS].load(Ordering::Relaxed) != 0 {
            bucket += 1;
        }
        self.chunks[bucket % BUCKETS].store(base, Ordering::Release);
        inner.chunks += 1;
        Ok(())
    }
}

impl<T: Object> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Object> Own<T> {
    /// A slot for an object that is about to be made.
    pub(crate) fn reserve() -> ClResult<Self> {
        let slot = T::pool().take()?;
        slot.loader_data.store(loader::loader_data(), Ordering::Relaxed);
        T::pool().live.fetch_add(1, Ordering::Relaxed);
        Ok(Own { slot })
    }

    /// The object's handle.
    pub(crate) fn raw(&self) -> Raw {
        std::ptr::from_ref(self.slot).cast_mut().cast()
    }

    /// The application's references: CL_*_REFERENCE_COUNT.
    pub(crate) fn references(&self) -> u32 {
        self.slot.lock().references
    }

    /// Returns what lies beside the object.
    pub(crate) fn beside(&self) -> &T::Beside {
        &self.slot.beside
    }

    /// To know the object by.
    pub(crate) fn mark(&self) -> Mark<T> {
        Mark { slot: self.slot, lives: self.slot.lives.load(Ordering::Acquire) }
    }

    /// Tells the loader's data to the slot (clIcdSetPlatformDispatchDataKHR).
    pub(crate) fn set_loader_data(&self, data: *mut c_void) {
        self.slot.loader_data.store(data, Ordering::Relaxed);
    }
}

impl<T: Object> Mark<T> {
    /// Returns whether a handle names the object, and the object is alive.
    pub(crate) fn names(&self, handle: Raw) -> bool {
        std::ptr::addr_eq(self.slot, handle) && self.slot.lives.load(Ordering::Acquire) == self.lives
    }
}

/// Returns what lies beside the object that a handle names, or beside the place of one that is gone.
pub(crate) fn beside<T: Object>(handle: Raw) -> Option<&'static T::Beside> {
    T::pool().find(handle).map(|slot| &slot.beside)
}

impl<T: Object> Drop for Own<T> {
    fn drop(&mut self) {
        self.slot.lives.fetch_add(1, Ordering::AcqRel);
        let old = {
            let mut state = self.slot.lock();
            state.references = 0;
            (state.owned.take(), std::mem::take(&mut state.object))
        };
        drop(old);
        T::pool().live.fetch_sub(1, Ordering::Relaxed);
        let mut inner = T::pool().inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.get_or_insert_default().free.push_back(self.slot);
    }
}

/// Gives an object to the application, which then holds one reference. Returns its handle.
pub(crate) fn publish<T: Object>(object: &Arc<T>) -> Raw {
    let own = object.own();
    let mut state = own.slot.lock();
    state.references = 1;
    state.owned = Some(object.clone());
    state.object = Arc::downgrade(object);
    own.raw()
}

/// Makes an object known by its handle without a reference of the application's: it lives while others hold it.
pub(crate) fn lend<T: Object>(object: &Arc<T>) -> Raw {
    let own = object.own();
    own.slot.lock().object = Arc::downgrade(object);
    own.raw()
}

/// The object that a handle names.
///
/// # Errors
/// `T::INVALID` for anything that is no live object of this type.
pub(crate) fn get<T: Object>(handle: Raw) -> ClResult<Arc<T>> {
    let slot = T::pool().find(handle).ok_or(ClError(T::INVALID))?;
    let state = slot.lock();
    match &state.owned {
        Some(object) => Ok(object.clone()),
        None => state.object.upgrade().ok_or(ClError(T::INVALID)),
    }
}

/// The objects that an array of handles names.
///
/// # Safety
/// `handles` points to `count` handles, unless `count` is 0.
///
/// # Errors
/// `T::INVALID` if one is bad.
#[inline]
pub(crate) unsafe fn get_all<T: Object>(count: cl::cl_uint, handles: *const Raw) -> ClResult<Vec<Arc<T>>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: by the caller's promise.
    unsafe { crate::abi::ffi::slice(handles, count as usize) }.iter().map(|h| get(*h)).collect()
}

/// clRetain*: one more reference of the application.
pub(crate) fn retain<T: Object>(handle: Raw) -> ClResult<()> {
    let slot = T::pool().find(handle).ok_or(ClError(T::INVALID))?;
    let mut state = slot.lock();
    if state.owned.is_none() {
        // Released, yet alive because another object needs it: the application got the handle from a query.
        state.owned = Some(state.object.upgrade().ok_or(ClError(T::INVALID))?);
    }
    state.references = state.references.checked_add(1).ok_or(ClError(cl::CL_OUT_OF_HOST_MEMORY))?;
    Ok(())
}

/// clRelease*: one reference less. Returns the object when it was the last one; dropping that drops the object unless others need
/// it.
pub(crate) fn release<T: Object>(handle: Raw) -> ClResult<Option<Arc<T>>> {
    let slot = T::pool().find(handle).ok_or(ClError(T::INVALID))?;
    let mut state = slot.lock();
    if state.references == 0 {
        return Err(ClError(T::INVALID));
    }
    state.references -= 1;
    Ok(if state.references == 0 { state.owned.take() } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing {
        own: Own<Thing>,
        value: u32,
    }
    object!(Thing, -999);

    fn thing(value: u32) -> Raw {
        publish(&Arc::new(Thing { own: Own::reserve().expect("slot"), value }))
    }

    #[test]
    fn handles_are_checked_and_counted() {
        let a = thing(7);
        assert_eq!(get::<Thing>(a).expect("alive").value, 7);
        retain::<Thing>(a).expect("alive");
        assert_eq!(get::<Thing>(a).expect("alive").own.references(), 2);
        assert!(release::<Thing>(a).expect("alive").is_none());
        assert!(release::<Thing>(a).expect("alive").is_some());
        assert_eq!(get::<Thing>(a).err(), Some(ClError(-999)), "released");
        assert_eq!(release::<Thing>(a).err(), Some(ClError(-999)), "released twice");
        let b = thing(8);
        assert_ne!(a, b, "a slot rests before it is used again");
        for wild in [0usize, 1, 8, 0xdead_beef, usize::MAX, b.addr() + 1, b.addr() + 8, b.addr() ^ (1 << 40)]
        {
            assert!(get::<Thing>(std::ptr::without_provenance_mut(wild)).is_err(), "{wild:#x}");
        }
        drop(release::<Thing>(b));
    }

    #[test]
    fn a_mark_knows_one_object() {
        let a = thing(1);
        let mark = get::<Thing>(a).expect("alive").own.mark();
        assert!(mark.names(a));
        assert!(!mark.names(std::ptr::null_mut()));
        drop(release::<Thing>(a));
        assert!(!mark.names(a), "dropped");
    }

    #[test]
    fn an_object_that_others_need_keeps_its_handle() {
        let a = thing(9);
        let kept = get::<Thing>(a).expect("alive");
        drop(release::<Thing>(a).expect("alive"));
        assert_eq!(get::<Thing>(a).expect("still needed").value, 9);
        drop(kept);
        assert!(get::<Thing>(a).is_err());
    }
}
