//! The one platform and its devices.

use std::sync::{Arc, LazyLock};

use host::present::Present;
use opencl_sys as cl;
use vk_runtime::life::{self, without_signals};
use vk_runtime::{Instance, PhysicalDevice, RuntimeError};

use crate::abi::error::{ClResult, ensure, fail};
use crate::abi::extensions::{Condition, EXTENSIONS};
use crate::abi::handle;
use crate::abi::handle::{Own, Raw, object};
use crate::abi::test_modes;
use crate::device::Device;
use crate::device::caps::{Named, named, version};

/// The platform.
pub(crate) struct Platform {
    own: Own<Platform>,
    /// Its devices, the best first.
    pub(crate) devices: Vec<Arc<Device>>,
    /// The answers that queries give in place of the truth.
    pub(crate) present: Present,
}
object!(Platform, cl::CL_INVALID_PLATFORM);

/// The platform; without a usable Vulkan device it has none.
///
/// # Errors
/// CL_OUT_OF_HOST_MEMORY.
pub(crate) fn platform() -> ClResult<&'static Arc<Platform>> {
    static PLATFORM: LazyLock<ClResult<Arc<Platform>>> = LazyLock::new(|| {
        for problem in host::settings::problems() {
            log::error!("{problem}");
        }
        let found = physical_devices().unwrap_or_else(|e| {
            log::error!("no devices: {e}");
            Vec::new()
        });
        let present = Present::read();
        let multi_device = Arc::default();
        let devices = found
            .into_iter()
            .map(|physical| Device::new(physical, &present, &multi_device))
            .collect::<ClResult<Vec<_>>>()?;
        let platform = Arc::new(Platform { own: Own::reserve()?, devices, present });
        handle::publish(&platform);
        Ok(platform)
    });
    PLATFORM.as_ref().map_err(|e| *e)
}

/// The Vulkan devices that can be used: all, or those that `PUMICE_DEVICE` names.
fn physical_devices() -> Result<Vec<PhysicalDevice>, RuntimeError> {
    let instance = without_signals(|| Instance::new(&test_modes::instance_options()))?;
    crate::device::process_end::watch();
    if instance.validates() {
        test_modes::fail_on_messages(&instance);
    }
    let mut found = match host::settings::get("PUMICE_DEVICE") {
        Some(list) => instance.select_all(&list)?,
        None => instance.usable()?,
    };
    life::watch_children();
    found.retain(|device| match device.below_floor() {
        None => true,
        Some(why) => {
            log::error!("PUMICE_DEVICE: '{}' is unusable: {why}", device.name());
            false
        }
    });
    Ok(found)
}

impl Platform {
    /// Its handle.
    pub(crate) fn raw(&self) -> Raw {
        self.own.raw()
    }

    /// The devices that a query for a type finds (§4.2): CL_DEVICE_TYPE_DEFAULT is the first one. CL_DEVICE_TYPE_ALL is 32 bits set; those who
    /// keep it in an int (OpenCV) ask with all 64.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE_TYPE for a type that is none; CL_DEVICE_NOT_FOUND when there is no such device.
    pub(crate) fn devices_of_type(&self, kind: cl::cl_device_type) -> ClResult<Vec<Arc<Device>>> {
        const KINDS: cl::cl_device_type = cl::CL_DEVICE_TYPE_DEFAULT
            | cl::CL_DEVICE_TYPE_CPU
            | cl::CL_DEVICE_TYPE_GPU
            | cl::CL_DEVICE_TYPE_ACCELERATOR
            | cl::CL_DEVICE_TYPE_CUSTOM;
        let is_all = kind == cl::CL_DEVICE_TYPE_ALL || kind == cl::cl_device_type::MAX;
        let is_valid = is_all || (kind != 0 && kind & !KINDS == 0);
        ensure(is_valid, cl::CL_INVALID_DEVICE_TYPE)?;
        let is_default = |i: usize| i == 0 && kind & cl::CL_DEVICE_TYPE_DEFAULT != 0;
        let found: Vec<_> = self
            .devices
            .iter()
            .enumerate()
            .filter(|(i, d)| is_default(*i) || d.is_of_type(kind))
            .map(|(_, d)| d.clone())
            .collect();
        ensure(!found.is_empty(), cl::CL_DEVICE_NOT_FOUND)?;
        Ok(found)
    }

    /// CL_PLATFORM_PROFILE: the full one when all devices have it.
    pub(crate) fn profile(&self) -> &'static str {
        let least = self.devices.iter().find(|d| !d.caps.full_profile).or(self.devices.first());
        least.map_or("FULL_PROFILE", |d| d.caps.profile())
    }

    /// CL_PLATFORM_EXTENSIONS: those of the platform, and those that all devices have (§4.1).
    pub(crate) fn extensions(&self) -> Vec<Named> {
        let of_platform = EXTENSIONS.iter().filter(|e| e.condition == Condition::Platform);
        let mut out: Vec<Named> = of_platform.map(named).collect();
        // A loader that is not offered cl_khr_icd 2.0 has a platform of the first version.
        if crate::abi::loader::tag().is_none() {
            out.iter_mut().filter(|(name, _)| *name == "cl_khr_icd").for_each(|(_, v)| *v = version(1, 0, 0));
        }
        if let Some((first, rest)) = self.devices.split_first() {
            let common = |e: &&Named| rest.iter().all(|d| d.caps.extensions.contains(e));
            out.extend(first.caps.extensions.iter().filter(common));
        }
        out
    }

    /// Returns whether any device has an extension.
    pub(crate) fn has(&self, extension: &str) -> bool {
        self.devices.iter().any(|d| d.caps.extensions.iter().any(|(name, _)| *name == extension))
    }

    /// clIcdSetPlatformDispatchDataKHR: for the objects that are there already, and for those to come.
    pub(crate) fn set_loader_data(&self, data: *mut std::ffi::c_void) {
        crate::abi::loader::set_loader_data(data);
        self.own.set_loader_data(data);
        for device in &self.devices {
            device.set_loader_data(data);
        }
    }
}

/// Checks a platform handle; NULL stands for the one platform (§4.1: what NULL means is the implementation's choice).
pub(crate) fn check(handle: Raw) -> ClResult<&'static Arc<Platform>> {
    let platform = platform()?;
    if handle.is_null() || handle == platform.raw() { Ok(platform) } else { fail(cl::CL_INVALID_PLATFORM) }
}
