//! `pumice run` on another OpenCL: compiles a kernel with our front end, hands the OpenCL SPIR-V to the library that
//! `PUMICE_TEST_OPENCL` names (clCreateProgramWithIL), launches it there and prints the results as `pumice run` does.
//!
//! It takes the arguments of `pumice run`, so that whatever drives that program can drive this one
//! (`scripts/elsewhere`). Nothing of our lowering is in what is executed: it only tells what the arguments are.
//!
//! With `PUMICE_TEST_OPENCL_SOURCE` set the other OpenCL gets the source and the build options instead: for drivers that take no
//! SPIR-V, and for what only their own compilers can judge (inline PTX).
//!
//! | exit code | meaning |
//! |---|---|
//! | 0, 1, 2 | as `pumice`'s |
//! | 77 | the other OpenCL has not what the module needs; standard error says what |

use clap::Parser;
use frontend::options::Features;
use lower::kernel_info::{ArgKind, KernelInfo};
use lower::{BindingChoice, LowerOptions};
use opencl_sys as cl;
use pumice_bench::inputs;
use pumice_bench::opencl::{Arg, Buffer, Kernel, Library, Session, flush_c_streams};
use pumice_cli::arg_spec::{ArgData, ArgSpec};
use pumice_cli::array::Array;
use pumice_cli::cli::{Cli, Command, RunArgs, take_build_options};
use pumice_cli::error::CliError;
use pumice_cli::run::{Wishes, assign, buffer_index};
use pumice_cli::{compile, output};
use spirv_io::spirv::Op;
use std::process::ExitCode;

/// The exit code that a test driver knows as "skipped".
const SKIPPED: u8 = 77;

