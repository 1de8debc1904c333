//! Copies and fills in whole units against a model, on the device that PUMICE_TEST_DEVICE selects.

use crate::common::Fixture;
use pumice_vk_runtime::*;

fn bytes(size: usize, seed: u8) -> Vec<u8> {
    (0..size).map(|i| (i as u8).wrapping_mul(31).wrapping_add((i >> 8) as u8).wrapping_add(seed)).collect()
}

fn read(f: &Fixture, buffer: &Buffer) -> Vec<u8> {
    let mut out = vec![0; buffer.size() as usize];
    f.queue.read_buffer(buffer, 0, &mut out).expect("read");
    out
}

/// Sizes around the least that goes this way and beyond one descriptor's range; offsets that coincide in their units and not.
#[test]
fn copies() {
    let Some(f) = Fixture::with(|t| t.limits.max_storage_buffer_range = 300 << 10, true) else { return };
    const SIZE: usize = 2 << 20;
    let a = f.device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
    let b = f.device.create_buffer(SIZE as u64 - 5, BufferUse::Device).expect("buffer");
    let (mut model_a, mut model_b) = (bytes(SIZE, 1), bytes(SIZE - 5, 2));
    f.queue.write_buffer(&a, 0, &model_a).expect("write");
    f.queue.write_buffer(&b, 0, &model_b).expect("write");
    for (from, to, size) in [
        (0usize, 0usize, 256 << 10),
        (0, 64, (256 << 10) - 1),
        (16, 1040, 1 << 20),
        (3, 19, (1 << 20) + 17),
        (15, 31, 300 << 10),
        (7, 9, 1 << 20),
        (SIZE - (500 << 10), SIZE - 16 - (500 << 10), 500 << 10),
    ] {
        f.queue.copy_buffer(&a, from as u64, &b, to as u64, size as u64).expect("copy");
        model_b[to..to + size].copy_from_slice(&model_a[from..from + size]);
        // What follows depends on it, and the other way around.
        f.queue.fill_buffer(&a, from as u64, 8, &[size as u8; 8]).expect("fill");
        model_a[from..from + 8].fill(size as u8);
        assert!(read(&f, &b) == model_b, "{from} {to} {size}");
    }
    f.queue.copy_buffer(&b, 0, &b, 1 << 20, (1 << 20) - 5).expect("copy");
    model_b.copy_within(0..(1 << 20) - 5, 1 << 20);
    f.queue.copy_buffer(&b, 1 << 20, &a, 0, 300 << 10).expect("copy");
    model_a[..300 << 10].copy_from_slice(&model_b[1 << 20..][..300 << 10]);
    assert!(read(&f, &b) == model_b && read(&f, &a) == model_a);
}

/// Each is made where nothing else is under way, and is there for what comes behind it; the word of one is not taken for another's.
#[test]
fn copies_that_tell() {
    let Some(f) = Fixture::with(|_| {}, true) else { return };
    const SIZE: usize = 1 << 20;
    let a = f.device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
    let b = f.device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
    let (model_a, mut model_b) = (bytes(SIZE, 1), bytes(SIZE, 2));
    f.queue.write_buffer(&a, 0, &model_a).expect("write");
    f.queue.write_buffer(&b, 0, &model_b).expect("write");
    let tell = |from: usize, to: usize, size: usize| {
        f.queue.copy_with_word(&a, from as u64, &b, to as u64, size as u64).expect("copy")
    };
    // What the first one needs may still be under way.
    f.queue.finish().expect("finish");
    tell(0, 0, 64).into_iter().for_each(|telling| telling.wait().expect("wait"));
    f.queue.finish().expect("finish");
    if tell(0, 0, 64).map(|telling| telling.wait().expect("wait")).is_none() {
        assert!(!f.device.target().has_address_model(), "it could have been");
        return;
    }
    model_b[..64].copy_from_slice(&model_a[..64]);
    f.queue.fill_buffer(&b, 0, 16, &[9]).expect("fill");
    model_b[..16].fill(9);
    assert!(tell(0, 0, 64).is_none(), "something is recorded");
    f.queue.finish().expect("finish");
    for (from, to, size) in [(0, 8, 16), (8, 0, 16), (0, 0, 8), (0, 0, 17), (0, 0, 0)] {
        assert!(tell(from, to, size).is_none(), "no whole units: {from} {to} {size}");
    }
    assert!(f.queue.copy_with_word(&a, SIZE as u64, &b, 0, 16).is_err(), "outside");
    assert!(f.queue.copy_with_word(&b, 0, &b, 16, 32).expect("copy").is_none(), "they overlap");
    for round in 0..40 {
        for (from, to, size) in [
            (16, 1040, 16),
            (0, 4096, 16 << 10),
            (64, 0, SIZE - 64),
            (SIZE - 48, SIZE - 48, 48),
            (0, 512, 2048),
        ] {
            let from = (from + 16 * round) % (SIZE - size + 16) / 16 * 16;
            tell(from, to, size).expect("nothing is under way").wait().expect("wait");
            model_b[to..to + size].copy_from_slice(&model_a[from..from + size]);
        }
        // The timeline comes behind the word.
        let telling = tell(32, 96, 3200).expect("nothing is under way");
        model_b[96..3296].copy_from_slice(&model_a[32..3232]);
        let point = telling.point();
        telling.wait().expect("wait");
        f.queue.wait(point).expect("wait");
        assert!(read(&f, &b) == model_b, "{round}");
    }
}

