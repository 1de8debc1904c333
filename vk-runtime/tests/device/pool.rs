//! Storage that is kept for the next buffer.

use crate::common::*;
use lower::kernel_info::BindingModel;
use pumice_vk_runtime::*;

const MIB: u64 = 1 << 20;

fn make(f: &Fixture, size: u64) -> Buffer {
    f.device.create_buffer(size, BufferUse::Device).expect("buffer")
}

#[test]
fn the_next_buffer_of_about_the_size_takes_it_over() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let first = make(&f, 4 * MIB);
    let Some(address) = first.device_address() else { return };
    drop(first);
    let smaller = make(&f, 4 * MIB - 100_000);
    assert_eq!((smaller.device_address(), smaller.size()), (Some(address), 4 * MIB - 100_000));
    // Not what it was made for, and not beyond its own size.
    assert!(f.queue.fill_buffer(&smaller, 0, 4 * MIB, &[1]).is_err());
    drop(smaller);
    let (larger, small) = (make(&f, 4 * MIB + 16), make(&f, 3 * MIB));
    assert!(larger.device_address() != Some(address) && small.device_address() != Some(address));
    let again = make(&f, 4 * MIB);
    assert_eq!(again.device_address(), Some(address), "it was kept meanwhile");
}

/// What is still used is reused too, on devices whose memory the host does not reach: temporaries take memory once, and what they
/// hold is right.
#[test]
fn temporaries_under_way_share_storage() {
    let Some(f) = Fixture::with(|_| {}, true) else { return };
    const COUNT: u64 = 60;
    const SIZE: u64 = 4 * MIB;
    let out = f.buffer(&vec![0; COUNT as usize * 4]);
    let mut addresses = Vec::new();
    for i in 0..COUNT {
        let temporary = make(&f, SIZE);
        addresses.extend(temporary.device_address());
        f.queue.fill_buffer(&temporary, 0, SIZE, &(i as u32 + 1).to_le_bytes()).expect("fill");
        f.queue.copy_buffer(&temporary, SIZE - 4, &out, i * 4, 4).expect("copy");
    }
    addresses.sort_unstable();
    addresses.dedup();
    assert!(addresses.len() <= 4, "{} places in memory", addresses.len());
    assert_eq!(f.words(&out), (1..=COUNT as u32).collect::<Vec<_>>());
}

/// The host writes into the next buffer only when the commands on the one before are done.
#[test]
fn host_writes_wait_for_the_buffer_before() {
    for always_stage in [false, true] {
        let Some(f) = Fixture::with(|_| {}, always_stage) else { return };
        let out = f.buffer(&[0; 4 * 64]);
        for i in 0..64u32 {
            let temporary = make(&f, MIB);
            let data: Vec<u8> = (0..MIB / 4).flat_map(|k| (i * 1000 + k as u32).to_le_bytes()).collect();
            f.queue.write_buffer(&temporary, 0, &data).expect("write");
            f.queue.copy_buffer(&temporary, 400, &out, u64::from(i) * 4, 4).expect("copy");
        }
        assert_eq!(f.words(&out), (0..64).map(|i| i * 1000 + 100).collect::<Vec<_>>());
    }
}

/// A launch that was worked out for a buffer that is gone does not touch the one that has its storage now.
#[test]
fn launches_for_a_buffer_that_is_gone_are_refused() {
    let Some(f) = Fixture::with(|_| {}, true) else { return };
    let n = 1u64 << 16;
    let program = f.device.create_program(&saxpy(BindingModel::Descriptor)).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    let ones = || le((0..n).map(|_| 1.0));
    let (x, y) = (f.buffer(&ones()), f.buffer(&ones()));
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
    let launch = f
        .queue
        .repeat(&kernel, &args, &NdRange::new_1d(n), &Default::default())
        .expect("repeat")
        .expect("repeatable");
    assert!(f.queue.dispatch_again(&launch, false, &[]).expect("again").is_some());
    let address = y.device_address();
    drop(y);
    let next = make(&f, n * 4);
    assert!(address.is_none() || next.device_address() == address);
    f.queue.fill_buffer(&next, 0, n * 4, &5f32.to_le_bytes()).expect("fill");
    assert!(f.queue.dispatch_again(&launch, false, &[]).expect("again").is_none());
    assert!(f.floats(&next).iter().all(|v| *v == 5.0));
}

