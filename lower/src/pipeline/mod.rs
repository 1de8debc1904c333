//! From IR to Vulkan SPIR-V: the passes in order, the verifier between them, the writer.

#[cfg(test)]
mod documentation;
mod pass;
mod passes;

pub use crate::gate::Gate;
pub use pass::{Pass, Phase, Preserves, Run};
pub use passes::PASSES;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::verify::{verify, verify_code};
use crate::ir::{Block, Func, Module};
use crate::kernel_info::Lowered;
use crate::target::Target;
use crate::{LowerOptions, write};

/// Runs all passes whose gates are open, with the verifier between them (`Checks`).
///
/// # Errors
/// A pass's own errors, and [`LowerError::Bug`] or [`LowerError::BrokenPhase`] where a pass broke an invariant.
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
    module.non_uniform |= options.non_uniform;
    module.noalias |= options.noalias;
    module.specialised |= options.specialised;
    dump(module, "read", options);
    run_list(PASSES, module, &context, Checks::DEFAULT, observer)
}

/// When the verifier looks at the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    /// After each pass, at everything, and at what the pass preserves.
    EachPass,
    /// After the last pass of each phase, at the code.
    EachPhase,
}

impl Checks {
    /// Of debug and test builds, and of release builds.
    const DEFAULT: Checks = if cfg!(debug_assertions) { Checks::EachPass } else { Checks::EachPhase };
}

fn run_list(
    passes: &[Pass],
    module: &mut Module,
    context: &PassContext<'_>,
    checks: Checks,
    observer: &mut dyn FnMut(usize),
) -> Result<(), LowerError> {
    let skipped = |pass: &Pass| context.options.skip.iter().any(|name| name == pass.name);
    let runs: Vec<bool> = passes.iter().map(|pass| !skipped(pass) && pass.gate.is_open(context)).collect();
    // Returns whether a pass is the last of its phase that runs.
    let ends = |at: usize| {
        let mut later = passes.iter().zip(&runs).skip(at + 1);
        runs[at] && later.all(|(pass, runs)| !runs || pass.phase != passes[at].phase)
    };
    for (place, pass) in passes.iter().enumerate() {
        if runs[place] {
            match checks {
                Checks::EachPass => run_checked(pass, module, context)?,
                Checks::EachPhase => pass.run.on(module, context)?,
            }
            // Passes of several phases alternate, and each phase ends once. Those that end one after the other are looked at together.
            let next = (place + 1..passes.len()).find(|at| runs[*at]);
            if checks == Checks::EachPhase && ends(place) && !next.is_some_and(ends) {
                verify_phase(pass, module)?;
            }
        }
        check_size(module)?;
        if !skipped(pass) {
            dump(module, pass.name, context.options);
        }
        observer(place);
    }
    Ok(())
}

/// Ends the lowering where a kernel exceeds the module's limit on size.
fn check_size(module: &Module) -> Result<(), LowerError> {
    let Some(limit) = module.size_limit else { return Ok(()) };
    let is_large = |func: Func| {
        let f = &module.functions[func];
        // Instructions that were removed count for the length of the table alone.
        f.insts.len() > limit && f.layout.iter().map(|b| f.blocks[*b].insts.len()).sum::<usize>() > limit
    };
    let large: Vec<_> = module.kernels.iter().filter(|k| is_large(k.func)).map(|k| k.name.clone()).collect();
    if large.is_empty() { Ok(()) } else { Err(LowerError::TooLarge(large)) }
}

/// Checks the code where a phase ends with its last pass.
fn verify_phase(last: &Pass, module: &mut Module) -> Result<(), LowerError> {
    let phase = last.phase.name();
    verify_code(module).map_err(|message| LowerError::BrokenPhase { phase, pass: last.name, message })
}

/// Runs one pass by its name, with the verifier before and after it. Returns `false` if there is no such pass. A closed gate leaves the
/// module unchanged.
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
    let context = PassContext { target, options };
    if pass.gate.is_open(&context) {
        pass.run.on(module, &context)?;
    }
    verify(module).map_err(|message| LowerError::Bug { pass: pass.name, message })?;
    Ok(true)
}