/// A copy that finds no memory gives back what it took: there is no end of them.
#[test]
fn copies_that_find_no_memory() {
    let Some(f) = Fixture::with(|_| {}, true) else { return };
    const SIZE: u64 = 1 << 16;
    let a = f.device.create_buffer(SIZE, BufferUse::Device).expect("buffer");
    let b = f.device.create_buffer(SIZE, BufferUse::Device).expect("buffer");
    f.queue.fill_buffer(&a, 0, SIZE, &[3]).expect("fill");
    f.queue.fill_buffer(&b, 0, SIZE, &[4]).expect("fill");
    let tell = || {
        f.queue.finish().expect("finish");
        f.queue.copy_with_word(&a, 0, &b, 0, SIZE).expect("copy")
    };
    tell().into_iter().for_each(|telling| telling.wait().expect("wait"));
    if !f.device.target().has_address_model() {
        return;
    }
    // More of each kind than there are slots: at the submission, and before it, at the end of the command buffer.
    let kinds: [fn(&Device, u64, u64); 2] = [Device::lack_memory_at_submissions, Device::lack_memory_at_ends];
    for (kind, lack) in (0..).zip(kinds) {
        for round in 1..=40 {
            // The last one is told again.
            let _ = f.queue.finish();
            lack(&f.device, 1, 100);
            // Another size each time: a copy that is asked for again has a command buffer.
            let copied = f.queue.copy_with_word(&a, 0, &b, 0, SIZE - 16 * (40 * kind + round));
            let waited = copied.and_then(|wait| wait.expect("nothing is under way").wait());
            assert!(waited.as_ref().is_err_and(|e| e.is_out_of_memory()), "round {round}: {waited:?}");
            lack(&f.device, 0, 0);
        }
    }
    let _ = f.queue.finish();
    let told = f.queue.copy_with_word(&a, 0, &b, 0, SIZE).expect("copy");
    told.expect("there is a word left").wait().expect("wait");
    assert!(f.queue.lost().is_none());
}

/// What is asked for again comes from command buffers that are kept: more than there is room for, between other work, with buffers that come
/// and go at the same addresses, and read by the host in place.
#[test]
fn copies_that_tell_again() {
    for window in [false, true] {
        let Some(f) = Fixture::options(|_| {}, |o| (o.window, o.always_stage) = (window, !window)) else {
            return;
        };
        const SIZE: usize = 9 << 20;
        let a = f.device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
        let model = bytes(SIZE, 3);
        f.queue.write_buffer(&a, 0, &model).expect("write");
        for round in 0..4usize {
            let b = f.device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
            f.queue.fill_buffer(&b, 0, SIZE as u64, &[0]).expect("fill");
            let mut model_b = vec![0; SIZE];
            for turn in 0..70usize {
                // The same one four times, then twenty in turns, then the same among others; one large.
                let which = [turn / 4, turn % 20, turn % 3][turn / 20 % 3];
                let (from, size) =
                    (which * 4096, if which == 2 && turn > 60 { SIZE - 8192 } else { 1008 * (which + 1) });
                f.queue.finish().expect("finish");
                let Some(telling) =
                    f.queue.copy_with_word(&a, from as u64, &b, 16, size as u64).expect("copy")
                else {
                    // Where kernels have no addresses, and the first, which finds nothing made.
                    assert!(
                        !f.device.target().has_address_model() || (round, turn) == (0, 0),
                        "{round} {turn}"
                    );
                    f.queue.copy_buffer(&a, from as u64, &b, 16, size as u64).expect("copy");
                    model_b[16..16 + size].copy_from_slice(&model[from..from + size]);
                    continue;
                };
                telling.wait().expect("wait");
                model_b[16..16 + size].copy_from_slice(&model[from..from + size]);
                let mut some = [0; 64];
                f.queue.read_buffer(&b, 16 + size as u64 - 40, &mut some).expect("read");
                assert!(some == model_b[size - 24..size + 40], "{round} {turn}");
                if turn % 7 == 0 {
                    f.queue.fill_buffer(&b, 0, 100, &[turn as u8]).expect("fill");
                    model_b[..100].fill(turn as u8);
                }
                if turn % 10 == 0 || turn > 60 {
                    assert!(read(&f, &b) == model_b, "{round} {turn}");
                }
            }
            assert!(read(&f, &a) == model);
        }
    }
}

