//! The C functions of `include/pumice_vk.h`, which says what they do.

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ash::vk;
use bundle::{Bundle, Variant};
use lower::kernel_info::{ArgKind, BlockLocation, DescriptorSource};
use vk_runtime::descriptor_type;

use crate::{Device, KernelInfo};
use bundle::launch::{Addresses, Arg, Kernel, Launch, data};

/// The result of `pumice_vk_open`.
pub struct Program {
    variant: Variant,
    device: Device,
    names: Vec<CString>,
    extensions: Vec<&'static CStr>,
}

/// `PumiceVkMessage`: where a failing call writes why.
#[repr(C)]
pub struct Message {
    text: [c_char; 512],
}

/// `PumiceVkLayout`
#[repr(C)]
#[allow(missing_docs)]
pub struct Layout {
    pub arguments: u32,
    pub descriptors: u32,
    pub push_constant_bytes: u32,
    pub block_place: u32,
    pub block_bytes: u32,
    pub block_binding: u32,
    pub takes_printf_buffer: u32,
    pub local_bytes: u32,
    pub required_size: [u32; 3],
}

/// `PumiceVkDescriptor`
#[repr(C)]
#[allow(missing_docs)]
pub struct Descriptor {
    pub binding: u32,
    pub descriptor_type: u32,
    pub source: u32,
    pub index: u32,
}

/// `PumiceVkArg`
#[repr(C)]
#[allow(missing_docs)]
pub struct CArg {
    pub kind: u32,
    pub bits: u32,
    pub size: u64,
    pub address: u64,
    pub bytes: *const c_void,
    pub image_size: [u32; 3],
    pub image_levels: u16,
    pub image_samples: u16,
}

/// `PumiceVkLaunch`
#[repr(C)]
#[allow(missing_docs)]
pub struct CLaunch {
    pub dimensions: u32,
    pub global: [u32; 3],
    pub offset: [u32; 3],
    pub local: [u32; 3],
}

/// `PumiceVkAddresses`
#[repr(C)]
#[allow(missing_docs)]
pub struct CAddresses {
    pub constants: u64,
    pub globals: u64,
    pub printf: u64,
    pub windows: [u64; 4],
}

/// `PumiceVkConstant`
#[repr(C)]
#[allow(missing_docs)]
pub struct Constant {
    pub id: u32,
    pub value: u32,
}

/// Runs `f`; an error, or a panic, becomes the message and `failed`.
fn guard<R>(message: *mut Message, failed: R, f: impl FnOnce() -> Result<R, String>) -> R {
    let told = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        Err(format!("internal error (this is a bug in Pumice): {text}"))
    };
    match catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(told) {
        Ok(result) => result,
        Err(why) => {
            // SAFETY: the caller's promise: NULL or a message that may be written.
            if let Some(message) = unsafe { message.as_mut() } {
                let room = message.text.len() - 1;
                message.text.fill(0);
                for (place, byte) in message.text.iter_mut().take(room).zip(why.bytes()) {
                    *place = byte as c_char;
                }
            }
            failed
        }
    }
}

/// The object behind a pointer.
///
/// # Safety
/// NULL, or a value that lives while the call does.
unsafe fn given<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, String> {
    // SAFETY: by the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| format!("{name} is NULL"))
}

