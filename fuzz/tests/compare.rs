//! Random programs in both binding models against the interpreter, a few of them: `fuzz compare` runs as many as one
//! likes.

use lower::profile::target_from_profile;
use pumice_fuzz::compare::vary::Variant;
use pumice_fuzz::compare::{Features, Lowering, Report, Runner, Settings, Vulkan, compare};
use pumice_fuzz::run::STACK;

/// So many programs.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 30 } else { 300 };

fn all(runner: &mut dyn Runner, seed: u64, features: Features) -> Report {
    let settings = Settings { seed, count: PROGRAMS, features, out: None, shrink: false };
    compare(&settings, runner)
}

/// On a thread with the stack that compilations get.
fn on_a_thread(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn judge(report: &Report) {
    assert!(report.programs * 10 > PROGRAMS * 9, "{} programs are defined", report.programs);
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
    on_a_thread(|| match Vulkan::open(None, None, None) {
        Ok(mut device) => {
            judge(&all(&mut device, 1, Features::default()));
            // What is made for GPUs alone.
            device.vary(&Variant::named("as-a-gpu").expect("a variant"));
            judge(&all(&mut device, 500_000, Features::default()));
            // What is made for NVIDIA's driver alone.
            if let Ok(mut device) = Vulkan::open(None, None, None) {
                device.vary(&Variant::named("no-small-arithmetic").expect("a variant"));
                device.take_turns();
                judge(&all(&mut device, 600_000, Features::default()));
            }
        }
        Err(why) => {
            let may_skip = std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some();
            assert!(may_skip, "no Vulkan device ({why}); with PUMICE_TEST_SKIP_NO_DEVICE=1 this is skipped");
            println!("skipped: no Vulkan device");
        }
    });
}

#[test]
fn random_programs_are_lowered_for_a_device_with_little() {
    on_a_thread(|| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let profile =
            std::fs::read_to_string(root.join("tests/profiles/swiftshader.json")).expect("a profile");
        let target = target_from_profile(&profile).expect("a valid profile");
        let mut features = Features::default();
        features.without_what_lacks(&target);
        judge(&all(&mut Lowering::new(vec![target]), 1_000_000, features));
    });
}
