//! The stream that threads share: waits, callbacks, pending reads, times, faults, barriers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use crate::common::*;
use lower::kernel_info::*;
use pumice_vk_runtime::*;

const LONG: Duration = Duration::from_secs(20);

#[test]
fn others_record_while_one_waits() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 22);
    job.run(&f.queue).expect("warm");
    f.queue.finish().expect("finish");
    let last = (0..1000).map(|_| job.run(&f.queue).expect("dispatch")).next_back().expect("value");
    // What comes later is in another batch, even if the other thread does not come to wait for a while.
    f.queue.flush().expect("flush");
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            f.queue.wait(last).expect("wait");
            send.send(()).expect("send");
        });
        let buffer = f.device.create_buffer(64, BufferUse::Device).expect("buffer");
        std::thread::sleep(Duration::from_millis(5));
        let begin = Instant::now();
        let value = f.queue.fill_buffer(&buffer, 0, 64, &[1]).expect("fill");
        assert!(receive.try_recv().is_err(), "the work was too little: {:?}", begin.elapsed());
        assert!(value.value > last.value);
        f.queue.wait(value).expect("wait");
        assert!(f.queue.is_done(last).expect("done"));
        receive.recv_timeout(LONG).expect("the waiting thread");
    });
}

#[test]
fn callbacks_come_in_order_and_without_a_flush() {
    for timeline in [true, false] {
        let Some(f) = Fixture::new(|t| t.features.timeline_semaphore &= timeline) else { return };
        let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 12);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (send, receive) = mpsc::channel();
        for i in 0..200 {
            let value = job.run(&f.queue).expect("dispatch");
            let (seen, send) = (seen.clone(), send.clone());
            let then = move |result: Result<(), RuntimeError>| {
                result.expect("done");
                seen.lock().expect("lock").push((value.value, i));
                send.send(i).expect("send");
            };
            f.queue.on_complete(value, Box::new(then));
        }
        for _ in 0..200 {
            receive.recv_timeout(LONG).expect("a callback");
        }
        let seen = seen.lock().expect("lock").clone();
        assert!(seen.is_sorted() && seen.len() == 200);
        // For what is done already; and from a callback the queue can be used, waits included.
        let value = f.queue.recorded_by_callback(&job, &send);
        f.queue.on_complete(value, Box::new(move |r| r.expect("done")));
        receive.recv_timeout(LONG).expect("the callback in a callback");
    }
}

/// A callback that records, waits, and registers another callback.
trait ByCallback {
    fn recorded_by_callback(&self, job: &Saxpy, send: &mpsc::Sender<i32>) -> Point;
}

impl ByCallback for Queue {
    fn recorded_by_callback(&self, job: &Saxpy, send: &mpsc::Sender<i32>) -> Point {
        let (queue, buffer, send) = (self.clone(), job.y.clone(), send.clone());
        let first = Point { stream: 0, value: 0 };
        let then = move |result: Result<(), RuntimeError>| {
            result.expect("done");
            let value = queue.fill_buffer(&buffer, 0, 64, &[0]).expect("fill");
            queue.wait(value).expect("wait");
            queue.on_complete(value, Box::new(move |r| send.send(r.map_or(-1, |()| 7)).expect("send")));
        };
        self.on_complete(first, Box::new(then));
        first
    }
}

#[test]
fn what_is_handed_over_reaches_the_device() {
    for modes in ["", "tune.ahead_of_it=1", "tune.ahead_of_it=0"] {
        let Some(f) = Fixture::options(|_| {}, |o| o.set_test_modes(modes).expect("modes")) else { return };
        let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 12);
        let long = Saxpy::new(&f, BindingModel::Descriptor, 1 << 22);
        f.queue.finish().expect("finish");
        f.queue.hand_over().expect("nothing");
        let mut batches = std::collections::BTreeSet::new();
        for count in [1, 2, 100, 1, 3] {
            if count == 100 {
                // The device is at work, however slow the host is.
                for _ in 0..20 {
                    long.run(&f.queue).expect("dispatch");
                }
                f.queue.hand_over().expect("hand over");
            }
            for _ in 0..count {
                batches.insert(job.run(&f.queue).expect("dispatch").value);
                f.queue.hand_over().expect("hand over");
            }
            let (last, begin) = (batches.last().copied().expect("one"), Instant::now());
            // This submits nothing.
            while !f.queue.has_come_to(&Point { stream: 0, value: last }.into()) {
                assert!(begin.elapsed() < LONG, "nobody submits it");
                std::thread::yield_now();
            }
        }
        assert!(batches.len() < 107, "what comes while the device is at work goes together");
    }
}

