//! Our modules beside another compiler's of the same files, on RADV's null device or another: weighted instructions of every kernel of both.
//!
//! Each chip has a process of its own, since the driver reads the chip from the environment; a module that the driver dies of is named,
//! and the process after it goes on behind the file.

use super::foreign::Module;
use super::reasons;
use super::weight::{Weight, weighted};
use crate::table;
use frontend::options::Options;
use lower::kernel_info::BindingModel;
use lower::{BindingChoice, LowerOptions, Target};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use vk_runtime::executable::{Compiler, Report, Shader};

/// The chips that the tables have: GFX8, RDNA2, RDNA3.
pub const CHIPS: [&str; 3] = ["polaris10", "navi21", "gfx1100"];
/// The word that tells the program that its environment is the one of a chip.
pub const ALONE: &str = "--alone";
/// Rows that are shown of the worst.
const WORST: usize = 20;
/// Kernels of which clspv's module computes something else, which is no measure. It ends loops that are entered in their middle after one round: work-item 0
/// of `goto_into_a_loop` would give 1710 for 5413, all of `irreducible` 2 for 5 and 6, and the fourth value of work-item 1 of `structure` 47 for −40. The
/// test of `strided_rounds`' pointer is one of where it began: the loop has no end.
const WRONG: [(&str, &str); 4] = [
    ("tests/cases/run/control/goto_into_a_loop.cl", "k"),
    ("tests/cases/run/control/irreducible.cl", "k"),
    ("tests/cases/run/control/structure.cl", "k"),
    ("tests/cases/run/control/strided_rounds.cl", "pointers"),
];
const MODELS: [BindingModel; 2] = [BindingModel::Descriptor, BindingModel::Address];

/// The modules to compare.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The other compiler's modules: of `tests/kernels/aes.cl` there is `tests/kernels/aes.spv`.
    pub modules: PathBuf,
    /// The chips; all where there are none.
    pub chips: Vec<String>,
    /// The files; where there are none, all of `tests/cases/run`, `tests/kernels` and `bench/kernels`.
    pub files: Vec<PathBuf>,
    /// The folder for the forms of the code that the driver shows.
    pub texts: Option<PathBuf>,
    /// All rows are printed, not only the worst.
    pub all: bool,
    /// Ours are in the form for launches whose arguments share memory; other compilers take arguments to be apart.
    pub together: bool,
    /// The device that the environment chooses, not RADV's chips.
    pub here: bool,
}

/// Weighted instructions of a kernel on a chip: ours in a model, and the other compiler's.
type Rows = BTreeMap<(String, String), BTreeMap<(usize, usize), (u64, u64)>>;

