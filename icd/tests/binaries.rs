//! Damaged program binaries: bytes changed at random, behind a checksum that is right again, so that what lies behind it is reached.
//! None makes a panic; each is refused, or is a program that builds or says why it does not. A few hundred here; for more:
//!
//! ```text
//! PUMICE_TEST_BINARIES=50000 cargo test -p pumice-icd --test binaries -- --nocapture
//! ```
//!
//! `PUMICE_TEST_SEEDS=DIR` takes the `.spv` files of a folder in the cases' place: other compilers' modules.

mod open;
mod support;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use opencl_sys as cl;
use pumice::entry::program::{clCreateProgramWithIL, clReleaseProgram};
use support::*;

/// Binaries are mutated so many times where nobody asks for more.
const FEW: u32 = 300;
/// The magic number, the format and the sum.
const HEADER: usize = 8 + 4 + 32;

/// Panics of all threads: the library's own have some, too.
static PANICS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Those of this one.
    static OWN_PANICS: Cell<usize> = const { Cell::new(0) };
}

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

/// Binaries of the modules in a folder.
fn foreign_seeds(s: &Setup, folder: &std::path::Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "spv")).collect();
    files.sort();
    let built = |path: &std::path::PathBuf| {
        let bytes = std::fs::read(path).ok()?;
        let mut error = 1;
        // SAFETY: as many bytes as are said.
        let program =
            unsafe { clCreateProgramWithIL(s.context.0, bytes.as_ptr().cast(), bytes.len(), &mut error) };
        let program = (error == 0).then(|| Owned(program, clReleaseProgram))?;
        (s.build(&program, "") == 0).then(|| s.binary(&program))
    };
    files.iter().filter_map(built).filter(|b| b.len() < 16_000).collect()
}

/// Binaries of the run cases of these folders: what this device compiles.
fn seeds(s: &Setup) -> Vec<Vec<u8>> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/run");
    let folders = [
        "args",
        "control",
        "initializers",
        "local",
        "pointers",
        "printf",
        "program_scope",
        "structs",
        "vectors",
    ];
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder of cases"))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.metadata().is_ok_and(|m| m.len() < 2000))
        .collect();
    files.sort();
    // Those that ask for a work-group size are compiled further in the background: by the driver, which need not stand it.
    let text =
        |path: &std::path::PathBuf| std::fs::read_to_string(path).ok().filter(|t| !t.contains("reqd_work"));
    let built = |text: String| {
        let program = s.program(&text);
        let options = text.lines().find_map(|l| l.strip_prefix("// options: ")).unwrap_or("-cl-std=CL3.0");
        (s.build(&program, options) == 0).then(|| s.binary(&program))
    };
    files.iter().filter_map(text).filter_map(built).filter(|b| b.len() < 16_000).take(60).collect()
}

/// Changes some words or bytes, or how long it is.
fn mutate(binary: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = binary.to_vec();
    for _ in 0..1 + random.below(4) / 3 {
        match random.below(12) {
            0 => {
                let at = HEADER + random.below(bytes.len() - HEADER);
                bytes.truncate(at);
            }
            1 => {
                let at = HEADER + random.below(bytes.len().saturating_sub(HEADER));
                bytes.insert(at.min(bytes.len()), random.below(256) as u8);
            }
            // The lengths, the kind, the traits: what stands before the module.
            2..=3 => {
                let at = HEADER + random.below(120);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = [0, 1, 0x7f, 0x80, 0xff, random.below(256) as u8][random.below(6)];
                }
            }
            _ => word(&mut bytes, random),
        }
        if bytes.len() <= HEADER + 4 {
            break;
        }
    }
    let mut fixed = bytes[..HEADER.min(bytes.len())].to_vec();
    let body = bytes.get(HEADER..).unwrap_or(&[]);
    // Now and then the sum stays as it was.
    if fixed.len() == HEADER && random.below(50) > 0 {
        fixed[12..].copy_from_slice(&host::cache::hash([body]));
    }
    fixed.extend_from_slice(body);
    fixed
}

