//! Pointers become places: the address-space work.
//!
//! For each kernel this pass finds which root every pointer points into ([`roots`]), chooses the
//! binding model, lays out the argument block ([`block`]), and replaces every pointer value by what is
//! left of it: a 32-bit byte offset into its one root, or a 64-bit device address ([`address`]). Loads,
//! stores and atomics become accesses of elements that their memory can have ([`access`]): a buffer has
//! views of every element type, a Workgroup or Function variable has one ([`views`]).
//!
//! | memory | descriptor model | address model |
//! |---|---|---|
//! | buffer arguments, program data | offset into a StorageBuffer | device address |
//! | `__local`, private | offset into a variable | the same |
//! | argument block | words of the push constants or a buffer | the same |
//!
//! Offsets are computed modulo 2^32: Vulkan binds at most 4 GiB to a descriptor, so the true offset of
//! a valid access is what the low half says. Device addresses are computed in 64 bits.

mod access;
mod address;
mod block;
mod roots;
mod views;

use super::{PassContext, rewrite::Rewriter};
use crate::error::LowerError;
use crate::ir::{Func, Function, InstKind, KernelPlan, Module, Root, Space, Stage, Type, Value};
use crate::kernel_info::BindingModel;
use crate::target::Target;
use crate::{BindingChoice, LowerOptions};
use roots::PointerInfo;
use rustc_hash::{FxHashMap, FxHashSet};
use views::{View, Views};

/// What rewriting a function needs to know.
pub(super) struct Context<'a> {
    /// Messages name it.
    name: String,
    target: &'a Target,
    model: BindingModel,
    /// Address width of the module.
    address_bits: u32,
    info: FxHashMap<Value, PointerInfo>,
    views: FxHashMap<Root, View>,
    /// Buffers and element sizes that integers of that size stand for.
    mixed: FxHashSet<(Root, u32)>,
    /// Roots that were merged into one, and where they lie in it.
    merged: FxHashMap<Root, (Root, u64)>,
    block: block::BlockPlan,
    /// The `__local` arguments in the arena, in order.
    arena: Vec<u32>,
}

impl Context<'_> {
    /// The error for a construct that is not there yet.
    fn not_yet(&self, what: impl Into<String>) -> LowerError {
        LowerError::NotYet { kernel: self.name.clone(), what: what.into() }
    }

    /// The error for something that the device lacks.
    fn unsupported(&self, needs: impl Into<String>) -> LowerError {
        LowerError::Unsupported {
            kernel: self.name.clone(),
            device: self.target.name.clone(),
            needs: needs.into(),
        }
    }

    /// The root, after merging, and the offset in it.
    fn root(&self, root: Root) -> (Root, u64) {
        self.merged.get(&root).copied().unwrap_or((root, 0))
    }

    /// Whether pointers into this root are device addresses.
    fn is_address(&self, root: Root) -> bool {
        self.model == BindingModel::Address && roots::is_buffer(root)
    }
}

/// Runs the pass.
///
/// # Errors
/// [`LowerError::Unsupported`] when the Target lacks what the kernel's pointers need,
/// [`LowerError::NotYet`] for uses of pointers that have no lowering yet.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let mut analyses = Vec::new();
    for func in module.functions.keys() {
        let name = function_name(module, func);
        let analysis = roots::analyse(&module.functions[func], &name)?;
        analyses.push(roots::merge(module, func, analysis, &name)?);
    }
    let views = Views::collect(module, &analyses, cx.target)?;
    for (func, analysis) in module.functions.keys().zip(analyses) {
        let kernel = module.kernels.iter().position(|k| k.func == func);
        let name = function_name(module, func);
        let model = match kernel {
            Some(_) => choose_model(&analysis, cx.target, cx.options, &name)?,
            None => BindingModel::Descriptor,
        };
        let block = match kernel {
            Some(k) => block::plan(&module.kernels[k], &module.functions[func], &analysis, model, cx.target),
            None => block::BlockPlan::default(),
        };
        let context = Context {
            name,
            target: cx.target,
            model,
            address_bits: module.address_bits,
            views: views.of(func, &analysis),
            mixed: views.mixed(func),
            info: analysis.info,
            merged: analysis.merged,
            block,
            arena: kernel
                .and_then(|k| module.kernels[k].local_arena.as_ref())
                .map_or_else(Vec::new, |arena| arena.args.clone()),
        };
        rewrite(&mut module.functions[func], &context)?;
        if let Some(k) = kernel {
            module.kernels[k].plan = Some(KernelPlan { model, block: context.block.block });
        }
    }
    module.stage = Stage::Resolved;
    Ok(())
}

