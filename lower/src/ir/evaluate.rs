//! Evaluation of instructions that compute on their operands alone: what the `value` entries of the table of instructions are written with.

use super::{BinaryOp, Function, Scalar, Type, UnaryOp, Value, fold};
use smallvec::SmallVec;

/// A value: one entry for each lane. `None` is undefined.
pub type Lanes = Vec<Option<u64>>;

/// An instruction that is evaluated.
pub(in crate::ir) struct Evaluation<'a> {
    pub(in crate::ir) function: &'a Function,
    /// The result's type.
    pub(in crate::ir) ty: Type,
    /// The lanes of every value, by its index.
    pub(in crate::ir) values: &'a [Lanes],
}

impl Evaluation<'_> {
    pub(in crate::ir) fn lanes(&self, v: Value) -> &Lanes {
        &self.values[v.0 as usize]
    }

    /// A scalar.
    pub(in crate::ir) fn one(&self, v: Value) -> Option<u64> {
        self.lanes(v).first().copied().flatten()
    }

    /// A value's scalar type.
    pub(in crate::ir) fn scalar(&self, v: Value) -> Option<Scalar> {
        self.function.ty(v).scalar()
    }

    pub(in crate::ir) fn map1(&self, a: Value, f: impl Fn(u64) -> Option<u64>) -> Lanes {
        self.lanes(a).iter().map(|l| l.and_then(&f)).collect()
    }

    pub(in crate::ir) fn map2(&self, a: Value, b: Value, f: impl Fn(u64, u64) -> Option<u64>) -> Lanes {
        self.lanes(a).iter().zip(self.lanes(b)).map(|(a, b)| f((*a)?, (*b)?)).collect()
    }

    pub(in crate::ir) fn map3(
        &self,
        a: Value,
        b: Value,
        c: Value,
        f: impl Fn(u64, u64, u64) -> Option<u64>,
    ) -> Lanes {
        let lanes = self.lanes(a).iter().zip(self.lanes(b)).zip(self.lanes(c));
        lanes.map(|((a, b), c)| f((*a)?, (*b)?, (*c)?)).collect()
    }

    pub(in crate::ir) fn unary(&self, op: UnaryOp, a: Value) -> Option<Lanes> {
        let all = |start: u64, join: fn(u64, u64) -> u64| {
            self.lanes(a).iter().try_fold(start, |acc, lane| Some(join(acc, (*lane)?)))
        };
        Some(match op {
            UnaryOp::Any => vec![all(0, |a, b| a | b)],
            UnaryOp::All => vec![all(1, |a, b| a & b)],
            UnaryOp::Opaque => self.lanes(a).to_vec(),
            _ => {
                let scalar = self.scalar(a)?;
                self.map1(a, |x| fold::unary(op, scalar, x))
            }
        })
    }

    pub(in crate::ir) fn binary(&self, op: BinaryOp, a: Value, b: Value) -> Option<Lanes> {
        let scalar = self.scalar(a)?;
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return Some(self.logic(op, a, b));
        }
        Some(self.map2(a, b, |x, y| fold::binary(op, scalar, x, y)))
    }

    /// A known lane may decide alone.
    fn logic(&self, op: BinaryOp, a: Value, b: Value) -> Lanes {
        let ones = fold::mask(self.scalar(a).map_or(64, Scalar::bits));
        let decides = if op == BinaryOp::And { 0 } else { ones };
        let lanes = self.lanes(a).iter().zip(self.lanes(b));
        lanes
            .map(|(a, b)| match (*a, *b) {
                (Some(d), _) | (_, Some(d)) if d == decides => Some(d),
                (Some(a), Some(b)) => Some(if op == BinaryOp::And { a & b } else { a | b }),
                _ => None,
            })
            .collect()
    }

    pub(in crate::ir) fn select(&self, condition: Value, a: Value, b: Value) -> Option<Lanes> {
        let condition = self.lanes(condition);
        let last = condition.len().checked_sub(1)?;
        let lanes = self.lanes(a).iter().zip(self.lanes(b)).enumerate();
        lanes.map(|(n, (a, b))| Some(if condition[n.min(last)]? != 0 { *a } else { *b })).collect()
    }

    pub(in crate::ir) fn bitcast(&self, a: Value) -> Option<Lanes> {
        let (from, to) = (self.scalar(a)?.bytes(), self.ty.scalar()?.bytes() as usize);
        let bytes: Vec<Option<u8>> = bits(self.lanes(a), self.function.ty(a))
            .iter()
            .flat_map(|l| (0..from).map(move |i| l.map(|b| (b >> (8 * i)) as u8)))
            .collect();
        let join = |chunk: &[Option<u8>]| {
            chunk.iter().rev().try_fold(0u64, |acc, byte| Some(acc << 8 | u64::from((*byte)?)))
        };
        Some(bytes.chunks(to).map(join).collect())
    }

    pub(in crate::ir) fn construct(&self, parts: &[Value]) -> Lanes {
        let mut lanes: Lanes = parts.iter().flat_map(|p| self.lanes(*p).iter().copied()).collect();
        if lanes.len() == 1 {
            lanes.resize(usize::from(self.ty.lanes()), lanes[0]);
        }
        lanes
    }

    pub(in crate::ir) fn insert(&self, vector: Value, scalar: Value, index: Value) -> Lanes {
        let mut lanes = self.lanes(vector).clone();
        match self.one(index).and_then(|n| lanes.get_mut(n as usize)) {
            Some(lane) => *lane = self.one(scalar),
            None => lanes.fill(None),
        }
        lanes
    }

    /// A function of GLSL.std.450 whose result is exact.
    pub(in crate::ir) fn glsl(&self, number: u32, args: &[Value]) -> Option<Lanes> {
        let scalar = self.ty.scalar()?;
        let lane = |lane: usize| {
            let args: Option<SmallVec<[u64; 2]>> = args.iter().map(|a| *self.lanes(*a).get(lane)?).collect();
            fold::glsl(number, scalar, &args?)
        };
        Some((0..usize::from(self.ty.lanes())).map(lane).collect())
    }
}

/// The bits of a value: those of a NaN are undefined (IEEE 754 leaves them to the operation).
pub(in crate::ir) fn bits(lanes: &Lanes, ty: Type) -> Lanes {
    let scalar = ty.scalar().filter(|s| s.is_float());
    let is_nan = |bits: &u64| scalar.is_some_and(|s| fold::unary(UnaryOp::IsNan, s, *bits) == Some(1));
    lanes.iter().map(|lane| lane.filter(|bits| !is_nan(bits))).collect()
}
