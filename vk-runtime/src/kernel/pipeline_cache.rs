//! The VkPipelineCache and its file.
//!
//! A device with a driver has a file of its own, named after pipelineCacheUUID and the driver's version, in a folder that is
//! believed ([`Folder`]). It is `PUMICEPC`, a format version, the driver's version, an FNV-1a hash and the length of the
//! payload (little-endian), then what vkGetPipelineCacheData gave. A driver trusts such data, so the hash
//! and Vulkan's own header (Vulkan specification, "Pipeline Cache Header") are checked before it sees it.
//!
//! It is written a moment after new pipelines were made, by a thread of its own, and at the end; what other processes have written
//! meanwhile is merged in, under the folder's lock. Files of devices and drivers that were not used for longest go when
//! all take more than [`LIMIT`].

use crate::device::logical::Device;
use crate::device::services::Service;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once, PoisonError, RwLock};
use std::time::Duration;
use timeline::sync::Mutex;

use ash::vk;

use crate::device::logical::DeviceInner;
use crate::error::{Call, RuntimeError, UserError};
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
use crate::process::crash_guard::guarded;
use crate::process::event_listener::{self, Activity};
use crate::process::files::Folder;
use crate::process::life::{self, driver_came, without_signals};

const MAGIC: &[u8; 8] = b"PUMICEPC";
const VERSION: u32 = 1;
/// The private memory of a work-item from which a driver may lack it, in bytes.
const LARGE_PRIVATE_MEMORY: u32 = 8192;
const HEADER: usize = 8 + 4 + 4 + 8 + 8;
/// A file with more bytes is not read, and replaced.
const FILE_LIMIT: u64 = 128 << 20;
/// All files may take so many bytes.
pub const LIMIT: u64 = 256 << 20;
/// So long after a new pipeline the file is written, with those that were made meanwhile.
const MOMENT: Duration = Duration::from_secs(2);

/// The message after the driver's compiler died.
const DIED: &str = "vkCreateComputePipelines (the driver's compiler crashed)";

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    Some(run())
}

/// A device's pipeline cache.
pub(crate) struct PipelineCache {
    /// Making pipelines only reads: Vulkan synchronises that itself. Loading writes.
    raw: RwLock<vk::PipelineCache>,
    place: Mutex<Option<Place>>,
    has_place: AtomicBool,
    /// How many pipelines were made, and how many of them the file has.
    made: AtomicU64,
    saved: AtomicU64,
    /// A thread is about to save.
    saving: AtomicBool,
    /// A pipeline was made.
    compiler_came: Once,
    /// How often the driver's compiler crashed.
    crashed: AtomicU64,
}

/// The path of the file.
struct Place {
    folder: Folder,
    name: String,
    /// Hash of what the file held when it was last read or written.
    hash: u64,
}

impl Default for PipelineCache {
    fn default() -> Self {
        PipelineCache {
            raw: RwLock::default(),
            place: Mutex::default(),
            has_place: AtomicBool::new(false),
            made: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            saving: AtomicBool::new(false),
            compiler_came: Once::new(),
            crashed: AtomicU64::new(0),
        }
    }
}

impl Service for PipelineCache {
    fn new(_: &DeviceInner) -> Self {
        Self::default()
    }

    fn end(&self, device: &DeviceInner) {
        if let Err(e) = self.save(device) {
            log::warn!("the pipeline cache was not saved: {e}");
        }
        self.destroy(device);
    }
}

impl DeviceInner {
    /// The pipeline cache.
    pub(crate) fn pipeline_cache(&self) -> &PipelineCache {
        self.service()
    }
}

impl Device {
    /// Returns how often the driver's compiler crashed, which ends threads of ours alone ([`DeviceOptions::guard_compiler`](crate::DeviceOptions::guard_compiler)).
    #[must_use]
    pub fn compiler_crashes(&self) -> u64 {
        self.inner.pipeline_cache().crashed()
    }

