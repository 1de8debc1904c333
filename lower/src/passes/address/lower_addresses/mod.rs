//! Explicit address lowering: every pointer becomes an offset into a base object or a device address, by the kernel's binding model.
//!
//! A base object is a [`Root`](crate::ir::Root): a buffer, a variable, or the argument block.
//! The pass handles each function in these steps:
//! 1. [`roots`] finds which roots every pointer points into.
//! 2. [`model`] chooses the binding model.
//! 3. [`block`] lays out the argument block.
//! 4. [`address`] replaces each pointer by a 32-bit offset into its one root, or by a 64-bit device address.
//! 5. [`access`] makes loads, stores and atomics into accesses of elements that their memory has.
//!
//! A buffer has views of every element type. A Workgroup or Function variable has one ([`views`]).
//!
//! ```text
//! x = *(p + i)        becomes        x = buffer_of_p.ints[i]               (descriptors)
//!                                    x = *(int *)(block.address_of_p + i * 4)  (addresses)
//! ```
//!
//! | memory | descriptor model | address model | packed model |
//! |---|---|---|---|
//! | buffer arguments, program data | offset into a StorageBuffer | device address | packed offset, into one of few StorageBuffers |
//! | `__local`, private | offset into a variable, or into the kernel's block of `__local` memory | the same | the same |
//! | argument block | words of the push constants or a buffer | the same | the same |
//!
//! Offsets are computed modulo 2^32. Vulkan binds at most 4 GiB to a descriptor, so the low half of a valid access's offset
//! is the true offset. Device addresses are computed in 64 bits.
//!
//! The pass does not expand copies of memory (`lower_memcpy` does), and it takes no function that returns a pointer.

mod access;
mod across;
mod address;
mod batch;
pub(crate) mod block;
mod context;
mod dispatch;
mod emulated;
mod encode;
mod merge;
mod model;
mod names;
mod pack;
mod roots;
#[cfg(test)]
mod tests;
mod units;
mod views;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Block, Func, Function, InstKind, KernelPlan, Module, Stage, Value, text};
use crate::kernel_info::{BindingModel, BlockSource};
use crate::transform::rewriter::{Rewriter, Site};
use context::{Context, is_pointer};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use views::{Views, has_storage};

