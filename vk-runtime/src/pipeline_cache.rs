//! The VkPipelineCache and its file.
//!
//! The file: `PUMICEPC`, a format version, the driver's version, an FNV-1a hash and the length of the
//! payload (little-endian), then what vkGetPipelineCacheData gave. A driver trusts such data, so the hash
//! and Vulkan's own header (Vulkan specification, "Pipeline Cache Header") are checked before it sees it.

use std::path::{Path, PathBuf};
use std::sync::{Once, PoisonError, RwLock, RwLockWriteGuard};

use ash::vk;

use crate::device::DeviceInner;
use crate::error::{Call, RuntimeError, UserError};
use crate::life::{self, driver_came, without_signals};

const MAGIC: &[u8; 8] = b"PUMICEPC";
const VERSION: u32 = 1;
const HEADER: usize = 8 + 4 + 4 + 8 + 8;

/// A device's pipeline cache.
pub(crate) struct PipelineCache {
    /// Making pipelines only reads: Vulkan synchronises that itself. Merging and saving write.
    state: RwLock<State>,
    /// A pipeline was made.
    compiler_came: Once,
}

#[derive(Default)]
struct State {
    raw: vk::PipelineCache,
    path: Option<PathBuf>,
    /// Hash of what the file holds: an unchanged cache is not written again.
    saved: u64,
}

impl Default for PipelineCache {
    fn default() -> Self {
        PipelineCache { state: RwLock::default(), compiler_came: Once::new() }
    }
}

impl PipelineCache {
    fn lock(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the empty cache.
    pub(crate) fn create(&self, device: &DeviceInner) -> Result<(), RuntimeError> {
        self.lock().raw = make(device, &[])?;
        Ok(())
    }

    /// Reads a file and remembers it.
    pub(crate) fn load(&self, device: &DeviceInner, path: &Path) -> Result<(), RuntimeError> {
        let mut state = self.lock();
        state.path = Some(path.to_owned());
        let properties = &device.physical.info.properties;
        let Some(data) = std::fs::read(path).ok().and_then(|file| payload(&file, properties)) else {
            return Ok(());
        };
        // Data that the driver refuses all the same is as good as none.
        if let Ok(loaded) = make(device, &data) {
            // SAFETY: both are caches of this device; the lock keeps other users of the old one away.
            let merged = unsafe { device.raw.merge_pipeline_caches(state.raw, &[loaded]) };
            // SAFETY: `loaded` was made above and is used by nobody else.
            unsafe { device.raw.destroy_pipeline_cache(loaded, None) };
            merged.call("vkMergePipelineCaches")?;
            state.saved = fnv(&data);
        }
        Ok(())
    }

    /// Writes the file, if there is one and something has changed.
    pub(crate) fn save(&self, device: &DeviceInner) -> Result<(), RuntimeError> {
        let mut state = self.lock();
        let Some(path) = state.path.clone() else { return Ok(()) };
        // SAFETY: the cache is of this device; the lock keeps writers away.
        let data = unsafe { device.raw.get_pipeline_cache_data(state.raw) }.call("vkGetPipelineCacheData")?;
        let hash = fnv(&data);
        if hash == state.saved {
            return Ok(());
        }
        let mut file = Vec::with_capacity(HEADER + data.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&device.physical.info.properties.driver_version.to_le_bytes());
        file.extend_from_slice(&hash.to_le_bytes());
        file.extend_from_slice(&(data.len() as u64).to_le_bytes());
        file.extend_from_slice(&data);
        write_atomically(&path, &file).map_err(|e| {
            RuntimeError::user(UserError::InvalidValue, format!("pipeline cache '{}': {e}", path.display()))
        })?;
        state.saved = hash;
        Ok(())
    }

    /// Makes a compute pipeline with the cache; several threads may at a time.
    pub(crate) fn create_pipeline(
        &self,
        device: &DeviceInner,
        info: &vk::ComputePipelineCreateInfo<'_>,
    ) -> Result<vk::Pipeline, RuntimeError> {
        let _compiling = life::compiling()?;
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let info = std::slice::from_ref(info);
        // SAFETY: the caller's structure points to live objects of this device.
        let made = without_signals(|| unsafe { device.raw.create_compute_pipelines(state.raw, info, None) });
        // Drivers load their compilers when they first need them.
        self.compiler_came.call_once(driver_came);
        match made {
            Ok(pipelines) => pipelines
                .first()
                .copied()
                .ok_or_else(|| RuntimeError::bug("vkCreateComputePipelines made nothing")),
            Err((_, result)) => Err(RuntimeError::Driver { call: "vkCreateComputePipelines", result }),
        }
    }

    /// Destroys the cache, with its device.
    pub(crate) fn destroy(&self, device: &DeviceInner) {
        let mut state = self.lock();
        // SAFETY: of this device (or null), used by nobody any more.
        unsafe { device.raw.destroy_pipeline_cache(state.raw, None) };
        state.raw = vk::PipelineCache::null();
    }
}

fn make(device: &DeviceInner, data: &[u8]) -> Result<vk::PipelineCache, RuntimeError> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: the device is alive; the data's header was checked for it.
    let raw = unsafe { device.raw.create_pipeline_cache(&info, None) }.call("vkCreatePipelineCache")?;
    device.name(raw, "pumice pipeline cache");
    Ok(raw)
}