    /// Keeps compiled pipelines between runs, in a file of this folder: reads it now, writes it a while after new pipelines
    /// were made, when the device is dropped, and at [`save_pipeline_cache`](Self::save_pipeline_cache). A missing, damaged or
    /// foreign file is ignored.
    ///
    /// # Errors
    /// Driver when Vulkan fails.
    pub fn use_pipeline_cache(&self, folder: &Folder) -> Result<(), RuntimeError> {
        self.inner.pipeline_cache().load(&self.inner, folder)
    }

    /// Writes the file of the pipeline cache, if there is one.
    ///
    /// # Errors
    /// Driver when Vulkan fails; User when the file cannot be written.
    pub fn save_pipeline_cache(&self) -> Result<(), RuntimeError> {
        self.inner.pipeline_cache().save(&self.inner)
    }
}

impl PipelineCache {
    /// Makes the empty cache.
    pub(crate) fn create(&self, device: &DeviceInner) -> Result<(), RuntimeError> {
        *self.raw.write().unwrap_or_else(PoisonError::into_inner) = make(device, &[])?;
        Ok(())
    }

    /// Reads the device's file in a folder and remembers it.
    pub(crate) fn load(&self, device: &DeviceInner, folder: &Folder) -> Result<(), RuntimeError> {
        let properties = &device.physical.info.properties;
        let name = file_name(properties);
        let (data, hash) = read(folder, &name, properties);
        if let Some(data) = data {
            let raw = self.raw.write().unwrap_or_else(PoisonError::into_inner);
            // Data that the driver refuses all the same is as good as none.
            if let Ok(loaded) = make(device, &data) {
                // SAFETY: both are caches of this device; the lock keeps other users of the first away.
                let merged = unsafe { device.raw.merge_pipeline_caches(*raw, &[loaded]) };
                // SAFETY: `loaded` was made above and is used by nobody else.
                unsafe { device.raw.destroy_pipeline_cache(loaded, None) };
                merged.call("vkMergePipelineCaches")?;
            }
        }
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Place { folder: folder.clone(), name, hash });
        self.has_place.store(true, Ordering::Release);
        Ok(())
    }

    /// Writes the file, if there is one and there is something new.
    pub(crate) fn save(&self, device: &DeviceInner) -> Result<(), RuntimeError> {
        let made = self.made.load(Ordering::Acquire);
        // A compiler that died may have left the cache half changed, and locked: the process would wait for it for ever at its end.
        if made == self.saved.load(Ordering::Acquire) || self.crashed() > 0 {
            return Ok(());
        }
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(place) = &mut *place else { return Ok(()) };
        let data = self.merged(device, place)?;
        let hash = fnv(&data);
        if hash != place.hash && data.len() as u64 <= FILE_LIMIT {
            let header = header(&device.physical.info.properties, hash, data.len());
            place.folder.write(&place.name, &[&header, &data]).map_err(|e| {
                let text = format!("pipeline cache '{}': {e}", place.folder.path().display());
                RuntimeError::user(UserError::InvalidValue, text)
            })?;
            place.hash = hash;
            tidy(&place.folder, &place.name);
        }
        self.saved.store(made, Ordering::Release);
        Ok(())
    }

    /// The data of our pipelines and of those that others have written meanwhile.
    fn merged(&self, device: &DeviceInner, place: &Place) -> Result<Vec<u8>, RuntimeError> {
        // Without the lock (another process writes just now) what that one adds may be lost: it will be made again.
        let _lock = place.folder.lock();
        let raw = self.raw.read().unwrap_or_else(PoisonError::into_inner);
        let data_of = |cache| {
            // SAFETY: a cache of this device; reading its data needs no synchronisation.
            unsafe { device.raw.get_pipeline_cache_data(cache) }.call("vkGetPipelineCacheData")
        };
        let (theirs, hash) = read(&place.folder, &place.name, &device.physical.info.properties);
        let Some(theirs) = theirs.filter(|_| hash != place.hash) else { return data_of(*raw) };
        let Ok(both) = make(device, &theirs) else { return data_of(*raw) };
        // SAFETY: two caches of this device; the first is used by nobody else.
        let merged = unsafe { device.raw.merge_pipeline_caches(both, &[*raw]) };
        let data = merged.call("vkMergePipelineCaches").and_then(|()| data_of(both));
        // SAFETY: made above, used by nobody else.
        unsafe { device.raw.destroy_pipeline_cache(both, None) };
        data
    }

    /// Makes a compute pipeline with the cache; several threads may at a time.
    pub(crate) fn create_pipeline(
        &self,
        device: &Arc<DeviceInner>,
        info: &vk::ComputePipelineCreateInfo<'_>,
    ) -> Result<vk::Pipeline, RuntimeError> {
        let made = {
            let _compiling = life::compiling()?;
            let raw = self.raw.read().unwrap_or_else(PoisonError::into_inner);
            let start = event_listener::start();
            // SAFETY: the caller's structure points to live objects of this device.
            let make =
                || unsafe { device.raw.create_compute_pipelines(*raw, std::slice::from_ref(info), None) };
            let guards = device.modes.guard_compiler || device.workarounds.compiler_may_crash;
            let made = without_signals(|| if guards { guarded(make) } else { Some(make()) });
            self.crashed.fetch_add(made.is_none().into(), Ordering::Relaxed);
            event_listener::report(Activity::Pipeline, start);
            made.ok_or(RuntimeError::Driver { call: DIED, result: vk::Result::ERROR_UNKNOWN })?
        };
        // Drivers load their compilers when they first need them.
        self.compiler_came.call_once(driver_came);
        match made {
            Ok(pipelines) => {
                self.made.fetch_add(1, Ordering::AcqRel);
                self.save_soon(device);
                let first = pipelines.first().copied();
                first.ok_or_else(|| RuntimeError::bug("vkCreateComputePipelines made nothing"))
            }
            Err((_, result)) => Err(RuntimeError::Driver { call: "vkCreateComputePipelines", result }),
        }
    }

    /// Returns whether that is why no pipeline was made: the driver's compiler died.
    pub(crate) fn died(error: &RuntimeError) -> bool {
        matches!(error, RuntimeError::Driver { call, .. } if *call == DIED)
    }

    /// Returns how often the driver's compiler crashed, each time on one thread alone.
    pub(crate) fn crashed(&self) -> u64 {
        self.crashed.load(Ordering::Relaxed)
    }

    /// Starts a thread that saves after a moment, unless one is about to.
    fn save_soon(&self, device: &Arc<DeviceInner>) {
        if !self.has_place.load(Ordering::Acquire) || self.saving.swap(true, Ordering::AcqRel) {
            return;
        }
        let device = Arc::downgrade(device);
        let started = life::spawn("pumice cache", None, move || {
            if !life::rest(MOMENT) {
                return;
            }
            // As a compiler: where the application has let go of everything by now the end of the process knows of no device whose cache it
            // might wait for, and NVIDIA's driver goes from under vkGetPipelineCacheData. It is let go of after the device.
            let Ok(_busy) = life::compiling() else { return };
            // A device that is gone has saved at its end, as the process does.
            let Some(device) = device.upgrade() else { return };
            device.pipeline_cache().saving.store(false, Ordering::Release);
            if let Err(e) = device.pipeline_cache().save(&device) {
                log::info!("{e}");
            }
        });
        if started.is_err() {
            self.saving.store(false, Ordering::Release);
        }
    }

    /// Destroys the cache, with its device.
    pub(crate) fn destroy(&self, device: &DeviceInner) {
        let mut raw = self.raw.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: of this device (or null), used by nobody any more.
        unsafe { device.raw.destroy_pipeline_cache(*raw, None) };
        *raw = vk::PipelineCache::null();
    }
}

