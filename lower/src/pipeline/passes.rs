//! The passes in the order in which they run.

use super::pass::Phase::{self, Address, Check, Language, Legalize, Optimize, Structurize, Workaround};
use super::pass::Preserves::{self, ControlFlow, Nothing};
use super::pass::{Pass, Run};
use crate::context::PassContext;
use crate::error::LowerError;
use crate::gate::Gate;
use crate::ir::Stage::{self, Legal, Read, Resolved, Structured};
use crate::ir::{Function, Module};
use crate::passes::{address, check, language, legalize, optimize, structurize, workaround};

/// A pass over modules, for every Target.
const fn pass(
    name: &'static str,
    phase: Phase,
    requires: Stage,
    preserves: Preserves,
    run: fn(&mut Module, &PassContext<'_>) -> Result<(), LowerError>,
) -> Pass {
    Pass { name, phase, gate: Gate::Always, requires, preserves, run: Run::Module(run) }
}

/// A pass over functions, for every Target.
const fn function_pass(
    name: &'static str,
    phase: Phase,
    requires: Stage,
    preserves: Preserves,
    run: fn(&mut Function),
) -> Pass {
    Pass { name, phase, gate: Gate::Always, requires, preserves, run: Run::Function(run) }
}

impl Pass {
    /// The same, behind a gate.
    const fn gated(self, gate: Gate) -> Pass {
        Pass { gate, ..self }
    }
}

/// Checks of kernels for faults are asked for.
const CHECKS: Gate = Gate::Option("check", |options| !options.check.is_empty());

/// All passes in the order in which they run. The table in docs/maintainers/passes.md is generated from this list (`pipeline/documentation.rs`).
pub const PASSES: &[Pass] = &[
    pass("mark_operations", Check, Read, ControlFlow, check::mark_operations::run).gated(CHECKS),
    pass("lower_memory_order", Language, Read, ControlFlow, language::lower_memory_order::run),
    pass("dead_functions", Language, Read, Nothing, language::dead_functions::run),
    pass("lower_images", Language, Read, Nothing, language::lower_images::run),
    pass("lower_math", Language, Read, Nothing, language::lower_math::run),
    pass("lower_workgroup", Language, Read, Nothing, language::lower_workgroup::run),
    pass("inline", Optimize, Read, Nothing, optimize::inline::run),
    pass("lower_kernel_args", Language, Read, ControlFlow, language::lower_kernel_args::run),
    pass("lower_memcpy", Language, Read, Nothing, language::lower_memcpy::run),
    pass("zero_memory", Language, Read, Nothing, language::zero_memory::run)
        .gated(Gate::Option("zeroed", |options| options.zeroed.local || options.zeroed.private)),
    pass("track_variables", Check, Read, ControlFlow, check::track_variables::run).gated(CHECKS),
    pass("mem2reg", Optimize, Read, Nothing, optimize::mem2reg::run),
    pass("simplify", Optimize, Read, Nothing, optimize::simplify::run),
    pass("unroll_for_sroa", Optimize, Read, Nothing, optimize::unroll::unroll_for_sroa::run),
    pass("final_values", Optimize, Read, Nothing, optimize::final_values::run),
    pass("version_loops", Check, Read, Nothing, check::version_loops::run).gated(CHECKS),
    pass("unroll", Optimize, Read, Nothing, optimize::unroll::run),
    function_pass("merge_stores", Optimize, Read, ControlFlow, optimize::merge_stores::merge_in_function),
    function_pass("hoist_sink_common", Optimize, Read, Nothing, optimize::hoist_sink_common::hoist_and_sink)
        .gated(Gate::Tuning("lacks_code_hoisting", |q| q.lacks_code_hoisting)),
    pass("insert_checks", Check, Read, Nothing, check::insert_checks::run).gated(CHECKS),
    pass("work_item_loops", Legalize, Read, Nothing, legalize::work_item_loops::run),
    pass("lower_printf", Language, Read, Nothing, language::lower_printf::run),
    pass("loop_watchdog", Workaround, Read, Nothing, workaround::loop_watchdog::run)
        .gated(Gate::Workaround("max_iterations", |q| q.max_iterations.is_some())),
    pass("guard_remainders", Language, Read, Nothing, language::guard_remainders::run),
    pass("fences_by_atomics", Workaround, Read, ControlFlow, workaround::fences_by_atomics::run)
        .gated(Gate::Workaround("atomics_order_themselves", |q| q.atomics_order_themselves)),
    pass("lower_float_atomics", Legalize, Read, Nothing, legalize::lower_float_atomics::run),
    pass("lower_program_scope", Language, Read, ControlFlow, language::lower_program_scope::run),
    pass("lower_addresses", Address, Read, Nothing, address::lower_addresses::run),
    function_pass("jump_threading", Optimize, Resolved, Nothing, optimize::jump_threading::thread_jumps)
        .gated(Gate::Tuning("lacks_jump_threading", |q| q.lacks_jump_threading)),
    pass("simplify", Optimize, Resolved, Nothing, optimize::simplify::run),
    pass("legalize_types", Legalize, Resolved, ControlFlow, legalize::legalize_types::run),
    pass("address_arithmetic", Optimize, Legal, ControlFlow, optimize::address_arithmetic::run)
        .gated(Gate::Feature("buffers below 4 GiB", |t| t.features.buffers_below_4_gib)),
    function_pass("narrow_int64", Optimize, Legal, ControlFlow, optimize::narrow_int64::narrow_function),
    pass("rewrite_rules", Optimize, Legal, ControlFlow, optimize::rewrite_rules::run_early),
    pass("lower_division", Legalize, Legal, Nothing, legalize::lower_division::run),
    pass("split_int64", Legalize, Legal, Nothing, legalize::split_int64::run)
        .gated(Gate::Feature("no 64-bit integers", |t| !t.features.shader_int64)),
    function_pass("reassociate", Optimize, Legal, ControlFlow, optimize::reassociate::order_function),
    pass("simplify", Optimize, Legal, Nothing, optimize::simplify::run),
    pass("rewrite_rules", Optimize, Legal, ControlFlow, optimize::rewrite_rules::run_late),
    function_pass("opaque_step", Workaround, Legal, ControlFlow, workaround::opaque_step::make_steps_opaque)
        .gated(Gate::Workaround("wrong_trip_counts", |q| q.wrong_trip_counts)),
    pass("licm", Optimize, Legal, ControlFlow, optimize::licm::run)
        .gated(Gate::Tuning("lacks_licm", |q| q.lacks_licm)),
    pass("unify_returns", Structurize, Legal, Nothing, structurize::unify_returns::run).gated(
        Gate::Workaround("unreached_after_loop_returns or max_nesting", |q| {
            q.unreached_after_loop_returns || q.max_nesting.is_some()
        }),
    ),
    pass("resume_loops", Workaround, Legal, Nothing, workaround::resume_loops::run)
        .gated(Gate::Workaround("max_iterations", |q| q.max_iterations.is_some())),
    pass("unify_loop_exits", Structurize, Legal, Nothing, structurize::unify_loop_exits::run)
        .gated(Gate::Workaround("stale_loop_values", |q| q.stale_loop_values)),
    pass("group_loops", Workaround, Legal, Nothing, workaround::group_loops::run)
        .gated(Gate::Workaround("slow_consecutive_loops", |q| q.slow_consecutive_loops)),
    function_pass("unroll_hints", Optimize, Legal, ControlFlow, optimize::unroll::unroll_hints::mark)
        .gated(Gate::Tuning("unrolls_only_on_hint", |q| q.unrolls_only_on_hint)),
    pass("structurize", Structurize, Legal, Nothing, structurize::run),
    pass("lower_opaque", Workaround, Structured, ControlFlow, workaround::lower_opaque::run),
];
