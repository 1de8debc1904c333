//! What the tests on a device share.
#![allow(dead_code)] // the example launch-cost uses a part

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};

use lower::kernel_info::*;
use lower::{Lowered, Target};
use pumice_vk_runtime::*;

pub const SAXPY: &[u8] = include_bytes!("../glsl/saxpy.spv");
pub const SAXPY_ADDRESS: &[u8] = include_bytes!("../glsl/saxpy_address.spv");
pub const NEIGHBOURS: &[u8] = include_bytes!("../glsl/neighbours.spv");
pub const GEOMETRY: &[u8] = include_bytes!("../glsl/geometry.spv");

/// There is no Vulkan device: a test that wants one has failed, unless `PUMICE_TEST_SKIP_NO_DEVICE` is set.
fn no_device(why: &str) {
    let may_skip = std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some();
    assert!(
        may_skip,
        "no Vulkan device ({why}); with PUMICE_TEST_SKIP_NO_DEVICE=1 the tests that want one are skipped"
    );
    println!("SKIP: no Vulkan device ({why})");
}

/// The right of one thread's tests to use Vulkan. Tests that have a device take turns.
///
/// The validation layer looks its instances and devices up without a lock (GetLayerDataPtr in `custom_containers.h`, at least up
/// to 1.3.296). A thread that creates a device moves the entries under the others' feet: the process crashed in one of 15 runs.
pub struct Turn(());

static TAKEN: Mutex<bool> = Mutex::new(false);
static GIVEN_BACK: Condvar = Condvar::new();

thread_local! {
    /// The turn that this thread's test has: one test may have several devices.
    static OWN: RefCell<Weak<Turn>> = const { RefCell::new(Weak::new()) };
}

