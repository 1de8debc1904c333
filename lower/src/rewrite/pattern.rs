//! Terms of rules: the operations, variables and types that a row may name.

use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, InstKind, IntCC, Scalar, Type, UnaryOp, Value};

/// A pattern or a replacement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term {
    /// Any value.
    Var(u8),
    /// A constant with equal lanes.
    Const(u8),
    /// An integer, cut to the width of its type.
    Int(i64),
    /// A float.
    Float(f64),
    /// An undefined value.
    Undef,
    /// A term with a name for its value.
    Named(u8, &'static Term),
    /// An instruction, its type, and its operands.
    Op(Op, Typed, &'static [Term]),
}

/// An operation of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Unary(UnaryOp),
    Binary(BinaryOp),
    ICmp(Cmp<IntCC>),
    FCmp(Cmp<FloatCC>),
    Select,
    Convert(ConvertOp),
    Bitcast,
    Fma,
    /// A function of GLSL.std.450.
    Glsl(u32),
    /// The number of low zero bits of a constant.
    Ctz,
    /// The constant that has all bits of the width of a value.
    Mask,
    /// The width of a value, as a constant.
    Width,
    /// Half the width of a value, as a constant.
    HalfWidth,
}

/// A comparison of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cmp<CC> {
    /// This one.
    Is(CC),
    /// Any; in a replacement the matched one.
    Any,
    /// The negation of the matched one.
    Not,
    /// The unsigned one for the matched one.
    Unsigned,
}

/// The type of an operation's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    /// The type of the operands, or of the place.
    Same,
    /// As many lanes of this scalar.
    Scalar(Scalar),
    /// The type of a variable.
    Var(u8),
    /// Integers of half the operand's width.
    Half,
}

/// The number of variables.
pub(crate) const VARS: usize = 11;

/// The variables that rows may name.
#[allow(non_upper_case_globals, dead_code)] // A vocabulary: rows name what they need.
pub(crate) mod vars {
    pub(crate) const x: u8 = 0;
    pub(crate) const y: u8 = 1;
    pub(crate) const z: u8 = 2;
    pub(crate) const w: u8 = 3;
    pub(crate) const c: u8 = 4;
    pub(crate) const d: u8 = 5;
    pub(crate) const a: u8 = 6;
    pub(crate) const b: u8 = 7;
    pub(crate) const j: u8 = 8;
    pub(crate) const k: u8 = 9;
    pub(crate) const m: u8 = 10;
}

/// The types that rows may name.
#[allow(non_upper_case_globals, dead_code)] // A vocabulary: rows name what they need.
pub(crate) mod types {
    use super::Typed::{self, Same, Var};
    use super::vars;
    pub(crate) const same: Typed = Same;
    pub(crate) const i32: Typed = Typed::Scalar(super::Scalar::I32);
    pub(crate) const i64: Typed = Typed::Scalar(super::Scalar::I64);
    pub(crate) const f32: Typed = Typed::Scalar(super::Scalar::F32);
    pub(crate) const a: Typed = Var(vars::a);
    pub(crate) const x: Typed = Var(vars::x);
    pub(crate) const y: Typed = Var(vars::y);
    pub(crate) const half: Typed = Typed::Half;
}

/// The operations that rows may name, as the text of the IR names them.
#[allow(non_upper_case_globals, dead_code)] // A vocabulary: rows name what they need.
pub(crate) mod ops {
    use super::{BinaryOp as B, Cmp, ConvertOp as C, FloatCC, IntCC, Op, UnaryOp as U};
    use spirv::GlslStd450Op as G;