#[test]
fn launches_are_repeated_with_other_arguments() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let job = Saxpy::new(&f, model, 256);
        let a = 2f32.to_le_bytes();
        let args = [ArgValue::Buffer(&job.x), ArgValue::Buffer(&job.y), ArgValue::Value(&a)];
        let launch =
            f.queue.repeat(&job.kernel, &args, &NdRange::new_1d(256), &Default::default()).expect("launch");
        let mut launch = launch.expect("can be repeated");
        let again = |launch: &Repeat| f.queue.dispatch_again(launch, false, &[]).expect("dispatch");
        for _ in 0..200 {
            assert!(again(&launch).is_some());
        }
        assert_eq!(f.floats(&job.y), job.want(200));
        // Another value, another buffer to write to; launches of both sorts after each other.
        assert!(!launch.set_value(2, &[0; 8]) && !launch.set_value(0, &[0; 8]) && !launch.set_value(9, &[]));
        assert!(launch.set_value(2, &4f32.to_le_bytes()));
        assert!(again(&launch).is_some());
        job.run(&f.queue).expect("dispatch");
        let z = f.buffer(&le((0..256).map(|_| 0.0)));
        assert!(!launch.set_buffer(2, &z, 0, 1024) && !launch.set_buffer(1, &z, 512, 1024));
        assert!(launch.set_buffer(1, &z, 0, 1024));
        for _ in 0..3 {
            assert!(again(&launch).is_some());
        }
        assert_eq!(f.floats(&job.y), job.want(203));
        assert_eq!(f.floats(&z), (0..256).map(|i| 12.0 * i as f32).collect::<Vec<_>>());
        // A buffer that is gone, in use or not.
        assert!(again(&launch).is_some());
        drop(z);
        f.queue.finish().expect("finish");
        assert_eq!(again(&launch), None);
        assert!(launch.set_buffer(1, &job.y, 0, 1024) && again(&launch).is_some());
    }
}

#[test]
fn handles_go_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Queue>();
    check::<Program>();
    check::<Kernel>();
    check::<Buffer>();
    check::<DeviceTime>();
    check::<PendingRead>();
    check::<Repeat>();
}

#[test]
fn polling_makes_progress() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 12);
    let value = job.run(&f.queue).expect("dispatch");
    let begin = Instant::now();
    while !f.queue.is_done(value).expect("poll") {
        assert!(begin.elapsed() < LONG);
    }
}

#[test]
fn pending_reads_keep_what_was_there() {
    for always_stage in [false, true] {
        let Some(f) = Fixture::with(|_| {}, always_stage) else { return };
        for size in [1u64, 63, 5000, 300_000, 20 << 20] {
            let data: Vec<u8> = (0..size).map(|i| (i * 7 / 3) as u8).collect();
            let buffer = f.buffer(&data);
            f.queue.finish().expect("finish");
            let first = f.queue.begin_read(&buffer, 0, size).expect("read");
            f.queue.fill_buffer(&buffer, 0, size, &[9]).expect("fill");
            let second = f.queue.begin_read(&buffer, size / 2, size - size / 2).expect("read");
            f.queue.fill_buffer(&buffer, 0, size, &[8]).expect("fill");
            f.queue.write_buffer(&buffer, 0, &data[..1]).expect("write");
            let mut out = vec![0; size as usize];
            second.finish(&mut out[(size / 2) as usize..]).expect("finish");
            assert!(out[(size / 2) as usize..].iter().all(|b| *b == 9));
            f.queue.wait(first.points()).expect("wait");
            first.finish(&mut out).expect("finish");
            assert!(out == data, "{size}");
            assert!(f.queue.begin_read(&buffer, 1, size).is_err());
        }
        let buffer = f.buffer(&[1; 64]);
        let pending = f.queue.begin_read(&buffer, 0, 64).expect("read");
        assert!(pending.finish(&mut [0; 63]).is_err());
        drop(f.queue.begin_read(&buffer, 0, 64));
    }
}

