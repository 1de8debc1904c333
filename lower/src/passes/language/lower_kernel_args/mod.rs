//! Lowering of kernel arguments and attributes: pointer and image parameters become base objects, values become loads from the argument block
//! and known group sizes become constants.
//!
//! The kernel's function has no parameters after this pass.
//!
//! ```text
//! func k(v0: ptr.global, v1: i32)        becomes        v0 = rootaddr arg0; v1 = load argument block
//! ```
//!
//! The block starts with the value arguments in order ([`value_offsets`]). `lower_addresses` appends the other members.
//!
//! The kernel's attributes and the target fix sizes of groups, which become constants ([`group_sizes`]).
//!
//! A target may have images in buffers. Their texels become accesses of the argument's buffer ([`images_in_buffers`]).

mod group_sizes;
mod images_in_buffers;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    Function, ImageRef, InstKind, KernelArg, KernelArgKind, KernelData, MemFlags, Module, Place, Root,
    SlotData, Space, Type, Value,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;

/// The offset of each value argument in the argument block, and the end of the last one. Pointers have no offset.
/// An argument keeps its own alignment, between 4 and 16 bytes.
pub fn value_offsets(args: &[KernelArg]) -> (Vec<Option<u32>>, u32) {
    let mut end = 0u32;
    let offsets = args
        .iter()
        .map(|arg| match arg.kind {
            KernelArgKind::Value { size, align, .. } => {
                let offset = end.next_multiple_of(align.clamp(4, 16));
                end = offset + size.next_multiple_of(4);
                Some(offset)
            }
            KernelArgKind::Pointer { .. } | KernelArgKind::Image(_) | KernelArgKind::Sampler => None,
        })
        .collect();
    (offsets, end)
}

/// Runs the pass.
///
/// # Errors
/// [`LowerError::InvalidModule`] if a kernel's parameters do not match its arguments.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    for kernel in &module.kernels {
        let f = &mut module.functions[kernel.func];
        let entry = f.entry();
        let params = std::mem::take(&mut f.blocks[entry].params);
        let old = std::mem::take(&mut f.blocks[entry].insts);
        let mut rw = Rewriter::new(f);
        let mut params = params.into_iter();
        let (mut map, mut images) = (FxHashMap::default(), FxHashMap::default());
        let (offsets, _) = value_offsets(&kernel.args);
        for (n, (arg, offset)) in kernel.args.iter().zip(offsets).enumerate() {
            let n = n as u32;
            if let KernelArgKind::Image(_) = arg.kind {
                images.insert(params.next().ok_or_else(|| mismatch(kernel))?, n);
                continue;
            }
            make_argument(&mut rw, kernel, n, arg, offset, &mut params, &mut map)?;
        }
        if params.next().is_some() {
            return Err(mismatch(kernel));
        }
        let mut insts = rw.take();
        insts.extend(old);
        f.blocks[entry].insts = insts;
        f.replace_uses(&map);
        name_images(f, &images, &kernel.name)?;
        if !images.is_empty() && cx.target.features.images_in_buffers() {
            images_in_buffers::lower(f);
        }
        for (old, new) in map {
            if let Some(name) = f.names.remove(&old) {
                f.names.insert(new, name);
            }
        }
        group_sizes::fold(f, kernel.reqd_work_group_size, module.non_uniform, cx.target);
    }
    Ok(())
}

/// Replaces image parameters by the names of their arguments. OpenCL C has no other use of images (§6.3.3).
fn name_images(f: &mut Function, images: &FxHashMap<Value, u32>, kernel: &str) -> Result<(), LowerError> {
    if images.is_empty() && !f.values.values().any(|v| matches!(v.ty, Type::Opaque(_))) {
        return Ok(());
    }
    let chosen = || LowerError::NotYet {
        kernel: kernel.to_owned(),
        what: "an image that is not an argument of the kernel".to_owned(),
    };
    for block in f.layout.clone() {
        for inst in f.blocks[block].insts.clone() {
            if let InstKind::Image { image, .. } = &mut f.insts[inst].kind
                && let ImageRef::Value(value) = image
            {
                *image = ImageRef::Arg(*images.get(value).ok_or_else(chosen)?);
            }
            if f.insts[inst].kind.values().any(|v| images.contains_key(&v)) {
                return Err(chosen());
            }
        }
        let others = f.blocks[block].term.values().any(|v| images.contains_key(&v));
        let opaque = |v: &Value| matches!(f.ty(*v), Type::Opaque(_));
        if others || f.blocks[block].params.iter().any(opaque) {
            return Err(chosen());
        }
    }
    Ok(())
}

fn mismatch(kernel: &KernelData) -> LowerError {
    LowerError::InvalidModule(format!("kernel '{}': its parameters do not match its arguments", kernel.name))
}

/// Emits the replacement of one argument's parameters.
fn make_argument(
    rw: &mut Rewriter<'_>,
    kernel: &KernelData,
    n: u32,
    arg: &KernelArg,
    offset: Option<u32>,
    params: &mut impl Iterator<Item = Value>,
    map: &mut FxHashMap<Value, Value>,
) -> Result<(), LowerError> {
    let mut next = || params.next().ok_or_else(|| mismatch(kernel));
    let block = Type::Ptr(Space::Block);
    match &arg.kind {
        KernelArgKind::Pointer { space, .. } => {
            let param = next()?;
            let ty = rw.f.ty(param);
            if ty != Type::Ptr(*space) {
                return Err(mismatch(kernel));
            }
            let root = if *space == Space::Local { Root::LocalArg(n) } else { Root::Arg(n) };
            map.insert(param, rw.inst(InstKind::RootAddr(root), ty));
        }
        KernelArgKind::Image(_) => {}
        KernelArgKind::Sampler => {
            let param = next()?;
            if rw.f.ty(param) != Type::I32 {
                return Err(mismatch(kernel));
            }
            map.insert(param, rw.inst(InstKind::SamplerBits(n), Type::I32));
        }
        KernelArgKind::Value { leaves: Some(leaves), .. } => {
            for leaf in leaves {
                let param = next()?;
                let at = u64::from(offset.unwrap_or(0) + leaf);
                let base = rw.inst(InstKind::RootAddr(Root::Block), block);
                let pointer = rw.inst(InstKind::PtrOffset { base, bytes: at as i64 }, block);
                // The block's start is aligned to words. A packed structure's member may have any offset.
                let align = if at == 0 { 4 } else { 4.min(1 << at.trailing_zeros().min(2)) };
                let flags = MemFlags { align, volatile: false };
                let ty = rw.f.ty(param);
                map.insert(param, rw.load(Place::Pointer(pointer), ty, flags));
            }
        }
        KernelArgKind::Value { size, align, leaves: None } => {
            let param = next()?;
            let name = Some(arg.name.clone());
            let slot = rw.f.slots.push(SlotData { name, size: u64::from(*size), align: *align });
            let dst = rw.inst(InstKind::RootAddr(Root::Slot(slot)), Type::Ptr(Space::Private));
            let base = rw.inst(InstKind::RootAddr(Root::Block), block);
            let src = rw.inst(InstKind::PtrOffset { base, bytes: offset.unwrap_or(0).into() }, block);
            let flags = MemFlags { align: (*align).min(4), volatile: false };
            rw.void(InstKind::Copy { dst, src, bytes: u64::from(*size), flags });
            map.insert(param, dst);
        }
    }
    Ok(())
}
