//! Faults on the device: a kernel that goes wrong, and who hears of it when, in each kind of wait.
//!
//! One fault is one process ([`strike`]): a driver may hang or die of it. [`crate::opencl`]'s other parts give errors as texts; so does this one, with the
//! time since the launch.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use opencl_sys as cl;

use super::spin::Spin;
use super::{Library, Result, Session, check};

const SOURCE: &str = include_str!("../../kernels/faults.cl");
/// Work-items of a launch, in one work-group.
const ITEMS: usize = 32;
/// Work-items that leave no GPU room, in work-groups of so many.
const MANY: usize = 1 << 19;
const MANY_GROUP: usize = 1024;
/// Bytes of the buffer whose memory is given back: more than drivers keep for the next one.
const LARGE: usize = 3 << 30;
/// An address that no buffer has.
const NOWHERE: u64 = 0x7000_0000_0000;

/// The fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the control.
    Fine,
    /// Reads where no memory is.
    Unmapped,
    /// Writes where no memory is.
    Write,
    /// Reads a word at an odd address.
    Misaligned,
    /// Reads a buffer that was released.
    Freed,
    /// Calls itself, as deep as an argument says.
    Recursion,
    /// Never ends.
    Loop,
    /// Writes and reads `__local` memory 4 MiB behind a variable's end.
    Local,
    /// Writes and reads images far outside.
    Image,
    /// An atomic operation where no memory is.
    Atomic,
    /// Reads an element far outside of its buffer.
    Outside,
    /// One work-item of many reads where no memory is.
    One,
    /// Runs for so many seconds, and is right.
    Long(u64),
    /// Leaves no room on the device for so many millions of rounds, and is right.
    Full(u64),
}

impl Kind {
    /// All but the long ones.
    pub const ALL: [Kind; 12] = [
        Kind::Fine,
        Kind::Unmapped,
        Kind::Write,
        Kind::Misaligned,
        Kind::Freed,
        Kind::Recursion,
        Kind::Loop,
        Kind::Local,
        Kind::Image,
        Kind::Atomic,
        Kind::Outside,
        Kind::One,
    ];

    /// Its name on a command line; `long:SECONDS` and `full:MILLIONS` are the long ones.
    #[must_use]
    pub fn name(self) -> String {
        let name = match self {
            Kind::Fine => "fine",
            Kind::Unmapped => "unmapped",
            Kind::Write => "write",
            Kind::Misaligned => "misaligned",
            Kind::Freed => "freed",
            Kind::Recursion => "recursion",
            Kind::Loop => "loop",
            Kind::Local => "local",
            Kind::Image => "image",
            Kind::Atomic => "atomic",
            Kind::Outside => "outside",
            Kind::One => "one",
            Kind::Long(seconds) => return format!("long:{seconds}"),
            Kind::Full(millions) => return format!("full:{millions}"),
        };
        name.to_owned()
    }

    /// The one of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Kind> {
        match name.split_once(':') {
            Some(("long", seconds)) => seconds.parse().ok().map(Kind::Long),
            Some(("full", millions)) => millions.parse().ok().map(Kind::Full),
            _ => Kind::ALL.into_iter().find(|kind| kind.name() == name),
        }
    }

    /// The part of the source.
    fn define(self) -> &'static str {
        match self {
            Kind::Fine | Kind::Long(_) => "FINE",
            Kind::Unmapped | Kind::Freed => "READ",
            Kind::Write => "WRITE",
            Kind::Misaligned => "MISALIGNED",
            Kind::Recursion => "RECURSION",
            Kind::Loop => "LOOP",
            Kind::Local => "LOCAL",
            Kind::Image => "IMAGE",
            Kind::Atomic => "ATOMIC",
            Kind::Outside => "OUTSIDE",
            Kind::One => "ONE",
            Kind::Full(_) => "FULL",
        }
    }

    /// The kernel's number.
    fn number(self) -> u32 {
        match self {
            Kind::Misaligned => 1,
            Kind::Local => 1 << 20,
            Kind::Recursion => 1 << 24,
            Kind::One => 77,
            Kind::Full(millions) => u32::try_from(millions * 1_000_000).unwrap_or(u32::MAX),
            _ => 3,
        }
    }

    /// Work-items, and those of a work-group.
    fn items(self) -> (usize, usize) {
        match self {
            Kind::One | Kind::Full(_) => (MANY, MANY_GROUP),
            _ => (ITEMS, ITEMS),
        }
    }
}

