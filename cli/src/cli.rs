//! The grammar of the command line.

use crate::error::CliError;
use clap::{Args, Parser, Subcommand, ValueEnum};
use frontend::options::Options;
use lower::{BindingChoice, BindingModel};
use std::path::PathBuf;

/// OpenCL C on Vulkan: compile, run and inspect kernels.
#[derive(Debug, Parser)]
#[command(name = "pumice", version, about, after_help = BUILD_OPTIONS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const BUILD_OPTIONS: &str = "\
Build options, as clBuildProgram takes them, may stand anywhere:
  -D NAME[=VALUE]  -U NAME  -I DIR  -cl-std=CL1.0|CL1.1|CL1.2|CL2.0|CL3.0|CL3.1|CLC++1.0|CLC++2021
  -w  -Werror  -g  -cl-opt-disable  -cl-mad-enable  -cl-fast-relaxed-math  -cl-single-precision-constant …
Exit codes: 0 success, 1 the work failed, 2 wrong usage.";

/// The subcommands. The arguments of one alone are built, which is much of the program's start. The description of a structure of arguments
/// then replaces that of the subcommand, so both are the same.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// List the Vulkan devices and what they can do
    Devices,
    /// Look at loaders, drivers, devices, caches and settings; exit 1 when something is wrong
    Doctor(DoctorArgs),
    /// Compile an OpenCL C file
    Compile(CompileArgs),
    /// Run a kernel
    Run(Box<RunArgs>),
    /// Show each kernel's pointers and variables: address space, storage class, binding
    Inspect(InspectArgs),
    /// Show what the driver's compiler makes of each kernel: registers, instructions, spills
    Stats(StatsArgs),
    /// Render a picture with a path tracer on the best device
    Demo(DemoArgs),
    /// Run passes of the lowering on IR in text form (as PUMICE_DUMP prints it) and print the result
    #[command(hide = true)]
    Ir(IrArgs),
    /// Explain the environment variables that Pumice reads
    Settings,
    /// Show what the cache of programs and pipelines holds, or clear it
    Cache {
        /// What to do
        #[arg(value_enum, default_value_t = CacheCommand::Show)]
        what: CacheCommand,
    },
    /// Tell the OpenCL ICD loader of libpumice.so, so that OpenCL programs find it
    #[command(subcommand)]
    Icd(IcdCommand),
    /// Print the completions of a shell: 'pumice completions bash > ~/.local/share/bash-completion/completions/pumice'
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual's pages into a folder
    #[command(hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// Look at loaders, drivers, devices, caches and settings; exit 1 when something is wrong
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// What the program starts itself with: open a library, and print its path
    #[arg(long, value_name = "LIBRARY", hide = true)]
    pub open: Option<String>,
}

/// `pumice cache`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CacheCommand {
    /// Print where it is and what it holds
    Show,
    /// Remove what it holds
    Clear,
}

/// `pumice icd`
#[derive(Debug, Subcommand)]
pub enum IcdCommand {
    /// Write pumice.icd
    Install {
        /// Where.
        #[command(flatten)]
        args: IcdArgs,
        /// The library (default: the libpumice.so beside this program)
        #[arg(long, value_name = "FILE")]
        library: Option<PathBuf>,
    },
    /// Remove pumice.icd
    Uninstall {
        /// Where.
        #[command(flatten)]
        args: IcdArgs,
    },
    /// Print where libpumice.so is
    Path,
}

/// Where `pumice.icd` is kept.
#[derive(Debug, Args)]
pub struct IcdArgs {
    /// In the user's own directory (~/.local/share/OpenCL/vendors), which OCL_ICD_VENDORS must name, instead of the
    /// system's (/etc/OpenCL/vendors)
    #[arg(long)]
    pub user: bool,
    /// In this directory
    #[arg(long, value_name = "DIR", conflicts_with = "user")]
    pub dir: Option<PathBuf>,
}

/// What to compile, and for what.
#[derive(Debug, Args)]
pub struct SourceArgs {
    /// An OpenCL C or C++ for OpenCL (.clcpp) file, or an OpenCL SPIR-V module; '-' is standard input
    pub file: PathBuf,
    /// A Vulkan Profiles JSON ('vulkaninfo --json') to compile for, instead of a device of this machine; a bundle may have several
    #[arg(long, value_name = "PROFILE.json")]
    pub target: Vec<PathBuf>,
    /// The driver whose faults are worked around, where the profile names none: nvidia, llvmpipe, radv, swiftshader, turnip, panvk, honeykrisp, anv, mesa; a version may
    /// follow. Of several, each is that of the target at its place
    #[arg(long, value_name = "NAME", requires = "target")]
    pub driver: Vec<String>,
    /// How kernels reach their buffers
    #[arg(long, value_enum, default_value_t = Binding::Auto)]
    pub binding: Binding,
}

/// Compile an OpenCL C file
#[derive(Debug, Args)]
#[command(after_help = COMPILE_HELP)]
pub struct CompileArgs {
    /// The source.
    #[command(flatten)]
    pub source: SourceArgs,
    /// Where to write; '-' (the default) is standard output
    #[arg(short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What to write (default: bundle where OUT ends in .pum, else vulkan-spirv)
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
}