fn main() -> ExitCode {
    let words = std::env::args_os().map(|a| a.to_string_lossy().into_owned());
    match work(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Shown(code)) => ExitCode::from(code),
        Err(error) => {
            eprintln!("elsewhere: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn work(words: impl Iterator<Item = String>) -> Result<(), CliError> {
    let path = std::env::var("PUMICE_TEST_OPENCL")
        .map_err(|_| CliError::Usage("PUMICE_TEST_OPENCL must name an OpenCL driver's library".to_owned()))?;
    let library = Library::load("elsewhere", &path).map_err(CliError::Failed)?;
    let session = library.open(None).map_err(CliError::Failed)?;
    let words: Vec<String> = words.collect();
    let build = build_options(&words);
    let (words, mut options) = take_build_options(words)?;
    if words.len() == 1 {
        return output::line(about(&session));
    }
    let cli = Cli::try_parse_from(words).map_err(|e| CliError::Usage(e.to_string()))?;
    let Command::Run(args) = cli.command else {
        return Err(CliError::Usage("only 'run' can be done elsewhere".to_owned()));
    };
    let specs = args.args.iter().map(|text| ArgSpec::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let wishes = Wishes::parse(&args)?;
    host::target::apply_generic(&mut options);
    let source = std::env::var_os("PUMICE_TEST_OPENCL_SOURCE").is_some();
    if source {
        // Its own compiler says what the device has.
        options.features |= Features::EXPRESSED.difference(Features::PIPES | Features::DEVICE_ENQUEUE);
    }
    let module = compile::opencl_spirv(&args.file, &options)?.words;
    let info = kernel_info(&module, &args.kernel)?;
    let specs = assign(&info, specs)?;
    wishes.check(&info, &specs)?;
    let failed = CliError::Failed;
    let kernel = if source {
        let source = std::fs::read_to_string(&args.file);
        let source = source.map_err(|e| failed(format!("{}: {e}", args.file.display())))?;
        session.kernel(&source, &args.kernel, &build).map_err(failed)?
    } else if let Some(missing) = missing(&session, &module) {
        eprintln!("elsewhere: skipped: {missing}");
        return Err(CliError::Shown(SKIPPED));
    } else {
        let bytes = spirv_io::words_to_bytes(&module);
        session.kernel_from_il(&bytes, &args.kernel, "").map_err(failed)?
    };
    execute(&session, &kernel, &args, &info, &specs, &wishes)
}

/// The options among the words that are the language's, as clBuildProgram takes them.
fn build_options(words: &[String]) -> String {
    let options = words.iter().filter(|w| w.starts_with("-cl-") || w.starts_with("-D"));
    options.cloned().collect::<Vec<_>>().join(" ")
}

/// Which OpenCL this is, in a line.
fn about(session: &Session) -> String {
    let text = |param| {
        let bytes = session.info(param).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_owned()
    };
    let (version, driver) = (text(cl::CL_DEVICE_VERSION), text(cl::CL_DRIVER_VERSION));
    format!("{}: {version}, driver {driver}, {}", session.device, text(cl::CL_DEVICE_IL_VERSION))
}

/// The kinds of the kernel's arguments. The lowering reflects them; its code is not used.
fn kernel_info(module: &[u32], kernel: &str) -> Result<KernelInfo, CliError> {
    let options = LowerOptions {
        kernels: Some(vec![kernel.to_owned()]),
        binding: BindingChoice::Auto,
        ..LowerOptions::default()
    };
    let mut target = inputs::usual_target();
    // Whatever a kernel needs: the code is not used.
    target.limits.subgroup_size = 32;
    target.features.subgroup_operations = u32::MAX;
    target.features.shader_buffer_int64_atomics = true;
    let lowered = lower::lower(module, &target, &options)?;
    let found = lowered.kernels.into_iter().find(|k| k.name == kernel);
    found.ok_or_else(|| CliError::Failed(format!("no kernel '{kernel}'")))
}

/// The declarations of the module that the device lacks: a version of SPIR-V, or a capability where the device lists
/// them (CL_DEVICE_SPIRV_CAPABILITIES, OpenCL 3.1 or cl_khr_spirv_queries).
fn missing(session: &Session, module: &[u32]) -> Option<String> {
    let versions = session.info(cl::CL_DEVICE_IL_VERSION).unwrap_or_default();
    let versions = String::from_utf8_lossy(&versions).into_owned();
    let (header, reader) = spirv_io::Reader::new(module).ok()?;
    let needed = header.version;
    let newest = versions
        .split([' ', '\0'])
        .filter_map(|word| word.strip_prefix("SPIR-V_")?.split_once('.'))
        .filter_map(|(major, minor)| Some((major.parse::<u8>().ok()?, minor.parse::<u8>().ok()?)))
        .max();
    if newest.is_none_or(|newest| newest < needed) {
        return Some(format!("SPIR-V {}.{}; the device takes '{versions}'", needed.0, needed.1));
    }
    let listed = session.info(cl::CL_DEVICE_SPIRV_CAPABILITIES).ok()?;
    let listed: Vec<u32> = listed.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let mut declared = reader.filter_map(Result::ok).filter(|i| i.op == Op::Capability);
    let lacks = declared.find_map(|i| i.word(1).ok().filter(|c| !listed.contains(c)))?;
    let name = spirv_io::spirv::Capability::from_u32(lacks).map_or(lacks.to_string(), |c| format!("{c:?}"));
    Some(format!("capability {name}"))
}

fn sizes(numbers: &[u64]) -> Result<Vec<usize>, CliError> {
    let sizes = numbers.iter().map(|n| usize::try_from(*n));
    sizes.collect::<Result<_, _>>().map_err(|e| CliError::Usage(e.to_string()))
}

/// Launches, and does with the results what was asked for.
fn execute(
    session: &Session,
    kernel: &Kernel<'_>,
    args: &RunArgs,
    info: &KernelInfo,
    specs: &[ArgData],
    wishes: &Wishes,
) -> Result<(), CliError> {
    let failed = CliError::Failed;
    let mut buffers = Vec::new();
    for spec in specs {
        buffers.push(match spec {
            ArgData::Buffer(array) => Some(session.buffer_with(&array.bytes).map_err(failed)?),
            _ => None,
        });
    }
    kernel.set(&values(info, specs, &buffers)?).map_err(failed)?;
    let (global, local) = (sizes(&args.global)?, args.local.as_deref().map(sizes).transpose()?);
    let offset = args.offset.as_deref().map(sizes).transpose()?;
    if [&local, &offset].iter().any(|s| s.as_ref().is_some_and(|s| s.len() != global.len())) {
        return Err(CliError::Usage("--local and --offset take as many numbers as --global".to_owned()));
    }
    for _ in 0..args.repeat {
        kernel.launch_from(offset.as_deref(), &global, local.as_deref()).map_err(failed)?;
    }
    session.finish().map_err(failed)?;
    // What kernels printed comes before the results.
    flush_c_streams();
    wishes.carry_out(args, info, specs, |index| read_back(specs, &buffers, index))
}

/// The arguments as clSetKernelArg takes them.
fn values<'a>(
    info: &KernelInfo,
    specs: &'a [ArgData],
    buffers: &'a [Option<Buffer<'a>>],
) -> Result<Vec<Arg<'a>>, CliError> {
    let at = |index: usize| buffers.get(index).and_then(Option::as_ref).map_or(Arg::Null, Arg::Buffer);
    let mut values = Vec::new();
    for (index, (spec, arg)) in specs.iter().zip(&info.args).enumerate() {
        let wrong = || CliError::Usage(format!("argument '{}' is {:?}; given {spec:?}", arg.name, arg.kind));
        values.push(match (spec, &arg.kind) {
            (ArgData::Buffer(_), ArgKind::Buffer { .. }) => at(index),
            (ArgData::Same(other), ArgKind::Buffer { .. }) => at(buffer_index(info, specs, other)?),
            (ArgData::Null, ArgKind::Buffer { .. }) => Arg::Null,
            (ArgData::Local(bytes), ArgKind::Local { .. }) => {
                Arg::Local(usize::try_from(*bytes).map_err(|_| wrong())?)
            }
            (ArgData::Value(array), ArgKind::Value { .. }) => Arg::Value(&array.bytes),
            (ArgData::Bytes(bytes), ArgKind::Value { .. }) => Arg::Value(bytes),
            _ => return Err(wrong()),
        });
    }
    Ok(values)
}

fn read_back(specs: &[ArgData], buffers: &[Option<Buffer<'_>>], index: usize) -> Result<Array, CliError> {
    let (Some(ArgData::Buffer(array)), Some(Some(buffer))) = (specs.get(index), buffers.get(index)) else {
        return Err(CliError::Usage(format!("argument {index} has no buffer")));
    };
    let mut result = Array { ty: array.ty, bytes: vec![0; array.bytes.len()] };
    buffer.read(0, &mut result.bytes).map_err(CliError::Failed)?;
    Ok(result)
}