/// Compiles and compares; prints the means and the worst rows.
///
/// # Errors
/// A process that cannot be started, no file in common.
pub fn compare(asked: &Asked, icd: &str) -> Result<(), String> {
    let chips: Vec<&str> = match asked.chips.is_empty() {
        _ if asked.here => vec!["here"],
        true => CHIPS.to_vec(),
        false => asked.chips.iter().map(String::as_str).collect(),
    };
    let files = match asked.files.is_empty() {
        true => all_files()?,
        false => asked.files.clone(),
    };
    let files: Vec<PathBuf> = files.into_iter().filter(|f| module_of(&asked.modules, f).exists()).collect();
    if files.is_empty() {
        return Err(format!("no module of these files is in {}", asked.modules.display()));
    }
    let mut rows = Rows::new();
    for (n, chip) in chips.iter().enumerate() {
        of_chip(asked, icd, chip, &files, |file, kernel, model, ours, theirs| {
            let row = rows.entry((file.to_owned(), kernel.to_owned())).or_default();
            row.insert((n, model), (ours, theirs));
        })?;
    }
    print_means(&rows, &chips);
    print_rows(&rows, &chips, asked.all);
    if asked.here {
        return Ok(());
    }
    print_reasons(&rows, &chips, asked.files.is_empty() && asked.chips.is_empty())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The name of a file: its path in the repository where it is there.
fn name_of(file: &Path) -> PathBuf {
    let (root, full) = (root().canonicalize().unwrap_or_default(), file.canonicalize().unwrap_or_default());
    full.strip_prefix(root).map_or_else(|_| file.to_owned(), Path::to_owned)
}

fn module_of(modules: &Path, file: &Path) -> PathBuf {
    modules.join(name_of(file)).with_extension("spv")
}

fn all_files() -> Result<Vec<PathBuf>, String> {
    let mut folders = ["tests/cases/run", "tests/kernels", "bench/kernels"].map(|f| root().join(f)).to_vec();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten() {
            let path = entry.path();
            match path.is_dir() {
                // What lies in folders beside the kernels is for other tests.
                true if folder.ends_with("kernels") => {}
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == "cl") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Runs this program for one chip until every file was compiled or was died of.
fn of_chip(
    asked: &Asked,
    icd: &str,
    chip: &str,
    files: &[PathBuf],
    mut found: impl FnMut(&str, &str, usize, u64, u64),
) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut left = files;
    while !left.is_empty() {
        let mut command = Command::new(&program);
        command.arg(ALONE).arg("--against").arg(&asked.modules);
        if asked.together {
            command.arg("--together");
        }
        if let Some(texts) = &asked.texts {
            command.arg("--texts").arg(texts.join(chip));
        }
        command.args(left);
        if !asked.here {
            command.env("RADV_FORCE_FAMILY", chip).env("VK_DRIVER_FILES", icd).env("VK_ICD_FILENAMES", icd);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
        let mut begun = 0_usize;
        let out = child.stdout.take().ok_or("no output")?;
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let words: Vec<&str> = line.split('\t').collect();
            match words[..] {
                ["file"] => begun += 1,
                ["row", file, kernel, model, ours, theirs] => {
                    if let (Ok(model), Ok(ours), Ok(theirs)) = (model.parse(), ours.parse(), theirs.parse()) {
                        found(file, kernel, model, ours, theirs);
                    }
                }
                _ => println!("{chip}: {line}"),
            }
        }
        let status = child.wait().map_err(|e| e.to_string())?;
        if status.success() {
            return Ok(());
        }
        let Some(died) = begun.checked_sub(1).and_then(|n| left.get(n)) else {
            return Err(format!("{chip}: {status}"));
        };
        println!("{chip}: {}: the driver ended with {status}", name_of(died).display());
        left = &left[begun..];
    }
    Ok(())
}

/// The process of one chip: names each file that it begins and each row on standard output.
///
/// # Errors
/// The device's.
pub fn compile_all(asked: &Asked) -> Result<(), String> {
    let instance =
        vk_runtime::Instance::new(&vk_runtime::InstanceOptions::default()).map_err(|e| e.to_string())?;
    let physical = instance.select(None).map_err(|e| e.to_string())?;
    let compiler = Compiler::new(&physical, physical.target()).map_err(|e| e.to_string())?;
    let mut out = std::io::stdout().lock();
    for file in &asked.files {
        let result = writeln!(out, "file").and_then(|()| out.flush());
        result.map_err(|e| e.to_string())?;
        let name = name_of(file).display().to_string();
        let mut tell = |line: String| writeln!(out, "{line}").map_err(|e| e.to_string());
        if let Err(message) = compile_file(asked, &compiler, physical.target(), file, &name, &mut tell) {
            tell(format!("{name}: {message}"))?;
        }
    }
    Ok(())
}

fn compile_file(
    asked: &Asked,
    compiler: &Compiler,
    target: &Target,
    file: &Path,
    name: &str,
    tell: &mut impl FnMut(String) -> Result<(), String>,
) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let bytes = std::fs::read(module_of(&asked.modules, file)).map_err(|e| e.to_string())?;
    let words = spirv_io::bytes_to_words(&bytes).map_err(|e| e.to_string())?;
    let theirs = Module::read(words).map_err(|e| e.to_string())?;
    let mut options = case_options(&text)?;
    host::target::apply(target, &mut options);
    let words = frontend::compile(name, &text, &options).spirv.ok_or("does not compile")?;
    let sub_group = target.limits.subgroup_size;
    let mut known = BTreeMap::new();
    for (number, model) in MODELS.into_iter().enumerate() {
        let options = LowerOptions {
            binding: BindingChoice::Fixed(model),
            noalias: !asked.together,
            specialised: true,
            ..LowerOptions::default()
        };
        let lowered = match lower::lower(&words, target, &options) {
            Ok(lowered) => lowered,
            Err(e) => {
                tell(format!("{name}: {model:?}: {e}"))?;
                continue;
            }
        };
        for kernel in &lowered.kernels {
            let size = kernel.reqd_work_group_size.unwrap_or([64, 1, 1]);
            let Some(shader) = theirs.shader(&kernel.name, size, sub_group) else { continue };
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let place =
                |whose: &str| Some(asked.texts.as_ref()?.join(format!("{stem}.{}.{whose}", kernel.name)));
            let other = match known.get(&kernel.name) {
                Some(weight) => *weight,
                None => weigh(compiler, &shader, place("theirs").as_deref())?,
            };
            known.insert(kernel.name.clone(), other);
            let model_name = format!("{model:?}").to_lowercase();
            let shader = Shader::of_kernel(&lowered.spirv, kernel, size);
            let own = weigh(compiler, &shader, place(&model_name).as_deref())?;
            if own.writes && !other.writes {
                // A module that lost what the kernel does is no measure.
                tell(format!("{name}: {}: the other module writes nothing", kernel.name))?;
                continue;
            }
            if WRONG.contains(&(name, kernel.name.as_str())) {
                tell(format!("{name}: {}: the other module computes something else", kernel.name))?;
                continue;
            }
            let (own, other) = (own.instructions, other.instructions);
            tell(format!("row\t{name}\t{}\t{number}\t{own}\t{other}", kernel.name))?;
        }
    }
    Ok(())
}

/// The build options that a case names.
fn case_options(text: &str) -> Result<Options, String> {
    let words =
        text.lines().filter_map(|line| line.strip_prefix("// options: ")).flat_map(str::split_whitespace);
    let words = std::iter::once("code-bench").chain(words).map(str::to_owned);
    pumice_cli::cli::take_build_options(words).map(|(_, options)| options).map_err(|e| e.to_string())
}

/// The weighted instructions of a shader; what the driver shows of it goes into files that begin with `place`.
fn weigh(compiler: &Compiler, shader: &Shader<'_>, place: Option<&Path>) -> Result<Weight, String> {
    let Report { texts, .. } =
        compiler.compile(shader, true).map_err(|e| format!("{}: {e}", shader.entry))?;
    if let Some(place) = place {
        write_texts(place, &texts).map_err(|e| format!("{}: {e}", place.display()))?;
    }
    let assembly = texts.iter().find(|t| t.0.contains("Assembly")).map(|t| t.1.as_str()).unwrap_or_default();
    weighted(assembly).ok_or_else(|| "the driver shows no assembly".to_owned())
}

fn write_texts(place: &Path, texts: &[(String, String)]) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder)?;
    }
    for (name, text) in texts {
        let form = name.split_whitespace().next().unwrap_or("text").to_lowercase();
        std::fs::write(format!("{}.{form}", place.display()), text)?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts of instructions are far below 2^52")]
fn ratio(pair: &(u64, u64)) -> f64 {
    pair.0 as f64 / pair.1.max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "a count of kernels")]
fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}

fn print_means(rows: &Rows, chips: &[&str]) {
    let mut lines = Vec::new();
    for (n, chip) in chips.iter().enumerate() {
        for folder in ["", "tests/cases/run", "tests/kernels", "bench/kernels"] {
            let of_folder = || rows.iter().filter(|(name, _)| name.0.starts_with(folder)).map(|(_, row)| row);
            let mut line = vec![format!("{chip} {}", if folder.is_empty() { "all" } else { folder })];
            for model in 0..MODELS.len() {
                let ratios: Vec<f64> =
                    of_folder().filter_map(|row| row.get(&(n, model))).map(ratio).collect();
                let over = ratios.iter().filter(|r| **r > reasons::OVER).count();
                line.extend([ratios.len().to_string(), format!("{:.3}", mean(&ratios)), over.to_string()]);
            }
            let both = |row: &BTreeMap<_, _>| Some(ratio(row.get(&(n, 1))?) / ratio(row.get(&(n, 0))?));
            line.push(format!("{:.3}", mean(&of_folder().filter_map(both).collect::<Vec<_>>())));
            lines.push(line);
        }
    }
    let header = [
        "chip",
        "descriptors",
        "mean",
        "over 1.15",
        "addresses",
        "mean",
        "over 1.15",
        "addresses/descriptors",
    ];
    table::print(&header, &lines);
}

