//! Discovery through the C functions and through the dispatch table, as the ICD loaders use them.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use opencl_sys as cl;
use pumice::entry::context::*;
use pumice::entry::device::*;
use pumice::entry::extension::*;
use pumice::entry::platform::*;

type Handle = *mut c_void;

/// The platform, or a visible skip.
fn platform() -> Option<Handle> {
    pumice::testing::validate();
    let (mut platform, mut count) = (null_mut(), 7);
    // SAFETY: both places are valid.
    let code = unsafe { clIcdGetPlatformIDsKHR(1, &mut platform, &mut count) };
    if code == cl::CL_PLATFORM_NOT_FOUND_KHR {
        assert_eq!(count, 0);
        pumice::testing::no_device();
        return None;
    }
    assert_eq!((code, count), (0, 1));
    Some(platform)
}

fn device(platform: Handle) -> Handle {
    let (mut device, mut count) = (null_mut(), 0);
    // SAFETY: both places are valid.
    let code = unsafe { clGetDeviceIDs(platform, cl::CL_DEVICE_TYPE_ALL, 1, &mut device, &mut count) };
    assert_eq!(code, 0);
    assert!(count >= 1 && !device.is_null());
    device
}

/// All bytes of an answer; places that are too small are refused.
fn answer(query: &dyn Fn(usize, *mut c_void, *mut usize) -> i32) -> Vec<u8> {
    let mut size = 0;
    assert_eq!(query(0, null_mut(), &mut size), 0);
    let mut bytes = vec![0u8; size];
    if size > 0 {
        assert_eq!(query(size - 1, bytes.as_mut_ptr().cast(), null_mut()), cl::CL_INVALID_VALUE);
    }
    assert_eq!(query(size, bytes.as_mut_ptr().cast(), null_mut()), 0);
    bytes
}

fn device_bytes(device: Handle, param: u32) -> Vec<u8> {
    // SAFETY: the places are valid for their sizes.
    answer(&|n, v, s| unsafe { clGetDeviceInfo(device, param, n, v, s) })
}

fn device_text(device: Handle, param: u32) -> String {
    text(&device_bytes(device, param))
}

fn platform_bytes(platform: Handle, param: u32) -> Vec<u8> {
    // SAFETY: as above.
    answer(&|n, v, s| unsafe { clGetPlatformInfo(platform, param, n, v, s) })
}

fn text(bytes: &[u8]) -> String {
    CStr::from_bytes_with_nul(bytes).expect("a string").to_str().expect("UTF-8").to_owned()
}

fn uint(bytes: &[u8]) -> u32 {
    u32::from_ne_bytes(bytes.try_into().expect("four bytes"))
}

fn ulong(bytes: &[u8]) -> u64 {
    u64::from_ne_bytes(bytes.try_into().expect("eight bytes"))
}

/// The names in a list of cl_name_version.
fn names(bytes: &[u8]) -> Vec<String> {
    let name = |e: &[u8]| CStr::from_bytes_until_nul(&e[4..]).expect("NUL").to_string_lossy().into_owned();
    bytes.chunks_exact(size_of::<cl::cl_name_version>()).map(name).collect()
}

#[test]
fn platform_and_devices_answer() {
    let Some(platform) = platform() else { return };
    assert_eq!(text(&platform_bytes(platform, cl::CL_PLATFORM_NAME)), "Pumice");
    assert_eq!(text(&platform_bytes(platform, cl::CL_PLATFORM_ICD_SUFFIX_KHR)), "PUMICE");
    let device = device(platform);
    let version = uint(&device_bytes(device, cl::CL_DEVICE_NUMERIC_VERSION));
    let minor = version >> 12 & 0x3ff;
    assert!(device_text(device, cl::CL_DEVICE_VERSION).starts_with(&format!("OpenCL 3.{minor} ")));
    assert!(text(&platform_bytes(platform, cl::CL_PLATFORM_VERSION)).starts_with("OpenCL 3.1 "));
    assert_eq!(uint(&device_bytes(device, cl::CL_DEVICE_AVAILABLE)), 1);
    let extensions = device_text(device, cl::CL_DEVICE_EXTENSIONS);
    let versions = names(&device_bytes(device, cl::CL_DEVICE_EXTENSIONS_WITH_VERSION));
    assert_eq!(extensions.split(' ').collect::<Vec<_>>(), versions);
    let of_platform = text(&platform_bytes(platform, cl::CL_PLATFORM_EXTENSIONS));
    assert!(of_platform.starts_with("cl_khr_icd "));
    assert_eq!(
        names(&device_bytes(device, cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS)),
        vec!["OpenCL C"; 4 + minor as usize]
    );
}

