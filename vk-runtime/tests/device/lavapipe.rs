//! The runtime on a real device (lavapipe in our tests), validation layers on, zero messages.

use std::collections::BTreeSet;

use crate::common::*;
use lower::kernel_info::*;
use pumice_vk_runtime::*;

fn run_saxpy(f: &Fixture) {
    for model in models(f) {
        let program = f.device.create_program(&saxpy(model)).expect("program");
        let kernel = program.kernel("main").expect("kernel");
        for n in [1u64, 64, 1009, 70_000] {
            let x = f.buffer(&le((0..n).map(|i| i as f32)));
            let y = f.buffer(&le((0..n).map(|_| 1.0)));
            let a = 2f32.to_le_bytes();
            let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
            // Twice: the second reads what the first wrote.
            for _ in 0..2 {
                f.queue.dispatch(&kernel, &args, &NdRange::new_1d(n)).expect("dispatch");
            }
            let want: Vec<f32> = (0..n).map(|i| 4.0 * i as f32 + 1.0).collect();
            assert_eq!(f.floats(&y), want, "{model:?}, n = {n}");
        }
    }
}

#[test]
fn devices_are_listed() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let devices = f.instance.devices().expect("devices");
    assert!(devices.is_sorted_by_key(PhysicalDevice::kind));
    for device in &devices {
        assert!(!device.name().is_empty() && !device.driver().is_empty());
        assert!(
            device.below_floor().is_some()
                || device.target().limits.max_compute_work_group_invocations >= 128
        );
        println!("{} ({}, {})", device.name(), device.driver(), device.kind());
    }
    let name = devices[0].name().to_uppercase();
    assert_eq!(f.instance.select(Some(&name[1..5])).expect("by name").name(), devices[0].name());
    assert_eq!(f.instance.select(Some("0")).expect("by index").name(), devices[0].name());
    for wrong in ["no such device", "77"] {
        match f.instance.select(Some(wrong)) {
            Err(RuntimeError::User { what: UserError::DeviceNotFound, message }) => {
                assert!(message.contains(devices[0].name()));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn saxpy_in_both_models() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    run_saxpy(&f);
}

/// Two programs, and one that comes later, are given one word; when no program has it any more, the next one's is a new one.
#[test]
fn programs_share_the_word_for_sequential_consistency() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    for model in models(&f) {
        let launch = |program: &Program, own: &Buffer, a: f32| {
            let kernel = program.kernel("main").expect("kernel");
            let a = a.to_le_bytes();
            let args = [ArgValue::Buffer(own), ArgValue::Value(&a)];
            f.queue.dispatch(&kernel, &args, &NdRange::new_1d(1)).expect("dispatch");
            // Launches do not wait for each other because of it.
            f.queue.finish().expect("finish");
        };
        let program = |y| f.device.create_program(&saxpy_of_sequence(model, y)).expect("program");
        let (three, read) = (f.buffer(&le([3.0].into_iter())), f.buffer(&le([0.0].into_iter())));
        let (adds, reads) = (program(true), program(false));
        launch(&adds, &three, 2.0);
        launch(&reads, &read, 1.0);
        assert_eq!(f.floats(&read), [6.0], "{model:?}");
        launch(&program(true), &three, 1.0);
        launch(&program(false), &read, 1.0);
        assert_eq!(f.floats(&read), [15.0], "{model:?}");
        drop((adds, reads));
        launch(&program(false), &read, 1.0);
        assert_eq!(f.floats(&read), [15.0], "{model:?}");
    }
}

#[test]
fn saxpy_without_timeline_semaphores_and_synchronization2() {
    let Some(f) = Fixture::new(|t| {
        t.features.timeline_semaphore = false;
        t.features.synchronization2 = false;
    }) else {
        return;
    };
    assert!(!f.device.target().features.timeline_semaphore);
    run_saxpy(&f);
    // Several batches on their way.
    let buffer = f.buffer(&[0; 64]);
    for i in 0..1000u32 {
        f.queue.fill_buffer(&buffer, 0, 64, &i.to_le_bytes()).expect("fill");
    }
    assert_eq!(f.words(&buffer), [999; 16]);
}

#[test]
fn a_minimal_target() {
    let Some(f) = Fixture::new(|t| {
        t.features = Default::default();
        t.limits.max_compute_work_group_count = [3, 2, 2];
    }) else {
        return;
    };
    run_saxpy_small(&f);
    let buffer = f.buffer(&[0xaa; 5000]);
    assert_eq!(buffer.device_address(), None);
    f.queue.fill_buffer(&buffer, 1, 4998, &[1, 2, 3]).expect("fill");
    let out = f.bytes(&buffer);
    assert!(out[1..4999].iter().enumerate().all(|(i, b)| usize::from(*b) == i % 3 + 1));
    assert_eq!((out[0], out[4999]), (0xaa, 0xaa));
}

/// With splits: few work-groups per dispatch.
fn run_saxpy_small(f: &Fixture) {
    let program = f.device.create_program(&saxpy(BindingModel::Descriptor)).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    let n = 640u64;
    let x = f.buffer(&le((0..n).map(|i| i as f32)));
    let y = f.buffer(&le((0..n).map(|_| 1.0)));
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
    let range = NdRange::new_1d(n - 64).with_local([16, 1, 1]).with_offset([64, 0, 0]);
    f.queue.dispatch(&kernel, &args, &range).expect("dispatch");
    let want: Vec<f32> = (0..n).map(|i| if i < 64 { 1.0 } else { 2.0 * i as f32 + 1.0 }).collect();
    assert_eq!(f.floats(&y), want);
}

#[test]
fn local_arguments_and_a_block_in_a_storage_buffer() {
    let Some(f) = Fixture::new(|t| t.limits.max_compute_work_group_count = [4, 1, 1]) else { return };
    let program = f.device.create_program(&neighbours()).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    let out = f.buffer(&[0; 4 * 320]);
    for local in [16u32, 32, 64] {
        let range = NdRange::new_1d(320).with_local([local.into(), 1, 1]);
        let args = [ArgValue::Buffer(&out), ArgValue::Local(u64::from(local) * 4)];
        f.queue.dispatch(&kernel, &args, &range).expect("dispatch");
        let want: Vec<u32> = (0..320).map(|i| i + i / local * local + (i % local + 1) % local).collect();
        assert_eq!(f.words(&out), want);
    }
    let range = NdRange::new_1d(64);
    kernel.compile([8, 1, 1], &[32]).expect("compile");
    let launch = |size| f.queue.dispatch(&kernel, &[ArgValue::Buffer(&out), ArgValue::Local(size)], &range);
    let refused = UserError::OutOfResources;
    assert!(matches!(launch(1 << 40), Err(RuntimeError::User { what, .. }) if what == refused));
    // No bytes are some since OpenCL 3.1 (API §5.9.2); this kernel would read them.
    let none = kernel.compile([8, 1, 1], &[0]);
    assert!(none.is_ok());
}

#[test]
fn geometry_program_data_and_a_block_behind_an_address() {
    for always_stage in [false, true] {
        geometry(always_stage);
    }
}

fn geometry(always_stage: bool) {
    let Some(f) = Fixture::with(|t| t.limits.max_compute_work_group_count = [2, 2, 1], always_stage) else {
        return;
    };
    if !f.device.target().has_address_model() {
        println!("SKIP: no address model");
        return;
    }
    let mut members =
        vec![member(0, 8, BlockSource::ArgumentAddress(0)), member(8, 8, BlockSource::ConstantsAddress)];
    for d in 0..3 {
        members.push(member(16 + 4 * d, 4, BlockSource::GlobalOffset(d)));
        members.push(member(28 + 4 * d, 4, BlockSource::GlobalSize(d)));
        members.push(member(40 + 4 * d, 4, BlockSource::NumGroups(d)));
        members.push(member(52 + 4 * d, 4, BlockSource::GroupBase(d)));
    }
    members.push(member(64, 4, BlockSource::WorkDim));
    let block = ArgumentBlock { size: 68, location: BlockLocation::BufferAddress, members };
    let args = vec![buffer_arg("out", false, true, None)];
    let mut program = lowered(GEOMETRY, info(BindingModel::Address, args, block, Vec::new()));
    let mut constants = vec![0; 16];
    constants[0] = 77;
    program.program_data.constants = DataBlock {
        bytes: constants,
        align: 8,
        relocations: vec![Relocation { at: 8, to_globals: true, bytes: 8 }],
    };
    program.program_data.globals =
        DataBlock { bytes: vec![0, 0, 0, 0, 5, 0, 0, 0], align: 4, relocations: vec![] };
    let program = f.device.create_program(&program).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    let out = f.buffer(&[0; 4 * (6 * 4 * 2 + 4)]);
    let range = NdRange::from_slices(&[6, 4, 2], Some(&[2, 1, 1]), Some(&[1, 2, 3])).expect("range");
    // The globals keep their values from launch to launch.
    for launch in 0..3 {
        f.queue.dispatch(&kernel, &[ArgValue::Buffer(&out)], &range).expect("dispatch");
        let words = f.words(&out);
        let want: Vec<u32> = (0..2)
            .flat_map(|z| {
                (0..4).flat_map(move |y| (0..6).map(move |x| x + 1 + 100 * (y + 2) + 10000 * (z + 3)))
            })
            .chain([342, 3, 77, 5 + launch])
            .collect();
        assert_eq!(words, want);
    }
}

#[test]
fn transfers_of_all_alignments() {
    for (always_stage, window) in [(false, false), (true, false), (false, true)] {
        let change = |o: &mut DeviceOptions<'_>| (o.always_stage, o.window) = (always_stage, window);
        let Some(f) = Fixture::options(|_| {}, change) else { return };
        transfers(&f);
    }
}

#[test]
fn staging_as_on_a_discrete_gpu() {
    let Some(f) = Fixture::with(|_| {}, true) else { return };
    run_saxpy(&f);
    // Several staging buffers' worth, at odd offsets.
    let data: Vec<u8> = (0..50_000_001u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let buffer = f.device.create_buffer(data.len() as u64 + 8, BufferUse::Device).expect("buffer");
    assert!(!buffer.is_mapped());
    f.queue.write_buffer(&buffer, 3, &data).expect("write");
    let mut out = vec![0; data.len()];
    f.queue.read_buffer(&buffer, 3, &mut out).expect("read");
    assert!(out == data);
}

fn transfers(f: &Fixture) {
    let mut want: Vec<u8> = (0..3000u32).map(|i| (i * 7) as u8).collect();
    let buffer = f.buffer(&want);
    let other = f.buffer(&vec![9; 3000]);
    for (offset, size, pattern) in [
        (0u64, 3000u64, &[1u8][..]),
        (4, 400, &[1, 2]),
        (3, 5, &[9]),
        (8, 64, &[1, 2, 3, 4, 5, 6, 7, 8]),
        (1001, 1, &[4]),
        (1002, 998, &[1, 2]),
        (512, 256, &[0xf0; 128]),
        (2997, 3, &[5, 6, 7]),
        (100, 0, &[1]),
    ] {
        f.queue.fill_buffer(&buffer, offset, size, pattern).expect("fill");
        for i in 0..size as usize {
            want[offset as usize + i] = pattern[i % pattern.len()];
        }
    }
    // Neighbouring bytes, no barrier between: both must stay.
    for i in 0..64u64 {
        f.queue.fill_buffer(&buffer, 2000 + i, 1, &[i as u8]).expect("fill");
        want[2000 + i as usize] = i as u8;
    }
    // Written while commands are under way.
    f.queue.write_buffer(&buffer, 17, &[1, 2, 3]).expect("write");
    want[17..20].copy_from_slice(&[1, 2, 3]);
    f.queue.write_buffer(&buffer, 20, &[4, 5, 6, 7]).expect("write");
    want[20..24].copy_from_slice(&[4, 5, 6, 7]);
    f.queue.copy_buffer(&other, 1, &buffer, 2, 3).expect("copy");
    want[2..5].fill(9);
    f.queue.copy_buffer(&buffer, 0, &buffer, 1000, 100).expect("copy within");
    want.copy_within(0..100, 1000);
    assert_eq!(f.bytes(&buffer), want);

    let overlap = f.queue.copy_buffer(&buffer, 0, &buffer, 10, 11);
    assert!(matches!(overlap, Err(RuntimeError::User { what: UserError::MemCopyOverlap, .. })));
    for error in [
        f.queue.write_buffer(&buffer, 2999, &[0; 2]),
        f.queue.write_buffer(&buffer, u64::MAX, &[0; 2]),
        f.queue.read_buffer(&buffer, 3001, &mut []).map(|()| Point { stream: 0, value: 0 }),
        f.queue.fill_buffer(&buffer, 0, 3001, &[0]),
        f.queue.fill_buffer(&buffer, 0, 30, &[]),
        f.queue.fill_buffer(&buffer, 0, 30, &[0; 129]),
        f.queue.copy_buffer(&buffer, 0, &other, 1, 3000),
    ] {
        assert!(matches!(error, Err(RuntimeError::User { what: UserError::InvalidValue, .. })));
    }
}

#[test]
fn rectangles() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let data: Vec<u8> = (0..40_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let src = f.buffer(&data);
    for region in [[5, 3, 2], [1, 300, 1], [7, 40, 30], [3, 1, 1], [4, 100, 3]] {
        let rect = RectCopy {
            src_origin: [3, 2, 1],
            dst_origin: [1, 0, 2],
            region,
            src_row_pitch: 11,
            src_slice_pitch: 11 * 101,
            dst_row_pitch: region[0],
            dst_slice_pitch: region[0] * (region[1] + 1),
        };
        let [w, h, d] = region;
        let dst_size = 2 * rect.dst_slice_pitch + d * rect.dst_slice_pitch + 64;
        let dst = f.buffer(&vec![0x55; dst_size as usize]);
        let src_end = (d * 101 + h + 2) * 11 + 20;
        if src_end > 40_000 {
            f.queue.copy_rect(&src, &dst, &RectCopy { src_slice_pitch: 11 * h, ..rect }).expect("rect");
        }
        let slice = if src_end > 40_000 { 11 * h } else { 11 * 101 };
        let slice = slice.max(11 * h);
        f.queue.copy_rect(&src, &dst, &RectCopy { src_slice_pitch: slice, ..rect }).expect("rect");
        let mut want = vec![0x55; dst_size as usize];
        for z in 0..d {
            for y in 0..h {
                for x in 0..w {
                    let from = (z + 1) * slice + (y + 2) * 11 + x + 3;
                    let to = (z + 2) * rect.dst_slice_pitch + y * rect.dst_row_pitch + x + 1;
                    want[to as usize] = data[from as usize];
                }
            }
        }
        assert_eq!(f.bytes(&dst), want, "{region:?}");
    }
}

#[test]
fn large_buffers_and_errors_of_size() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let size = 300u64 << 20;
    let big = f.device.create_buffer(size, BufferUse::Device).expect("dedicated");
    f.queue.fill_buffer(&big, 0, size, &[3, 1, 4, 1]).expect("fill");
    // Across the helper's windows.
    f.queue.fill_buffer(&big, 1, 200 << 20, &[1, 2, 3]).expect("fill");
    let mut end = [0; 8];
    f.queue.read_buffer(&big, (200 << 20) - 3, &mut end).expect("read");
    let byte = |i: u64| (((200 << 20) - 3 - 1 + i) % 3 + 1) as u8;
    assert_eq!(end, [byte(0), byte(1), byte(2), byte(3), 1, 4, 1, 3]);
    let staged = f.device.create_buffer(size, BufferUse::Download).expect("staging");
    f.queue.copy_buffer(&big, 0, &staged, 0, size).expect("copy");
    f.queue.finish().expect("finish");
    for size in [0, u64::MAX, f.device.max_buffer_size() + 1] {
        let result = f.device.create_buffer(size, BufferUse::Device);
        assert!(
            matches!(result, Err(RuntimeError::User { what: UserError::InvalidBufferSize, .. })),
            "{size}"
        );
    }
}

#[test]
fn wrong_launches() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let program = f.device.create_program(&saxpy(BindingModel::Descriptor)).expect("program");
    assert!(matches!(
        program.kernel("other"),
        Err(RuntimeError::User { what: UserError::InvalidKernelName, .. })
    ));
    let kernel = program.kernel("main").expect("kernel");
    let x = f.buffer(&[0; 256]);
    let a = [0; 4];
    let good = [ArgValue::Buffer(&x), ArgValue::Buffer(&x), ArgValue::Value(&a)];
    let range = NdRange::new_1d(64);
    let what = |args: &[ArgValue<'_>], range: &NdRange| match f.queue.dispatch(&kernel, args, range) {
        Err(RuntimeError::User { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(what(&good[..2], &range), UserError::InvalidKernelArgs);
    assert_eq!(what(&[good[0], good[1], ArgValue::Value(&a[..3])], &range), UserError::InvalidArgSize);
    assert_eq!(what(&[good[0], good[1], ArgValue::Local(4)], &range), UserError::InvalidArgValue);
    assert_eq!(what(&[good[0], ArgValue::Value(&a), good[2]], &range), UserError::InvalidArgValue);
    assert_eq!(what(&good, &NdRange::new_1d(0)), UserError::InvalidGlobalWorkSize);
    assert_eq!(what(&good, &range.with_local([48, 1, 1])), UserError::InvalidWorkGroupSize);
    let second = f.device.create_queue().expect("queue");
    assert!(matches!(
        second.wait(Point { stream: 0, value: u64::MAX }),
        Err(RuntimeError::User { what: UserError::InvalidValue, .. })
    ));
    let twin = Device::new(f.device.physical(), None).expect("device");
    let foreign = twin.create_buffer(256, BufferUse::Device).expect("buffer");
    assert_eq!(what(&[ArgValue::Buffer(&foreign), good[1], good[2]], &range), UserError::InvalidContext);
    // A NULL buffer that is not used for anything but being there, and the same buffer twice.
    f.queue.dispatch(&kernel, &good, &range).expect("same buffer twice");
}

#[test]
fn times_are_measured() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let program = f.device.create_program(&saxpy(BindingModel::Descriptor)).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    let n = 1u64 << 20;
    let x = f.buffer(&le((0..n).map(|i| i as f32)));
    let y = f.buffer(&le((0..n).map(|_| 1.0)));
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
    let timed: Vec<TimedDispatch> = (0..200)
        .map(|_| f.queue.dispatch_timed(&kernel, &args, &NdRange::new_1d(n)).expect("dispatch"))
        .collect();
    let times: BTreeSet<u64> = timed.iter().map(|t| t.wait().expect("time").ns).collect();
    println!("{:?} to {:?} ns", times.first(), times.last());
    assert!(times.first().is_some_and(|ns| *ns > 1000));
    assert!(times.last().is_some_and(|ns| *ns < 60_000_000_000));
}

#[test]
fn anything_may_be_dropped_in_any_order() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let device = Device::new(f.device.physical(), None).expect("device");
    let queue = device.create_queue().expect("queue");
    let program = device.create_program(&saxpy(BindingModel::Descriptor)).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    let x = device.create_buffer(1 << 20, BufferUse::Device).expect("buffer");
    let y = device.create_buffer(1 << 20, BufferUse::Device).expect("buffer");
    queue.write_buffer(&x, 0, &vec![0; 1 << 20]).expect("write");
    queue.fill_buffer(&y, 0, 1 << 20, &[0]).expect("fill");
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
    let timed = queue.dispatch_timed(&kernel, &args, &NdRange::new_1d(1 << 18)).expect("dispatch");
    queue.flush().expect("flush");
    queue.dispatch(&kernel, &args, &NdRange::new_1d(1 << 18)).expect("dispatch");
    drop((x, device, y, kernel, program));
    drop(queue);
    timed.wait().expect("time");
    drop(timed);
}

#[test]
fn the_pipeline_cache_survives_and_distrusts() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let path = std::env::temp_dir().join(format!("pumice-cache-test-{}", std::process::id()));
    let folder = files::Folder::make(&path).expect("a folder");
    let launch = || {
        let device = Device::new(f.device.physical(), None).expect("device");
        device.use_pipeline_cache(&folder).expect("cache");
        let queue = device.create_queue().expect("queue");
        let kernel = device
            .create_program(&saxpy(BindingModel::Descriptor))
            .and_then(|p| p.kernel("main"))
            .expect("kernel");
        let x = device.create_buffer(256, BufferUse::Device).expect("buffer");
        let a = [0; 4];
        let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&x), ArgValue::Value(&a)];
        queue.dispatch(&kernel, &args, &NdRange::new_1d(64)).expect("dispatch");
        queue.finish().expect("finish");
    };
    launch();
    let [(name, _, written)] = &folder.files()[..] else { panic!("{:?}", folder.files()) };
    let file = path.join(name);
    let first = std::fs::read(&file).expect("the file was written");
    launch();
    assert_eq!(
        folder.files(),
        [(name.clone(), first.len() as u64, *written)],
        "nothing new, nothing written"
    );
    for damage in [0, 20, first.len() / 2, first.len() - 1] {
        let mut bad = first.clone();
        bad[damage] ^= 0x40;
        std::fs::write(&file, &bad).expect("write");
        launch();
        assert_ne!(std::fs::read(&file).expect("read"), bad, "a damaged file is replaced");
    }
    std::fs::remove_dir_all(&path).expect("remove");
}

#[test]
fn many_threads_share_a_queue() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    std::thread::scope(|scope| {
        for t in 0..4u32 {
            let f = &f;
            scope.spawn(move || {
                let buffer = f.buffer(&[0; 4096]);
                for i in 0..100 {
                    f.queue.fill_buffer(&buffer, 0, 4096, &(t * 1000 + i).to_le_bytes()).expect("fill");
                    if i % 10 == 0 {
                        assert_eq!(f.words(&buffer), vec![t * 1000 + i; 1024]);
                    }
                }
            });
        }
    });
}
