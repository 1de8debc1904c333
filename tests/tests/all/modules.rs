//! Damaged SPIR-V: modules of the run cases, mutated. No panic, and no module of Vulkan that SPIRV-Tools refuses; where the
//! validator's verdict differs from SPIRV-Tools', what it passes is lowered all the same. A few hundred here; for more:
//!
//! ```text
//! PUMICE_TEST_MODULES=100000 cargo test --profile fuzz -p pumice-tests --test all modules -- --nocapture
//! ```
//!
//! `PUMICE_TEST_SEEDS=DIR` takes the `.spv` files of a folder in the cases' place: other compilers' modules.

use frontend::options::{LangVersion, Options};
use lower::{LowerError, LowerOptions, Target, ValidateError};
use spirv_io::{Instruction, Reader};
use spirv_tools::TargetEnv;
use spirv_tools::val::{self, Validator, ValidatorOptions};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Modules are mutated so many times where nobody asks for more.
const FEW: u32 = 300;
/// So many rounds are one thread's share.
const SHARE: u32 = 1000;
/// Of modules that are refused SPIRV-Tools is asked in so many rounds: some of them end it by its own assertions.
const COMPARED: u32 = 6000;
/// Larger modules take long.
const MAX_WORDS: usize = 4000;

/// A generator that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// The modules of the run cases, or those that lie in a folder.
fn seeds() -> Vec<Vec<u32>> {
    if let Some(folder) = std::env::var_os("PUMICE_TEST_SEEDS") {
        let mut files = pumice_tests::files(std::path::Path::new(&folder), "spv");
        files.sort();
        let words = |path: &std::path::PathBuf| spirv_io::bytes_to_words(&std::fs::read(path).ok()?).ok();
        let modules = files.iter().filter_map(words).filter(|words| words.len() <= MAX_WORDS);
        return modules.filter(|words| lower::validate(words).is_ok()).collect();
    }
    let mut folders: Vec<_> = std::fs::read_dir(pumice_tests::root().join("cases/run"))
        .expect("cases")
        .map(|e| e.expect("a folder").path())
        .collect();
    folders.sort();
    let files: Vec<_> = folders.iter().flat_map(|f| pumice_tests::files(f, "cl")).collect();
    let module = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        let mut options = Options { std: LangVersion::Cl3_0, ..Options::default() };
        host::target::apply_everything(&mut options);
        let own = text.lines().find_map(|l| l.strip_prefix("// options: ")).unwrap_or("");
        options.parse_build_options(own).ok()?;
        frontend::compile("case.cl", &text, &options).spirv.filter(|words| words.len() <= MAX_WORDS)
    };
    files.iter().filter_map(module).filter(|words| lower::validate(words).is_ok()).collect()
}

/// A module as its header and instructions.
fn taken_apart(words: &[u32]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let reader = Reader::new(words).expect("a module").1;
    let whole = |inst: Instruction<'_>| words[inst.at..=inst.at + inst.operands.len()].to_vec();
    (words[..5].to_vec(), reader.map(|inst| whole(inst.expect("whole"))).collect())
}

/// Changes one thing.
fn mutate(list: &mut Vec<Vec<u32>>, bound: u32, random: &mut Random) {
    let at = random.below(list.len());
    let other = random.below(list.len());
    match random.below(15) {
        0 => drop(list.remove(at)),
        1 => list.insert(other, list[at].clone()),
        2 => list.swap(at, other),
        // Another opcode, of an instruction that is as long.
        3 => {
            let length = list[at].len();
            if let Some(with) = list.iter().skip(other).find(|i| i.len() == length) {
                list[at][0] = with[0];
            }
        }
        // An opcode nearby.
        4 => {
            let opcode = (list[at][0] & 0xffff).wrapping_add([1, 2, u32::MAX][random.below(3)]) & 0xffff;
            list[at][0] = list[at][0] & 0xffff_0000 | opcode;
        }
        5 => {
            let word = [0, 1, 2, 3, 7, 32, 64, u32::MAX][random.below(8)];
            put(&mut list[at], word, random);
        }
        6 => {
            let bit = random.below(list[at].len() * 32);
            list[at][bit / 32] ^= 1 << (bit % 32);
        }
        7..11 => {
            let id = 1 + random.below(bound as usize) as u32;
            put(&mut list[at], id, random);
        }
        _ => same_type(list, random),
    }
}

