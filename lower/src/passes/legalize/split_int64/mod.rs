//! 64-bit integers as pairs of words: every 64-bit value becomes a low and a high 32-bit value.
//!
//! The pass runs if the target has no 64-bit integers. The feature shaderInt64 is optional, and no Vulkan 1.1 phone must have it.
//! Each vector of 64-bit lanes becomes two vectors of words with as many lanes.
//!
//! ```text
//! c = iadd i64 a, b        becomes        c.low = a.low + b.low; c.high = a.high + b.high + (c.low < a.low)
//! ```
//!
//! Earlier passes leave less to do:
//! - memory holds words since `lower_addresses`;
//! - `lower_division` has replaced divisions;
//! - `narrow_int64` has narrowed the values that it proved to have 32 bits.
//!
//! A device address is its two words, side by side.
//! The pass refuses 64-bit atomics.
//!
//! | here | what |
//! |---|---|
//! | this file | values, block parameters, calls, vectors, switches |
//! | [`arith`] | sums, products, shifts, comparisons |
//! | [`floats`] | conversions from and to floats |

mod arith;
mod floats;
#[cfg(test)]
mod tests;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::text::inst_to_string;
use crate::ir::{
    Block, BranchTarget, Constant, ConvertOp, Function, Inst, InstKind, Module, Place, Scalar, Terminator,
    Type, UnaryOp, Value, ValueDef,
};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The low and the high words of a value.
type Pair = [Value; 2];

/// Runs the pass, for devices without 64-bit integers.
///
/// # Errors
/// [`LowerError::Unsupported`] for 64-bit atomics, which need 64-bit integers on the device.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let split = |f: &mut Function| split_function(f, cx.target);
    module.functions.values_mut().filter(|f| !f.layout.is_empty()).try_for_each(split)
}

/// Splits the 64-bit integers of one function.
fn split_function(f: &mut Function, target: &Target) -> Result<(), LowerError> {
    if !f.values.values().any(|v| is_wide(v.ty)) {
        return Ok(());
    }
    split_switches(f);
    let (halves, replaced) = Default::default();
    let mut pairs = Pairs { halves, replaced, unmet: None, target };
    for block in f.layout.clone() {
        pairs.params(f, block);
    }
    f.returns = f.returns.iter().flat_map(|ty| parts(*ty)).collect();
    for block in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            pairs.inst(&mut rw, inst)?;
            if let Some(value) = pairs.unmet {
                let text = inst_to_string(rw.f, inst);
                return Err(bug(format!("{value} is used before its definition in `{text}`")));
            }
        }
        pairs.terminator(&mut rw, block);
        rw.finish_block(block);
        if let Some(value) = pairs.unmet {
            return Err(bug(format!("{value} is used before its definition at the end of {block}")));
        }
    }
    f.replace_uses(&pairs.replaced);
    Ok(())
}

fn bug(message: String) -> LowerError {
    LowerError::Bug { pass: "split_int64", message }
}

/// Returns whether a type's values are split.
fn is_wide(ty: Type) -> bool {
    ty.scalar() == Some(Scalar::I64)
}

/// The types that values of a type become.
fn parts(ty: Type) -> SmallVec<[Type; 2]> {
    if is_wide(ty) {
        SmallVec::from_elem(ty.with_scalar(Scalar::I32), 2)
    } else {
        SmallVec::from_slice(&[ty])
    }
}

