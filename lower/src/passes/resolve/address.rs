//! Pointer arithmetic: every pointer value becomes a base plus scaled terms, written out only where an
//! access or a branch needs it.

use super::{Context, block, is_pointer, roots::is_null};
use crate::error::LowerError;
use crate::ir::{Block, Function, Inst, InstKind, LocalArena, Root, Scalar, Type, Value};
use crate::kernel_info::BlockSource;
use crate::passes::rewrite::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What the offset of a pointer counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The start of a root: 32-bit offsets.
    Root(Root),
    /// A 64-bit device address.
    Address(Value),
    /// The null pointer of a space without addresses, or an undefined one.
    Null,
}

/// base + Σ value × scale + bytes.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    pub base: Base,
    /// Values are i32 (signed) or i64.
    pub terms: SmallVec<[(Value, u64); 2]>,
    pub bytes: i64,
}

impl Linear {
    fn start(base: Base, bytes: u64) -> Self {
        Linear { base, terms: SmallVec::new(), bytes: bytes as i64 }
    }

    /// The same place some bytes on.
    pub fn plus(&self, bytes: u64) -> Linear {
        Linear { bytes: self.bytes.wrapping_add(bytes as i64), ..self.clone() }
    }

    fn add_term(&mut self, value: Value, scale: u64) {
        match self.terms.iter_mut().find(|(v, _)| *v == value) {
            Some((_, s)) => *s = s.wrapping_add(scale),
            None => self.terms.push((value, scale)),
        }
    }
}

/// What the pointers of a function have become so far.
#[derive(Debug, Default)]
pub(super) struct Pointers {
    linear: FxHashMap<Value, Linear>,
    /// Device addresses of buffers, loaded at the start of the function.
    addresses: FxHashMap<Root, Value>,
    prologue: Vec<Inst>,
}

impl Pointers {
    /// Block parameters that are pointers become offsets or addresses.
    pub fn replace_params(&mut self, f: &mut Function, cx: &Context<'_>) {
        for block in f.layout.clone() {
            for index in 0..f.blocks[block].params.len() {
                let param = f.blocks[block].params[index];
                if !is_pointer(f, param) {
                    continue;
                }
                let (ty, root) = param_form(cx, param);
                f.values[param].ty = ty;
                let base = match root {
                    Some(root) => Base::Root(root),
                    None if ty == Type::I64 => Base::Address(param),
                    None => Base::Null,
                };
                let mut linear = Linear::start(base, 0);
                if let Base::Root(_) = base {
                    linear.add_term(param, 1);
                }
                self.linear.insert(param, linear);
            }
        }
    }

