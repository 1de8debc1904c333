//! A Vulkan device, or Targets alone, as runners of cases.

use super::vary::Variant;
use super::{Answer, Case, CaseArg, Runner};
use crate::run::{self, Compiled};
use frontend::options::Options;
use lower::printf::{decode, loops_were_ended};
use lower::{BindingChoice, BindingModel, Iterations, LowerError, LowerOptions, Lowered, Target};
use std::panic::{AssertUnwindSafe, catch_unwind};
use vk_runtime::{
    ArgValue, Buffer, BufferUse, Device, DeviceOptions, DispatchExtras, Instance, InstanceOptions, Kernel,
    NdRange, Program, Queue, Resumable, RuntimeError, area_header,
};

/// The bytes of a launch's buffer for printf. The state that work-items save comes after them.
const PRINTF_BYTES: u64 = 64 << 10;

/// One program in so many is lowered without [`LowerOptions::long_loops`]: a launch whose loops the driver ends is refused then.
const WITHOUT_LONG_LOOPS: u64 = 8;

/// A form of a program, chosen by the launch as the OpenCL library does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    binding: BindingChoice,
    noalias: bool,
    resume: bool,
    single_vector: Option<u32>,
    iterations: Iterations,
    long_loops: bool,
}

impl Form {
    /// The form for launches whose arguments share no memory and whose loops take few iterations.
    fn plain(binding: BindingChoice) -> Form {
        let iterations = Iterations::Few;
        Form { binding, noalias: true, resume: false, single_vector: None, iterations, long_loops: true }
    }
}

/// The forms of one program on a device, made when a launch needs them.
struct Programs<'a> {
    device: &'a Device,
    lower: &'a dyn Fn(Form) -> Result<Lowered, Answer>,
    made: Vec<(Form, Program)>,
}

impl Programs<'_> {
    fn kernel(&mut self, form: Form, name: &str) -> Result<Kernel, Failure> {
        if let Some((_, program)) = self.made.iter().find(|(made, _)| *made == form) {
            return Ok(program.kernel(name)?);
        }
        let lowered = (self.lower)(form).map_err(Failure::Answer)?;
        let program = match self.made.first() {
            Some((_, first)) => self.device.create_program_beside(&lowered, first)?,
            None => self.device.create_program(&lowered)?,
        };
        let kernel = program.kernel(name)?;
        self.made.push((form, program));
        Ok(kernel)
    }
}

/// The reason why a case has no results.
enum Failure {
    Answer(Answer),
    Runtime(RuntimeError),
}

impl From<RuntimeError> for Failure {
    fn from(error: RuntimeError) -> Failure {
        Failure::Runtime(error)
    }
}

/// The binding models by the names that reports use.
const MODELS: [(&str, BindingModel); 3] = [
    ("descriptor", BindingModel::Descriptor),
    ("address", BindingModel::Address),
    ("packed", BindingModel::Packed),
];

/// Returns whether a Target has a model: the packed one takes the place of addresses where there are none.
fn has(target: &Target, model: BindingModel) -> bool {
    match model {
        BindingModel::Descriptor => true,
        BindingModel::Address => target.has_address_model(),
        BindingModel::Packed => !target.has_address_model(),
    }
}

/// A way in which a device runs cases.
#[derive(Clone)]
struct Way {
    name: String,
    model: BindingModel,
    variant: Option<Variant>,
}

/// The binding models of a device.
pub struct Vulkan {
    instance: Instance,
    device: Device,
    queue: Queue,
    ways: Vec<Way>,
    /// Which of them comes first, where one that does not refuse is enough.
    turn: Option<usize>,
    complaints: usize,
    lost: bool,
    seed: u64,
}

impl Vulkan {
    /// Opens a device; `mask` restricts it, `model` leaves one binding model, `modes` are test modes of the runtime
    /// ([`DeviceOptions::set_test_modes`]).
    ///
    /// # Errors
    /// No such device, model or mode, or a driver that fails.
    pub fn open(
        which: Option<&str>,
        mask: Option<&Target>,
        model: Option<&str>,
        modes: &str,
    ) -> Result<Vulkan, String> {
        let text = |e: RuntimeError| e.to_string();
        let instance = Instance::new(&InstanceOptions::default()).map_err(text)?;
        let physical = instance.select(which).map_err(text)?;
        let mut options = DeviceOptions { mask, ..DeviceOptions::default() };
        options.set_test_modes(modes).map_err(text)?;
        let device = Device::with_options(&physical, &options).map_err(text)?;
        let queue = device.create_queue().map_err(text)?;
        let asked = |name: &str| model.is_none_or(|wanted| wanted == name);
        let models = MODELS.into_iter().filter(|(n, m)| has(device.target(), *m) && asked(n));
        let ways: Vec<Way> =
            models.map(|(name, model)| Way { name: name.to_owned(), model, variant: None }).collect();
        if ways.is_empty() {
            return Err(format!("the device has no binding model '{}'", model.unwrap_or_default()));
        }
        Ok(Vulkan { instance, device, queue, ways, turn: None, complaints: 0, lost: false, seed: 0 })
    }

