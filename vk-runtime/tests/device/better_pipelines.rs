//! Launches that use another pipeline than the one they wish for, until that one was made in the background.

use std::time::{Duration, Instant};

use lower::kernel_info::{BindingModel, BlockSource};
use pumice_vk_runtime::*;

use crate::common::*;

/// So many wishes have a pipeline made (`tune.often`).
const OFTEN: u64 = 64;
const ITEMS: u64 = 1024;

/// saxpy as a kernel that cannot notice its work-groups. All of them are whole here, so that the shader needs no guard.
fn saxpy_of_any_size(f: &Fixture, model: BindingModel) -> Saxpy {
    let mut lowered = saxpy(model);
    let info = &mut lowered.kernels[0];
    info.sees_work_groups = false;
    info.block.members.push(member(info.block.size, 4, BlockSource::DispatchSize(0)));
    info.block.size += 4;
    let kernel = f.device.create_program(&lowered).and_then(|p| p.kernel("main")).expect("kernel");
    Saxpy { kernel, ..Saxpy::new(f, model, ITEMS) }
}

fn launch(s: &Saxpy, queue: &Queue, local: u64) -> Result<(), RuntimeError> {
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&s.x), ArgValue::Buffer(&s.y), ArgValue::Value(&a)];
    let range = NdRange { local_size: Some([local, 1, 1]), ..NdRange::new_1d(s.n) };
    queue.dispatch(&s.kernel, &args, &range).map(|_| ())
}

/// Waits for the background. A thread of low priority may take its time.
fn wait_for_the_background(f: &Fixture) {
    let end = Instant::now() + Duration::from_secs(100);
    while f.device.makes_pipelines() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(!f.device.makes_pipelines(), "after 100 s");
}

#[test]
fn better_pipelines_are_made_in_the_background_and_used() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let s = saxpy_of_any_size(&f, model);
        launch(&s, &f.queue, 64).expect("launch");
        assert_eq!(
            (s.kernel.pipelines(), s.kernel.wishes()),
            (1, 0),
            "{model:?}: the first is made for its launch"
        );
        for n in 1..OFTEN {
            launch(&s, &f.queue, 128).expect("launch");
            assert_eq!(
                (s.kernel.pipelines(), s.kernel.wishes()),
                (1, n),
                "{model:?}: it serves another size"
            );
        }
        assert_eq!(f.floats(&s.y), s.want(OFTEN), "{model:?}");
        launch(&s, &f.queue, 128).expect("launch");
        // More launches, while it may be under way.
        let mut launches = OFTEN + 1;
        for _ in 0..10 {
            launch(&s, &f.queue, 128).expect("launch");
            launches += 1;
        }
        wait_for_the_background(&f);
        let wishes = s.kernel.wishes();
        for _ in 0..10 {
            launch(&s, &f.queue, 128).expect("launch");
            launch(&s, &f.queue, 64).expect("launch");
            launches += 2;
        }
        assert_eq!((s.kernel.pipelines(), s.kernel.wishes()), (2, wishes), "{model:?}: each has its own");
        assert_eq!(f.floats(&s.y), s.want(launches), "{model:?}: each launch ran once");
    }
}

#[test]
fn a_kernel_may_go_while_its_pipeline_is_made() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        for size in [32, 128, 256] {
            let s = saxpy_of_any_size(&f, model);
            launch(&s, &f.queue, 64).expect("launch");
            for _ in 0..OFTEN {
                launch(&s, &f.queue, size).expect("launch");
            }
            assert_eq!(f.floats(&s.y), s.want(OFTEN + 1), "{model:?}");
            // Work-groups that fill no sub-group are no better.
            assert_eq!(s.kernel.wishes(), if size < 64 { 0 } else { OFTEN });
            // The kernel, its program and their pipelines are released here.
        }
    }
    // It must be done before another test's device comes: the validation layer has no lock.
    wait_for_the_background(&f);
}

#[test]
fn a_device_may_be_lost_while_a_pipeline_is_made() {
    for point in [1, 30, 60, 64, 66, 70] {
        let Some(mut f) = Fixture::new(|_| {}) else { return };
        f.silent = false;
        let s = saxpy_of_any_size(&f, BindingModel::Descriptor);
        f.queue.finish().expect("the buffers are written");
        f.device.lose_after(point);
        let mut lost = false;
        for n in 0..=3 * OFTEN {
            let size = if n == 0 { 64 } else { 128 };
            // Each launch is waited for: the n-th wait loses the device.
            let run = launch(&s, &f.queue, size).and_then(|()| f.queue.finish());
            lost |= run.is_err_and(|e| e.is_device_lost());
        }
        assert!(lost, "after {point}");
        assert!(launch(&s, &f.queue, 128).is_err(), "a lost device stays lost");
        wait_for_the_background(&f);
    }
}
