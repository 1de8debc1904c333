//! Random programs in both binding models against the interpreter, a few of them: `fuzz compare` runs as many as one
//! likes.

use pumice_fuzz::compare::{Features, Report, Runner, Settings, Vulkan, compare};
use pumice_fuzz::run::STACK;

/// So many programs.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 60 } else { 300 };

fn all(runner: &mut dyn Runner, seed: u64) -> Report {
    let settings =
        Settings { seed, count: PROGRAMS, features: Features::default(), out: None, shrink: false };
    compare(&settings, runner, |_, _| {})
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
    assert!(report.good * 2 > report.programs, "{} runs of {}", report.good, report.programs);
    if let Some(failure) = report.failures.first() {
        panic!("{} failures; seed {}: {}\n{}", report.failures.len(), failure.seed, failure.kind, failure.case);
    }
}

#[test]
fn random_programs_do_what_the_interpreter_says() {
    on_a_thread(|| match Vulkan::open(None, None, None) {
        Ok(mut device) => judge(&all(&mut device, 1)),
        Err(why) => println!("skipped: {why}"),
    });
}
