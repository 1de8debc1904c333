//! The proof of the table: each row is evaluated for all small integers and for special floats, and applied to real IR.
//!
//! Integers have every width of 1 to 8 bits; rows of three variables and more have up to 5 and 4. Floats are halves, floats and doubles, with
//! the values of [`special_floats`]. The pattern and the replacement must give the same wherever the guards hold and the pattern is defined.
//! Types that no instruction can have, such as a sum of an integer and a float, are skipped.

mod built;
mod workaround;

use super::guards::Known;
use super::pattern::{Cmp, Op, Sort, Typed, VARS, evaluate, float_bits};
use super::{Floats, Guard, Rule, Term, rules, table};
use crate::ir::fold;
use crate::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, Scalar, UnaryOp};
use spirv::GlslStd450Op as G;

/// A value, which may be undefined.
type Bits = Option<u64>;

/// The sorts, values and comparisons for which a row is evaluated.
struct Case {
    sorts: [Option<Sort>; VARS],
    values: [Bits; VARS],
    constants: [bool; VARS],
    /// The sorts of the conversions of the pattern, in order.
    conversions: Vec<Sort>,
    icmp: IntCC,
    fcmp: FloatCC,
    undef: u64,
}

/// The types of a row do not fit.
struct Unfit;

/// A value with its sort; a literal takes that of its place.
type Typed2 = (Option<Sort>, Bits);

/// Zeros, ones, infinities, NaN, the ends of the normal and of the denormal numbers, and some others.
fn special_floats(scalar: Scalar) -> Vec<u64> {
    let (fraction, width) = match scalar {
        Scalar::F16 => (10, 16),
        Scalar::F32 => (23, 32),
        _ => (52, 64),
    };
    let infinity = fold::mask(width - 1 - fraction) << fraction;
    let positive = [0, 1, fold::mask(fraction), 1 << fraction, 2 << fraction, infinity - 1, infinity];
    let exponents = infinity - (1 << fraction);
    let numbers = [1.0, 1.5, 2.0, 0.5, 3.0, 0.1, 0.25, 1024.0].map(|x| {
        let single =
            fold::convert(ConvertOp::FloatToFloat, Scalar::F64, Scalar::F32, f64::to_bits(x), false, None);
        fold::convert(ConvertOp::FloatToFloat, Scalar::F32, scalar, single.expect("a float"), false, None)
            .expect("rounds to nearest")
    });
    let positive = positive.into_iter().chain([exponents, exponents - (1 << fraction)]).chain(numbers);
    let mut all: Vec<u64> = positive.flat_map(|x| [x, x | 1 << (width - 1)]).collect();
    all.push(infinity | 1 << (fraction - 1));
    all
}

/// The floats that rules get wrong first: zeros, the least and the greatest denormal number, one, the greatest number, infinities and NaN.
fn key_floats(scalar: Scalar) -> Vec<u64> {
    let (fraction, width) = match scalar {
        Scalar::F16 => (10, 16),
        Scalar::F32 => (23, 32),
        _ => (52, 64),
    };
    let infinity = fold::mask(width - 1 - fraction) << fraction;
    let one = float_bits(1.0, scalar).expect("a float");
    let positive = [0, 1, fold::mask(fraction), one, infinity - 1, infinity];
    let signed = positive.into_iter().flat_map(|x| [x, x | 1 << (width - 1)]);
    signed.chain([infinity | 1 << (fraction - 1)]).collect()
}

/// Calls `f` for a term and all its parts.
fn visit(term: &Term, f: &mut impl FnMut(&Term)) {
    f(term);
    match term {
        Term::Named(_, inner) => visit(inner, f),
        Term::Op(_, _, args) => args.iter().for_each(|arg| visit(arg, f)),
        _ => {}
    }
}