/// The cache data in a file, if it is whole and made by this driver for this device.
fn payload(file: &[u8], properties: &vk::PhysicalDeviceProperties) -> Option<Vec<u8>> {
    let (header, data) = file.split_at_checked(HEADER)?;
    let u32_at = |bytes: &[u8], at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let u64_at = |bytes: &[u8], at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let ours = header.starts_with(MAGIC)
        && u32_at(header, 8)? == VERSION
        && u32_at(header, 12)? == properties.driver_version
        && u64_at(header, 16)? == fnv(data)
        && u64_at(header, 24)? == data.len() as u64;
    let vulkans = u32_at(data, 0)? >= 32
        && u32_at(data, 4)? == 1
        && u32_at(data, 8)? == properties.vendor_id
        && u32_at(data, 12)? == properties.device_id
        && data.get(16..32)? == properties.pipeline_cache_uuid;
    (ours && vulkans).then(|| data.to_vec())
}

/// FNV-1a, 64 bits.
fn fnv(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// A reader sees the old file or the new one, never a part.
fn write_atomically(path: &Path, data: &[u8]) -> std::io::Result<()> {
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir)?;
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let result = std::fs::write(&temporary, data).and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(properties: &vk::PhysicalDeviceProperties) -> Vec<u8> {
        let mut data = Vec::new();
        for word in [32, 1, properties.vendor_id, properties.device_id] {
            data.extend_from_slice(&word.to_le_bytes());
        }
        data.extend_from_slice(&properties.pipeline_cache_uuid);
        data.extend_from_slice(b"pipelines");
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&properties.driver_version.to_le_bytes());
        file.extend_from_slice(&fnv(&data).to_le_bytes());
        file.extend_from_slice(&(data.len() as u64).to_le_bytes());
        file.extend_from_slice(&data);
        file
    }

    #[test]
    fn only_whole_files_of_this_device_are_believed() {
        let properties = vk::PhysicalDeviceProperties {
            vendor_id: 7,
            device_id: 9,
            driver_version: 3,
            ..Default::default()
        };
        let good = file(&properties);
        assert!(payload(&good, &properties).is_some());
        for length in 0..good.len() {
            assert!(payload(&good[..length], &properties).is_none(), "cut at {length}");
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(payload(&bad, &properties).is_none(), "bit flipped at {at}");
        }
        let other = vk::PhysicalDeviceProperties { device_id: 10, ..properties };
        assert!(payload(&good, &other).is_none());
    }
}