#[test]
fn boxes_to_and_from_the_host() {
    for always_stage in [false, true] {
        let Some(f) = Fixture::with(|_| {}, always_stage) else { return };
        for region in [[5u64, 3, 2], [1, 300, 1], [7, 40, 30], [3, 1, 1], [300_000, 70, 1]] {
            let [w, h, d] = region;
            let rect = RectCopy {
                src_origin: [3, 1, 0],
                dst_origin: [2, 0, 1],
                region,
                src_row_pitch: w + 5,
                src_slice_pitch: (w + 5) * (h + 2),
                dst_row_pitch: w + 3,
                dst_slice_pitch: (w + 3) * (h + 1),
            };
            let host: Vec<u8> = (0..rect.src_slice_pitch * (d + 1)).map(|i| (i % 251) as u8).collect();
            let size = rect.dst_slice_pitch * (d + 2);
            let buffer = f.buffer(&vec![0x55; size as usize]);
            f.queue.write_rect(&buffer, &rect, &host).expect("write");
            let mut want = vec![0x55; size as usize];
            for z in 0..d {
                for y in 0..h {
                    let from = (z * rect.src_slice_pitch + (y + 1) * rect.src_row_pitch + 3) as usize;
                    let to = ((z + 1) * rect.dst_slice_pitch + y * rect.dst_row_pitch + 2) as usize;
                    want[to..to + w as usize].copy_from_slice(&host[from..from + w as usize]);
                }
            }
            assert!(f.bytes(&buffer) == want, "{region:?}");
            // And back, to where it came from.
            let back = RectCopy {
                src_origin: rect.dst_origin,
                dst_origin: rect.src_origin,
                region,
                src_row_pitch: rect.dst_row_pitch,
                src_slice_pitch: rect.dst_slice_pitch,
                dst_row_pitch: rect.src_row_pitch,
                dst_slice_pitch: rect.src_slice_pitch,
            };
            let pending = f.queue.begin_read_rect(&buffer, &back).expect("read");
            f.queue.fill_buffer(&buffer, 0, size, &[1]).expect("fill");
            let mut out = vec![0; host.len()];
            pending.finish(&mut out).expect("finish");
            for z in 0..d {
                for y in 0..h {
                    let at = (z * rect.src_slice_pitch + (y + 1) * rect.src_row_pitch + 3) as usize;
                    assert!(out[at..at + w as usize] == host[at..at + w as usize]);
                    assert_eq!(out[at - 1], 0, "only the rows are written");
                }
            }
            assert!(f.queue.write_rect(&buffer, &rect, &host[..w as usize]).is_err());
        }
    }
}

#[test]
fn device_times_are_host_times() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 20);
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&job.x), ArgValue::Buffer(&job.y), ArgValue::Value(&a)];
    let range = NdRange::new_1d(job.n);
    let slack = 200_000;
    for _ in 0..3 {
        let before = host_time();
        let (value, start, end) = f.queue.dispatch_profiled(&job.kernel, &args, &range).expect("dispatch");
        let ((), from, to) =
            f.queue.profiled(|q| q.fill_buffer(&job.y, 0, 4096, &[0; 4]).map(|_| ())).expect("profiled");
        let last = f.queue.timestamp().expect("timestamp");
        // Where this thread was kept waiting the dispatch may be over by now.
        let early = start.nanos().expect("time");
        assert!(early.is_none() || f.queue.is_done(value).expect("done"));
        f.queue.finish().expect("finish");
        assert!(f.queue.is_done(value).expect("done"));
        let after = host_time();
        let times: Vec<u64> =
            [start, end, from, to, last].iter().map(|t| t.nanos().expect("time").expect("done")).collect();
        assert!(times.is_sorted(), "{times:?}");
        assert!(times[1] - times[0] > 1000);
        assert!(times[0] + slack >= before && times[4] <= after + slack, "{before} {times:?} {after}");
    }
    // More timestamps than one pool holds.
    let times: Vec<DeviceTime> = (0..1000).map(|_| f.queue.timestamp().expect("timestamp")).collect();
    f.queue.finish().expect("finish");
    let times: Vec<_> = times.iter().map(|t| t.nanos().expect("time").expect("done")).collect();
    assert!(times.is_sorted());
    let (device, host) = f.device.device_and_host_time().expect("times");
    assert!(device.abs_diff(host) < 1_000_000 && host <= host_time());
}

/// A point that no command has.
const NEVER: Point = Point { stream: 0, value: 1 << 40 };

