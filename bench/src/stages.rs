//! One compilation taken apart into its stages, timed.

use crate::inputs;
use frontend::diag::{Style, render};
use lower::kernel_info::BindingModel;
use lower::pipeline::{PASSES, observe_passes};
use lower::{BindingChoice, LowerOptions, Target};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Names of the stages, in the order of [`Sample::stages`]: the front end, `read`, every pass, `write`. A pass that
/// runs more than once has as many entries.
pub fn names() -> Vec<&'static str> {
    let mut names = vec!["frontend", "read"];
    names.extend(PASSES.iter().map(|p| p.name));
    names.push("write");
    names
}

/// One compilation.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Time of each stage.
    pub stages: Vec<Duration>,
    /// From the source text to the Vulkan module.
    pub total: Duration,
    /// Words of the Vulkan module.
    pub words: usize,
}

/// Compiles once.
///
/// # Errors
/// The diagnostics, or the lowering's error.
pub fn compile(name: &str, text: &str, target: &Target, model: BindingModel) -> Result<Sample, String> {
    let options = inputs::options(target);
    let lower_options = LowerOptions { binding: BindingChoice::Fixed(model), ..LowerOptions::default() };
    let mut stages = Vec::with_capacity(PASSES.len() + 3);
    let start = Instant::now();
    let mut last = start;
    let mut lap = |stages: &mut Vec<Duration>| {
        let now = Instant::now();
        stages.push(now - last);
        last = now;
    };
    let compiled = frontend::compile(name, text, &options);
    let Some(words) = compiled.spirv else {
        return Err(render(&compiled.diagnostics, &compiled.sources, Style::Rich { color: false }));
    };
    lap(&mut stages);
    let mut module = lower::read::read(&words).map_err(|e| e.to_string())?;
    lap(&mut stages);
    observe_passes(&mut module, target, &lower_options, &mut |_| lap(&mut stages))
        .map_err(|e| e.to_string())?;
    let (spirv, _) = lower::write::write(&module, target).map_err(|e| e.to_string())?;
    lap(&mut stages);
    Ok(Sample { stages, total: start.elapsed(), words: spirv.len() })
}

/// The measurements of many compilations of one source.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// The source.
    pub name: String,
    /// Its lines.
    pub lines: usize,
    /// The Target.
    pub target: String,
    /// The binding model.
    pub binding: BindingModel,
    /// Compilations measured.
    pub iterations: usize,
    /// The first one, with whatever is made once for each process, in milliseconds.
    pub first_ms: f64,
    /// Median of the whole way, in milliseconds.
    pub total_ms: f64,
    /// Medians of the stages, in milliseconds.
    pub stages_ms: Vec<(&'static str, f64)>,
    /// Words of the Vulkan module.
    pub words: usize,
}

impl Measurement {
    /// Milliseconds for 1000 lines of source.
    pub fn ms_per_1000_lines(&self) -> f64 {
        self.total_ms * 1000.0 / self.lines.max(1) as f64
    }
}

/// Compiles again and again: at least three times, at most `iterations` times, for about a second.
///
/// # Errors
/// As [`compile`].
pub fn measure(
    name: &str,
    text: &str,
    target: &Target,
    model: BindingModel,
    iterations: usize,
) -> Result<Measurement, String> {
    let first = compile(name, text, target, model)?;
    let begin = Instant::now();
    let mut samples = Vec::new();
    while samples.len() < iterations.max(1) && (samples.len() < 3 || begin.elapsed().as_millis() < 1000) {
        samples.push(compile(name, text, target, model)?);
    }
    let ms = |d: Duration| d.as_secs_f64() * 1000.0;
    let stages_ms = names()
        .into_iter()
        .enumerate()
        .map(|(n, name)| (name, median(samples.iter().map(|s| ms(s.stages[n])).collect())))
        .collect();
    Ok(Measurement {
        name: name.to_owned(),
        lines: text.lines().count(),
        target: target.name.clone(),
        binding: model,
        iterations: samples.len(),
        first_ms: ms(first.total),
        total_ms: median(samples.iter().map(|s| ms(s.total)).collect()),
        stages_ms,
        words: first.words,
    })
}

/// The middle value; the upper one of two.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The most memory that this process ever held, in KiB (`VmHWM`, proc(5)); `None` elsewhere than on Linux.
pub fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
