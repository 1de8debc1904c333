//! `pumice inspect`: where each pointer and variable of each kernel went.

use crate::cli::InspectArgs;
use crate::error::CliError;
use crate::{compile, output, target};
use frontend::options::Options;
use lower::LowerOptions;
use lower::inspect::{KernelReport, MemoryReport};
use lower::kernel_info::{ImageView, ImageViewKind, TexelClass};

/// Runs the command.
///
/// # Errors
/// Anything that can go wrong.
pub fn command(args: &InspectArgs, mut options: Options) -> Result<(), CliError> {
    let target = target::choose(&args.source.target, &args.source.driver)?;
    host::target::apply(&target, &mut options);
    let module = compile::opencl_spirv(&args.source.file, &options)?;
    let lower_options = LowerOptions {
        kernels: None,
        binding: args.source.binding.choice(),
        dump_after: host::settings::dump_after(),
        inline_limit: host::settings::inline_limit(),
        own_module: module.own,
        ..LowerOptions::default()
    };
    let reports = lower::inspect(&module.words, &target, &lower_options)?;
    if args.json {
        let json = serde_json::to_string_pretty(&reports)
            .map_err(|e| CliError::Failed(format!("internal error: the report is no JSON: {e}")))?;
        output::line(json)?;
    } else {
        reports.iter().try_for_each(print)?;
    }
    Ok(())
}

fn print(report: &KernelReport) -> Result<(), CliError> {
    output::line(format!("kernel {} ({:?} model)", report.kernel, report.binding_model))?;
    for emulated in &report.emulated {
        output::line(format!("  emulated {}", emulated.description()))?;
    }
    for memory in &report.memories {
        output::line(format!(
            "  {:8} {:20} {:10} {:22} {}",
            memory.what,
            format!("{}{} {}", access(memory), memory.type_name, memory.name).trim(),
            memory.address_space,
            memory.storage_class,
            place(memory)
        ))?;
    }
    Ok(())
}

fn access(memory: &MemoryReport) -> String {
    memory.access.map_or_else(String::new, |access| format!("{} ", access.name()))
}

/// How texels are reached, and as what.
fn view(view: &ImageView) -> String {
    let kind = match view.kind {
        ImageViewKind::Sampled => "sampled",
        ImageViewKind::Storage => "storage",
        ImageViewKind::TexelSampled => "uniform texels",
        ImageViewKind::TexelStorage => "storage texels",
    };
    let class = match view.class {
        TexelClass::Float => "float",
        TexelClass::Sint => "int",
        TexelClass::Uint => "uint",
    };
    let class = if view.bits { "bits" } else { class };
    format!("{kind} {class} at binding {}", view.binding)
}

fn place(memory: &MemoryReport) -> String {
    let views = memory.views.iter().map(view);
    let parts = [
        memory.binding.filter(|_| memory.views.is_empty()).map(|b| format!("binding {b}")),
        memory.offset.map(|o| format!("block offset {o}")),
        memory.spec_id.map(|s| format!("size by constant {s}")),
        memory.size.map(|s| format!("{s} bytes")),
    ];
    views.chain(parts.into_iter().flatten()).collect::<Vec<_>>().join(", ")
}