    /// The instructions that load buffer addresses, for the start of the entry block.
    pub fn take_prologue(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.prologue)
    }

    /// The linear form of a pointer value.
    pub fn of(&self, f: &Function, pointer: Value) -> Linear {
        match self.linear.get(&pointer) {
            Some(linear) => linear.clone(),
            None if is_null(f, pointer) => Linear::start(Base::Null, 0),
            // A pointer that nothing defines in a reachable block: undefined.
            None => Linear::start(Base::Null, 0),
        }
    }

    /// Remembers what a pointer instruction computes.
    pub fn arithmetic(
        &mut self,
        rw: &mut Rewriter<'_>,
        inst: Inst,
        cx: &Context<'_>,
    ) -> Result<(), LowerError> {
        let kind = rw.f.insts[inst].kind.clone();
        let Some(result) = rw.f.insts[inst].results.first().copied() else { return Ok(()) };
        let linear = match kind {
            InstKind::RootAddr(root) => self.root(rw, root, cx),
            InstKind::PtrAdd { base, index, scale } => {
                let mut linear = self.of(rw.f, base);
                match rw.f.const_signed(index) {
                    Some(n) => linear.bytes = linear.bytes.wrapping_add(n.wrapping_mul(scale as i64)),
                    None => linear.add_term(index, scale),
                }
                linear
            }
            InstKind::PtrOffset { base, bytes } => self.of(rw.f, base).plus(bytes as u64),
            InstKind::PtrCast(base) | InstKind::Bitcast(base) => self.of(rw.f, base),
            InstKind::Select(cond, a, b) => self.select(rw, cond, a, b, result, cx)?,
            InstKind::IntToPtr(value) => {
                let address = rw.int_cast(value, Type::I64, false);
                Linear::start(Base::Address(address), 0)
            }
            _ => return Err(cx.not_yet("a pointer that comes from an unexpected instruction")),
        };
        self.linear.insert(result, linear);
        Ok(())
    }

    /// A pointer that was loaded from memory as a 64-bit address.
    pub fn define_loaded(&mut self, pointer: Value, address: Value) {
        self.linear.insert(pointer, Linear::start(Base::Address(address), 0));
    }

    fn root(&mut self, rw: &mut Rewriter<'_>, root: Root, cx: &Context<'_>) -> Linear {
        let old = root;
        let (root, offset) = cx.root(root);
        if !cx.is_address(root) {
            let mut linear = Linear::start(Base::Root(root), offset);
            if let (Root::LocalArena, Root::LocalArg(arg)) = (root, old) {
                // After the arguments before it.
                for before in cx.arena.iter().take_while(|n| **n != arg) {
                    let units = rw.inst(InstKind::LocalArgUnits(*before), Type::I32);
                    linear.add_term(units, LocalArena::UNIT.into());
                }
            }
            return linear;
        }
        let address = match self.addresses.get(&root) {
            Some(address) => *address,
            None => {
                let mut entry = Rewriter::new(rw.f);
                let address = load_address(&mut entry, root, cx);
                self.prologue.extend(entry.take());
                self.addresses.insert(root, address);
                address
            }
        };
        Linear::start(Base::Address(address), offset)
    }

    fn select(
        &mut self,
        rw: &mut Rewriter<'_>,
        cond: Value,
        a: Value,
        b: Value,
        result: Value,
        cx: &Context<'_>,
    ) -> Result<Linear, LowerError> {
        let (ty, root) = param_form(cx, result);
        let [a, b] = [a, b].map(|v| self.of(rw.f, v));
        let (a, b) = (write_out(rw, &a, ty), write_out(rw, &b, ty));
        let chosen = rw.inst(InstKind::Select(cond, a, b), ty);
        let base = match root {
            Some(root) => Base::Root(root),
            None if ty == Type::I64 => Base::Address(chosen),
            None => Base::Null,
        };
        let mut linear = Linear::start(base, 0);
        if let Base::Root(_) = base {
            linear.add_term(chosen, 1);
        }
        Ok(linear)
    }

    /// A pointer as an integer of the result's width. Offsets into variables start at a place that is
    /// not zero, so that no valid pointer equals null.
    pub fn to_integer(
        &self,
        rw: &mut Rewriter<'_>,
        pointer: Value,
        result: Option<Value>,
        cx: &Context<'_>,
    ) -> Result<Option<Value>, LowerError> {
        const FIRST: u64 = 4096;
        let Some(ty) = result.map(|r| rw.f.ty(r)) else { return Ok(None) };
        if ty.lanes() != 1 || !ty.scalar().is_some_and(Scalar::is_int) {
            return Err(cx.not_yet("a pointer converted to something else than an integer"));
        }
        let linear = self.of(rw.f, pointer);
        let integer = match linear.base {
            Base::Address(_) => write_out(rw, &linear, Type::I64),
            Base::Root(_) => {
                let offset = write_out(rw, &linear, Type::I32);
                let first = rw.iconst(Type::I32, FIRST);
                rw.add(offset, first)
            }
            Base::Null => write_out(rw, &linear, Type::I32),
        };
        Ok(Some(rw.int_cast(integer, ty, false)))
    }

    /// Pointer arguments of branches, written out for the parameters' new types; a returned pointer
    /// cannot be.
    pub fn rewrite_terminator(
        &mut self,
        rw: &mut Rewriter<'_>,
        block: Block,
        cx: &Context<'_>,
    ) -> Result<(), LowerError> {
        let mut term = rw.f.blocks[block].term.clone();
        for target in term.targets_mut() {
            for (n, arg) in target.args.iter_mut().enumerate() {
                if !is_pointer(rw.f, *arg) && !self.linear.contains_key(arg) {
                    continue;
                }
                let Some(param) = rw.f.blocks[target.block].params.get(n).copied() else { continue };
                let linear = self.of(rw.f, *arg);
                *arg = write_out(rw, &linear, rw.f.ty(param));
            }
        }
        if let crate::ir::Terminator::Return(values) = &term
            && values.iter().any(|v| is_pointer(rw.f, *v))
        {
            return Err(cx.not_yet("a function that returns a pointer and was not inlined"));
        }
        rw.f.blocks[block].term = term;
        Ok(())
    }
}