/// Puts a value in another's place that has its type: what only dominance and the rules' last parts can tell.
fn same_type(list: &mut [Vec<u32>], random: &mut Random) {
    let is_type = |inst: &&Vec<u32>| matches!(inst[0] & 0xffff, 19..=39);
    let types: HashSet<u32> = list.iter().filter(is_type).filter_map(|i| i.get(1).copied()).collect();
    let typed = list.iter().filter(|i| i.len() > 2 && types.contains(&i[1])).map(|i| (i[2], i[1]));
    let values: Vec<(u32, u32)> = typed.collect();
    let by_id: HashMap<u32, u32> = values.iter().copied().collect();
    for _ in 0..20 {
        let at = random.below(list.len());
        let operand = random.below(list[at].len());
        let Some(ty) = by_id.get(&list[at][operand]).filter(|_| operand > 2) else { continue };
        let start = random.below(values.len());
        let around = values[start..].iter().chain(&values[..start]);
        if let Some((id, _)) = around.into_iter().find(|v| v.1 == *ty) {
            list[at][operand] = *id;
            return;
        }
    }
}

fn put(inst: &mut [u32], word: u32, random: &mut Random) {
    if inst.len() > 1 {
        let operand = 1 + random.below(inst.len() - 1);
        inst[operand] = word;
    }
}

fn mutated(seed: &[u32], random: &mut Random) -> Vec<u32> {
    let (mut words, mut list) = taken_apart(seed);
    for _ in 0..1 + random.below(4) / 2 {
        mutate(&mut list, words[3], random);
    }
    words.extend(list.concat());
    words
}

/// What SPIRV-Tools says of a module in its version's universal environment.
fn second_opinion(words: &[u32]) -> Result<(), String> {
    let env = match words[1] >> 8 & 0xff {
        0 => TargetEnv::Universal_1_0,
        1 => TargetEnv::Universal_1_1,
        2 => TargetEnv::Universal_1_2,
        3 => TargetEnv::Universal_1_3,
        4 => TargetEnv::Universal_1_4,
        _ => TargetEnv::Universal_1_6,
    };
    val::create(Some(env)).validate(words, None).map_err(|e| e.to_string())
}

/// A message without numbers and names.
fn kind(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.rsplit_once("notes: ").map_or(line, |(_, rest)| rest);
    let words = line.split(' ').filter(|w| !w.contains(|c: char| c.is_ascii_digit() || c == '\''));
    words.take(14).collect::<Vec<_>>().join(" ")
}

#[derive(Default)]
struct Tally {
    passed: u32,
    lowered: u32,
    /// What they refuse and we pass, and the reverse, by their message or ours.
    laxer: BTreeMap<String, u32>,
    stricter: BTreeMap<String, u32>,
    /// What the reader calls invalid after the validator has passed it.
    late: BTreeMap<String, u32>,
    wrong: String,
}

impl Tally {
    fn wrong(&mut self, name: &str, what: &str) {
        let _ = writeln!(self.wrong, "{name}: {what}");
    }

    fn add(&mut self, other: &Tally) {
        self.passed += other.passed;
        self.lowered += other.lowered;
        self.wrong.push_str(&other.wrong);
        let lists = [
            (&mut self.laxer, &other.laxer),
            (&mut self.stricter, &other.stricter),
            (&mut self.late, &other.late),
        ];
        for (all, more) in lists {
            more.iter().for_each(|(message, count)| *all.entry(message.clone()).or_default() += count);
        }
    }
}

