//! When pipelines are made, and how many: one test, for it counts those of the whole process.

mod open;
mod support;

use std::time::{Duration, Instant};

use support::*;

const KERNELS: &str = "
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(global uint *p) { p[get_global_id(0)] = 7; }
kernel void tells(global uint *p) { p[get_global_id(0)] = get_local_size(0); }
kernel void any(global uint *p) { p[get_global_id(0)] = 8; }
kernel void scratch(global uint *p, local uint *part) {
    part[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = part[0] + get_local_size(0) - 1;
}";

fn pipelines() -> i64 {
    pumice::testing::alive().iter().find(|(kind, _)| *kind == "pipeline").map_or(0, |(_, count)| *count)
}

#[test]
fn pipelines_are_made_ahead_and_few() {
    pumice::testing::set_modes("count,slow");
    let Some(s) = setup() else { return };
    let program = s.built(KERNELS, "");
    let out = s.buffer(4 * 256);
    // Of a required size: in the background, with no launch.
    let end = Instant::now() + Duration::from_secs(20);
    while pipelines() == 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(pipelines(), 1, "{:?}", pumice::testing::alive());
    let fixed = kernel(&program, "fixed").expect("a kernel");
    assert_eq!(set(&fixed, 0, out.0), 0);
    assert_eq!(s.launch(&fixed, &[256], None), 0);
    assert_eq!(s.read(&out, 256), [7; 256]);
    assert_eq!(pipelines(), 1, "the launch took it");
    // Others with their first launch.
    let any = kernel(&program, "any").expect("a kernel");
    assert_eq!(set(&any, 0, out.0), 0);
    assert_eq!((s.launch(&any, &[256], Some(&[64])), s.finish(), pipelines()), (0, 0, 2));
    // A search for the best work-group size, of a kernel that cannot tell: the one pipeline serves.
    for size in [1, 2, 16, 32, 128, 256] {
        assert_eq!((s.launch(&any, &[256], Some(&[size])), s.finish(), pipelines()), (0, 0, 2), "{size}");
    }
    assert_eq!(s.read(&out, 256), [8; 256]);
    // 64 does not divide 96; one that can tell gets its own.
    assert_eq!((s.launch(&any, &[96], Some(&[48])), s.finish(), pipelines()), (0, 0, 3));
    let tells = kernel(&program, "tells").expect("a kernel");
    assert_eq!(set(&tells, 0, out.0), 0);
    for (size, made) in [(64, 4), (128, 5), (64, 5)] {
        assert_eq!((s.launch(&tells, &[256], Some(&[size])), pipelines()), (0, made));
        assert_eq!(s.read(&out, 256), [size as u32; 256]);
    }
    // A sweep over sizes of a local argument.
    let scratch = kernel(&program, "scratch").expect("a kernel");
    assert_eq!(set(&scratch, 0, out.0), 0);
    for size in 16..80 {
        assert_eq!(set_local(&scratch, 1, size * 4), 0);
        assert_eq!(s.launch(&scratch, &[256], Some(&[16])), 0);
    }
    let expected: Vec<u32> = (0..256).map(|i| i / 16 * 16 + 15).collect();
    assert_eq!(s.read(&out, 256), expected);
    assert!(pipelines() <= 5 + 12, "{} pipelines for 64 sizes", pipelines());
    // A kernel object that is released, as libraries do after each launch, leaves its pipelines to the next one of its name.
    assert_eq!(s.finish(), 0);
    let made = pipelines();
    drop(any);
    assert_eq!((s.finish(), pipelines()), (0, made));
    let any = kernel(&program, "any").expect("a kernel");
    assert_eq!(set(&any, 0, out.0), 0);
    assert_eq!((s.launch(&any, &[256], Some(&[64])), s.finish(), pipelines()), (0, 0, made));
}