/// Changes a word of the module: its end is the binary's.
fn word(bytes: &mut [u8], random: &mut Random) {
    let words = (bytes.len().saturating_sub(HEADER + 80)) / 4;
    let at = bytes.len() - 4 * (1 + random.below(words));
    let Some(place) = bytes.get_mut(at..at + 4) else { return };
    let before = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
    let after = match random.below(6) {
        0 => before ^ 1 << random.below(32),
        1 => before.wrapping_add(1),
        2 => before.wrapping_sub(1),
        3 => [0, 1, 2, 7, 32, 64, u32::MAX][random.below(7)],
        _ => random.below(200) as u32,
    };
    place.copy_from_slice(&after.to_le_bytes());
}

/// Returns what becomes of a binary, in a word.
fn fate(s: &Setup, bytes: &[u8]) -> &'static str {
    let program = match s.load_binary(bytes) {
        Ok(program) => program,
        Err((code, _)) => {
            assert!(matches!(code, cl::CL_INVALID_BINARY | cl::CL_INVALID_VALUE), "{code}");
            return "no program";
        }
    };
    match s.build(&program, "") {
        0 => {
            for name in text(program_info(&program, cl::CL_PROGRAM_KERNEL_NAMES)).split(';') {
                if let Ok(k) = kernel(&program, name) {
                    let _ = set(&k, 0, 7u32);
                }
            }
            // What it gives again is whole.
            assert!(s.load_binary(&s.binary(&program)).is_ok());
            "built"
        }
        cl::CL_BUILD_PROGRAM_FAILURE => {
            assert!(!s.log(&program).is_empty(), "a failure without a reason");
            "no build"
        }
        // Objects and libraries are linked, not built; options come with the binary.
        cl::CL_INVALID_BINARY | cl::CL_INVALID_BUILD_OPTIONS => "refused",
        code => panic!("clBuildProgram: {code}: {}", s.log(&program)),
    }
}

/// Makes and judges one: what became of it, or nothing where that is wrong.
fn round(s: &Setup, seeds: &[Vec<u8>], round: u32) -> Option<&'static str> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(round + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9));
    let bytes = mutate(&seeds[random.below(seeds.len())], &mut random);
    let before = OWN_PANICS.get();
    let fate = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fate(s, &bytes))).ok();
    let fate = fate.filter(|_| OWN_PANICS.get() == before);
    if fate.is_none()
        && let Some(dir) = std::env::var_os("PUMICE_TEST_KEEP")
    {
        let path = std::path::Path::new(&dir).join(format!("binary-{round}"));
        std::fs::write(path, &bytes).expect("written");
    }
    fate
}

#[test]
fn mutated_binaries() {
    let Some(s) = setup() else { return };
    let asked = std::env::var("PUMICE_TEST_BINARIES").ok().and_then(|n| n.parse().ok()).unwrap_or(FEW);
    let foreign = std::env::var_os("PUMICE_TEST_SEEDS");
    let seeds = foreign.map_or_else(|| seeds(&s), |folder| foreign_seeds(&s, folder.as_ref()));
    assert!(seeds.len() > 20, "{} binaries", seeds.len());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        OWN_PANICS.set(OWN_PANICS.get() + 1);
        eprintln!("{info}");
    }));
    let (next, judged) = (AtomicU32::new(0), Mutex::new((BTreeMap::<&str, u32>::new(), Vec::new())));
    let work = || {
        let s = setup().expect("a device, as before");
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= asked {
                return;
            }
            let fate = round(&s, &seeds, n);
            let mut judged = judged.lock().expect("no panic");
            *judged.0.entry(fate.unwrap_or("wrong")).or_default() += 1;
            judged.1.extend(fate.is_none().then_some(n));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    std::panic::set_hook(hook);
    let (fates, wrong) = judged.into_inner().expect("no panic");
    println!("{asked} mutants of {} binaries: {fates:?}", seeds.len());
    assert!(wrong.is_empty(), "rounds {wrong:?}");
    assert_eq!(PANICS.load(Ordering::SeqCst), 0, "in threads of the library");
    assert!(fates.contains_key("built"), "{fates:?}");
}