/// Whether some operation computes with floats, and does not only move them.
fn computes_floats(term: &Term) -> bool {
    use BinaryOp::{FAdd, FDiv, FMul, FMulNoContraction, FRem, FSub};
    let mut found = false;
    visit(term, &mut |term| {
        found |= match term {
            Term::Op(Op::Unary(UnaryOp::FNeg | UnaryOp::FAbs) | Op::FCmp(_) | Op::Fma, ..) => true,
            Term::Op(Op::Binary(FAdd | FDiv | FMul | FMulNoContraction | FRem | FSub), ..) => true,
            Term::Op(Op::Convert(op), ..) => {
                !matches!(op, ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt)
            }
            _ => false,
        };
    });
    found
}

fn is_conversion(term: &Term) -> bool {
    matches!(term, Term::Op(Op::Convert(_) | Op::Bitcast, ..))
}

impl Case {
    /// A case with variables of these sorts, without values.
    fn new(sorts: impl Iterator<Item = (usize, Sort)>) -> Case {
        let mut case = Case {
            sorts: [None; VARS],
            values: [None; VARS],
            constants: [false; VARS],
            conversions: Vec::new(),
            icmp: IntCC::Eq,
            fcmp: FloatCC::OEq,
            undef: 0,
        };
        sorts.for_each(|(var, sort)| case.sorts[var] = Some(sort));
        case
    }

    /// The sort and the value of a term in a place.
    fn term(
        &mut self,
        term: &Term,
        place: Option<Sort>,
        conversion: &mut Option<usize>,
    ) -> Result<Typed2, Unfit> {
        match term {
            Term::Var(var) | Term::Const(var) => {
                let var = usize::from(*var);
                Ok((Some(self.sorts[var].ok_or(Unfit)?), self.values[var]))
            }
            Term::Int(n) => match place {
                Some(Sort::Float(_)) => Err(Unfit),
                _ => Ok((place, place.map(|sort| *n as u64 & fold::mask(sort.width())))),
            },
            Term::Float(x) => match place {
                Some(Sort::Int(_)) => Err(Unfit),
                Some(Sort::Float(scalar)) => Ok((place, float_bits(*x, scalar))),
                None => Ok((None, None)),
            },
            Term::Undef => Ok((place, place.map(|sort| self.undef & fold::mask(sort.width())))),
            Term::Named(var, inner) => {
                let (sort, value) = self.term(inner, place, conversion)?;
                self.sorts[usize::from(*var)] = sort;
                self.values[usize::from(*var)] = value;
                Ok((sort, value))
            }
            Term::Op(op, typed, args) => self.operation(*op, *typed, args, place, conversion),
        }
    }

