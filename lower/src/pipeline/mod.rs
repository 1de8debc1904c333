//! From IR to Vulkan SPIR-V: the passes in order, the verifier after each, the writer.

#[cfg(test)]
mod documentation;
mod pass;
mod passes;

pub use pass::{Gate, Pass, Phase, Preserves};
pub use passes::PASSES;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Block, Func, Module, verify::verify};
use crate::kernel_info::Lowered;
use crate::target::Target;
use crate::{LowerOptions, write};

/// Runs all passes whose gates are open. The verifier looks at the module after each in debug and test builds.
///
/// # Errors
/// A pass's own errors, and [`LowerError::Bug`] naming the pass that broke an invariant.
pub fn run_passes(module: &mut Module, target: &Target, options: &LowerOptions) -> Result<(), LowerError> {
    observe_passes(module, target, options, &mut |_| ())
}

/// [`run_passes`], which calls a function with each pass's place in [`PASSES`] when the pass has run or was left out.
///
/// # Errors
/// As [`run_passes`].
pub fn observe_passes(
    module: &mut Module,
    target: &Target,
    options: &LowerOptions,
    observer: &mut dyn FnMut(usize),
) -> Result<(), LowerError> {
    if target.api_version < (1, 1) {
        return Err(LowerError::Unsupported {
            kernel: module.kernels.first().map_or_else(String::new, |k| k.name.clone()),
            device: target.name.clone(),
            needs: "Vulkan 1.1".to_owned(),
        });
    }
    let context = PassContext { target, options };
    module.cut_off |= options.cut_off;
    module.apart |= options.apart;
    module.told |= options.told;
    dump(module, "read", options);
    for (place, pass) in PASSES.iter().enumerate() {
        let skipped = options.skip.iter().any(|name| name == pass.name);
        if !skipped && pass.gate.is_open(target) {
            run_checked(pass, module, &context)?;
        }
        if !skipped {
            dump(module, pass.name, options);
        }
        observer(place);
    }
    Ok(())
}

/// Runs one pass by its name, with the verifier before and after it: `false` when there is none of that name. A closed gate leaves the
/// module as it is.
///
/// # Errors
/// [`LowerError::InvalidModule`] for a module that breaks an invariant or has not reached the pass's stage, and the pass's own errors.
pub fn run_pass(
    name: &str,
    module: &mut Module,
    target: &Target,
    options: &LowerOptions,
) -> Result<bool, LowerError> {
    let Some(pass) = PASSES.iter().find(|p| p.name == name) else { return Ok(false) };
    verify(module).map_err(LowerError::InvalidModule)?;
    if module.stage < pass.requires {
        let (stage, requires) = (module.stage, pass.requires);
        return Err(LowerError::InvalidModule(format!(
            "the pass '{name}' requires the stage {requires:?}, and the module is at {stage:?}"
        )));
    }
    if pass.gate.is_open(target) {
        (pass.run)(module, &PassContext { target, options })?;
    }
    verify(module).map_err(|message| LowerError::Bug { pass: pass.name, message })?;
    Ok(true)
}

/// Runs a pass. Debug and test builds check the stage that it requires, what it preserves, and the module's invariants after it.
fn run_checked(pass: &Pass, module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    if !cfg!(debug_assertions) {
        return (pass.run)(module, context);
    }
    let bug = |message: String| LowerError::Bug { pass: pass.name, message };
    if module.stage < pass.requires {
        return Err(bug(format!(
            "it requires the stage {:?}, and the module is at {:?}",
            pass.requires, module.stage
        )));
    }
    let before = Preserved::of(pass.preserves, module);
    (pass.run)(module, context)?;
    if before != Preserved::of(pass.preserves, module) {
        return Err(bug(format!("it changed what it preserves: {}", pass.preserves.name())));
    }
    verify(module).map_err(bug)
}

/// What a pass says that it preserves, to be compared before and after it.
#[derive(PartialEq)]
enum Preserved {
    Nothing,
    ControlFlow(Vec<(Func, Block, Vec<Block>)>),
    Code(String),
}

impl Preserved {
    fn of(what: Preserves, module: &Module) -> Preserved {
        match what {
            Preserves::Nothing => Preserved::Nothing,
            Preserves::ControlFlow => Preserved::ControlFlow(control_flow(module)),
            Preserves::Code => Preserved::Code(module.functions.values().map(|f| format!("{f:?}")).collect()),
        }
    }
}

/// The blocks of every function in order, each with the targets of its terminator.
fn control_flow(module: &Module) -> Vec<(Func, Block, Vec<Block>)> {
    let mut graph = Vec::new();
    for (func, function) in module.functions.iter() {
        for &block in &function.layout {
            let mut targets = Vec::new();
            function.blocks[block].term.each_target(|target| targets.push(target.block));
            graph.push((func, block, targets));
        }
    }
    graph
}

/// Lowers a module of IR, as the reader gives it or as text was parsed.
///
/// # Errors
/// See [`LowerError`].
pub fn lower_ir(mut module: Module, target: &Target, options: &LowerOptions) -> Result<Lowered, LowerError> {
    run_passes(&mut module, target, options)?;
    finish(&module, target)
}

/// Writes a module that has gone through the passes.
pub(crate) fn finish(module: &Module, target: &Target) -> Result<Lowered, LowerError> {
    let (spirv, kernels) = if module.kernels.is_empty() {
        // A program of helper functions alone builds; there is nothing to launch.
        (Vec::new(), Vec::new())
    } else {
        write::write(module, target)?
    };
    Ok(Lowered { spirv, kernels, program_data: module.program_data.clone(), warnings: Vec::new() })
}

/// `PUMICE_DUMP`: `NAME` or `all`; `read` is what the passes start with.
fn dump(module: &Module, after: &str, options: &LowerOptions) {
    if options.dump_after.iter().any(|name| name == after || name == "all") {
        eprintln!("; after {after}\n{module}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_alone_is_refused_before_its_stage() {
        let text = |stage: &str| {
            format!("module {stage} bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32):\n  return(v0)\n")
        };
        let run = |stage: &str| {
            let mut module = crate::ir::text::parse(&text(stage)).expect("it parses");
            run_pass("reassociate", &mut module, &Target::minimum(), &LowerOptions::default())
        };
        assert!(
            matches!(run("read"), Err(LowerError::InvalidModule(m)) if m.contains("requires the stage Legal"))
        );
        assert!(matches!(run("legal"), Ok(true)));
    }
}
