//! Linear addresses: every pointer value becomes a base plus scaled terms, written out only at an access, a branch or a comparison.
//!
//! ```text
//! v1: ptr = ptradd v0, i, 4
//! v2: ptr = ptroffset v1, 8        v2 is linear: base v0, terms [i * 4], bytes 8
//! ```
//!
//! A pointer that is written out has a [`Form`], chosen from what it may point to:
//!
//! | it may be | it is |
//! |---|---|
//! | in one root | the 32-bit offset |
//! | a device address, or null | the 64-bit address; null is 0 |
//! | in one of several roots, or null, or an integer | two i32: the root's word (0 for null), and the offset |
//! | in a root, or a device address | 64 bits: the address, or the root's word above the offset ([`super::encode`]) |

use super::{
    block::{self, address_source},
    context::{Context, is_pointer},
    roots::is_null,
    units,
};
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Block, Function, Inst, InstKind, IntCC, LocalArena, Root, Terminator, Type, Value, ValueDef,
};
use crate::kernel_info::BlockSource;
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::Cell;

/// The base that a pointer's offset counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The start of a root: 32-bit offsets.
    Root(Root),
    /// A 64-bit device address, or 64 bits that encode a root and an offset.
    Address(Value),
    /// The start of the root that this i32 names; 0 for null.
    Pair(Value),
    /// Null, or undefined.
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
    pub fn start(base: Base, bytes: u64) -> Self {
        Linear { base, terms: SmallVec::new(), bytes: bytes as i64 }
    }

    /// A base plus an offset.
    pub fn at(base: Base, offset: Value) -> Self {
        Linear { base, terms: SmallVec::from_slice(&[(offset, 1)]), bytes: 0 }
    }

    /// A base plus `value` × `scale` bytes.
    pub fn scaled(base: Base, value: Value, scale: u64) -> Self {
        Linear { base, terms: SmallVec::from_slice(&[(value, scale)]), bytes: 0 }
    }

    /// This address plus `value` × `scale` bytes.
    pub fn with_term(mut self, value: Value, scale: u64) -> Self {
        self.add_term(value, scale);
        self
    }

    /// This address plus some bytes.
    pub fn plus(&self, bytes: u64) -> Linear {
        Linear { bytes: self.bytes.wrapping_add(bytes as i64), ..self.clone() }
    }

    /// This address in elements of `size` bytes, a power of two. `None` if it is no multiple.
    fn in_elements(&self, size: u64) -> Option<Linear> {
        let divisible = self.terms.iter().all(|(_, scale)| scale.is_multiple_of(size));
        (divisible && (self.bytes as u64).is_multiple_of(size)).then(|| Linear {
            base: self.base,
            terms: self.terms.iter().map(|(value, scale)| (*value, scale / size)).collect(),
            bytes: self.bytes / size as i64,
        })
    }

    /// The same offset from another base.
    pub fn on(&self, base: Base) -> Linear {
        Linear { base, ..self.clone() }
    }

    fn add_term(&mut self, value: Value, scale: u64) {
        match self.terms.iter_mut().find(|(v, _)| *v == value) {
            Some((_, s)) => *s = s.wrapping_add(scale),
            None => self.terms.push((value, scale)),
        }
        self.terms.retain(|(_, s)| *s != 0);
    }

    /// The distance from another address with the same base.
    pub fn minus(&self, other: &Linear) -> Linear {
        let mut difference = self.on(Base::Null);
        difference.bytes = self.bytes.wrapping_sub(other.bytes);
        for (value, scale) in &other.terms {
            difference.add_term(*value, scale.wrapping_neg());
        }
        difference
    }
}

/// The values that represent a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// No value: the pointer is always null or undefined.
    Nothing,
    /// An i32 offset into the root.
    Plain(Root),
    /// An i64.
    Address,
    /// An i64 that is an address or encodes a root and an offset.
    Tagged,
    /// Two i32: the offset, and the root's word.
    Pair,
}

/// The pointers of a function that are rewritten so far.
#[derive(Debug, Default)]
pub(super) struct Pointers {
    linear: FxHashMap<Value, Linear>,
    /// Values that are loaded once, at the start of the function: addresses of buffers, and the words of arguments.
    addresses: FxHashMap<Root, Value>,
    words: FxHashMap<Root, Value>,
    /// In the packed model, the offsets of buffers and windows, in steps of 16 bytes.
    steps: FxHashMap<Root, Value>,
    /// If kept pointers differ from device addresses: the difference, and the address for each pointer to a buffer's start.
    base: Option<Value>,
    starts: FxHashMap<Value, Value>,
    prologue: Vec<Inst>,
    /// Parameters that count elements, with the elements' size.
    units: FxHashMap<Value, u64>,
    /// The old parameters of blocks with pointer parameters.
    old_params: FxHashMap<Block, Vec<Value>>,
    /// A pointer that was asked for and is not rewritten: it is defined later, or by an instruction that gives no pointer.
    unmet: Cell<Option<Value>>,
}

