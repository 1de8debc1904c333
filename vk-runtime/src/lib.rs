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
//! order. What the GPU still uses stays alive until it has finished.
//!
//! A device has one or several streams of commands; a [`Queue`] is a handle on one of them. A stream's commands run as if in
//! order; they are collected and handed to the driver when the device has nothing to do, at [`Queue::flush`], when a result is
//! waited for, or by the stream's background thread where [`Queue::on_complete`] asks for news of them. What is recorded in one
//! stream runs after what another one has where [`Queue::behind`] says so, and beside it otherwise.
#![deny(clippy::undocumented_unsafe_blocks)]

mod apart;
mod args;
mod batch;
mod blocks;
mod budget;
mod buffer;
mod calls;
mod clear;
mod command;
mod device;
pub mod error;
pub mod executable;
mod features;
pub mod files;
mod foreign;
mod gather;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod guard;
pub mod happening;
mod hazards;
mod helpers;
mod identity;
mod image;
mod image_rows;
mod image_transfer;
mod import;
mod instance;
mod kept;
mod kernel;
mod later;
mod lent;
#[cfg(unix)]
pub mod library;
pub mod life;
mod live;
mod looking;
mod loss;
mod memory;
pub mod ndrange;
#[cfg(unix)]
pub mod nvml;
mod options;
mod pace;
mod parts;
mod pending;
mod physical;
mod pieces;
mod pipeline_cache;
mod places;
mod point;
mod policy;
mod pool;
mod probe;
mod progress;
mod queue;
mod record;
mod rect;
mod repeat;
mod repeated;
mod reserve;
mod resume;
pub mod second;
mod sequence;
mod shadow;
mod shared;
mod silence;
mod state;
mod stream;
mod streams;
mod submit;
mod texel_copies;
mod time;
mod told;
mod transfer;
mod tune;
mod turns;
mod view;
mod views;
mod watch;
mod wide;
mod widened;
mod window;
mod windows;
mod workarounds;

pub use args::{ArgValue, is_aligned};
pub use buffer::Buffer;
pub use device::Device;
pub use error::{ErrorKind, RuntimeError, UserError};
pub use foreign::ForeignDevice;
pub use identity::{AmdCores, Identity};
pub use image::{
    Channel, Format, FormatUses, Image, ImageBox, ImageDesc, ImageDim, ImageLimits, format_of_bits,
};
pub use image_transfer::Pitches;
pub use instance::{Instance, InstanceOptions, no_device};
pub use kernel::{Kernel, Program, descriptor_type};
pub use later::{Cause, LeftOut, Noted};
pub use lent::Lent;
pub use live::live_objects;
pub use memory::BufferUse;
pub use ndrange::NdRange;
pub use options::{BarrierClass, DeviceOptions};
pub use pending::PendingRead;
pub use physical::{DeviceKind, PhysicalDevice};
pub use pipeline_cache::LIMIT as PIPELINE_CACHE_LIMIT;
pub use point::{Point, Points};
pub use queue::{DispatchExtras, Queue, Touch};
pub use rect::RectCopy;
pub use repeat::{Launched, Repeat};
pub use resume::{Resumable, area_bytes, area_header, read_area, write_area};
pub use sequence::Sequence;
pub use shared::{CommonMemory, SharedPlace, SharedWay};
pub use time::{DeviceTime, Span, StartEnd, TimedDispatch, Timing, host_time};
pub use timeline::sync;
pub use told::Telling;
pub use tune::Tune;
pub use view::HostView;
pub use views::{ImageLook, ImageValue, Texels};
pub use widened::widened;
pub use workarounds::Workarounds;