impl CompileArgs {
    /// What to write.
    #[must_use]
    pub fn emit(&self) -> Emit {
        let bundle = self.output.as_ref().is_some_and(|o| o.extension().is_some_and(|e| e == "pum"));
        self.emit.unwrap_or(if bundle { Emit::Bundle } else { Emit::VulkanSpirv })
    }
}

const COMPILE_HELP: &str = "\
With '--emit opencl-spirv' and no '--target', the device is one with 64-bit addresses and every optional feature of
OpenCL C that the front end has code for: all arithmetic types, images, sub-groups, atomics of all orders and scopes …
Everything else is for the device of '--target', or the first usable one of this machine.
The languages of naga's are written for the device of '--target', or for one with nothing optional: what naga does not know
of SPIR-V is refused by name.";

/// Show each kernel's pointers and variables: address space, storage class, binding
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The source.
    #[command(flatten)]
    pub source: SourceArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Show what the driver's compiler makes of each kernel: registers, instructions, spills
#[derive(Debug, Args)]
pub struct StatsArgs {
    /// An OpenCL C file, or an OpenCL SPIR-V module; '-' is standard input
    pub file: PathBuf,
    /// The device, by its index in 'pumice devices' or a part of its name (default: the first usable)
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// An AMD chip that need not be here, as RADV_FORCE_FAMILY has it: polaris10, navi21, gfx1100 …
    #[arg(long, value_name = "CHIP", conflicts_with = "device")]
    pub chip: Option<String>,
    /// The work-group size of kernels that require none
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',', num_args = 1, default_value = "64")]
    pub local: Vec<u32>,
    /// How kernels reach their buffers
    #[arg(long, value_enum, default_value_t = Binding::Auto)]
    pub binding: Binding,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Run a kernel
#[derive(Debug, Args)]
#[command(after_help = ARG_HELP)]
pub struct RunArgs {
    /// An OpenCL C file, an OpenCL SPIR-V module, or a bundle; '-' is standard input
    pub file: PathBuf,
    /// The kernel
    #[arg(long, value_name = "NAME")]
    pub kernel: String,
    /// The global size
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',', num_args = 1, required = true)]
    pub global: Vec<u64>,
    /// The work-group size (chosen automatically when left out)
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',', num_args = 1)]
    pub local: Option<Vec<u64>>,
    /// The global offset
    #[arg(long, value_name = "X[,Y[,Z]]", value_delimiter = ',', num_args = 1)]
    pub offset: Option<Vec<u64>>,
    /// Launch so many times, on the same buffers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Print how long the launches took on the device
    #[arg(long)]
    pub time: bool,
    /// Look for faults of the kernel and report them; exit 1 when there is one. Without classes, those of PUMICE_CHECK=1
    #[arg(long, value_name = "CLASS[,CLASS…]", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub check: Option<String>,
    /// How the kernel reaches its buffers
    #[arg(long, value_enum, default_value_t = Binding::Auto)]
    pub binding: Binding,
    /// The device, by its index in 'pumice devices' or a part of its name (default: the first usable)
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// For tests: the driver ends loops after so many iterations
    #[arg(long, value_name = "N", hide = true)]
    pub loop_limit: Option<u32>,
    /// A kernel argument, in order or as NAME=SPEC
    #[arg(long = "arg", value_name = "SPEC")]
    pub args: Vec<String>,
    /// Print a buffer or an image (its first N elements) afterwards
    #[arg(long, value_name = "NAME[:N]")]
    pub print: Vec<String>,
    /// Write a buffer or an image to a file afterwards; a .png may be followed by its size, ',WIDTHxHEIGHT'
    #[arg(long, value_name = "NAME=FILE.raw|.npy|.png")]
    pub out: Vec<String>,
    /// Compare a buffer with a file afterwards; exit 1 when it differs
    #[arg(long, value_name = "NAME=FILE[,ulp=N|,abs=E]")]
    pub expect: Vec<String>,
}

const ARG_HELP: &str = "\
Argument specifications:
  float[1024]:range          0, 1, 2 …           range=START or range=START,STEP
  uint[64]:const=7           the same everywhere
  float4[256]:random=SEED    in [0, 1) for floats, all bits for integers;  random=SEED,LOW,HIGH
  uchar[65536]:file=in.raw   from a file: raw bytes, .npy or .png ('uchar[]' takes its size from the file)
  int[4]:values=1,2,3,4      listed
  int[16]                    zeros
  int:42   float4:1,2,3,4    a value;   bytes:00ff10 a value of any type, in hexadecimal
  local:256                  bytes of __local memory
  image2d:photo.png          an image;   image2d<rgba,unorm8>[640,480], with the initial values above: image1d, image1d_array,
                             image1d_buffer, image2d_array, image3d; orders r a rg ra rgb rgba bgra argb abgr intensity
                             luminance depth srgba sbgra; types snorm8 snorm16 unorm8 unorm16 unorm565 unorm555
                             unorm101010 int8 int16 int32 uint8 uint16 uint32 half float
  sampler:linear,repeat      nearest, linear; clamp, clamp_to_edge, repeat, mirrored_repeat, none; normalized, unnormalized
  @NAME                      the same buffer or image as argument NAME
  null                       a NULL buffer";

