//! `pumice run`

use crate::arg_spec::{ArgData, ArgSpec};
use crate::array::{Array, ElementType};
use crate::cli::RunArgs;
use crate::compare::{Tolerance, mismatches};
use crate::compile::Form;
use crate::error::CliError;
use crate::image_spec::ImageKind;
use crate::{bundle, compile, files, output, printf, target};
use frontend::options::{LangVersion, Options};
use host::check::ReportLog;
use lower::check::Checks;
use lower::kernel_info::{ArgInfo, ArgKind};
use lower::{Iterations, KernelInfo, Lowered, Target};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use vk_runtime::{
    ArgValue, Buffer, BufferUse, Device, DispatchExtras, Image, ImageLook, ImageValue, Instance, Kernel,
    NdRange, Pitches, Queue, Resumable, SaveArea, Texels,
};

/// How many mismatches are shown.
const SHOWN_MISMATCHES: usize = 10;

/// Runs the command.
///
/// # Errors
/// Anything that can go wrong; a result that is not as expected is [`CliError::Shown`] after a message.
pub fn command(args: &RunArgs, mut options: Options) -> Result<(), CliError> {
    let range = nd_range(args)?;
    let specs = args.args.iter().map(|text| ArgSpec::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let wishes = Wishes::parse(args)?;
    let check = match &args.check {
        Some(text) => {
            let (checks, problem) = Checks::parse(text);
            problem.map_err(|text| CliError::Usage(format!("--check: {text}")))?;
            checks
        }
        None => host::check::checks(),
    };
    // Reports have the source's text.
    options.debug_info |= !check.is_empty();
    options.no_signed_wrap = check.contains(Checks::OVERFLOW);

    let instance = Instance::new(&host::settings::instance_options())?;
    let physical = target::device(&instance, args.device.as_deref())?;
    let device = Device::new(&physical, host::target::mask()?.as_ref())?;
    host::check::name_missing_classes(check, device.target());
    // Each argument has a buffer of its own, unless it names another's.
    let noalias = !specs.iter().any(|spec| matches!(spec.value, ArgData::Same(_)));
    let mut how = Form { noalias, specialised: true, iterations: Iterations::Few, check, ..Form::default() };
    let (lowered, non_uniform) = program(args, &mut options, device.target(), how)?;
    // What divides no work-group size is refused to programs of OpenCL C 1.x (API §5.10).
    let mut range = range.with_remainders(non_uniform);
    if let Some(Err(error)) = host::cache::pipelines().map(|folder| device.use_pipeline_cache(&folder)) {
        log::warn!("no pipeline cache: {error}");
    }
    let mut made = device.create_program(&lowered)?;
    let mut kernel = made.kernel(&args.kernel)?;
    let specs = assign(kernel.info(), specs)?;
    wishes.check(kernel.info(), &specs)?;
    let queue = device.create_queue()?;
    let objects = make_objects(&device, &queue, kernel.info(), &specs)?;
    let mut values = values(kernel.info(), &specs, &objects)?;
    let sized = range.with_local(queue.work_group_size(&kernel, &range)?.map(u64::from));
    let value = |index: u32| match values.get(index as usize) {
        Some(ArgValue::Value(bytes)) => Some(*bytes),
        _ => None,
    };
    if !kernel.iterates_few_times(&sized, &value) {
        how.iterations = Iterations::Many;
        made = device.create_program(&program(args, &mut options, device.target(), how)?.0)?;
        kernel = made.kernel(&args.kernel)?;
    }
    if kernel.may_be_ended(&sized, &value) {
        if are_ended((&device, &queue), &kernel, &specs, &sized)? {
            let items = sized.local_size.map_or(1, |local| local.iter().product());
            how.single_vector = u32::try_from(items).ok();
        }
        // A kernel without this form is refused after its launch. The trial may have changed the program's variables.
        if let Ok((lowered, _)) = program(args, &mut options, device.target(), how) {
            made = device.create_program(&lowered)?;
            kernel = made.kernel(&args.kernel)?;
            range = if how.single_vector.is_some() { sized } else { range };
        } else {
            how.single_vector = None;
            made = device.create_program(&program(args, &mut options, device.target(), how)?.0)?;
            kernel = made.kernel(&args.kernel)?;
        }
    }
    let area = queue.save_area(&kernel, &values, &range)?;
    let records = vk_runtime::record_bytes(kernel.info(), &values, range.global_size, &device);
    let printf = printf::buffer(&device, kernel.info(), (area, records))?;
    values.extend(printf.as_ref().map(ArgValue::Printf));
    let mut other = None;
    let resume = || -> Result<Kernel, CliError> {
        if other.is_none() {
            let (lowered, _) = program(args, &mut options, device.target(), Form { resume: true, ..how })?;
            other = Some(device.create_program_beside(&lowered, &made)?.kernel(&args.kernel)?);
        }
        other.clone().ok_or_else(|| CliError::Failed("no kernel that goes on".to_owned()))
    };
    let faults = launch(&queue, &kernel, &values, &range, args, (printf.as_ref(), area, records), resume)?;
    let outcome =
        wishes.carry_out(args, kernel.info(), &specs, |index| read_back(&specs, &objects, &queue, index));
    if let Err(error) = device.save_pipeline_cache() {
        log::warn!("the pipeline cache was not saved: {error}");
    }
    let messages = instance.validation_messages();
    for message in &messages {
        eprintln!("pumice: validation: {message}");
    }
    outcome?;
    if !messages.is_empty() {
        return Err(CliError::Failed("the validation layers complained".to_owned()));
    }
    if faults > 0 { Err(CliError::Shown(host::check::exit_code().unwrap_or(1))) } else { Ok(()) }
}

/// Returns whether the driver ends loops of a launch, which is tried with objects of its own.
fn are_ended(
    (device, queue): (&Device, &Queue),
    kernel: &Kernel,
    specs: &[ArgData],
    range: &NdRange,
) -> Result<bool, CliError> {
    let info = kernel.info();
    let objects = make_objects(device, queue, info, specs)?;
    let mut values = values(info, specs, &objects)?;
    let records = vk_runtime::record_bytes(info, &values, range.global_size, device);
    let Some(buffer) = printf::buffer(device, info, (SaveArea::default(), records))? else {
        return Ok(false);
    };
    printf::reset(queue, &buffer, info, (SaveArea::default(), records))?;
    values.push(ArgValue::Printf(&buffer));
    queue.dispatch(kernel, &values, range)?;
    queue.finish()?;
    let mut header = vec![0; 4 * lower::printf::HEADER_WORDS];
    queue.read_buffer(&buffer, 0, &mut header)?;
    Ok(lower::printf::loops_were_ended(&header))
}

/// What a device launches: a bundle's kernels, or the source compiled; and whether its work-groups need not divide the NDRange. `form` is filled in.
fn program(
    args: &RunArgs,
    options: &mut Options,
    target: &Target,
    form: Form,
) -> Result<(Lowered, bool), CliError> {
    if let Some(bytes) = bundle::read(&args.file)? {
        if form.resume || form.single_vector.is_some() {
            return Err(CliError::Failed(KernelInfo::loops_ended_in(std::slice::from_ref(&args.kernel))));
        }
        return bundle::open(&args.file, &bytes, target, args);
    }
    let mut target = target.clone();
    target.quirks.max_iterations = args.loop_limit.or(target.quirks.max_iterations);
    let target = &target;
    host::target::apply(target, options);
    let module = compile::opencl_spirv(&args.file, options)?;
    // Ids that go beyond 2^32 need 64 bits.
    let offset = |d: usize| args.offset.as_ref().and_then(|o| o.get(d)).copied().unwrap_or(0);
    let wide = args.global.iter().enumerate().any(|(d, size)| size.saturating_add(offset(d)) > 1 << 32)
        && target.address_bits() == 64;
    let large = args.local.as_ref().is_some_and(|local| target.needs_work_item_loops(local));
    let form = Form { wide, large, ..form };
    let lowered = compile::lower(&module, target, Some(&args.kernel), args.binding.choice(), form)?;
    Ok((lowered, options.std >= LangVersion::Cl2_0))
}

fn nd_range(args: &RunArgs) -> Result<NdRange, CliError> {
    NdRange::from_slices(&args.global, args.local.as_deref(), args.offset.as_deref()).ok_or_else(|| {
        CliError::Usage("--global takes 1 to 3 numbers, and --local and --offset as many as it".to_owned())
    })
}

/// Width and height in pixels.
type PictureSize = (u32, u32);

/// What to do with the results.
pub struct Wishes {
    print: Vec<(String, Option<usize>)>,
    out: Vec<(String, PathBuf, Option<PictureSize>)>,
    expect: Vec<(String, PathBuf, Tolerance)>,
}

impl Wishes {
    /// Reads `--print`, `--out` and `--expect`.
    ///
    /// # Errors
    /// Malformed ones (usage).
    pub fn parse(args: &RunArgs) -> Result<Self, CliError> {
        let usage = |text: &str, form: &str| CliError::Usage(format!("'{text}': expected {form}"));
        let print = args.print.iter().map(|text| match text.split_once(':') {
            None => Ok((text.clone(), None)),
            Some((name, count)) => match count.parse() {
                Ok(count) => Ok((name.to_owned(), Some(count))),
                Err(_) => Err(usage(text, "NAME or NAME:COUNT")),
            },
        });
        let out = args.out.iter().map(|text| {
            let (name, file) = text.split_once('=').ok_or_else(|| usage(text, "NAME=FILE"))?;
            let sized = file.rsplit_once(',').and_then(|(file, size)| Some((file, parse_size(size)?)));
            Ok(match sized {
                Some((file, size)) => (name.to_owned(), PathBuf::from(file), Some(size)),
                None => (name.to_owned(), PathBuf::from(file), None),
            })
        });
        let expect = args.expect.iter().map(|text| {
            let form = "NAME=FILE[,ulp=N|,abs=E]";
            let (name, file) = text.split_once('=').ok_or_else(|| usage(text, form))?;
            let (file, tolerance) = match file.rsplit_once(',') {
                Some((path, limit)) if limit.starts_with("ulp=") || limit.starts_with("abs=") => {
                    let number = limit[4..].parse::<f64>().ok().filter(|n| *n >= 0.0);
                    let number = number.ok_or_else(|| usage(text, form))?;
                    (
                        path,
                        if limit.starts_with("ulp") {
                            Tolerance::Ulp(number)
                        } else {
                            Tolerance::Abs(number)
                        },
                    )
                }
                _ => (file, Tolerance::Exact),
            };
            Ok((name.to_owned(), PathBuf::from(file), tolerance))
        });
        Ok(Wishes {
            print: print.collect::<Result<_, CliError>>()?,
            out: out.collect::<Result<_, CliError>>()?,
            expect: expect.collect::<Result<_, CliError>>()?,
        })
    }

    /// Every name must be a buffer argument's: said before the launch, not after it.
    ///
    /// # Errors
    /// A name that is not (usage).
    pub fn check(&self, info: &KernelInfo, specs: &[ArgData]) -> Result<(), CliError> {
        let names = self.print.iter().map(|p| &p.0).chain(self.out.iter().map(|o| &o.0));
        for name in names.chain(self.expect.iter().map(|e| &e.0)) {
            buffer_index(info, specs, name)?;
        }
        Ok(())
    }

    /// The lines that `--print` asks for. `result` gives what the buffer of a name holds after the launch.
    ///
    /// # Errors
    /// Those of `result`.
    pub fn printed(&self, result: impl Fn(&str) -> Result<Array, CliError>) -> Result<Vec<String>, CliError> {
        let line = |(name, count): &(String, Option<usize>)| {
            let array = result(name)?;
            let count = count.unwrap_or(array.len()).min(array.len());
            let elements: Vec<String> = (0..count).map(|n| array.element_text(n)).collect();
            let rest = if count < array.len() { " …" } else { "" };
            Ok(format!("{name}: {}{rest}", elements.join(" ")))
        };
        self.print.iter().map(line).collect()
    }

    /// Prints, writes and compares. `read` gives what the buffer of an argument, by its index, holds after the launch.
    ///
    /// # Errors
    /// Those of `read`, and of files; a result that is not as expected is [`CliError::Shown`] after a message.
    pub fn carry_out(
        &self,
        args: &RunArgs,
        info: &KernelInfo,
        specs: &[ArgData],
        read: impl Fn(usize) -> Result<Array, CliError>,
    ) -> Result<(), CliError> {
        let result = |name: &str| read(buffer_index(info, specs, name)?);
        self.printed(result)?.into_iter().try_for_each(output::line)?;
        for (name, path, size) in &self.out {
            let array = result(name)?;
            match &specs[buffer_index(info, specs, name)?] {
                ArgData::Image(image) => {
                    let array = if files::is_picture(path) { image.to_picture(&array) } else { array };
                    files::write_image(
                        path,
                        &array,
                        &image.shape(),
                        size.unwrap_or_else(|| image.picture()),
                    )?;
                }
                _ => files::write(path, &array, size.or_else(|| picture_size(&args.global)))?,
            }
        }
        let mut failed = false;
        for (name, path, tolerance) in &self.expect {
            let got = result(name)?;
            let mut expected = files::read(path, got.ty)?;
            if let ArgData::Image(image) = &specs[buffer_index(info, specs, name)?]
                && files::is_picture(path)
            {
                expected = image.from_picture(&expected);
            }
            failed |= !compare(name, &got, &expected, *tolerance);
        }
        if failed { Err(CliError::Shown(1)) } else { Ok(()) }
    }
}

fn parse_size(text: &str) -> Option<PictureSize> {
    let (width, height) = text.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

/// A 2-D launch's global size is its picture's.
fn picture_size(global: &[u64]) -> Option<PictureSize> {
    match global {
        [width, height] => Some((u32::try_from(*width).ok()?, u32::try_from(*height).ok()?)),
        _ => None,
    }
}

/// Prints what differs; gives whether nothing does.
fn compare(name: &str, got: &Array, expected: &Array, tolerance: Tolerance) -> bool {
    if got.len() != expected.len() {
        eprintln!("pumice: {name}: {} elements, expected {}", got.len(), expected.len());
        return false;
    }
    let (first, count) = mismatches(got, expected, tolerance, SHOWN_MISMATCHES);
    for mismatch in &first {
        let lane = if got.ty.lanes > 1 { format!(".s{:x}", mismatch.lane) } else { String::new() };
        eprintln!(
            "pumice: {name}[{}]{lane} is {}, expected {}",
            mismatch.element, mismatch.got, mismatch.expected
        );
    }
    if count > first.len() {
        eprintln!("pumice: {name}: {} more differ", count - first.len());
    }
    count == 0
}

/// One specification for each kernel argument, named ones first, the others in order.
///
/// # Errors
/// Names that the kernel has not, too few or too many specifications (usage).
pub fn assign(info: &KernelInfo, specs: Vec<ArgSpec>) -> Result<Vec<ArgData>, CliError> {
    if info.record().is_some() {
        let what = "'pumice run' launches no kernel that enqueues kernels: an OpenCL program does";
        return Err(CliError::Usage(format!("kernel '{}': {what}", info.name)));
    }
    let mut slots: Vec<Option<ArgData>> = vec![None; info.args.len()];
    let mut unnamed = Vec::new();
    for spec in specs {
        let Some(name) = spec.name else {
            unnamed.push(spec.value);
            continue;
        };
        let index = argument_index(info, &name)?;
        if slots[index].replace(spec.value).is_some() {
            return Err(CliError::Usage(format!("argument '{name}' is given twice")));
        }
    }
    let mut unnamed = unnamed.into_iter();
    for slot in slots.iter_mut().filter(|s| s.is_none()) {
        *slot = unnamed.next();
    }
    let missing: Vec<&str> =
        slots.iter().zip(&info.args).filter(|(s, _)| s.is_none()).map(|(_, a)| a.name.as_str()).collect();
    if !missing.is_empty() || unnamed.next().is_some() {
        let what = if missing.is_empty() {
            "too many --arg".to_owned()
        } else {
            format!("no --arg for {}", missing.join(", "))
        };
        return Err(CliError::Usage(format!("{what}; the kernel is {}", signature(info))));
    }
    Ok(slots.into_iter().flatten().collect())
}

/// `name(float* a, uint n)`
fn signature(info: &KernelInfo) -> String {
    let args: Vec<String> = info.args.iter().map(|a| format!("{} {}", qualified(a), a.name)).collect();
    format!("{}({})", info.name, args.join(", "))
}

fn argument_index(info: &KernelInfo, name: &str) -> Result<usize, CliError> {
    info.args.iter().position(|a| a.name == name).ok_or_else(|| {
        CliError::Usage(format!("the kernel has no argument '{name}': it is {}", signature(info)))
    })
}

/// The argument whose buffer or image `name` stands for.
///
/// # Errors
/// An unknown name, or one without a buffer (usage).
pub fn buffer_index(info: &KernelInfo, specs: &[ArgData], name: &str) -> Result<usize, CliError> {
    let mut index = argument_index(info, name)?;
    if let ArgData::Same(other) = &specs[index] {
        index = argument_index(info, other)?;
    }
    match &specs[index] {
        ArgData::Buffer(_) | ArgData::Image(_) => Ok(index),
        _ => Err(CliError::Usage(format!("argument '{name}' has no buffer or image"))),
    }
}

/// What an argument has on the device.
enum Object {
    None,
    Buffer(Buffer),
    Image(Image, ImageLook),
    /// A one-dimensional image of a buffer.
    Texels(Buffer, ImageLook),
}

/// Makes and fills the buffers and images.
fn make_objects(
    device: &Device,
    queue: &Queue,
    info: &KernelInfo,
    specs: &[ArgData],
) -> Result<Vec<Object>, CliError> {
    let filled = |array: &Array, name: &str| -> Result<Buffer, CliError> {
        let buffer = device.create_buffer(array.bytes.len() as u64, BufferUse::Device)?;
        buffer.set_name(name);
        queue.write_buffer(&buffer, 0, &array.bytes)?;
        Ok(buffer)
    };
    let mut objects = Vec::new();
    for (spec, arg) in specs.iter().zip(&info.args) {
        objects.push(match spec {
            ArgData::Buffer(array) => Object::Buffer(filled(array, &arg.name)?),
            ArgData::Image(spec) => {
                let look = spec.format.look(spec.queried_size());
                if spec.kind == ImageKind::Buffer {
                    Object::Texels(filled(&spec.texels, &arg.name)?, look)
                } else {
                    let image = device.create_image(&spec.desc())?;
                    image.set_name(&arg.name);
                    let whole = image.desc().whole(0);
                    queue.write_image(&image, &whole, &spec.texels.bytes, Pitches::default())?;
                    Object::Image(image, look)
                }
            }
            _ => Object::None,
        });
    }
    Ok(objects)
}

impl Object {
    /// As an image argument.
    fn image(&self) -> Option<ArgValue<'_>> {
        let (texels, look) = match self {
            Object::Image(image, look) => (Texels::Image(image), look),
            Object::Texels(buffer, look) => (Texels::Buffer { buffer, offset: 0, size: buffer.size() }, look),
            Object::None | Object::Buffer(_) => return None,
        };
        Some(ArgValue::Image(ImageValue { texels, look }))
    }

    /// As a buffer argument.
    fn buffer(&self) -> ArgValue<'_> {
        match self {
            Object::Buffer(buffer) => ArgValue::Buffer(buffer),
            _ => ArgValue::NullBuffer,
        }
    }
}

