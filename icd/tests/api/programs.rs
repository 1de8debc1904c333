//! Programs through the C functions: builds, logs, errors, separate compilation, binaries, the cache.

mod cxx;

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Instant;

use crate::support;
use opencl_sys as cl;
use pumice::entry::kernel::*;
use pumice::entry::program::*;
use support::*;

const FILL: &str = "kernel void fill(global uint *out, uint value) { out[get_global_id(0)] = value + ADD; }";

/// Runs `fill` of a program.
fn fill(s: &Setup, program: &Owned, value: u32) -> Vec<u32> {
    let (k, out) = (kernel(program, "fill").expect("a kernel"), s.buffer(64));
    assert_eq!((set(&k, 0, out.0), set(&k, 1, value)), (0, 0));
    assert_eq!(s.launch(&k, &[16], None), 0);
    s.read(&out, 16)
}

#[test]
fn builds_and_its_queries() {
    let Some(s) = setup() else { return };
    let program = s.program(FILL);
    assert_eq!(s.status(&program), cl::CL_BUILD_NONE);
    assert_eq!(s.log(&program), "");
    assert_eq!(program_info(&program, cl::CL_PROGRAM_NUM_KERNELS), Err(cl::CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(kernel(&program, "fill").err(), Some(cl::CL_INVALID_PROGRAM_EXECUTABLE));
    assert_eq!(text(program_info(&program, cl::CL_PROGRAM_SOURCE)), FILL);
    assert_eq!(s.build(&program, "-D ADD=1"), 0);
    assert_eq!(s.status(&program), cl::CL_BUILD_SUCCESS);
    assert_eq!(text(s.build_info(&program, cl::CL_PROGRAM_BUILD_OPTIONS)), "-D ADD=1");
    assert_eq!(number(s.build_info(&program, cl::CL_PROGRAM_BINARY_TYPE)), 4);
    assert_eq!(number(program_info(&program, cl::CL_PROGRAM_NUM_KERNELS)), 1);
    assert_eq!(text(program_info(&program, cl::CL_PROGRAM_KERNEL_NAMES)), "fill");
    assert_eq!(program_info(&program, cl::CL_PROGRAM_IL), Ok(Vec::new()));
    assert_eq!(numbers(program_info(&program, cl::CL_PROGRAM_DEVICES)), [s.device.addr() as u64]);
    assert_eq!(number(program_info(&program, cl::CL_PROGRAM_CONTEXT)), s.context.0.addr() as u64);
    assert_eq!(fill(&s, &program, 41), [42; 16]);
    // Other options: another program; none while there are kernels.
    let k = kernel(&program, "fill").expect("a kernel");
    assert_eq!(s.build(&program, "-D ADD=2"), cl::CL_INVALID_OPERATION);
    drop(k);
    assert_eq!(s.build(&program, "-D ADD=2"), 0);
    assert_eq!(fill(&s, &program, 41), [43; 16]);
    assert_eq!(kernel(&program, "full").err(), Some(cl::CL_INVALID_KERNEL_NAME));
}

/// A limit of the process's address space, which stands for 32-bit addresses; the old one comes back at the end.
#[cfg(target_os = "linux")]
struct AddressSpace(libc::rlimit);

#[cfg(target_os = "linux")]
impl AddressSpace {
    /// So much more than the process has now. `None` under a sanitizer, which takes terabytes for itself and more with each thread.
    fn with_more(bytes: u64) -> Option<Self> {
        let sizes = std::fs::read_to_string("/proc/self/statm").expect("sizes");
        let pages: u64 = sizes.split(' ').next().expect("the first").parse().expect("a number");
        let mut old = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: places of the type; the page size is a number.
        unsafe {
            assert_eq!(libc::getrlimit(libc::RLIMIT_AS, &mut old), 0);
            let page = libc::sysconf(libc::_SC_PAGESIZE).cast_unsigned();
            if pages * page > 1 << 40 {
                println!("SKIP: the process has {pages} pages");
                return None;
            }
            let limit = libc::rlimit { rlim_cur: pages * page + bytes, ..old };
            assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &limit), 0);
        }
        Some(AddressSpace(old))
    }
}