/// The type that a pointer block parameter (or select) gets, and the one root it counts from.
fn param_form(cx: &Context<'_>, pointer: Value) -> (Type, Option<Root>) {
    let Some(info) = cx.info.get(&pointer) else { return (Type::I32, None) };
    if info.address || info.roots.iter().any(|r| cx.is_address(*r)) {
        return (Type::I64, None);
    }
    (Type::I32, info.roots.first().map(|r| cx.root(*r).0))
}

/// Loads the device address of a buffer root.
fn load_address(rw: &mut Rewriter<'_>, root: Root, cx: &Context<'_>) -> Value {
    let source = match root {
        Root::Arg(n) => BlockSource::ArgumentAddress(n),
        Root::Globals => BlockSource::GlobalsAddress,
        Root::Printf => BlockSource::PrintfAddress,
        _ => BlockSource::ConstantsAddress,
    };
    match cx.block.offset(source) {
        Some(offset) => block::address(rw, offset, cx),
        None => rw.iconst(Type::I64, 0),
    }
}

/// The offset (i32) or address (i64) that a linear form stands for. The constant is added last: neighbours then share
/// all the rest, and what they add fits the hardware's own offsets.
pub(super) fn write_out(rw: &mut Rewriter<'_>, linear: &Linear, ty: Type) -> Value {
    let mut sum = None;
    for (value, scale) in &linear.terms {
        let value = rw.int_cast(*value, ty, true);
        let scaled = rw.mul_const(value, *scale);
        sum = Some(sum.map_or(scaled, |sum| rw.add(sum, scaled)));
    }
    if let Base::Address(address) = linear.base {
        let address = rw.int_cast(address, ty, false);
        sum = Some(sum.map_or(address, |sum| rw.add(address, sum)));
    }
    let bytes = rw.iconst(ty, linear.bytes as u64);
    match sum {
        Some(sum) if linear.bytes == 0 => sum,
        Some(sum) => rw.add(sum, bytes),
        None => bytes,
    }
}

/// The index of the element of `size` bytes at a place whose offset is known to be a multiple of
/// `size`, as an i32.
pub(super) fn element_index(rw: &mut Rewriter<'_>, linear: &Linear, size: u32) -> Value {
    let size = u64::from(size);
    let divisible = linear.terms.iter().all(|(_, s)| s.is_multiple_of(size))
        && (linear.bytes as u64).is_multiple_of(size);
    if !divisible {
        let offset = write_out(rw, linear, Type::I32);
        return rw.binary_const(crate::ir::BinaryOp::LShr, offset, size.trailing_zeros().into());
    }
    // The true offset is below 4 GiB, so the index computed modulo 2^32 is right.
    let terms = linear.terms.iter().map(|(v, s)| (*v, s / size)).collect();
    let scaled = Linear { base: Base::Null, terms, bytes: linear.bytes / size as i64 };
    write_out(rw, &scaled, Type::I32)
}