    macro_rules! ops {
        ($($name:ident = $op:expr;)*) => { $(pub(crate) const $name: Op = $op;)* };
    }
    ops! {
        ineg = Op::Unary(U::INeg); not = Op::Unary(U::Not); fneg = Op::Unary(U::FNeg); fabs = Op::Unary(U::FAbs);
        bitreverse = Op::Unary(U::BitReverse); bitcount = Op::Unary(U::BitCount);
        iadd = Op::Binary(B::IAdd); isub = Op::Binary(B::ISub); imul = Op::Binary(B::IMul);
        udiv = Op::Binary(B::UDiv); sdiv = Op::Binary(B::SDiv); urem = Op::Binary(B::URem); srem = Op::Binary(B::SRem);
        and = Op::Binary(B::And); or = Op::Binary(B::Or); xor = Op::Binary(B::Xor);
        shl = Op::Binary(B::Shl); lshr = Op::Binary(B::LShr); ashr = Op::Binary(B::AShr);
        umin = Op::Binary(B::UMin); umax = Op::Binary(B::UMax); smin = Op::Binary(B::SMin); smax = Op::Binary(B::SMax);
        umulhi = Op::Binary(B::UMulHi); smulhi = Op::Binary(B::SMulHi);
        fadd = Op::Binary(B::FAdd); fsub = Op::Binary(B::FSub); fmul = Op::Binary(B::FMul); fmul_no_contraction = Op::Binary(B::FMulNoContraction); fdiv = Op::Binary(B::FDiv);
        icmp = Op::ICmp(Cmp::Any); icmp_not = Op::ICmp(Cmp::Not); icmp_unsigned = Op::ICmp(Cmp::Unsigned);
        eq = Op::ICmp(Cmp::Is(IntCC::Eq)); ne = Op::ICmp(Cmp::Is(IntCC::Ne));
        ult = Op::ICmp(Cmp::Is(IntCC::Ult)); ule = Op::ICmp(Cmp::Is(IntCC::Ule));
        ugt = Op::ICmp(Cmp::Is(IntCC::Ugt)); uge = Op::ICmp(Cmp::Is(IntCC::Uge));
        slt = Op::ICmp(Cmp::Is(IntCC::Slt)); sle = Op::ICmp(Cmp::Is(IntCC::Sle));
        sgt = Op::ICmp(Cmp::Is(IntCC::Sgt)); sge = Op::ICmp(Cmp::Is(IntCC::Sge));
        fcmp = Op::FCmp(Cmp::Any); fcmp_not = Op::FCmp(Cmp::Not);
        olt = Op::FCmp(Cmp::Is(FloatCC::OLt));
        select = Op::Select; bitcast = Op::Bitcast; fma = Op::Fma; ctz = Op::Ctz; mask = Op::Mask; width = Op::Width; half_width = Op::HalfWidth;
        trunc = Op::Convert(C::Trunc); zext = Op::Convert(C::ZExt); sext = Op::Convert(C::SExt);
        ftof = Op::Convert(C::FloatToFloat); stof = Op::Convert(C::SToF); utof = Op::Convert(C::UToF);
        ftos = Op::Convert(C::FToS); ftou = Op::Convert(C::FToU);
        sqrt = Op::Glsl(G::Sqrt as u32); inverse_sqrt = Op::Glsl(G::InverseSqrt as u32);
        find_lsb = Op::Glsl(G::FindILsb as u32);
    }
}

/// A set of heads of values, one bit each.
pub(crate) type Heads = u64;

/// The heads of constants: all bits clear, 1, all bits set, 1.0 or -1.0, the highest bit alone, and others. One that has several of these
/// has all their heads: of one bit 1 is all bits.
const ZERO: u32 = 54;
const ONE: u32 = 55;
const ONES: u32 = 56;
const UNIT: u32 = 57;
const SIGN: u32 = 58;
const CONSTANT: u32 = 59;
const CONSTANTS: Heads = 0b11_1111 << ZERO;
/// The head of an undefined value, and of a value without a rule.
const UNDEFINED: u32 = 60;
const OTHER: u32 = 61;
/// The head of an operand, besides its own, that equals the next operand.
pub(crate) const EQUAL: Heads = 1 << 62;

// Heads are numbered by these.
const _: () = assert!(UnaryOp::ALL.len() <= 12 && BinaryOp::ALL.len() <= 28 && ConvertOp::ALL.len() <= 8);

impl Op {
    /// The head: one number for each kind of instruction, comparisons together, and functions together.
    pub(crate) const fn head(self) -> u32 {
        match self {
            Op::Unary(op) => op as u32,
            Op::Binary(op) => 12 + op as u32,
            Op::ICmp(_) => 40,
            Op::FCmp(_) => 41,
            Op::Select => 42,
            Op::Bitcast => 43,
            Op::Fma => 44,
            Op::Glsl(_) => 45,
            Op::Convert(op) => 46 + op as u32,
            Op::Ctz | Op::Mask | Op::Width | Op::HalfWidth => OTHER,
        }
    }