/// Copies as many elements as there is room for; how many there are.
///
/// # Safety
/// `out` is NULL or has `room` elements.
unsafe fn fill<T>(all: Vec<T>, out: *mut T, room: usize) -> usize {
    let count = all.len();
    if !out.is_null() {
        for (i, value) in all.into_iter().take(room).enumerate() {
            // SAFETY: by the caller's promise.
            unsafe { out.add(i).write(value) };
        }
    }
    count
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_open(
    bytes: *const c_void,
    size: usize,
    get_instance_proc_addr: Option<vk::PFN_vkGetInstanceProcAddr>,
    instance: vk::Instance,
    device: vk::PhysicalDevice,
    api_version: u32,
    message: *mut Message,
) -> *mut Program {
    guard(message, std::ptr::null_mut(), || {
        let get_instance_proc_addr = get_instance_proc_addr.ok_or("getInstanceProcAddr is NULL")?;
        if bytes.is_null() {
            return Err("bytes is NULL".to_owned());
        }
        // SAFETY: by the caller's promise: so many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), size) };
        let bundle = Bundle::read(bytes).map_err(|e| e.to_string())?;
        let start = ash::StaticFn { get_instance_proc_addr };
        // SAFETY: by the caller's promise: the instance is alive, and this is its loader's function.
        let instance = unsafe { ash::Instance::load(&start, instance) };
        // SAFETY: by the caller's promise: the device is one of the instance's.
        let device = unsafe { Device::query(&instance, api_version, device) }.map_err(|e| e.to_string())?;
        let variant = bundle.choose(device.target())?.clone();
        let names = variant.lowered.kernels.iter().map(|k| CString::new(k.name.as_str()).unwrap_or_default());
        let (names, extensions) = (names.collect(), device.extensions(&variant));
        Ok(Box::into_raw(Box::new(Program { variant, device, names, extensions })))
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_close(program: *mut Program) {
    if !program.is_null() {
        // SAFETY: by the caller's promise: from `pumice_vk_open`, and not used any more.
        drop(unsafe { Box::from_raw(program) });
    }
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_spirv(program: *const Program, bytes: *mut usize) -> *const u32 {
    guard(std::ptr::null_mut(), std::ptr::null(), || {
        // SAFETY: by the caller's promise.
        let words = &unsafe { given(program, "program") }?.variant.lowered.spirv;
        // SAFETY: by the caller's promise: NULL or a place.
        if let Some(place) = unsafe { bytes.as_mut() } {
            *place = 4 * words.len();
        }
        Ok(words.as_ptr())
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_extensions(
    program: *const Program,
    names: *mut *const c_char,
    room: usize,
) -> usize {
    guard(std::ptr::null_mut(), 0, || {
        // SAFETY: by the caller's promise.
        let program = unsafe { given(program, "program") }?;
        let all: Vec<_> = program.extensions.iter().map(|name| name.as_ptr()).collect();
        // SAFETY: by the caller's promise.
        Ok(unsafe { fill(all, names, room) })
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_features(
    program: *const Program,
    create: Option<unsafe extern "C" fn(*const c_void, *mut c_void)>,
    user: *mut c_void,
) {
    guard(std::ptr::null_mut(), (), || {
        // SAFETY: by the caller's promise.
        let program = unsafe { given(program, "program") }?;
        let create = create.ok_or("create is NULL")?;
        program.device.with_features(&program.variant, |chain| {
            let chain: *const vk::PhysicalDeviceFeatures2<'_> = chain;
            // SAFETY: the application gave the function for this use.
            unsafe { create(chain.cast(), user) };
        });
        Ok(())
    });
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_kernel_name(program: *const Program, kernel: u32) -> *const c_char {
    guard(std::ptr::null_mut(), std::ptr::null(), || {
        // SAFETY: by the caller's promise.
        let program = unsafe { given(program, "program") }?;
        Ok(program.names.get(kernel as usize).map_or(std::ptr::null(), |name| name.as_ptr()))
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_kernel(program: *const Program, name: *const c_char) -> i32 {
    guard(std::ptr::null_mut(), -1, || {
        // SAFETY: by the caller's promise.
        let program = unsafe { given(program, "program") }?;
        // SAFETY: by the caller's promise: a string that ends.
        let name = unsafe { CStr::from_ptr(given(name, "name")?) };
        let found = program.names.iter().position(|n| n.as_c_str() == name);
        Ok(found.and_then(|n| i32::try_from(n).ok()).unwrap_or(-1))
    })
}

/// A kernel of a program by its number.
///
/// # Safety
/// The program is NULL, or one that is open.
unsafe fn kernel<'a>(program: *const Program, kernel: u32) -> Result<Kernel<'a>, String> {
    // SAFETY: by the caller's promise.
    let variant = &unsafe { given(program, "program") }?.variant;
    let info: &KernelInfo = variant.lowered.kernels.get(kernel as usize).ok_or("no such kernel")?;
    Kernel::new(variant, &info.name).map_err(|e| e.0)
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_layout(program: *const Program, number: u32, out: *mut Layout) -> i32 {
    guard(std::ptr::null_mut(), -1, || {
        // SAFETY: by the caller's promise.
        let info = unsafe { kernel(program, number) }?.info();
        // SAFETY: by the caller's promise: NULL or a place.
        let out = unsafe { out.as_mut() }.ok_or("out is NULL")?;
        let size = info.block.size;
        let (place, binding, push) = match info.block.location {
            _ if size == 0 => (0, u32::MAX, 0),
            BlockLocation::PushConstants => (1, u32::MAX, size),
            BlockLocation::StorageBuffer { binding } => (2, binding, 0),
            BlockLocation::BufferAddress => (3, u32::MAX, 8),
        };
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        *out = Layout {
            arguments: count(info.args.len()),
            descriptors: count(info.descriptors.len()),
            push_constant_bytes: push,
            block_place: place,
            block_bytes: size,
            block_binding: binding,
            takes_printf_buffer: info.takes_buffer().into(),
            local_bytes: info.local_memory_size,
            required_size: info.reqd_work_group_size.unwrap_or([0; 3]),
        };
        Ok(0)
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_descriptors(
    program: *const Program,
    number: u32,
    out: *mut Descriptor,
    room: usize,
) -> usize {
    guard(std::ptr::null_mut(), 0, || {
        // SAFETY: by the caller's promise.
        let info = unsafe { kernel(program, number) }?.info();
        let all = info.descriptors.iter().map(|d| {
            let (source, index) = match d.source {
                DescriptorSource::Argument(n) => (0, n),
                DescriptorSource::ArgumentBlock => (1, 0),
                DescriptorSource::Constants => (2, 0),
                DescriptorSource::Globals => (3, 0),
                DescriptorSource::Printf => (4, 0),
                DescriptorSource::Image(n) => (5, n),
                DescriptorSource::Sampler(n) => (6, n),
                DescriptorSource::Sequence => (7, 0),
                DescriptorSource::Window(n) => (8, n),
            };
            Descriptor {
                binding: d.binding,
                descriptor_type: descriptor_type(d.kind).as_raw().cast_unsigned(),
                source,
                index,
            }
        });
        // SAFETY: by the caller's promise.
        Ok(unsafe { fill(all.collect(), out, room) })
    })
}

impl CLaunch {
    fn launch(&self) -> Launch {
        let CLaunch { dimensions, global, offset, local } = *self;
        Launch { dimensions, global, offset, local }
    }
}

/// The application's arguments.
///
/// # Safety
/// `args` is NULL or has `count` elements, whose bytes are as many as they say.
unsafe fn arguments<'a>(args: *const CArg, count: usize) -> Result<Vec<Arg<'a>>, String> {
    if args.is_null() && count > 0 {
        return Err("args is NULL".to_owned());
    }
    let mut list = Vec::new();
    for i in 0..count {
        // SAFETY: by the caller's promise.
        let arg = unsafe { &*args.add(i) };
        let small = || u32::try_from(arg.size).map_err(|_| format!("argument {i} is too large"));
        list.push(match arg.kind {
            0 => Arg::Buffer { address: arg.address, size: arg.size },
            1 if arg.bytes.is_null() => return Err(format!("the bytes of argument {i} are NULL")),
            // SAFETY: by the caller's promise; not NULL, as checked.
            1 => Arg::Value(unsafe { std::slice::from_raw_parts(arg.bytes.cast::<u8>(), small()? as usize) }),
            2 => Arg::Local(small()?),
            3 => Arg::Image {
                format: arg.bits,
                levels: arg.image_levels,
                samples: arg.image_samples,
                size: arg.image_size,
                address: arg.address,
            },
            4 => Arg::Sampler(arg.bits),
            _ => return Err(format!("argument {i} is of no kind")),
        });
    }
    Ok(list)
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_argument_kind(program: *const Program, number: u32, argument: u32) -> i32 {
    guard(std::ptr::null_mut(), -1, || {
        // SAFETY: by the caller's promise.
        let info = unsafe { kernel(program, number) }?.info();
        Ok(info.args.get(argument as usize).map_or(-1, |arg| match arg.kind {
            ArgKind::Buffer { .. } => 0,
            ArgKind::Value { .. } => 1,
            ArgKind::Local { .. } => 2,
            ArgKind::Image(_) => 3,
            ArgKind::Sampler => 4,
        }))
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_specialization(
    program: *const Program,
    number: u32,
    launch: *const CLaunch,
    args: *const CArg,
    count: usize,
    out: *mut Constant,
    room: usize,
    message: *mut Message,
) -> isize {
    guard(message, -1, || {
        // SAFETY: by the caller's promise.
        let (kernel, launch, args) =
            unsafe { (kernel(program, number)?, given(launch, "launch")?.launch(), arguments(args, count)?) };
        let all = kernel.specialization(&launch, &args).map_err(|e| e.0)?;
        let all = all.into_iter().map(|(id, value)| Constant { id, value }).collect();
        // SAFETY: by the caller's promise.
        Ok(unsafe { fill(all, out, room) }.cast_signed())
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_groups(
    program: *const Program,
    number: u32,
    launch: *const CLaunch,
    out: *mut [u32; 3],
    message: *mut Message,
) -> i32 {
    guard(message, -1, || {
        // SAFETY: by the caller's promise.
        let (kernel, launch) = unsafe { (kernel(program, number)?, given(launch, "launch")?.launch()) };
        // SAFETY: by the caller's promise: NULL or a place.
        let out = unsafe { out.as_mut() }.ok_or("out is NULL")?;
        *out = kernel.groups(&launch).map_err(|e| e.0)?;
        Ok(0)
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_block(
    program: *const Program,
    number: u32,
    launch: *const CLaunch,
    args: *const CArg,
    count: usize,
    addresses: *const CAddresses,
    out: *mut c_void,
    room: usize,
    message: *mut Message,
) -> isize {
    guard(message, -1, || {
        // SAFETY: by the caller's promise.
        let (kernel, launch, args) =
            unsafe { (kernel(program, number)?, given(launch, "launch")?.launch(), arguments(args, count)?) };
        // SAFETY: by the caller's promise.
        let addresses = unsafe { the_addresses(addresses) };
        let block = kernel.block(&launch, &args, &addresses).map_err(|e| e.0)?;
        // SAFETY: by the caller's promise.
        Ok(unsafe { fill(block, out.cast::<u8>(), room) }.cast_signed())
    })
}

/// See pumice_vk.h.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pumice_vk_data(
    program: *const Program,
    globals: i32,
    addresses: *const CAddresses,
    out: *mut c_void,
    room: usize,
    message: *mut Message,
) -> isize {
    guard(message, -1, || {
        // SAFETY: by the caller's promise.
        let (program, addresses) = unsafe { (given(program, "program")?, the_addresses(addresses)) };
        let all = &program.variant.lowered.program_data;
        let bytes = match (out.is_null(), globals != 0) {
            // Before there are addresses, the size.
            (true, false) => return Ok(all.constants.bytes.len().cast_signed()),
            (true, true) => return Ok(all.globals.bytes.len().cast_signed()),
            (false, globals) => {
                let [first, second] = data(&program.variant, &addresses).map_err(|e| e.0)?;
                if globals { second } else { first }
            }
        };
        // SAFETY: by the caller's promise.
        Ok(unsafe { fill(bytes, out.cast::<u8>(), room) }.cast_signed())
    })
}

/// Addresses, none for NULL.
///
/// # Safety
/// NULL, or a value that lives while the call does.
unsafe fn the_addresses(addresses: *const CAddresses) -> Addresses {
    // SAFETY: by the caller's promise.
    match unsafe { addresses.as_ref() } {
        Some(CAddresses { constants, globals, printf, windows }) => {
            // The application pushes the block's address itself.
            Addresses {
                constants: *constants,
                globals: *globals,
                printf: *printf,
                windows: *windows,
                block: 0,
            }
        }
        None => Addresses::default(),
    }
}
