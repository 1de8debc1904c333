//! The packed binding model: many buffers behind few descriptors ([`Windows`]), on devices without addresses.
//!
//! All buffers of a kernel become one root, [`Root::Places`]. An offset in it is a *packed offset*.
//! A pointer into any buffer is thus 32 bits, and null is 0.
//! A pointer that another kernel stored in memory is valid here, too.
//!
//! Each access falls into one of the windows.
//! Comparisons with the windows' starts find which one, unless the launch has one window only.

use super::address::{Base, Linear, Pointers, write_out};
use super::block::images;
use super::context::Context;
use super::roots::{Analysis, is_buffer};
use crate::ir::{
    BinaryOp, Function, InstKind, IntCC, KernelArgKind, KernelData, Place, Root, Space, Type, Value,
    WindowPlan,
};
use crate::kernel_info::Windows;
use crate::target::TargetLimits;
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;

/// Buffers, and sub-buffers that are arguments, begin at a multiple of this.
const STEP: u64 = 16;

/// The maximum number of windows of a kernel with this many images. The argument block may take a storage buffer, too.
pub(super) fn max_windows(limits: &TargetLimits, images: usize, block_in_buffer: bool) -> u32 {
    let resources = (limits.max_per_stage_resources as usize).saturating_sub(images) as u32;
    let buffers = limits.max_per_stage_descriptor_storage_buffers.min(resources);
    buffers.saturating_sub(block_in_buffer.into()).clamp(1, Windows::MAX)
}

/// Merges all buffers into one root.
pub(super) fn run(kernel: &KernelData, f: &Function, analysis: &mut Analysis) -> WindowPlan {
    let mut plan = uses(kernel, f, analysis);
    plan.follows_pointers = analysis.needs_addresses;
    plan.stores_pointers = analysis.escapes || (images(kernel) > 0 && makes_integers(f));
    plan.count = 1;
    for info in analysis.info.values_mut() {
        for root in info.roots.iter().filter(|r| is_buffer(**r)) {
            analysis.merged.insert(*root, (Root::Places, 0));
        }
        // An address that no root explains is a packed offset.
        if std::mem::take(&mut info.address) {
            info.roots.push(Root::Places);
            info.roots.sort();
            info.roots.dedup();
        }
    }
    plan
}

/// Returns whether pointers are made integers. Such integers are not followed through images.
fn makes_integers(f: &Function) -> bool {
    let mut insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
    insts.any(|inst| matches!(f.insts[*inst].kind, InstKind::PtrToInt(_)))
}

/// The arguments that the kernel reads and writes.
fn uses(kernel: &KernelData, f: &Function, analysis: &Analysis) -> WindowPlan {
    let mut plan = WindowPlan::default();
    for inst in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
        let kind = &f.insts[*inst].kind;
        let Some(Place::Pointer(pointer)) = kind.place() else { continue };
        let Some(info) = analysis.info.get(&pointer) else { continue };
        let (reads, writes) =
            (!matches!(kind, InstKind::Store { .. }), !matches!(kind, InstKind::Load { .. }));
        for (n, arg) in (0..).zip(&kernel.args) {
            let space = match arg.kind {
                KernelArgKind::Pointer { space: space @ (Space::Global | Space::Constant), .. } => space,
                // An image is a buffer here, or has none.
                KernelArgKind::Image(_) => Space::Global,
                _ => continue,
            };
            if info.address || info.roots.contains(&Root::Arg(n)) {
                plan.read.extend(reads.then_some(n));
                plan.written.extend((writes && space == Space::Global).then_some(n));
            }
        }
    }
    plan
}

impl Pointers {
    /// A pointer to the start of a buffer.
    pub(super) fn start_of(&mut self, f: &mut Function, root: Root, cx: &Context<'_>) -> Linear {
        let steps = self.in_steps(f, root, cx);
        Linear::scaled(Base::Root(Root::Places), steps, STEP)
    }

    /// The windows that an access may fall into, by number, and the value that selects one.
    pub(super) fn windows(
        &mut self,
        rw: &mut Rewriter<'_>,
        at: &Linear,
        cx: &Context<'_>,
    ) -> (Value, SmallVec<[(u64, Linear); 2]>) {
        let count = cx.windows.max(1);
        let starts: SmallVec<[Value; 4]> =
            (0..count).map(|n| self.in_steps(rw.f, Root::Window(n), cx)).collect();
        let mut which = rw.iconst(Type::I32, 0);
        if count > 1 {
            let offset = write_out(rw, &at.on(Base::Null), Type::I32);
            let steps = rw.binary_const(BinaryOp::LShr, offset, STEP.trailing_zeros().into());
            for (n, start) in (0u64..).zip(&starts).skip(1) {
                let beyond = rw.icmp(IntCC::Uge, steps, *start);
                let n = rw.iconst(Type::I32, n);
                which = rw.inst(InstKind::Select(beyond, n, which), Type::I32);
            }
            let (several, first) = (rw.inst(InstKind::SeveralWindows, Type::BOOL), rw.iconst(Type::I32, 0));
            which = rw.inst(InstKind::Select(several, which, first), Type::I32);
        }
        let within = |(n, start): (u64, &Value)| {
            let in_window = at.on(Base::Root(Root::Window(n as u32)));
            (n, in_window.with_term(*start, STEP.wrapping_neg()))
        };
        (which, (0..).zip(&starts).map(within).collect())
    }
}