/// The arguments as the runtime takes them, each checked against what the kernel declares.
fn values<'a>(
    info: &KernelInfo,
    specs: &'a [ArgData],
    objects: &'a [Object],
) -> Result<Vec<ArgValue<'a>>, CliError> {
    let mut values = Vec::new();
    for (index, (spec, arg)) in specs.iter().zip(&info.args).enumerate() {
        let wrong = |given: &str| {
            Err(CliError::Usage(format!("argument '{}' is {}; given {given}", arg.name, describe(arg))))
        };
        if arg.is_pipe() {
            let message = format!(
                "argument '{}' is a pipe, and 'pumice run' has none: clCreatePipe makes them",
                arg.name
            );
            return Err(CliError::Usage(message));
        }
        values.push(match (spec, &arg.kind) {
            (ArgData::Buffer(array), ArgKind::Buffer { .. }) => {
                check_element_type(arg, array)?;
                objects[index].buffer()
            }
            (ArgData::Same(other), ArgKind::Buffer { .. }) => {
                objects[buffer_index(info, specs, other)?].buffer()
            }
            (ArgData::Image(_), ArgKind::Image(_)) => match objects[index].image() {
                Some(image) => image,
                None => return wrong("no image"),
            },
            (ArgData::Same(other), ArgKind::Image(_)) => {
                match objects[buffer_index(info, specs, other)?].image() {
                    Some(image) => image,
                    None => return wrong("a buffer"),
                }
            }
            (ArgData::Sampler(bits), ArgKind::Sampler) => ArgValue::Sampler(*bits),
            (ArgData::Image(_), _) => return wrong("an image"),
            (ArgData::Sampler(_), _) => return wrong("a sampler"),
            (ArgData::Null, ArgKind::Buffer { .. }) => ArgValue::NullBuffer,
            (ArgData::Local(bytes), ArgKind::Local { .. }) => ArgValue::Local(*bytes),
            (ArgData::Value(array), ArgKind::Value { size }) => {
                check_value_type(arg, array)?;
                if array.bytes.len() != *size as usize {
                    return wrong(&format!("{} bytes", array.bytes.len()));
                }
                ArgValue::Value(&array.bytes)
            }
            (ArgData::Bytes(bytes), ArgKind::Value { size }) if bytes.len() == *size as usize => {
                ArgValue::Value(bytes)
            }
            (ArgData::Bytes(bytes), _) => return wrong(&format!("{} bytes", bytes.len())),
            (ArgData::Buffer(_) | ArgData::Same(_) | ArgData::Null, _) => return wrong("a buffer"),
            (ArgData::Local(_), _) => return wrong("local memory"),
            (ArgData::Value(_), _) => return wrong("a value"),
        });
    }
    Ok(values)
}

