//! Launches that are waited for again and again are submitted as they were recorded before: whatever changes between them, on the device
//! that PUMICE_TEST_DEVICE selects.

use crate::common::{Fixture, le, models, saxpy};
use lower::BindingModel;
use pumice_vk_runtime::*;

const N: u64 = 256;
const SIZE: u64 = 4 * N;

fn kernel(f: &Fixture, model: BindingModel) -> Kernel {
    f.device.create_program(&saxpy(model)).and_then(|p| p.kernel("main")).expect("kernel")
}

fn launch(f: &Fixture, kernel: &Kernel, memory: [&Buffer; 2], a: f32, n: u64) -> Repeat {
    launch_with(f, kernel, memory, (a, n), None)
}

fn launch_with(
    f: &Fixture,
    kernel: &Kernel,
    [x, y]: [&Buffer; 2],
    (a, n): (f32, u64),
    dropped_launches: Option<&DroppedLaunches>,
) -> Repeat {
    let a = a.to_le_bytes();
    let args = [ArgValue::Buffer(x), ArgValue::Buffer(y), ArgValue::Value(&a)];
    let extras = DispatchExtras { dropped_launches, ..Default::default() };
    let made = f.queue.repeat(kernel, &args, &NdRange::new_1d(n), &extras).expect("launch");
    made.expect("can be repeated")
}

fn again(queue: &Queue, launch: &Repeat) {
    assert!(queue.dispatch_again(launch, false, &[]).expect("dispatch").is_some());
}

fn numbers(seed: u64) -> Vec<f32> {
    (0..N).map(|i| ((i * 7 + seed) % 16) as f32).collect()
}

fn hits(f: &Fixture) -> u64 {
    f.queue.submitted_again().expect("a device")
}

/// Not where commands run the other way around.
fn keeps() -> bool {
    std::env::var_os("PUMICE_TEST_REORDER").is_none()
}

/// A sequence of numbers that look random.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

#[test]
fn the_same_launch_is_recorded_twice_and_never_again() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let kernel = kernel(&f, model);
        let (x, y) = (f.buffer(&le(numbers(1).into_iter())), f.buffer(&le(numbers(2).into_iter())));
        let mut launch = launch(&f, &kernel, [&x, &y], 2.0, N);
        let mut want = numbers(2);
        let mut run = |launch: &Repeat, a: f32, times: u64| {
            let before = hits(&f);
            for _ in 0..times {
                again(&f.queue, launch);
                f.queue.finish().expect("finish");
                want.iter_mut().zip(numbers(1)).for_each(|(y, x)| *y += a * x);
            }
            assert_eq!(f.floats(&y), want);
            f.queue.finish().expect("finish");
            hits(&f) - before
        };
        // What is left of the writes may be before the first.
        f.queue.finish().expect("finish");
        let kept = run(&launch, 2.0, 10);
        if !keeps() {
            assert_eq!(kept, 0);
            return;
        }
        assert_eq!(kept, 9, "{model:?}");
        // Another value is another launch, and the first one is known still.
        assert!(launch.set_value(2, &3f32.to_le_bytes()));
        assert_eq!(run(&launch, 3.0, 10), 9);
        assert!(launch.set_value(2, &2f32.to_le_bytes()));
        // There may be a barrier for the host behind it since then.
        assert!(run(&launch, 2.0, 10) >= 9);
        // New each time.
        for n in 4..44 {
            assert!(launch.set_value(2, &(n as f32).to_le_bytes()));
            assert_eq!(run(&launch, n as f32, 1), 0);
        }
        // What was not asked for since makes room.
        assert!(launch.set_value(2, &2f32.to_le_bytes()));
        assert!(run(&launch, 2.0, 10) >= 8);
        // More launches than one, and too many.
        let mut several = |count: usize| {
            let before = hits(&f);
            for _ in 0..6 {
                (0..count).for_each(|_| again(&f.queue, &launch));
                f.queue.finish().expect("finish");
            }
            want.iter_mut().zip(numbers(1)).for_each(|(y, x)| *y += (6 * count) as f32 * 2.0 * x);
            assert_eq!(f.floats(&y), want, "{count}");
            f.queue.finish().expect("finish");
            hits(&f) - before
        };
        assert!(several(2) >= 4);
        several(3);
        several(7);
        several(100);
    }
}

