//! Random functions, run before and after passes (tests only). Seeds are fixed.

mod comparisons;
mod generate;
mod tests;

use crate::ir::interp::{self, End, Lanes, Run, mix, region};
use crate::ir::{Function, Module, Scalar, Type, Value, text, verify};
use generate::{Kind, NUMBERS, random_module};

/// A deterministic source of numbers.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Random(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }

    /// Below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % n.max(1)
    }
}

/// A run of a module's first function with some arguments, as far as so much fuel goes, or the world has seen so much.
fn run(module: &Module, n: u64, seed: u64, fuel: u64, events: usize) -> Run {
    let f = module.functions.values().next().expect("one");
    // A NaN is in every fourth place.
    let number = |k: u64| match mix(seed * 5 + n * 3 + k) {
        random if random >> 62 == 0 => f64::NAN,
        random => NUMBERS[(random % NUMBERS.len() as u64) as usize],
    };
    let arg = |(k, param): (u64, &Value)| match f.ty(*param) {
        Type::Scalar(Scalar::I32) => mix(seed + n) & 0xffff_ffff,
        Type::Scalar(Scalar::F32) => (number(k) as f32).to_bits().into(),
        Type::Scalar(Scalar::F64) => number(k).to_bits(),
        _ if k == 0 => region(0),
        _ => mix(seed * 7 + n),
    };
    let args: Vec<Lanes> = (0..).zip(f.params()).map(|param| vec![Some(arg(param))]).collect();
    interp::run_as_far(f, &args, seed, fuel, events)
}

/// The runs that another module is compared with. Floats have more, as few operands are special in each.
fn runs(module: &Module, seed: u64, kind: Kind) -> Vec<Run> {
    let count = if kind == Kind::Floats { 8 } else { 3 };
    (0..count).map(|n| run(module, n, seed, 60, usize::MAX)).collect()
}

/// Runs the first function of both modules and compares; gives what differs.
pub fn compare(before: &Module, after: &Module, seed: u64) -> Result<(), String> {
    compare_with(&runs(before, seed, Kind::Integers), (before, after), seed, Kind::Integers)
}

/// The same with the runs of the first module.
fn compare_with(
    expected: &[Run],
    (before, after): (&Module, &Module),
    seed: u64,
    kind: Kind,
) -> Result<(), String> {
    for (n, a) in (0..).zip(expected) {
        if kind == Kind::Memory {
            let b = run(after, n, seed, 1500, usize::MAX);
            if !a.leaves_as(&b) {
                return Err(format!(
                    "seed {seed} run {n}:\n{:?}\n{:?}\n{before}\n----\n{after}",
                    a.end, b.end
                ));
            }
            continue;
        }
        // Structured control flow takes more blocks for the same work. For a function that does not return, only the visible part is
        // compared.
        let events = if matches!(a.end, End::Return(_)) { usize::MAX } else { a.trace.len() };
        let b = run(after, n, seed, 1500, events);
        if !a.allows(&b) {
            return Err(format!("seed {seed} run {n}:\n{:?}\n{:?}\n{before}\n----\n{after}", a.end, b.end));
        }
        if matches!(a.end, End::Return(_)) && matches!(b.end, End::Fuel) {
            return Err(format!("seed {seed} run {n}: hangs\n{before}\n----\n{after}"));
        }
    }
    Ok(())
}

/// A function of a pointer to global memory and a number, after a change that no run of it may show. `body` is its text.
pub fn changed(body: &str, change: impl FnOnce(&mut Function)) -> String {
    let source = format!("module read bits=64\nfunc f0 \"f\" returns (i32)\n{body}");
    let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let function = module.functions.values_mut().next().expect("a function");
    let before = function.clone();
    change(function);
    for n in 0..9 {
        let args = [vec![Some(region(0))], vec![Some(n)]];
        let (a, b) = (interp::run(&before, &args, n, 900), interp::run(function, &args, n, 900));
        assert!(a.allows(&b), "{n}: {:?} {:?}\n{module}", a.end, b.end);
    }
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    module.to_string()
}

/// Applies passes to random modules and compares the runs.
pub fn check(count: u64, blocks: u64, passes: &[fn(&mut Module)]) {
    check_kind(Kind::Integers, count, blocks, passes);
}

/// [`check`] with a kind of code.
pub fn check_kind(kind: Kind, count: u64, blocks: u64, passes: &[fn(&mut Module)]) {
    for seed in 0..count {
        let before = random_module(seed, 1 + seed % blocks, kind);
        verify::verify(&before).unwrap_or_else(|e| panic!("generated: seed {seed}: {e}"));
        let expected = runs(&before, seed, kind);
        let mut after = before.clone();
        for (n, pass) in passes.iter().enumerate() {
            pass(&mut after);
            if let Err(e) = verify::verify(&after) {
                panic!("seed {seed} pass {n}: {e}\n{before}\n----\n{after}");
            }
            if let Err(e) = compare_with(&expected, (&before, &after), seed, kind) {
                panic!("pass {n}: {e}");
            }
        }
    }
}