/// A type's name, with the access to an image.
fn qualified(arg: &ArgInfo) -> String {
    match &arg.kind {
        ArgKind::Image(image) => format!("{} {}", image.access.name(), arg.type_name),
        _ => arg.type_name.clone(),
    }
}

fn describe(arg: &ArgInfo) -> String {
    let kind = match &arg.kind {
        ArgKind::Buffer { .. } => "a buffer (TYPE[COUNT]:INIT)".to_owned(),
        ArgKind::Local { .. } => "__local memory (local:BYTES)".to_owned(),
        ArgKind::Value { size } => format!("a value of {size} bytes (TYPE:VALUE)"),
        ArgKind::Image(_) => "an image (image2d<ORDER,TYPE>[W,H]:INIT, image2d:FILE.png)".to_owned(),
        ArgKind::Sampler => "a sampler (sampler:WORD,…)".to_owned(),
    };
    if arg.type_name.is_empty() { kind } else { format!("'{}', {kind}", qualified(arg)) }
}

/// A value whose declared type is a scalar or vector of its own name must be given as that type: an int
/// for a float would silently be other bits.
fn check_value_type(arg: &ArgInfo, array: &Array) -> Result<(), CliError> {
    let declared = arg.type_name.replace("unsigned ", "u");
    match ElementType::parse(&declared) {
        Some(ty) if ty != array.ty => Err(CliError::Usage(format!(
            "argument '{}' is a {}; given a {}",
            arg.name, arg.type_name, array.ty
        ))),
        _ => Ok(()),
    }
}

