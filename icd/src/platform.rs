//! The one platform and its devices.

use std::sync::{Arc, LazyLock};

use opencl_sys as cl;
use vk_runtime::{Instance, InstanceOptions, PhysicalDevice, RuntimeError};

use crate::device::Device;
use crate::error::{ClResult, fail};
use crate::handle::{self, Own, Raw, object};

/// The platform.
pub(crate) struct Platform {
    own: Own<Platform>,
    /// Its devices, the best first.
    pub(crate) devices: Vec<Arc<Device>>,
}
object!(Platform, cl::CL_INVALID_PLATFORM);

/// The platform; without a usable Vulkan device it has none.
///
/// # Errors
/// CL_OUT_OF_HOST_MEMORY.
pub(crate) fn platform() -> ClResult<&'static Arc<Platform>> {
    static PLATFORM: LazyLock<ClResult<Arc<Platform>>> = LazyLock::new(|| {
        let found = physical_devices().unwrap_or_else(|e| {
            log::error!("no devices: {e}");
            Vec::new()
        });
        let devices = found.into_iter().map(Device::new).collect::<ClResult<Vec<_>>>()?;
        let platform = Arc::new(Platform { own: Own::reserve()?, devices });
        handle::publish(&platform);
        Ok(platform)
    });
    PLATFORM.as_ref().map_err(|e| *e)
}

/// The Vulkan devices that can be used: all, or the one that `PUMICE_DEVICE` names.
fn physical_devices() -> Result<Vec<PhysicalDevice>, RuntimeError> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let found = match host::settings::get("PUMICE_DEVICE") {
        Some(which) => vec![instance.select(Some(&which))?],
        None => instance.devices()?,
    };
    Ok(found.into_iter().filter(|d| d.below_floor().is_none()).collect())
}

impl Platform {
    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }
}

/// Checks a platform handle; NULL stands for the one platform (§4.1: what NULL means is the implementation's choice).
pub(crate) fn check(handle: Raw) -> ClResult<&'static Arc<Platform>> {
    let platform = platform()?;
    if handle.is_null() || handle == platform.raw() { Ok(platform) } else { fail(cl::CL_INVALID_PLATFORM) }
}