    fn operation(
        &mut self,
        op: Op,
        typed: Typed,
        args: &[Term],
        place: Option<Sort>,
        conversion: &mut Option<usize>,
    ) -> Result<Typed2, Unfit> {
        let index = *conversion;
        if let (Op::Convert(_) | Op::Bitcast, Some(n)) = (op, conversion.as_mut()) {
            *n += 1;
        }
        let keeps = matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Fma | Op::Select | Op::Ctz);
        // The sort of the operands, from those that have one. Conversions inside are counted again below.
        let mut operand = None;
        let skipped = usize::from(op == Op::Select);
        let mut counter = *conversion;
        for arg in args {
            let (sort, _) = self.term(arg, None, &mut counter)?;
            if std::ptr::eq(arg, &args[0]) && skipped == 1 {
                continue;
            }
            match (operand, sort) {
                (Some(a), Some(b)) if a != b => return Err(Unfit),
                _ => operand = operand.or(sort),
            }
        }
        // An undefined operand of a conversion has no type of its own.
        let other = match op {
            Op::Convert(ConvertOp::Trunc) => Some(Sort::Int(64)),
            Op::Convert(ConvertOp::ZExt | ConvertOp::SExt) => Some(Sort::Int(2)),
            _ => place.filter(|_| keeps),
        };
        let operand = operand.or(other);
        let mut values = Vec::new();
        for (n, arg) in args.iter().enumerate() {
            let place = if n < skipped { Some(Sort::Int(1)) } else { operand };
            let (sort, value) = self.term(arg, place, conversion)?;
            if n < skipped && sort != Some(Sort::Int(1)) {
                return Err(Unfit);
            }
            values.push(value);
        }
        if let Some(bits) = op.of_width(operand.map_or(0, Sort::width)) {
            return Ok((place, place.map(|place| bits & fold::mask(place.width()))));
        }
        let Some(from) = operand else { return Ok((None, None)) };
        let to = match op {
            Op::ICmp(_) | Op::FCmp(_) => Sort::Int(1),
            Op::Convert(_) | Op::Bitcast => match (index, typed) {
                (Some(n), _) => *self.conversions.get(n).ok_or(Unfit)?,
                (None, Typed::Same) => place.ok_or(Unfit)?,
                (None, Typed::Var(var)) => self.sorts[usize::from(var)].ok_or(Unfit)?,
                (None, Typed::Scalar(scalar)) => Sort::new(scalar),
                (None, Typed::Half) if from.width() % 2 == 0 => Sort::Int(from.width() / 2),
                (None, Typed::Half) => return Err(Unfit),
            },
            _ => from,
        };
        if !well_typed(op, from, to) {
            return Err(Unfit);
        }
        let op = match op {
            Op::ICmp(Cmp::Any) => Op::ICmp(Cmp::Is(self.icmp)),
            Op::ICmp(Cmp::Not) => Op::ICmp(Cmp::Is(fold::not_icmp(self.icmp))),
            Op::ICmp(Cmp::Unsigned) => Op::ICmp(Cmp::Is(fold::unsigned_icmp(self.icmp))),
            Op::FCmp(Cmp::Any) => Op::FCmp(Cmp::Is(self.fcmp)),
            Op::FCmp(Cmp::Not) => Op::FCmp(Cmp::Is(fold::not_fcmp(self.fcmp))),
            op => op,
        };
        // The arm that is not chosen may be undefined.
        if let (Op::Select, [Some(c), a, b]) = (op, &values[..]) {
            return Ok((Some(to), if *c != 0 { *a } else { *b }));
        }
        let values: Option<Vec<u64>> = values.into_iter().collect();
        Ok((Some(to), values.and_then(|values| compute(op, from, to, &values))))
    }
}

/// One lane of an operation. Bit casts keep the bits, and roots are those of floats.
fn compute(op: Op, from: Sort, to: Sort, args: &[u64]) -> Bits {
    let single = |f: fn(f64) -> f64| {
        let x = f64::from(f32::from_bits(args[0] as u32));
        Some(u64::from((f(x) as f32).to_bits()))
    };
    match (op, from) {
        (Op::Bitcast, _) => Some(args[0]),
        (Op::Glsl(n), Sort::Float(Scalar::F32)) if n == G::Sqrt as u32 => single(f64::sqrt),
        (Op::Glsl(n), Sort::Float(Scalar::F32)) if n == G::InverseSqrt as u32 => single(|x| 1.0 / x.sqrt()),
        _ => evaluate(op, from, to, args),
    }
}