/// What a device of OpenCL 3.1 must have (docs/reference/opencl-3.1.md).
#[test]
fn what_3_1_demands() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let extensions = device_text(device, cl::CL_DEVICE_EXTENSIONS);
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    let always = [
        "device_uuid",
        "extended_bit_ops",
        "integer_dot_product",
        "spirv_queries",
        "suggested_local_work_size",
    ];
    let sub_groups = ["extended_types", "rotate", "shuffle", "shuffle_relative"];
    for name in always {
        assert!(has(&format!("cl_khr_{name}")), "{name}");
    }
    let version = uint(&device_bytes(device, cl::CL_DEVICE_NUMERIC_VERSION));
    let is_3_1 = version == 3 << 22 | 1 << 12;
    assert_eq!(sub_groups.iter().all(|name| has(&format!("cl_khr_subgroup_{name}"))), is_3_1);
    assert_eq!(uint(&device_bytes(device, cl::CL_DEVICE_MAX_NUM_SUB_GROUPS)) > 0, is_3_1);
    // The dot products' version, whose input of vectors 2.0 demands.
    let named = device_bytes(device, cl::CL_DEVICE_EXTENSIONS_WITH_VERSION);
    let dots = named
        .chunks_exact(size_of::<cl::cl_name_version>())
        .find(|e| e[4..].starts_with(b"cl_khr_integer_dot"));
    assert_eq!(dots.map(|e| uint(&e[..4])), Some(2 << 22));
    let both = cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT
        | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED;
    assert_eq!(ulong(&device_bytes(device, cl::CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES)), both);
    // A UUID of the device's and of the driver's own, of 16 bytes.
    for param in [cl::CL_DEVICE_UUID, cl::CL_DRIVER_UUID] {
        let uuid = device_bytes(device, param);
        assert!(uuid.len() == 16 && uuid.iter().any(|b| *b != 0));
    }
    let capabilities = device_bytes(device, cl::CL_DEVICE_SPIRV_CAPABILITIES);
    let capabilities: Vec<u32> = capabilities.chunks_exact(4).map(uint).collect();
    // Addresses, Linkage, Kernel, Vector16, Float16Buffer, Int16, Int8, DotProduct, its packed input, BitInstructions.
    for needed in [4, 5, 6, 7, 8, 22, 39, 6019, 6018, 6025] {
        assert!(capabilities.contains(&needed), "{needed}");
    }
    // Groups, SubgroupDispatch, GroupNonUniformShuffle, its relative form, GroupNonUniformRotateKHR.
    for needed in [18, 58, 65, 66, 6026] {
        assert_eq!(capabilities.contains(&needed), is_3_1 || needed == 18, "{needed}");
    }
    let full = device_text(device, cl::CL_DEVICE_PROFILE) == "FULL_PROFILE";
    assert!(!full || capabilities.contains(&11), "Int64");
}