/// Run passes of the lowering on IR in text form (as PUMICE_DUMP prints it) and print the result
#[derive(Debug, Args)]
pub struct IrArgs {
    /// A file of IR; '-' is standard input
    pub file: PathBuf,
    /// A pass to run, by its name; may be repeated, in the order wanted
    #[arg(long = "pass", value_name = "NAME", required = true)]
    pub passes: Vec<String>,
    /// The Vulkan Profiles JSON to lower for, instead of a device of this machine
    #[arg(long, value_name = "PROFILE.json")]
    pub target: Vec<PathBuf>,
    /// The driver whose faults are worked around, where the profile names none: nvidia, llvmpipe, radv, swiftshader, turnip, panvk, honeykrisp, anv, mesa; a version may follow
    #[arg(long, value_name = "NAME", requires = "target")]
    pub driver: Vec<String>,
    /// How kernels reach their buffers
    #[arg(long, value_enum, default_value_t = Binding::Auto)]
    pub binding: Binding,
}

/// Render a picture with a path tracer on the best device
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The device, by its index in 'pumice devices' or a part of its name (default: the first usable)
    #[arg(long, value_name = "INDEX|NAME")]
    pub device: Option<String>,
    /// Where the picture goes
    #[arg(short, value_name = "FILE.png", default_value = "out/demo.png")]
    pub output: PathBuf,
    /// The picture's width in pixels
    #[arg(long, default_value_t = 640, value_parser = clap::value_parser!(u32).range(1..=8192))]
    pub width: u32,
    /// The picture's height in pixels
    #[arg(long, default_value_t = 360, value_parser = clap::value_parser!(u32).range(1..=8192))]
    pub height: u32,
    /// Paths for each pixel
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: u32,
}

/// What `pumice compile` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The front end's module
    OpenclSpirv,
    /// The lowered module
    VulkanSpirv,
    /// The lowered module, disassembled
    Asm,
    /// What a host needs to launch the kernels, as JSON
    Reflection,
    /// Modules for all targets with what a host needs to launch their kernels, for 'pumice run', clCreateProgramWithBinary and
    /// pumice-vk
    Bundle,
    /// WGSL, by naga; of a module in the descriptor model
    Wgsl,
    /// Metal's language, by naga
    Msl,
    /// Direct3D's language, by naga
    Hlsl,
    /// OpenGL's language, by naga, one kernel
    Glsl,
}

/// `--binding`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Binding {
    /// By the device and the kernel
    Auto,
    /// Storage buffer descriptors
    Descriptor,
    /// Device addresses
    Address,
    /// Few descriptors, each with many buffers: on devices without addresses
    Packed,
}

impl Binding {
    /// For the lowering.
    pub fn choice(self) -> BindingChoice {
        match self {
            Binding::Auto => BindingChoice::Auto,
            Binding::Descriptor => BindingChoice::Fixed(BindingModel::Descriptor),
            Binding::Address => BindingChoice::Fixed(BindingModel::Address),
            Binding::Packed => BindingChoice::Fixed(BindingModel::Packed),
        }
    }
}

/// Build options have OpenCL's own syntax (`-cl-std=…`, `-DNAME`): they are taken out before the rest is
/// parsed. Gives the remaining words and the options.
///
/// # Errors
/// A malformed build option, or a `-cl-…` option that is none.
pub fn take_build_options(
    args: impl IntoIterator<Item = String>,
) -> Result<(Vec<String>, Options), CliError> {
    let words: Vec<String> = args.into_iter().collect();
    let (mut rest, mut options) = (Vec::new(), Options::default());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_long = word.starts_with("--") && word != "--infer-address-spaces";
        let is_short = at > 0 && word.starts_with('-') && !is_long && word.len() > 1;
        let used = match is_short {
            true => options.take_build_option(word, words.get(at + 1).map(String::as_str))?,
            false => 0,
        };
        if used == 0 && word.starts_with("-cl-") {
            return Err(frontend::options::OptionError::Unknown(word.clone()).into());
        }
        if used == 0 {
            rest.push(word.clone());
        }
        at += used.max(1);
    }
    Ok((rest, options))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn build_options_are_taken_out() {
        let words = ["pumice", "compile", "-DN=4", "x.cl", "-I", "inc", "-cl-std=CL3.0", "-o", "-"];
        let (rest, options) = take_build_options(words.map(str::to_owned)).expect("valid");
        assert_eq!(rest, ["pumice", "compile", "x.cl", "-o", "-"]);
        assert_eq!(options.macros.len(), 1);
        assert_eq!(options.include_dirs.len(), 1);
        assert!(take_build_options(["pumice", "-cl-nonsense"].map(str::to_owned)).is_err());
    }
}