/// Work of every kind; what it was told of its end.
fn work_until_lost(f: &Fixture) -> (Result<(), RuntimeError>, u64, u64) {
    let ends = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let mut registered = 0;
    let mut all = || {
        let job = Saxpy::new(f, BindingModel::Descriptor, 4096);
        let mut out = vec![0; 4096];
        for _ in 0..3 {
            let value = job.run(&f.queue)?;
            let ends = ends.clone();
            f.queue.on_complete(
                value,
                Box::new(move |result| {
                    let end = if result.is_ok() { &ends.0 } else { &ends.1 };
                    end.fetch_add(1, Ordering::SeqCst);
                }),
            );
            registered += 1;
            let pending = f.queue.begin_read(&job.y, 0, 4096)?;
            f.queue.wait(pending.points())?;
            pending.finish(&mut out)?;
            f.queue.read_buffer(&job.x, 0, &mut out)?;
            f.queue.timestamp()?;
            f.queue.finish()?;
        }
        Ok(())
    };
    let result = all();
    let begin = Instant::now();
    let count = |e: &(AtomicU64, AtomicU64)| (e.0.load(Ordering::SeqCst), e.1.load(Ordering::SeqCst));
    while count(&ends).0 + count(&ends).1 < registered {
        assert!(begin.elapsed() < LONG, "callbacks are missing");
        std::thread::yield_now();
    }
    (result, count(&ends).0, count(&ends).1)
}

#[test]
fn a_device_lost_at_any_point() {
    let mut losses = 0;
    for timeline in [true, false] {
        for point in 1.. {
            let mask = |t: &mut lower::Target| t.features.timeline_semaphore &= timeline;
            let Some(f) = Fixture::options(mask, |o| o.lose_after = Some(point)) else { return };
            let (result, good, bad) = work_until_lost(&f);
            let Err(error) = result else {
                assert_eq!((good, bad), (3, 0));
                break;
            };
            losses += 1;
            assert!(error.is_device_lost(), "{error}");
            for after in [f.queue.finish(), f.queue.wait(NEVER), f.queue.flush().map(|_| ())] {
                assert!(after.is_err_and(|e| e.is_device_lost()));
            }
            assert!(f.queue.lost().is_some());
            let (send, receive) = mpsc::channel();
            f.queue.on_complete(NEVER, Box::new(move |r| send.send(r.is_err()).expect("send")));
            assert_eq!(receive.recv_timeout(LONG), Ok(true));
            // A new device of the same physical one works.
            let device = Device::new(f.device.physical(), None).expect("device");
            let queue = device.create_queue().expect("queue");
            let buffer = device.create_buffer(64, BufferUse::Device).expect("buffer");
            queue.fill_buffer(&buffer, 0, 64, &[5]).expect("fill");
            let mut out = [0; 64];
            queue.read_buffer(&buffer, 0, &mut out).expect("read");
            assert_eq!(out, [5; 64]);
        }
    }
    assert!(losses > 8, "{losses}");
}

/// Options of a device that looks for a loss every two milliseconds.
fn watchful(o: &mut DeviceOptions<'_>) {
    o.ask_fences = true;
    o.set_test_modes("tune.watch=2000").expect("known");
}

/// Timelines that stand still, submissions that succeed, and a fence that tells.
#[test]
fn a_loss_that_timelines_do_not_tell_of() {
    let mut losses = 0;
    for point in 1.. {
        let Some(f) = Fixture::options(|_| {}, watchful) else { return };
        f.device.fall_silent_after(point, true);
        let (result, good, bad) = work_until_lost(&f);
        let Err(error) = result else {
            assert_eq!((good, bad), (3, 0));
            break;
        };
        losses += 1;
        assert!(error.is_device_lost(), "{error}");
        assert!(f.queue.finish().is_err_and(|e| e.is_device_lost()));
        assert!(f.queue.is_done(NEVER).is_err());
    }
    assert!(losses > 8, "{losses}");
}

/// Who only asks hears of it, too.
#[test]
fn a_loss_that_is_polled_for() {
    let Some(f) = Fixture::options(|_| {}, watchful) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 4096);
    f.queue.finish().expect("finish");
    f.device.fall_silent_after(1, true);
    let point = job.run(&f.queue).expect("dispatch");
    let begin = Instant::now();
    let error = loop {
        match f.queue.is_done(point) {
            Ok(done) => assert!(!done && begin.elapsed() < LONG, "it neither ends nor fails"),
            Err(error) => break error,
        }
        std::thread::yield_now();
    };
    assert!(error.is_device_lost(), "{error}");
    assert_eq!(f.queue.loss_account(), "on their way: main");
}

