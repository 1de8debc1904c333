//! Costs of launches for the host: recording in a long row, and a round trip of one launch and a wait.
//! `cargo run --release -p pumice-vk-runtime --example launch-cost`

#[path = "../tests/device/common.rs"]
mod common;

use std::time::Instant;

use common::saxpy;
use lower::kernel_info::BindingModel;
use pumice_vk_runtime::*;

fn main() -> Result<(), RuntimeError> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let device = Device::new(&instance.select(None)?, None)?;
    let queue = device.create_queue()?;
    for model in [BindingModel::Descriptor, BindingModel::Address] {
        let kernel = device.create_program(&saxpy(model))?.kernel("main")?;
        let x = device.create_buffer(4096, BufferUse::Device)?;
        let y = device.create_buffer(4096, BufferUse::Device)?;
        let z = device.create_buffer(4096, BufferUse::Device)?;
        let a = 2f32.to_le_bytes();
        let range = NdRange::new_1d(64).with_local([64, 1, 1]);
        let launch = |x: &Buffer, y: &Buffer| {
            queue.dispatch(&kernel, &[ArgValue::Buffer(x), ArgValue::Buffer(y), ArgValue::Value(&a)], &range)
        };
        launch(&x, &y)?;
        queue.finish()?;
        let report = |what: &str, f: &dyn Fn(usize) -> Result<(), RuntimeError>| {
            let count = 10_000;
            let (mut best, mut best_cpu) = (f64::MAX, f64::MAX);
            for _ in 0..5 {
                let (begin, cpu) = (Instant::now(), thread_time());
                for i in 0..count {
                    f(i)?;
                }
                best_cpu = best_cpu.min((thread_time() - cpu) / count as f64);
                best = best.min(begin.elapsed().as_nanos() as f64 / count as f64);
                queue.finish()?;
            }
            println!("{model:?}, {what}: {best:.0} ns, of it this thread's CPU {best_cpu:.0} ns");
            Ok::<(), RuntimeError>(())
        };
        report("the same arguments", &|_| launch(&x, &y).map(|_| ()))?;
        report("arguments in turn", &|i| launch(&x, if i % 2 == 0 { &y } else { &z }).map(|_| ()))?;
        report("launch and wait", &|_| queue.wait(launch(&x, &y)?))?;
        report("launch, callback and wait", &|_| {
            let value = launch(&x, &y)?;
            queue.on_complete(value, Box::new(|_| {}));
            queue.wait(value)
        })?;
        report("launch with callback", &|_| {
            let value = launch(&x, &y)?;
            queue.on_complete(value, Box::new(|_| {}));
            Ok(())
        })?;
    }
    Ok(())
}

/// Nanoseconds that this thread has run.
fn thread_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0.0)
}
