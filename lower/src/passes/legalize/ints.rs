//! 8- and 16-bit integers as 32-bit ones, where the Target lacks them.
//!
//! The bits above the narrow width are arbitrary: sums, products and bitwise operations need nothing;
//! what looks at the upper bits (division, right shifts, comparisons, widening) extends first.

use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Constant, ConvertOp, Function, Inst, InstKind, IntCC, Scalar, Type, UnaryOp, Value, ValueDef,
};
use crate::passes::rewrite::Rewriter;
use crate::target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Widens the narrow integers of a function.
pub(super) fn run(f: &mut Function, target: &Target, name: &str) -> Result<(), LowerError> {
    let lacks = |s: Scalar| match s {
        Scalar::I8 => !target.features.shader_int8,
        Scalar::I16 => !target.features.shader_int16,
        _ => false,
    };
    let narrow: FxHashMap<Value, Scalar> = f
        .values
        .iter()
        .filter_map(|(value, data)| Some((value, data.ty.scalar().filter(|s| lacks(*s))?)))
        .collect();
    if narrow.is_empty() {
        return Ok(());
    }
    let lacks_types = [lacks(Scalar::I8), lacks(Scalar::I16)];
    let mut widen = Widen { narrow, lacks: lacks_types, map: FxHashMap::default(), name };
    for block in f.layout.clone() {
        for param in f.blocks[block].params.clone() {
            widen.retype(f, param);
        }
    }
    for ty in &mut f.returns {
        if ty.scalar().is_some_and(lacks) {
            *ty = ty.with_scalar(Scalar::I32);
        }
    }
    for block in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            widen.inst(&mut rw, inst)?;
        }
        let mut term = rw.f.blocks[block].term.clone();
        widen.terminator(&mut rw, &mut term);
        rw.f.blocks[block].term = term;
        rw.finish_block(block);
    }
    f.replace_uses(&widen.map);
    Ok(())
}

struct Widen<'a> {
    /// The narrow scalar of each value that had one.
    narrow: FxHashMap<Value, Scalar>,
    /// Whether the Target lacks 8- and 16-bit integers. One may be there without the other.
    lacks: [bool; 2],
    map: FxHashMap<Value, Value>,
    name: &'a str,
}

