//! The example on a device, and the C functions.

use std::ffi::{CStr, c_char, c_void};
use std::path::PathBuf;
use std::process::Command;
use std::ptr::{null, null_mut};

use ash::vk;
use frontend::options::Options;
use lower::{LowerOptions, Target};
use pumice_vk::c::*;
use pumice_vk::{Bundle, Traits, Variant};
use vk_runtime::{Instance, InstanceOptions};

const SAXPY: &str = include_str!("../../examples/saxpy.cl");

/// A bundle for the first device here and for one with nothing optional.
fn bundle() -> Option<Vec<u8>> {
    let instance = Instance::new(&InstanceOptions::default());
    let Ok(device) = instance.and_then(|i| i.select(None)) else {
        eprintln!("SKIP: no Vulkan device");
        return None;
    };
    let variants = [Target::minimum(), device.target().clone()].map(|target| {
        let mut options = Options::default();
        host::target::apply(&target, &mut options);
        let words = frontend::compile("saxpy.cl", SAXPY, &options).spirv.expect("good source");
        let lowered = lower::lower(&words, &target, &LowerOptions::default()).expect("lowers");
        Variant::new(target, Traits::default(), lowered).expect("a variant")
    });
    Some(Bundle { variants: variants.into() }.write().expect("bytes"))
}

#[test]
fn the_example_runs() {
    let Some(bytes) = bundle() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("saxpy.pum");
    std::fs::write(&file, bytes).expect("written");
    let own = std::env::current_exe().expect("this program");
    // target/debug/deps/device-…: examples lie beside the folder of tests.
    let example: PathBuf =
        own.parent().and_then(|p| p.parent()).expect("a folder").join("examples/bare_vulkan");
    let output = Command::new(&example).arg(&file).output().expect("cargo test builds the example");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("65536 results are right"), "{told}");
}

unsafe extern "C" fn note_features(chain: *const c_void, user: *mut c_void) {
    // SAFETY: `user` is the flag below, the chain begins with its type.
    unsafe {
        let features = &*chain.cast::<vk::PhysicalDeviceFeatures2<'_>>();
        *user.cast::<bool>() = features.s_type == vk::StructureType::PHYSICAL_DEVICE_FEATURES_2;
    }
}

fn text(message: &Message) -> String {
    // SAFETY: messages end with a zero, and begin at the text.
    unsafe { CStr::from_ptr(std::ptr::from_ref(message).cast::<c_char>()) }.to_string_lossy().into_owned()
}