fn make(device: &DeviceInner, data: &[u8]) -> Result<vk::PipelineCache, RuntimeError> {
    let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
    // SAFETY: the device is alive; the data's header was checked for it.
    let raw = unsafe { device.raw.create_pipeline_cache(&info, None) }.call("vkCreatePipelineCache")?;
    device.name(raw, "pumice pipeline cache");
    Ok(raw)
}

/// The name of a device's file: its own and its driver's.
fn file_name(properties: &vk::PhysicalDeviceProperties) -> String {
    let uuid: String = properties.pipeline_cache_uuid.iter().map(|b| format!("{b:02x}")).collect();
    let vk::PhysicalDeviceProperties { vendor_id, device_id, driver_version, .. } = properties;
    format!("{uuid}-{vendor_id:x}-{device_id:x}-{driver_version:x}.bin")
}

/// The data in a device's file, if it is to be believed, and its hash.
fn read(folder: &Folder, name: &str, properties: &vk::PhysicalDeviceProperties) -> (Option<Vec<u8>>, u64) {
    let data = match folder.read(name, FILE_LIMIT + HEADER as u64) {
        Ok(file) => payload(&file, properties),
        Err(e) => {
            if e.kind() != std::io::ErrorKind::NotFound {
                log::warn!("pipeline cache: {e}");
            }
            None
        }
    };
    let hash = data.as_deref().map_or(0, fnv);
    (data, hash)
}