fn print_rows(rows: &Rows, chips: &[&str], all: bool) {
    let worst = |row: &BTreeMap<_, (u64, u64)>| row.values().map(ratio).fold(0.0, f64::max);
    let mut order: Vec<_> = rows.iter().collect();
    order.sort_by(|a, b| worst(b.1).total_cmp(&worst(a.1)));
    let shown = if all { order.len() } else { WORST };
    let mut header = vec!["file and kernel".to_owned()];
    for chip in chips {
        header.extend([format!("{chip}, d"), "a".to_owned(), "theirs".to_owned()]);
    }
    let mut lines = Vec::new();
    for ((file, kernel), row) in order.into_iter().take(shown) {
        let mut line = vec![format!("{file} {kernel}")];
        for n in 0..chips.len() {
            for model in 0..MODELS.len() {
                line.push(row.get(&(n, model)).map_or("-".to_owned(), |pair| format!("{:.2}", ratio(pair))));
            }
            let theirs = (0..MODELS.len()).find_map(|model| row.get(&(n, model)));
            line.push(theirs.map_or("-".to_owned(), |pair| pair.1.to_string()));
        }
        lines.push(line);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table::print(&header, &lines);
}

/// Rows over 1.15: how many have which reason; then what has none and, where all was compared, the reasons that no row needs.
fn print_reasons(rows: &Rows, chips: &[&str], whole: bool) -> Result<(), String> {
    let list = reasons::list()?;
    let mut used = vec![false; list.len()];
    // The first reason that a row has in a column.
    let mut columns = vec![BTreeMap::new(); chips.len() * MODELS.len()];
    let mut without = Vec::new();
    for ((file, kernel), row) in rows {
        for ((chip, model), pair) in row.iter().filter(|(_, pair)| ratio(pair) > reasons::OVER) {
            let holds = |n: &usize| list[*n].holds(file, kernel, chips[*chip], *model == 1);
            let mut found = (0..list.len()).filter(holds).peekable();
            match found.peek() {
                Some(n) => *columns[chip * MODELS.len() + model].entry(list[*n].class).or_insert(0) += 1,
                None => without.push(format!(
                    "{file} {kernel}: {:.2} ({}, {:?})",
                    ratio(pair),
                    chips[*chip],
                    MODELS[*model]
                )),
            }
            found.for_each(|n| used[n] = true);
        }
    }
    let mut header = vec!["reason".to_owned()];
    for chip in chips {
        header.extend([format!("{chip}, d"), "a".to_owned()]);
    }
    let line = |class: &&str| {
        let counts = columns.iter().map(|column| column.get(class).copied().unwrap_or(0_usize).to_string());
        std::iter::once((*class).to_owned()).chain(counts).collect()
    };
    let lines: Vec<Vec<String>> = reasons::CLASSES.iter().map(line).collect();
    table::print(&header.iter().map(String::as_str).collect::<Vec<_>>(), &lines);
    println!("over {} without a reason: {}", reasons::OVER, without.len());
    without.iter().for_each(|line| println!("    {line}"));
    for reason in list.iter().zip(&used).filter(|(_, used)| whole && !**used).map(|(reason, _)| reason) {
        println!("no row needs the reason {} of {} {}", reason.class, reason.file, reason.kernel);
    }
    Ok(())
}
