//! The objects behind handles, and who is alive.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, OnceLock, PoisonError};

use vk_runtime::{DeviceKind, Instance, InstanceOptions, PhysicalDevice};

use crate::cl;
use crate::dispatch::{Table, table};

/// What a handle points to: the loader reads the first word.
#[repr(C)]
pub(crate) struct Header {
    table: &'static Table,
}

/// A handle as the API passes it.
pub(crate) type Handle = *mut c_void;

/// The one platform.
pub(crate) struct Platform {
    header: Box<Header>,
    pub(crate) devices: Vec<Device>,
    contexts: Mutex<BTreeMap<usize, Context>>,
}

/// A device: lives as long as the process.
pub(crate) struct Device {
    header: Box<Header>,
    pub(crate) physical: PhysicalDevice,
}

/// A context.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) references: u32,
    /// Indices into the platform's devices.
    pub(crate) devices: Vec<usize>,
    pub(crate) properties: Vec<isize>,
}

fn header() -> Box<Header> {
    Box::new(Header { table: table() })
}

fn address(header: &Header) -> Handle {
    std::ptr::from_ref(header).cast_mut().cast()
}

/// The platform; without a Vulkan device above the floor it has no devices.
pub(crate) fn platform() -> &'static Platform {
    static PLATFORM: OnceLock<Platform> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let found = Instance::new(&InstanceOptions::default()).and_then(|i| i.devices()).unwrap_or_default();
        let usable = found.into_iter().filter(|d| d.below_floor().is_none());
        let devices = usable.map(|physical| Device { header: header(), physical }).collect();
        Platform { header: header(), devices, contexts: Mutex::default() }
    })
}

impl Platform {
    pub(crate) fn handle(&self) -> Handle {
        address(&self.header)
    }

    /// Whether a handle is this platform; NULL is too where the API lets the implementation choose.
    pub(crate) fn check(&self, handle: Handle) -> Result<(), i32> {
        if handle.is_null() || handle == self.handle() { Ok(()) } else { Err(cl::INVALID_PLATFORM) }
    }

    /// The index of the device with this handle.
    pub(crate) fn device(&self, handle: Handle) -> Result<usize, i32> {
        self.devices.iter().position(|d| d.handle() == handle).ok_or(cl::INVALID_DEVICE)
    }

    /// Indices of the devices of a CL_DEVICE_TYPE mask. The first is the default one.
    pub(crate) fn devices_of_type(&self, mask: u64) -> Result<Vec<usize>, i32> {
        let known = cl::DEVICE_TYPE_DEFAULT
            | cl::DEVICE_TYPE_CPU
            | cl::DEVICE_TYPE_GPU
            | cl::DEVICE_TYPE_ACCELERATOR
            | cl::DEVICE_TYPE_CUSTOM;
        if mask != cl::DEVICE_TYPE_ALL && (mask == 0 || mask & !known != 0) {
            return Err(cl::INVALID_DEVICE_TYPE);
        }
        let fits = |i: usize, d: &Device| {
            d.device_type() & mask != 0 || (i == 0 && mask & cl::DEVICE_TYPE_DEFAULT != 0)
        };
        let found: Vec<usize> =
            self.devices.iter().enumerate().filter(|(i, d)| fits(*i, d)).map(|(i, _)| i).collect();
        if found.is_empty() { Err(cl::DEVICE_NOT_FOUND) } else { Ok(found) }
    }

    pub(crate) fn new_context(&self, devices: Vec<usize>, properties: Vec<isize>) -> Handle {
        let header = Box::into_raw(header());
        let context = Context { references: 1, devices, properties };
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner).insert(header.addr(), context);
        header.cast()
    }

    /// A copy of what a live context says about itself.
    pub(crate) fn context(&self, handle: Handle) -> Result<Context, i32> {
        let contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.get(&handle.addr()).cloned().ok_or(cl::INVALID_CONTEXT)
    }

    pub(crate) fn retain_context(&self, handle: Handle) -> Result<(), i32> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let context = contexts.get_mut(&handle.addr()).ok_or(cl::INVALID_CONTEXT)?;
        context.references = context.references.checked_add(1).ok_or(cl::OUT_OF_HOST_MEMORY)?;
        Ok(())
    }

    pub(crate) fn release_context(&self, handle: Handle) -> Result<(), i32> {
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let context = contexts.get_mut(&handle.addr()).ok_or(cl::INVALID_CONTEXT)?;
        context.references -= 1;
        if context.references == 0 {
            contexts.remove(&handle.addr());
            // SAFETY: the handle was among the live contexts, so it came from Box::into_raw in `new_context` and has not
            // been freed; its entry is gone, so it is freed once.
            drop(unsafe { Box::from_raw(handle.cast::<Header>()) });
        }
        Ok(())
    }
}

impl Device {
    pub(crate) fn handle(&self) -> Handle {
        address(&self.header)
    }

    /// CL_DEVICE_TYPE.
    pub(crate) fn device_type(&self) -> u64 {
        match self.physical.kind() {
            DeviceKind::Discrete | DeviceKind::Integrated | DeviceKind::Virtual => cl::DEVICE_TYPE_GPU,
            DeviceKind::Cpu => cl::DEVICE_TYPE_CPU,
            DeviceKind::Other => cl::DEVICE_TYPE_ACCELERATOR,
        }
    }
}