/// Runs the pass.
///
/// # Errors
/// [`LowerError::Unsupported`] if the target lacks what the kernel's pointers need,
/// [`LowerError::NotYet`] for uses of pointers that have no lowering yet.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    for k in 0..module.kernels.len() {
        module.kernels[k].emulated = emulated::emulated_in(module, module.kernels[k].func, cx.target);
    }
    let mut analyses = Vec::new();
    let mut models = Vec::new();
    for func in module.functions.keys() {
        let name = function_name(module, func);
        let mut analysis = {
            let constants = &module.program_data.constants;
            roots::analyse(&module.functions[func], constants, module.address_bits)
        };
        merge::run(module, func, &mut analysis, &name, cx.target)?;
        let mut windows = None;
        let model = match module.kernels.iter().find(|k| k.func == func) {
            Some(kernel) => {
                let f = &module.functions[func];
                let model =
                    model::choose((kernel, f), &analysis, module.address_bits, cx.target, cx.options)?;
                if model == BindingModel::Packed {
                    windows = Some(pack::run(kernel, f, &mut analysis));
                }
                model
            }
            None => BindingModel::Descriptor,
        };
        analyses.push(analysis);
        models.push((model, windows));
    }
    let views = Views::collect(module, &analyses, cx.target);
    for ((func, analysis), (model, mut windows)) in module.functions.keys().zip(analyses).zip(models) {
        let kernel = module.kernels.iter().position(|k| k.func == func);
        let name = function_name(module, func);
        let shared_base =
            cx.target.features.shared_base && module.address_bits == 64 && model != BindingModel::Packed;
        let names = names::find(&module.functions[func], &analysis, model);
        let block = match kernel {
            Some(k) => {
                let addresses = (&analysis, &names.addresses);
                let how = (model, shared_base, cx.options.batch);
                block::plan(&module.kernels[k], &module.functions[func], addresses, how, cx.target)
            }
            None => block::BlockPlan::default(),
        };
        if let Some(windows) = &mut windows {
            windows.count = block.windows();
        }
        let in_batch = cx.options.batch && kernel.is_some_and(|k| batch::takes_record(&module.kernels[k]));
        let guarded = in_batch && batch::is_guarded(&module.functions[func]);
        let tags_buffers = analysis.tags_buffers(module.address_bits) && model != BindingModel::Packed;
        let context = Context {
            name,
            target: cx.target,
            model,
            address_bits: module.address_bits,
            views: views.of_function(func, &analysis),
            mixed: views.mixed(func),
            info: analysis.info,
            merged: analysis.merged,
            numbers: names.numbers,
            tags_buffers,
            nameless: Cell::new(None),
            block,
            linear_groups: module.linear_groups,
            local_size: kernel
                .and_then(|k| module.kernels[k].reqd_work_group_size)
                .filter(|_| !module.non_uniform && module.work_item_loops.is_none()),
            windows: windows.as_ref().map_or(0, |w| w.count),
            arena: kernel.and_then(|k| module.kernels[k].local_arena.clone()),
            shared_base,
        };
        context.check_range()?;
        rewrite(&mut module.functions[func], &context)?;
        if let Some(k) = kernel {
            let (kernel, mut block) = (&mut module.kernels[k], context.block.block);
            if in_batch {
                batch::run(&mut module.functions[func], (kernel, module.linear_groups), &mut block, guarded)?;
            }
            kernel.plan = Some(KernelPlan { model, block, windows });
        }
    }
    module.stage = Stage::Resolved;
    Ok(())
}

fn function_name(module: &Module, func: Func) -> String {
    let kernel = module.kernels.iter().find(|k| k.func == func);
    kernel.map_or_else(|| module.functions[func].name.clone(), |k| k.name.clone())
}

/// Rewrites one function.
fn rewrite(f: &mut Function, cx: &Context<'_>) -> Result<(), LowerError> {
    let mut state = address::Pointers::default();
    state.replace_params(f, cx);
    let cfg = f.cfg();
    // In a block that is never executed a pointer may be used before its definition.
    let check_met =
        |f: &Function, state: &address::Pointers, block: Block, at: &dyn Fn(&Function) -> String| {
            let unmet = state.take_unmet().filter(|_| cfg.is_reachable(block));
            unmet.map_or(Ok(()), |value| {
                let message =
                    format!("{}: the pointer {value} is not rewritten before its use {}", cx.name, at(f));
                Err(LowerError::Bug { pass: "lower_addresses", message })
            })
        };
    let layout = std::mem::take(&mut f.layout);
    let mut map = FxHashMap::default();
    let mut done = Vec::with_capacity(layout.len());
    for block in &layout {
        let insts = std::mem::take(&mut f.blocks[*block].insts);
        let mut rw = Rewriter::new(f);
        rw.reserve(insts.len());
        let mut site = Site { at: *block, done };
        for inst in insts {
            rw.at(inst);
            rewrite_inst(&mut rw, inst, cx, &mut state, &mut site, &mut map)?;
            check_met(rw.f, &state, *block, &|f| format!("in `{}`", text::inst_to_string(f, inst)))?;
        }
        state.rewrite_terminator(&mut rw, site.at, cx)?;
        check_met(rw.f, &state, *block, &|_| format!("at the end of {block}"))?;
        site.finish(&mut rw);
        done = site.done;
    }
    f.layout = done;
    // The addresses of arguments are loaded once, at the start of the function.
    let entry = f.entry();
    let mut insts = state.take_prologue();
    insts.append(&mut f.blocks[entry].insts);
    f.blocks[entry].insts = insts;
    f.replace_uses(&map);
    match cx.nameless.get() {
        Some(root) => Err(cx.bug(format!("no name for {root:?}"))),
        None => Ok(()),
    }
}