fn judge(words: &[u32], name: &str, target: &Target, compare: bool, tally: &mut Tally) {
    let verdict = match std::panic::catch_unwind(|| lower::validate(words)) {
        Ok(verdict) => verdict,
        Err(_) => return tally.wrong(name, "the validator panics"),
    };
    let opinion = (compare || verdict.is_ok()).then(|| second_opinion(words));
    match (&verdict, opinion.unwrap_or(Err(String::new()))) {
        (Ok(()), Err(theirs)) => *tally.laxer.entry(kind(&theirs)).or_default() += 1,
        (Err(e @ ValidateError::Invalid { .. }), Ok(())) => {
            *tally.stricter.entry(kind(&e.to_string())).or_default() += 1;
        }
        _ => {}
    }
    if verdict.is_err() {
        return;
    }
    tally.passed += 1;
    let options = LowerOptions::default();
    let lowered = match std::panic::catch_unwind(|| lower::lower(words, target, &options)) {
        Err(_) => return tally.wrong(name, "the lowering panics"),
        Ok(Err(e @ LowerError::Bug { .. })) => return tally.wrong(name, &e.to_string()),
        Ok(Err(LowerError::InvalidModule(message))) => {
            *tally.late.entry(kind(&message)).or_default() += 1;
            keep(&format!("late-{name}"), words);
            return;
        }
        Ok(Err(_)) => return,
        Ok(Ok(lowered)) => lowered,
    };
    tally.lowered += 1;
    let options = ValidatorOptions {
        relax_block_layout: Some(true),
        uniform_buffer_standard_layout: target.features.uniform_buffer_standard_layout,
        scalar_block_layout: target.features.scalar_block_layout,
        ..ValidatorOptions::default()
    };
    let env = if target.api_version >= (1, 3) { TargetEnv::Vulkan_1_3 } else { TargetEnv::Vulkan_1_1 };
    if !lowered.kernels.is_empty()
        && let Err(e) = val::create(Some(env)).validate(&lowered.spirv, Some(options))
    {
        tally.wrong(name, &format!("SPIRV-Tools refuses the result: {e}"));
    }
}

fn keep(name: &str, words: &[u32]) {
    if let Some(dir) = std::env::var_os("PUMICE_TEST_KEEP") {
        let path = std::path::Path::new(&dir).join(format!("{name}.spv"));
        std::fs::write(path, spirv_io::words_to_bytes(words)).expect("written");
    }
}

/// Some rounds; each round's mutant is the same everywhere.
fn rounds(rounds: std::ops::Range<u32>, seeds: &[Vec<u32>], target: &Target) -> Tally {
    let mut tally = Tally::default();
    for round in rounds {
        let mut random =
            Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(round + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9));
        let words = mutated(&seeds[random.below(seeds.len())], &mut random);
        let (name, before) = (format!("mutant-{round}"), tally.wrong.len());
        judge(&words, &name, target, round < COMPARED, &mut tally);
        if tally.wrong.len() > before {
            keep(&name, &words);
        }
    }
    tally
}

#[test]
fn mutated_modules() {
    let asked = std::env::var("PUMICE_TEST_MODULES").ok().and_then(|n| n.parse().ok()).unwrap_or(FEW);
    let seeds = seeds();
    assert!(seeds.len() > 100, "{} modules", seeds.len());
    let target = host::target::read_profile(&pumice_tests::profile("lavapipe.json")).expect("profile");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let (next, all) = (AtomicU32::new(0), Mutex::new(Tally::default()));
    let share = || loop {
        let first = next.fetch_add(SHARE, Ordering::Relaxed);
        if first >= asked {
            return;
        }
        let tally = rounds(first..asked.min(first + SHARE), &seeds, &target);
        all.lock().expect("a tally").add(&tally);
    };
    std::thread::scope(|scope| {
        for _ in
            0..std::thread::available_parallelism().map_or(1, usize::from).min(asked.div_ceil(SHARE) as usize)
        {
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, share).expect("a thread");
        }
    });
    std::panic::set_hook(hook);
    let tally = all.into_inner().expect("a tally");
    println!("{asked} mutants of {} modules", seeds.len());
    let table = |name: &str, list: &BTreeMap<String, u32>| {
        let lines = list.iter().map(|(message, count)| format!("  {count:6} {message}\n"));
        format!("{name}:\n{}", lines.collect::<String>())
    };
    println!("{} passed, {} lowered", tally.passed, tally.lowered);
    println!("{}", table("SPIRV-Tools refuses, the validator passes", &tally.laxer));
    println!("{}", table("the validator refuses, SPIRV-Tools passes", &tally.stricter));
    println!("{}", table("the reader refuses, the validator passes", &tally.late));
    assert!(tally.wrong.is_empty(), "{}", tally.wrong);
    assert!(tally.lowered > 0);
}