/// Splits a 64-bit switch into a switch on the high words and one on the low words for each of them.
fn split_switches(f: &mut Function) {
    let mut layout = Vec::with_capacity(f.layout.len());
    for block in f.layout.clone() {
        layout.push(block);
        let (value, cases, default) = match &f.blocks[block].term {
            Terminator::Switch { value, cases, default } if is_wide(f.ty(*value)) => {
                (*value, cases.clone(), default.clone())
            }
            _ => continue,
        };
        // The selectors are the value's words, found like those of any operand.
        let word = |f: &mut Function, shift: u64| {
            let shifted = match shift {
                0 => value,
                _ => {
                    let by = f.iconst(Type::I64, shift);
                    f.append(block, InstKind::Binary(crate::ir::BinaryOp::LShr, value, by), Type::I64)
                }
            };
            let kind =
                InstKind::Convert { op: ConvertOp::Trunc, value: shifted, saturate: false, rounding: None };
            f.append(block, kind, Type::I32)
        };
        let (low, high) = (word(f, 0), word(f, 32));
        let mut by_high: Vec<(u64, Vec<(u64, BranchTarget)>)> = Vec::new();
        for (bits, target) in cases {
            let case = (bits & 0xffff_ffff, target);
            match by_high.iter_mut().find(|(high, _)| *high == bits >> 32) {
                Some((_, same)) => same.push(case),
                None => by_high.push((bits >> 32, vec![case])),
            }
        }
        let mut outer = Vec::new();
        for (bits, cases) in by_high {
            let inner = f.new_detached_block();
            layout.push(inner);
            f.blocks[inner].term = Terminator::Switch { value: low, cases, default: default.clone() };
            outer.push((bits, BranchTarget { block: inner, args: SmallVec::new() }));
        }
        f.blocks[block].term = Terminator::Switch { value: high, cases: outer, default };
    }
    f.layout = layout;
}

struct Pairs<'t> {
    /// The words of each wide value that is visited so far.
    halves: FxHashMap<Value, Pair>,
    /// Other results of instructions with wide operands.
    replaced: FxHashMap<Value, Value>,
    /// A wide value without words that was asked for.
    unmet: Option<Value>,
    target: &'t Target,
}

