//! `pumice demo`: a path tracer on the best device, with progress and timing.

use crate::array::{Array, ElementType};
use crate::cli::DemoArgs;
use crate::error::CliError;
use crate::{compile, files, output, printf, target};
use frontend::options::Options;
use indicatif::{ProgressBar, ProgressStyle};
use lower::{BindingChoice, LowerOptions};
use std::time::{Duration, Instant};
use vk_runtime::{ArgValue, BufferUse, Device, Instance, NdRange, SaveArea};

const SOURCE: &str = include_str!("../../examples/pathtracer.cl");

/// Runs the demonstration.
///
/// # Errors
/// No device, a launch that failed, a picture that cannot be written.
pub fn command(args: &DemoArgs, mut options: Options) -> Result<(), CliError> {
    let (width, height) = (args.width, args.height);
    let instance = Instance::new(&host::settings::instance_options())?;
    let physical = target::device(&instance, args.device.as_deref())?;
    output::line(format!("device:   {} ({})", physical.name(), physical.driver()))?;
    let device = Device::new(&physical, host::target::mask()?.as_ref())?;

    let start = Instant::now();
    host::target::apply(device.target(), &mut options);
    let module = compile::source("examples/pathtracer.cl", SOURCE, &options)?;
    let front_end = start.elapsed();
    let lowered = lower::lower(
        &module,
        device.target(),
        &LowerOptions { binding: BindingChoice::Auto, ..LowerOptions::default() },
    )?;
    output::line(format!(
        "compiled: examples/pathtracer.cl, {} lines: OpenCL C to SPIR-V {front_end:.1?}, to Vulkan {:.1?}",
        SOURCE.lines().count(),
        start.elapsed() - front_end
    ))?;

    let program = device.create_program(&lowered)?;
    let (render, develop) = (program.kernel("render")?, program.kernel("develop")?);
    let queue = device.create_queue()?;
    let pixels = u64::from(width) * u64::from(height);
    let sum = device.create_buffer(pixels * 16, BufferUse::Device)?;
    let picture = device.create_buffer(pixels * 4, BufferUse::Device)?;
    queue.fill_buffer(&sum, 0, pixels * 16, &[0; 4])?;
    let range = NdRange {
        work_dim: 2,
        global_offset: [0; 3],
        global_size: [width.into(), height.into(), 1],
        local_size: None,
        non_uniform: false,
        chosen: false,
    };

    let bar = ProgressBar::new(args.samples.into());
    if let Ok(style) =
        ProgressStyle::with_template("render:   {bar:40} {pos}/{len} samples a pixel, {elapsed}")
    {
        bar.set_style(style);
    }
    let (mut done, mut gpu) = (0u32, Duration::ZERO);
    let output = printf::buffer(&device, render.info(), (SaveArea::default(), 0))?;
    while done < args.samples {
        let samples = (args.samples - done).min(4);
        let (first, count) = (done.to_le_bytes(), samples.to_le_bytes());
        let mut values = vec![ArgValue::Buffer(&sum), ArgValue::Value(&first), ArgValue::Value(&count)];
        if let Some(output) = &output {
            printf::reset(&queue, output, render.info(), (SaveArea::default(), 0))?;
            values.push(ArgValue::Printf(output));
        }
        let launch = queue.dispatch_timed(&render, &values, &range)?;
        gpu += Duration::from_nanos(launch.wait()?.ns);
        if let Some(output) = &output {
            printf::show(
                &queue,
                output,
                (render.info(), &range, &values),
                &mut host::check::ReportLog::default(),
            )?;
        }
        done += samples;
        bar.set_position(done.into());
    }
    bar.finish_and_clear();
    queue.dispatch(&develop, &[ArgValue::Buffer(&sum), ArgValue::Buffer(&picture)], &range)?;
    let ty = ElementType::parse("uchar4")
        .ok_or_else(|| CliError::Failed("internal error: uchar4 is no type".to_owned()))?;
    let mut image = Array { ty, bytes: vec![0; (pixels * 4) as usize] };
    queue.read_buffer(&picture, 0, &mut image.bytes)?;
    if let Some(dir) = args.output.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(|e| CliError::writing(dir, e))?;
    }
    files::write(&args.output, &image, Some((width, height)))?;
    let rate = pixels as f64 * f64::from(done) / gpu.as_secs_f64().max(1e-9) / 1e6;
    output::line(format!(
        "render:   {width}x{height}, {done} samples a pixel in {gpu:.2?} on the device: {rate:.2} million paths/s"
    ))?;
    output::line(format!("picture:  {}", args.output.display()))?;
    Ok(())
}
