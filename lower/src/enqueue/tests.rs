//! Tests of device-side enqueue: the shipped library, and damaged modules.

use super::*;
use crate::kernel_info::BlockSource;
use crate::profile::target_from_profile;
use crate::{lower, validate};
use frontend::options::{Features, LangVersion, Options};
use spirv_io::Reader;
use spirv_io::spirv::Op;
use std::path::Path;

fn compiled(name: &str, text: &str) -> Vec<u32> {
    let options = Options { std: LangVersion::Cl3_0, features: Features::all(), ..Options::default() };
    let compilation = frontend::compile(name, text, &options);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
    compilation.spirv.unwrap_or_else(|| panic!("{name}: {errors:?}"))
}

const KERNELS: &str = "void more(global int *a, int level) {
        if (level > 0)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{ more(a, level - 1); });
        atomic_inc(a);
    }
    kernel void begin(queue_t q, global int *a, global ulong *times) {
        clk_event_t user = create_user_event(), last;
        size_t sizes[2] = {8, 8};
        int n = get_global_id(0);
        more(a, 3);
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(sizes, sizes), 1, &user, &last,
                       ^(local void *l) { local int *w = l; w[get_local_linear_id()] = n; a[1] = w[0]; }, 256u);
        capture_event_profiling_info(last, CLK_PROFILING_COMMAND_EXEC_TIME, times);
        enqueue_marker(q, 1, &last, &last);
        set_user_event_status(user, CL_COMPLETE);
        if (is_valid_event(user)) { retain_event(user); release_event(user); }
        void (^block)(void) = ^{ a[2] = n; };
        a[3] = get_kernel_work_group_size(block) + get_kernel_preferred_work_group_size_multiple(block);
    }
    kernel void plain(global int *a) { a[get_global_id(0)] = 1; }";

/// The shipped file matches the source.
#[test]
fn current() {
    let path = |name| Path::new(env!("CARGO_MANIFEST_DIR")).join("mathlib").join(name);
    let text = std::fs::read_to_string(path("enqueue.cl")).expect("the source");
    let made = spirv_io::words_to_bytes(&compiled("enqueue.cl", &text));
    if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(path("enqueue.spv"), &made).expect("the file can be written");
        return;
    }
    assert!(
        made == LIBRARY,
        "mathlib/enqueue.spv is not what the source gives now: PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib enqueue"
    );
}

/// Blocks become hidden kernels, and kernels that enqueue take a record.
#[test]
fn replaced() {
    let module = compiled("enqueue.cl", KERNELS);
    let lowered = lower_enqueue(&module).expect("it is lowered");
    let mut ops = Reader::new(&lowered).expect("a module").1.map(|inst| inst.expect("an instruction").op);
    assert!(!ops.any(|op| op == Op::TypeQueue || op == Op::TypeDeviceEvent || op == Op::EnqueueKernel));
    validate(&module).expect("it is valid");
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/classes/lavapipe.json");
    let text = std::fs::read_to_string(profile).expect("the profile");
    let target = target_from_profile(&text).expect("a Target");
    let lowered = lower(&module, &target, &LowerOptions::default()).expect("it is lowered");
    let names: Vec<&str> = lowered.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "begin",
            "plain",
            "pumice.block.0",
            "pumice.block.1",
            "pumice.block.2",
            "pumice.schedule",
            "pumice.times"
        ]
    );
    let records: Vec<Option<usize>> = lowered.kernels.iter().map(|kernel| kernel.record()).collect();
    assert_eq!(records, [Some(3), None, Some(0), Some(0), Some(0), Some(0), Some(0)]);
    assert!(lowered.kernels[0].args[0].is_queue());
    assert_eq!(lowered.kernels[3].args.len(), 2, "a record and local memory");
    let scheduler = &lowered.kernels[5];
    assert_eq!(scheduler.reqd_work_group_size, Some([layout::THREADS, 1, 1]));
    assert!(scheduler.iterations.is_none() && !scheduler.takes_buffer(), "its loops end in time");
}

/// Blocks have a form whose dispatches run several kernels, and tell whether any work-group size serves them.
#[test]
fn batches() {
    let module = compiled("enqueue.cl", KERNELS);
    let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/classes/nvidia.json");
    let target = target_from_profile(&std::fs::read_to_string(profile).expect("the profile"));
    let target = target.expect("a Target");
    for (number, any_size) in [(0, true), (1, false), (2, true)] {
        let kernels = Some(vec![block_kernel(number)]);
        let options = LowerOptions { kernels, batch: true, ..LowerOptions::default() };
        let lowered = lower(&module, &target, &options).expect("it is lowered");
        let info = &lowered.kernels[0];
        assert_eq!(info.batch.map(|batch| batch.any_size), Some(any_size), "{number}");
        assert_eq!((info.guarded(), info.sees_work_groups), ([false; 3], true), "launches keep the size");
        let of_launch = |source: &BlockSource| {
            matches!(
                source,
                BlockSource::GlobalSize(_) | BlockSource::GroupBase(_) | BlockSource::GlobalIdBase(_)
            )
        };
        assert!(!info.block.members.iter().any(|member| of_launch(&member.source)), "{:?}", info.block);
        validate(&module).expect("it is valid");
    }
}

/// A module that does not enqueue is left alone.
#[test]
fn left_alone() {
    let module = compiled("none.cl", "kernel void k(global int *a) { a[0] = 1; }");
    assert!(matches!(lower_enqueue(&module), Ok(Cow::Borrowed(_))));
}

/// Damaged modules give errors, and no panic.
#[test]
fn damaged() {
    let module = compiled("enqueue.cl", KERNELS);
    for at in (5..module.len()).step_by(23) {
        for word in [0, 1, module[at] ^ 1, module[at] + (1 << 16), u32::MAX] {
            let mut copy = module.clone();
            copy[at] = word;
            if let Ok(lowered) = lower_enqueue(&copy) {
                let _ = crate::read::read(&lowered);
            }
        }
        let _ = lower_enqueue(&module[..at]);
    }
    for bound in [0, 1, 1 << 31, u32::MAX] {
        let mut copy = module.clone();
        copy[3] = bound;
        let _ = lower_enqueue(&copy);
    }
}