/// The same but for how many work-groups there are.
#[test]
fn sizes_that_change() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let kernel = kernel(&f, model);
        let (x, y) = (f.buffer(&le(numbers(1).into_iter())), f.buffer(&le(numbers(2).into_iter())));
        let a = 1f32.to_le_bytes();
        let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
        let of = |n: u64| {
            let range = NdRange::new_1d(n).with_local([8, 1, 1]);
            f.queue.repeat(&kernel, &args, &range, &Default::default()).expect("launch").expect("a plain one")
        };
        let launches = [of(N), of(N / 2), of(8)];
        let mut want = numbers(2);
        for round in 0..60 {
            let which = [round % 3, round / 10 % 3][round / 30];
            again(&f.queue, &launches[which]);
            f.queue.finish().expect("finish");
            let written = [N, N / 2, 8][which] as usize;
            want.iter_mut().zip(numbers(1)).take(written).for_each(|(y, x)| *y += x);
            assert_eq!(f.floats(&y), want, "{round}");
        }
    }
}

/// Buffers that come and go, at the same addresses and by the same handles.
#[test]
fn buffers_that_come_and_go() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let kernel = kernel(&f, model);
        for round in 0..60 {
            let (x, y) = (f.buffer(&le(numbers(round).into_iter())), f.buffer(&le(numbers(2).into_iter())));
            let z = f.buffer(&le(numbers(3).into_iter()));
            let mut launch = launch(&f, &kernel, [&x, &y], 2.0, N);
            for _ in 0..4 {
                again(&f.queue, &launch);
                f.queue.finish().expect("finish");
            }
            let want = |start: u64, times: f32| {
                numbers(start)
                    .iter()
                    .zip(numbers(round))
                    .map(|(y, x)| y + times * 2.0 * x)
                    .collect::<Vec<_>>()
            };
            assert_eq!(f.floats(&y), want(2, 4.0));
            drop(y);
            assert_eq!(f.queue.dispatch_again(&launch, false, &[]).expect("dispatch"), None);
            assert!(launch.set_buffer(1, &z, 0, SIZE));
            for _ in 0..3 {
                again(&f.queue, &launch);
                f.queue.finish().expect("finish");
            }
            assert_eq!(f.floats(&z), want(3, 3.0));
            // Gone before what was noted is recorded.
            again(&f.queue, &launch);
            drop((x, z, launch));
            f.queue.finish().expect("finish");
        }
    }
}

/// The same kernel from programs that come and go.
#[test]
fn kernels_that_come_and_go() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let (x, y) = (f.buffer(&le(numbers(1).into_iter())), f.buffer(&le(numbers(2).into_iter())));
        for round in 1..30 {
            let kernel = kernel(&f, model);
            // Other work-groups in each.
            let launch = launch(&f, &kernel, [&x, &y], 1.0, 8 * round);
            for _ in 0..3 {
                again(&f.queue, &launch);
                f.queue.finish().expect("finish");
            }
            again(&f.queue, &launch);
            drop((kernel, launch));
            f.queue.finish().expect("finish");
        }
        let times = |i: u64| (1..30).filter(|round| i < 8 * round).count() as f32 * 4.0;
        let want: Vec<f32> =
            (0..N).zip(numbers(2)).zip(numbers(1)).map(|((i, y), x)| y + times(i) * x).collect();
        assert_eq!(f.floats(&y), want);
    }
}

/// A barrier for the host is behind what it reads in place, for a while, and what it reads is right without, too.
#[test]
fn the_host_reads_now_and_then() {
    let Some(f) = Fixture::options(|_| {}, |o| o.window = true) else { return };
    let kernel = kernel(&f, BindingModel::Descriptor);
    let (x, y) = (f.buffer(&le(numbers(1).into_iter())), f.buffer(&le(numbers(2).into_iter())));
    let launch = launch(&f, &kernel, [&x, &y], 1.0, N);
    f.queue.read_buffer(&y, 0, &mut [0; 4]).expect("read");
    let (mut done, mut before) = (0, 0);
    for times in [1, 1, 1, 5, 127, 1, 128, 129, 1, 1, 300, 1] {
        for _ in 0..times {
            again(&f.queue, &launch);
            f.queue.finish().expect("finish");
        }
        done += times;
        let mut out = vec![0; SIZE as usize];
        let mut now = [0; 64];
        let seen = f.queue.read_now(&y, 0, &mut now).expect("read");
        f.queue.read_buffer(&y, 0, &mut out).expect("read");
        let want = numbers(2).into_iter().zip(numbers(1)).map(|(y, x)| y + done as f32 * x);
        assert_eq!(out, le(want));
        assert!(!seen || now == out[..64]);
        let expected = times <= 128;
        assert!(!y.is_mapped() || seen == expected, "{times} {done}");
        // With the barrier and without are two.
        let used = hits(&f) - before;
        assert!(times != 300 || used == 0 || used == 300, "known by then: {used}");
        assert!(times != 129 || used < 129 || !y.is_mapped(), "the first without one for long: {used}");
        before = hits(&f);
    }
}