/// A buffer whose declared elements are scalars or vectors must be given as elements of that kind and size. Bytes stand for anything.
fn check_element_type(arg: &ArgInfo, array: &Array) -> Result<(), CliError> {
    let declared = arg.type_name.trim_end_matches('*').trim().replace("unsigned ", "u");
    let Some(declared) = ElementType::parse(&declared).map(|ty| ty.scalar) else { return Ok(()) };
    let given = array.ty.scalar;
    let same = given.size() == declared.size() && given.is_float() == declared.is_float();
    if same || given.size() == 1 || (declared.size() == 1 && !declared.is_float()) {
        return Ok(());
    }
    Err(CliError::Usage(format!(
        "argument '{}' is '{}'; given elements of type {}, whose bits would mean something else \
         (uchar[BYTES]:file=… gives bytes as they are)",
        arg.name, arg.type_name, array.ty
    )))
}

/// Launches once. Returns the time in nanoseconds, if it was measured.
fn once(
    queue: &Queue,
    (kernel, values, range): (&Kernel, &[ArgValue<'_>], &NdRange),
    (args, printf): (&RunArgs, Option<&Buffer>),
    resume: &mut impl FnMut() -> Result<Kernel, CliError>,
) -> Result<Option<u64>, CliError> {
    if let (Some(buffer), Some(_)) = (printf, kernel.info().resumes) {
        let extras = &DispatchExtras::default();
        let launch = Resumable { kernel, args: values, range, extras, buffer };
        queue.finish()?;
        let start = Instant::now();
        let begun = queue.begin(&launch)?;
        queue.go_on(&launch, begun, resume)?;
        return Ok(Some(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)));
    }
    if args.time {
        return Ok(Some(queue.dispatch_timed(kernel, values, range)?.wait()?.ns));
    }
    queue.dispatch(kernel, values, range)?;
    Ok(None)
}

/// Launches, and prints the times that were asked for. Returns the number of faults that checks found.
fn launch(
    queue: &Queue,
    kernel: &Kernel,
    values: &[ArgValue<'_>],
    range: &NdRange,
    args: &RunArgs,
    (printf, area, records): (Option<&Buffer>, SaveArea, u64),
    mut resume: impl FnMut() -> Result<Kernel, CliError>,
) -> Result<u64, CliError> {
    let mut times = Vec::new();
    let (mut log, mut faults) = (ReportLog::default(), 0);
    let sized = range.with_local(queue.work_group_size(kernel, range)?.map(u64::from));
    for _ in 0..args.repeat {
        if let Some(buffer) = printf {
            printf::reset(queue, buffer, kernel.info(), (area, records))?;
        }
        let launched = once(queue, (kernel, values, range), (args, printf), &mut resume);
        let shown = launched.and_then(|time| {
            times.extend(time);
            let Some(buffer) = printf else { return Ok(0) };
            printf::show(queue, buffer, (kernel.info(), &sized, values), &mut log)
        });
        if let (Err(_), Some(buffer)) = (&shown, printf) {
            printf::show_failed(buffer, (kernel.info(), &sized, values), &mut log);
        }
        faults += shown?;
        if faults > 0 && host::check::stops() {
            break;
        }
    }
    queue.finish()?;
    if !args.time {
        return Ok(faults);
    }
    times.sort_unstable();
    let local = queue.work_group_size(kernel, range)?;
    let show = |ns: u64| format!("{:?}", Duration::from_nanos(ns));
    output::line(format!(
        "{}: {} launches, work-groups of {}x{}x{}: min {}, median {}, max {}",
        args.kernel,
        times.len(),
        local[0],
        local[1],
        local[2],
        show(times[0]),
        show(times[times.len() / 2]),
        show(times[times.len() - 1])
    ))?;
    Ok(faults)
}

fn read_back(specs: &[ArgData], objects: &[Object], queue: &Queue, index: usize) -> Result<Array, CliError> {
    let none = || CliError::Usage(format!("argument {index} has no buffer or image"));
    let array = match specs.get(index) {
        Some(ArgData::Buffer(array)) => array,
        Some(ArgData::Image(image)) => &image.texels,
        _ => return Err(none()),
    };
    let mut result = Array { ty: array.ty, bytes: vec![0; array.bytes.len()] };
    match objects.get(index) {
        Some(Object::Buffer(buffer) | Object::Texels(buffer, _)) => {
            queue.read_buffer(buffer, 0, &mut result.bytes)?;
        }
        Some(Object::Image(image, _)) => {
            let whole = image.desc().whole(0);
            queue.read_image(image, &whole, &mut result.bytes, Pitches::default())?;
        }
        _ => return Err(none()),
    }
    Ok(result)
}
