//! The metadata of a pass.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::gate::Gate;
use crate::ir::{Function, Module, Stage};

/// The kind of work that a pass does, which is also its folder under `passes/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Lowering of builtins, kernel arguments and program-scope data.
    Language,
    /// Optimisation that no driver's fault asks for.
    Optimize,
    /// Lowering of pointers to a binding model.
    Address,
    /// Replacement of what the Target lacks.
    Legalize,
    /// Avoidance of one driver's fault.
    Workaround,
    /// Structuring of control flow.
    Structurize,
    /// Instrumentation: code that looks for faults of the kernel.
    Check,
}

impl Phase {
    /// The name, as the folder and the documentation have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Language => "language",
            Phase::Optimize => "optimize",
            Phase::Address => "address",
            Phase::Legalize => "legalize",
            Phase::Workaround => "workaround",
            Phase::Structurize => "structurize",
            Phase::Check => "check",
        }
    }
}

/// The part of a module that a pass leaves unchanged. The pipeline checks it in debug and test builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preserves {
    /// Nothing: blocks and branches may change.
    Nothing,
    /// The control-flow graph of every function: the blocks, their order and their branch targets.
    ControlFlow,
}

impl Preserves {
    /// The word in the documentation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Preserves::Nothing => "",
            Preserves::ControlFlow => "control flow",
        }
    }
}

/// One pass of the pipeline.
pub struct Pass {
    /// The name, for `PUMICE_DUMP`, messages and documentation.
    pub name: &'static str,
    /// The kind of work.
    pub phase: Phase,
    /// When it runs.
    pub gate: Gate,
    /// The stage that the module has reached before it. A pass run alone on text is refused at an earlier one.
    pub requires: Stage,
    /// The part that it leaves unchanged.
    pub preserves: Preserves,
    /// The entry function.
    pub run: Run,
}

/// The entry function of a pass.
#[derive(Clone, Copy)]
pub enum Run {
    /// Looks at the whole module.
    Module(fn(&mut Module, &PassContext<'_>) -> Result<(), LowerError>),
    /// Looks at each function with a body, alone.
    Function(fn(&mut Function)),
}

impl Run {
    /// Runs it on a module.
    pub(super) fn on(self, module: &mut Module, context: &PassContext<'_>) -> Result<(), LowerError> {
        match self {
            Run::Module(run) => run(module, context),
            Run::Function(run) => {
                module.functions.values_mut().filter(|f| !f.layout.is_empty()).for_each(run);
                Ok(())
            }
        }
    }
}