/// Nothing ever tells: the watchdog does, every thread that waits hears of it, and another device works.
#[test]
fn a_kernel_that_never_ends() {
    let patience = Duration::from_millis(500);
    let change = |o: &mut DeviceOptions<'_>| {
        watchful(o);
        (o.watchdog, o.streams) = (Some(patience), Some(2));
    };
    let Some(f) = Fixture::options(|_| {}, change) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 4096);
    f.queue.finish().expect("finish");
    f.device.fall_silent_after(1, false);
    let begin = Instant::now();
    let point = job.run(&f.queue).expect("dispatch");
    let other = f.queue.sibling(1).expect("another stream");
    other.behind(&point.into()).expect("order");
    let behind = job.run(&other).expect("dispatch");
    let (send, receive) = mpsc::channel();
    f.queue.on_complete(behind, Box::new(move |r| send.send(r).expect("send")));
    std::thread::scope(|scope| {
        for (queue, point) in [(&f.queue, point), (&other, behind), (&f.queue, point), (&f.queue, behind)] {
            scope.spawn(move || {
                let error = queue.wait(point).expect_err("it hangs");
                assert!(error.is_device_lost(), "{error}");
            });
        }
    });
    let told = receive.recv_timeout(LONG).expect("a callback");
    assert!(told.is_err_and(|e| e.is_device_lost()));
    assert!(begin.elapsed() >= patience);
    let Some(g) = Fixture::options(|_| {}, watchful) else { return };
    let job = Saxpy::new(&g, BindingModel::Descriptor, 4096);
    job.run(&g.queue).expect("dispatch");
    assert_eq!(g.floats(&job.y), job.want(1));
}

/// Nothing is seen to end, but probes get through: it is the watchdog that gives the device up, not they.
#[test]
fn a_device_that_lets_probes_through_has_not_faulted() {
    let change = |o: &mut DeviceOptions<'_>| {
        watchful(o);
        o.watchdog = Some(Duration::from_secs(3));
        o.set_test_modes("probe,tune.probe=20000").expect("known");
    };
    let Some(f) = Fixture::options(|_| {}, change) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 4096);
    f.queue.finish().expect("finish");
    assert_eq!(f.device.probes(), 0, "it gets on");
    f.device.fall_silent_after(1, false);
    let point = job.run(&f.queue).expect("dispatch");
    let error = f.queue.wait(point).expect_err("nobody sees it end");
    assert!(matches!(error, RuntimeError::Hung { .. }), "{error}");
    let expected = if f.device.target().has_address_model() { 2 } else { 0 };
    assert!(f.device.probes() >= expected, "{} probes", f.device.probes());
}

/// What runs for long is no loss, however often it is looked for one.
#[test]
fn a_kernel_that_runs_long() {
    let Some(f) = Fixture::options(
        |_| {},
        |o| {
            watchful(o);
            o.set_test_modes("tune.watch=1").expect("known");
        },
    ) else {
        return;
    };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 18);
    for times in 1..6 {
        for _ in 0..4 {
            job.run(&f.queue).expect("dispatch");
        }
        let point = f.queue.flush().expect("flush");
        while times % 2 == 0 && !f.queue.is_done(point).expect("no loss") {}
        assert!(f.floats(&job.y) == job.want(times * 4), "{times}");
    }
}

#[test]
fn nothing_is_left_alive() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 4096);
    job.run(&f.queue).expect("dispatch");
    assert_eq!(f.device.live_allocations(), 2);
    drop(job);
    f.queue.finish().expect("finish");
    assert_eq!(f.device.live_allocations(), 0);
    let device = Device::new(f.device.physical(), None).expect("device");
    let queue = device.create_queue().expect("queue");
    let buffer = device.create_buffer(1 << 20, BufferUse::Device).expect("buffer");
    queue.fill_buffer(&buffer, 1, 1000, &[1, 2, 3]).expect("fill");
    drop(queue.begin_read(&buffer, 0, 1 << 20).expect("read"));
    drop((buffer, queue));
    assert_eq!((device.live_allocations(), device.live_internal_allocations()), (0, 0));
}

