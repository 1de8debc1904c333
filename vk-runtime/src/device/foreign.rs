//! Devices of applications that talk Vulkan themselves (`pumice-vk`): what they can do, and what they must be made with.

use std::ffi::CStr;

use ash::vk;
use lower::Target;
use lower::target::TargetFeatures;

use crate::device::features::{Present, with_feature_chain};
use crate::device::physical::PhysicalInfo;
use crate::error::RuntimeError;

/// A physical device of somebody else's instance.
#[derive(Debug, Clone)]
pub struct ForeignDevice {
    target: Target,
    present: Present,
}

impl ForeignDevice {
    /// Asks a device. `api_version` is what the instance was made for (VkApplicationInfo::apiVersion).
    ///
    /// # Errors
    /// Unsupported for a device of Vulkan 1.0; Driver when Vulkan fails.
    ///
    /// # Safety
    /// The instance is alive, and the device is one of its.
    pub unsafe fn query(
        instance: &ash::Instance,
        api_version: u32,
        device: vk::PhysicalDevice,
    ) -> Result<Self, RuntimeError> {
        // SAFETY: by the caller's promise.
        let info = unsafe { PhysicalInfo::query(instance, api_version, device) }?;
        if let Some(why) = info.below_floor {
            return Err(RuntimeError::unsupported(format!("'{}' cannot be used: {why}", info.target.name)));
        }
        let mut target = info.target;
        // What the application cannot be told, or is not asked: modules that need it are refused by name.
        target.features.texel_buffers_need_format = true;
        if target.required_subgroup_size().is_some() {
            target.limits.subgroup_size = 0;
        }
        Ok(ForeignDevice { target, present: info.present.for_features_alone() })
    }

    /// Returns what it can do.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The device extensions that these features need.
    #[must_use]
    pub fn extensions(&self, features: &TargetFeatures) -> Vec<&'static CStr> {
        self.present.extensions(features)
    }

    /// Calls `use_chain` with a chain of feature structures with these features on: for VkDeviceCreateInfo::pNext.
    pub fn with_features<R>(
        &self,
        features: &TargetFeatures,
        use_chain: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R,
    ) -> R {
        with_feature_chain(&self.present, features, use_chain).1
    }
}
