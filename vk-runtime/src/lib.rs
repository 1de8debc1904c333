//! Vulkan through ash: devices, Targets, memory, pipelines, queues.
//!
//! ```no_run
//! use pumice_vk_runtime::*;
//! # fn lowered_for(_: &lower::Target) -> lower::Lowered { unimplemented!() }
//! # fn main() -> Result<(), RuntimeError> {
//! let instance = Instance::new(&InstanceOptions::default())?;
//! let physical = instance.select(None)?; // the best device; or Some("1"), Some("llvmpipe")
//! let device = Device::new(&physical, None)?;
//! let lowered = lowered_for(device.target());
//! let program = device.create_program(&lowered)?;
//! let kernel = program.kernel("saxpy")?;
//! let queue = device.create_queue()?;
//! let x = device.create_buffer(4096, BufferUse::default())?;
//! queue.write_buffer(&x, 0, &[0; 4096])?;
//! queue.dispatch(&kernel, &[ArgValue::Buffer(&x), ArgValue::Value(&2f32.to_le_bytes())], &NdRange::new_1d(1024))?;
//! let mut out = vec![0; 4096];
//! queue.read_buffer(&x, 0, &mut out)?;
//! # Ok(()) }
//! ```
//!
//! Objects are reference-counted handles: clone them, share them between threads, drop them in any
//! order. Memory that the GPU still uses stays alive until it has finished.
//!
//! A device has one or several streams of commands; a [`Queue`] is a handle on one of them. A stream's commands run as if in
//! order; they are collected and handed to the driver when the device has nothing to do, at [`Queue::flush`], when a result is
//! waited for, or by the stream's background thread where [`Queue::on_complete`] asks for news of them. What is recorded in one
//! stream runs after what another one has where [`Queue::behind`] says so, and beside it otherwise.
//!
//! The modules are layers, the lowest first. A module uses its own layer and lower ones.
//!
//! | module | content |
//! |---|---|
//! | [`error`] | the error type |
//! | `process` | the process: files, threads, its end, libraries |
//! | `device` | instance, physical and logical device, workarounds |
//! | `memory` | device memory and buffers |
//! | `image` | images, samplers, and resources as commands use them |
//! | `kernel` | programs, kernels, pipelines, arguments |
//! | `stream` | batches, barriers, submission, completion, queues |
//! | `launch` | launches of kernels |
//! | `transfer` | reads, writes, copies and fills |
//! | `facade` | the device as its users see it |
#![deny(clippy::undocumented_unsafe_blocks)]

mod device;
pub mod error;
mod facade;
mod image;
mod kernel;
mod launch;
mod memory;
mod process;
mod stream;
mod transfer;

pub use kernel::{executable, ndrange};
pub use process::{event_listener, files, library, life, nvml, os_handle};
pub use timeline::sync;

pub use device::device_time::{DeviceTime, Span, StartEnd};
pub use device::driver_files::{DriverFiles, named_drivers};
pub use device::external::{ExternalSupport, MemoryHandle, SemaphoreHandle};
pub use device::foreign::ForeignDevice;
pub use device::identity::{AmdCores, Identity};
pub use device::instance::{Instance, InstanceOptions, no_device};
pub use device::logical::Device;
pub use device::object_counts::live_objects;
pub use device::options::{BarrierClass, DeviceOptions};
pub use device::physical::{DeviceKind, PhysicalDevice};
pub use device::tune::Tune;
pub use device::workarounds::Workarounds;
pub use error::{ErrorKind, RuntimeError, UserError};
pub use image::resource::{
    Channel, Format, FormatUses, Image, ImageBox, ImageDesc, ImageDim, ImageLimits, format_of_bits,
};
pub use image::resource_use::Touch;
pub use image::widened_texels::widened;
pub use kernel::arguments::ArgumentContent;
pub use kernel::arguments::{ArgValue, Pointer, is_aligned};
pub use kernel::image_bindings::{ImageLook, ImageValue, Texels};
pub use kernel::ndrange::NdRange;
pub use kernel::pipeline_cache::LIMIT as PIPELINE_CACHE_LIMIT;
pub use kernel::program::{Kernel, Program, descriptor_type};
pub use kernel::records::{argument_sizes, record_bytes};
pub use launch::dispatch::DispatchExtras;
pub use launch::dispatch::{TimedDispatch, Timing};
pub use launch::prepared::{Launched, Repeat};
pub use launch::resume::{Resumable, SaveArea, area_header, read_area, write_area};
pub use launch::sequence::Sequence;
pub use memory::allocator::BufferUse;
pub use memory::buffer::Buffer;
pub use memory::external::ExportedBuffer;
pub use memory::svm::{AddressMapping, CommonMemory, SharedPlace};
pub use memory::svm_host_copy::HostView;
pub use process::clock::host_time;
pub use stream::deferred::{Cause, DeferredLaunch, DroppedLaunches};
pub use stream::queue::Queue;
pub use stream::semaphore::Semaphore;
pub use timeline::{Point, Points};
pub use transfer::completion_word::CopyWait;
pub use transfer::host_bridge::HostBridge;
pub use transfer::image::Pitches;
pub use transfer::ownership::Object;
pub use transfer::pending_read::PendingRead;
pub use transfer::rect::RectCopy;
pub use transfer::staging::StagingLease;