impl Pointers {
    /// Replaces pointer parameters of blocks by the values of their forms.
    pub fn replace_params(&mut self, f: &mut Function, cx: &Context<'_>) {
        self.units = units::find(f, cx);
        for block in f.layout.clone() {
            if !f.blocks[block].params.iter().any(|p| is_pointer(f, *p)) {
                continue;
            }
            let old = std::mem::take(&mut f.blocks[block].params);
            for param in &old {
                if !is_pointer(f, *param) {
                    push_param(f, block, *param);
                    continue;
                }
                let form = cx.form(*param);
                let linear = match form {
                    Form::Nothing => Linear::start(Base::Null, 0),
                    Form::Address | Form::Tagged => {
                        f.values[*param].ty = Type::I64;
                        push_param(f, block, *param);
                        Linear::start(Base::Address(*param), 0)
                    }
                    Form::Plain(root) => {
                        f.values[*param].ty = Type::I32;
                        push_param(f, block, *param);
                        Linear::scaled(Base::Root(root), *param, self.unit(*param))
                    }
                    Form::Pair => {
                        f.values[*param].ty = Type::I32;
                        push_param(f, block, *param);
                        Linear::at(Base::Pair(f.add_param(block, Type::I32)), *param)
                    }
                };
                self.linear.insert(*param, linear);
            }
            self.old_params.insert(block, old);
        }
    }

    /// The bytes that a parameter counts by.
    fn unit(&self, param: Value) -> u64 {
        self.units.get(&param).copied().unwrap_or(1)
    }