/// Whether an instruction may have these sorts.
fn well_typed(op: Op, from: Sort, to: Sort) -> bool {
    use BinaryOp::{And, FAdd, FDiv, FMul, FMulNoContraction, FRem, FSub, Or, Xor};
    let (int, float) = (matches!(from, Sort::Int(_)), matches!(from, Sort::Float(_)));
    let truth = from == Sort::Int(1);
    match op {
        Op::Unary(UnaryOp::FNeg | UnaryOp::FAbs) | Op::Fma | Op::FCmp(_) => float,
        Op::Unary(UnaryOp::Not) => int,
        Op::Unary(_) => int && !truth,
        Op::Binary(FAdd | FSub | FMul | FMulNoContraction | FDiv | FRem) => float,
        Op::Binary(And | Or | Xor) => int,
        Op::Binary(_) => int && !truth,
        Op::ICmp(_) => int && !truth,
        Op::Convert(ConvertOp::Trunc) => int && matches!(to, Sort::Int(w) if 1 < w && w < from.width()),
        Op::Convert(ConvertOp::ZExt | ConvertOp::SExt) => {
            int && !truth && matches!(to, Sort::Int(w) if w > from.width())
        }
        Op::Convert(ConvertOp::FloatToFloat) => float && matches!(to, Sort::Float(_)) && from != to,
        Op::Convert(ConvertOp::SToF | ConvertOp::UToF) => int && !truth && matches!(to, Sort::Float(_)),
        Op::Convert(_) => float && matches!(to, Sort::Int(w) if w > 1),
        Op::Bitcast => from.width() == to.width(),
        Op::Glsl(_) => float,
        Op::Select | Op::Ctz | Op::Mask | Op::Width | Op::HalfWidth => true,
    }
}

/// Whether a guard holds for a case with a result.
fn holds(guard: &Guard, case: &Case, result: Sort) -> bool {
    let width = |var: &u8| case.sorts[usize::from(*var)].map_or(0, Sort::width);
    match guard {
        Guard::Bits(holds, vars) | Guard::Constants(holds, vars) => {
            let exact = matches!(guard, Guard::Constants(..));
            let known: Vec<Known> = vars
                .iter()
                .map(|var| {
                    let bits = case.values[usize::from(*var)].unwrap_or(0);
                    let counts = !exact || case.constants[usize::from(*var)];
                    Known { bits: if counts { bits } else { 0 }, width: width(var) }
                })
                .collect();
            holds(&known)
        }
        Guard::Widths(holds, vars) => {
            let mut widths = [0; 3];
            widths.iter_mut().zip(*vars).for_each(|(w, var)| *w = width(var));
            holds(result.width(), &widths)
        }
        Guard::Integer(vars) => {
            vars.iter().all(|var| matches!(case.sorts[usize::from(*var)], Some(Sort::Int(2..))))
        }
        Guard::Types(..) | Guard::Legal(_) | Guard::SingleUse(_) | Guard::Computed(_) | Guard::Device(..) => {
            true
        }
    }
}

/// Whether two results are the same under what a row says of floats.
fn same(floats: Floats, sort: Sort, a: u64, b: u64) -> bool {
    let Sort::Float(scalar) = sort else { return a == b };
    let wide = |bits| {
        fold::convert(ConvertOp::FloatToFloat, scalar, Scalar::F64, bits, false, None)
            .map_or(f64::NAN, f64::from_bits)
    };
    let (x, y) = (wide(a), wide(b));
    match floats {
        _ if a == b || (x.is_nan() && y.is_nan()) => true,
        Floats::Rounded(_) => x.is_finite() && y.is_finite() && x != 0.0 && (x - y).abs() <= x.abs() * 1e-3,
        // The doubles' sum was rounded, too.
        Floats::Fused(_) => x != 0.0 && y != 0.0 && a.abs_diff(b) <= 1,
        _ => false,
    }
}

/// The result of a pattern on floats that computes with doubles: no product is rounded.
fn unrounded(rule: &Rule, case: &Case, result: Sort) -> Bits {
    if result != Sort::Float(Scalar::F32) {
        return None;
    }
    let convert = |from, to, bits| fold::convert(ConvertOp::FloatToFloat, from, to, bits, false, None);
    let double = Sort::Float(Scalar::F64);
    let mut wide = Case::new((0..VARS).filter(|var| case.sorts[*var].is_some()).map(|var| (var, double)));
    wide.values = case.values.map(|bits| convert(Scalar::F32, Scalar::F64, bits?));
    let (_, value) = wide.term(&rule.pattern, Some(double), &mut Some(0)).ok()?;
    convert(Scalar::F64, Scalar::F32, value?)
}