/// Memory runs out with an error, before the machine has none left, and is there again when buffers go.
#[test]
fn memory_runs_out_with_an_error() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let all = f.device.physical().memory_size();
    let size = (f.device.max_buffer_size() / 2).min(all / 4);
    for _ in 0..2 {
        let mut buffers = Vec::new();
        let error = loop {
            match f.device.create_buffer(size, BufferUse::Device) {
                Ok(buffer) => buffers.push(buffer),
                Err(error) => break error,
            }
            assert!(buffers.len() as u64 * size <= all, "more than there is");
        };
        assert!(error.is_out_of_memory(), "{error}");
        assert!(buffers.len() > 1);
    }
    // What is kept makes room for another size.
    drop(make(&f, size));
    let halves: Vec<_> = (0..2 * (all / size) - 3).map(|_| make(&f, size / 2)).collect();
    drop(halves);
}

fn desc(n: u32, layers: u32) -> ImageDesc {
    ImageDesc {
        dim: ImageDim::Two,
        arrayed: layers > 1,
        size: [n, n, 1],
        layers,
        levels: 1,
        format: Format::R8G8B8A8_UINT,
        texel: 4,
        mutable: false,
    }
}

/// The storage of images is reused, too, by such as are made alike, while it is still used: memory is taken once, and what they
/// hold is right.
#[test]
fn temporary_images_share_storage() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    const COUNT: u64 = 40;
    const N: u32 = 512;
    let out = f.buffer(&vec![0; COUNT as usize * 4]);
    let corner = ImageBox { level: 0, origin: [N - 1, N - 1, 0], size: [1, 1, 1] };
    let mut least = u64::MAX;
    for i in 0..COUNT {
        let image = f.device.create_image(&desc(N, 1)).expect("image");
        let texel = (i as u32 + 1).to_le_bytes();
        f.queue.fill_image(&image, &desc(N, 1).whole(0), &texel).expect("fill");
        f.queue.copy_image_to_buffer(&image, &corner, &out, i * 4).expect("copy");
        drop(image);
        // Other images do not take it: it has other layers.
        let other = f.device.create_image(&desc(N, 2)).expect("image");
        assert_eq!(other.desc().layers, 2);
        least = least.min(f.device.free_memory());
    }
    assert_eq!(f.words(&out), (1..=COUNT as u32).collect::<Vec<_>>());
    assert!(f.device.free_memory() - least < 8 * u64::from(N * N) * 4, "each has memory of its own");
}

/// What is kept does not keep the device.
#[test]
fn nothing_outlives_the_device() {
    let Some(f) = Fixture::options(|_| {}, |o| o.count_objects = true) else { return };
    for size in [100, 5000, MIB, 40 * MIB] {
        drop(f.buffer(&vec![7; size as usize]));
    }
    for n in [8, 64, 512] {
        drop(f.device.create_image(&desc(n, 1)).expect("image"));
    }
    assert!(live_objects().iter().any(|(kind, count)| *kind == "image" && *count > 1));
    let late = f.buffer(&[1; 64]);
    assert!(live_objects().iter().any(|(kind, count)| *kind == "buffer" && *count > 1));
    drop(f);
    drop(late);
    assert_eq!(live_objects(), Vec::new());
}

/// Small buffers of a device with a window to its memory: the host writes and reads them itself, and never too early.
#[test]
fn small_buffers_are_reached_through_the_window() {
    let Some(f) = Fixture::options(|_| {}, |o| o.window = true) else { return };
    let (small, large) = (make(&f, 4096), make(&f, MIB));
    assert!(small.is_mapped() && small.reads_in_place(4) && !small.reads_in_place(16 << 10));
    assert!(!large.is_mapped() && !large.reads_in_place(4));
    for round in 0..50u32 {
        f.queue.fill_buffer(&large, 0, MIB, &round.to_le_bytes()).expect("fill");
        f.queue.copy_buffer(&large, MIB - 64, &small, 64, 64).expect("copy");
        let mut word = [0; 4];
        f.queue.read_buffer(&small, 124, &mut word).expect("read");
        assert_eq!(u32::from_le_bytes(word), round);
        f.queue.write_buffer(&small, 64, &(!round).to_le_bytes()).expect("write");
        f.queue.copy_buffer(&small, 64, &large, 0, 4).expect("copy");
        f.queue.write_buffer(&small, 64, &[0; 4]).expect("write behind a copy");
        f.queue.read_buffer(&large, 0, &mut word).expect("read");
        assert_eq!(u32::from_le_bytes(word), !round);
    }
}
