//! Kernels in which one access, barrier or initialisation is wrong: the checking mode finds each, and names its line.
//!
//! Each kernel of [`KERNELS`] is right. A mutant replaces one text of it by another, for some element types and work-group sizes: always the same
//! [`COUNT`] mutants, in the same order. The test takes every [`STEP`]th; `PUMICE_TEST_MUTANTS=N` takes every Nth, and `all` takes all.
//! The misses are printed. `PUMICE_TEST_BINDING` names the binding model. Where the device has no records of races (`PUMICE_TARGET`), mutants with
//! races are counted apart.

use crate::cases;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of mutants.
const COUNT: usize = 500;
/// The mutants that the test leaves out for each that it takes, plus 1.
const STEP: usize = 23;
/// The time that a run may take.
const LONGEST: Duration = Duration::from_secs(60);
/// The work-items of a launch.
const ITEMS: usize = 64;

/// A right kernel: its body after the declarations of `i` and `l`, arguments besides `out` and `in`, and what makes it wrong.
struct Kernel {
    name: &'static str,
    parameters: &'static str,
    arguments: &'static [&'static str],
    body: &'static str,
    types: &'static [&'static str],
    mutants: &'static [Mutant],
}

/// A text that is replaced by another one, the class of the fault, and the letters of the lines that a report may name.
type Mutant = (&'static str, &'static str, &'static str, &'static str);