    /// The instructions that load buffer addresses, for the start of the entry block.
    pub fn take_prologue(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.prologue)
    }

    /// Returns whether a value was a pointer.
    pub fn is_pointer(&self, f: &Function, value: Value) -> bool {
        is_pointer(f, value) || self.linear.contains_key(&value)
    }

    /// The pointer that was asked for since the last call and is not rewritten.
    pub fn take_unmet(&self) -> Option<Value> {
        self.unmet.take()
    }

    /// The linear form of a pointer value.
    pub fn linear_of(&self, f: &Function, pointer: Value) -> Linear {
        match self.linear.get(&pointer) {
            Some(linear) => linear.clone(),
            None if is_null(f, pointer) => Linear::start(Base::Null, 0),
            // A constant address belongs to no variable.
            None => match f.const_bits(pointer) {
                Some(bits) => Linear::start(Base::Null, bits),
                None => {
                    self.unmet.set(Some(pointer));
                    Linear::start(Base::Null, 0)
                }
            },
        }
    }

    /// Records the linear form of a pointer value.
    pub fn define(&mut self, pointer: Value, linear: Linear) {
        self.linear.insert(pointer, linear);
    }

    /// Records the linear form that a pointer instruction computes.
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
                let mut linear = self.linear_of(rw.f, base);
                match rw.f.const_signed(index) {
                    Some(n) => linear.bytes = linear.bytes.wrapping_add(n.wrapping_mul(scale as i64)),
                    None => linear.add_term(index, scale),
                }
                linear
            }
            InstKind::PtrOffset { base, bytes } => self.linear_of(rw.f, base).plus(bytes as u64),
            InstKind::PtrCast(base) | InstKind::Bitcast(base) => {
                let linear = self.linear_of(rw.f, base);
                self.converted(rw, &linear, cx.form(result), cx)
            }
            InstKind::PtrToSpace(base) => self.within_space(rw, base, result, cx),
            InstKind::Select(cond, a, b) => self.select(rw, cond, a, b, result, cx),
            InstKind::IntToPtr(value) => self.decode(rw, value, result, cx),
            _ => return Err(cx.not_yet("a pointer that comes from an unexpected instruction")),
        };
        self.linear.insert(result, linear);
        Ok(())
    }

    fn root(&mut self, rw: &mut Rewriter<'_>, root: Root, cx: &Context<'_>) -> Linear {
        let old = root;
        let (root, offset) = cx.root(root);
        if root == Root::Places {
            return self.start_of(rw.f, old, cx);
        }
        if cx.is_address(root) {
            return Linear::start(Base::Address(self.address(rw.f, root, cx)), offset);
        }
        let mut linear = Linear::start(Base::Root(root), offset);
        if let (Root::LocalArena, Root::LocalArg(arg)) = (root, old) {
            // The argument comes after those before it.
            for before in cx.arena.iter().flat_map(|a| &a.args).take_while(|n| **n != arg) {
                let units = rw.inst(InstKind::LocalArgUnits(*before), Type::I32);
                linear.add_term(units, LocalArena::UNIT.into());
            }
        }
        linear
    }

    /// The offset of a buffer or of a window, in steps of 16 bytes.
    pub fn in_steps(&mut self, f: &mut Function, root: Root, cx: &Context<'_>) -> Value {
        if let Some(steps) = self.steps.get(&root) {
            return *steps;
        }
        let mut entry = Rewriter::new(f);
        let start = match address_source(root).and_then(|source| cx.block.offset(source)) {
            Some(offset) => block::word(&mut entry, offset, cx),
            None => {
                cx.nameless.set(Some(root));
                entry.iconst(Type::I32, 0)
            }
        };
        let steps = entry.binary_const(BinaryOp::LShr, start, 4);
        self.prologue.extend(entry.take());
        self.steps.insert(root, steps);
        steps
    }

    /// The address of a buffer in the module's address width, as kept pointers have it. It is 0 if the argument is null.
    pub fn address(&mut self, f: &mut Function, root: Root, cx: &Context<'_>) -> Value {
        if let Some(address) = self.addresses.get(&root) {
            return *address;
        }
        let base = cx.shared_base.then(|| self.shared_base(f, cx));
        let mut entry = Rewriter::new(f);
        let mut address = load_address(&mut entry, root, cx);
        if let Some(base) = base {
            let zero = entry.iconst(Type::I64, 0);
            let is_null = entry.icmp(IntCC::Eq, address, zero);
            let less = entry.inst(InstKind::Binary(BinaryOp::ISub, address, base), Type::I64);
            let kept = entry.inst(InstKind::Select(is_null, zero, less), Type::I64);
            self.starts.insert(kept, address);
            address = kept;
        }
        self.prologue.extend(entry.take());
        self.addresses.insert(root, address);
        address
    }

    /// The difference between device addresses and kept pointers.
    fn shared_base(&mut self, f: &mut Function, cx: &Context<'_>) -> Value {
        if let Some(base) = self.base {
            return base;
        }
        let mut entry = Rewriter::new(f);
        let base = match cx.block.offset(BlockSource::SharedBase) {
            Some(offset) => block::address(&mut entry, offset, cx),
            None => {
                // Functions that are not inlined access no buffers (see `inline`).
                cx.nameless.set(Some(Root::Block));
                entry.iconst(Type::I64, 0)
            }
        };
        self.prologue.extend(entry.take());
        self.base = Some(base);
        base
    }

    /// The device address of an access through a kept pointer. A pointer to an argument's own buffer has its device address
    /// already; other pointers get the difference added.
    pub fn accessed(&mut self, f: &mut Function, at: Linear, cx: &Context<'_>) -> Linear {
        let Base::Address(kept) = at.base else { return at };
        if !cx.shared_base {
            return at;
        }
        if let Some(start) = self.starts.get(&kept) {
            return at.on(Base::Address(*start));
        }
        let base = self.shared_base(f, cx);
        let mut at = at;
        at.add_term(base, 1);
        at
    }

    /// The i32 that names a root. It is 0 for an argument that is null.
    fn word(&mut self, f: &mut Function, root: Root, cx: &Context<'_>) -> Value {
        if !matches!(root, Root::Arg(_)) {
            return f.iconst(Type::I32, cx.word(root));
        }
        if let Some(word) = self.words.get(&root) {
            return *word;
        }
        let address = self.address(f, root, cx);
        let (word, null) = (f.iconst(Type::I32, cx.word(root)), f.iconst(Type::I32, 0));
        let zero = f.iconst(f.ty(address), 0);
        let mut entry = Rewriter::new(f);
        let is_null = entry.icmp(IntCC::Eq, address, zero);
        let word = entry.inst(InstKind::Select(is_null, null, word), Type::I32);
        self.prologue.extend(entry.take());
        self.words.insert(root, word);
        word
    }

    /// The word of the root that a pointer points into. The pointer is no address.
    pub fn which(&mut self, f: &mut Function, linear: &Linear, cx: &Context<'_>) -> Value {
        match linear.base {
            Base::Pair(which) => which,
            Base::Root(root) => self.word(f, root, cx),
            Base::Null | Base::Address(_) => f.iconst(Type::I32, 0),
        }
    }

    /// The values of a pointer in a form, in order.
    pub fn write_form(
        &mut self,
        rw: &mut Rewriter<'_>,
        linear: &Linear,
        form: Form,
        cx: &Context<'_>,
    ) -> SmallVec<[Value; 2]> {
        let linear = self.converted(rw, linear, form, cx);
        match form {
            Form::Nothing => SmallVec::new(),
            Form::Plain(_) => SmallVec::from_slice(&[write_out(rw, &linear, Type::I32)]),
            Form::Address => SmallVec::from_slice(&[write_out(rw, &linear, Type::I64)]),
            Form::Tagged => SmallVec::from_slice(&[self.encode(rw, &linear, Type::I64, cx)]),
            Form::Pair => {
                let which = self.which(rw.f, &linear, cx);
                SmallVec::from_slice(&[write_out(rw, &linear, Type::I32), which])
            }
        }
    }

    /// The pointer with the base that a form needs. The form may be narrower, as after a cast that tells what a generic
    /// pointer points to.
    fn converted(&mut self, rw: &mut Rewriter<'_>, linear: &Linear, form: Form, cx: &Context<'_>) -> Linear {
        match (form, linear.base) {
            (Form::Plain(root), Base::Address(_)) => {
                let bits = write_out(rw, linear, Type::I64);
                let offset = rw.int_cast(bits, Type::I32, false);
                Linear::at(Base::Root(root), offset)
            }
            (Form::Plain(root), _) => linear.on(Base::Root(root)),
            (Form::Pair, Base::Address(_)) => {
                let bits = write_out(rw, linear, Type::I64);
                let (which, offset) = self.split(rw, bits, cx);
                Linear::at(Base::Pair(which), offset)
            }
            (Form::Nothing, _) => linear.on(Base::Null),
            _ => linear.clone(),
        }
    }

    fn select(
        &mut self,
        rw: &mut Rewriter<'_>,
        cond: Value,
        a: Value,
        b: Value,
        result: Value,
        cx: &Context<'_>,
    ) -> Linear {
        let form = cx.form(result);
        let [a, b] = [a, b].map(|v| self.linear_of(rw.f, v));
        let (a, b) = (self.write_form(rw, &a, form, cx), self.write_form(rw, &b, form, cx));
        let chosen: SmallVec<[Value; 2]> = a
            .iter()
            .zip(&b)
            .map(|(a, b)| {
                let ty = rw.f.ty(*a);
                if a == b { *a } else { rw.inst(InstKind::Select(cond, *a, *b), ty) }
            })
            .collect();
        from_values(form, &chosen)
    }

    /// `to_global`, `to_local`, `to_private`: null unless the pointer points to the result's space.
    fn within_space(
        &mut self,
        rw: &mut Rewriter<'_>,
        base: Value,
        result: Value,
        cx: &Context<'_>,
    ) -> Linear {
        let linear = self.linear_of(rw.f, base);
        let form = cx.form(result);
        let within = cx.roots_of(result);
        match linear.base {
            Base::Null => linear,
            Base::Root(root) if within.contains(&root) => linear,
            Base::Root(_) => Linear::start(Base::Null, 0),
            Base::Pair(which) => {
                let offset = write_out(rw, &linear, Type::I32);
                keep_within(rw, which, offset, &within, cx)
            }
            Base::Address(_) if form == Form::Address => {
                let bits = write_out(rw, &linear, Type::I64);
                if cx.roots_of(base).is_empty() {
                    return Linear::start(Base::Address(bits), 0);
                }
                let tagged = self.is_tagged(rw, bits);
                let zero = rw.iconst(Type::I64, 0);
                let kept = rw.inst(InstKind::Select(tagged, zero, bits), Type::I64);
                Linear::start(Base::Address(kept), 0)
            }
            Base::Address(_) => {
                let bits = write_out(rw, &linear, Type::I64);
                let (which, offset) = self.split(rw, bits, cx);
                keep_within(rw, which, offset, &within, cx)
            }
        }
    }

    /// Writes out the pointer arguments of branches in the forms of the parameters. Refuses a returned pointer.
    pub fn rewrite_terminator(
        &mut self,
        rw: &mut Rewriter<'_>,
        block: Block,
        cx: &Context<'_>,
    ) -> Result<(), LowerError> {
        let term = &rw.f.blocks[block].term;
        let changes = term.targets().any(|t| self.old_params.contains_key(&t.block));
        if !changes && !matches!(term, Terminator::Return(_)) {
            return Ok(());
        }
        let mut term = term.clone();
        for target in term.targets_mut() {
            let Some(params) = self.old_params.get(&target.block).cloned() else { continue };
            let mut args = SmallVec::new();
            for (param, arg) in params.iter().zip(&target.args) {
                if self.linear.contains_key(param) {
                    let linear = self.linear_of(rw.f, *arg);
                    let unit = self.unit(*param);
                    args.extend(match unit {
                        1 => self.write_form(rw, &linear, cx.form(*param), cx),
                        _ => {
                            let elements = linear.in_elements(unit).ok_or_else(|| not_a_multiple(cx))?;
                            SmallVec::from_slice(&[write_out(rw, &elements, Type::I32)])
                        }
                    });
                } else {
                    args.push(*arg);
                }
            }
            target.args = args;
        }
        if let Terminator::Return(values) = &term
            && values.iter().any(|v| is_pointer(rw.f, *v))
        {
            return Err(cx.not_yet("a function that returns a pointer and was not inlined"));
        }
        rw.f.blocks[block].term = term;
        Ok(())
    }
}