/// Whatever is between the launches, on several streams: against a model.
#[test]
fn among_all_else() {
    let modes: [(bool, bool, u32); 4] =
        [(false, false, 1), (true, false, 2), (false, true, 1), (false, false, 3)];
    let mut kept = 0;
    for (seed, (window, stage, streams)) in (0..).zip(modes) {
        let change = |o: &mut DeviceOptions<'_>| {
            (o.window, o.always_stage, o.streams) = (window, stage, Some(streams));
        };
        let Some(f) = Fixture::options(|_| {}, change) else { return };
        for model in models(&f) {
            kept += among(&f, model, streams, seed);
        }
    }
    assert!(kept > 200 || !keeps(), "{kept}");
}

/// A buffer, and what is to be in it.
struct Modelled {
    buffer: Buffer,
    want: Vec<f32>,
}

impl Modelled {
    fn new(f: &Fixture, queue: &Queue, seed: u64) -> Self {
        let (buffer, want) =
            (f.device.create_buffer(SIZE, BufferUse::Device).expect("buffer"), numbers(seed));
        queue.write_buffer(&buffer, 0, &le(want.iter().copied())).expect("write");
        Modelled { buffer, want }
    }

    fn check(&self, queue: &Queue, step: u64) {
        let mut out = vec![0; SIZE as usize];
        queue.read_buffer(&self.buffer, 0, &mut out).expect("read");
        assert!(out == le(self.want.iter().copied()), "step {step}");
    }
}

/// A launch, to which buffer it writes, and its value.
struct Known {
    launch: Repeat,
    to: usize,
    a: f32,
}

/// Returns how many batches were submitted again.
fn among(f: &Fixture, model: BindingModel, streams: u32, seed: u64) -> u64 {
    let mut chance = Chance(seed);
    let queues: Vec<Queue> = (0..streams).map(|n| f.queue.sibling(n).expect("a stream")).collect();
    let kernel = kernel(f, model);
    let x = f.buffer(&le(numbers(5).into_iter()));
    let mut all: Vec<Modelled> = (0..4).map(|n| Modelled::new(f, &f.queue, n)).collect();
    let known = |to: usize| Known { launch: launch(f, &kernel, [&x, &all[to].buffer], 1.0, N), to, a: 1.0 };
    let mut launches: Vec<Known> = (0..4).map(known).collect();
    let mut last: Points = f.queue.flush().expect("flush").into();
    let (mut which, mut on) = (0, 0);
    for step in 0..1500 {
        // Mostly the same thing again, and waited for.
        if chance.below(12) == 0 {
            (which, on) = (chance.below(4) as usize, chance.below(streams.into()) as usize);
        }
        let (queue, known) = (&queues[on], &mut launches[which]);
        queue.behind(&last).expect("behind");
        for _ in 0..1 + chance.below(8) / 7 * chance.below(6) {
            again(queue, &known.launch);
            let want = &mut all[known.to].want;
            want.iter_mut().zip(numbers(5)).for_each(|(y, x)| *y += known.a * x);
        }
        something(f, queue, known, &mut all, (&mut chance, step));
        last = queue.flush().expect("flush").into();
        if chance.below(20) > 0 {
            queue.wait(last.clone()).expect("wait");
        }
        if chance.below(10) == 0 {
            all[known.to].check(queue, step);
        }
    }
    all.iter().for_each(|modelled| modelled.check(&f.queue, 1500));
    queues.iter().map(|q| q.submitted_again().expect("a device")).sum()
}

