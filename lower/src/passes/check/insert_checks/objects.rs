//! The object from which a pointer was derived, and the pointer's offset in it.
//!
//! Most pointers have one object in every execution; its size is a constant or a word of the launch. For the others the offset, the
//! object's size and its number are values beside the pointer: parameters of the same blocks, and selections with the same conditions.

use super::report::{NULL, Reporter, UNKNOWN};
use crate::ir::{
    BinaryOp, Block, Constant, ConvertOp, Function, InstKind, Module, Root, Scalar, Space, Type, Value,
    ValueDef,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;

/// The largest depth to which an integer is followed to a pointer.
const MAX_DEPTH: u32 = 4;
/// The offset and the size of an object of which nothing is known: no access is outside.
const ANYWHERE: (u64, u64) = (1 << 62, 1 << 63);

/// The objects that a pointer may point into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::passes::check) enum Origin {
    /// None is known yet.
    Nothing,
    /// This one.
    One(Root),
    /// No object.
    Null,
    /// Any: a pointer from memory, or of an integer.
    Unknown,
    /// One of several of these.
    Several,
}

impl Origin {
    fn join(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::Nothing, x) | (x, Origin::Nothing) => x,
            (a, b) if a == b => a,
            _ => Origin::Several,
        }
    }
}

/// The sizes of a module's variables, and the spaces in which they are.
pub(in crate::passes::check) struct Sizes {
    globals: Vec<(u64, Space)>,
    /// 32 or 64.
    address_bits: u32,
}

impl Sizes {
    pub fn new(module: &Module) -> Self {
        let globals = module.globals.values().map(|var| (var.size, var.space)).collect();
        Sizes { globals, address_bits: module.address_bits }
    }

    /// The bytes of an object, if no launch determines them.
    pub fn known(&self, f: &Function, root: Root) -> Option<u64> {
        match root {
            Root::Global(var) => self.globals.get(var.0 as usize).map(|var| var.0),
            Root::Slot(slot) => f.slots.get(slot).map(|slot| slot.size),
            _ => None,
        }
    }

    /// The bits of an address.
    pub fn address_bits(&self) -> u32 {
        self.address_bits
    }

    /// The bytes of a pointer.
    pub fn pointer_bytes(&self) -> u64 {
        u64::from(self.address_bits / 8)
    }

    /// Returns whether accesses of a root are looked at.
    fn is_object(root: Root) -> bool {
        matches!(root, Root::Global(_) | Root::Slot(_) | Root::Arg(_) | Root::LocalArg(_))
    }

    /// Returns whether a root is a `__local` variable.
    pub fn is_local(&self, root: Root) -> bool {
        matches!(root, Root::Global(_)) && self.space(root) == Some(Space::Local)
    }

    fn space(&self, root: Root) -> Option<Space> {
        match root {
            Root::Global(var) => self.globals.get(var.0 as usize).map(|var| var.1),
            Root::Slot(_) => Some(Space::Private),
            Root::LocalArg(_) => Some(Space::Local),
            _ => None,
        }
    }
}

/// The origins of all pointers of a function.
#[derive(Clone)]
pub(in crate::passes::check) struct Origins {
    of: FxHashMap<Value, Origin>,
}

impl Origins {
    pub fn find(f: &Function, sizes: &Sizes) -> Self {
        let mut origins = Origins { of: FxHashMap::default() };
        while origins.pass(f, sizes) {}
        origins
    }

    /// Looks at all instructions and branches once. Returns whether anything is new.
    fn pass(&mut self, f: &Function, sizes: &Sizes) -> bool {
        let mut changed = false;
        for block in &f.layout {
            for inst in &f.blocks[*block].insts {
                let data = &f.insts[*inst];
                let Some(result) = data.results.first().filter(|r| matches!(f.ty(**r), Type::Ptr(_))) else {
                    continue;
                };
                let new = self.result(f, sizes, &data.kind, f.ty(*result));
                changed |= self.note(*result, new);
            }
            f.blocks[*block].term.each_target(|target| {
                for (param, arg) in f.blocks[target.block].params.iter().zip(&target.args) {
                    if matches!(f.ty(*param), Type::Ptr(_)) {
                        changed |= self.note(*param, self.origin(f, *arg));
                    }
                }
            });
        }
        changed
    }