impl Turn {
    /// Waits until no other thread has a turn.
    fn take() -> Arc<Turn> {
        OWN.with_borrow_mut(|own| {
            if let Some(turn) = own.upgrade() {
                return turn;
            }
            let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
            *GIVEN_BACK.wait_while(taken, |taken| *taken).unwrap_or_else(PoisonError::into_inner) = true;
            let turn = Arc::new(Turn(()));
            *own = Arc::downgrade(&turn);
            turn
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = false;
        GIVEN_BACK.notify_one();
    }
}

/// A device of the test, with an instance that must stay silent.
pub struct Fixture {
    pub device: Device,
    pub queue: Queue,
    pub instance: Instance,
    /// True if the layers must have said nothing.
    pub silent: bool,
    /// Given back after all else is gone: fields are dropped in their order.
    _turn: Arc<Turn>,
}

impl Fixture {
    pub fn new(mask: impl FnOnce(&mut Target)) -> Option<Fixture> {
        Self::with(mask, false)
    }

    pub fn with(mask: impl FnOnce(&mut Target), always_stage: bool) -> Option<Fixture> {
        Self::options(mask, |o| o.always_stage = always_stage)
    }

    /// With PUMICE_TEST_REORDER the commands between two barriers run in the opposite order.
    pub fn options(
        mask: impl FnOnce(&mut Target),
        change: impl FnOnce(&mut DeviceOptions<'_>),
    ) -> Option<Fixture> {
        let turn = Turn::take();
        let mut options = InstanceOptions { validation: true, ..InstanceOptions::default() };
        let instance = match Instance::new(&options) {
            Ok(instance) => instance,
            Err(RuntimeError::Unsupported(why)) => {
                println!("no validation: {why}");
                options.validation = false;
                match Instance::new(&options) {
                    Ok(instance) => instance,
                    Err(RuntimeError::Unsupported(why)) => {
                        no_device(&why);
                        return None;
                    }
                    Err(e) => panic!("{e}"),
                }
            }
            Err(e) => panic!("{e}"),
        };
        let physical = match instance.select(std::env::var("PUMICE_TEST_DEVICE").ok().as_deref()) {
            Ok(physical) => physical,
            Err(e) => {
                no_device(&e.to_string());
                return None;
            }
        };
        let mut target = physical.target().clone();
        mask(&mut target);
        let mut options = DeviceOptions { mask: Some(&target), ..Default::default() };
        options.reorder = std::env::var_os("PUMICE_TEST_REORDER").is_some();
        change(&mut options);
        let device = Device::with_options(&physical, &options).expect("device");
        let queue = device.create_queue().expect("queue");
        Some(Fixture { device, queue, instance, silent: true, _turn: turn })
    }

    pub fn buffer(&self, data: &[u8]) -> Buffer {
        let buffer = self.device.create_buffer(data.len() as u64, BufferUse::Device).expect("buffer");
        self.queue.write_buffer(&buffer, 0, data).expect("write");
        buffer
    }

    pub fn bytes(&self, buffer: &Buffer) -> Vec<u8> {
        let mut out = vec![0xee; buffer.size() as usize];
        self.queue.read_buffer(buffer, 0, &mut out).expect("read");
        out
    }

    pub fn words(&self, buffer: &Buffer) -> Vec<u32> {
        self.bytes(buffer).chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    pub fn floats(&self, buffer: &Buffer) -> Vec<f32> {
        self.words(buffer).into_iter().map(f32::from_bits).collect()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = self.queue.finish();
            if !self.silent {
                return;
            }
            assert_eq!(self.instance.validation_messages(), Vec::<String>::new());
        }
    }
}

pub fn le(floats: impl Iterator<Item = f32>) -> Vec<u8> {
    floats.flat_map(f32::to_le_bytes).collect()
}

pub fn words_of(spirv: &[u8]) -> Vec<u32> {
    spirv.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
}

pub fn arg(name: &str, kind: ArgKind) -> ArgInfo {
    ArgInfo { name: name.into(), type_name: String::new(), type_qualifiers: Vec::new(), kind }
}

pub fn buffer_arg(name: &str, read: bool, written: bool, binding: Option<u32>) -> ArgInfo {
    arg(name, ArgKind::Buffer { constant: false, read, written, binding })
}

pub fn member(offset: u32, size: u32, source: BlockSource) -> BlockMember {
    BlockMember { offset, size, source }
}

pub fn storage(binding: u32, source: DescriptorSource) -> DescriptorInfo {
    DescriptorInfo { binding, kind: DescriptorKind::StorageBuffer, source }
}

pub fn info(
    model: BindingModel,
    args: Vec<ArgInfo>,
    block: ArgumentBlock,
    descriptors: Vec<DescriptorInfo>,
) -> KernelInfo {
    KernelInfo {
        name: "main".into(),
        binding_model: model,
        args,
        block,
        descriptors,
        samplers: Vec::new(),
        reqd_work_group_size: None,
        work_group_size_hint: None,
        required_sub_groups: None,
        required_sub_group_size: None,
        has_sub_groups: false,
        wide: false,
        noalias: false,
        aligned: false,
        specialised: Vec::new(),
        work_group_size_ids: Some([0, 1, 2]),
        crossing_id: None,
        contents_ids: Vec::new(),
        emulated: Vec::new(),
        windows: None,
        local_memory_size: 0,
        private_memory_size: 0,
        work_item_loops: None,
        has_barrier: false,
        sees_work_groups: true,
        watches_loops: false,
        resumes: None,
        saved_local: None,
        iterations: None,
        batch: None,
        printf: Default::default(),
    }
}

pub fn lowered(spirv: &[u8], info: KernelInfo) -> Lowered {
    Lowered {
        spirv: words_of(spirv),
        kernels: vec![info],
        program_data: ProgramData::default(),
        warnings: Vec::new(),
    }
}

pub fn saxpy(model: BindingModel) -> Lowered {
    let by_address = model == BindingModel::Address;
    let binding = |b| (!by_address).then_some(b);
    let args = vec![
        buffer_arg("x", true, false, binding(0)),
        buffer_arg("y", true, true, binding(1)),
        arg("a", ArgKind::Value { size: 4 }),
    ];
    let at = if by_address { 16 } else { 0 };
    let mut members = Vec::new();
    if by_address {
        members.push(member(0, 8, BlockSource::ArgumentAddress(0)));
        members.push(member(8, 8, BlockSource::ArgumentAddress(1)));
    }
    members.push(member(at, 4, BlockSource::Argument(2)));
    members.push(member(at + 4, 4, BlockSource::GlobalOffset(0)));
    members.push(member(at + 8, 4, BlockSource::GroupBase(0)));
    let block = ArgumentBlock { size: at + 12, location: BlockLocation::PushConstants, members };
    if by_address {
        lowered(SAXPY_ADDRESS, info(model, args, block, Vec::new()))
    } else {
        let descriptors =
            vec![storage(0, DescriptorSource::Argument(0)), storage(1, DescriptorSource::Argument(1))];
        lowered(SAXPY, info(model, args, block, descriptors))
    }
}

/// saxpy with one buffer argument; the device's word for sequential consistency stands for `y`, or for `x`.
pub fn saxpy_of_sequence(model: BindingModel, y: bool) -> Lowered {
    let by_address = model == BindingModel::Address;
    let own = u32::from(!y);
    let args =
        vec![buffer_arg("own", true, !y, (!by_address).then_some(own)), arg("a", ArgKind::Value { size: 4 })];
    let mut members = Vec::new();
    if by_address {
        let sources = [BlockSource::ArgumentAddress(0), BlockSource::SequenceAddress];
        members.push(member(0, 8, sources[own as usize]));
        members.push(member(8, 8, sources[1 - own as usize]));
    }
    let at = if by_address { 16 } else { 0 };
    members.push(member(at, 4, BlockSource::Argument(1)));
    members.push(member(at + 4, 4, BlockSource::GlobalOffset(0)));
    members.push(member(at + 8, 4, BlockSource::GroupBase(0)));
    let block = ArgumentBlock { size: at + 12, location: BlockLocation::PushConstants, members };
    if by_address {
        return lowered(SAXPY_ADDRESS, info(model, args, block, Vec::new()));
    }
    let descriptors =
        vec![storage(own, DescriptorSource::Argument(0)), storage(1 - own, DescriptorSource::Sequence)];
    lowered(SAXPY, info(model, args, block, descriptors))
}

pub fn neighbours() -> Lowered {
    let args = vec![
        buffer_arg("out", false, true, Some(0)),
        arg("exchange", ArgKind::Local { spec_id: Some(3), unit: 4, align: 4 }),
    ];
    let block = ArgumentBlock {
        size: 4,
        location: BlockLocation::StorageBuffer { binding: 1 },
        members: vec![member(0, 4, BlockSource::GroupBase(0))],
    };
    let descriptors =
        vec![storage(0, DescriptorSource::Argument(0)), storage(1, DescriptorSource::ArgumentBlock)];
    lowered(NEIGHBOURS, info(BindingModel::Descriptor, args, block, descriptors))
}

pub fn models(f: &Fixture) -> Vec<BindingModel> {
    let mut models = vec![BindingModel::Descriptor];
    if f.device.target().features.buffer_device_address {
        models.push(BindingModel::Address);
    }
    models
}

/// saxpy with its buffers: y = 2 x + y.
pub struct Saxpy {
    pub kernel: Kernel,
    pub x: Buffer,
    pub y: Buffer,
    pub n: u64,
}

impl Saxpy {
    pub fn new(f: &Fixture, model: BindingModel, n: u64) -> Self {
        let kernel = f.device.create_program(&saxpy(model)).and_then(|p| p.kernel("main")).expect("kernel");
        let x = f.buffer(&le((0..n).map(|i| i as f32)));
        let y = f.buffer(&le((0..n).map(|_| 1.0)));
        Saxpy { kernel, x, y, n }
    }

    pub fn run(&self, queue: &Queue) -> Result<Point, RuntimeError> {
        let a = 2f32.to_le_bytes();
        let args = [ArgValue::Buffer(&self.x), ArgValue::Buffer(&self.y), ArgValue::Value(&a)];
        queue.dispatch(&self.kernel, &args, &NdRange::new_1d(self.n))
    }

    pub fn want(&self, times: u64) -> Vec<f32> {
        (0..self.n).map(|i| 2.0 * times as f32 * i as f32 + 1.0).collect()
    }
}
