//! Random programs in every binding model against the interpreter, a few of them: `fuzz compare` runs as many as one
//! likes.

use lower::Target;
use lower::profile::target_from_profile;
use pumice_fuzz::compare::vary::Variant;
use pumice_fuzz::compare::{Features, Lowering, Report, Runner, Settings, Vulkan, compare};
use pumice_fuzz::run::STACK;

/// So many programs.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 30 } else { 300 };

fn all(runner: &mut dyn Runner, seed: u64, features: Features) -> Report {
    some(PROGRAMS, runner, seed, features)
}

fn some(count: u64, runner: &mut dyn Runner, seed: u64, features: Features) -> Report {
    let settings = Settings { seed, count, features, out: None, shrink: false };
    compare(&settings, runner)
}

/// On a thread with the stack that compilations get.
fn on_a_thread(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// A profile of `tests/profiles`.
fn profile(name: &str) -> Target {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("tests/profiles").join(name)).expect("a profile");
    target_from_profile(&text).expect("a valid profile")
}

/// Says that there is no device, where that is no failure.
fn skip(why: &str) {
    let may_skip = std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some();
    assert!(may_skip, "no Vulkan device ({why}); with PUMICE_TEST_SKIP_NO_DEVICE=1 this is skipped");
    println!("skipped: no Vulkan device");
}

fn judge(report: &Report) {
    judge_of(PROGRAMS, report);
}

fn judge_of(count: u64, report: &Report) {
    assert!(report.programs * 10 > count * 9, "{} programs are defined", report.programs);
    assert!(report.all_good() * 2 > report.programs, "{} runs of {}", report.all_good(), report.programs);
    if let Some(failure) = report.failures.first() {
        panic!(
            "{} failures; seed {}: {}\n{}",
            report.failures.len(),
            failure.seed,
            failure.kind,
            failure.case
        );
    }
}

#[test]
fn random_programs_do_what_the_interpreter_says() {
    on_a_thread(|| match Vulkan::open(None, None, None, "") {
        Ok(mut device) => {
            judge(&all(&mut device, 1, Features::default()));
            // What is made for GPUs alone.
            device.vary(&Variant::named("as-a-gpu").expect("a variant"));
            judge(&all(&mut device, 500_000, Features::default()));
            // What is made for NVIDIA's driver alone.
            if let Ok(mut device) = Vulkan::open(None, None, None, "") {
                device.vary(&Variant::named("no-small-arithmetic").expect("a variant"));
                device.take_turns();
                judge(&all(&mut device, 600_000, Features::default()));
            }
        }
        Err(why) => skip(&why),
    });
}

/// On a device without addresses: pointers in memory are places in blocks of memory, of which a launch sees one, or several.
#[test]
fn random_programs_see_buffers_through_windows() {
    on_a_thread(|| {
        let mask = profile("phone-1.1.json");
        for (modes, seed) in [("", 700_000), ("tune.block=2048", 800_000)] {
            match Vulkan::open(None, Some(&mask), Some("packed"), modes) {
                Ok(mut device) => {
                    let mut features = Features::default();
                    features.without_what_lacks(device.target());
                    // They are compiled for some 0.4 s each.
                    judge_of(PROGRAMS / 3, &some(PROGRAMS / 3, &mut device, seed, features));
                }
                Err(why) => return skip(&why),
            }
        }
    });
}

#[test]
fn random_programs_are_lowered_for_a_device_with_little() {
    on_a_thread(|| {
        let target = profile("swiftshader.json");
        let mut features = Features::default();
        features.without_what_lacks(&target);
        judge(&all(&mut Lowering::new(vec![target]), 1_000_000, features));
    });
}
