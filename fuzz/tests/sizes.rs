//! Programs with many of one construct: all families with 20, and what was wrong on llvmpipe with 130. `fuzz sizes` runs up to 300.

use pumice_fuzz::compare::Vulkan;
use pumice_fuzz::run::STACK;
use pumice_fuzz::sizes::{Verdict, families, measure};

/// Families that llvmpipe or its compiler had wrong with 130, and that compile fast.
const LARGE: [&str; 8] = [
    "switch",
    "switch-wide-jumps",
    "switch-continues",
    "switch-of-a-function",
    "continues",
    "breaks",
    "else-if-equal",
    "labels-ahead",
];

fn all_are_right() {
    let mut device = match Vulkan::open(None, None, Some("descriptor"), "") {
        Ok(device) => device,
        Err(why) => {
            let may_skip = std::env::var_os("PUMICE_TEST_SKIP_NO_DEVICE").is_some();
            assert!(may_skip, "no Vulkan device ({why}); with PUMICE_TEST_SKIP_NO_DEVICE=1 this is skipped");
            println!("skipped: no Vulkan device");
            return;
        }
    };
    let mut wrong = Vec::new();
    for family in families() {
        for n in [20, 130].into_iter().filter(|n| *n == 20 || LARGE.contains(&family.name)) {
            let verdict = measure(&family.program(n), &mut device, &mut |_| {}).verdict;
            if verdict != Verdict::Right {
                wrong.push(format!("{} {n}: {verdict:?}", family.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_any_size_are_right() {
    // With the stack that compilations get.
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(all_are_right).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