/// Nothing, mostly; or what comes between launches and changes them.
fn something(
    f: &Fixture,
    queue: &Queue,
    known: &mut Known,
    all: &mut [Modelled],
    (chance, step): (&mut Chance, u64),
) {
    let Modelled { buffer, want } = &mut all[known.to];
    match chance.below(40) {
        0 => {
            queue.fill_buffer(buffer, 0, SIZE, &1f32.to_le_bytes()).expect("fill");
            want.fill(1.0);
        }
        1 => {
            *want = numbers(step);
            queue.write_buffer(buffer, 0, &le(want.iter().copied())).expect("write");
        }
        2 => {
            known.a = chance.below(3) as f32;
            assert!(known.launch.set_value(2, &known.a.to_le_bytes()));
        }
        3 => {
            // Another buffer in its place, once nobody uses it or at once. Others' launches of the old one are made anew.
            if chance.below(2) == 0 {
                queue.finish().expect("finish");
            }
            all[known.to] = Modelled::new(f, queue, step);
            assert!(known.launch.set_buffer(1, &all[known.to].buffer, 0, SIZE));
        }
        4 => {
            let to = chance.below(4) as usize;
            if known.to != to {
                queue.copy_behind(&all[known.to].buffer, 0, &all[to].buffer, 0, SIZE).expect("copy");
                all[to].want = all[known.to].want.clone();
            }
        }
        5 => assert!(queue.timestamp().is_ok() || !queue.has_timestamps()),
        6 => drop(queue.barrier().expect("barrier")),
        7 => drop(queue.seal(&queue.flush().expect("flush").into())),
        _ => {}
    }
}

/// A launch that finds no memory when it is recorded, after its enqueue, is left out and told of once. Nothing else fails but what waits for it.
#[test]
fn a_launch_that_is_left_out() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f).into_iter().filter(|_| keeps()) {
        let kernel = kernel(&f, model);
        let x = f.buffer(&le(numbers(1).into_iter()));
        let (y, z) = (f.buffer(&le(numbers(2).into_iter())), f.buffer(&le(numbers(3).into_iter())));
        let places = [DroppedLaunches::default(), DroppedLaunches::default()];
        let of = |to: &Buffer, place| launch_with(&f, &kernel, [&x, to], (1.0, N), Some(place));
        let launches = [of(&y, &places[0]), of(&z, &places[1])];
        let plus = |seed: u64, a: f32| numbers(seed).iter().zip(numbers(1)).map(|(y, x)| y + a * x).collect();
        f.queue.finish().expect("finish");
        // The second of three.
        f.device.leave_out(2);
        [1, 0, 1].into_iter().for_each(|which| again(&f.queue, &launches[which]));
        f.queue.finish().expect("finish");
        let all = |place: &DroppedLaunches| place.report(&f.queue.flush().expect("flush").into(), true);
        assert_eq!([all(&places[0]), all(&places[1]), all(&places[0])], [true, false, false]);
        let want: [Vec<f32>; 2] = [numbers(2), plus(3, 2.0)];
        assert_eq!([f.floats(&y), f.floats(&z)], want, "{model:?}");
        // The only one, before a command of another kind.
        f.queue.finish().expect("finish");
        f.device.leave_out(1);
        again(&f.queue, &launches[1]);
        f.queue.fill_buffer(&y, 0, SIZE / 2, &0f32.to_le_bytes()).expect("fill");
        f.queue.finish().expect("finish");
        assert_eq!([all(&places[1]), all(&places[1])], [true, false]);
        assert_eq!(f.floats(&z), want[1]);
        // There is memory again.
        again(&f.queue, &launches[0]);
        f.queue.finish().expect("finish");
        let half = |(i, (y, x)): (usize, (f32, f32))| if i < N as usize / 2 { x } else { y + x };
        let want: Vec<f32> = numbers(2).into_iter().zip(numbers(1)).enumerate().map(half).collect();
        assert_eq!(f.floats(&y), want);
        // The first of two, of which the other waits for it.
        f.queue.finish().expect("finish");
        f.device.leave_out(1);
        let again = |which: usize, waits: &[DeferredLaunch]| {
            let launched = f.queue.dispatch_again(&launches[which], false, waits).expect("dispatch");
            launched.and_then(|launched| launched.deferred).expect("it is deferred")
        };
        let first = again(0, &[]);
        let second = again(1, &[first]);
        f.queue.catch_up(first).expect("catch up");
        assert_eq!(
            [places[0].cause(first), places[1].cause(second)],
            [Some(Cause::NoMemory), Some(Cause::Waits)]
        );
        assert_eq!(places[1].cause(first), None);
        // One that comes later and waits for it is not taken.
        assert!(f.queue.dispatch_again(&launches[1], false, &[second]).expect("dispatch").is_none());
        f.queue.finish().expect("finish");
        assert_eq!([f.floats(&y), f.floats(&z)], [want, plus(3, 2.0)]);
        assert!(f.queue.lost().is_none());
    }
}

