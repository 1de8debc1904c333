//! Remainder guards: work-items beyond the end of a dispatch return at once.
//!
//! A launch without a work-group size then takes one of few sizes, whatever the global size is, and needs few pipelines. The last
//! work-groups may reach beyond the NDRange.
//!
//! ```text
//! kernel k { … }        becomes        kernel k { if (size != 0 && id >= size) return; … }
//! ```
//!
//! `id` is Vulkan's global invocation id, and `size` is a word of the argument block ([`WorkItem::DispatchSize`]). It is 0 for dispatches
//! without such work-items. There is a guard for each dimension whose ids the kernel reads; the work-group size is 1 in the others.
//!
//! Kernels that may notice their work-group have no guard ([`notices_work_group`]). Others notice nothing: the work-items that are left
//! are exactly those of the NDRange.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, BranchTarget, BuiltinInput, Func, Function, InstKind, IntCC, Module, Place, Root, Space,
    Terminator, Type, Value, WorkItem,
};
use crate::passes::optimize::inline;
use crate::transform::split::split_entry;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Runs the pass.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    // Sub-groups and work-item loops are dispatched in one dimension.
    if module.linear_groups || module.work_item_loops.is_some() {
        return Ok(());
    }
    for index in 0..module.kernels.len() {
        let kernel = &module.kernels[index];
        let sized = kernel.reqd_work_group_size.is_some() || kernel.required_sub_groups.is_some();
        // Work-items that resume are counted by work-groups.
        if sized || kernel.resumes.is_some() || notices_work_group(module, kernel.func) {
            continue;
        }
        // A fence is a barrier in WGSL, which all work-items must reach.
        if cx.target.features.wgsl && has_fence(module, kernel.func) {
            continue;
        }
        let func = kernel.func;
        // In a batch a kernel with a few work-items has as many work-groups as one with many.
        let dims = match cx.options.batch {
            true => [true; 3],
            false => dimensions_read(&module.functions[func]),
        };
        if dims != [false; 3] {
            guard(&mut module.functions[func], dims);
        }
    }
    Ok(())
}

/// The dimensions whose global ids a kernel reads. Functions that are not inlined contain no work-item functions.
fn dimensions_read(f: &Function) -> [bool; 3] {
    let mut dims = [false; 3];
    for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
        match f.insts[*inst].kind {
            InstKind::WorkItem(WorkItem::GlobalLinearId, _) => dims = [true; 3],
            InstKind::WorkItem(WorkItem::GlobalId, dim)
            | InstKind::Input(BuiltinInput::GlobalInvocationId, dim) => {
                dims[usize::from(dim.min(2))] = true;
            }
            _ => {}
        }
    }
    dims
}

/// Returns whether a kernel has a fence.
fn has_fence(module: &Module, kernel: Func) -> bool {
    any_inst(module, kernel, |kind| matches!(kind, InstKind::MemBarrier { .. }))
}

/// Returns whether the results of a kernel may depend on its work-groups' sizes or ids, on which work-items are in one work-group, or on
/// all of them taking part: it has barriers, group operations, local memory, or asks for such ids and sizes.
fn notices_work_group(module: &Module, kernel: Func) -> bool {
    any_inst(module, kernel, |kind| shows_work_group(module, kind))
}

/// Returns whether a kernel, or what it calls, has an instruction of some kind. A function without code may have any.
fn any_inst(module: &Module, kernel: Func, is: impl Fn(&InstKind) -> bool) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![kernel];
    while let Some(func) = work.pop() {
        if !seen.insert(func) {
            continue;
        }
        let Some(f) = module.functions.get(func) else { return true };
        let mut insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
        if insts.any(|inst| is(&f.insts[*inst].kind)) {
            return true;
        }
        work.extend(inline::calls(f));
    }
    false
}

fn shows_work_group(module: &Module, kind: &InstKind) -> bool {
    let local = |root: Root| match root {
        Root::Global(var) => module.globals.get(var).is_none_or(|v| v.space == Space::Local),
        root => matches!(root, Root::LocalArg(_) | Root::LocalArena),
    };
    match kind {
        InstKind::WorkItem(item, _) => !matches!(
            item,
            WorkItem::GlobalId
                | WorkItem::GlobalLinearId
                | WorkItem::GlobalSize
                | WorkItem::GlobalSizeHigh
                | WorkItem::GlobalOffset
                | WorkItem::GlobalOffsetHigh
                | WorkItem::GlobalStart
                | WorkItem::GlobalStartHigh
                | WorkItem::WorkDim
        ),
        InstKind::Input(input, _) => *input != BuiltinInput::GlobalInvocationId,
        InstKind::WorkgroupSize(_) | InstKind::Group { .. } | InstKind::Barrier { .. } => true,
        InstKind::RootAddr(root) => local(*root),
        kind => matches!(kind.place(), Some(Place::Element { root, .. }) if local(root)),
    }
}

