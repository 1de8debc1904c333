//! Test mode: counts the Vulkan objects of a device that are alive, whoever makes them (gpu-allocator's memory blocks among them).
//!
//! The device's functions that make and destroy objects are replaced by ones that count and call on. Command buffers and
//! descriptor sets are not counted: they go with their pools.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{PoisonError, RwLock};

use ash::vk::{self, Handle};

type Functions = ash::DeviceFnV1_0;

/// The functions that devices have really, by their handles.
static DEVICES: RwLock<BTreeMap<u64, Functions>> = RwLock::new(BTreeMap::new());

static LIVE: [AtomicI64; KINDS.len()] = [const { AtomicI64::new(0) }; KINDS.len()];

/// Returns how many objects of each kind are alive on the devices that were made with
/// [`DeviceOptions::count_objects`](crate::DeviceOptions::count_objects): only those with a number other than 0. Negative
/// is what was destroyed twice.
#[must_use]
pub fn live_objects() -> Vec<(&'static str, i64)> {
    let counts = KINDS.iter().zip(&LIVE).map(|(kind, count)| (*kind, count.load(Ordering::SeqCst)));
    counts.filter(|(_, count)| *count != 0).collect()
}

fn add(kind: usize, count: i64) {
    if let Some(live) = LIVE.get(kind) {
        live.fetch_add(count, Ordering::SeqCst);
    }
}

fn function<F>(device: vk::Device, choose: impl FnOnce(&Functions) -> F) -> Option<F> {
    DEVICES.read().unwrap_or_else(PoisonError::into_inner).get(&device.as_raw()).map(choose)
}

/// The device, with functions that count.
pub(crate) fn counted(raw: &ash::Device) -> ash::Device {
    let mut functions = raw.fp_v1_0().clone();
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    devices.insert(raw.handle().as_raw(), functions.clone());
    drop(devices);
    add(DEVICE, 1);
    replace(&mut functions);
    functions.create_compute_pipelines = create_compute_pipelines;
    functions.destroy_device = destroy_device;
    ash::Device::from_parts_1_3(
        raw.handle(),
        functions,
        raw.fp_v1_1().clone(),
        raw.fp_v1_2().clone(),
        raw.fp_v1_3().clone(),
    )
}

const DEVICE: usize = 0;
const PIPELINE: usize = 1;

/// For each kind: its number, its name, the functions that make and destroy it, the description it is made from.
macro_rules! kinds {
    ($($number:literal $name:literal: $create:ident, $destroy:ident, $info:ident, $object:ident;)*) => {
        const KINDS: &[&str] = &["device", "pipeline", $($name),*];

        fn replace(functions: &mut Functions) {
            functions.destroy_pipeline = destroy_pipeline;
            $(functions.$create = $create; functions.$destroy = $destroy;)*
        }

        $(
            unsafe extern "system" fn $create(
                device: vk::Device,
                info: *const vk::$info<'_>,
                allocator: *const vk::AllocationCallbacks<'_>,
                place: *mut vk::$object,
            ) -> vk::Result {
                let Some(call) = function(device, |f| f.$create) else { return vk::Result::ERROR_UNKNOWN };
                // SAFETY: the caller's promises are those that the function demands.
                let result = unsafe { call(device, info, allocator, place) };
                if result == vk::Result::SUCCESS {
                    add($number, 1);
                }
                result
            }

            destroyed!($number, $destroy, $object);
        )*
    };
}

macro_rules! destroyed {
    ($number:expr, $destroy:ident, $object:ident) => {
        unsafe extern "system" fn $destroy(
            device: vk::Device,
            object: vk::$object,
            allocator: *const vk::AllocationCallbacks<'_>,
        ) {
            let Some(call) = function(device, |f| f.$destroy) else { return };
            if !object.is_null() {
                add($number, -1);
            }
            // SAFETY: as above.
            unsafe { call(device, object, allocator) };
        }
    };
}

kinds! {
    2 "device memory": allocate_memory, free_memory, MemoryAllocateInfo, DeviceMemory;
    3 "buffer": create_buffer, destroy_buffer, BufferCreateInfo, Buffer;
    4 "shader module": create_shader_module, destroy_shader_module, ShaderModuleCreateInfo, ShaderModule;
    5 "pipeline layout": create_pipeline_layout, destroy_pipeline_layout, PipelineLayoutCreateInfo, PipelineLayout;
    6 "pipeline cache": create_pipeline_cache, destroy_pipeline_cache, PipelineCacheCreateInfo, PipelineCache;
    7 "descriptor set layout": create_descriptor_set_layout, destroy_descriptor_set_layout,
        DescriptorSetLayoutCreateInfo, DescriptorSetLayout;
    8 "descriptor pool": create_descriptor_pool, destroy_descriptor_pool, DescriptorPoolCreateInfo, DescriptorPool;
    9 "command pool": create_command_pool, destroy_command_pool, CommandPoolCreateInfo, CommandPool;
    10 "query pool": create_query_pool, destroy_query_pool, QueryPoolCreateInfo, QueryPool;
    11 "fence": create_fence, destroy_fence, FenceCreateInfo, Fence;
    12 "semaphore": create_semaphore, destroy_semaphore, SemaphoreCreateInfo, Semaphore;
    13 "image": create_image, destroy_image, ImageCreateInfo, Image;
    14 "image view": create_image_view, destroy_image_view, ImageViewCreateInfo, ImageView;
    15 "buffer view": create_buffer_view, destroy_buffer_view, BufferViewCreateInfo, BufferView;
    16 "sampler": create_sampler, destroy_sampler, SamplerCreateInfo, Sampler;
    17 "event": create_event, destroy_event, EventCreateInfo, Event;
}

destroyed!(PIPELINE, destroy_pipeline, Pipeline);

unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    places: *mut vk::Pipeline,
) -> vk::Result {
    let Some(call) = function(device, |f| f.create_compute_pipelines) else {
        return vk::Result::ERROR_UNKNOWN;
    };
    // SAFETY: the caller's promises are those that the function demands.
    let result = unsafe { call(device, cache, count, infos, allocator, places) };
    if result == vk::Result::SUCCESS {
        add(PIPELINE, count.into());
    }
    result
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    // Out of the table first: another device may get the same handle.
    let known = DEVICES.write().unwrap_or_else(PoisonError::into_inner).remove(&device.as_raw());
    let Some(functions) = known else { return };
    add(DEVICE, -1);
    // SAFETY: the caller's promise.
    unsafe { (functions.destroy_device)(device, allocator) };
}