#[test]
fn launches_in_parts() {
    let Some(f) = Fixture::options(|_| {}, |o| o.max_dispatch_ms = Some(1)) else { return };
    let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 21);
    for times in 1..4 {
        let before = f.queue.flush().expect("flush").value;
        let value = job.run(&f.queue).expect("dispatch");
        println!("{} parts", value.value - before);
        assert!(times > 1 || value.value > before + 3, "more than a few parts at first");
        assert_eq!(f.floats(&job.y), job.want(times));
    }
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&job.x), ArgValue::Buffer(&job.y), ArgValue::Value(&a)];
    let timed = f.queue.dispatch_timed(&job.kernel, &args, &NdRange::new_1d(job.n)).expect("dispatch");
    assert!(timed.wait().expect("time").ns > 1000);
}

#[test]
fn sizes_of_local_arguments_share_pipelines() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let kernel = f.device.create_program(&neighbours()).and_then(|p| p.kernel("main")).expect("kernel");
    let out = f.buffer(&[0; 4 * 64]);
    let max = u64::from(f.device.target().limits.max_compute_shared_memory_size);
    let range = NdRange::new_1d(64).with_local([16, 1, 1]);
    let want: Vec<u32> = (0..64).map(|i| i + i / 16 * 16 + (i % 16 + 1) % 16).collect();
    for size in (64..2000).step_by(36).chain([max - 4, max]) {
        f.queue.fill_buffer(&out, 0, 256, &[0]).expect("fill");
        f.queue
            .dispatch(&kernel, &[ArgValue::Buffer(&out), ArgValue::Local(size)], &range)
            .expect("dispatch");
        assert_eq!(f.words(&out), want, "{size}");
    }
    println!("{} pipelines", kernel.pipelines());
    assert!(kernel.pipelines() <= 10, "{}", kernel.pipelines());
}

#[test]
fn buffers_above_the_descriptor_range() {
    let Some(f) = Fixture::new(|t| t.limits.max_storage_buffer_range = 1 << 16) else { return };
    for model in models(&f) {
        let job = Saxpy::new(&f, model, 1 << 15);
        match (model, job.run(&f.queue)) {
            (BindingModel::Descriptor, Err(RuntimeError::Unsupported(why))) => {
                assert!(why.contains("maxStorageBufferRange"), "{why}");
            }
            (BindingModel::Address, Ok(_)) => assert_eq!(f.floats(&job.y), job.want(1)),
            (model, other) => panic!("{model:?}: {other:?}"),
        }
    }
}

/// Commands that need a barrier of each class; whether all results were right, by class.
fn each_barrier(f: &Fixture, model: BindingModel) -> [bool; 4] {
    let n = 1024;
    let a = 2f32.to_le_bytes();
    let kernel = f.device.create_program(&saxpy(model)).and_then(|p| p.kernel("main")).expect("kernel");
    let filled = |value: f32| {
        let buffer = f.device.create_buffer(n * 4, BufferUse::Device).expect("buffer");
        f.queue.write_buffer(&buffer, 0, &le((0..n).map(|_| value))).expect("write");
        buffer
    };
    let launch = |x: &Buffer, y: &Buffer| {
        let args = [ArgValue::Buffer(x), ArgValue::Buffer(y), ArgValue::Value(&a)];
        f.queue.dispatch(&kernel, &args, &NdRange::new_1d(n)).expect("dispatch");
    };
    let start = || {
        let buffers = (filled(1.0), filled(10.0), filled(100.0));
        f.queue.finish().expect("finish");
        buffers
    };
    // What the device has at the end, past the question of what the host sees of it.
    let holds = |buffer: &Buffer, want: f32| {
        f.queue.finish().expect("finish");
        let copy = f.device.create_buffer(n * 4, BufferUse::HostPinned).expect("buffer");
        f.queue.copy_buffer(buffer, 0, &copy, 0, n * 4).expect("copy");
        f.floats(&copy).iter().all(|v| *v == want)
    };
    let (x, y, z) = start();
    launch(&x, &y);
    launch(&y, &z);
    let kernel_kernel = holds(&z, 124.0);
    let (x, y, z) = start();
    launch(&x, &y);
    f.queue.copy_buffer(&y, 0, &z, 0, n * 4).expect("copy");
    let kernel_copy = holds(&z, 12.0);
    let (x, y, z) = start();
    f.queue.copy_buffer(&x, 0, &y, 0, n * 4).expect("copy");
    launch(&y, &z);
    let copy_kernel = holds(&z, 102.0);
    let (x, y, _) = start();
    launch(&x, &y);
    // The copy to where the host reads is in a batch of its own: no other class is at work.
    f.queue.finish().expect("finish");
    let device_host = f.floats(&y).iter().all(|v| *v == 12.0);
    [kernel_kernel, kernel_copy, copy_kernel, device_host]
}