/// The result of checking a row.
#[derive(Default)]
struct Checked {
    /// The number of cases in which it applies.
    cases: u64,
    /// The first case in which it is wrong.
    wrong: Option<String>,
}

fn check(rule: &Rule) -> Checked {
    let (mut vars, mut named, mut constants) = (Vec::new(), Vec::new(), [false; VARS]);
    let (mut conversions, mut any_icmp, mut any_fcmp, mut undef) = (0, false, false, false);
    visit(&rule.pattern, &mut |term| {
        conversions += usize::from(is_conversion(term));
        match term {
            Term::Var(var) => vars.push(usize::from(*var)),
            Term::Const(var) => {
                vars.push(usize::from(*var));
                constants[usize::from(*var)] = true;
            }
            Term::Named(var, _) => named.push(usize::from(*var)),
            Term::Undef => undef = true,
            Term::Op(Op::ICmp(Cmp::Any), ..) => any_icmp = true,
            Term::Op(Op::FCmp(Cmp::Any), ..) => any_fcmp = true,
            _ => {}
        }
    });
    vars.sort_unstable();
    vars.dedup();
    vars.retain(|var| !named.contains(var));
    let widths: &[u32] =
        match vars.iter().filter(|v| **v != usize::from(super::vars::c)).count() + usize::from(undef) {
            0..=2 => &[1, 2, 3, 4, 8],
            3 => &[1, 2, 3, 4, 5],
            _ => &[1, 2, 3, 4],
        };
    let integers = widths.iter().copied().map(Sort::Int);
    let sorts: Vec<Sort> = integers.chain([Scalar::F16, Scalar::F32, Scalar::F64].map(Sort::Float)).collect();
    let mut checked = Checked::default();
    let choices = vars.len() + conversions;
    for n in 0..sorts.len().pow(choices as u32) {
        let mut rest = n;
        let mut next = || {
            let sort = sorts[rest % sorts.len()];
            rest /= sorts.len();
            sort
        };
        let mut case = Case::new(vars.iter().map(|var| (*var, next())));
        case.constants = constants;
        case.conversions = (0..conversions).map(|_| next()).collect();
        let Ok((result, _)) = case.term(&rule.pattern, None, &mut Some(0)) else { continue };
        let Some(result) = result.or(case.sorts.iter().flatten().copied().next()) else { continue };
        let types_fit = |guard: &&Guard| matches!(guard, Guard::Integer(_) | Guard::Widths(..));
        if !rule.guards.iter().filter(types_fit).all(|guard| holds(guard, &case, result)) {
            continue;
        }
        match case.term(&rule.replacement, Some(result), &mut None) {
            Ok((Some(sort), _)) if sort == result => {}
            _ => continue,
        }
        let comparisons = IntCC::ALL.len().max(FloatCC::ALL.len());
        for n in 0..if any_icmp {
            IntCC::ALL.len()
        } else if any_fcmp {
            FloatCC::ALL.len()
        } else {
            1
        } {
            case.icmp = IntCC::ALL[n.min(IntCC::ALL.len() - 1)];
            case.fcmp = FloatCC::ALL[n.min(comparisons - 1)];
            values(rule, &mut case, &vars, result, undef, &mut checked);
            if checked.wrong.is_some() {
                return checked;
            }
        }
    }
    checked
}