/// Where a query tells of a feature of OpenCL C, the list of features has it, and else not (CL_DEVICE_OPENCL_C_FEATURES).
#[test]
fn features_are_those_that_the_queries_tell_of() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let named = device_bytes(device, cl::CL_DEVICE_OPENCL_C_FEATURES);
    let lists = |feature: &str| {
        let name = format!("__opencl_c_{feature}\0");
        named.chunks_exact(size_of::<cl::cl_name_version>()).any(|e| e[4..].starts_with(name.as_bytes()))
    };
    let atomics = ulong(&device_bytes(device, cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES));
    for (feature, bit) in [
        ("atomic_order_acq_rel", cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        ("atomic_order_seq_cst", cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        ("atomic_scope_device", cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        ("atomic_scope_all_devices", cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ] {
        assert_eq!(lists(feature), atomics & bit != 0, "{feature}");
    }
    for (feature, param) in [
        ("generic_address_space", cl::CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT),
        ("work_group_collective_functions", cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT),
        ("pipes", cl::CL_DEVICE_PIPE_SUPPORT),
        ("images", cl::CL_DEVICE_IMAGE_SUPPORT),
        ("read_write_images", cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS),
        ("subgroups", cl::CL_DEVICE_MAX_NUM_SUB_GROUPS),
    ] {
        assert_eq!(lists(feature), uint(&device_bytes(device, param)) != 0, "{feature}");
    }
}

/// What the specification demands of a device's limits (§4.2), by its profile.
#[test]
fn limits_are_those_of_the_profile() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let number = |param| ulong(&device_bytes(device, param));
    let full = device_text(device, cl::CL_DEVICE_PROFILE) == "FULL_PROFILE";
    let least = |full_profile: u64, embedded: u64| if full { full_profile } else { embedded };
    let global = number(cl::CL_DEVICE_GLOBAL_MEM_SIZE);
    let alloc = (1u64 << 30).min(global / 4).max(least(32 << 20, 1 << 20));
    assert!(number(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= alloc);
    // No more: programs allocate all of it.
    assert_eq!(number(cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE), 64 << 10);
    assert!(number(cl::CL_DEVICE_LOCAL_MEM_SIZE) >= least(32 << 10, 1 << 10));
    assert!(number(cl::CL_DEVICE_PRINTF_BUFFER_SIZE) >= least(1 << 20, 1 << 10));
    assert!(number(cl::CL_DEVICE_MAX_PARAMETER_SIZE) >= least(1024, 256));
    assert!(uint(&device_bytes(device, cl::CL_DEVICE_MAX_CONSTANT_ARGS)) >= least(8, 4) as u32);
    assert!(uint(&device_bytes(device, cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN)) >= 1024);
    let rounding = cl::CL_FP_ROUND_TO_NEAREST | if full { cl::CL_FP_INF_NAN } else { 0 };
    assert_eq!(number(cl::CL_DEVICE_SINGLE_FP_CONFIG) & rounding, rounding);
}

#[test]
fn bad_handles_and_parameters_are_error_codes() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let bad = std::ptr::without_provenance_mut(0x1234);
    // SAFETY: bad handles are not dereferenced; places are valid or NULL.
    unsafe {
        assert_eq!(clGetDeviceInfo(bad, 0x1027, 4, null_mut(), null_mut()), cl::CL_INVALID_DEVICE);
        assert_eq!(clGetDeviceInfo(device, 1, 4, null_mut(), null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(clGetPlatformInfo(bad, 0x0902, 0, null_mut(), null_mut()), cl::CL_INVALID_PLATFORM);
        assert_eq!(clGetDeviceIDs(platform, 0, 0, null_mut(), &mut 0), cl::CL_INVALID_DEVICE_TYPE);
        assert_eq!(clGetDeviceIDs(platform, 1 << 40, 0, null_mut(), &mut 0), cl::CL_INVALID_DEVICE_TYPE);
        // CL_DEVICE_TYPE_ALL, from an int.
        assert_eq!(clGetDeviceIDs(platform, u64::MAX, 0, null_mut(), &mut 0), cl::CL_SUCCESS);
        assert_eq!(clGetDeviceIDs(platform, 4 | 2, 0, null_mut(), null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(clGetDeviceIDs(platform, 16, 0, null_mut(), &mut 0), cl::CL_DEVICE_NOT_FOUND);
        assert_eq!(clGetPlatformIDs(0, null_mut(), null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(clGetPlatformIDs(0, &mut null_mut(), null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(clRetainDevice(bad), cl::CL_INVALID_DEVICE);
        assert_eq!((clRetainDevice(device), clReleaseDevice(device), clReleaseDevice(device)), (0, 0, 0));
        let halves = [cl::CL_DEVICE_PARTITION_EQUALLY, 1, 0];
        let sub = clCreateSubDevices(device, halves.as_ptr(), 0, null_mut(), &mut 0);
        assert_eq!(sub, cl::CL_INVALID_VALUE);
        assert!(clGetExtensionFunctionAddress(c"clNoSuchFunction".as_ptr()).is_null());
        assert!(clGetExtensionFunctionAddress(null()).is_null());
        assert!(!clGetExtensionFunctionAddress(c"clIcdGetPlatformIDsKHR".as_ptr()).is_null());
        assert_eq!(clGetHostTimer(device, null_mut()), cl::CL_INVALID_VALUE);
        let (mut on_device, mut on_host, mut later) = (0, 0, 0);
        assert_eq!(clGetDeviceAndHostTimer(device, &mut on_device, &mut on_host), 0);
        assert_eq!(clGetHostTimer(device, &mut later), 0);
        assert!(on_device > 0 && on_host > 0 && later >= on_host);
    }
}

#[test]
fn contexts_are_counted() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let named = cl::CL_CONTEXT_PLATFORM;
    let properties = [named, platform.addr().cast_signed(), 0];
    let mut error = 1;
    // SAFETY: the lists are whole; the place is valid.
    let context = unsafe { clCreateContext(properties.as_ptr(), 1, &device, None, null_mut(), &mut error) };
    assert_eq!(error, 0);
    // SAFETY: the places are valid for their sizes.
    let get = |param| answer(&|n, v, s| unsafe { clGetContextInfo(context, param, n, v, s) });
    assert_eq!(get(cl::CL_CONTEXT_PROPERTIES).len(), size_of_val(&properties));
    assert_eq!(get(cl::CL_CONTEXT_DEVICES), device.addr().to_ne_bytes());
    assert_eq!(uint(&get(cl::CL_CONTEXT_NUM_DEVICES)), 1);
    assert_eq!(uint(&get(cl::CL_CONTEXT_REFERENCE_COUNT)), 1);
    // SAFETY: handles only.
    unsafe {
        assert_eq!(clRetainContext(context), 0);
        assert_eq!(uint(&get(cl::CL_CONTEXT_REFERENCE_COUNT)), 2);
        assert_eq!((clReleaseContext(context), clReleaseContext(context)), (0, 0));
        assert_eq!(clReleaseContext(context), cl::CL_INVALID_CONTEXT, "released once too often");
    }
    let refused: [(&[isize], u32, i32); 5] = [
        (&[77, 0, 0], 1, cl::CL_INVALID_PROPERTY),
        (&[named, 1, 0], 1, cl::CL_INVALID_PLATFORM),
        (&[named, platform.addr().cast_signed(), named, 0, 0], 1, cl::CL_INVALID_PROPERTY),
        (&[cl::CL_CONTEXT_INTEROP_USER_SYNC, 7, 0], 1, cl::CL_INVALID_PROPERTY),
        (&[0], 0, cl::CL_INVALID_VALUE),
    ];
    for (list, count, code) in refused {
        // SAFETY: as above.
        let made = unsafe { clCreateContext(list.as_ptr(), count, &device, None, null_mut(), &mut error) };
        assert!(made.is_null());
        assert_eq!(error, code, "{list:?}");
    }
    // SAFETY: as above.
    unsafe {
        assert!(clCreateContext(null(), 1, &null_mut(), None, null_mut(), null_mut()).is_null());
        assert!(clCreateContext(null(), 1, &device, None, (&raw mut error).cast(), &mut error).is_null());
        assert_eq!(error, cl::CL_INVALID_VALUE, "user data without a function");
    }
}

/// Destructor callbacks come last registered first, once everything is gone.
#[test]
fn destructor_callbacks() {
    unsafe extern "C" fn note(_: Handle, user: *mut c_void) {
        // SAFETY: the test's own array, alive until the context is gone: [count, order…].
        let notes = unsafe { &mut *user.cast::<Vec<u32>>() };
        notes.push(u32::try_from(notes.len()).expect("few"));
    }
    unsafe extern "C" fn mark(_: Handle, user: *mut c_void) {
        // SAFETY: as above.
        unsafe { &mut *user.cast::<Vec<u32>>() }.push(99);
    }
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let mut notes: Vec<u32> = Vec::new();
    let user = (&raw mut notes).cast();
    // SAFETY: the places are valid; the functions fit.
    unsafe {
        let context = clCreateContext(null(), 1, &device, None, null_mut(), null_mut());
        assert_eq!(clSetContextDestructorCallback(context, None, user), cl::CL_INVALID_VALUE);
        assert_eq!(clSetContextDestructorCallback(context, Some(note), user), 0);
        assert_eq!(clSetContextDestructorCallback(context, Some(mark), user), 0);
        assert_eq!(clReleaseContext(context), 0);
    }
    assert_eq!(notes, [99, 1]);
}

/// What a loader of cl_khr_icd 2.0 does: it finds the tag in the table, asks for functions by name, and finds its data in new objects.
#[test]
fn loader_managed_dispatch() {
    let Some(platform) = platform() else { return };
    // SAFETY: the handle is live; its first word is the table.
    let table = unsafe { *platform.cast::<*const *const c_void>() };
    let tag = "OPENCL31".bytes().fold(0usize, |t, b| (t << 8) | usize::from(b));
    // SAFETY: the table has 150 entries; 31 is clUnloadCompiler.
    let (first, unload) = unsafe { ((*table).addr(), (*table.add(31)).addr()) };
    if size_of::<usize>() == 8 {
        assert_eq!((first, unload), (tag, tag));
    }
    let by_name = |name: &CStr| -> *mut c_void {
        // SAFETY: a string.
        unsafe { clIcdGetFunctionAddressForPlatformKHR(platform, name.as_ptr().cast::<c_char>()) }
    };
    assert!(!by_name(c"clGetPlatformIDs").is_null() && !by_name(c"clUnloadCompiler").is_null());
    assert_eq!(by_name(c"clGetDeviceInfo"), clGetDeviceInfo as *mut c_void);
    assert!(by_name(c"clNothing").is_null());
    let data = std::ptr::without_provenance_mut(0x5150);
    let device = device(platform);
    let second = |handle: Handle| {
        // SAFETY: the second word of a live object.
        unsafe { handle.cast::<*mut c_void>().add(1).read() }
    };
    // SAFETY: handles and valid places.
    unsafe {
        assert_eq!(clIcdSetPlatformDispatchDataKHR(null_mut::<u8>().add(8).cast(), data), -32);
        assert_eq!(clIcdSetPlatformDispatchDataKHR(platform, data), 0);
        assert_eq!((second(platform), second(device)), (data, data));
        let context = clCreateContext(null(), 1, &device, None, null_mut(), null_mut());
        assert_eq!(second(context), data);
        assert_eq!(clReleaseContext(context), 0);
        assert_eq!(clIcdSetPlatformDispatchDataKHR(platform, null_mut()), 0);
    }
}

/// Vendors' own queries are answered on that vendor's devices alone; clock and cache of a processor are known.
#[test]
fn vendors_and_the_system() {
    let Some(platform) = platform() else { return };
    let device = device(platform);
    let vendor = uint(&device_bytes(device, cl::CL_DEVICE_VENDOR_ID));
    let extensions = device_text(device, cl::CL_DEVICE_EXTENSIONS);
    for (id, extension, queries) in [
        (0x10de, "cl_nv_device_attribute_query", 0x4000..=0x4006),
        (
            0x1002,
            "cl_amd_device_attribute_query",
            cl::CL_DEVICE_BOARD_NAME_AMD..=cl::CL_DEVICE_BOARD_NAME_AMD,
        ),
    ] {
        let is_claimed = extensions.split(' ').any(|e| e == extension);
        assert!(!is_claimed || vendor == id, "{extension} on vendor {vendor:#x}");
        for query in queries {
            // SAFETY: nothing is written.
            let code = unsafe { clGetDeviceInfo(device, query, 0, null_mut(), null_mut()) };
            assert_eq!(code, if is_claimed { 0 } else { cl::CL_INVALID_VALUE }, "{query:#x}");
        }
    }
    let is_cpu = ulong(&device_bytes(device, cl::CL_DEVICE_TYPE)) == cl::CL_DEVICE_TYPE_CPU;
    if is_cpu
        && cfg!(target_os = "linux")
        && std::path::Path::new("/sys/devices/system/cpu/cpu0/cache").exists()
    {
        assert_eq!(uint(&device_bytes(device, cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE)), cl::CL_READ_WRITE_CACHE);
        assert!(ulong(&device_bytes(device, cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)) > 0);
        assert!(uint(&device_bytes(device, cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE)) > 0);
    }
}