    /// Whether the operands may be exchanged.
    pub(crate) const fn commutes(self) -> bool {
        match self {
            Op::Binary(op) => commutes(op),
            Op::ICmp(Cmp::Is(IntCC::Eq | IntCC::Ne)) => true,
            _ => false,
        }
    }
}

/// Whether the operands of an operation may be exchanged.
pub(crate) const fn commutes(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        IAdd | IMul
            | And
            | Or
            | Xor
            | UMin
            | UMax
            | SMin
            | SMax
            | UMulHi
            | SMulHi
            | FAdd
            | FMul
            | FMulNoContraction
    )
}

/// The head of an instruction.
#[inline]
pub(crate) fn head_of(kind: &InstKind) -> u32 {
    match kind {
        InstKind::Unary(op, _) => Op::Unary(*op).head(),
        InstKind::Binary(op, ..) => Op::Binary(*op).head(),
        InstKind::ICmp(..) => Op::ICmp(Cmp::Any).head(),
        InstKind::FCmp(..) => Op::FCmp(Cmp::Any).head(),
        InstKind::Select(..) => Op::Select.head(),
        InstKind::Convert { op, .. } => Op::Convert(*op).head(),
        InstKind::Bitcast(_) => Op::Bitcast.head(),
        InstKind::Fma(..) => Op::Fma.head(),
        InstKind::Glsl { .. } => Op::Glsl(0).head(),
        _ => OTHER,
    }
}

/// The head of a value, as a set.
#[inline]
pub(crate) fn heads_of(f: &crate::ir::Function, value: Value) -> Heads {
    use crate::ir::{Constant, ValueDef};
    let data = &f.values[value];
    match data.def {
        ValueDef::Inst(inst, _) => 1 << head_of(&f.insts[inst].kind),
        ValueDef::Const(Constant::Bits(bits)) => constant_heads(data.ty, bits),
        ValueDef::Const(Constant::Undef) => 1 << UNDEFINED,
        ValueDef::Param(..) => 1 << OTHER,
    }
}

/// The heads of a constant.
fn constant_heads(ty: Type, bits: u64) -> Heads {
    if bits == 0 {
        return 1 << ZERO;
    }
    let width = ty.scalar().map_or(64, Scalar::bits);
    let unit = match width {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        _ => 0x3ff0_0000_0000_0000,
    };
    let magnitude = bits & fold::mask(width - 1);
    let is = |holds: bool, head: u32| Heads::from(holds) << head;
    let heads = is(bits == 1, ONE)
        | is(bits == fold::mask(width), ONES)
        | is(magnitude == unit, UNIT)
        | is(magnitude == 0, SIGN);
    if heads == 0 { 1 << CONSTANT } else { heads }
}

impl Term {
    /// The heads of the values that the term may match.
    pub(crate) const fn heads(&self) -> Heads {
        match self {
            Term::Var(_) => Heads::MAX,
            Term::Int(0) => 1 << ZERO,
            Term::Int(1) => 1 << ONE,
            Term::Int(-1) => 1 << ONES,
            // The zero without a sign has no bit set.
            Term::Float(x) if x.to_bits() == 0 => 1 << ZERO,
            Term::Float(0.0) => 1 << SIGN,
            Term::Float(1.0 | -1.0) => 1 << UNIT,
            Term::Const(_) | Term::Int(_) | Term::Float(_) => CONSTANTS,
            Term::Undef => 1 << UNDEFINED,
            Term::Named(_, term) => term.heads(),
            Term::Op(op, ..) => 1 << op.head(),
        }
    }

    /// The number of operations whose operands may be exchanged.
    pub(crate) const fn commutative(&self) -> u32 {
        match self {
            Term::Named(_, term) => term.commutative(),
            Term::Op(op, _, args) => {
                let (mut count, mut n) = (op.commutes() as u32, 0);
                while n < args.len() {
                    count += args[n].commutative();
                    n += 1;
                }
                count
            }
            _ => 0,
        }
    }
}