    fn note(&mut self, value: Value, new: Origin) -> bool {
        let old = self.of.entry(value).or_insert(Origin::Nothing);
        let joined = old.join(new);
        std::mem::replace(old, joined) != joined
    }

    pub fn origin(&self, f: &Function, value: Value) -> Origin {
        match f.values[value].def {
            ValueDef::Const(Constant::Undef) => Origin::Nothing,
            ValueDef::Const(Constant::Bits(0)) => Origin::Null,
            ValueDef::Const(_) => Origin::Unknown,
            _ => self.of.get(&value).copied().unwrap_or(Origin::Nothing),
        }
    }

    fn result(&self, f: &Function, sizes: &Sizes, kind: &InstKind, ty: Type) -> Origin {
        match *kind {
            // Variables of opaque types, such as events, have no size.
            InstKind::RootAddr(root) if sizes.known(f, root) == Some(0) => Origin::Unknown,
            InstKind::RootAddr(root) if Sizes::is_object(root) => Origin::One(root),
            InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. } => self.origin(f, base),
            InstKind::PtrCast(pointer) => self.origin(f, pointer),
            InstKind::Bitcast(pointer) if matches!(f.ty(pointer), Type::Ptr(_)) => self.origin(f, pointer),
            InstKind::PtrToSpace(pointer) => match self.origin(f, pointer) {
                Origin::One(root) if sizes.space(root).map(Type::Ptr) == Some(ty) => Origin::One(root),
                Origin::Nothing => Origin::Nothing,
                _ => Origin::Unknown,
            },
            InstKind::Select(_, a, b) => self.origin(f, a).join(self.origin(f, b)),
            InstKind::IntToPtr(integer) => self.integer(f, integer, MAX_DEPTH).unwrap_or(Origin::Unknown),
            _ => Origin::Unknown,
        }
    }

    /// The origin of the pointer that an integer was computed from.
    fn integer(&self, f: &Function, value: Value, depth: u32) -> Option<Origin> {
        if f.const_bits(value) == Some(0) {
            return Some(Origin::Null);
        }
        let depth = depth.checked_sub(1)?;
        match f.def_inst(value)?.kind {
            InstKind::PtrToInt(pointer) => match self.origin(f, pointer) {
                // The offset of others is not known.
                origin @ (Origin::Nothing | Origin::One(_)) => Some(origin),
                _ => None,
            },
            InstKind::Binary(BinaryOp::IAdd, a, b) => {
                // The sum with a difference of addresses leads to another object.
                match (is_index(f, a, MAX_DEPTH), is_index(f, b, MAX_DEPTH)) {
                    (false, true) => self.integer(f, a, depth),
                    (true, false) => self.integer(f, b, depth),
                    _ => None,
                }
            }
            InstKind::Binary(BinaryOp::ISub, a, b) if is_index(f, b, MAX_DEPTH) => self.integer(f, a, depth),
            InstKind::Binary(BinaryOp::And, a, b) if f.const_bits(b).is_some() => self.integer(f, a, depth),
            _ => None,
        }
    }
}

/// Returns whether an integer of addresses' width is no address and no difference of addresses: a constant, or made of narrower numbers.
fn is_index(f: &Function, value: Value, depth: u32) -> bool {
    if f.const_bits(value).is_some() {
        return true;
    }
    let (Some(inst), Some(depth)) = (f.def_inst(value), depth.checked_sub(1)) else { return false };
    match inst.kind {
        InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::SExt, value, .. } => !matches!(
            f.def_inst(value).map(|inst| &inst.kind),
            Some(InstKind::Convert { op: ConvertOp::Trunc, .. })
        ),
        InstKind::Binary(BinaryOp::IAdd | BinaryOp::IMul | BinaryOp::Shl | BinaryOp::ISub, a, b) => {
            is_index(f, a, depth) && is_index(f, b, depth)
        }
        _ => false,
    }
}

/// An object as the code has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fat {
    /// The offset in it, an i64.
    pub offset: Value,
    /// Its size, an i64.
    pub size: Value,
    /// Its number, an i32.
    pub number: Value,
}