#[cfg(target_os = "linux")]
impl Drop for AddressSpace {
    fn drop(&mut self) {
        // SAFETY: a limit that was there.
        unsafe { libc::setrlimit(libc::RLIMIT_AS, &self.0) };
    }
}

/// A build in a process that has no address space for a large stack, as many with 32-bit addresses have none.
#[test]
#[cfg(target_os = "linux")]
fn builds_where_no_large_stack_is_to_be_had() {
    if !crate::again::alone("programs::builds_where_no_large_stack_is_to_be_had") {
        return;
    }
    let Some(s) = setup() else { return };
    let first = s.program(FILL);
    assert_eq!(s.build(&first, "-D ADD=1"), 0);
    let program = s.program(FILL);
    let Some(limit) = AddressSpace::with_more(48 << 20) else { return };
    let code = s.build(&program, "-D ADD=2");
    drop(limit);
    assert_eq!((code, s.log(&program).as_str()), (0, ""));
    assert_eq!(fill(&s, &program, 41), [43; 16]);
}

#[test]
fn logs_name_the_place_and_the_missing_piece() {
    let Some(s) = setup() else { return };
    let program = s.program("kernel void a(global int *p)\n{\n  p[0] = missing;\n}\n");
    assert_eq!(s.build(&program, ""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(s.status(&program), cl::CL_BUILD_ERROR);
    let log = s.log(&program);
    assert!(log.contains("<source>:3:10: error: ") && log.contains("missing"), "{log}");
    assert_eq!(number(s.build_info(&program, cl::CL_PROGRAM_BINARY_TYPE)), 0);
    assert_eq!(numbers(program_info(&program, cl::CL_PROGRAM_BINARY_SIZES)), [0]);
    for bad in ["-no-such-option", "-D", "-cl-std=CL7.0", "-create-library"] {
        assert_eq!(s.build(&program, bad), cl::CL_INVALID_BUILD_OPTIONS, "{bad}");
        assert_eq!(s.compile(&program, bad, &[]), cl::CL_INVALID_COMPILER_OPTIONS, "{bad}");
    }
    assert_eq!(s.compile(&program, "", &[]), cl::CL_COMPILE_PROGRAM_FAILURE);
    let program = s.program("kernel void a() { char c = 1000; }");
    assert_eq!(s.build(&program, "-Werror"), cl::CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(s.build(&program, "-w"), 0);
    assert_eq!(s.log(&program), "");
    let program = s.program("kernel void a(read_only pipe int p) {}");
    assert_eq!(s.build(&program, ""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert!(s.log(&program).contains("pipe"), "{}", s.log(&program));
}

#[test]
fn local_memory_beyond_the_device() {
    let Some(s) = setup() else { return };
    let mut most = 0u64;
    // SAFETY: the place is as large as is said.
    let got = unsafe {
        let place = (&raw mut most).cast();
        pumice::entry::device::clGetDeviceInfo(s.device, cl::CL_DEVICE_LOCAL_MEM_SIZE, 8, place, null_mut())
    };
    assert_eq!(got, 0);
    // Variables are known at the build: its log says both sizes.
    let asked = most + 64;
    let source = "kernel void k(global uint *out) { local uint a[SIZE / 4]; a[get_local_id(0)] = 1; barrier(1); \
                  out[0] = a[get_local_size(0) - 1]; }";
    let program = s.program(source);
    assert_eq!(s.build(&program, &format!("-D SIZE={asked}")), cl::CL_BUILD_PROGRAM_FAILURE);
    let log = s.log(&program);
    assert!(
        log.contains(&format!("{asked} bytes of local memory")) && log.contains(&format!(" {most}")),
        "{log}"
    );
    assert_eq!(s.build(&program, &format!("-D SIZE={most}")), 0, "{}", s.log(&program));
    // With arguments it is the launch that exceeds it.
    let source = "kernel void k(global uint *out, local uint *b) { local uint a[SIZE / 4]; a[0] = b[0] = 1; barrier(1); \
                  out[0] = a[0] + b[0]; }";
    let program = s.built(source, &format!("-D SIZE={}", most / 2));
    let (k, out) = (kernel(&program, "k").expect("a kernel"), s.buffer(64));
    let half = usize::try_from(most / 2).expect("a size");
    assert_eq!((set(&k, 0, out.0), set_local(&k, 1, half + 16)), (0, 0));
    assert_eq!(number(group_info(&k, cl::CL_KERNEL_LOCAL_MEM_SIZE)), most + 16);
    assert_eq!(s.launch(&k, &[1], Some(&[1])), cl::CL_OUT_OF_RESOURCES);
    assert_eq!(set_local(&k, 1, half), 0);
    assert_eq!(s.launch(&k, &[1], Some(&[1])), 0);
    assert_eq!(s.read(&out, 1), [2]);
}

#[test]
fn sources_in_pieces() {
    let Some(s) = setup() else { return };
    let pieces = [c"kernel void k(global int *p)".as_ptr(), c"{ p[0] = 1; }xxx".as_ptr()];
    let lengths = [0usize, 13];
    let mut error = 1;
    let count = pieces.len() as u32;
    // SAFETY: two strings, the second of which is longer than it is said to be.
    let program = unsafe {
        let pieces = pieces.as_ptr().cast_mut();
        clCreateProgramWithSource(s.context.0, count, pieces, lengths.as_ptr(), &mut error)
    };
    assert_eq!(error, 0);
    let program = Owned(program, clReleaseProgram);
    assert_eq!(
        text(program_info(&program, cl::CL_PROGRAM_SOURCE)),
        "kernel void k(global int *p){ p[0] = 1; }"
    );
    assert_eq!(s.build(&program, ""), 0);
    // SAFETY: what is wrong is refused before it is read.
    unsafe {
        let null_piece = [null::<std::ffi::c_char>()];
        let pointer = null_piece.as_ptr().cast_mut();
        assert!(clCreateProgramWithSource(s.context.0, 0, pointer, null(), &mut error).is_null());
        assert_eq!(error, cl::CL_INVALID_VALUE);
        assert!(clCreateProgramWithSource(s.context.0, 1, pointer, null(), &mut error).is_null());
        assert_eq!(error, cl::CL_INVALID_VALUE);
        assert!(clCreateProgramWithSource(s.device, 1, pointer, null(), &mut error).is_null());
        assert_eq!(error, cl::CL_INVALID_CONTEXT);
        assert_eq!(clBuildProgram(program.0, 1, null(), null(), None, null_mut()), cl::CL_INVALID_VALUE);
        assert_eq!(clBuildProgram(s.context.0, 0, null(), null(), None, null_mut()), cl::CL_INVALID_PROGRAM);
        let user = (&raw mut error).cast();
        assert_eq!(clBuildProgram(program.0, 0, null(), null(), None, user), cl::CL_INVALID_VALUE);
    }
}

/// What a callback is given, and what it finds: gone when the call returns.
#[derive(Default)]
struct Heard {
    calls: u32,
    program: usize,
    status: i32,
    thread: Option<std::thread::ThreadId>,
    device: usize,
}

unsafe extern "C" fn hear(program: cl::cl_program, user: *mut c_void) {
    // SAFETY: the test gives the place of a `Heard`, which lives until the call returns that this is called in.
    let heard = unsafe { &mut *user.cast::<Heard>() };
    heard.calls += 1;
    heard.program = program.addr();
    heard.thread = Some(std::thread::current().id());
    let (device, place) =
        (std::ptr::with_exposed_provenance_mut(heard.device), (&raw mut heard.status).cast());
    let param = cl::CL_PROGRAM_BUILD_STATUS;
    // SAFETY: the program is alive; the place has four bytes.
    assert_eq!(unsafe { clGetProgramBuildInfo(program, device, param, 4, place, null_mut()) }, 0);
}

/// Returns what a call's callback heard, before the call returned.
fn heard(s: &Setup, call: impl FnOnce(*mut c_void) -> Code) -> (Code, Heard) {
    let mut heard = Heard { device: s.device.expose_provenance(), ..Heard::default() };
    let code = call((&raw mut heard).cast());
    // The call was to call it, once, from this thread: what comes later finds memory that is gone.
    let Heard { calls, thread, .. } = heard;
    assert_eq!((calls, thread), (1, Some(std::thread::current().id())));
    (code, heard)
}

#[test]
fn builds_call_back_before_they_return() {
    let Some(s) = setup() else { return };
    for n in 0..8 {
        let program = s.program(&format!("{FILL} // {n}"));
        let good = n % 2 == 0;
        let options = if good { c"-D ADD=5" } else { c"" };
        // SAFETY: a string; the callback takes what it is given.
        let (code, heard) = heard(&s, |user| unsafe {
            clBuildProgram(program.0, 0, null(), options.as_ptr(), Some(hear), user)
        });
        let (codes, statuses) =
            ([cl::CL_BUILD_PROGRAM_FAILURE, 0], [cl::CL_BUILD_ERROR, cl::CL_BUILD_SUCCESS]);
        assert_eq!((code, heard.status), (codes[usize::from(good)], statuses[usize::from(good)]));
        assert_eq!((heard.program, s.status(&program)), (program.0.addr(), heard.status));
        if good {
            assert_eq!(fill(&s, &program, 1), [6; 16]);
        }
    }
    // What cannot begin calls nobody.
    let program = s.program(FILL);
    let mut nothing = Heard::default();
    let user = (&raw mut nothing).cast();
    // SAFETY: a string; the callback would take what it is given.
    let code = unsafe { clBuildProgram(program.0, 0, null(), c"-no-such-option".as_ptr(), Some(hear), user) };
    assert_eq!((code, nothing.calls), (cl::CL_INVALID_BUILD_OPTIONS, 0));
}

#[test]
fn compilations_and_links_call_back_before_they_return() {
    let Some(s) = setup() else { return };
    let compiled = |source: &str| {
        let program = s.program(source);
        // SAFETY: no headers; the callback takes what it is given.
        let (code, heard) = heard(&s, |user| unsafe {
            clCompileProgram(program.0, 0, null(), null(), 0, null(), null_mut(), Some(hear), user)
        });
        assert_eq!(heard.program, program.0.addr());
        (program, code, heard.status)
    };
    let linked = |inputs: &[Handle]| {
        let (mut error, mut program) = (1, null_mut());
        let (code, heard) = heard(&s, |user| {
            let (n, list) = (inputs.len() as u32, inputs.as_ptr());
            // SAFETY: the list is whole; the callback takes what it is given.
            program = unsafe {
                clLinkProgram(s.context.0, 0, null(), null(), n, list, Some(hear), user, &mut error)
            };
            error
        });
        assert_eq!(heard.program, program.addr(), "it is told the program that is returned");
        (Owned(program, clReleaseProgram), code, heard.status)
    };
    let (twice, code, status) = compiled("int twice(int x) { return 2 * x; }");
    assert_eq!((code, status), (0, cl::CL_BUILD_SUCCESS));
    let (main, code, status) = compiled(
        "int twice(int); kernel void fill(global uint *out, uint v) { out[get_global_id(0)] = twice(v); }",
    );
    assert_eq!((code, status), (0, cl::CL_BUILD_SUCCESS));
    let (_, code, status) = compiled("int twice(int x) { return 2 * y; }");
    assert_eq!((code, status), (cl::CL_COMPILE_PROGRAM_FAILURE, cl::CL_BUILD_ERROR));
    let (program, code, status) = linked(&[main.0, twice.0]);
    assert_eq!((code, status), (0, cl::CL_BUILD_SUCCESS));
    assert_eq!(fill(&s, &program, 10), [20; 16]);
    let (_, code, status) = linked(&[main.0]);
    assert_eq!((code, status), (cl::CL_LINK_PROGRAM_FAILURE, cl::CL_BUILD_ERROR));
}

/// A callback that does with the program what a program does after the build.
#[test]
fn a_callback_may_use_the_program() {
    unsafe extern "C" fn make(program: cl::cl_program, kernel: *mut c_void) {
        let mut error = 1;
        // SAFETY: the program is built; the test gives the place of a handle.
        unsafe { kernel.cast::<Handle>().write(clCreateKernel(program, c"fill".as_ptr(), &mut error)) };
        assert_eq!(error, 0);
        // SAFETY: as above: the test's reference is not the last.
        assert_eq!(unsafe { clReleaseProgram(program) }, 0);
    }
    let Some(s) = setup() else { return };
    let program = s.program(FILL);
    let mut kernel: Handle = null_mut();
    let options = c"-D ADD=2";
    // SAFETY: handles; a string; the callback takes the place.
    unsafe {
        assert_eq!(clRetainProgram(program.0), 0);
        let user = (&raw mut kernel).cast();
        assert_eq!(clBuildProgram(program.0, 0, null(), options.as_ptr(), Some(make), user), 0);
        assert!(!kernel.is_null());
        assert_eq!(
            clBuildProgram(program.0, 0, null(), options.as_ptr(), None, null_mut()),
            cl::CL_INVALID_OPERATION
        );
        assert_eq!(clReleaseKernel(kernel), 0);
    }
}

#[test]
fn compiled_with_headers_and_linked() {
    let Some(s) = setup() else { return };
    let header = s.program("#include \"more/constants.h\"\nint twice(int x);\n");
    let constants = s.program("#define OFFSET 5\n");
    let headers = [("twice.h", &header), ("more/constants.h", &constants)];
    let twice = s.program("#include <twice.h>\nint twice(int x) { return 2 * x + OFFSET; }");
    let main = s.program(
        "#include \"twice.h\"\nkernel void fill(global uint *out, uint v) { out[get_global_id(0)] = twice(v); }",
    );
    assert_eq!(s.compile(&twice, "", &headers), 0, "{}", s.log(&twice));
    assert_eq!(s.compile(&main, "", &headers), 0, "{}", s.log(&main));
    assert_eq!(s.compile(&main, "", &headers[1..]), cl::CL_COMPILE_PROGRAM_FAILURE);
    assert_eq!(s.compile(&main, "", &headers), 0);
    assert_eq!(number(s.build_info(&main, cl::CL_PROGRAM_BINARY_TYPE)), 1);
    assert_eq!(kernel(&main, "fill").err(), Some(cl::CL_INVALID_PROGRAM_EXECUTABLE));
    // In one step.
    let (program, code) = s.link("", &[&main, &twice]);
    let program = program.expect("linked");
    assert_eq!(code, 0, "{}", s.log(&program));
    assert_eq!(fill(&s, &program, 10), [25; 16]);
    assert_eq!(s.build(&program, ""), cl::CL_INVALID_OPERATION);
    // Through a library, and through binaries of both.
    let (library, code) = s.link("-create-library", &[&twice]);
    let library = library.expect("linked");
    assert_eq!((code, number(s.build_info(&library, cl::CL_PROGRAM_BINARY_TYPE))), (0, 2));
    let library = s.load_binary(&s.binary(&library)).expect("a good binary");
    let object = s.load_binary(&s.binary(&main)).expect("a good binary");
    assert_eq!(s.build(&object, ""), cl::CL_INVALID_BINARY);
    let (program, code) = s.link("", &[&object, &library]);
    assert_eq!(code, 0);
    assert_eq!(fill(&s, &program.expect("linked"), 11), [27; 16]);
    // What is missing is named; the program is there for its log.
    let (program, code) = s.link("", &[&main]);
    assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
    let program = program.expect("a program with a log");
    assert!(s.log(&program).contains("twice"), "{}", s.log(&program));
    assert_eq!(s.status(&program), cl::CL_BUILD_ERROR);
    let (program, code) = s.link("", &[&main, &twice, &twice]);
    assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
    assert!(s.log(&program.expect("a program with a log")).contains("duplicate"));
    let (program, code) = s.link("-no-such-option", &[&main, &twice]);
    assert!(program.is_none() && code == cl::CL_INVALID_LINKER_OPTIONS);
    let (program, code) = s.link("", &[&main, &header]);
    assert!(program.is_none() && code == cl::CL_INVALID_OPERATION, "{code}");
}

/// hashcat's shared code calls, in functions that no kernel uses, what it defines for some GPUs alone.
#[test]
fn what_no_kernel_reaches_may_be_undefined() {
    let Some(s) = setup() else { return };
    let source = "int absent(int x); int unused(int x) { return absent(x); }
        kernel void fill(global uint *out, uint v) { out[get_global_id(0)] = v + 1; }";
    let program = s.program(source);
    assert_eq!(s.compile(&program, "", &[]), 0, "{}", s.log(&program));
    let (linked, code) = s.link("", &[&program]);
    assert_eq!(code, 0);
    assert_eq!(fill(&s, &linked.expect("linked"), 4), [5; 16]);
    assert_eq!(fill(&s, &s.built(source, ""), 4), [5; 16]);
}

#[test]
fn binaries_come_back() {
    let Some(s) = setup() else { return };
    let program = s.built(FILL, "-D ADD=7");
    let bytes = s.binary(&program);
    assert_eq!(bytes, s.binary(&s.built(FILL, "-D ADD=7")), "the same bytes each time");
    let loaded = s.load_binary(&bytes).expect("a good binary");
    assert_eq!(s.status(&loaded), cl::CL_BUILD_NONE);
    assert_eq!(number(s.build_info(&loaded, cl::CL_PROGRAM_BINARY_TYPE)), 4);
    assert_eq!(kernel(&loaded, "fill").err(), Some(cl::CL_INVALID_PROGRAM_EXECUTABLE));
    // SAFETY: no options, no callback.
    assert_eq!(unsafe { clBuildProgram(loaded.0, 0, null(), null(), None, null_mut()) }, 0);
    assert_eq!(fill(&s, &loaded, 1), [8; 16]);
    assert_eq!(text(program_info(&loaded, cl::CL_PROGRAM_SOURCE)), "");
    assert_eq!(s.binary(&loaded), bytes);
    assert_eq!(s.compile(&loaded, "", &[]), cl::CL_INVALID_OPERATION);
    let refused = (cl::CL_INVALID_BINARY, cl::CL_INVALID_BINARY);
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    assert_eq!(s.load_binary(&damaged).err(), Some(refused));
    assert_eq!(s.load_binary(&bytes[..bytes.len() - 1]).err(), Some(refused));
    assert_eq!(s.load_binary(b"\x7fELF").err(), Some(refused));
    assert_eq!(s.load_binary(b"").err(), Some((cl::CL_INVALID_VALUE, cl::CL_INVALID_VALUE)));
}

/// A bundle of `pumice compile` for the first device of this machine, which is the platform's.
fn bundle_of(source: &str, options: &str) -> Vec<u8> {
    let instance = vk_runtime::Instance::new(&vk_runtime::InstanceOptions::default()).expect("Vulkan");
    let target = instance.select(None).expect("a device").target().clone();
    let mut build = frontend::options::Options::default();
    host::target::apply(&target, &mut build);
    build.parse_build_options(options).expect("good options");
    let words = frontend::compile("k.cl", source, &build).spirv.expect("good source");
    let lowered = lower::lower(&words, &target, &lower::LowerOptions::default()).expect("lowers");
    let variant = bundle::Variant::new(target, bundle::Traits::default(), lowered).expect("a variant");
    bundle::Bundle { variants: vec![variant] }.write().expect("bytes")
}

#[test]
fn bundles_are_binaries() {
    let Some(s) = setup() else { return };
    let bytes = bundle_of(FILL, "-D ADD=7");
    let loaded = s.load_binary(&bytes).expect("a good bundle");
    // SAFETY: no options, no callback.
    assert_eq!(unsafe { clBuildProgram(loaded.0, 0, null(), null(), None, null_mut()) }, 0);
    assert_eq!(number(s.build_info(&loaded, cl::CL_PROGRAM_BINARY_TYPE)), 4);
    assert_eq!(fill(&s, &loaded, 1), [8; 16]);
    assert_eq!(s.binary(&loaded), bytes, "it is its own binary");
    let refused = (cl::CL_INVALID_BINARY, cl::CL_INVALID_BINARY);
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert_eq!(s.load_binary(&damaged).err(), Some(refused), "changed at {at}");
    }
    let mut other = bundle::Bundle::read(&bytes).expect("a bundle");
    other.variants[0].target.quirks.precise_exp2 = true;
    let other = other.write().expect("bytes");
    assert_eq!(s.load_binary(&other).err(), Some(refused), "for another driver");
}

/// The process that the cache is tested with runs this; nothing where it is run otherwise.
#[test]
fn cached_build() {
    if std::env::var_os("PUMICE_TEST_CACHED").is_none() {
        return;
    }
    let Some(s) = setup() else { return };
    let start = Instant::now();
    let program = s.built(FILL, "-D ADD=3");
    println!("build: {:?}", start.elapsed());
    assert_eq!(fill(&s, &program, 1), [4; 16]);
}

#[test]
fn the_cache_serves_other_processes() {
    if setup().is_none() {
        return;
    }
    let directory = std::env::temp_dir().join(format!("pumice-test-cache-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    let run = || {
        let me = std::env::current_exe().expect("this test");
        let out = std::process::Command::new(me)
            .args(["--exact", "programs::cached_build", "--nocapture"])
            .env("PUMICE_TEST_CACHED", "1")
            .env("PUMICE_CACHE_DIR", &directory)
            .output()
            .expect("runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    };
    let entries = || {
        let list = std::fs::read_dir(directory.join("programs")).expect("made");
        let mut list: Vec<_> = list.map(|e| e.expect("readable").path()).collect();
        list.sort();
        list
    };
    run();
    let first = entries();
    assert_eq!(first.len(), 2, "the front end's output and the lowering's");
    let old = std::time::SystemTime::UNIX_EPOCH;
    let age = |path: &std::path::Path| {
        let file = std::fs::OpenOptions::new().append(true).open(path).expect("there");
        file.set_times(std::fs::FileTimes::new().set_modified(old)).expect("times");
    };
    first.iter().for_each(|p| age(p));
    run();
    assert_eq!(entries(), first, "nothing is compiled again");
    for path in &first {
        let used = std::fs::metadata(path).and_then(|m| m.modified()).expect("times");
        assert!(used > old, "it was used, not written beside");
    }
    // Damage is noticed, and made good.
    std::fs::write(&first[0], b"not an entry").expect("write");
    run();
    assert_eq!(entries(), first);
    assert_ne!(std::fs::read(&first[0]).expect("read"), b"not an entry");
    std::fs::remove_dir_all(&directory).expect("remove");
}

/// A kernel may be asked for while another thread builds: that waits for the build, or comes before it.
#[test]
fn kernels_of_builds_under_way() {
    let Some(s) = setup() else { return };
    let program = s.program(&format!("{FILL} // under way"));
    let shared = program.0.expose_provenance();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let program: Handle = std::ptr::with_exposed_provenance_mut(shared);
            // SAFETY: a handle; a string.
            let code = unsafe { clBuildProgram(program, 0, null(), c"-D ADD=7".as_ptr(), None, null_mut()) };
            assert_eq!(code, 0);
        });
        while s.status(&program) == cl::CL_BUILD_NONE {
            std::thread::yield_now();
        }
        assert!(kernel(&program, "fill").is_ok());
    });
    assert_eq!(fill(&s, &program, 1), [8; 16]);
}