fn function_name(module: &Module, func: Func) -> String {
    let kernel = module.kernels.iter().find(|k| k.func == func);
    kernel.map_or_else(|| module.functions[func].name.clone(), |k| k.name.clone())
}

/// Descriptors or addresses: what the caller asks, else addresses where the device has them and is no
/// CPU (there descriptors are faster), else descriptors.
fn choose_model(
    analysis: &roots::Analysis,
    target: &Target,
    options: &LowerOptions,
    name: &str,
) -> Result<BindingModel, LowerError> {
    let unsupported = |needs: &str| LowerError::Unsupported {
        kernel: name.to_owned(),
        device: target.name.clone(),
        needs: needs.to_owned(),
    };
    const ADDRESSES: &str = "device addresses (bufferDeviceAddress with shaderInt64)";
    match options.binding {
        BindingChoice::Fixed(BindingModel::Address) if !target.has_address_model() => {
            Err(unsupported(&format!("--binding address needs {ADDRESSES}")))
        }
        BindingChoice::Fixed(BindingModel::Descriptor) if analysis.needs_addresses => {
            Err(LowerError::NotYet {
                kernel: name.to_owned(),
                what:
                    "a global pointer that is stored in memory, made from an integer, or chosen between two \
                   buffers cannot be a descriptor: use the address model"
                        .to_owned(),
            })
        }
        BindingChoice::Fixed(model) => Ok(model),
        BindingChoice::Auto if analysis.needs_addresses && !target.has_address_model() => Err(unsupported(
            &format!("a pointer stored in memory or chosen between two buffers needs {ADDRESSES}"),
        )),
        BindingChoice::Auto if analysis.needs_addresses => Ok(BindingModel::Address),
        // One descriptor for each buffer, and one for an argument block that exceeds the push constants.
        BindingChoice::Auto
            if target.has_address_model()
                && block::address_sources(analysis).len()
                    >= target.limits.max_per_stage_descriptor_storage_buffers as usize =>
        {
            Ok(BindingModel::Address)
        }
        BindingChoice::Auto if target.has_address_model() && !target.prefers_descriptors() => {
            Ok(BindingModel::Address)
        }
        BindingChoice::Auto => Ok(BindingModel::Descriptor),
    }
}

/// Rewrites one function.
fn rewrite(f: &mut Function, cx: &Context<'_>) -> Result<(), LowerError> {
    let mut state = address::Pointers::default();
    state.replace_params(f, cx);
    let layout = f.layout.clone();
    let mut map = FxHashMap::default();
    let mut prologue = Vec::new();
    for block in &layout {
        let insts = std::mem::take(&mut f.blocks[*block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            rewrite_inst(&mut rw, inst, cx, &mut state, &mut map)?;
        }
        state.rewrite_terminator(&mut rw, *block, cx)?;
        let insts = rw.take();
        if *block == layout[0] {
            prologue = insts;
        } else {
            f.blocks[*block].insts = insts;
        }
    }
    // The addresses of arguments are loaded once, at the start.
    let mut entry = state.take_prologue();
    entry.extend(prologue);
    f.blocks[layout[0]].insts = entry;
    f.replace_uses(&map);
    Ok(())
}

/// Rewrites one instruction: pointer arithmetic is remembered, accesses become places, the rest stays.
fn rewrite_inst(
    rw: &mut Rewriter<'_>,
    inst: crate::ir::Inst,
    cx: &Context<'_>,
    state: &mut address::Pointers,
    map: &mut FxHashMap<Value, Value>,
) -> Result<(), LowerError> {
    let kind = rw.f.insts[inst].kind.clone();
    let result = rw.f.insts[inst].results.first().copied();
    let new = match kind {
        InstKind::RootAddr(_)
        | InstKind::PtrAdd { .. }
        | InstKind::PtrOffset { .. }
        | InstKind::PtrCast(_)
        | InstKind::IntToPtr(_) => return state.arithmetic(rw, inst, cx),
        InstKind::Select(..) | InstKind::Bitcast(_) if result.is_some_and(|r| is_pointer(rw.f, r)) => {
            return state.arithmetic(rw, inst, cx);
        }
        InstKind::PtrToInt(pointer) => state.to_integer(rw, pointer, result, cx)?,
        InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. } => {
            access::rewrite(rw, inst, cx, state)?
        }
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

/// Whether a value is a pointer.
fn is_pointer(f: &Function, value: Value) -> bool {
    matches!(f.ty(value), Type::Ptr(_))
}

/// Whether a space holds buffers.
fn is_buffer_space(space: Space) -> bool {
    matches!(space, Space::Global | Space::Constant | Space::Generic)
}
