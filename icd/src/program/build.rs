//! clBuildProgram, clCompileProgram and clLinkProgram (§5.8.3, §5.8.4).
//!
//! A build is checked by the call, and done by one thread per device, whose stacks are large enough for deeply nested sources. The
//! call waits for them.
//!
//! # Callbacks
//!
//! A callback is called by the thread that asked for the build, before the call returns, however long the build takes. The call's
//! code says how the build ended, as it does without a callback.
//!
//! The specification lets a call with a callback return earlier, and a callback come from any thread (§5.8.3, §5.8.4, `pfn_notify`).
//! Programs rely on neither: PoCL, ROCm's, Intel's and Mesa's drivers call back before they return, from the same thread. PlaidML
//! frees what its callback is given when clBuildProgram returns. A limit to the wait would crash such a program at its first large
//! kernel; another thread for the callback could wait for a lock that the caller holds and would take again itself.

use std::io;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use frontend::options::LinkerOptions;
use lower::Zeroed;
use lower::link::{LinkOptions, link};
use opencl_sys as cl;
use vk_runtime::life::spawn;
use vk_runtime::sync::Mutex;

use crate::abi::callbacks::{BuildFunction, Callback, KeptAlive};
use crate::abi::error::{ClError, ClResult, ensure};
use crate::abi::ffi::UserPointer;
use crate::device::context::Context;
use crate::device::{Device, Runtime};
use crate::program::compile;
use crate::program::compile::Input;
use crate::program::executable::Executable;
use crate::program::il::Il;
use crate::program::module::{Kind, Module};
use crate::program::{DeviceBuild, Origin, Program};

/// Stacks of a compiler thread, the first that is to be had. Only what is used of it is memory, but all of it is address space, of which
/// processes with 32-bit addresses have little. Less is enough for all but the deepest programs.
const STACKS: [usize; 3] = [64 << 20, 16 << 20, 4 << 20];

/// The application's callback; called exactly once.
pub(crate) type Notify = (BuildFunction, UserPointer);

/// How a build on a device ended.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) good: bool,
    pub(crate) log: String,
    pub(crate) module: Option<Arc<Module>>,
    pub(crate) executable: Option<Arc<Executable>>,
}

type Task = Box<dyn FnOnce() -> Outcome + Send>;

/// A build that has begun.
struct Job {
    program: Arc<Program>,
    /// The tasks, each with the number of the program's device.
    tasks: Vec<(usize, Task)>,
}

impl Job {
    /// Does it; whether all went well.
    fn run(self) -> bool {
        let threads: Vec<_> = self.tasks.into_iter().map(|(device, task)| (device, start(task))).collect();
        let mut good = true;
        for (device, thread) in threads {
            let outcome = match thread.map(JoinHandle::join) {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => failed("error: internal error in the compiler (this is a bug in Pumice)\n"),
                Err(e) => failed(&format!("error: no thread for the compiler: {e}\n")),
            };
            good &= outcome.good;
            self.program.end(device, outcome);
        }
        good
    }

    /// Does it, and calls the application back.
    ///
    /// # Errors
    /// `failure` when it failed (§5.8.3: "if clBuildProgram does not return until the build has completed").
    fn finish(self, notify: Option<Notify>, failure: cl::cl_int) -> ClResult<()> {
        let program = self.program.clone();
        let good = self.run();
        if let Some((call, user)) = notify {
            Callback::Build(call, KeptAlive::new(program), user).call_here();
        }
        ensure(good, failure)
    }
}

/// Starts a thread for a task, with the first of [`STACKS`] that is to be had.
///
/// # Errors
/// That of the last one.
fn start(task: Task) -> io::Result<JoinHandle<Outcome>> {
    // A thread that does not start would take the task with it.
    let task = Arc::new(Mutex::new(Some(task)));
    let mut started = Err(io::Error::other("no stack"));
    for stack in STACKS {
        let task = task.clone();
        started = spawn("pumice build", Some(stack), move || {
            let task = task.lock().unwrap_or_else(PoisonError::into_inner).take();
            task.map_or_else(Outcome::default, |task| task())
        });
        if started.is_ok() {
            break;
        }
    }
    started
}

fn failed(log: &str) -> Outcome {
    Outcome { log: log.to_owned(), ..Outcome::default() }
}

/// The last step of a build: what was compiled or linked becomes an executable.
fn finish(
    module: Option<Arc<Module>>,
    mut log: String,
    (runtime, zeroed): (&Arc<Runtime>, Zeroed),
) -> Outcome {
    let Some(module) = module else { return Outcome { log, ..Outcome::default() } };
    match Executable::new(module.clone(), runtime, zeroed) {
        Ok((executable, warnings)) => {
            log.push_str(&warnings);
            Outcome { good: true, log, module: Some(module), executable: Some(Arc::new(executable)) }
        }
        Err(refusal) => {
            log.push_str(&refusal);
            Outcome { log, ..Outcome::default() }
        }
    }
}

