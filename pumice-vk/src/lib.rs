//! Kernels of OpenCL C, compiled ahead of time by `pumice compile -o kernels.pum`, for applications that talk Vulkan themselves:
//! which of a bundle's modules a device gets, its SPIR-V, what a VkDevice must be made with, how a kernel's descriptors are laid
//! out, its specialization constants, and the bytes that a launch hands over. [`Pipeline`] makes the Vulkan objects of a launch on the
//! application's device; who has makers of its own does without it: nothing else here makes any.
//!
//! ```no_run
//! # fn f(bytes: &[u8], instance: &ash::Instance, physical: ash::vk::PhysicalDevice) -> Result<(), Box<dyn std::error::Error>> {
//! use pumice_vk::{Addresses, Arg, Bundle, Device, Kernel, Launch};
//!
//! let bundle = Bundle::read(bytes)?;
//! // SAFETY: the instance is alive, and the device is one of its.
//! let device = unsafe { Device::query(instance, ash::vk::API_VERSION_1_2, physical) }?;
//! let program = bundle.choose(device.target())?;
//! // vkCreateDevice with device.extensions(program) and device.with_features(program, …), or
//! // SAFETY: as above.
//! let vulkan = unsafe { device.create(instance, program, 0) }?;
//! let kernel = Kernel::new(program, "saxpy")?;
//! let launch = Launch::new([1 << 20, 1, 1], [64, 1, 1]);
//! let args = [Arg::Buffer { address: 0, size: 1 << 22 }, Arg::Value(&2f32.to_le_bytes())];
//! // Objects of the application's own making: a module of program.lowered.spirv, a descriptor set layout of kernel.info().descriptors, and
//! let (constants, groups) = (kernel.specialization(&launch, &args)?, kernel.groups(&launch)?);
//! let block = kernel.block(&launch, &args, &Addresses::default())?;
//! // … vkCmdPushConstants of the block, vkCmdDispatch of the groups. Or those of `Pipeline`:
//! // SAFETY: the device is alive and was made for the program.
//! let pipeline = unsafe { pumice_vk::Pipeline::new(&vulkan, kernel, &launch, &args) }?;
//! # Ok(()) }
//! ```
//!
//! `examples/bare_vulkan.rs` is a whole program, docs/how-to/aot.md the manual. The same as C functions: [`c`] and `include/pumice_vk.h`.
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod c;
mod pipeline;

pub use bundle::launch::{Addresses, Arg, Kernel, Launch, LaunchError, data};
pub use bundle::{Bundle, BundleError, Traits, Variant};
pub use lower::kernel_info;
pub use lower::{KernelInfo, Target};
pub use pipeline::{Bound, ObjectError, Pipeline, Resource};

use std::ffi::CStr;

use ash::vk;
use vk_runtime::{ForeignDevice, RuntimeError};

/// A physical device as bundles see it.
#[derive(Debug, Clone)]
pub struct Device(ForeignDevice, vk::PhysicalDevice);

impl Device {
    /// Asks a device what it can do. `api_version` is what the instance was made for (VkApplicationInfo::apiVersion).
    ///
    /// # Errors
    /// A device of Vulkan 1.0; what Vulkan fails with.
    ///
    /// # Safety
    /// The instance is alive, and the device is one of its.
    pub unsafe fn query(
        instance: &ash::Instance,
        api_version: u32,
        device: vk::PhysicalDevice,
    ) -> Result<Self, RuntimeError> {
        // SAFETY: by the caller's promise.
        unsafe { ForeignDevice::query(instance, api_version, device) }.map(|known| Device(known, device))
    }

    /// Its features and limits.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.0.target()
    }

    /// The extensions that a VkDevice needs for a variant.
    #[must_use]
    pub fn extensions(&self, variant: &Variant) -> Vec<&'static CStr> {
        self.0.extensions(&variant.needs.to_enable())
    }

    /// Calls `create` with the features that a VkDevice needs for a variant: for VkDeviceCreateInfo::pNext, whose pEnabledFeatures
    /// is null then.
    pub fn with_features<R>(
        &self,
        variant: &Variant,
        create: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R,
    ) -> R {
        self.0.with_features(&variant.needs.to_enable(), create)
    }
    /// A VkDevice for a variant, with one queue of a family, for applications that want nothing else of it.
    ///
    /// # Errors
    /// What vkCreateDevice fails with.
    ///
    /// # Safety
    /// The instance is alive and the one of [`query`](Self::query); the device has such a family.
    pub unsafe fn create(
        &self,
        instance: &ash::Instance,
        variant: &Variant,
        family: u32,
    ) -> Result<ash::Device, vk::Result> {
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
        let extensions: Vec<_> = self.extensions(variant).iter().map(|e| e.as_ptr()).collect();
        self.with_features(variant, |features| {
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            let info = info.enabled_extension_names(&extensions).push_next(features);
            // SAFETY: by the caller's promise; extensions and features are the device's, and alive.
            unsafe { instance.create_device(self.1, &info, None) }
        })
    }
}