    /// Has each program run in one way alone, by its seed; in the next one where that refuses it.
    pub fn take_turns(&mut self) {
        self.turn = Some(0);
    }

    /// Has each model run with each of these changes, if there are any, in place of as it is.
    pub fn vary(&mut self, variants: &[Variant]) {
        if variants.is_empty() {
            return;
        }
        let each = |way: Way| {
            variants.iter().map(move |variant| Way {
                name: format!("{} {}", way.name, variant.name),
                variant: Some(variant.clone()),
                ..way
            })
        };
        self.ways = std::mem::take(&mut self.ways).into_iter().flat_map(each).collect();
    }

    /// The models that can be lowered for.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.device.target()
    }

    /// The device's name.
    #[must_use]
    pub fn device(&self) -> &str {
        self.device.physical().name()
    }

    /// The range of a launch: half of the programs leave the work-group size to the library where the kernel cannot notice it. The last
    /// work-groups may then reach beyond the range.
    fn range(&self, kernel: &Kernel, given: NdRange) -> NdRange {
        let free = (self.seed / 2).is_multiple_of(2) && kernel.info().guarded() != [false; 3];
        NdRange { local_size: given.local_size.filter(|_| !free), ..given }
    }

    fn launch(
        &mut self,
        case: &Case,
        plain: Form,
        lower: &dyn Fn(Form) -> Result<Lowered, Answer>,
        stage: &mut dyn FnMut(&str),
    ) -> Result<Vec<Vec<u8>>, Failure> {
        stage("buffers");
        let mut programs = Programs { device: &self.device, lower, made: Vec::new() };
        let mut buffers: Vec<Buffer> = Vec::new();
        for bytes in &case.buffers {
            let buffer = self.device.create_buffer(bytes.len() as u64, BufferUse::Device)?;
            self.queue.write_buffer(&buffer, 0, bytes)?;
            buffers.push(buffer);
        }
        let mut printed = Vec::new();
        let given = NdRange {
            work_dim: case.dimensions() as u32,
            global_offset: [0; 3],
            global_size: case.global.map(u64::from),
            local_size: Some(case.local.map(u64::from)),
            // The programs with such groups are in a version of OpenCL C that has them.
            non_uniform: true,
            chosen: false,
        };
        for launch in &case.launches {
            let mut form = plain;
            let mut kernel = programs.kernel(form, &launch.kernel)?;
            let args: Vec<ArgValue<'_>> = launch
                .args
                .iter()
                .map(|arg| match arg {
                    CaseArg::Buffer(n, 0) => ArgValue::Buffer(&buffers[*n]),
                    CaseArg::Buffer(n, offset) => ArgValue::BufferRange {
                        buffer: &buffers[*n],
                        offset: u64::from(*offset),
                        size: buffers[*n].size() - u64::from(*offset),
                    },
                    CaseArg::Null => ArgValue::NullBuffer,
                    CaseArg::Value(bytes) => ArgValue::Value(bytes),
                    CaseArg::Local(bytes) => ArgValue::Local(u64::from(*bytes)),
                })
                .collect();
            if kernel.info().noalias && kernel.shares_memory(&args) {
                form.noalias = false;
                kernel = programs.kernel(form, &launch.kernel)?;
            }
            let value = |index: u32| match args.get(index as usize) {
                Some(ArgValue::Value(bytes)) => Some(*bytes),
                _ => None,
            };
            let mut range = self.range(&kernel, given);
            if !kernel.iterates_few_times(&range, &value) {
                form.iterations = Iterations::Many;
                kernel = programs.kernel(form, &launch.kernel)?;
                range = self.range(&kernel, given);
            }
            // The driver might end loops of a kernel with barriers: each of its work-groups is one vector, if it has that form.
            if form.long_loops && kernel.may_be_ended(&range, &value) {
                let local = self.queue.work_group_size(&kernel, &range)?.map(u64::from);
                let items = u32::try_from(local.iter().product::<u64>()).ok();
                let vectors = Form { single_vector: items, iterations: Iterations::Many, ..form };
                if let Ok(found) = programs.kernel(vectors, &launch.kernel) {
                    (form, kernel, range) = (vectors, found, range.with_local(local));
                }
            }
            // Programs do not print. A kernel may report that the driver ended its loops.
            let room = self.queue.save_area(&kernel, &args, &range)?;
            let size = room.buffer_bytes(kernel.info(), PRINTF_BYTES);
            let area = match kernel.info().takes_buffer() {
                true => Some(self.device.create_buffer(size, BufferUse::Device)?),
                false => None,
            };
            let mut args = args;
            if let Some(area) = &area {
                self.queue.write_buffer(area, 0, &area_header(kernel.info(), PRINTF_BYTES, room))?;
                self.queue.write_buffer(area, room.rows(PRINTF_BYTES), &room.no_states())?;
                args.push(ArgValue::Printf(area));
            }
            stage("the driver's compiler");
            self.queue.prepare_pipeline(&kernel, &args, &range)?;
            stage("the launch");
            match (&area, kernel.info().resumes) {
                (Some(buffer), Some(_)) => {
                    let extras = &DispatchExtras::default();
                    let resumable = Resumable { kernel: &kernel, args: &args, range: &range, extras, buffer };
                    let begun = self.queue.begin(&resumable)?;
                    let form = Form { resume: true, ..form };
                    self.queue.go_on(&resumable, begun, || programs.kernel(form, &launch.kernel))?;
                }
                _ => self.queue.dispatch(&kernel, &args, &range).map(|_| ())?,
            }
            self.queue.finish()?;
            if let Some(area) = &area {
                let mut bytes = vec![0; PRINTF_BYTES as usize];
                self.queue.read_buffer(area, 0, &mut bytes)?;
                if loops_were_ended(&bytes) {
                    return Err(RuntimeError::Unsupported(kernel.info().loops_ended()).into());
                }
                printed.extend(decode(&bytes, &kernel.info().printf).text);
            }
        }
        stage("the results");
        let mut results = Vec::new();
        for (buffer, bytes) in buffers.iter().zip(&case.buffers) {
            let mut result = vec![0; bytes.len()];
            self.queue.read_buffer(buffer, 0, &mut result)?;
            results.push(result);
        }
        if !printed.is_empty() {
            results.push(printed);
        }
        Ok(results)
    }

    fn one(
        &mut self,
        case: &Case,
        words: &[u32],
        Way { name, model, variant }: &Way,
        stage: &mut dyn FnMut(&str),
    ) -> Answer {
        let mut stage = |what: &str| stage(&format!("{name}: {what}"));
        stage("the lowering");
        let target = self.device.target().clone();
        let lower = |form| lower_one(words, &target, form, variant.as_ref());
        let long_loops = !self.seed.is_multiple_of(WITHOUT_LONG_LOOPS);
        let plain = Form { long_loops, ..Form::plain(BindingChoice::Fixed(*model)) };
        let result = self.launch(case, plain, &lower, &mut stage);
        let messages = self.instance.validation_messages();
        if let Some(message) = messages.get(self.complaints) {
            self.complaints = messages.len();
            return Answer::Fault(format!("the validation layers: {message}"));
        }
        match result {
            Ok(buffers) => Answer::Buffers(buffers),
            Err(Failure::Answer(answer)) => answer,
            Err(Failure::Runtime(e)) if e.kind() == vk_runtime::ErrorKind::Unsupported => {
                Answer::Refused(e.to_string())
            }
            Err(Failure::Runtime(e)) => {
                self.lost |= e.is_device_lost() || self.queue.lost().is_some();
                Answer::Fault(e.to_string())
            }
        }
    }
}