impl Pairs<'_> {
    fn params(&mut self, f: &mut Function, block: Block) {
        for param in std::mem::take(&mut f.blocks[block].params) {
            let ty = f.ty(param);
            if is_wide(ty) {
                let words = ty.with_scalar(Scalar::I32);
                let halves = [f.add_param(block, words), f.add_param(block, words)];
                self.halves.insert(param, halves);
            } else {
                let index = f.blocks[block].params.len() as u16;
                f.values[param].def = ValueDef::Param(block, index);
                f.blocks[block].params.push(param);
            }
        }
    }

    fn terminator(&mut self, rw: &mut Rewriter<'_>, block: Block) {
        let mut term = std::mem::replace(&mut rw.f.blocks[block].term, Terminator::Unreachable);
        for target in term.targets_mut() {
            target.args = target.args.iter().flat_map(|v| self.all(rw.f, *v)).collect();
        }
        if let Terminator::Return(values) = &mut term {
            *values = values.iter().flat_map(|v| self.all(rw.f, *v)).collect();
        }
        rw.f.blocks[block].term = term;
    }

    /// The words of a wide value.
    fn words_of(&mut self, f: &mut Function, value: Value) -> Pair {
        if let Some(halves) = self.halves.get(&value) {
            return *halves;
        }
        let words = f.ty(value).with_scalar(Scalar::I32);
        let halves = match f.values[value].def {
            ValueDef::Const(Constant::Bits(bits)) => [bits, bits >> 32].map(|b| f.iconst(words, b)),
            ValueDef::Const(Constant::Undef) => [f.constant(words, Constant::Undef); 2],
            // A definition comes before its uses.
            ValueDef::Inst(..) | ValueDef::Param(..) => {
                self.unmet = Some(value);
                [f.constant(words, Constant::Undef); 2]
            }
        };
        self.halves.insert(value, halves);
        halves
    }

    /// The replacement of any value: two words, or the value itself.
    fn all(&mut self, f: &mut Function, value: Value) -> SmallVec<[Value; 2]> {
        if is_wide(f.ty(value)) {
            SmallVec::from_slice(&self.words_of(f, value))
        } else {
            SmallVec::from_slice(&[value])
        }
    }

    /// The low word of an index. Indices of elements and lanes are below 2^32.
    fn index(&mut self, f: &mut Function, value: Value) -> Value {
        self.all(f, value)[0]
    }

    fn needs(&self, rw: &Rewriter<'_>) -> LowerError {
        LowerError::Unsupported {
            kernel: rw.f.name.clone(),
            device: self.target.name.clone(),
            needs: "64-bit integers (shaderInt64)".to_owned(),
        }
    }

    fn inst(&mut self, rw: &mut Rewriter<'_>, inst: Inst) -> Result<(), LowerError> {
        let data = &rw.f.insts[inst];
        let wide = |v: Value| is_wide(rw.f.ty(v));
        if !data.kind.values().any(wide) && !data.results.iter().copied().any(wide) {
            rw.keep(inst);
            return Ok(());
        }
        let kind = data.kind.clone();
        let result = data.results.first().copied();
        if let InstKind::Call { func, args, pure } = kind {
            let args = args.iter().flat_map(|a| self.all(rw.f, *a)).collect();
            return self.call(rw, inst, InstKind::Call { func, args, pure });
        }
        let Some(result) = result else {
            return self.without_result(rw, inst, kind);
        };
        let ty = rw.f.ty(result);
        if is_wide(ty) {
            let pair = self.wide(rw, kind, ty)?;
            self.halves.insert(result, pair);
        } else {
            let value = self.narrow(rw, kind, ty)?;
            self.replaced.insert(result, value);
        }
        Ok(())
    }

    /// Rewrites instructions without a result, such as stores with a 64-bit place.
    fn without_result(
        &mut self,
        rw: &mut Rewriter<'_>,
        inst: Inst,
        mut kind: InstKind,
    ) -> Result<(), LowerError> {
        let good = match &kind {
            InstKind::Store { value, .. } => !is_wide(rw.f.ty(*value)),
            InstKind::Atomic { operands, .. } => !operands.iter().any(|v| is_wide(rw.f.ty(*v))),
            _ => false,
        };
        if !good || !self.words_of_place(rw, &mut kind) {
            return Err(self.needs(rw));
        }
        rw.f.insts[inst].kind = kind;
        rw.keep(inst);
        Ok(())
    }

    /// Splits the place of an access into words. Returns `false` if the instruction has none.
    fn words_of_place(&mut self, rw: &mut Rewriter<'_>, kind: &mut InstKind) -> bool {
        match kind {
            InstKind::Load { place, .. } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                match place {
                    Place::Element { index, .. } => *index = self.index(rw.f, *index),
                    Place::Address(address) if is_wide(rw.f.ty(*address)) => {
                        let words = self.words_of(rw.f, *address);
                        *address = rw.construct(&words, Type::Vector(Scalar::I32, 2));
                    }
                    _ => return false,
                }
                true
            }
            _ => false,
        }
    }

    fn call(&mut self, rw: &mut Rewriter<'_>, inst: Inst, kind: InstKind) -> Result<(), LowerError> {
        let old: SmallVec<[Value; 4]> = rw.f.insts[inst].results.iter().copied().collect();
        let types: Vec<Type> = old.iter().flat_map(|r| parts(rw.f.ty(*r))).collect();
        let new = rw.f.make_inst(kind, &types);
        rw.f.insts[new].line = rw.f.insts[inst].line;
        rw.keep(new);
        let results: SmallVec<[Value; 4]> = rw.f.insts[new].results.iter().copied().collect();
        let mut results = results.into_iter();
        let mut next = || results.next().ok_or_else(|| bug("a call has too few results".to_owned()));
        for value in old {
            if is_wide(rw.f.ty(value)) {
                self.halves.insert(value, [next()?, next()?]);
            } else {
                self.replaced.insert(value, next()?);
            }
        }
        Ok(())
    }

    /// Rewrites an instruction with a 64-bit result.
    fn wide(&mut self, rw: &mut Rewriter<'_>, kind: InstKind, ty: Type) -> Result<Pair, LowerError> {
        let words = ty.with_scalar(Scalar::I32);
        let each = |rw: &mut Rewriter<'_>, pair: Pair, f: &mut dyn FnMut(Value) -> InstKind| {
            pair.map(|half| rw.inst(f(half), words))
        };
        Ok(match kind {
            InstKind::Unary(UnaryOp::Not, v) => {
                let v = self.words_of(rw.f, v);
                each(rw, v, &mut |half| InstKind::Unary(UnaryOp::Not, half))
            }
            InstKind::Unary(UnaryOp::INeg, v) => {
                let v = self.words_of(rw.f, v);
                arith::negated(rw, v)
            }
            InstKind::Binary(op, a, b) => {
                let (a, b) = (self.words_of(rw.f, a), self.words_of(rw.f, b));
                arith::binary(rw, op, a, b).ok_or_else(|| self.needs(rw))?
            }
            InstKind::Select(cond, a, b) => {
                let (a, b) = (self.words_of(rw.f, a), self.words_of(rw.f, b));
                arith::select(rw, cond, a, b)
            }
            InstKind::Convert { op: ConvertOp::ZExt, value, .. } => {
                let low = rw.int_cast(value, words, false);
                [low, rw.iconst(words, 0)]
            }
            InstKind::Convert { op: ConvertOp::SExt, value, .. } => {
                let low = rw.int_cast(value, words, true);
                [low, rw.binary_const(crate::ir::BinaryOp::AShr, low, 31)]
            }
            InstKind::Convert { op: ConvertOp::FToS, value, .. } => floats::to_signed(rw, value),
            InstKind::Convert { op: ConvertOp::FToU, value, .. } => floats::to_unsigned(rw, value),
            InstKind::Bitcast(v) if is_wide(rw.f.ty(v)) => self.words_of(rw.f, v),
            InstKind::Bitcast(v) => from_bits(rw, v, ty),
            InstKind::Construct(args) => {
                let args: SmallVec<[Pair; 4]> = args.iter().map(|v| self.words_of(rw.f, *v)).collect();
                [0, 1].map(|n| {
                    let parts = args.iter().map(|pair| pair[n]).collect();
                    rw.inst(InstKind::Construct(parts), words)
                })
            }
            InstKind::Extract(v, lane) => {
                let v = self.words_of(rw.f, v);
                each(rw, v, &mut |half| InstKind::Extract(half, lane))
            }
            InstKind::ExtractDyn(v, index) => {
                let (v, index) = (self.words_of(rw.f, v), self.index(rw.f, index));
                each(rw, v, &mut |half| InstKind::ExtractDyn(half, index))
            }
            InstKind::Insert { vector, scalar, lane } => {
                let (v, s) = (self.words_of(rw.f, vector), self.words_of(rw.f, scalar));
                [0, 1].map(|n| rw.inst(InstKind::Insert { vector: v[n], scalar: s[n], lane }, words))
            }
            InstKind::InsertDyn { vector, scalar, index } => {
                let (v, s) = (self.words_of(rw.f, vector), self.words_of(rw.f, scalar));
                let index = self.index(rw.f, index);
                [0, 1].map(|n| rw.inst(InstKind::InsertDyn { vector: v[n], scalar: s[n], index }, words))
            }
            InstKind::Shuffle(a, b, mask) => {
                let (a, b) = (self.words_of(rw.f, a), self.words_of(rw.f, b));
                [0, 1].map(|n| rw.inst(InstKind::Shuffle(a[n], b[n], mask), words))
            }
            _ => return Err(self.needs(rw)),
        })
    }

    /// Rewrites an instruction with 64-bit operands and another result.
    fn narrow(&mut self, rw: &mut Rewriter<'_>, mut kind: InstKind, ty: Type) -> Result<Value, LowerError> {
        Ok(match kind {
            InstKind::ICmp(cc, a, b) => {
                let (a, b) = (self.words_of(rw.f, a), self.words_of(rw.f, b));
                arith::compare(rw, cc, a, b)
            }
            InstKind::Convert { op: ConvertOp::Trunc, value, .. } => {
                let [low, _] = self.words_of(rw.f, value);
                rw.int_cast(low, ty, false)
            }
            InstKind::Convert { op: ConvertOp::UToF, value, .. } => {
                let value = self.words_of(rw.f, value);
                floats::from_unsigned(rw, value, ty)
            }
            InstKind::Convert { op: ConvertOp::SToF, value, .. } => {
                let value = self.words_of(rw.f, value);
                floats::from_signed(rw, value, ty)
            }
            InstKind::Bitcast(v) => {
                let pair = self.words_of(rw.f, v);
                as_bits(rw, pair, ty)
            }
            InstKind::ExtractDyn(v, index) => {
                let index = self.index(rw.f, index);
                rw.inst(InstKind::ExtractDyn(v, index), ty)
            }
            InstKind::InsertDyn { vector, scalar, index } => {
                let index = self.index(rw.f, index);
                rw.inst(InstKind::InsertDyn { vector, scalar, index }, ty)
            }
            InstKind::Load { .. } | InstKind::Atomic { .. } => {
                let operands = match &kind {
                    InstKind::Atomic { operands, .. } => &operands[..],
                    _ => &[],
                };
                if operands.iter().any(|v| is_wide(rw.f.ty(*v))) || !self.words_of_place(rw, &mut kind) {
                    return Err(self.needs(rw));
                }
                rw.inst(kind, ty)
            }
            _ => return Err(self.needs(rw)),
        })
    }
}

