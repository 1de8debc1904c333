//! Programs of one construct, so many times: what they compute is known, so that a size alone can make them wrong.
//!
//! A [`Family`] is a function of `n` that gives a program and the values that it must write. [`FAMILIES`] is the table of them. [`measure`]
//! runs one program and says what each stage cost; [`command`] runs the whole table (`fuzz sizes`).

mod branches;
pub mod command;
mod data;
mod jumps;
mod text;

use crate::compare::{Answer, Case, CaseArg, CaseLaunch, Runner};
use crate::run::Watch;
use std::time::Duration;

/// A construct, and the program with `n` of it.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The name by which tables and `--family` call it.
    pub name: &'static str,
    make: fn(usize) -> Program,
}

impl Family {
    /// The program with `n`.
    #[must_use]
    pub fn program(&self, n: usize) -> Program {
        (self.make)(n)
    }
}

/// A program and the result that a computation on the host gives for it.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program as runners take it.
    pub case: Case,
    /// The words that buffer 1 holds afterwards.
    pub want: Vec<u32>,
    /// The text that it prints, in lines of any order.
    pub prints: Option<Vec<String>>,
}

/// The sizes at which a program is tried.
pub const SIZES: [usize; 5] = [3, 20, 80, 130, 300];

/// The message of the front end for programs that nest too deep.
const LIMITS: [&str; 2] = ["[nesting-too-deep]", "[type-too-complex]"];

/// Every family.
#[must_use]
pub fn families() -> Vec<Family> {
    [branches::FAMILIES, jumps::FAMILIES, data::FAMILIES, text::FAMILIES].concat()
}

/// Work-items in a group.
const LOCAL: usize = 8;

/// The program of a kernel `k(global const uint *in, global uint *out)`, in which each work-item writes one word.
struct Words {
    /// OpenCL C.
    source: String,
    /// The words of `in`, one for each work-item; whole groups.
    inputs: Vec<u32>,
}

impl Words {
    /// A kernel of these statements, which find `g`, the item's number, `x`, its word, `count`, how many there are, and leave their result
    /// in `r`, which begins with 1. `before` precedes the kernel.
    fn new(inputs: Vec<u32>, before: &str, statements: &str) -> Words {
        let count = inputs.len();
        let source = format!(
            "{before}\nkernel void k(global const uint *in, global uint *out) {{\n\
             const uint count = {count}u;\nuint g = get_global_id(0);\nuint x = in[g], r = 1u;\n{statements}\nout[g] = r;\n}}\n"
        );
        Words { source, inputs }
    }

    /// With the result for each work-item, of its number and the inputs.
    fn giving(self, result: impl Fn(usize, &[u32]) -> u32) -> Program {
        let want = (0..self.inputs.len()).map(|g| result(g, &self.inputs)).collect();
        let count = self.inputs.len();
        let launch = CaseLaunch {
            kernel: "k".to_owned(),
            args: vec![CaseArg::Buffer(0, 0), CaseArg::Buffer(1, 0)],
            names: vec!["in".to_owned(), "out".to_owned()],
        };
        let case = Case {
            source: self.source,
            options: String::new(),
            launches: vec![launch],
            buffers: vec![bytes(&self.inputs), vec![0; 4 * count]],
            global: [count as u32, 1, 1],
            local: [LOCAL as u32, 1, 1],
        };
        Program { case, want, prints: None }
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The numbers from 0 to beyond `n`, each once, in an order in which neighbours are far apart: whole groups.
fn spread(n: usize) -> Vec<u32> {
    let count = (n + 5).next_multiple_of(LOCAL);
    let step = (0..).map(|i| count / 3 + 1 + i).find(|step| gcd(*step, count) == 1).unwrap_or(1);
    (0..count).map(|i| (i * step % count) as u32).collect()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Lines, one for each number below `n`.
fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

/// `r * 3 + more`, by which programs note where they came.
fn note(r: u32, more: u32) -> u32 {
    r.wrapping_mul(3).wrapping_add(more)
}

/// The outcome of one program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every way of running it gave the right values.
    Right,
    /// A way was refused, with this message; no other was wrong.
    Refused(String),
    /// A way gave another value, or an error.
    Wrong(String),
}

/// A program's verdict, and what its stages cost on a CPU.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The outcome of it.
    pub verdict: Verdict,
    /// The front end's time.
    pub frontend: Duration,
    /// The lowering's, for all ways together.
    pub lowering: Duration,
    /// The driver's, from the module to the end of the first launch: drivers compile at either.
    pub driver: Duration,
}

/// Runs a program in every way that the runner has. `stage` hears what begins, and how long the process has computed for what ended.
pub fn measure(program: &Program, runner: &mut dyn Runner, stage: &mut dyn FnMut(&str)) -> Measured {
    let mut spent = [Duration::ZERO; 3];
    let (mut watch, mut at) = (Watch::start(), None::<usize>);
    let mut change = |name: &str| {
        if let Some(at) = at {
            spent[at] += watch.elapsed();
        }
        at = Some(match name {
            "the front end" => 0,
            name if name.ends_with("the lowering") || name.ends_with("between the models") => 1,
            _ => 2,
        });
        watch = Watch::start();
        stage(name);
    };
    let answers = runner.run(&program.case, &mut change);
    change("the end");
    let mut verdict = Verdict::Right;
    for (way, answer) in answers {
        match judge(program, answer) {
            Verdict::Right => {}
            Verdict::Refused(why) if verdict == Verdict::Right => {
                verdict = Verdict::Refused(format!("{way}: {why}"));
            }
            Verdict::Refused(_) => {}
            Verdict::Wrong(why) => {
                verdict = Verdict::Wrong(format!("{way}: {why}"));
                break;
            }
        }
    }
    let [frontend, lowering, driver] = spent;
    Measured { verdict, frontend, lowering, driver }
}

fn judge(program: &Program, answer: Answer) -> Verdict {
    let buffers = match answer {
        Answer::Lowered => return Verdict::Right,
        Answer::Refused(why) => return Verdict::Refused(why),
        // The front end's own limits, by the ids of its diagnostics.
        Answer::Fault(why) if LIMITS.iter().any(|id| why.contains(id)) => return Verdict::Refused(why),
        Answer::Fault(why) => return Verdict::Wrong(why),
        Answer::Buffers(buffers) => buffers,
    };
    let got: Vec<u32> = match buffers.get(1) {
        Some(bytes) => bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect(),
        None => vec![],
    };
    let differs: Vec<usize> =
        (0..program.want.len()).filter(|i| got.get(*i) != Some(&program.want[*i])).collect();
    if let Some(&first) = differs.first() {
        let (want, got) = (program.want[first], got.get(first).copied().unwrap_or_default());
        return Verdict::Wrong(format!(
            "{} of {} words differ: out[{first}] is {got}, not {want}",
            differs.len(),
            program.want.len()
        ));
    }
    let Some(want) = &program.prints else { return Verdict::Right };
    let text =
        String::from_utf8_lossy(buffers.get(program.case.buffers.len()).map_or(&[], |b| b)).into_owned();
    let mut printed: Vec<&str> = text.lines().collect();
    printed.sort_unstable();
    let mut want: Vec<&str> = want.iter().map(String::as_str).collect();
    want.sort_unstable();
    if printed == want { Verdict::Right } else { Verdict::Wrong("another text is printed".to_owned()) }
}
