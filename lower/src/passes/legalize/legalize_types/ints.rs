//! Integer widening: 8- and 16-bit integers become 32-bit ones if the target lacks them or its driver computes wrongly with them.
//!
//! The bits above the narrow width are arbitrary, so sums, products and bitwise operations need no change.
//! Operations that depend on the upper bits (division, right shifts, comparisons, widening) extend first.
//!
//! ```text
//! c = udiv i8 a, b        becomes        c = udiv i32 (a & 255), (b & 255)
//! ```
//!
//! If the types exist and only the arithmetic is unusable, memory keeps them: loads extend, stores truncate.

use crate::error::LowerError;
use crate::ir::{
    BinaryOp, Constant, ConvertOp, Function, Inst, InstKind, IntCC, MemFlags, Place, Scalar, Type, UnaryOp,
    Value, ValueDef,
};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Widens the narrow integers of a function.
pub(super) fn run(f: &mut Function, target: &Target, name: &str) -> Result<(), LowerError> {
    let has = [Use::on_target(target, Scalar::I8), Use::on_target(target, Scalar::I16)];
    let lacks = |s: Scalar| has_of(has, s) != Use::Full;
    let narrow: FxHashMap<Value, Scalar> = f
        .values
        .iter()
        .filter_map(|(value, data)| Some((value, data.ty.scalar().filter(|s| lacks(*s))?)))
        .collect();
    // Values that simplification removed are still there.
    let returned = f.returns.iter().any(|ty| ty.scalar().is_some_and(lacks));
    if narrow.is_empty() || !returned && !is_any_in_layout(f, |value| narrow.contains_key(&value)) {
        return Ok(());
    }
    let words = target.quirks.wrong_sign_extended_bytes;
    let mut widen = Widen { narrow, has, words, map: FxHashMap::default(), name };
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

/// Returns whether the layout defines or uses any of some values.
fn is_any_in_layout(f: &Function, wanted: impl Fn(Value) -> bool) -> bool {
    let mut found = false;
    for block in &f.layout {
        let data = &f.blocks[*block];
        data.params.iter().for_each(|param| found |= wanted(*param));
        for inst in &data.insts {
            f.insts[*inst].results.iter().for_each(|result| found |= wanted(*result));
            f.insts[*inst].kind.each_value(|value| found |= wanted(value));
        }
        data.term.each_value(|value| found |= wanted(value));
        if found {
            return true;
        }
    }
    false
}

/// The uses of integers of a width on the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// All uses, with arithmetic.
    Full,
    /// Loads, stores and the bits of halves only.
    Memory,
    /// None: the target lacks them.
    Nothing,
}

impl Use {
    fn on_target(target: &Target, scalar: Scalar) -> Use {
        let there = match scalar {
            Scalar::I8 => target.features.shader_int8,
            _ => target.features.shader_int16,
        };
        match there {
            _ if target.has_arithmetic(scalar) => Use::Full,
            true => Use::Memory,
            false => Use::Nothing,
        }
    }
}

/// The use of a scalar type. Types other than 8- and 16-bit integers have all uses.
fn has_of(has: [Use; 2], scalar: Scalar) -> Use {
    match scalar {
        Scalar::I8 => has[0],
        Scalar::I16 => has[1],
        _ => Use::Full,
    }
}

/// The zero-extended lanes of a vector of small integers, from the words (or the half word) that it was loaded as.
fn lanes_of_words(rw: &mut Rewriter<'_>, loaded: Value, ty: Type) -> Value {
    let bits = ty.scalar().map_or(8, Scalar::bits);
    let wide = ty.with_scalar(Scalar::I32);
    let words: SmallVec<[Value; 2]> = (0..rw.f.ty(loaded).lanes()).map(|n| rw.extract(loaded, n)).collect();
    let words: SmallVec<[Value; 2]> =
        words.into_iter().map(|word| rw.int_cast(word, Type::I32, false)).collect();
    let lanes: SmallVec<[Value; 4]> = (0..u32::from(ty.lanes()))
        .map(|lane| {
            let at = lane * bits;
            let mut value = words[(at / 32) as usize];
            if !at.is_multiple_of(32) {
                value = rw.binary_const(BinaryOp::LShr, value, u64::from(at % 32));
            }
            if at % 32 + bits < 32 {
                value = rw.binary_const(BinaryOp::And, value, (1 << bits) - 1);
            }
            value
        })
        .collect();
    rw.construct(&lanes, wide)
}