/// The words of a value with other lanes and the same number of bits.
fn from_bits(rw: &mut Rewriter<'_>, value: Value, ty: Type) -> Pair {
    let from = rw.f.ty(value);
    let lanes = ty.lanes();
    if lanes > 2 {
        // Vectors have at most 32 bytes, so 64-bit lanes are converted one by one.
        let halves: SmallVec<[Pair; 4]> = (0..from.lanes())
            .map(|n| {
                let lane = rw.extract(value, n);
                from_bits(rw, lane, Type::I64)
            })
            .collect();
        let words = ty.with_scalar(Scalar::I32);
        return [0, 1].map(|n| {
            let parts: SmallVec<[Value; 4]> = halves.iter().map(|pair| pair[n]).collect();
            rw.construct(&parts, words)
        });
    }
    let words = rw.bitcast(value, Type::new(Scalar::I32, 2 * lanes));
    if lanes == 1 {
        return [rw.extract(words, 0), rw.extract(words, 1)];
    }
    [0, 1].map(|n| {
        let mask = [Some(n), Some(n + 2)].into_iter().collect();
        rw.inst(InstKind::Shuffle(words, words, mask), Type::Vector(Scalar::I32, 2))
    })
}

/// The words as another type with the same number of bits.
fn as_bits(rw: &mut Rewriter<'_>, [low, high]: Pair, ty: Type) -> Value {
    let lanes = rw.f.ty(low).lanes();
    if lanes > 2 {
        let parts: SmallVec<[Value; 4]> = (0..lanes)
            .map(|n| {
                let pair = [rw.extract(low, n), rw.extract(high, n)];
                as_bits(rw, pair, ty.element())
            })
            .collect();
        return rw.construct(&parts, ty);
    }
    let words = Type::new(Scalar::I32, 2 * lanes);
    let side_by_side = if lanes == 1 {
        rw.construct(&[low, high], words)
    } else {
        let mask = [0, 2, 1, 3].into_iter().map(Some).collect();
        rw.inst(InstKind::Shuffle(low, high, mask), words)
    };
    rw.bitcast(side_by_side, ty)
}
