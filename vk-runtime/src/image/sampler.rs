//! Samplers, by the bits of OpenCL C's literals.

use crate::device::services::Service;
use std::sync::PoisonError;
use timeline::sync::Mutex;

use ash::vk;

use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError};

/// The samplers of a device, by the bits of OpenCL C's literals.
#[derive(Default)]
pub(crate) struct Samplers(Mutex<Vec<(u32, vk::Sampler)>>);

impl Samplers {
    /// Destroys them.
    ///
    /// # Safety
    /// Nothing uses them any more.
    unsafe fn destroy(&self, raw: &ash::Device) {
        for (_, sampler) in self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: by the caller's promise; destroyed once.
            unsafe { raw.destroy_sampler(sampler, None) };
        }
    }
}

impl Service for Samplers {
    fn new(_: &DeviceInner) -> Self {
        Self::default()
    }

    fn end(&self, device: &DeviceInner) {
        // SAFETY: kernels hold an Arc of the device, so nothing uses a sampler.
        unsafe { self.destroy(&device.raw) };
    }
}

impl DeviceInner {
    /// That kernels cannot write images of a format here.
    pub(crate) fn no_stores(&self, what: &str) -> RuntimeError {
        RuntimeError::unsupported(format!(
            "writing {what}: the device '{}' lacks VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT for it",
            self.target.name
        ))
    }

    /// The sampler that a literal's bits stand for: bits 1 to 3 are the addressing mode, bits 4 and 5 the filter. Coordinates are
    /// normalised, whatever bit 0 says: kernels divide where they are not. Sampler objects have more: bit 6 a linear filter between
    /// levels, bits 8 to 19 the least level of detail, bits 20 to 31 how far the greatest is below 4095, both in 256ths.
    pub(crate) fn sampler(&self, bits: u32) -> Result<vk::Sampler, RuntimeError> {
        let key = bits & !0x81;
        let mut samplers = self.service::<Samplers>().0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sampler)) = samplers.iter().find(|(known, _)| *known == key) {
            return Ok(*sampler);
        }
        let mode = match (key >> 1) & 7 {
            2 => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            3 => vk::SamplerAddressMode::REPEAT,
            4 => vk::SamplerAddressMode::MIRRORED_REPEAT,
            _ => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        };
        let filter = if key & 0x20 != 0 { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
        let between = match key & 0x40 {
            0 => vk::SamplerMipmapMode::NEAREST,
            _ => vk::SamplerMipmapMode::LINEAR,
        };
        let level = |n: u32| f32::from(u16::try_from(n & 0xfff).unwrap_or(0)) / 256.0;
        let least = level(key >> 8);
        let most = if key >> 20 == 0 { vk::LOD_CLAMP_NONE } else { level(0xfff - (key >> 20)) };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(between)
            .min_lod(least)
            .address_mode_u(mode)
            .address_mode_v(mode)
            .address_mode_w(mode)
            .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK)
            .max_lod(most.max(least));
        // SAFETY: the device is alive; nothing in it needs a feature.
        let sampler = unsafe { self.raw.create_sampler(&info, None) }.call("vkCreateSampler")?;
        samplers.push((key, sampler));
        Ok(sampler)
    }
}