const ALL: &[&str] = &["int", "float", "uint", "long"];
const INTS: &[&str] = &["int", "uint", "long"];
const WORDS: &[&str] = &["int", "uint"];

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "copy",
        parameters: "",
        arguments: &[],
        body: "out[i] = in[i]; // A",
        types: ALL,
        mutants: &[
            ("in[i]", "in[i + 1]", "bounds", "A"),
            ("in[i]", "in[i - 1]", "bounds", "A"),
            ("in[i]", "in[2 * i]", "bounds", "A"),
            ("out[i]", "out[i + 1]", "bounds", "A"),
            ("out[i]", "out[i / 2]", "races", "A"),
            ("out[i]", "out[0]", "races", "A"),
        ],
    },
    Kernel {
        name: "reversed",
        parameters: "",
        arguments: &[],
        body: "local T x[N];\nx[l] = in[i]; // A\nbarrier(CLK_LOCAL_MEM_FENCE); // B\nout[i] = x[N - 1 - l]; // C",
        types: ALL,
        mutants: &[
            ("barrier(CLK_LOCAL_MEM_FENCE);", "", "races", "AC"),
            ("barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_GLOBAL_MEM_FENCE);", "races", "AC"),
            ("x[N - 1 - l]", "x[N - l]", "bounds", "C"),
            ("x[l] =", "x[l + 1] =", "bounds", "A"),
            ("x[l] =", "if (l) x[l] =", "uninitialised", "C"),
            ("barrier(CLK", "if (l < 4) barrier(CLK", "barriers", "B"),
        ],
    },
    Kernel {
        name: "sum",
        parameters: "",
        arguments: &[],
        body: "local T x[N];\nx[l] = in[i]; // A\nbarrier(CLK_LOCAL_MEM_FENCE); // first\n\
               for (int s = N / 2; s > 0; s /= 2) {\nif (l < s) x[l] += x[l + s]; // B\n\
               barrier(CLK_LOCAL_MEM_FENCE); // second\n}\nif (l == 0) out[i / N] = x[0]; // C",
        types: ALL,
        mutants: &[
            ("barrier(CLK_LOCAL_MEM_FENCE); // first", "", "races", "AB"),
            ("barrier(CLK_LOCAL_MEM_FENCE); // second", "", "races", "B"),
            ("if (l < s)", "if (l <= s)", "races", "B"),
            ("x[l + s]", "x[l + s + N]", "bounds", "B"),
            ("out[i / N]", "out[i * N + N]", "bounds", "C"),
        ],
    },
    Kernel {
        name: "private_array",
        parameters: "",
        arguments: &[],
        body: "T a[4];\nfor (int j = 0; j < 4; j++) a[j] = in[i] + j; // A\nout[i] = a[i & 3]; // B",
        types: ALL,
        mutants: &[
            ("j < 4", "j < 3", "uninitialised", "B"),
            ("j = 0", "j = 1", "uninitialised", "B"),
            ("j < 4", "j <= 4", "bounds", "A"),
            ("i & 3", "i & 7", "bounds", "B"),
        ],
    },
    Kernel {
        name: "private_scalar",
        parameters: "",
        arguments: &[],
        body: "T s;\ns = 0;\nfor (int j = 0; j < 3; j++)\ns += in[i] * j; // A\nout[i] = s; // B",
        types: ALL,
        mutants: &[
            ("s = 0;", "", "uninitialised", "AB"),
            ("s = 0;", "if (i > 9) s = 0;", "uninitialised", "AB"),
        ],
    },
    Kernel {
        name: "divided",
        parameters: "",
        arguments: &[],
        body: "out[i] = 100 / (in[i] + 1); // A",
        types: INTS,
        mutants: &[
            ("(in[i] + 1)", "in[i]", "arithmetic", "A"),
            ("/ (in[i] + 1)", "% in[i]", "arithmetic", "A"),
        ],
    },
    Kernel {
        name: "unaligned",
        parameters: "",
        arguments: &[],
        body: "out[i] = *(global const T *)((global const char *)in + 8 * (i & 3)); // A",
        types: ALL,
        mutants: &[("8 *", "1 + 8 *", "alignment", "A"), ("8 *", "2 + 8 *", "alignment", "A")],
    },
    Kernel {
        name: "null",
        parameters: ", int n",
        arguments: &["int:1"],
        body: "global const T *p = n > 0 ? in : 0;\nout[i] = p[i]; // A",
        types: ALL,
        mutants: &[("n > 0", "n > 1", "null", "A")],
    },
    Kernel {
        name: "counters",
        parameters: ", global int *c",
        arguments: &["int[8]:const=0"],
        body: "atomic_inc(&c[i & 7]); // A\nout[i] = in[i];",
        types: WORDS,
        mutants: &[("i & 7", "i & 15", "bounds", "A"), ("atomic_inc(&c[i & 7])", "c[i & 7]++", "races", "A")],
    },
    Kernel {
        name: "stencil",
        parameters: "",
        arguments: &[],
        body: "if (i > 0 && i < 63) out[i] = in[i - 1] + in[i] + in[i + 1]; // A",
        types: ALL,
        mutants: &[
            ("i > 0 && ", "", "bounds", "A"),
            ("i < 63", "i < 64", "bounds", "A"),
            ("in[i + 1]", "in[i + 2]", "bounds", "A"),
            ("in[i]", "in[i + 64]", "bounds", "A"),
        ],
    },
    Kernel {
        name: "scan",
        parameters: "",
        arguments: &[],
        body: "local T x[2][N];\nint p = 0;\nx[0][l] = in[i]; // A\nfor (int d = 1; d < N; d *= 2) {\n\
               barrier(CLK_LOCAL_MEM_FENCE);\nx[1 - p][l] = l >= d ? x[p][l] + x[p][l - d] : x[p][l]; // B\n\
               p = 1 - p;\n}\nout[i] = x[p][l];",
        types: ALL,
        mutants: &[
            ("barrier(CLK_LOCAL_MEM_FENCE);", "", "races", "AB"),
            ("x[1 - p][l] =", "x[p][l] =", "races", "B"),
        ],
    },
    Kernel {
        name: "async_copy",
        parameters: "",
        arguments: &[],
        body: "local T x[N];\nevent_t e = async_work_group_copy(x, in + i / N * N, N, 0); // A\n\
               wait_group_events(1, &e);\nout[i] = x[N - 1 - l]; // B",
        types: ALL,
        mutants: &[
            ("N, 0)", "l ? N : 1, 0)", "barriers", "A"),
            ("wait_group_events(1, &e);", "barrier(CLK_LOCAL_MEM_FENCE);", "barriers", "A"),
            ("N, 0)", "N - 1, 0)", "uninitialised", "B"),
            ("N, 0)", "N + 1, 0)", "bounds", "A"),
        ],
    },
    Kernel {
        name: "vectors",
        parameters: "",
        arguments: &[],
        body: "if (i < 16)\nvstore4(vload4(i, in), i, out); // A",
        types: ALL,
        mutants: &[
            ("i < 16", "i < 17", "bounds", "A"),
            ("vload4(i,", "vload4(i + 4,", "bounds", "A"),
            ("i, out)", "i / 2, out)", "races", "A"),
        ],
    },
    Kernel {
        name: "rows",
        parameters: "",
        arguments: &[],
        body: "int x = i % 8, y = i / 8;\nout[y * 8 + x] = in[x * 8 + y]; // A",
        types: ALL,
        mutants: &[
            ("y * 8 + x]", "y * 9 + x]", "bounds", "A"),
            ("y * 8 + x]", "y * 7 + x]", "races", "A"),
            ("x * 8 + y]", "x * 8 + y + x]", "bounds", "A"),
        ],
    },
    Kernel {
        name: "local_argument",
        parameters: ", local T *x",
        arguments: &["local:BYTES"],
        body: "x[l] = in[i]; // A\nbarrier(CLK_LOCAL_MEM_FENCE);\nout[i] = x[l ^ 1]; // B",
        types: ALL,
        mutants: &[
            ("x[l] =", "x[l + 1] =", "bounds", "A"),
            ("x[l ^ 1]", "x[l - 1]", "bounds", "B"),
            ("barrier(CLK_LOCAL_MEM_FENCE);", "", "races", "AB"),
            ("x[l] =", "if (l != 3) x[l] =", "uninitialised", "B"),
        ],
    },
    Kernel {
        name: "table",
        parameters: "",
        arguments: &[],
        body: "constant static T t[4] = {1, 2, 3, 4};\nout[i] = t[i & 3] + in[i]; // A",
        types: ALL,
        mutants: &[("i & 3", "i & 7", "bounds", "A")],
    },
    Kernel {
        name: "divergent",
        parameters: "",
        arguments: &[],
        body: "for (int j = 0; j < 4; j++) {\nout[i] = in[i] + j;\nbarrier(CLK_GLOBAL_MEM_FENCE); // A\n}",
        types: ALL,
        mutants: &[
            ("barrier(", "if (l == 3) break; barrier(", "barriers", "A"),
            ("for (int j", "if (l == 3) return; for (int j", "barriers", "A"),
        ],
    },
    Kernel {
        name: "four_each",
        parameters: "",
        arguments: &[],
        body: "if (i < 16)\nfor (int j = 0; j < 4; j++) out[4 * i + j] = in[4 * i + j]; // A",
        types: ALL,
        mutants: &[
            ("j < 4", "j < 5", "races bounds", "A"),
            ("out[4 * i", "out[3 * i", "races", "A"),
            ("i < 16", "i < 17", "bounds", "A"),
        ],
    },
];