struct Widen<'a> {
    /// The narrow scalar of each widened value.
    narrow: FxHashMap<Value, Scalar>,
    /// The uses of 8- and 16-bit integers. A target may have one without the other.
    has: [Use; 2],
    /// True if vectors of them are loaded from addresses as words.
    words: bool,
    map: FxHashMap<Value, Value>,
    name: &'a str,
}

impl Widen<'_> {
    fn lacks(&self, scalar: Scalar) -> bool {
        has_of(self.has, scalar) != Use::Full
    }

    /// Returns whether a type is for memory only.
    fn in_memory(&self, ty: Type) -> bool {
        ty.scalar().is_some_and(|s| has_of(self.has, s) == Use::Memory)
    }

    fn retype(&self, f: &mut Function, value: Value) {
        if self.narrow.contains_key(&value) {
            f.values[value].ty = f.values[value].ty.with_scalar(Scalar::I32);
        }
    }

    /// The 32-bit value of an operand. A constant of the narrow type is recreated.
    fn wide(&self, rw: &mut Rewriter<'_>, value: Value) -> Value {
        match rw.f.values[value].def {
            ValueDef::Const(constant) if self.narrow.contains_key(&value) => {
                let ty = rw.f.ty(value).with_scalar(Scalar::I32);
                rw.f.constant(ty, constant)
            }
            _ => self.map.get(&value).copied().unwrap_or(value),
        }
    }

    /// The original type of an operand.
    fn ty(&self, rw: &Rewriter<'_>, value: Value) -> Type {
        let ty = rw.f.ty(value);
        self.narrow.get(&value).map_or(ty, |scalar| ty.with_scalar(*scalar))
    }

    /// The operand truncated to its type in memory.
    fn cut(&self, rw: &mut Rewriter<'_>, value: Value) -> Value {
        let narrow = self.ty(rw, value);
        let wide = self.wide(rw, value);
        rw.int_cast(wide, narrow, false)
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
        // A loaded value is zero-extended already.
        if let ValueDef::Inst(inst, _) = rw.f.values[wide].def
            && let InstKind::Convert { op: ConvertOp::ZExt, value: loaded, saturate: false, .. } =
                rw.f.insts[inst].kind
            && rw.f.ty(loaded).scalar() == Some(*scalar)
        {
            return if signed { rw.convert(ConvertOp::SExt, loaded, rw.f.ty(wide)) } else { wide };
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
            (InstKind::Load { place: place @ Place::Address(_), flags }, Some(ty))
                if self.in_memory(ty) && self.words_of(ty, flags).is_some() =>
            {
                let words = self.words_of(ty, flags).unwrap_or(ty);
                let loaded = rw.load(place, words, flags);
                lanes_of_words(rw, loaded, ty)
            }
            (kind @ InstKind::Load { .. }, Some(ty)) if self.in_memory(ty) => {
                let loaded = rw.inst(kind, ty);
                rw.int_cast(loaded, ty.with_scalar(Scalar::I32), false)
            }
            (InstKind::Store { place, value, flags }, None) if self.in_memory(self.ty(rw, value)) => {
                let cut = self.cut(rw, value);
                rw.store(place, cut, flags);
                return Ok(());
            }
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

    /// The type of the words that a vector is loaded as.
    fn words_of(&self, ty: Type, flags: MemFlags) -> Option<Type> {
        let whole = self.words && ty.lanes() > 1 && flags.align >= ty.bytes();
        match ty.bytes() {
            2 if whole && has_of(self.has, Scalar::I16) == Use::Memory => Some(Type::Scalar(Scalar::I16)),
            4 if whole => Some(Type::I32),
            8 if whole => Some(Type::Vector(Scalar::I32, 2)),
            _ => None,
        }
    }

    /// Applies selects, vector operations and calls to the wide values.
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

    /// A bitcast between vectors of narrow lanes and words, by shifts. The packed side has one 32-bit lane for
    /// several narrow ones.
    fn bitcast(&mut self, rw: &mut Rewriter<'_>, value: Value, ty: Type) -> Result<Value, LowerError> {
        let old = self.ty(rw, value);
        if ty.scalar() == Some(Scalar::F16) && self.in_memory(old) {
            let bits = self.cut(rw, value);
            return Ok(rw.bitcast(bits, ty));
        }
        if old.scalar() == Some(Scalar::F16) && self.in_memory(ty) {
            let bits = rw.bitcast(value, ty);
            return Ok(rw.int_cast(bits, ty.with_scalar(Scalar::I32), false));
        }
        let is_short = |s: &Scalar| matches!(s, Scalar::I8 | Scalar::I16);
        let words = match old.scalar().filter(is_short) {
            Some(scalar) => Some(self.pack(rw, value, scalar)),
            None => as_words(rw, value),
        };
        let words = words.ok_or_else(|| LowerError::NotYet {
            kernel: self.name.to_owned(),
            what: format!("reading a value as {ty} on a device without 8- or 16-bit integers"),
        })?;
        Ok(match ty.scalar() {
            Some(scalar @ (Scalar::I8 | Scalar::I16)) => {
                let lanes = unpack(rw, &words, scalar, ty.lanes());
                if self.lacks(scalar) { lanes } else { rw.int_cast(lanes, ty, false) }
            }
            Some(Scalar::F16) => halves(rw, &words, ty),
            _ => {
                let vector = rw.construct(&words, Type::new(Scalar::I32, words.len() as u8));
                rw.bitcast(vector, ty)
            }
        })
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

/// A value of lanes of 16 bits (halves), 32 or 64 bits as words.
fn as_words(rw: &mut Rewriter<'_>, value: Value) -> Option<SmallVec<[Value; 4]>> {
    let ty = rw.f.ty(value);
    if ty.scalar()? == Scalar::F16 {
        let pair = Type::new(Scalar::F16, 2);
        let words = (0..ty.lanes()).step_by(2).map(|first| {
            let low = rw.extract(value, first);
            let high = match first + 1 < ty.lanes() {
                true => rw.extract(value, first + 1),
                false => rw.f.constant(Type::Scalar(Scalar::F16), Constant::Bits(0)),
            };
            let both = rw.construct(&[low, high], pair);
            rw.bitcast(both, Type::I32)
        });
        return Some(words.collect());
    }
    let count = ty.bytes() / 4;
    if ty.scalar()?.bytes() < 4 || !matches!(count, 1 | 2 | 4) {
        return None;
    }
    let words = rw.bitcast(value, Type::new(Scalar::I32, count as u8));
    Some((0..count as u8).map(|n| rw.extract(words, n)).collect())
}

/// Halves from words, by vectors of two, which need no 16-bit integers.
fn halves(rw: &mut Rewriter<'_>, words: &[Value], ty: Type) -> Value {
    let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
    for word in words {
        let pair = rw.bitcast(*word, Type::new(Scalar::F16, 2));
        lanes.extend([0, 1].map(|n| rw.extract(pair, n)));
    }
    lanes.truncate(usize::from(ty.lanes()));
    rw.construct(&lanes, ty)
}

/// Narrow lanes from words, each in a 32-bit lane.
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
    rw.construct(&parts, Type::new(Scalar::I32, lanes))
}