/// Runs a pass, and checks the stage that it requires, what it preserves, and the module's invariants after it.
fn run_checked(pass: &Pass, module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
    let bug = |message: String| LowerError::Bug { pass: pass.name, message };
    if module.stage < pass.requires {
        return Err(bug(format!(
            "it requires the stage {:?}, and the module is at {:?}",
            pass.requires, module.stage
        )));
    }
    let before = Preserved::new(pass.preserves, module);
    pass.run.on(module, context)?;
    if before != Preserved::new(pass.preserves, module) {
        return Err(bug(format!("it changed what it preserves: {}", pass.preserves.name())));
    }
    verify(module).map_err(bug)
}

/// The part of a module that a pass declares to preserve, for comparison before and after.
#[derive(PartialEq)]
enum Preserved {
    Nothing,
    ControlFlow(Vec<(Func, Block, Vec<Block>)>),
}

impl Preserved {
    fn new(what: Preserves, module: &Module) -> Preserved {
        match what {
            Preserves::Nothing => Preserved::Nothing,
            Preserves::ControlFlow => Preserved::ControlFlow(control_flow(module)),
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

/// Writes a module after the passes.
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
    use crate::ir::{Function, Inst, Scalar, Stage, Type, text};

    /// Passes that break a module: a value of another type, one that does not dominate, a handle of no block.
    fn breaks(how: usize) -> Pass {
        let run: fn(&mut Function) = match how {
            0 => |function| {
                let half = function.iconst(Type::Scalar(Scalar::I16), 1);
                function.insts[Inst(0)].kind.map_values(|_| half);
            },
            1 => |function| {
                let entry = function.entry();
                function.blocks[entry].insts.reverse();
            },
            _ => |function| {
                let entry = function.entry();
                function.blocks[entry].insts.push(Inst(77));
            },
        };
        let run = Run::Function(run);
        let (gate, requires, preserves) = (Gate::Always, Stage::Read, Preserves::Nothing);
        Pass { name: "breaks", phase: Phase::Legalize, gate, requires, preserves, run }
    }

    fn keeps(phase: Phase) -> Pass {
        let (gate, requires, preserves) = (Gate::Always, Stage::Read, Preserves::Nothing);
        Pass { name: "keeps", phase, gate, requires, preserves, run: Run::Function(|_| ()) }
    }

    const SUMS: &str = "module read bits=64\nfunc f0 \"f\" returns (i32)\nb0(v0: i32):\n  v1: i32 = iadd v0, v0\n  v2: i32 = iadd v1, v0\n  return(v2)\n";

    /// Of debug and of release builds: both kinds of checks are run here.
    #[test]
    fn a_broken_module_is_refused() {
        let (target, options) = (Target::minimum(), LowerOptions::default());
        let context = PassContext { target: &target, options: &options };
        for (how, rule) in ["V-8", "V-3", "V-1"].into_iter().enumerate() {
            let behind = [Phase::Legalize, Phase::Workaround, Phase::Optimize, Phase::Workaround].map(keeps);
            let passes: Vec<Pass> = [breaks(how)].into_iter().chain(behind).collect();
            let run = |checks| {
                let mut module = text::parse(SUMS).expect("it parses");
                run_list(&passes, &mut module, &context, checks, &mut |_| ())
            };
            let each_pass = run(Checks::EachPass).expect_err("a broken module");
            assert!(
                matches!(&each_pass, LowerError::Bug { pass: "breaks", message } if message.contains(rule)),
                "{each_pass}"
            );
            let each_phase = run(Checks::EachPhase).expect_err("a broken module");
            let text = each_phase.to_string();
            assert!(
                text.contains("phase 'legalize', after the pass 'keeps'") && text.contains(rule),
                "{each_phase}"
            );
        }
    }

    /// What this build does by default: `cargo test --release` shows it for release builds.
    #[test]
    fn this_build_verifies() {
        let broken = "module read bits=64\nkernel \"k\" f0\n  arg \"out\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n\
                      b0(v0: ptr.global):\n  v1: i32 = load [v0], align=4\n  v2: i32 = iadd v1, i16:1\n  \
                      store [v0], v2, align=4\n  return()\n";
        let mut module = text::parse(broken).expect("it parses");
        let error = run_passes(&mut module, &Target::minimum(), &LowerOptions::default());
        let error = error.expect_err("operands of different types").to_string();
        assert!(error.contains("V-8") && error.contains("internal error"), "{error}");
    }

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