/// How it is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// clFinish.
    Finish,
    /// clWaitForEvents.
    Event,
    /// A blocking clEnqueueReadBuffer.
    Read,
    /// A blocking clEnqueueMapBuffer.
    Map,
    /// clSetEventCallback.
    Callback,
    /// clGetEventInfo, again and again.
    Status,
    /// clFinish of another queue, whose command waits for the launch.
    Behind,
    /// A fill and a copy behind the launch, and clFinish.
    Copies,
    /// Launches, again and again, until one fails.
    Launches,
    /// Nobody waits: all is released, and the process ends.
    Nobody,
    /// A thread in each of the others at once.
    Threads,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 11] = [
        Way::Finish,
        Way::Event,
        Way::Read,
        Way::Map,
        Way::Callback,
        Way::Status,
        Way::Behind,
        Way::Copies,
        Way::Launches,
        Way::Nobody,
        Way::Threads,
    ];

    /// Its name on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Way::Finish => "finish",
            Way::Event => "event",
            Way::Read => "read",
            Way::Map => "map",
            Way::Callback => "callback",
            Way::Status => "status",
            Way::Behind => "behind",
            Way::Copies => "copies",
            Way::Launches => "launches",
            Way::Nobody => "nobody",
            Way::Threads => "threads",
        }
    }
}

/// The outcome of a wait.
struct Heard {
    who: &'static str,
    after: Duration,
    what: Result<()>,
}

/// Everything that a fault needs. The objects are released when it goes.
struct World {
    library: Arc<Library>,
    device: cl::cl_device_id,
    context: cl::cl_context,
    queue: cl::cl_command_queue,
    other: cl::cl_command_queue,
    out: cl::cl_mem,
    beside: cl::cl_mem,
    images: Vec<cl::cl_mem>,
}

// SAFETY: OpenCL's functions may be called by several threads (OpenCL API, appendix A.2).
unsafe impl Sync for World {}

/// A handle that goes to another thread.
#[derive(Clone, Copy)]
struct Sent(cl::cl_event);
// SAFETY: as for `World`.
unsafe impl Send for Sent {}
// SAFETY: as for `World`.
unsafe impl Sync for Sent {}

impl Sent {
    fn get(self) -> cl::cl_event {
        self.0
    }
}

