//! Zeroed memory: private variables and `__local` memory hold zeros when a kernel begins, if the context asks for it.
//!
//! ```text
//! kernel k { … }        becomes        kernel k { variables = 0; for (n = id; n < count; n += size) local[n] = 0; barrier; … }
//! ```
//!
//! The contexts are those of cl_khr_initialize_memory ([`Zeroed`](crate::Zeroed)). Private variables are stored to at the start of their functions, before promotion. The
//! work-items of a work-group store to its `__local` memory together, and a barrier follows. Undefined values become zeros, too.

use crate::analysis::linear::Base;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, Constant, ConvertOp, Func, Function, GlobalVarData, InstKind, MemFlags, Module, Place,
    Root, Scalar, Scope, Semantics, Slot, Space, Type, Value, ValueDef,
};
use crate::passes::optimize::{inline, sroa};
use crate::transform::cleanup;
use crate::transform::rewriter::{Rewriter, Site};
use crate::transform::zero::{Elements, zero_loop};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The largest number of stores to one variable. A larger one gets a loop.
const MAX_STORES: u64 = 32;

/// Runs the pass.
///
/// # Errors
/// None. All passes have this signature.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let pointer_bytes = module.address_bits / 8;
    if cx.options.zeroed.private {
        for f in module.functions.values_mut().filter(|f| !f.layout.is_empty()) {
            define_all(f);
            zero_variables(f, pointer_bytes);
        }
    }
    if cx.options.zeroed.local {
        for index in 0..module.kernels.len() {
            let func = module.kernels[index].func;
            let (objects, units) = local_memory(module, func, pointer_bytes);
            if !objects.is_empty() {
                zero_local(&mut module.functions[func], &objects, &units);
            }
        }
    }
    Ok(())
}

/// Replaces undefined values, and undefined lanes of shuffles.
fn define_all(f: &mut Function) {
    let undefined = |data: &crate::ir::ValueData| data.def == ValueDef::Const(Constant::Undef);
    let plain = |ty: Type| !matches!(ty, Type::Opaque(_));
    let found: Vec<(Value, Type)> = (0..f.values.len() as u32)
        .map(Value)
        .filter(|v| undefined(&f.values[*v]) && plain(f.ty(*v)))
        .map(|v| (v, f.ty(v)))
        .collect();
    let map: FxHashMap<Value, Value> =
        found.into_iter().map(|(v, ty)| (v, f.constant(ty, Constant::Bits(0)))).collect();
    f.replace_uses(&map);
    for n in 0..f.layout.len() {
        for inst in f.blocks[f.layout[n]].insts.clone() {
            if let InstKind::Shuffle(.., mask) = &mut f.insts[inst].kind
                && mask.iter().any(|lane| lane.is_none())
            {
                *mask = mask.iter().map(|lane| Some(lane.unwrap_or(0))).collect();
            }
        }
    }
}

/// The accesses of memory in functions: the bytes of the smallest scalar for each object, and for pointers whose object is not known.
#[derive(Default)]
struct Units {
    of: FxHashMap<Root, u32>,
    unknown: Option<u32>,
}

impl Units {
    fn gather(&mut self, f: &Function, pointer_bytes: u32) {
        for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
            let data = &f.insts[*inst];
            let ty = match &data.kind {
                InstKind::Load { .. } | InstKind::Atomic { .. } => data.results.first().map(|r| f.ty(*r)),
                InstKind::Store { value, .. } => Some(f.ty(*value)),
                _ => continue,
            };
            let Some(Place::Pointer(pointer)) = data.kind.place() else { continue };
            let bytes = ty.and_then(Type::scalar).map_or(pointer_bytes, Scalar::bytes).max(1);
            let least = match Base::of_object(f, pointer) {
                Base::Root(root) => self.of.entry(root).or_insert(bytes),
                Base::Value(_) => self.unknown.get_or_insert(bytes),
            };
            *least = bytes.min(*least);
        }
    }

    /// The integer to store to an object. Its alignment is a multiple of it.
    fn scalar(&self, root: Root, align: u32) -> Scalar {
        let bytes =
            [self.of.get(&root).copied(), self.unknown].into_iter().flatten().chain([align.max(1)]).min();
        bytes.and_then(Scalar::int).unwrap_or(Scalar::I8)
    }
}

