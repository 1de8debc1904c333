//! Memory that the host and the device share: the host's pointers, mappings, addresses, imported pages.

use crate::common::*;
use lower::kernel_info::*;
use pumice_vk_runtime::*;

/// y = 2 x + y through host pointers.
fn through_host_pointers(f: &Fixture, usage: BufferUse) {
    let n = 1000usize;
    let kernel = f
        .device
        .create_program(&saxpy(BindingModel::Descriptor))
        .and_then(|p| p.kernel("main"))
        .expect("kernel");
    let make = || f.device.create_buffer(n as u64 * 4, usage).expect("buffer");
    let (x, y) = (make(), make());
    let pointer = |b: &Buffer| b.host_ptr().expect("mapped").cast::<f32>();
    for i in 0..n {
        // SAFETY: the mapping has n floats, and nothing else uses it now.
        unsafe {
            pointer(&x).add(i).write(i as f32);
            pointer(&y).add(i).write(1.0);
        }
    }
    x.flush_host(0..n as u64 * 4).expect("flush");
    y.flush_host(0..n as u64 * 4).expect("flush");
    let a = 2f32.to_le_bytes();
    let args = [ArgValue::Buffer(&x), ArgValue::Buffer(&y), ArgValue::Value(&a)];
    let value = f.queue.dispatch(&kernel, &args, &NdRange::new_1d(n as u64)).expect("dispatch");
    f.queue.wait(value).expect("wait");
    y.invalidate_host(0..n as u64 * 4).expect("invalidate");
    for i in 0..n {
        // SAFETY: as above; the kernel is done.
        assert_eq!(unsafe { pointer(&y).add(i).read() }, 2.0 * i as f32 + 1.0);
    }
    assert!(y.invalidate_host(1..n as u64 * 4 + 1).is_err());
}

#[test]
fn host_pointers() {
    for shadow in [false, true] {
        let Some(f) = Fixture::options(|_| {}, |o| o.shadow_mappings = shadow) else { return };
        through_host_pointers(&f, BufferUse::HostPinned);
        through_host_pointers(&f, BufferUse::Svm);
    }
}

#[test]
fn mappings_as_shadow_copies() {
    for always_stage in [false, true] {
        let change = |o: &mut DeviceOptions<'_>| (o.shadow_mappings, o.always_stage) = (true, always_stage);
        let Some(f) = Fixture::options(|_| {}, change) else { return };
        let job = Saxpy::new(&f, BindingModel::Descriptor, 5000);
        for times in 1..3 {
            job.run(&f.queue).expect("dispatch");
            assert_eq!(f.floats(&job.y), job.want(times));
        }
        let pinned = f.device.create_buffer(64, BufferUse::HostPinned).expect("buffer");
        f.queue.fill_buffer(&pinned, 0, 64, &[3]).expect("fill");
        f.queue.finish().expect("finish");
        let first = pinned.host_ptr().expect("mapped");
        // SAFETY: the mapping is alive; the device is done with it.
        unsafe {
            assert_ne!(first.read(), 3, "nothing came without an invalidation");
            pinned.invalidate_host(0..64).expect("invalidate");
            assert_eq!(first.read(), 3);
            first.write(7);
        }
        assert_ne!(f.bytes(&pinned)[0], 7, "nothing went without a flush");
    }
}

#[test]
fn shared_virtual_memory_by_addresses() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    if !f.device.target().has_address_model() {
        println!("SKIP: no address model");
        return;
    }
    let kernel = f
        .device
        .create_program(&saxpy(BindingModel::Address))
        .and_then(|p| p.kernel("main"))
        .expect("kernel");
    let n = 256u64;
    let make = || f.device.create_buffer(n * 4, BufferUse::Svm).expect("buffer");
    let (x, y) = (make(), make());
    let shared = x.host_ptr().map(|p| p.addr() as u64) == x.device_address();
    println!("host pointers {} device addresses", if shared { "are" } else { "are not" });
    f.queue.write_buffer(&x, 0, &le((0..n).map(|i| i as f32))).expect("write");
    f.queue.fill_buffer(&y, 0, n * 4, &1f32.to_le_bytes()).expect("fill");
    let a = 2f32.to_le_bytes();
    let address = |b: &Buffer| ArgValue::Address(b.device_address().expect("address").into());
    let args = [address(&x), address(&y), ArgValue::Value(&a)];
    let range = NdRange::new_1d(n);
    let touches = [Touch::whole(&x, false), Touch::whole(&y, true)];
    for extras in [
        DispatchExtras { touches: &touches, ..Default::default() },
        DispatchExtras { anything: true, ..Default::default() },
        DispatchExtras::default(),
    ] {
        f.queue.dispatch_with(&kernel, &args, &range, &extras).expect("dispatch");
    }
    assert_eq!(f.floats(&y), (0..n).map(|i| 6.0 * i as f32 + 1.0).collect::<Vec<_>>());
    let kernel = f
        .device
        .create_program(&saxpy(BindingModel::Descriptor))
        .and_then(|p| p.kernel("main"))
        .expect("kernel");
    assert!(matches!(f.queue.dispatch(&kernel, &args, &range), Err(RuntimeError::Unsupported(_))));
}

#[test]
fn imported_host_memory() {
    let Some(f) = Fixture::new(|_| {}) else { return };
    let mut memory = vec![1u8; 3 << 20];
    let aligned = memory.as_mut_ptr().addr().next_multiple_of(4096) - memory.as_ptr().addr();
    let pointer = memory.as_mut_ptr().wrapping_add(aligned);
    // SAFETY: 2 MiB of `memory`, which lives longer than the buffer and is not touched meanwhile.
    match unsafe { f.device.import_host(pointer, 2 << 20) } {
        Ok(buffer) => {
            assert_eq!(buffer.host_ptr(), Some(pointer));
            f.queue.fill_buffer(&buffer, 4, 1 << 20, &[7]).expect("fill");
            f.queue.finish().expect("finish");
            assert_eq!(f.bytes(&buffer)[..8], [1, 1, 1, 1, 7, 7, 7, 7]);
            drop(buffer);
            assert_eq!(memory[aligned + 4..aligned + 8], [7; 4]);
            assert_eq!(memory[aligned + (1 << 20) + 4], 1);
        }
        Err(RuntimeError::Unsupported(why)) => println!("SKIP: {why}"),
        Err(e) => panic!("{e}"),
    }
    // SAFETY: as above; a byte off any alignment.
    let odd = unsafe { f.device.import_host(pointer.wrapping_add(1), 4096) };
    assert!(matches!(odd, Err(RuntimeError::Unsupported(_))));
}