extern "C" fn tell(text: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {
    if !text.is_null() {
        // SAFETY: clCreateContext's function is given a string (§4.4).
        println!("notified: {}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
}

impl World {
    fn new(library: &Arc<Library>, device: cl::cl_device_id, images: bool) -> Result<World> {
        let context = make!(library, clCreateContext(null(), 1, &device, Some(tell), null_mut()))?;
        let queue = make!(library, clCreateCommandQueue(context, device, 0))?;
        let other = make!(library, clCreateCommandQueue(context, device, 0))?;
        let buffer = || make!(library, clCreateBuffer(context, cl::CL_MEM_READ_WRITE, 1 << 20, null_mut()));
        let (out, beside) = (buffer()?, buffer()?);
        let mut world =
            World { library: library.clone(), device, context, queue, other, out, beside, images: vec![] };
        for buffer in [out, beside] {
            world.fill(queue, buffer)?;
        }
        if images {
            let format = cl::cl_image_format {
                image_channel_order: cl::CL_RGBA,
                image_channel_data_type: cl::CL_UNSIGNED_INT8,
            };
            // SAFETY: all zeros are a description without a buffer; then the fields that matter are set.
            let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
            (desc.image_type, desc.image_width, desc.image_height) = (cl::CL_MEM_OBJECT_IMAGE2D, 64, 64);
            for _ in 0..2 {
                let flags = cl::CL_MEM_READ_WRITE;
                world.images.push(make!(library, clCreateImage(context, flags, &format, &desc, null_mut()))?);
            }
        }
        world.finish()?;
        Ok(world)
    }

    fn kernel(&self, define: &str) -> Result<cl::cl_kernel> {
        let text = CString::new(SOURCE).map_err(|e| e.to_string())?;
        let mut pointer = text.as_ptr();
        let l = &self.library;
        let program = make!(l, clCreateProgramWithSource(self.context, 1, &mut pointer, null()))?;
        let options = CString::new(format!("-D{define}")).map_err(|e| e.to_string())?;
        let built = call!(l, clBuildProgram(program, 1, &self.device, options.as_ptr(), None, null_mut()));
        if let Err(error) = built {
            let mut log = vec![0u8; 1 << 14];
            let (place, param) = (log.as_mut_ptr().cast(), cl::CL_PROGRAM_BUILD_LOG);
            let _ =
                call!(l, clGetProgramBuildInfo(program, self.device, param, log.len(), place, null_mut()));
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned();
            return Err(format!("{error}: {}", log.lines().next().unwrap_or_default()));
        }
        let kernel = make!(l, clCreateKernel(program, c"fault".as_ptr()))?;
        call!(l, clReleaseProgram(program))?;
        Ok(kernel)
    }

    fn set(&self, kernel: cl::cl_kernel, out: cl::cl_mem, at: u64, n: u32) -> Result<()> {
        let l = &self.library;
        call!(l, clSetKernelArg(kernel, 0, size_of::<cl::cl_mem>(), (&raw const out).cast()))?;
        call!(l, clSetKernelArg(kernel, 1, 8, (&raw const at).cast()))?;
        call!(l, clSetKernelArg(kernel, 2, 4, (&raw const n).cast()))?;
        for (index, image) in (3..).zip(&self.images) {
            call!(
                l,
                clSetKernelArg(kernel, index, size_of::<cl::cl_mem>(), std::ptr::from_ref(image).cast())
            )?;
        }
        Ok(())
    }

    fn launch(&self, kernel: cl::cl_kernel, kind: Kind, event: *mut cl::cl_event) -> Result<()> {
        let (items, group) = kind.items();
        call!(
            &self.library,
            clEnqueueNDRangeKernel(self.queue, kernel, 1, null(), &items, &group, 0, null(), event)
        )
    }

    fn fill(&self, queue: cl::cl_command_queue, buffer: cl::cl_mem) -> Result<()> {
        let zero = 0u32;
        call!(
            &self.library,
            clEnqueueFillBuffer(
                queue,
                buffer,
                (&raw const zero).cast(),
                4,
                0,
                1 << 20,
                0,
                null(),
                null_mut()
            )
        )
    }

    fn finish(&self) -> Result<()> {
        call!(&self.library, clFinish(self.queue))
    }

    fn read(&self, buffer: cl::cl_mem, words: &mut [u32]) -> Result<()> {
        let (size, place) = (size_of_val(words), words.as_mut_ptr().cast());
        call!(
            &self.library,
            clEnqueueReadBuffer(self.queue, buffer, cl::CL_TRUE, 0, size, place, 0, null(), null_mut())
        )
    }

    fn map(&self) -> Result<()> {
        let mapped = make!(
            &self.library,
            clEnqueueMapBuffer(
                self.queue,
                self.out,
                cl::CL_TRUE,
                cl::CL_MAP_READ,
                0,
                4096,
                0,
                null(),
                null_mut()
            )
        )?;
        let l = &self.library;
        call!(l, clEnqueueUnmapMemObject(self.queue, self.out, mapped, 0, null(), null_mut()))
    }

    fn status(&self, event: cl::cl_event) -> Result<cl::cl_int> {
        let mut status = 0;
        let param = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
        call!(&self.library, clGetEventInfo(event, param, 4, (&raw mut status).cast(), null_mut()))?;
        Ok(status)
    }

    /// A small launch works, and its values are right.
    fn works(&self) -> Result<()> {
        let kernel = self.kernel(Kind::Fine.define())?;
        self.set(kernel, self.out, 0, 3)?;
        self.launch(kernel, Kind::Fine, null_mut())?;
        let mut words = [0; ITEMS];
        self.read(self.out, &mut words)?;
        call!(&self.library, clReleaseKernel(kernel))?;
        match (0..).zip(words).all(|(i, word)| word == i * 3 + 3) {
            true => Ok(()),
            false => Err(format!("wrong values: {words:?}")),
        }
    }

    /// Waits in one way. The time is counted from `start`.
    fn wait(&self, way: Way, kind: Kind, kernel: cl::cl_kernel, event: cl::cl_event) -> Result<()> {
        let l = &self.library;
        match way {
            Way::Finish => self.finish(),
            Way::Event => call!(l, clWaitForEvents(1, &event)),
            Way::Read => self.read(self.out, &mut [0; 1024]),
            Way::Map => self.map(),
            Way::Callback => self.called(event),
            Way::Status => loop {
                match self.status(event)? {
                    0 => return Ok(()),
                    status if status < 0 => return Err(format!("status {status}")),
                    _ => std::thread::sleep(Duration::from_millis(1)),
                }
            },
            Way::Behind => {
                let (mut word, size) = (0u32, 4);
                call!(
                    l,
                    clEnqueueReadBuffer(
                        self.other,
                        self.beside,
                        cl::CL_FALSE,
                        0,
                        size,
                        (&raw mut word).cast(),
                        1,
                        &event,
                        null_mut()
                    )
                )?;
                call!(l, clFinish(self.other))
            }
            Way::Copies => {
                self.fill(self.queue, self.beside)?;
                let (from, to) = (self.beside, self.out);
                call!(l, clEnqueueCopyBuffer(self.queue, from, to, 0, 4096, 1 << 19, 0, null(), null_mut()))?;
                self.finish()
            }
            Way::Launches => {
                let end = Instant::now() + Duration::from_secs(8);
                while Instant::now() < end {
                    self.launch(kernel, kind, null_mut())?;
                    call!(l, clFlush(self.queue))?;
                    std::thread::sleep(Duration::from_millis(10));
                }
                Ok(())
            }
            Way::Nobody | Way::Threads => Ok(()),
        }
    }

    /// Waits for a callback. Its status is the result.
    fn called(&self, event: cl::cl_event) -> Result<()> {
        #[derive(Default)]
        struct Reported {
            status: AtomicI32,
            done: AtomicBool,
        }
        extern "C" fn called(_: cl::cl_event, status: cl::cl_int, data: *mut c_void) {
            // SAFETY: `Arc::into_raw` gave it below, and a callback is called once.
            let reported = unsafe { Arc::from_raw(data.cast::<Reported>()) };
            reported.status.store(status, Ordering::SeqCst);
            reported.done.store(true, Ordering::SeqCst);
        }
        let reported = Arc::new(Reported::default());
        let data = Arc::into_raw(reported.clone()).cast_mut().cast();
        call!(&self.library, clSetEventCallback(event, cl::CL_COMPLETE, Some(called), data))?;
        call!(&self.library, clFlush(self.queue))?;
        while !reported.done.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        match reported.status.load(Ordering::SeqCst) {
            0 => Ok(()),
            status => Err(format!("callback with {status}")),
        }
    }

    /// The address of a large buffer that is gone.
    fn freed(&self) -> Result<u64> {
        let l = &self.library;
        let buffer = make!(l, clCreateBuffer(self.context, cl::CL_MEM_READ_WRITE, LARGE, null_mut()))?;
        let kernel = self.kernel("ADDRESS")?;
        self.set(kernel, buffer, 0, 0)?;
        self.launch(kernel, Kind::Fine, null_mut())?;
        let mut words = [0u32; 2];
        self.read(buffer, &mut words)?;
        call!(l, clReleaseKernel(kernel))?;
        call!(l, clReleaseMemObject(buffer))?;
        self.finish()?;
        Ok(u64::from(words[0]) | u64::from(words[1]) << 32)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let l = &self.library;
        let mut codes = Vec::new();
        for memory in [self.out, self.beside].into_iter().chain(self.images.drain(..)) {
            codes.push(call!(l, clReleaseMemObject(memory)));
        }
        codes.push(call!(l, clReleaseCommandQueue(self.queue)));
        codes.push(call!(l, clReleaseCommandQueue(self.other)));
        codes.push(call!(l, clReleaseContext(self.context)));
        for error in codes.into_iter().filter_map(Result::err) {
            println!("release: {error}");
        }
    }
}

/// Brings one fault about, waits in one way, and says on standard output who heard what and when (`heard WHO SECONDS WHAT`), and what works afterwards.
///
/// # Errors
/// What went wrong before the launch.
pub fn strike(library: &Arc<Library>, wanted: Option<&str>, kind: Kind, way: Way) -> Result<()> {
    let (name, device) = library.find(wanted)?;
    println!("device: {name}");
    if let Kind::Long(seconds) = kind {
        return long(library, wanted, seconds);
    }
    let world = World::new(library, device, kind == Kind::Image)?;
    // What is made at the first launch is made before.
    if kind != Kind::Image {
        world.works()?;
    }
    let at = if kind == Kind::Freed { world.freed()? } else { NOWHERE };
    let kernel = world.kernel(kind.define())?;
    world.set(kernel, world.out, at, kind.number())?;
    let mut event = null_mut();
    let start = Instant::now();
    let heard = Mutex::new(Vec::new());
    let hear = |who, what: Result<()>| {
        let one = Heard { who, after: start.elapsed(), what };
        let text = one.what.as_ref().err().map_or("no error", String::as_str);
        println!("heard {} {:.3} {text}", one.who, one.after.as_secs_f64());
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(one);
    };
    if let Err(e) = world.launch(kernel, kind, &mut event) {
        hear("launch", Err(e));
        return Ok(());
    }
    let sent = Sent(event);
    match way {
        Way::Threads => std::thread::scope(|scope| {
            let (world, hear, kernel) = (&world, &hear, Sent(kernel));
            for each in Way::ALL.into_iter().filter(|w| !matches!(w, Way::Nobody | Way::Threads)) {
                scope.spawn(move || hear(each.name(), world.wait(each, kind, kernel.get(), sent.get())));
            }
        }),
        Way::Nobody => {}
        _ => hear(way.name(), world.wait(way, kind, kernel, event)),
    }
    if way != Way::Nobody {
        let mut words = [0; 4];
        hear(
            "then status",
            world.status(event).and_then(|s| if s == 0 { Ok(()) } else { Err(format!("{s}")) }),
        );
        hear("then finish", world.finish());
        if !matches!(kind, Kind::Full(_)) {
            hear("then launch", world.launch(kernel, kind, null_mut()));
        }
        hear("then read", world.read(world.out, &mut words));
        println!("words: {words:x?}");
        let fresh = World::new(library, device, false).and_then(|world| world.works());
        hear("new context", fresh);
    }
    let l = &world.library;
    let _ = call!(l, clReleaseEvent(event));
    let _ = call!(l, clReleaseKernel(kernel));
    drop(world);
    println!("released {:.3}", start.elapsed().as_secs_f64());
    Ok(())
}

/// A kernel that runs long is waited for.
fn long(library: &Arc<Library>, wanted: Option<&str>, seconds: u64) -> Result<()> {
    let session: Session = library.open(wanted)?;
    let spin = Spin::new(&session, Duration::from_secs(seconds))?;
    let queue = session.new_queue()?;
    let start = Instant::now();
    spin.launch(&queue)?;
    let done = queue.finish();
    let text = done.and_then(|()| spin.check()).err().unwrap_or_else(|| "no error".to_owned());
    println!("heard finish {:.3} {text}", start.elapsed().as_secs_f64());
    Ok(())
}