/// With room for one, and two batches in a submission: the first one's command buffer is not recorded anew for the second.
#[test]
fn what_is_on_its_way_makes_no_room() {
    let change = |o: &mut DeviceOptions<'_>| o.set_test_modes("tune.keep=1,tune.apart=0").expect("modes");
    let Some(f) = Fixture::options(|_| {}, change) else { return };
    for model in models(&f) {
        let kernel = kernel(&f, model);
        let (x, y) = (f.buffer(&le(numbers(1).into_iter())), f.buffer(&le(numbers(2).into_iter())));
        let launches = [launch(&f, &kernel, [&x, &y], 1.0, N), launch(&f, &kernel, [&x, &y], 8.0, N)];
        f.queue.finish().expect("finish");
        let (mut want, before) = (numbers(2), hits(&f));
        for round in 0..6 {
            for launch in &launches {
                // The batch ends with it.
                assert!(f.queue.dispatch_again(launch, true, &[]).expect("dispatch").is_some());
            }
            f.queue.finish().expect("finish");
            want.iter_mut().zip(numbers(1)).for_each(|(y, x)| *y += 9.0 * x);
            assert_eq!(f.floats(&y), want, "{round}");
            f.queue.finish().expect("finish");
        }
        assert!(hits(&f) - before >= 4 || !keeps(), "{}", hits(&f) - before);
    }
}

/// Threads that share a stream, and each waits for its own.
#[test]
fn by_several_threads() {
    let Some(f) = Fixture::options(|_| {}, |o| o.streams = Some(2)) else { return };
    for model in models(&f) {
        let kernel = kernel(&f, model);
        let x = f.buffer(&le(numbers(1).into_iter()));
        f.queue.finish().expect("finish");
        std::thread::scope(|scope| {
            for n in 0..6u32 {
                let (f, x, kernel) = (&f, &x, &kernel);
                let queue = f.queue.sibling(n % 2).expect("a stream");
                scope.spawn(move || {
                    let mut y = Modelled::new(f, &queue, n.into());
                    let launch = launch(f, kernel, [x, &y.buffer], 1.0, N);
                    for step in 0..300 {
                        let point = queue.dispatch_again(&launch, step % 3 == 0, &[]).expect("dispatch");
                        y.want.iter_mut().zip(numbers(1)).for_each(|(y, x)| *y += x);
                        queue.wait(point.expect("a launch").point).expect("wait");
                        if step % 7 == 0 {
                            y.check(&queue, step);
                        }
                    }
                    y.check(&queue, 300);
                });
            }
        });
    }
}

/// At any submission or wait; with what was kept nothing is left.
#[test]
fn a_device_lost_at_any_point() {
    for point in 1.. {
        let Some(f) = Fixture::options(|_| {}, |o| o.lose_after = Some(point)) else { return };
        let work = || -> Result<(), RuntimeError> {
            let data = le(numbers(1).into_iter());
            for model in models(&f) {
                let kernel = kernel(&f, model);
                let x = f.device.create_buffer(SIZE, BufferUse::Device)?;
                let y = f.device.create_buffer(SIZE, BufferUse::Device)?;
                f.queue.write_buffer(&x, 0, &data)?;
                f.queue.write_buffer(&y, 0, &data)?;
                f.queue.finish()?;
                let launch = launch(&f, &kernel, [&x, &y], 1.0, N);
                for _ in 0..5 {
                    f.queue.dispatch_again(&launch, false, &[])?;
                    f.queue.finish()?;
                }
            }
            Ok(())
        };
        match work() {
            Ok(()) => break,
            Err(error) => assert!(error.is_device_lost(), "{error}"),
        }
        assert!(f.queue.lost().is_some() && point < 100);
    }
}