fn not_a_multiple(cx: &Context<'_>) -> LowerError {
    let message = format!("{}: an offset that was to be kept in elements is no multiple of them", cx.name);
    LowerError::Bug { pass: "lower_addresses", message }
}

fn push_param(f: &mut Function, block: Block, param: Value) {
    f.values[param].def = ValueDef::Param(block, f.blocks[block].params.len() as u16);
    f.blocks[block].params.push(param);
}

/// A pointer from the values of its form.
pub(super) fn from_values(form: Form, values: &[Value]) -> Linear {
    match (form, values) {
        (Form::Plain(root), [offset]) => Linear::at(Base::Root(root), *offset),
        (Form::Address | Form::Tagged, [address]) => Linear::start(Base::Address(*address), 0),
        (Form::Pair, [offset, which]) => Linear::at(Base::Pair(*which), *offset),
        _ => Linear::start(Base::Null, 0),
    }
}

/// The pointer if it points into one of the roots, else null.
fn keep_within(
    rw: &mut Rewriter<'_>,
    which: Value,
    offset: Value,
    within: &[Root],
    cx: &Context<'_>,
) -> Linear {
    let mut inside = rw.f.iconst(Type::BOOL, 0);
    for (n, root) in within.iter().enumerate() {
        let word = rw.iconst(Type::I32, cx.word(*root));
        let same = rw.icmp(IntCC::Eq, which, word);
        inside = if n == 0 { same } else { rw.binary(BinaryOp::Or, inside, same) };
    }
    let zero = rw.iconst(Type::I32, 0);
    let which = rw.inst(InstKind::Select(inside, which, zero), Type::I32);
    let offset = rw.inst(InstKind::Select(inside, offset, zero), Type::I32);
    Linear::at(Base::Pair(which), offset)
}