/// The objects of a function's pointers.
pub(super) struct Objects<'a> {
    pub origins: Origins,
    sizes: &'a Sizes,
    /// The values beside block parameters that are pointers with several objects.
    params: FxHashMap<Value, Fat>,
}

impl<'a> Objects<'a> {
    /// Adds what pointers with several objects carry, for the pointers of all accesses.
    pub fn new(
        f: &mut Function,
        origins: Origins,
        sizes: &'a Sizes,
        pointers: &[Value],
        reporter: &mut Reporter<'_>,
    ) -> Self {
        let mut objects = Objects { origins, sizes, params: FxHashMap::default() };
        let mut work: Vec<Value> = pointers.to_vec();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut carried = Vec::new();
        while let Some(pointer) = work.pop() {
            if objects.origins.origin(f, pointer) != Origin::Several || !seen.insert(pointer) {
                continue;
            }
            match f.values[pointer].def {
                ValueDef::Inst(inst, _) => f.insts[inst].kind.each_value(|v| work.push(v)),
                ValueDef::Param(block, n) => {
                    let (offset, size) = (f.add_param(block, Type::I64), f.add_param(block, Type::I64));
                    let number = f.add_param(block, Type::I32);
                    objects.params.insert(pointer, Fat { offset, size, number });
                    carried.push((block, usize::from(n)));
                    for from in f.layout.clone() {
                        for target in f.blocks[from].term.targets().filter(|t| t.block == block) {
                            work.extend(target.args.get(usize::from(n)));
                        }
                    }
                }
                ValueDef::Const(_) => {}
            }
        }
        objects.carry(f, &carried, reporter);
        objects
    }

    /// Gives the new parameters their arguments, at the ends of the blocks before.
    fn carry(&self, f: &mut Function, carried: &[(Block, usize)], reporter: &mut Reporter<'_>) {
        for from in f.layout.clone() {
            let count = f.blocks[from].term.targets().len();
            for successor in 0..count {
                for (block, n) in carried {
                    let target = f.blocks[from].term.target(successor);
                    let Some(arg) =
                        target.filter(|t| t.block == *block).and_then(|t| t.args.get(*n).copied())
                    else {
                        continue;
                    };
                    let mut rw = Rewriter::new(f);
                    let fat = self.fat(&mut rw, arg, reporter);
                    let insts = rw.take();
                    f.blocks[from].insts.extend(insts);
                    if let Some(target) = f.blocks[from].term.target_mut(successor) {
                        target.args.extend([fat.offset, fat.size, fat.number]);
                    }
                }
            }
        }
    }