/// Puts the guard before a kernel's code.
fn guard(f: &mut Function, dims: [bool; 3]) {
    let entry = f.entry();
    let start = split_entry(f);
    // It dominates the blocks that follow the entry.
    f.layout.pop();
    f.layout.insert(1, start);
    let zero = f.iconst(Type::I32, 0);
    let mut beyond: Option<Value> = None;
    for dim in (0..3u8).filter(|d| dims[usize::from(*d)]) {
        let size = f.append(entry, InstKind::WorkItem(WorkItem::DispatchSize, dim), Type::I32);
        let id = f.append(entry, InstKind::Input(BuiltinInput::GlobalInvocationId, dim), Type::I32);
        let ends = f.append(entry, InstKind::ICmp(IntCC::Ne, size, zero), Type::BOOL);
        let behind = f.append(entry, InstKind::ICmp(IntCC::Ule, size, id), Type::BOOL);
        let both = f.append(entry, InstKind::Binary(BinaryOp::And, ends, behind), Type::BOOL);
        beyond = Some(match beyond {
            None => both,
            Some(other) => f.append(entry, InstKind::Binary(BinaryOp::Or, other, both), Type::BOOL),
        });
    }
    let to = |block| BranchTarget { block, args: SmallVec::new() };
    let Some(cond) = beyond else {
        f.blocks[entry].term = Terminator::Branch(to(start));
        return;
    };
    let leave = f.new_block();
    f.blocks[leave].term = Terminator::Return(SmallVec::new());
    f.blocks[entry].term = Terminator::CondBranch { cond, then: to(leave), els: to(start) };
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;
    use crate::pipeline::run_pass;
    use crate::{LowerOptions, Target};

    /// The guarded dimensions of a kernel with these instructions.
    fn guarded(kernel: &str, body: &str) -> [bool; 3] {
        let text = format!(
            "module read bits=64\nkernel \"k\" f0{kernel}\n  arg \"p\" \"int*\" () pointer global\n\
             func f0 \"k\" returns ()\nb0():\n  v100: ptr.global = rootaddr arg0\n{body}  return()\n"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        run_pass("guard_remainders", &mut module, &Target::minimum(), &LowerOptions::default())
            .expect("runs");
        let text = module.to_string();
        [0, 1, 2].map(|d| text.contains(&format!("workitem.dispatchsize {d}")))
    }

    #[test]
    fn kernels_that_notice_no_work_group_are_guarded() {
        let id = |d: u8| format!("  v{d}: i32 = workitem.globalid {d}\n  store [v100], v{d}, align=4\n");
        assert_eq!(guarded("", &id(0)), [true, false, false]);
        assert_eq!(guarded("", &(id(0) + &id(2))), [true, false, true]);
        assert_eq!(guarded("", "  v0: i32 = workitem.globallinearid 0\n"), [true; 3]);
        let size = "  v9: i32 = workitem.globalsize 0\n  store [v100], v9, align=4\n";
        assert_eq!(guarded("", size), [false; 3], "no ids");
        assert_eq!(guarded("", &(id(0) + size)), [true, false, false]);
        for shows in ["localid", "groupid", "localsize", "enqueuedlocalsize", "numgroups", "locallinearid"] {
            assert_eq!(guarded("", &format!("{}  v9: i32 = workitem.{shows} 0\n", id(0))), [false; 3]);
        }
        assert_eq!(guarded(" reqd=(8, 1, 1)", &id(0)), [false; 3]);
        // Blocks after the entry: the verifier looks at their order.
        let branches = "  v0: i32 = workitem.globalid 1\n  v1: bool = icmp.ult v0, i32:5\n  condbr v1, b1(), b2()\nb1():\n  \
                        store [v100], v0, align=4\n  br b2()\nb2():\n";
        assert_eq!(guarded("", branches), [false, true, false]);
    }
}
