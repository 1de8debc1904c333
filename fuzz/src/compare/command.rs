//! `fuzz compare`: the command around [`compare`](super::compare()).

use super::jobs::{self, Plan};
use super::vary::Variant;
use super::{Browser, Features, Lowering, Runner, Settings, Vulkan, show, worker};
use lower::Target;
use lower::profile::target_from_profile;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The text of `fuzz compare --help`.
pub const HELP: &str = "\
Usage: fuzz compare [OPTIONS]

Makes random OpenCL C programs that are defined, executes each with an interpreter, and runs it in each binding model of
a Vulkan device: every buffer must hold the same.

Options:
  --seed N           the first program (default 1)
  --count M          how many (default 1000)
  --jobs J           so many processes at once (default 1)
  --for SECONDS      begins no more programs after this time
  --device D,…       the Vulkan devices, by index or by a part of the name; several are shared out to the jobs
  --mask FILE        restricts the device to a Vulkan profile
  --model M          descriptor, address or packed (without addresses) alone; 'turns': each program in one of them, by its seed
  --modes LIST       test modes of the runtime, as in PUMICE_TEST_MODES: tune.block=256 has each buffer in a window of its own
  --target FILE      no device: lowers for this profile, and counts refusals (may be given several times)
  --browser          Chromium by pumice-web in place of Vulkan, once scripts/web has built the page
  --without F        leaves a feature out: FEATURES
  --with F           brings one in that is left out else: sub-groups
  --out DIR          where cases of failures go (default: target/fuzz)
  --vary WHAT        in place of as it is, with something changed: VARIANTS, or 'all'
  --no-shrink        failures are left as large as they are
  --small SECONDS    for making one failure small (default 600)
  --seconds N        a program that takes longer is run again alone (default 60)
  --again N          with so many times as long (default 4)
  --show             prints the case of --seed and does not run it

With another OpenCL in place of Vulkan: `cargo run -p pumice-bench --bin opencl-compare -- --opencl DRIVER.so`.
Failures are shown with their seeds and written as cases. The exit code is 0 if all programs were compared and agree, 1 if
not, 2 if nothing can be compared.";

/// The arguments.
#[derive(Debug, Clone)]
pub struct Args {
    /// The programs to make.
    pub settings: Settings,
    device: Option<String>,
    mask: Option<PathBuf>,
    model: Option<String>,
    modes: String,
    targets: Vec<PathBuf>,
    jobs: usize,
    seconds: u64,
    again: u32,
    time: Option<u64>,
    small: u64,
    vary: Vec<Variant>,
    browser: bool,
    show: bool,
    worker: bool,
    /// Options that are not of this command.
    pub others: Vec<(String, String)>,
}

/// Reads the arguments; `others` names further options, each with a value.
///
/// # Errors
/// A message for the user.
pub fn parse(words: impl Iterator<Item = String>, others: &[&str]) -> Result<Args, String> {
    let root = root();
    let mut args = Args {
        settings: Settings {
            seed: 1,
            count: 1000,
            features: Features::default(),
            out: Some(root.join("target/fuzz")),
            shrink: true,
        },
        device: None,
        mask: None,
        model: None,
        modes: String::new(),
        targets: vec![],
        jobs: 1,
        seconds: 60,
        again: 4,
        time: None,
        small: 600,
        vary: vec![],
        browser: false,
        show: false,
        worker: false,
        others: vec![],
    };
    let mut words = words;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("'{text}' is no number"));
        match word.as_str() {
            "--seed" => args.settings.seed = number(value()?)?,
            "--count" => args.settings.count = number(value()?)?,
            "--jobs" => args.jobs = usize::try_from(number(value()?)?).unwrap_or(1),
            "--for" => args.time = Some(number(value()?)?),
            "--device" => args.device = Some(value()?),
            "--mask" => args.mask = Some(value()?.into()),
            "--model" => args.model = Some(value()?),
            "--modes" => args.modes = value()?,
            "--target" => args.targets.push(value()?.into()),
            "--out" => args.settings.out = Some(value()?.into()),
            "--seconds" => args.seconds = number(value()?)?,
            "--again" => args.again = u32::try_from(number(value()?)?).unwrap_or(u32::MAX).max(1),
            "--small" => args.small = number(value()?)?,
            "--vary" => args.vary.extend(Variant::named(&value()?)?),
            "--no-shrink" => args.settings.shrink = false,
            "--browser" => args.browser = true,
            "--show" => args.show = true,
            "--worker" => args.worker = true,
            "--without" | "--with" => {
                let name = value()?;
                if !args.settings.features.set(&name, word == "--with") {
                    return Err(format!("'{name}' is none of {}", Features::NAMES.join(", ")));
                }
            }
            word if others.contains(&word) => args.others.push((word.to_owned(), value()?)),
            _ => return Err(help()),
        }
    }
    Ok(args)
}