/// Removes the files of other devices that were written longest ago, until all fit the limit.
fn tidy(folder: &Folder, own: &str) {
    let mut files = folder.files();
    let mut total: u64 = files.iter().map(|(_, size, _)| size).sum();
    files.sort_by_key(|(_, _, time)| *time);
    for (name, size, _) in files {
        if total <= LIMIT {
            return;
        }
        if name != own && name.ends_with(".bin") && folder.remove(&name) {
            total -= size;
        }
    }
}

fn header(properties: &vk::PhysicalDeviceProperties, hash: u64, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&properties.driver_version.to_le_bytes());
    out.extend_from_slice(&hash.to_le_bytes());
    out.extend_from_slice(&(length as u64).to_le_bytes());
    out
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

/// Adds to a driver's refusal of a pipeline how much private memory the kernel has, in bytes for each work-item, if that may be the cause.
///
/// NVIDIA's driver (580) has 4 GiB for all work-items that fit on the device, which are 15,887 bytes each on an H200. It gives VK_ERROR_UNKNOWN
/// beyond them. Other errors stay: a lost device remains one.
pub(crate) fn explained(error: RuntimeError, kernel: &str, private_memory: u32) -> RuntimeError {
    let unknown = matches!(error, RuntimeError::Driver { result: vk::Result::ERROR_UNKNOWN, .. });
    if !unknown || private_memory < LARGE_PRIVATE_MEMORY {
        return error;
    }
    RuntimeError::unsupported(format!(
        "{error}; kernel '{kernel}' has {private_memory} bytes of private memory in each work-item, which may be more than the driver has"
    ))
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
        let mut file = header(properties, fnv(&data), data.len());
        file.extend_from_slice(&data);
        file
    }

    #[test]
    fn private_memory_explains_a_refusal_alone() {
        let error = |result| RuntimeError::Driver { call: "vkCreateComputePipelines", result };
        let of = |result, bytes| explained(error(result), "k", bytes);
        let refused = of(vk::Result::ERROR_UNKNOWN, 18_192).to_string();
        assert!(refused.contains("kernel 'k' has 18192 bytes"), "{refused}");
        for (result, bytes) in [(vk::Result::ERROR_UNKNOWN, 100), (vk::Result::ERROR_DEVICE_LOST, 18_192)] {
            assert_eq!(of(result, bytes), error(result));
        }
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