/// A kernel of a type and a work-group size, with or without a fault.
struct Program {
    name: String,
    source: String,
    arguments: Vec<String>,
    local: usize,
    /// The classes and the lines of the fault.
    wanted: Option<(&'static str, Vec<usize>)>,
}

fn program(kernel: &Kernel, ty: &str, local: usize, mutant: Option<&Mutant>) -> Program {
    let mut body = kernel.body.to_owned();
    if let Some((from, to, ..)) = mutant {
        assert_eq!(body.matches(from).count(), 1, "{}: '{from}' is there once", kernel.name);
        body = body.replacen(from, to, 1);
    }
    let source = format!(
        "#define T {ty}\n#define N {local}\nkernel void k(global T *out, global const T *in{}) {{\nint i = get_global_id(0), l = get_local_id(0);\n{body}\n}}\n",
        kernel.parameters
    );
    let wanted = mutant.map(|(_, _, class, letters)| {
        let lines = source.lines().enumerate().filter(|(_, line)| {
            letters.chars().any(|letter| line.trim_end().ends_with(&format!("// {letter}")))
        });
        (*class, lines.map(|(n, _)| n + 1).collect())
    });
    let size = if ty == "long" { 8 } else { 4 };
    let bytes = (size * local).to_string();
    let mut arguments = vec![format!("{ty}[{ITEMS}]"), format!("{ty}[{ITEMS}]:range")];
    arguments.extend(kernel.arguments.iter().map(|arg| arg.replace("BYTES", &bytes)));
    let change = mutant.map_or(String::new(), |(from, to, ..)| format!(", '{from}' is '{to}'"));
    Program { name: format!("{} of {ty}, {local}{change}", kernel.name), source, arguments, local, wanted }
}

/// The mutants, in their order: all of one type and size, then of the next.
fn mutants() -> Vec<Program> {
    let mut all = Vec::new();
    for local in [8, 16, 32] {
        for ty in ALL {
            for kernel in KERNELS.iter().filter(|kernel| kernel.types.contains(ty)) {
                all.extend(kernel.mutants.iter().map(|mutant| program(kernel, ty, local, Some(mutant))));
            }
        }
    }
    all.truncate(COUNT);
    all
}

/// The classes and lines of the reports about a program, and whether races were looked for.
fn reports(program: &Program, folder: &Path, number: usize) -> Result<(Vec<(String, usize)>, bool), String> {
    let path = folder.join(format!("{number}.cl"));
    std::fs::write(&path, &program.source).map_err(|e| e.to_string())?;
    let mut command = Command::new(pumice_tests::pumice());
    command.args(["run", "--check=1,races", "--kernel", "k", "--global", &ITEMS.to_string()]);
    command.args(["--local", &program.local.to_string()]);
    if let Ok(binding) = std::env::var("PUMICE_TEST_BINDING") {
        command.args(["--binding", &binding]);
    }
    command.args(program.arguments.iter().flat_map(|arg| ["--arg", arg]));
    let told = folder.join(format!("{number}.txt"));
    let stderr = std::fs::File::create(&told).map_err(|e| e.to_string())?;
    command.arg(&path).env("PUMICE_CACHE_DIR", "").stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if begun.elapsed() > LONGEST => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not end".to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let text = std::fs::read_to_string(&told).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    let mut class = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("pumice: fault (") {
            class = rest.split(')').next().unwrap_or_default().to_owned();
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            let line = place.rsplit(':').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            found.push((class.clone(), line));
        }
    }
    match status.code() {
        Some(0 | 1) if found.is_empty() == status.success() => {
            Ok((found, !text.contains("races are not looked for")))
        }
        _ => Err(text),
    }
}