impl Op {
    /// The constant that stands for a property of a width.
    pub(crate) fn of_width(self, width: u32) -> Option<u64> {
        match self {
            Op::Mask => Some(fold::mask(width)),
            Op::Width => Some(width.into()),
            Op::HalfWidth => Some(u64::from(width / 2)),
            _ => None,
        }
    }
}

/// The bits of a constant term at a type.
pub(crate) fn constant_bits(term: &Term, ty: Type) -> Option<u64> {
    let scalar = ty.scalar()?;
    match term {
        Term::Int(n) if !scalar.is_float() => Some(*n as u64 & fold::mask(scalar.bits())),
        Term::Float(x) if scalar.is_float() => float_bits(*x, scalar),
        _ => None,
    }
}

/// The bits of a float.
pub(crate) fn float_bits(x: f64, scalar: Scalar) -> Option<u64> {
    fold::convert(ConvertOp::FloatToFloat, Scalar::F64, scalar, x.to_bits(), false, None)
}

/// A scalar type, or an integer of any width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// So many bits; a truth value has one.
    Int(u32),
    /// A float.
    Float(Scalar),
}

impl Sort {
    /// The sort of a scalar.
    pub(crate) fn new(scalar: Scalar) -> Sort {
        if scalar.is_float() { Sort::Float(scalar) } else { Sort::Int(scalar.bits()) }
    }

    /// The width in bits.
    pub(crate) fn width(self) -> u32 {
        match self {
            Sort::Int(width) => width,
            Sort::Float(scalar) => scalar.bits(),
        }
    }
}

/// One lane of an operation on constants, whose comparison is resolved. `None`: it is undefined, or not folded.
pub(crate) fn evaluate(op: Op, from: Sort, to: Sort, args: &[u64]) -> Option<u64> {
    match (op, from, args) {
        (Op::Unary(op), Sort::Int(width), [a]) => fold::integer_unary(op, width, *a),
        (Op::Unary(op), Sort::Float(scalar), [a]) => fold::unary(op, scalar, *a),
        (Op::Binary(op), Sort::Int(width), [a, b]) => fold::integer(op, width, *a, *b),
        (Op::Binary(op), Sort::Float(scalar), [a, b]) => fold::binary(op, scalar, *a, *b),
        (Op::ICmp(Cmp::Is(cc)), Sort::Int(width), [a, b]) => Some(fold::icmp(cc, width, *a, *b).into()),
        (Op::FCmp(Cmp::Is(cc)), Sort::Float(scalar), [a, b]) => fold::fcmp(cc, scalar, *a, *b).map(u64::from),
        (Op::Select, _, [c, a, b]) => Some(if *c != 0 { *a } else { *b }),
        (Op::Convert(ConvertOp::Trunc | ConvertOp::ZExt), Sort::Int(_), [a]) => {
            Some(a & fold::mask(to.width()))
        }
        (Op::Convert(ConvertOp::SExt), Sort::Int(width), [a]) => {
            Some(fold::signed(*a, width) as u64 & fold::mask(to.width()))
        }
        (Op::Convert(op @ (ConvertOp::SToF | ConvertOp::UToF)), Sort::Int(width), [a]) => {
            let Sort::Float(to) = to else { return None };
            // The sign, or the zeros, of 64 bits.
            let wide = if op == ConvertOp::SToF { fold::signed(*a, width) as u64 } else { *a };
            fold::convert(op, Scalar::I64, to, wide, false, None)
        }
        (Op::Convert(ConvertOp::FloatToFloat), Sort::Float(from), [a]) => {
            let Sort::Float(to) = to else { return None };
            fold::convert(ConvertOp::FloatToFloat, from, to, *a, false, None)
        }
        (Op::Fma, Sort::Float(scalar), [a, b, c]) => fold::fma(scalar, *a, *b, *c),
        (Op::Ctz, Sort::Int(width), [a]) => Some(u64::from(a.trailing_zeros().min(width))),
        (Op::Bitcast, ..) | (Op::Glsl(_), ..) => None,
        _ => None,
    }
}