#[test]
fn every_class_of_barrier_matters() {
    for dropped in std::iter::once(None).chain(BarrierClass::ALL.map(Some)) {
        let change = |o: &mut DeviceOptions<'_>| {
            o.reorder = true;
            o.shadow_mappings = true;
            o.always_stage = true;
            o.drop_barrier = dropped;
        };
        let Some(mut f) = Fixture::options(|_| {}, change) else { return };
        // Synchronization validation sees the hazards in the descriptor model, and says so.
        f.silent = dropped.is_none();
        for model in models(&f) {
            let right = each_barrier(&f, model);
            println!("without {dropped:?}, {model:?}: {right:?}");
            match dropped.and_then(|d| BarrierClass::ALL.iter().position(|c| *c == d)) {
                // Without the last one the host sees nothing of the others' results either.
                Some(3) => assert!(!right[3], "{model:?}"),
                Some(class) => {
                    assert!(right.iter().enumerate().all(|(i, r)| *r == (i != class)), "{model:?} {right:?}");
                }
                None => assert_eq!(right, [true; 4], "{model:?}"),
            }
        }
    }
}

#[test]
fn threads_do_everything_at_once() {
    for always_stage in [false, true] {
        let Some(f) = Fixture::with(|_| {}, always_stage) else { return };
        let callbacks = Arc::new(AtomicU64::new(0));
        let registered = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for t in 0..6u64 {
                let (f, callbacks, registered) = (&f, callbacks.clone(), &registered);
                scope.spawn(move || {
                    let mut seed = t * 977 + 1;
                    let mut random = |n: u64| {
                        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        (seed >> 33) % n
                    };
                    let job = Saxpy::new(f, BindingModel::Descriptor, 512 + 64 * t);
                    let mut times = 0;
                    let mut out = vec![0; (job.n * 4) as usize];
                    for _ in 0..300 {
                        let value = job.run(&f.queue).expect("dispatch");
                        times += 1;
                        match random(6) {
                            0 => f.queue.wait(value).expect("wait"),
                            1 => {
                                let pending = f.queue.begin_read(&job.y, 0, job.n * 4).expect("read");
                                job.run(&f.queue).expect("dispatch");
                                pending.finish(&mut out).expect("finish");
                                assert_eq!(out, le(job.want(times).into_iter()));
                                times += 1;
                            }
                            2 => {
                                let callbacks = callbacks.clone();
                                registered.fetch_add(1, Ordering::SeqCst);
                                let then = move |r: Result<(), RuntimeError>| {
                                    r.expect("done");
                                    callbacks.fetch_add(1, Ordering::SeqCst);
                                };
                                f.queue.on_complete(value, Box::new(then));
                            }
                            3 => drop(f.queue.is_done(value).expect("poll")),
                            4 => drop(f.queue.timestamp().expect("timestamp")),
                            _ => {
                                f.queue.read_buffer(&job.y, 0, &mut out).expect("read");
                                assert_eq!(out, le(job.want(times).into_iter()));
                            }
                        }
                    }
                });
            }
        });
        let begin = Instant::now();
        while callbacks.load(Ordering::SeqCst) < registered.load(Ordering::SeqCst) {
            assert!(begin.elapsed() < LONG);
            std::thread::yield_now();
        }
    }
}

