//! The API's shape, ahead of its parts.
#![allow(missing_docs, unused)]
use crate::{NdRange, RuntimeError};
use lower::{KernelInfo, Lowered, Target};

type Result<T> = std::result::Result<T, RuntimeError>;
fn not_yet<T>() -> Result<T> {
    Err(RuntimeError::unsupported("the Vulkan runtime is not there yet"))
}

#[derive(Debug, Clone, Default)]
pub struct InstanceOptions {
    /// Turns the validation layers on (also `PUMICE_VALIDATE=1`).
    pub validation: bool,
}
#[derive(Debug, Clone)]
pub struct Instance(());
impl Instance {
    pub fn new(options: &InstanceOptions) -> Result<Self> {
        not_yet()
    }
    /// All devices, GPUs first, the best first.
    pub fn devices(&self) -> Result<Vec<PhysicalDevice>> {
        not_yet()
    }
    /// By index in `devices()`, or case-insensitive part of the name; `None`: the best usable one.
    pub fn select(&self, which: Option<&str>) -> Result<PhysicalDevice> {
        not_yet()
    }
    /// Messages of the validation layers so far (errors and warnings).
    pub fn validation_messages(&self) -> Vec<String> {
        Vec::new()
    }
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceKind {
    Discrete,
    Integrated,
    Virtual,
    Cpu,
    Other,
}
#[derive(Debug, Clone)]
pub struct PhysicalDevice(Target);
impl PhysicalDevice {
    pub fn name(&self) -> &str {
        ""
    }
    /// The driver's name and version, for people.
    pub fn driver(&self) -> &str {
        ""
    }
    pub fn kind(&self) -> DeviceKind {
        DeviceKind::Other
    }
    pub fn api_version(&self) -> (u32, u32, u32) {
        (1, 1, 0)
    }
    pub fn target(&self) -> &Target {
        &self.0
    }
    /// Why Pumice cannot use this device; `None` when it can.
    pub fn below_floor(&self) -> Option<&str> {
        None
    }
    /// Bytes of the largest device-local heap.
    pub fn memory_size(&self) -> u64 {
        0
    }
}
#[derive(Debug, Clone)]
pub struct Device(Target);
impl Device {
    /// Creates the device. `mask` (from `PUMICE_TARGET`) restricts its Target.
    pub fn new(physical: &PhysicalDevice, mask: Option<&Target>) -> Result<Self> {
        not_yet()
    }
    /// What may be lowered for: the device's Target, masked.
    pub fn target(&self) -> &Target {
        &self.0
    }
    /// Keeps pipelines in this file between runs; a damaged or foreign file is ignored.
    pub fn use_pipeline_cache_file(&self, path: &std::path::Path) -> Result<()> {
        not_yet()
    }
    /// Writes the pipeline cache file now (also done when the device is dropped).
    pub fn save_pipeline_cache(&self) -> Result<()> {
        not_yet()
    }
    pub fn create_buffer(&self, size: u64, usage: BufferUse) -> Result<Buffer> {
        not_yet()
    }
    pub fn create_program(&self, lowered: &Lowered) -> Result<Program> {
        not_yet()
    }
    pub fn create_queue(&self) -> Result<Queue> {
        not_yet()
    }
}
/// Hints for the placement of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum BufferUse {
    /// Device memory: what kernels work on.
    #[default]
    Device,
    /// Host memory that the device reads: staging uploads.
    Upload,
    /// Cached host memory that the device writes: staging downloads.
    Download,
}
#[derive(Debug, Clone)]
pub struct Buffer(());
impl Buffer {
    pub fn size(&self) -> u64 {
        0
    }
    /// With buffer device addresses on this device.
    pub fn device_address(&self) -> Option<u64> {
        None
    }
}
#[derive(Debug, Clone)]
pub struct Program(());
impl Program {
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        not_yet()
    }
}
#[derive(Debug, Clone)]
pub struct Kernel(KernelInfo);
impl Kernel {
    pub fn info(&self) -> &KernelInfo {
        &self.0
    }
}
/// One kernel argument of one launch.
#[derive(Debug, Clone, Copy)]
pub enum ArgValue<'a> {
    /// A whole buffer.
    Buffer(&'a Buffer),
    /// Part of a buffer.
    BufferRange { buffer: &'a Buffer, offset: u64, size: u64 },
    /// A NULL pointer.
    NullBuffer,
    /// The bytes of a value.
    Value(&'a [u8]),
    /// The size in bytes of a `__local` argument.
    Local(u64),
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Device nanoseconds that the command took.
    pub ns: u64,
}
/// A dispatch whose time is being measured.
#[derive(Debug)]
pub struct TimedDispatch(());
impl TimedDispatch {
    /// Waits for the dispatch and returns its time.
    pub fn wait(&self) -> Result<Timing> {
        not_yet()
    }
}
#[derive(Debug, Clone)]
pub struct Queue(());
impl Queue {
    pub fn write_buffer(&self, buffer: &Buffer, offset: u64, data: &[u8]) -> Result<()> {
        not_yet()
    }
    /// Waits for earlier commands and reads.
    pub fn read_buffer(&self, buffer: &Buffer, offset: u64, data: &mut [u8]) -> Result<()> {
        not_yet()
    }
    pub fn fill_buffer(&self, buffer: &Buffer, offset: u64, size: u64, pattern: &[u8]) -> Result<()> {
        not_yet()
    }
    pub fn copy_buffer(
        &self,
        src: &Buffer,
        src_offset: u64,
        dst: &Buffer,
        dst_offset: u64,
        size: u64,
    ) -> Result<()> {
        not_yet()
    }
    /// Records a launch; returns the value to `wait` for.
    pub fn dispatch(&self, kernel: &Kernel, args: &[ArgValue<'_>], range: &NdRange) -> Result<u64> {
        not_yet()
    }
    /// As `dispatch`, alone on the device and measured.
    pub fn dispatch_timed(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<TimedDispatch> {
        not_yet()
    }
    /// The work-group size that a dispatch would use.
    pub fn work_group_size(
        &self,
        kernel: &Kernel,
        args: &[ArgValue<'_>],
        range: &NdRange,
    ) -> Result<[u32; 3]> {
        not_yet()
    }
    /// Submits what was recorded; returns the value to wait for.
    pub fn flush(&self) -> Result<u64> {
        not_yet()
    }
    pub fn wait(&self, value: u64) -> Result<()> {
        not_yet()
    }
    pub fn finish(&self) -> Result<()> {
        not_yet()
    }
}