impl Runner for Vulkan {
    fn run_as(&mut self, name: &str, case: &Case, stage: &mut dyn FnMut(&str)) -> Option<Answer> {
        let Some(way) = self.ways.iter().find(|w| w.name == name).cloned() else {
            return self.run(case, stage).into_iter().find(|a| a.0 == name).map(|a| a.1);
        };
        Some(match compiled(case, self.device.target()) {
            Ok(words) => self.one(case, &words, &way, stage),
            Err(_) => return None,
        })
    }

    fn run(&mut self, case: &Case, stage: &mut dyn FnMut(&str)) -> Vec<(String, Answer)> {
        stage("the front end");
        let words = match compiled(case, self.device.target()) {
            Ok(words) => words,
            Err(answer) => return vec![("front end".to_owned(), answer)],
        };
        let mut answers = Vec::new();
        let mut ways = self.ways.clone();
        if let Some(first) = self.turn {
            ways.rotate_left(first);
        }
        for way in ways {
            let crashes = self.device.compiler_crashes();
            let answer = self.one(case, &words, &way, stage);
            let refused = matches!(answer, Answer::Refused(_));
            if self.device.compiler_crashes() > crashes {
                eprintln!("seed {}: {}: the driver's compiler crashed", self.seed, way.name);
            }
            answers.push((way.name, answer));
            if self.lost || self.turn.is_some() && !refused {
                return answers;
            }
        }
        // One model that takes it is enough for the choice between them.
        let refused = |a: &(String, Answer)| matches!(a.1, Answer::Refused(_));
        if self.ways.len() > 1 && answers.iter().any(refused) && !answers.iter().all(refused) {
            stage("the choice between the models");
            let auto = lower_one(&words, self.device.target(), Form::plain(BindingChoice::Auto), None);
            if let Err(answer) = auto {
                answers.push(("choice".to_owned(), answer));
            }
        }
        answers
    }