/// [`HELP`] with the names of the features.
#[must_use]
pub fn help() -> String {
    let variants: Vec<String> = Variant::all().map(|v| v.name).collect();
    HELP.replace("FEATURES", &Features::NAMES.join(", ")).replace("VARIANTS", &variants.join(", "))
}

/// Runs the command; whether all programs were compared and agree.
///
/// # Errors
/// A message for the user.
pub fn command(words: impl Iterator<Item = String>) -> Result<bool, String> {
    let words: Vec<String> = words.collect();
    let args = parse(words.iter().cloned(), &[])?;
    run(args, &[&["compare".to_owned()], words.as_slice()].concat(), runner)
}

/// The common part of both commands: shows a program, or runs programs in this process where it is a child, or has children
/// run them. `words` is the command line without the program's name; `open` gives what runs cases, and its name.
///
/// # Errors
/// A message for the user.
pub fn run(
    mut args: Args,
    words: &[String],
    open: impl FnOnce(&mut Args) -> Result<(Box<dyn Runner>, String), String>,
) -> Result<bool, String> {
    if args.show {
        // The device decides on 64-bit integers.
        open(&mut args)?;
        let text = show(args.settings.seed, &args.settings.features, "a random program");
        println!("{}", text.ok_or("no program of this seed is defined")?);
        return Ok(true);
    }
    if args.worker {
        let (mut runner, name) = open(&mut args)?;
        worker::work(&args.settings, &name, runner.as_mut());
        return Ok(true);
    }
    jobs::run(&Plan {
        settings: &args.settings,
        words: words.iter().cloned().chain(["--worker".to_owned()]).collect(),
        devices: match &args.device {
            Some(list) => list.split(',').map(|d| Some(d.to_owned())).collect(),
            None => vec![None],
        },
        jobs: args.jobs,
        limit: Duration::from_secs(args.seconds.max(1)),
        again: args.again,
        time: args.time.map(Duration::from_secs),
        small: Duration::from_secs(args.small),
    })
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The browser, and programs without what WebGPU lacks: parts of buffers, special floats, and what its
/// profile lacks; without sub-groups, whose size the adapter has.
fn browser(args: &mut Args) -> Result<(Box<dyn Runner>, String), String> {
    let features = &mut args.settings.features;
    features.without_what_lacks(&profile(&root().join("web/webgpu.json"))?);
    (features.parts, features.sub_groups) = (false, false);
    features.special_floats = false;
    Ok((Box::new(Browser::open(&root())?), "WebGPU in Chromium".to_owned()))
}

fn profile(path: &PathBuf) -> Result<Target, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    target_from_profile(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The runner of the cases.
fn runner(args: &mut Args) -> Result<(Box<dyn Runner>, String), String> {
    if args.browser {
        return browser(args);
    }
    let targets = args.targets.iter().map(profile).collect::<Result<Vec<_>, _>>()?;
    if !targets.is_empty() {
        targets.iter().for_each(|t| args.settings.features.without_what_lacks(t));
        let names: Vec<String> = targets.iter().map(|t| t.name.clone()).collect();
        return Ok((Box::new(Lowering::new(targets)), names.join(", ")));
    }
    let mask = args.mask.as_ref().map(profile).transpose()?;
    let model = args.model.as_deref().filter(|m| *m != "turns");
    let mut vulkan = Vulkan::open(args.device.as_deref(), mask.as_ref(), model, &args.modes)?;
    vulkan.vary(&args.vary);
    if args.model.as_deref() == Some("turns") {
        vulkan.take_turns();
    }
    args.settings.features.without_what_lacks(vulkan.target());
    let name = vulkan.device().to_owned();
    Ok((Box::new(vulkan), name))
}