    /// The object of a pointer, computed at the current place.
    pub fn fat(&self, rw: &mut Rewriter<'_>, pointer: Value, reporter: &mut Reporter<'_>) -> Fat {
        let fixed = |rw: &mut Rewriter<'_>, (offset, size): (u64, u64), number: u32| Fat {
            offset: rw.iconst(Type::I64, offset),
            size: rw.iconst(Type::I64, size),
            number: rw.iconst(Type::I32, number.into()),
        };
        match self.origins.origin(rw.f, pointer) {
            Origin::One(root) => {
                let offset = self.offset(rw, pointer, root);
                let size = self.size(rw, root);
                let number = reporter.object(rw.f, root);
                Fat { offset, size, number: rw.iconst(Type::I32, number.into()) }
            }
            Origin::Null => fixed(rw, (0, 0), NULL),
            Origin::Nothing | Origin::Unknown => fixed(rw, ANYWHERE, UNKNOWN),
            Origin::Several => self.several(rw, pointer, reporter),
        }
    }

    fn several(&self, rw: &mut Rewriter<'_>, pointer: Value, reporter: &mut Reporter<'_>) -> Fat {
        if let Some(known) = self.params.get(&pointer) {
            return *known;
        }
        match rw.f.def_inst(pointer).map(|inst| inst.kind.clone()) {
            Some(InstKind::Select(condition, a, b)) => {
                let (a, b) = (self.fat(rw, a, reporter), self.fat(rw, b, reporter));
                let mut either = |a: Value, b: Value, ty| rw.inst(InstKind::Select(condition, a, b), ty);
                Fat {
                    offset: either(a.offset, b.offset, Type::I64),
                    size: either(a.size, b.size, Type::I64),
                    number: either(a.number, b.number, Type::I32),
                }
            }
            Some(InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. }) => {
                let fat = self.fat(rw, base, reporter);
                Fat { offset: step(rw, pointer, fat.offset), ..fat }
            }
            Some(InstKind::PtrCast(base) | InstKind::Bitcast(base)) => self.fat(rw, base, reporter),
            // `Origins::result` gives no other instruction several objects.
            _ => Fat {
                offset: rw.iconst(Type::I64, ANYWHERE.0),
                size: rw.iconst(Type::I64, ANYWHERE.1),
                number: rw.iconst(Type::I32, UNKNOWN.into()),
            },
        }
    }

    /// The size of an object.
    fn size(&self, rw: &mut Rewriter<'_>, root: Root) -> Value {
        match (self.sizes.known(rw.f, root), root) {
            (Some(size), _) => rw.iconst(Type::I64, size),
            (None, Root::Arg(n) | Root::LocalArg(n)) => rw.inst(InstKind::ArgumentSize(n), Type::I64),
            _ => rw.iconst(Type::I64, ANYWHERE.1),
        }
    }

    /// The offset of a pointer in its one object.
    fn offset(&self, rw: &mut Rewriter<'_>, pointer: Value, root: Root) -> Value {
        let Some(inst) = rw.f.def_inst(pointer) else { return distance(rw, self.sizes, pointer, root) };
        match inst.kind {
            InstKind::RootAddr(Root::Arg(n)) => rw.inst(InstKind::ArgumentBefore(n), Type::I64),
            InstKind::RootAddr(_) => rw.iconst(Type::I64, 0),
            InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. } => {
                let offset = self.offset(rw, base, root);
                step(rw, pointer, offset)
            }
            InstKind::PtrCast(base) | InstKind::Bitcast(base) | InstKind::PtrToSpace(base) => {
                self.offset(rw, base, root)
            }
            _ => distance(rw, self.sizes, pointer, root),
        }
    }
}

/// The distance of a pointer from the start of its object, an i64.
pub(in crate::passes::check) fn distance(
    rw: &mut Rewriter<'_>,
    sizes: &Sizes,
    pointer: Value,
    root: Root,
) -> Value {
    let space = match (root, sizes.space(root), rw.f.ty(pointer)) {
        (_, Some(space), _) => Type::Ptr(space),
        (_, None, Type::Ptr(Space::Constant)) => Type::Ptr(Space::Constant),
        _ => Type::Ptr(Space::Global),
    };
    let start = rw.inst(InstKind::RootAddr(root), space);
    let start = match rw.f.ty(pointer) {
        ty if ty == space => start,
        ty => rw.inst(InstKind::PtrCast(start), ty),
    };
    let word = if sizes.address_bits == 64 { Type::I64 } else { Type::I32 };
    let distance = rw.inst(InstKind::PtrDiff(pointer, start), word);
    let distance = rw.int_cast(distance, Type::I64, false);
    match root {
        Root::Arg(n) => {
            let before = rw.inst(InstKind::ArgumentBefore(n), Type::I64);
            rw.add(distance, before)
        }
        _ => distance,
    }
}

/// The offset after the step that a pointer is from its base.
fn step(rw: &mut Rewriter<'_>, pointer: Value, offset: Value) -> Value {
    match rw.f.def_inst(pointer).map(|inst| inst.kind.clone()) {
        Some(InstKind::PtrAdd { index, scale, .. }) => {
            let index = match rw.f.ty(index).scalar() {
                Some(Scalar::I64) => index,
                _ => rw.convert(ConvertOp::SExt, index, Type::I64),
            };
            let bytes = rw.mul_const(index, scale);
            rw.add(offset, bytes)
        }
        Some(InstKind::PtrOffset { bytes, .. }) => {
            let bytes = rw.iconst(Type::I64, bytes as u64);
            rw.add(offset, bytes)
        }
        _ => offset,
    }
}