/// Rewrites one instruction. Pointer arithmetic is recorded, accesses become accesses of elements, the rest stays.
fn rewrite_inst(
    rw: &mut Rewriter<'_>,
    inst: crate::ir::Inst,
    cx: &Context<'_>,
    state: &mut address::Pointers,
    site: &mut Site,
    map: &mut FxHashMap<Value, Value>,
) -> Result<(), LowerError> {
    if is_plain(&rw.f.insts[inst].kind) {
        rw.keep(inst);
        return Ok(());
    }
    let kind = rw.f.insts[inst].kind.clone();
    let result = rw.f.insts[inst].results.first().copied();
    let new = match kind {
        InstKind::RootAddr(_)
        | InstKind::PtrAdd { .. }
        | InstKind::PtrOffset { .. }
        | InstKind::PtrCast(_)
        | InstKind::PtrToSpace(_)
        | InstKind::IntToPtr(_) => return state.arithmetic(rw, inst, cx),
        InstKind::Select(..) | InstKind::Bitcast(_) if result.is_some_and(|r| is_pointer(rw.f, r)) => {
            return state.arithmetic(rw, inst, cx);
        }
        InstKind::PtrToInt(pointer) => state.integer(rw, pointer, result, cx)?,
        InstKind::PtrFence(pointer) => Some(state.fence(rw, pointer, cx)),
        InstKind::PtrDiff(a, b) => {
            let ty = result.map_or(cx.int(), |r| rw.f.ty(r));
            Some(state.difference(rw, (a, b), ty, cx))
        }
        InstKind::ICmp(cc, a, b) if state.is_pointer(rw.f, a) || state.is_pointer(rw.f, b) => {
            Some(state.compare(rw, cc, (a, b), cx))
        }
        InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. } => {
            access::rewrite(rw, inst, cx, state, site)?
        }
        InstKind::SamplerBits(arg) => Some(block::sampler(rw, arg, cx)),
        InstKind::ArgumentSize(arg) => Some(block::argument_memory(rw, BlockSource::ArgumentSize(arg), cx)),
        InstKind::ArgumentContent(arg) => {
            Some(block::argument_memory(rw, BlockSource::ArgumentContent(arg), cx))
        }
        InstKind::ArgumentShadow(arg) => {
            Some(block::argument_memory(rw, BlockSource::ArgumentShadow(arg), cx))
        }
        InstKind::ArgumentBefore(arg) => {
            Some(block::argument_memory(rw, BlockSource::ArgumentBefore(arg), cx))
        }
        InstKind::Image { .. } => match block::image(rw, inst, cx)? {
            None => {
                rw.keep(inst);
                return Ok(());
            }
            new => new,
        },
        InstKind::WorkItem(item, dim) => Some(block::work_item(rw, item, dim, cx)),
        InstKind::Copy { .. } => return Err(cx.not_yet("a copy of memory that was not expanded")),
        InstKind::ExtInst { .. } => return Err(cx.not_yet("a library function that takes a pointer")),
        _ => {
            rw.keep(inst);
            return Ok(());
        }
    };
    if let (Some(old), Some(new)) = (result, new) {
        map.insert(old, new);
    }
    Ok(())
}

/// Returns whether an instruction has no pointers, whatever its operands are.
fn is_plain(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Binary(..)
            | InstKind::Unary(..)
            | InstKind::FCmp(..)
            | InstKind::Convert { .. }
            | InstKind::Construct(_)
            | InstKind::Extract(..)
            | InstKind::Insert { .. }
            | InstKind::Shuffle(..)
            | InstKind::Glsl { .. }
            | InstKind::Fma(..)
    )
}
