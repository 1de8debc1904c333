//! Launches of many sizes: their pipelines are few, and their results right. One test, for it counts the pipelines of the whole process.

mod open;
mod support;

use std::time::{Duration, Instant};

use opencl_sys as cl;
use support::*;

const KERNELS: &str = "
kernel void line(global uint *p, uint k) { p[get_global_id(0)] += k * get_global_size(0) + get_global_id(0); }
kernel void plane(global uint *p) {
    atomic_inc(p + get_global_id(1) * get_global_size(0) + get_global_id(0));
}
kernel void space(global uint *p) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    p[i] += 1 + i;
}
kernel void one_dimension(global uint *p) { p[get_global_id(0)] = get_global_size(1); }
kernel void tells(global uint *p) {
    p[get_global_id(0)] = get_local_size(0) * get_num_groups(0) * 1000 + get_group_id(0) * get_local_size(0) + get_local_id(0);
}
kernel void sums(global uint *p) {
    local uint all;
    if (get_local_id(0) == 0) all = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&all);
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = all * get_num_groups(0);
}
kernel void tuned(global uint *p, uint k) { p[get_global_id(0)] = k * get_global_size(0) + get_global_id(0); }
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(global uint *p) { p[get_global_id(0)] = get_local_size(0); }
kernel __attribute__((work_group_size_hint(16, 1, 1))) void hinted(global uint *p) { p[get_global_id(0)] += 5; }
";

fn pipelines() -> i64 {
    pumice::testing::alive().iter().find(|(kind, _)| *kind == "pipeline").map_or(0, |(_, count)| *count)
}

/// A buffer of zeros, the words of a launch's work-items, and that nothing behind them was touched.
fn words(s: &Setup, launch: impl FnOnce(&Owned) -> Code, count: usize) -> Vec<u32> {
    let out = s.buffer(4 * (count + 300));
    s.write(&out, &vec![0; count + 300]);
    assert_eq!(launch(&out), 0);
    let mut all = s.read(&out, count + 300);
    assert!(all.split_off(count).iter().all(|word| *word == 0), "a work-item beyond {count}");
    all
}

#[test]
fn many_sizes_take_few_pipelines() {
    // Nothing is made in the background: when that comes is not known.
    pumice::testing::set_modes("count,tune.often=0");
    let Some(s) = setup() else { return };
    let program = s.built(KERNELS, "");
    let get = |name: &str| kernel(&program, name).expect("a kernel");
    let on = |kernel: &Owned, out: &Owned, run: &dyn Fn() -> Code| match set(kernel, 0, out.0) {
        0 => run(),
        error => error,
    };
    // `fixed` and `hinted` are made ahead.
    let end = Instant::now() + Duration::from_secs(20);
    while pipelines() < 2 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut before = pipelines();
    assert_eq!(before, 2);
    let mut made = |most: i64, what: &str| {
        let new = pipelines() - std::mem::replace(&mut before, pipelines());
        println!("{what}: {new} pipelines");
        assert!(new <= most, "{what}: {new} pipelines");
    };

    let line = get("line");
    assert_eq!(set(&line, 1, 3u32), 0);
    let right = |n: usize, first: usize| (first..first + n).map(|i| (3 * n + i) as u32).collect::<Vec<_>>();
    let sizes = (0..100).map(|n| match n {
        0..30 => n + 1,
        30..60 => n * n - 1,
        _ => 997 * (n - 55) + n,
    });
    for n in sizes {
        assert_eq!(words(&s, |out| on(&line, out, &|| s.launch(&line, &[n], None)), n), right(n, 0), "{n}");
    }
    made(3, "100 global sizes");
    for n in 1..=20 {
        let run = |out: &Owned| on(&line, out, &|| s.launch(&line, &[n * 12], Some(&[n])));
        assert_eq!(words(&s, run, n * 12), right(n * 12, 0), "{n}");
    }
    made(1, "20 local sizes");
    for n in 1..=20 {
        let run = |out: &Owned| on(&line, out, &|| s.launch_at(&line, Some(&[n]), &[50], None));
        assert_eq!(words(&s, run, 50 + n)[n..], right(50, n), "{n}");
    }
    made(1, "20 offsets");
    // As hashcat looks for the best size: one work-item first, then the largest work-group, then halves.
    let tuned = get("tuned");
    assert_eq!(set(&tuned, 1, 3u32), 0);
    for n in [1, 1024, 512, 256, 128, 64, 32, 7] {
        let run = |out: &Owned| on(&tuned, out, &|| s.launch(&tuned, &[7168], Some(&[n])));
        assert_eq!(words(&s, run, 7168), right(7168, 0), "{n}");
    }
    made(1, "local sizes of a tuner");

    let plane = get("plane");
    for n in 1..=100 {
        let (x, y) = (n, 1 + n * 7 % 41);
        let run = |out: &Owned| on(&plane, out, &|| s.launch(&plane, &[x, y], None));
        assert!(words(&s, run, x * y).iter().all(|count| *count == 1), "{x} by {y}");
    }
    made(4, "100 planes");
    let space = get("space");
    for n in 1..=100 {
        let global = [1 + n * 5 % 23, 1 + n * 3 % 11, 1 + n % 7];
        let offset = if n % 4 == 0 { [n, 1, 2] } else { [0; 3] };
        let run = |out: &Owned| on(&space, out, &|| s.launch_at(&space, Some(&offset), &global, None));
        let count = global.iter().product();
        let right = (1..=count as u32).collect::<Vec<_>>();
        assert_eq!(words(&s, run, count), right, "{global:?} from {offset:?}");
    }
    made(6, "100 spaces");
    let flat = get("one_dimension");
    for n in 1..=20 {
        let run = |out: &Owned| on(&flat, out, &|| s.launch(&flat, &[n * 3, n], None));
        assert_eq!(words(&s, run, n * 3), vec![n as u32; n * 3]);
    }
    made(2, "20 planes of which one dimension is read");

    // Kernels that notice their work-groups have whole ones.
    let (tells, sums) = (get("tells"), get("sums"));
    for n in [1usize, 7, 64, 90, 97, 1000, 1009] {
        let run = |out: &Owned| on(&tells, out, &|| s.launch(&tells, &[n], None));
        let right: Vec<u32> = (0..n).map(|i| (n * 1000 + i) as u32).collect();
        assert_eq!(words(&s, run, n), right, "{n}");
        let run = |out: &Owned| on(&sums, out, &|| s.launch(&sums, &[n], None));
        assert_eq!(words(&s, run, n), vec![n as u32; n], "{n}");
    }
    made(14, "kernels that notice");
    let (fixed, hinted) = (get("fixed"), get("hinted"));
    for n in 1..=20 {
        let run = |out: &Owned| on(&fixed, out, &|| s.launch(&fixed, &[n * 4], None));
        assert_eq!(words(&s, run, n * 4), vec![4; n * 4]);
        let run = |out: &Owned| on(&hinted, out, &|| s.launch(&hinted, &[n * 7], None));
        assert_eq!(words(&s, run, n * 7), vec![5; n * 7]);
    }
    made(2, "a required and a hinted size");
    let out = s.buffer(64);
    assert_eq!(set(&fixed, 0, out.0), 0);
    assert_eq!(s.launch(&fixed, &[6], None), cl::CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(set(&line, 0, out.0), 0);
    assert_eq!(s.launch(&line, &[6], Some(&[4])), cl::CL_INVALID_WORK_GROUP_SIZE);
}