/// What the device wrote to memory behind a window is there for the host from the time on that the host has asked for it once; it is never
/// read without.
#[test]
fn windows_are_read_behind_a_barrier_for_the_host() {
    let Some(f) = Fixture::options(|_| {}, |o| o.window = true) else { return };
    let buffer = f.device.create_buffer(4096, BufferUse::Device).expect("buffer");
    if !buffer.is_mapped() {
        println!("SKIP: no device memory that the host reaches");
        return;
    }
    let mut out = [0; 64];
    for (round, seen) in [(1u8, false), (2, true), (3, true)] {
        f.queue.fill_buffer(&buffer, 0, 4096, &[round, 7]).expect("fill");
        f.queue.finish().expect("finish");
        assert_eq!(f.queue.read_now(&buffer, 8, &mut out).expect("read"), seen, "{round}");
        out.fill(0);
        f.queue.read_buffer(&buffer, 8, &mut out).expect("read");
        assert_eq!(out, std::array::from_fn(|i| if i % 2 == 0 { round } else { 7 }));
        // What the host wrote it sees itself.
        f.queue.write_buffer(&buffer, 8, &[round; 64]).expect("write");
        f.queue.read_buffer(&buffer, 8, &mut out).expect("read");
        assert_eq!(out, [round; 64]);
    }
}

/// Several threads in several streams.
#[test]
fn copies_that_tell_at_once() {
    let stage = |o: &mut DeviceOptions<'_>| (o.always_stage, o.streams) = (true, Some(4));
    let Some(f) = Fixture::options(|_| {}, stage) else { return };
    const SIZE: usize = 64 << 10;
    std::thread::scope(|scope| {
        for n in 0..8u8 {
            let (queue, device) = (f.queue.sibling(u32::from(n) % 4).expect("a stream"), &f.device);
            scope.spawn(move || {
                let make = || device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
                let (a, b) = (make(), make());
                for round in 0..30u8 {
                    let data = bytes(SIZE, n.wrapping_mul(31).wrapping_add(round));
                    queue.write_buffer(&a, 0, &data).expect("write");
                    queue.finish().expect("finish");
                    match queue.copy_with_word(&a, 0, &b, 0, SIZE as u64).expect("copy") {
                        Some(telling) => telling.wait().expect("wait"),
                        None => drop(queue.copy_buffer(&a, 0, &b, 0, SIZE as u64).expect("copy")),
                    }
                    let mut out = vec![0; SIZE];
                    queue.read_buffer(&b, 0, &mut out).expect("read");
                    assert!(out == data, "{n} {round}");
                }
            });
        }
    });
}

#[test]
fn fills() {
    for stage in [false, true] {
        let Some(f) = Fixture::with(|t| t.limits.max_storage_buffer_range = 300 << 10, stage) else { return };
        const SIZE: usize = 1 << 20;
        let buffer = f.device.create_buffer(SIZE as u64, BufferUse::Device).expect("buffer");
        let mut model = bytes(SIZE, 3);
        f.queue.write_buffer(&buffer, 0, &model).expect("write");
        for (offset, size, length) in [
            (0usize, SIZE, 1usize),
            (4, SIZE - 8, 4),
            (16, 600 << 10, 16),
            (8, 700 << 10, 8),
            (128, 900 << 10, 128),
            (64, 640 << 10, 64),
            (32, 1024, 32),
            (1, 300_001, 1),
            (2, 3000, 2),
            (5, 700_003, 2),
            (11, 2048, 128),
            (48, 1023, 16),
            (48, 5000, 24),
        ] {
            let pattern = bytes(length, (offset + size) as u8);
            f.queue.fill_buffer(&buffer, offset as u64, size as u64, &pattern).expect("fill");
            for (i, byte) in model[offset..offset + size].iter_mut().enumerate() {
                *byte = pattern[i % length];
            }
            assert!(read(&f, &buffer) == model, "{offset} {size} {length}");
        }
    }
}

#[test]
fn lent_memory_comes_back_when_it_is_free() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let place = |lease: &StagingLease| lease.buffer().expect("buffer").host_ptr().expect("mapped");
    let first = f.queue.lease_staging(5000).expect("memory");
    let start = place(&first);
    assert!(first.buffer().expect("buffer").size() >= 5000);
    // Not submitted: in use for sure.
    f.queue.fill_buffer(first.buffer().expect("buffer"), 0, 64, &[1]).expect("fill");
    drop(first);
    let second = f.queue.lease_staging(5000).expect("memory");
    assert_ne!(place(&second), start, "the first is in use");
    f.queue.finish().expect("finish");
    let third = f.queue.lease_staging(5000).expect("memory");
    assert_eq!(place(&third), start);
    drop((second, third));
    assert_eq!(f.device.live_allocations(), 0);
    drop(f.queue.clone());
}
