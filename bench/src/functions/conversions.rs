//! Conversions of every type to every other, in every rounding mode, saturated and not (§6.4.3), and reinterpretation (§6.4.4).

use super::items::{Batch, Data, Expr, Gen, lanewise};
use super::report::family;
use super::run::{Claims, Jobs};
use super::values::{ALL, Ty, Vt, WIDTHS};

/// How numbers are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Even,
    Zero,
    Up,
    Down,
}

/// The suffixes; without one floats are rounded to even, integers towards zero.
pub const MODES: [(&str, Option<Mode>); 5] = [
    ("", None),
    ("_rte", Some(Mode::Even)),
    ("_rtz", Some(Mode::Zero)),
    ("_rtp", Some(Mode::Up)),
    ("_rtn", Some(Mode::Down)),
];

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    let types = claims.types(&ALL);
    for from in &types {
        for width in WIDTHS {
            // To several types at once, so that kernels are not too small.
            let exprs = types.iter().flat_map(|to| conversions(*from, *to, width)).collect();
            let args = vec![(Vt::new(*from, width), Gen::Borders)];
            Batch { args, prelude: String::new(), exprs }.jobs(&mut jobs.list);
            let exprs = types.iter().flat_map(|to| reinterpreted(*from, *to, width)).collect();
            let args = vec![(Vt::new(*from, width), Gen::Any)];
            Batch { args, prelude: String::new(), exprs }.jobs(&mut jobs.list);
        }
    }
}

fn conversions(from: Ty, to: Ty, width: usize) -> Vec<Expr> {
    let mut exprs = Vec::new();
    for (suffix, mode) in MODES {
        for sat in ["", "_sat"] {
            if to.float() && !sat.is_empty() {
                continue;
            }
            let result = Vt::new(to, width);
            let text = format!("convert_{}{sat}{suffix}(a)", result.name());
            let name = format!("convert{sat}{suffix}");
            let sat = !sat.is_empty();
            let of = move |v: &[u64]| convert(from, to, v[0], mode, sat);
            exprs.push(lanewise(family("conversions", &name), from, text, result, 1, of));
        }
    }
    exprs
}

/// The result of a conversion; `None` if it is not defined.
fn convert(from: Ty, to: Ty, bits: u64, mode: Option<Mode>, sat: bool) -> Option<u64> {
    if to.float() {
        if !from.float() {
            let value = from.int(bits);
            return Some(round(to, value < 0, value.unsigned_abs(), 0, mode.unwrap_or(Mode::Even)));
        }
        return Some(convert_float(from.number(bits), to, mode.unwrap_or(Mode::Even)));
    }
    let value = if from.float() {
        let number = from.number(bits);
        if number.is_nan() {
            return sat.then_some(0);
        }
        let whole = match mode.unwrap_or(Mode::Zero) {
            Mode::Even => number.round_ties_even(),
            Mode::Zero => number.trunc(),
            Mode::Up => number.ceil(),
            Mode::Down => number.floor(),
        };
        // `as` saturates, far beyond every type.
        whole as i128
    } else {
        from.int(bits)
    };
    let fits = (to.least()..=to.most()).contains(&value);
    // Of integers the low bits are kept (C99 §6.3.1.3); of floats that is implementation-defined.
    if sat { Some(to.saturate(value)) } else { (fits || !from.float()).then(|| to.wrap(value)) }
}

/// A number as a float of a type.
pub fn convert_float(number: f64, to: Ty, mode: Mode) -> u64 {
    if !number.is_finite() || number == 0.0 {
        return to.float_bits(number);
    }
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let digits = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    round(to, number < 0.0, digits.into(), exponent.max(1) - 1075, mode)
}

/// ±digits · 2^exponent as the type's bits.
fn round(to: Ty, negative: bool, digits: u128, exponent: i32, mode: Mode) -> u64 {
    let real = to.real();
    let sign = u64::from(negative) << (to.bits() - 1);
    if digits == 0 {
        return sign;
    }
    // The unit of the last place, as a power of two.
    let top = 128 - digits.leading_zeros() as i32 + exponent;
    let unit = (top - real.digits()).max(real.least_exponent() - real.digits() + 1);
    let shift = unit - exponent;
    let (mut whole, rest, half) = if shift <= 0 {
        (digits << -shift, 0, 1)
    } else if shift > 127 {
        (0, 1, 2)
    } else {
        (digits >> shift, digits & ((1 << shift) - 1), 1u128 << (shift - 1))
    };
    let up = match mode {
        Mode::Even => rest > half || rest == half && whole & 1 == 1,
        Mode::Zero => false,
        Mode::Up => rest > 0 && !negative,
        Mode::Down => rest > 0 && negative,
    };
    whole += u128::from(up);
    let least_unit = real.least_exponent() - real.digits() + 1;
    let fraction_bits = real.digits() - 1;
    // A carry goes into the exponent as it should.
    let bits = whole as u64 + (((unit - least_unit) as u64) << fraction_bits);
    let infinity = real.bits(f64::INFINITY);
    if bits >= infinity {
        let to_infinity = match mode {
            Mode::Even => true,
            Mode::Zero => false,
            Mode::Up => !negative,
            Mode::Down => negative,
        };
        return sign | if to_infinity { infinity } else { infinity - 1 };
    }
    sign | bits
}

/// `as_` of types of the same size; three elements have the size of four.
fn reinterpreted(from: Ty, to: Ty, width: usize) -> Vec<Expr> {
    let vt = Vt::new(from, width);
    let mut exprs = Vec::new();
    for to_width in WIDTHS {
        let result = Vt::new(to, to_width);
        if result.size() != vt.size() {
            continue;
        }
        // To and from three elements of another size is implementation-defined.
        if (to_width == 3 || width == 3) && from.bytes() != to.bytes() {
            continue;
        }
        let expected = move |data: &Data, set: usize| {
            let bytes: Vec<Option<u8>> = (0..vt.places())
                .flat_map(|lane| {
                    let bits = (lane < width).then(|| data.lane(0, set, lane));
                    (0..from.bytes()).map(move |b| bits.map(|v| (v >> (8 * b)) as u8))
                })
                .collect();
            let lane = |lane: usize| {
                let part = &bytes[lane * to.bytes()..(lane + 1) * to.bytes()];
                part.iter().rev().try_fold(0, |v, b| b.map(|b| v << 8 | u64::from(b)))
            };
            (0..to_width).map(lane).collect()
        };
        exprs.push(Expr {
            family: family("conversions", "as_type"),
            ty: from,
            text: format!("as_{}(a)", result.name()),
            result,
            expected: Box::new(expected),
        });
    }
    exprs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_even_is_the_machine_s() {
        let mut random = super::super::values::Random(1);
        for n in 0..200_000 {
            let bits = random.next();
            let number =
                if n % 2 == 0 { f64::from_bits(bits) } else { (bits as i64 >> (n % 60)) as f64 * 1e-40 };
            if !number.is_nan() {
                assert_eq!(
                    convert_float(number, Ty::Float, Mode::Even),
                    u64::from((number as f32).to_bits()),
                    "{number:e}"
                );
                assert_eq!(
                    convert_float(number, Ty::Half, Mode::Even),
                    Ty::Half.float_bits(number),
                    "{number:e}"
                );
                assert_eq!(convert_float(number, Ty::Double, Mode::Up), number.to_bits());
            }
            let whole = bits as i64 >> (n % 60);
            assert_eq!(
                round(Ty::Double, whole < 0, whole.unsigned_abs().into(), 0, Mode::Even),
                (whole as f64).to_bits()
            );
        }
    }
}
