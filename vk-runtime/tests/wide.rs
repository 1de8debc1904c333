//! Copies and fills in whole units against a model, on the device that PUMICE_TEST_DEVICE selects.

mod common;

use common::Fixture;
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
    let place = |lent: &Lent| lent.buffer().expect("buffer").host_ptr().expect("mapped");
    let first = f.queue.lend(5000).expect("memory");
    let start = place(&first);
    assert!(first.buffer().expect("buffer").size() >= 5000);
    // Not submitted: in use for sure.
    f.queue.fill_buffer(first.buffer().expect("buffer"), 0, 64, &[1]).expect("fill");
    drop(first);
    let second = f.queue.lend(5000).expect("memory");
    assert_ne!(place(&second), start, "the first is in use");
    f.queue.finish().expect("finish");
    let third = f.queue.lend(5000).expect("memory");
    assert_eq!(place(&third), start);
    drop((second, third));
    assert_eq!(f.device.live_allocations(), 0);
    drop(f.queue.clone());
}