/// Adds code at the start of a function.
fn at_entry(f: &mut Function, emit: impl FnOnce(&mut Rewriter<'_>, &mut Site)) {
    let entry = f.entry();
    let layout = std::mem::take(&mut f.layout);
    let insts = std::mem::take(&mut f.blocks[entry].insts);
    let mut site = Site { at: entry, done: Vec::new() };
    let mut rw = Rewriter::new(f);
    emit(&mut rw, &mut site);
    insts.into_iter().for_each(|inst| rw.keep(inst));
    site.finish(&mut rw);
    f.layout = site.done;
    f.layout.extend(layout.into_iter().filter(|block: &Block| *block != entry));
    cleanup::order_layout(f);
}

/// Stores zeros to the private variables of a function.
fn zero_variables(f: &mut Function, pointer_bytes: u32) {
    let slots: BTreeSet<Slot> = roots(f)
        .into_iter()
        .filter_map(|root| match root {
            Root::Slot(slot) => Some(slot),
            _ => None,
        })
        .collect();
    if slots.is_empty() {
        return;
    }
    let cfg = f.cfg();
    let known = sroa::slot_accesses(f, &cfg, pointer_bytes).accesses;
    let mut units = Units::default();
    units.gather(f, pointer_bytes);
    at_entry(f, |rw, site| {
        for slot in slots {
            let crate::ir::SlotData { size, align, .. } = rw.f.slots[slot];
            // Those of opaque types have no size.
            if size == 0 {
                continue;
            }
            let base = rw.inst(InstKind::RootAddr(Root::Slot(slot)), Type::Ptr(Space::Private));
            if let Some(accesses) = &known[slot.0 as usize] {
                // So that promotion sees whole values.
                let places: BTreeSet<(i64, Type)> = accesses.iter().map(|a| (a.offset, a.ty)).collect();
                places.into_iter().for_each(|(offset, ty)| store_zero(rw, base, (offset, ty), align));
                continue;
            }
            let scalar = units.scalar(Root::Slot(slot), align);
            let count = size / u64::from(scalar.bytes());
            let whole = count * u64::from(scalar.bytes());
            if count <= MAX_STORES {
                let offsets = (0..whole).step_by(scalar.bytes() as usize);
                offsets.for_each(|at| store_zero(rw, base, (at as i64, Type::Scalar(scalar)), align));
            } else {
                let (first, step) = (rw.iconst(Type::I32, 0), rw.iconst(Type::I32, 1));
                let count = rw.iconst(Type::I32, count);
                zero_loop(rw, site, base, Type::Scalar(scalar), Elements { first, step, count });
            }
            (whole..size).for_each(|at| store_zero(rw, base, (at as i64, Type::Scalar(Scalar::I8)), align));
        }
    });
}

/// Stores a zero of a type at an offset.
fn store_zero(rw: &mut Rewriter<'_>, base: Value, (offset, ty): (i64, Type), align: u32) {
    let at = match offset {
        0 => base,
        bytes => rw.inst(InstKind::PtrOffset { base, bytes }, Type::Ptr(Space::Private)),
    };
    let bits = 1u32 << offset.trailing_zeros().min(16);
    let element = match ty {
        Type::Ptr(_) => align,
        _ => ty.element().bytes(),
    };
    let zero = rw.f.constant(ty, Constant::Bits(0));
    let flags = MemFlags { align: bits.min(align).min(element).max(1), volatile: false };
    rw.store(Place::Pointer(at), zero, flags);
}

/// The objects whose addresses a function takes.
fn roots(f: &Function) -> FxHashSet<Root> {
    let insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    insts
        .filter_map(|inst| match f.insts[*inst].kind {
            InstKind::RootAddr(root) => Some(root),
            _ => None,
        })
        .collect()
}

/// An object in `__local` memory: the root, the bytes (none for an argument, of which the launch tells), and the alignment.
type LocalObject = (Root, Option<u64>, u32);

/// The `__local` objects of a kernel and of what it calls, with the units of their accesses.
fn local_memory(module: &Module, kernel: Func, pointer_bytes: u32) -> (Vec<LocalObject>, Units) {
    let (mut seen, mut work) = (FxHashSet::default(), vec![kernel]);
    let mut units = Units::default();
    let mut objects = BTreeSet::new();
    while let Some(func) = work.pop() {
        let Some(f) = module.functions.get(func).filter(|_| seen.insert(func)) else { continue };
        units.gather(f, pointer_bytes);
        for root in roots(f) {
            match root {
                Root::Global(var) => {
                    let data = &module.globals[var];
                    if data.space == Space::Local && data.size > 0 && !is_own(data) {
                        objects.insert((0, var.0));
                    }
                }
                Root::LocalArg(arg) => {
                    objects.insert((1, arg));
                }
                _ => {}
            }
        }
        work.extend(inline::calls(f));
    }
    let object = |(kind, n): (u32, u32)| match kind {
        0 => {
            let data = &module.globals[crate::ir::GlobalVar(n)];
            (Root::Global(crate::ir::GlobalVar(n)), Some(data.size), data.align)
        }
        _ => (Root::LocalArg(n), None, crate::target::START_ALIGNMENT),
    };
    (objects.into_iter().map(object).collect(), units)
}

/// Returns whether a variable is one of Pumice's own, through which functions of the work-group exchange values.
pub fn is_own(var: &GlobalVarData) -> bool {
    var.name.starts_with("work_group.") || var.name.starts_with("sub_group.")
}

/// Stores zeros to `__local` memory at the start of a kernel.
fn zero_local(f: &mut Function, objects: &[LocalObject], units: &Units) {
    at_entry(f, |rw, site| {
        for (root, size, align) in objects {
            let base = rw.inst(InstKind::RootAddr(*root), Type::Ptr(Space::Local));
            let mut scalar = units.scalar(*root, *align);
            if size.is_some_and(|size| !size.is_multiple_of(scalar.bytes().into())) {
                scalar = Scalar::I8;
            }
            let bytes = u64::from(scalar.bytes());
            let count = match (size, *root) {
                (None, Root::LocalArg(arg)) => {
                    let size = rw.inst(InstKind::ArgumentSize(arg), Type::I64);
                    let count = rw.binary_const(BinaryOp::LShr, size, bytes.trailing_zeros().into());
                    rw.convert(ConvertOp::Trunc, count, Type::I32)
                }
                (size, _) => rw.iconst(Type::I32, size.unwrap_or(0) / bytes),
            };
            let elements = Elements::of_work_group(rw, count);
            zero_loop(rw, site, base, Type::Scalar(scalar), elements);
        }
        rw.void(InstKind::Barrier {
            execution: Scope::Workgroup,
            memory: Scope::Workgroup,
            semantics: Semantics::LOCAL | Semantics::ACQUIRE | Semantics::RELEASE,
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;
    use crate::{LowerOptions, Target, Zeroed};

    fn zeroed(body: &str, zeroed: Zeroed) -> String {
        let head = "module read bits=64\nglobal g0 \"tile\" local size=256 align=4\nglobal g1 \"work_group.own\" local size=64 align=4\n\
                    kernel \"k\" f0\n  arg \"a\" \"int*\" () pointer global\n  arg \"b\" \"int*\" () pointer local\n";
        let mut module = parse(&format!("{head}func f0 \"k\" returns ()\n{body}")).expect("the test's IR");
        let options = LowerOptions { zeroed, ..LowerOptions::default() };
        run(&mut module, &PassContext { target: &Target::minimum(), options: &options })
            .expect("every module");
        crate::ir::verify::verify(&module).expect("right");
        module.to_string()
    }

    const LOCAL: Zeroed = Zeroed { local: true, private: false };
    const PRIVATE: Zeroed = Zeroed { local: false, private: true };

    /// Variables and arguments that the kernel names get loops, and one barrier is behind them. Pumice's own variables have none.
    #[test]
    fn local_memory_is_zeroed_together() {
        let body = "b0():\n  v0: ptr.local = rootaddr g0\n  v1: ptr.local = rootaddr localarg1\n  v2: ptr.local = rootaddr g1\n  \
                    v3: i16 = load [v1], align=2\n  store [v0], i32:1, align=4\n  store [v2], v3, align=2\n  return()\n";
        let text = zeroed(body, LOCAL);
        let count = |what: &str| text.matches(what).count();
        assert_eq!((count("condbr"), count("barrier"), count("store")), (2, 1, 4), "{text}");
        assert!(text.contains("i32:64") && text.contains("argumentsize 1"), "{text}");
        assert!(text.contains("i16:0") && text.contains("i32:0"), "{text}");
        let none =
            zeroed("b0():\n  v2: ptr.local = rootaddr g1\n  store [v2], i32:1, align=4\n  return()\n", LOCAL);
        assert!(!none.contains("barrier"), "{none}");
        assert!(!zeroed(body, PRIVATE).contains("barrier"));
    }

    /// A variable with known accesses is zeroed in their types, a small one in its units, a large one by a loop.
    #[test]
    fn private_variables_are_zeroed_at_the_start() {
        let body = "  slot s0 size=8 align=8\n  slot s1 size=12 align=4\n  slot s2 size=400 align=4\nb0():\n  \
                    v0: ptr.private = rootaddr s0\n  v1: i64 = load [v0], align=8\n  v2: ptr.private = rootaddr s1\n  \
                    v3: ptr.private = ptradd v2, v1, 4\n  v4: i32 = load [v3], align=4\n  v5: ptr.private = rootaddr s2\n  \
                    v6: ptr.private = ptradd v5, v1, 2\n  store [v6], i16:7, align=2\n  return()\n";
        let text = zeroed(body, PRIVATE);
        let count = |what: &str| text.matches(what).count();
        assert_eq!(count(", i64:0, align=8"), 1, "{text}");
        assert_eq!(count(", i32:0, align=4"), 3, "{text}");
        assert_eq!((count(", i16:0, align=2"), count("condbr")), (1, 1), "{text}");
        assert!(text.contains("i32:200"), "{text}");
        assert!(!zeroed(body, LOCAL).contains("condbr"));
    }

    /// What a module leaves undefined is zero.
    #[test]
    fn undefined_values_are_zero() {
        let body = "b0():\n  v0: ptr.global = rootaddr arg0\n  store [v0], i32:undef, align=4\n  return()\n";
        assert!(zeroed(body, LOCAL).contains("undef"));
        let text = zeroed(body, PRIVATE);
        assert!(!text.contains("undef") && text.contains("store [v0], i32:0"), "{text}");
    }
}