    fn begin(&mut self, seed: u64) {
        self.seed = seed;
        if let Some(turn) = &mut self.turn {
            *turn = (seed % self.ways.len().max(1) as u64) as usize;
        }
    }

    fn lost(&self) -> bool {
        self.lost
    }
}

/// Targets without devices: everything up to the Vulkan module.
pub struct Lowering {
    targets: Vec<Target>,
}

impl Lowering {
    /// For these Targets.
    #[must_use]
    pub fn new(targets: Vec<Target>) -> Lowering {
        Lowering { targets }
    }
}

impl Runner for Lowering {
    fn run(&mut self, case: &Case, stage: &mut dyn FnMut(&str)) -> Vec<(String, Answer)> {
        let mut answers = Vec::new();
        for target in &self.targets {
            stage(&target.name);
            let words = match compiled(case, target) {
                Ok(words) => words,
                Err(answer) => {
                    answers.push((target.name.clone(), answer));
                    continue;
                }
            };
            for (name, model) in MODELS {
                if !has(target, model) {
                    continue;
                }
                let answer = match lower_one(&words, target, Form::plain(BindingChoice::Fixed(model)), None) {
                    Ok(_) => Answer::Lowered,
                    Err(answer) => answer,
                };
                answers.push((format!("{} {name}", target.name), answer));
            }
        }
        answers
    }
}

fn compiled(case: &Case, target: &Target) -> Result<Vec<u32>, Answer> {
    let mut options = Options::default();
    host::target::apply(target, &mut options);
    options.parse_build_options(&case.options).map_err(|e| Answer::Fault(e.to_string()))?;
    let Compiled { outcome, spirv, .. } = run::compile("case.cl", &case.source, &options);
    match (outcome, spirv) {
        (run::Outcome::Good(_), Some(words)) => Ok(words),
        (run::Outcome::Panic(message), _) => Err(Answer::Fault(format!("panic: {message}"))),
        (run::Outcome::Refused(message), _) => Err(Answer::Fault(message)),
        (run::Outcome::Good(_), None) => Err(Answer::Fault("no module".to_owned())),
    }
}

fn lower_one(
    words: &[u32],
    target: &Target,
    form: Form,
    variant: Option<&Variant>,
) -> Result<Lowered, Answer> {
    let inline_limit = host::settings::inline_limit();
    let Form { binding, noalias, resume, single_vector, iterations, long_loops } = form;
    let mut options = LowerOptions {
        binding,
        inline_limit,
        noalias,
        resume,
        single_vector,
        iterations,
        long_loops,
        ..LowerOptions::default()
    };
    let mut target = target.clone();
    if let Some(variant) = variant {
        variant.before(&mut target, &mut options);
    }
    match catch_unwind(AssertUnwindSafe(|| lower::lower(words, &target, &options))) {
        Ok(Ok(mut lowered)) => {
            if let Some(variant) = variant {
                variant.after(&mut lowered.spirv);
            }
            Ok(lowered)
        }
        Ok(Err(e @ (LowerError::Unsupported { .. } | LowerError::NotYet { .. }))) => {
            Err(Answer::Refused(e.to_string()))
        }
        Ok(Err(e)) => Err(Answer::Fault(e.to_string())),
        Err(panic) => Err(Answer::Fault(format!("panic: {}", run::message(panic.as_ref())))),
    }
}