impl Widen<'_> {
    fn lacks(&self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::I8 => self.lacks[0],
            Scalar::I16 => self.lacks[1],
            _ => false,
        }
    }

    fn retype(&self, f: &mut Function, value: Value) {
        if self.narrow.contains_key(&value) {
            f.values[value].ty = f.values[value].ty.with_scalar(Scalar::I32);
        }
    }

    /// The 32-bit value for an operand: a constant of the narrow type is made anew.
    fn wide(&self, rw: &mut Rewriter<'_>, value: Value) -> Value {
        match rw.f.values[value].def {
            ValueDef::Const(constant) if self.narrow.contains_key(&value) => {
                let ty = rw.f.ty(value).with_scalar(Scalar::I32);
                rw.f.constant(ty, constant)
            }
            _ => self.map.get(&value).copied().unwrap_or(value),
        }
    }

    fn terminator(&self, rw: &mut Rewriter<'_>, term: &mut crate::ir::Terminator) {
        if let crate::ir::Terminator::Switch { value, .. } = term
            && self.narrow.contains_key(value)
        {
            *value = self.extended(rw, *value, false);
        }
        let mut wide = Vec::new();
        term.map_values(|v| {
            wide.push(v);
            v
        });
        let mut wide = wide.into_iter().map(|v| self.wide(rw, v)).collect::<Vec<_>>().into_iter();
        term.map_values(|v| wide.next().unwrap_or(v));
    }

    /// The operand with its upper bits made zeros or copies of its sign.
    fn extended(&self, rw: &mut Rewriter<'_>, value: Value, signed: bool) -> Value {
        let wide = self.wide(rw, value);
        let Some(scalar) = self.narrow.get(&value) else { return wide };
        let bits = scalar.bits();
        if let Some(constant) = rw.f.const_bits(wide) {
            let shift = 64 - bits;
            let extended = if signed {
                ((constant as i64) << shift >> shift) as u64
            } else {
                constant << shift >> shift
            };
            return rw.iconst(rw.f.ty(wide), extended);
        }
        if signed {
            let up = rw.binary_const(BinaryOp::Shl, wide, u64::from(32 - bits));
            rw.binary_const(BinaryOp::AShr, up, u64::from(32 - bits))
        } else {
            rw.binary_const(BinaryOp::And, wide, (1 << bits) - 1)
        }
    }

    fn inst(&mut self, rw: &mut Rewriter<'_>, inst: Inst) -> Result<(), LowerError> {
        let data = &rw.f.insts[inst];
        let is_narrow = |v: Value| self.narrow.contains_key(&v);
        if !data.kind.values().any(is_narrow) && !data.results.iter().copied().any(is_narrow) {
            rw.keep(inst);
            return Ok(());
        }
        let kind = data.kind.clone();
        let result = data.results.first().copied();
        let old_ty = result.map(|r| rw.f.ty(r));
        let new = match (kind, old_ty) {
            (InstKind::Binary(op, a, b), Some(ty)) => self.binary(rw, op, a, b, ty),
            (InstKind::ICmp(cc, a, b), Some(ty)) => {
                let signed = matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge);
                let (a, b) = (self.extended(rw, a, signed), self.extended(rw, b, signed));
                rw.inst(InstKind::ICmp(cc, a, b), ty)
            }
            (InstKind::Convert { op, value, .. }, Some(ty)) => self.convert(rw, op, value, ty),
            (InstKind::Unary(op, value), Some(ty)) => self.unary(rw, op, value, ty),
            (InstKind::Bitcast(value), Some(ty)) => self.bitcast(rw, value, ty)?,
            _ => {
                self.same_operation(rw, inst);
                return Ok(());
            }
        };
        if let Some(result) = result {
            self.map.insert(result, new);
        }
        Ok(())
    }

    /// Selects, vector operations, calls: the same on the wide values.
    fn same_operation(&mut self, rw: &mut Rewriter<'_>, inst: Inst) {
        let mut kind = rw.f.insts[inst].kind.clone();
        let wide: Vec<Value> = kind.values().map(|v| self.wide(rw, v)).collect();
        for (value, wide) in kind.values_mut().into_iter().zip(wide) {
            *value = wide;
        }
        rw.f.insts[inst].kind = kind;
        for n in 0..rw.f.insts[inst].results.len() {
            let result = rw.f.insts[inst].results[n];
            self.retype(rw.f, result);
        }
        rw.keep(inst);
    }

    fn binary(&mut self, rw: &mut Rewriter<'_>, op: BinaryOp, a: Value, b: Value, ty: Type) -> Value {
        use BinaryOp::*;
        let wide_ty = ty.with_scalar(Scalar::I32);
        let (a, b) = match op {
            UDiv | URem | LShr | UMin | UMax => (self.extended(rw, a, false), self.extended(rw, b, false)),
            SDiv | SRem | SMin | SMax => (self.extended(rw, a, true), self.extended(rw, b, true)),
            AShr => (self.extended(rw, a, true), self.extended(rw, b, false)),
            Shl => (self.wide(rw, a), self.extended(rw, b, false)),
            _ => (self.wide(rw, a), self.wide(rw, b)),
        };
        rw.inst(InstKind::Binary(op, a, b), wide_ty)
    }

    fn unary(&mut self, rw: &mut Rewriter<'_>, op: UnaryOp, value: Value, ty: Type) -> Value {
        let wide = self.wide(rw, value);
        rw.inst(InstKind::Unary(op, wide), ty.with_scalar(Scalar::I32))
    }

    fn convert(&mut self, rw: &mut Rewriter<'_>, op: ConvertOp, value: Value, ty: Type) -> Value {
        let to_narrow = ty.scalar().is_some_and(|s| self.lacks(s));
        let ty = if to_narrow { ty.with_scalar(Scalar::I32) } else { ty };
        let signed = matches!(op, ConvertOp::SExt | ConvertOp::SToF);
        let value = self.extended(rw, value, signed);
        match op {
            ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt => rw.int_cast(value, ty, signed),
            _ => rw.convert(op, value, ty),
        }
    }

    /// Between vectors of narrow lanes and words: shifts. The packed side has one 32-bit lane for
    /// several narrow ones.
    fn bitcast(&mut self, rw: &mut Rewriter<'_>, value: Value, ty: Type) -> Result<Value, LowerError> {
        let is_short = |s: &Scalar| matches!(s, Scalar::I8 | Scalar::I16);
        let from = self.narrow.get(&value).copied().or(rw.f.ty(value).scalar()).filter(is_short);
        let to = ty.scalar().filter(is_short);
        let words = match from {
            Some(scalar) => Some(self.pack(rw, value, scalar)),
            None => as_words(rw, value),
        };
        let words = words.ok_or_else(|| LowerError::NotYet {
            kernel: self.name.to_owned(),
            what: format!("reading a value as {ty} on a device without 8- or 16-bit integers"),
        })?;
        match to {
            Some(scalar) => {
                let lanes = unpack(rw, &words, scalar, ty.lanes());
                Ok(if self.lacks(scalar) { lanes } else { rw.int_cast(lanes, ty, false) })
            }
            None => {
                let vector = rw.construct(&words, Type::of(Scalar::I32, words.len() as u8));
                Ok(rw.bitcast(vector, ty))
            }
        }
    }

    fn pack(&self, rw: &mut Rewriter<'_>, value: Value, scalar: Scalar) -> SmallVec<[Value; 4]> {
        let extended = self.extended(rw, value, false);
        let words = rw.f.ty(extended).with_scalar(Scalar::I32);
        let extended = rw.int_cast(extended, words, false);
        let lanes = rw.f.ty(extended).lanes();
        let per_word = (4 / scalar.bytes()) as u8;
        let word = |rw: &mut Rewriter<'_>, first: u8| {
            let mut word = rw.extract(extended, first);
            for n in 1..per_word.min(lanes - first) {
                let lane = rw.extract(extended, first + n);
                let up = rw.binary_const(BinaryOp::Shl, lane, u64::from(n) * u64::from(scalar.bits()));
                word = rw.binary(BinaryOp::Or, word, up);
            }
            word
        };
        (0..lanes).step_by(usize::from(per_word)).map(|first| word(rw, first)).collect()
    }
}

/// A value of 32- or 64-bit lanes as words.
fn as_words(rw: &mut Rewriter<'_>, value: Value) -> Option<SmallVec<[Value; 4]>> {
    let ty = rw.f.ty(value);
    let count = ty.bytes() / 4;
    if ty.scalar()?.bytes() < 4 || !matches!(count, 1 | 2 | 4) {
        return None;
    }
    let words = rw.bitcast(value, Type::of(Scalar::I32, count as u8));
    Some((0..count as u8).map(|n| rw.extract(words, n)).collect())
}

/// Narrow lanes out of words, each in a 32-bit lane.
fn unpack(rw: &mut Rewriter<'_>, words: &[Value], scalar: Scalar, lanes: u8) -> Value {
    let per_word = (4 / scalar.bytes()) as u8;
    let parts: SmallVec<[Value; 4]> = (0..lanes)
        .map(|lane| {
            let word = match words.get(usize::from(lane / per_word)) {
                Some(word) => *word,
                None => rw.f.constant(Type::I32, Constant::Undef),
            };
            rw.binary_const(BinaryOp::LShr, word, u64::from(lane % per_word) * u64::from(scalar.bits()))
        })
        .collect();
    rw.construct(&parts, Type::of(Scalar::I32, lanes))
}