/// What holds whatever the number of streams.
#[test]
fn streams_wait_for_each_other_where_they_are_told_to() {
    for count in [2, 4, 8] {
        let Some(f) = Fixture::options(|_| {}, |o| o.streams = Some(count)) else { return };
        if f.device.streams() == 1 {
            println!("SKIP: no timeline semaphores");
            return;
        }
        assert_eq!(f.device.streams(), count);
        let queues: Vec<Queue> = (0..count).map(|i| f.queue.sibling(i).expect("stream")).collect();
        assert!(f.queue.sibling(count).is_err());
        let job = Saxpy::new(&f, BindingModel::Descriptor, 1 << 14);
        // Each launch needs the result of the one before, which is in another stream; nobody flushes.
        let mut last = Points::none();
        for i in 0..100 {
            let queue = &queues[i * 7 % queues.len()];
            queue.behind(&last).expect("behind");
            last = job.run(queue).expect("dispatch").into();
        }
        f.queue.wait(&last).expect("wait");
        assert_eq!(f.floats(&job.y), job.want(100));
        // One that waits for all others.
        let jobs: Vec<Saxpy> =
            queues.iter().map(|_| Saxpy::new(&f, BindingModel::Descriptor, 1 << 12)).collect();
        let points = jobs.iter().zip(&queues).map(|(job, queue)| job.run(queue).expect("dispatch"));
        let all = points.fold(Points::none(), |all, point| all.and(point));
        let gather = f.device.create_buffer(4 * u64::from(count), BufferUse::Device).expect("buffer");
        let end = &queues[queues.len() - 1];
        end.behind(&all).expect("behind");
        for (job, i) in jobs.iter().zip(0u64..) {
            end.copy_buffer(&job.y, 4 * (i + 1), &gather, 4 * i, 4).expect("copy");
        }
        let want: Vec<f32> = (0..count).map(|i| 2.0 * (i + 1) as f32 + 1.0).collect();
        assert_eq!(f.floats(&gather), want);
        // Callbacks for several streams, waits for several, and a bug's points.
        let (send, receive) = mpsc::channel();
        let both =
            Points::from(job.run(&queues[0]).expect("dispatch")).and(jobs[1].run(&queues[1]).expect("run"));
        f.queue.on_complete(&both, Box::new(move |r| send.send(r.is_ok()).expect("send")));
        assert_eq!(receive.recv_timeout(LONG), Ok(true));
        assert!(f.queue.has_reached(&both) && f.queue.is_done(&both).expect("done"));
        assert!(queues[1].behind(&NEVER.into()).is_err());
    }
}

#[test]
fn first_contents_come_before_any_stream_uses_them() {
    let Some(f) = Fixture::options(|_| {}, |o| (o.streams, o.always_stage) = (Some(3), true)) else { return };
    if f.device.streams() < 3 {
        return;
    }
    let queues: Vec<Queue> = (0..3).map(|i| f.queue.sibling(i).expect("stream")).collect();
    for size in [64u64, 1 << 16, 9 << 20] {
        let data: Vec<u8> = (0..size).map(|i| (i * 3 / 2) as u8).collect();
        let buffer = f.device.create_buffer(size, BufferUse::Device).expect("buffer");
        queues[0].initialize(&buffer, 0, &data).expect("contents");
        let copy = f.device.create_buffer(size, BufferUse::Device).expect("buffer");
        queues[1].copy_buffer(&buffer, 0, &copy, 0, size).expect("copy");
        let mut out = vec![0; size as usize];
        queues[1].read_buffer(&copy, 0, &mut out).expect("read");
        assert!(out == data, "{size}");
        queues[2].begin_read(&buffer, 0, size).and_then(|r| r.finish(&mut out)).expect("read");
        assert!(out == data, "{size}");
    }
}

#[test]
fn what_is_sealed_is_done_before_what_follows() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let (first, long) =
        (Saxpy::new(&f, BindingModel::Descriptor, 64), Saxpy::new(&f, BindingModel::Descriptor, 1 << 22));
    long.run(&f.queue).expect("warm");
    f.queue.finish().expect("finish");
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&first.x), ArgValue::Buffer(&first.y), ArgValue::Value(&a)];
    // On a busy machine the waiting thread may be woken when all is done: more work then. Timestamps are read before the rest is done, too.
    let seen = |count: u32, timed: bool| {
        let (point, times) = match timed {
            true => {
                let range = NdRange::new_1d(first.n);
                let (point, start, end) =
                    f.queue.dispatch_profiled(&first.kernel, &args, &range).expect("dispatch");
                (point, Some((start, end)))
            }
            false => (first.run(&f.queue).expect("dispatch"), None),
        };
        f.queue.seal(&point.into()).expect("seal");
        let last = (0..count).map(|_| long.run(&f.queue).expect("dispatch")).next_back().expect("many");
        assert!(last.value > point.value, "in another batch");
        f.queue.flush().expect("flush");
        f.queue.wait(point).expect("wait");
        let before = !f.queue.is_done(last).expect("poll");
        if let Some((start, end)) = times {
            let [start, end] = [start, end].map(|time| time.nanos().expect("time").expect("done"));
            assert!(start < end, "{start} {end}");
        }
        f.queue.wait(last).expect("wait");
        before
    };
    for timed in [false, true] {
        let seen = [100, 400, 1600].into_iter().any(|count| seen(count, timed));
        assert!(seen, "what is sealed was never done before what follows; timed: {timed}");
    }
}