/// The places of the devices that a call names: all for none.
fn places(program: &Program, devices: Option<&[Arc<Device>]>) -> ClResult<Vec<usize>> {
    let Some(devices) = devices else { return Ok((0..program.devices.len()).collect()) };
    let mut places = devices.iter().map(|d| program.index(d)).collect::<ClResult<Vec<_>>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

impl Program {
    fn device(&self, place: usize) -> ClResult<&Arc<Device>> {
        self.devices.get(place).ok_or(ClError(cl::CL_INVALID_DEVICE))
    }

    /// Checks the options for all devices; `code` is what is wrong with bad ones.
    fn check_options(&self, places: &[usize], options: &str, code: cl::cl_int) -> ClResult<()> {
        for place in places {
            if let Err(e) = compile::options(self.device(*place)?, options) {
                log::error!("{e}");
                return Err(ClError(code));
            }
        }
        Ok(())
    }

    /// The source as text: characters of other encodings, which comments have, are replaced.
    fn source_text(&self) -> Option<String> {
        self.source().map(|text| String::from_utf8_lossy(text).into_owned())
    }

    /// clBuildProgram.
    ///
    /// # Errors
    /// Those of §5.8.3.
    pub(crate) fn build(
        self: &Arc<Self>,
        devices: Option<&[Arc<Device>]>,
        options: Option<String>,
        notify: Option<Notify>,
    ) -> ClResult<()> {
        let places = places(self, devices)?;
        ensure(!matches!(self.origin, Origin::Linked), cl::CL_INVALID_OPERATION)?;
        self.check_options(&places, options.as_deref().unwrap_or(""), cl::CL_INVALID_BUILD_OPTIONS)?;
        let mut tasks: Vec<(usize, Task)> = Vec::new();
        let states = self.states();
        for place in &places {
            let device = self.device(*place)?.clone();
            let (runtime, zeroed) = (self.context.runtime(&device)?.clone(), self.context.zeroed);
            let task: Task = match (self.source_text(), self.il()) {
                (None, Some(il)) => {
                    let (il, options) = (il.clone(), options.clone().unwrap_or_default());
                    Box::new(move || match il.module(&options, Kind::Executable) {
                        Ok(module) => finish(Some(Arc::new(module)), String::new(), (&runtime, zeroed)),
                        Err(log) => failed(&log),
                    })
                }
                (Some(text), _) => {
                    let options = options.clone().unwrap_or_default();
                    let input = Input { text, headers: Vec::new(), options, kind: Kind::Executable };
                    Box::new(move || {
                        let (module, log) = compile::compile(&input, &device);
                        finish(module.map(Arc::new), log, (&runtime, zeroed))
                    })
                }
                (None, None) => {
                    let module = states.get(*place).and_then(|s| s.module.clone());
                    let module = module.filter(|m| m.kind == Kind::Executable);
                    let module = module.ok_or(ClError(cl::CL_INVALID_BINARY))?;
                    Box::new(move || finish(Some(module), String::new(), (&runtime, zeroed)))
                }
            };
            tasks.push((*place, task));
        }
        // Of a binary, the options that it was made with (§5.8.3).
        let own = states.first().and_then(|s| s.module.as_ref()).map(|m| m.options.clone());
        let shown = options.or(own.filter(|_| matches!(self.origin, Origin::Binary))).unwrap_or_default();
        self.begin(&places, &shown)?;
        Job { program: self.clone(), tasks }.finish(notify, cl::CL_BUILD_PROGRAM_FAILURE)
    }

    /// clCompileProgram.
    ///
    /// # Errors
    /// Those of §5.8.4.
    pub(crate) fn compile(
        self: &Arc<Self>,
        devices: Option<&[Arc<Device>]>,
        options: &str,
        headers: &[(String, Arc<Program>)],
        notify: Option<Notify>,
    ) -> ClResult<()> {
        let places = places(self, devices)?;
        if let Some(il) = self.il() {
            // Headers are for sources.
            return self.compile_il(&places, il, options, notify);
        }
        let Some(text) = self.source_text() else { return Err(ClError(cl::CL_INVALID_OPERATION)) };
        let mut texts: Vec<(String, String)> = Vec::new();
        for (name, header) in headers {
            self.context.same(&header.context)?;
            // A header without source is none that can be included (§5.8.4: created with clCreateProgramWithSource).
            let text = header.source_text().ok_or(ClError(cl::CL_INVALID_OPERATION))?;
            texts.push((name.clone(), text));
        }
        self.check_options(&places, options, cl::CL_INVALID_COMPILER_OPTIONS)?;
        let mut tasks: Vec<(usize, Task)> = Vec::new();
        for place in &places {
            let device = self.device(*place)?.clone();
            let (text, headers, options) = (text.clone(), texts.clone(), options.to_owned());
            let input = Input { text, headers, options, kind: Kind::Object };
            let task = move || {
                let (module, log) = compile::compile(&input, &device);
                Outcome { good: module.is_some(), log, module: module.map(Arc::new), executable: None }
            };
            tasks.push((*place, Box::new(task)));
        }
        self.begin(&places, options)?;
        Job { program: self.clone(), tasks }.finish(notify, cl::CL_COMPILE_PROGRAM_FAILURE)
    }
}

impl Program {
    /// clCompileProgram of SPIR-V: the module as it is, to be linked.
    fn compile_il(
        self: &Arc<Self>,
        places: &[usize],
        il: &Arc<Il>,
        options: &str,
        notify: Option<Notify>,
    ) -> ClResult<()> {
        self.check_options(places, options, cl::CL_INVALID_COMPILER_OPTIONS)?;
        let task = |place: &usize| {
            let (il, options) = (il.clone(), options.to_owned());
            let task: Task = Box::new(move || match il.module(&options, Kind::Object) {
                Ok(module) => Outcome { good: true, module: Some(Arc::new(module)), ..Outcome::default() },
                Err(log) => failed(&log),
            });
            (*place, task)
        };
        let tasks = places.iter().map(task).collect();
        self.begin(places, options)?;
        Job { program: self.clone(), tasks }.finish(notify, cl::CL_COMPILE_PROGRAM_FAILURE)
    }
}

/// clLinkProgram. Gives the new program with whether linking it went well: a program that could not be linked is there
/// for its log.
///
/// # Errors
/// Those of §5.8.4 that come before linking.
pub(crate) fn link_program(
    context: &Arc<Context>,
    devices: Option<&[Arc<Device>]>,
    options: &str,
    inputs: &[Arc<Program>],
    notify: Option<Notify>,
) -> ClResult<(Arc<Program>, ClResult<()>)> {
    for input in inputs {
        context.same(&input.context)?;
    }
    let devices = devices.map_or_else(|| context.devices.clone(), <[_]>::to_vec);
    ensure(devices.iter().all(|d| context.has(d)), cl::CL_INVALID_DEVICE)?;
    let create_library = match LinkerOptions::parse(options) {
        // The mathematical options permit what Pumice does not do after compiling.
        Ok(parsed) => parsed.create_library,
        Err(e) => {
            log::error!("{e}");
            return Err(ClError(cl::CL_INVALID_LINKER_OPTIONS));
        }
    };
    let mut tasks: Vec<(usize, Task)> = Vec::new();
    let mut builds = vec![DeviceBuild::default(); devices.len()];
    for (place, device) in devices.iter().enumerate() {
        let modules = modules_for(device, inputs)?;
        let (Some(build), false) = (builds.get_mut(place), modules.is_empty()) else { continue };
        build.status = cl::CL_BUILD_IN_PROGRESS;
        build.options = options.to_owned();
        let (runtime, zeroed) = (context.runtime(device)?.clone(), context.zeroed);
        let options = options.to_owned();
        let task = move || link_task(&modules, create_library, options, (&runtime, zeroed));
        tasks.push((place, Box::new(task)));
    }
    let program = Program::publish(context, devices, Origin::Linked, builds)?;
    let done = Job { program: program.clone(), tasks }.finish(notify, cl::CL_LINK_PROGRAM_FAILURE);
    Ok((program, done))
}

/// The inputs' modules for a device: all or none (§5.8.4).
fn modules_for(device: &Arc<Device>, inputs: &[Arc<Program>]) -> ClResult<Vec<Arc<Module>>> {
    let mut modules = Vec::new();
    for input in inputs {
        let states = input.states();
        let state = input.index(device).ok().and_then(|place| states.get(place).cloned());
        let Some(state) = state else { continue };
        ensure(state.status != cl::CL_BUILD_IN_PROGRESS, cl::CL_INVALID_OPERATION)?;
        modules.extend(state.module.filter(|m| m.kind != Kind::Executable));
    }
    ensure(modules.is_empty() || modules.len() == inputs.len(), cl::CL_INVALID_OPERATION)?;
    Ok(modules)
}

fn link_task(
    modules: &[Arc<Module>],
    create_library: bool,
    options: String,
    device: (&Arc<Runtime>, Zeroed),
) -> Outcome {
    let words: Vec<&[u32]> = modules.iter().map(|m| m.spirv.as_slice()).collect();
    let spirv = match link(&words, LinkOptions { create_library, ..LinkOptions::default() }) {
        Ok(spirv) => spirv,
        Err(e) => {
            let text = e.to_string();
            return failed(&if text.starts_with("error:") {
                text + "\n"
            } else {
                format!("error: {text}\n")
            });
        }
    };
    let traits = modules.iter().map(|m| m.traits).reduce(crate::program::module::Traits::and);
    let traits = traits.unwrap_or(crate::program::module::Traits { arg_info: false, non_uniform: false });
    let kind = if create_library { Kind::Library } else { Kind::Executable };
    let module = Arc::new(Module { spirv, kind, options, traits, ready: None });
    if create_library {
        return Outcome { good: true, module: Some(module), ..Outcome::default() };
    }
    finish(Some(module), String::new(), device)
}