#[test]
fn mutants_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = mutants();
    assert_eq!(all.len(), COUNT);
    let asked = std::env::var("PUMICE_TEST_MUTANTS").unwrap_or_default();
    let whole = asked == "all";
    let step = if whole { 1 } else { asked.parse().unwrap_or(STEP) };
    let mut taken: Vec<Program> =
        all.into_iter().enumerate().filter(|(n, _)| n % step == 0).map(|(_, p)| p).collect();
    let count = taken.len();
    // The kernels without a fault.
    let sizes: &[usize] = if whole { &[8, 16, 32] } else { &[8] };
    for local in sizes {
        for kernel in KERNELS {
            let types = if whole { kernel.types } else { &kernel.types[..1] };
            taken.extend(types.iter().map(|ty| program(kernel, ty, *local, None)));
        }
    }
    let taken: Vec<(usize, Program)> = taken.into_iter().enumerate().collect();
    let problems = cases::each(&taken, |(number, program)| look(program, folder.path(), *number));
    let (unlooked, problems): (Vec<String>, Vec<String>) =
        problems.into_iter().partition(|problem| problem.starts_with(NOT_LOOKED_FOR));
    let (missed, wrong): (Vec<String>, Vec<String>) =
        problems.into_iter().partition(|problem| problem.starts_with(MISSED));
    let right = taken.len() - count;
    pumice_tests::tell(&format!(
        "{count} mutants, {} missed, {} not looked for; {right} kernels without a fault",
        missed.len(),
        unlooked.len()
    ));
    pumice_tests::tell(&missed.concat());
    assert!(wrong.is_empty(), "{}", wrong.concat());
    assert!(missed.len() * 100 <= count, "{}", missed.concat());
}

/// The beginning of the text about a mutant that was not found.
const MISSED: &str = "missed: ";

/// The beginning of the text about a race on a device that has no records of races.
const NOT_LOOKED_FOR: &str = "not looked for: ";

/// Runs a program, and says what is wrong with its reports.
fn look(program: &Program, folder: &Path, number: usize) -> Option<String> {
    let reported = reports(program, folder, number);
    let no_races = reported.as_ref().is_ok_and(|(_, races)| !races);
    let found = reported.map(|(found, _)| found);
    match (&found, &program.wanted) {
        (Ok(found), Some((classes, lines))) => {
            let named = |(class, line): &(String, usize)| {
                classes.split(' ').any(|wanted| wanted == class) && lines.contains(line)
            };
            let what = if no_races && *classes == "races" { NOT_LOOKED_FOR } else { MISSED };
            (!found.iter().any(named))
                .then(|| format!("{what}{}: wanted {classes} in {lines:?}, found {found:?}\n", program.name))
        }
        (Ok(found), None) if found.is_empty() => None,
        _ => Some(format!("{}: {found:?}\n{}", program.name, program.source)),
    }
}