/// Loads the device address of a buffer root, or its low 32 bits if addresses have 32 bits.
fn load_address(rw: &mut Rewriter<'_>, root: Root, cx: &Context<'_>) -> Value {
    match address_source(root).and_then(|source| cx.block.offset(source)) {
        Some(offset) if cx.address_bits == 32 && !cx.is_address(root) => block::word(rw, offset, cx),
        Some(offset) => block::address(rw, offset, cx),
        None => {
            cx.nameless.set(Some(root));
            rw.iconst(if cx.is_address(root) { Type::I64 } else { cx.int() }, 0)
        }
    }
}

/// Writes out a linear form as an offset (i32) or address (i64). The constant is added last: neighbours then share
/// the rest of the sum, and the constant fits the offset field of hardware instructions.
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

/// The index of the element of `size` bytes at a linear address, as an i32. The offset must be a multiple of `size`.
pub(super) fn element_index(rw: &mut Rewriter<'_>, linear: &Linear, size: u32) -> Value {
    let Some(scaled) = linear.in_elements(size.into()) else {
        let offset = write_out(rw, linear, Type::I32);
        return rw.binary_const(BinaryOp::LShr, offset, size.trailing_zeros().into());
    };
    // The true offset is below 4 GiB, so the index computed modulo 2^32 is right.
    write_out(rw, &scaled.on(Base::Null), Type::I32)
}