/// Evaluates a row for all values of variables of known sorts.
fn values(rule: &Rule, case: &mut Case, vars: &[usize], result: Sort, undef: bool, checked: &mut Checked) {
    let all: Vec<Vec<u64>> = vars
        .iter()
        .map(|var| match case.sorts[*var] {
            Some(Sort::Int(width)) => (0..=fold::mask(width)).collect(),
            Some(Sort::Float(scalar)) => special_floats(scalar),
            None => Vec::new(),
        })
        .collect();
    for n in 0..all.iter().map(Vec::len).product::<usize>() {
        let mut rest = n;
        for (var, values) in vars.iter().zip(&all) {
            case.values[*var] = Some(values[rest % values.len()]);
            rest /= values.len();
        }
        let (mut applies, mut right, mut found) = (false, false, (0, None));
        // An undefined value may be any: some must do.
        let undefined = match result {
            _ if !undef => vec![0],
            Sort::Int(width) => (0..=fold::mask(width)).collect(),
            Sort::Float(scalar) => special_floats(scalar),
        };
        for undef in undefined {
            case.undef = undef;
            let Ok((_, Some(before))) = case.term(&rule.pattern, Some(result), &mut Some(0)) else {
                continue;
            };
            if !rule.guards.iter().all(|guard| holds(guard, case, result)) {
                continue;
            }
            let Ok((_, after)) = case.term(&rule.replacement, Some(result), &mut None) else { continue };
            let before =
                if let Floats::Fused(_) = rule.floats { unrounded(rule, case, result) } else { Some(before) };
            let Some(before) = before else { continue };
            applies = true;
            right |= after.is_some_and(|after| same(rule.floats, result, before, after));
            found = (before, after);
        }
        checked.cases += u64::from(applies);
        if applies && !right {
            let values: Vec<_> = vars.iter().map(|v| (NAMES[*v], case.sorts[*v], case.values[*v])).collect();
            checked.wrong = Some(format!(
                "{}\n  {values:?} {:?} {:?}: {:?} becomes {:?}",
                rule.text, case.icmp, case.conversions, found.0, found.1
            ));
            return;
        }
    }
}

const NAMES: [&str; VARS] = ["x", "y", "z", "w", "c", "d", "a", "b", "j", "k", "m"];

/// All rows.
fn rows() -> impl Iterator<Item = &'static Rule> {
    table::SIMPLIFYING.iter().chain(table::OTHERS).copied().flatten()
}

#[test]
fn every_row_is_right() {
    let wrong: Vec<String> = rows()
        .filter_map(|rule| {
            let checked = check(rule);
            let stated = rule.floats != Floats::None;
            let floats = computes_floats(&rule.pattern) || computes_floats(&rule.replacement);
            match checked.wrong {
                Some(wrong) => Some(format!("wrong: {wrong}")),
                None if checked.cases == 0 => Some(format!("never applies: {}", rule.text)),
                None if floats != stated => Some(format!("the effect on floats: {}", rule.text)),
                None => None,
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_rows_are_found() {
    const WRONG: &[Rule] = rules! {
        (isub x y) => (isub y x);
        (iadd x #k) if power_of_two(k) => x;
        (udiv x #k) => (lshr x (ctz k));
        (imul (shl x #j) #k) => (imul x (iadd k j));
        (sdiv x y) if not_negative(x) => (udiv x y);
        (zext (trunc x)) => x;
        (sext (zext x)) => (sext x);
        (icmp (sext x) #k) => (icmp x (trunc.x k));
        (shl (shl x #j) #k) if below_width(j, k) => (shl x (iadd j k));
        (not (icmp x y)) => (icmp x y);
        (select c x y) => (select c y x);
        (and undef #k) => ones;
        // The sum of two zeros, a quotient of infinities, and a NaN.
        (fadd x 0.0) => x exact;
        (fsub x x) => 0.0 exact;
        (fdiv x x) => 1.0 exact;
        (not (fcmp x y)) => (fcmp x y) exact;
        (not (fcmp x y)) => (fcmp_not y x) exact;
        (not (olt x y)) => (olt y x) exact;
        (fmul x -1.0) => (fsub 0.0 x) exact;
        (fabs x) => (select (olt x 0.0) (fneg x) x) exact;
        (fmul x 0.0) => 0.0 rounded("no NaN");
        (fdiv x #k) => (fmul x (fdiv 1.0 k)) exact;
    };
    for rule in WRONG {
        assert!(check(rule).wrong.is_some(), "a wrong row passes: {}", rule.text);
    }
}