#[test]
fn from_c() {
    let Some(bytes) = bundle() else { return };
    // SAFETY: the loader is there, as `bundle` has seen.
    let entry = unsafe { ash::Entry::load() }.expect("Vulkan");
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    // SAFETY: the structure is alive.
    let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.enumerate_physical_devices() }.expect("devices");
    let get = entry.static_fn().get_instance_proc_addr;
    // SAFETY: zeros are a message.
    let mut message: Message = unsafe { std::mem::zeroed() };
    let mut open = |bytes: &[u8]| {
        let (all, size) = (bytes.as_ptr().cast(), bytes.len());
        let version = vk::API_VERSION_1_3;
        // SAFETY: the bytes, the instance and its device are alive.
        unsafe {
            pumice_vk_open(all, size, Some(get), instance.handle(), devices[0], version, &raw mut message)
        }
    };
    assert!(open(b"no bundle").is_null());
    assert!(open(&bytes[..bytes.len() - 1]).is_null());
    let program = open(&bytes);
    assert_eq!(text(&message), "the bundle is damaged: its checksum does not fit");
    assert!(!program.is_null());
    // SAFETY: the program is open until the end, and each pointer is to what the function takes.
    unsafe {
        let kernel = pumice_vk_kernel(program, c"saxpy".as_ptr());
        assert_eq!((kernel, pumice_vk_kernel(program, c"other".as_ptr())), (0, -1));
        assert_eq!(CStr::from_ptr(pumice_vk_kernel_name(program, 0)), c"saxpy");
        assert!(pumice_vk_kernel_name(program, 1).is_null());
        let mut size = 0;
        assert_eq!(*pumice_vk_spirv(program, &raw mut size), 0x0723_0203);
        assert!(size > 100 && size % 4 == 0);
        let mut layout: Layout = std::mem::zeroed();
        assert_eq!(pumice_vk_layout(program, 0, &raw mut layout), 0);
        assert_eq!((layout.arguments, layout.required_size), (3, [0; 3]));
        let mut descriptors: [Descriptor; 4] = std::mem::zeroed();
        let count = pumice_vk_descriptors(program, 0, descriptors.as_mut_ptr(), 4);
        assert_eq!(count, layout.descriptors as usize);
        let launch = CLaunch { dimensions: 1, global: [128, 1, 1], offset: [0; 3], local: [64, 1, 1] };
        let mut groups = [0; 3];
        assert_eq!(pumice_vk_groups(program, 0, &raw const launch, &raw mut groups, null_mut()), 0);
        assert_eq!(groups, [2, 1, 1]);
        let factor = 2f32;
        let mut args: [CArg; 3] = std::mem::zeroed();
        for (arg, n) in args.iter_mut().zip(0..) {
            arg.kind = u32::try_from(pumice_vk_argument_kind(program, 0, n)).expect("a kind");
            (arg.size, arg.address) = (512, 0x1000);
        }
        assert_eq!(args.each_ref().map(|a| a.kind), [0, 0, 1]);
        (args[2].size, args[2].bytes) = (4, (&raw const factor).cast());
        let mut block = [0u8; 64];
        let (given, all) = (args.as_ptr(), block.as_mut_ptr().cast());
        let used = pumice_vk_block(program, 0, &raw const launch, given, 3, null(), all, 64, null_mut());
        assert_eq!(used, layout.block_bytes as isize);
        assert_eq!(block[..4], factor.to_le_bytes());
        let mut constants: [Constant; 3] = std::mem::zeroed();
        let out = constants.as_mut_ptr();
        assert!(pumice_vk_specialization(program, 0, &raw const launch, given, 3, out, 3, null_mut()) >= 3);
        assert_eq!((constants[0].id, constants[0].value), (0, 64));
        let short =
            pumice_vk_block(program, 0, &raw const launch, given, 2, null(), all, 64, &raw mut message);
        assert_eq!((short, text(&message).as_str()), (-1, "kernel 'saxpy' takes 3 arguments, 2 are given"));
        assert_eq!(pumice_vk_data(program, 0, null(), null_mut(), 0, null_mut()), 0);
        let mut seen = false;
        pumice_vk_features(program, Some(note_features), (&raw mut seen).cast());
        assert!(seen);
        pumice_vk_extensions(program, null_mut(), 0);
        pumice_vk_close(program);
        instance.destroy_instance(None);
    }
}

/// The header is C and C++, and its structures are as large as ours.
#[test]
fn the_header_fits() {
    let sizes = [
        ("PumiceVkMessage", size_of::<Message>()),
        ("PumiceVkLayout", size_of::<Layout>()),
        ("PumiceVkDescriptor", size_of::<Descriptor>()),
        ("PumiceVkArg", size_of::<CArg>()),
        ("PumiceVkLaunch", size_of::<CLaunch>()),
        ("PumiceVkAddresses", size_of::<CAddresses>()),
        ("PumiceVkConstant", size_of::<Constant>()),
    ];
    let mut source =
        "typedef struct VkInstance_T *VkInstance; typedef struct VkPhysicalDevice_T *VkPhysicalDevice;\n\
                      typedef void (*(*PFN_vkGetInstanceProcAddr)(VkInstance, const char *))(void);\n\
                      #include <pumice_vk.h>\n"
            .to_owned();
    for (name, size) in sizes {
        source += &format!("typedef char {name}_fits[sizeof({name}) == {size} ? 1 : -1];\n");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (compiler, file) in [("cc", "header.c"), ("c++", "header.cpp")] {
        let path = folder.path().join(file);
        std::fs::write(&path, &source).expect("written");
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let output = Command::new(compiler)
            .args(["-Wall", "-Werror", "-Wno-unused-local-typedefs"])
            .args(["-fsyntax-only", "-I", include])
            .arg(&path)
            .output();
        let output = output.expect("a C compiler");
        assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
