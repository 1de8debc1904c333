//! Single values as text (C99 §7.19.6.1 "The fprintf function", paragraphs 5 to 9 and 13).

use super::spec::Spec;

/// The largest number of digits after a double's point (2^-1074). Further ones are zeros.
const MAX_DIGITS: usize = 1100;

/// A field: the text before the padding zeros (sign, 0x), then the digits.
fn field(out: &mut Vec<u8>, spec: Spec, zeros: bool, prefix: &str, digits: &str) {
    let padding = spec.width.saturating_sub(prefix.len() + digits.len());
    let fill = |out: &mut Vec<u8>, byte: u8| out.resize(out.len() + padding, byte);
    if !spec.left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if !spec.left && zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(digits.as_bytes());
    if spec.left {
        fill(out, b' ');
    }
}

/// `%s` and `%c`: at most `precision` bytes.
pub(super) fn text(out: &mut Vec<u8>, spec: Spec, text: &[u8]) {
    let text = &text[..spec.precision.unwrap_or(text.len()).min(text.len())];
    let padding = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.resize(out.len() + padding, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + padding, b' ');
    }
}

/// `%p`
pub(super) fn pointer(out: &mut Vec<u8>, spec: Spec, bits: u64) {
    field(out, spec, false, "0x", &format!("{bits:x}"));
}

/// The sign of a number.
fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// At least `precision` digits (by default one).
fn with_precision(spec: Spec, digits: String) -> String {
    match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len()))),
        None => digits,
    }
}

/// `%d` and `%i`
pub(super) fn signed(out: &mut Vec<u8>, spec: Spec, value: i64) {
    let digits = with_precision(spec, value.unsigned_abs().to_string());
    field(out, spec, spec.zeros && spec.precision.is_none(), sign(spec, value < 0), &digits);
}

/// `%o`, `%u`, `%x`, `%X`
pub(super) fn unsigned(out: &mut Vec<u8>, spec: Spec, letter: u8, value: u64) {
    let digits = match letter {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let mut digits = with_precision(spec, digits);
    let prefix = match letter {
        b'x' if spec.alternative && value != 0 => "0x",
        b'X' if spec.alternative && value != 0 => "0X",
        b'o' if spec.alternative && !digits.starts_with('0') => {
            digits.insert(0, '0');
            ""
        }
        _ => "",
    };
    field(out, spec, spec.zeros && spec.precision.is_none(), prefix, &digits);
}

/// `%f`, `%e`, `%g`, `%a` and their capitals.
pub(super) fn float(out: &mut Vec<u8>, spec: Spec, letter: u8, value: f64) {
    let upper = letter.is_ascii_uppercase();
    let mut prefix = sign(spec, value.is_sign_negative()).to_owned();
    if !value.is_finite() {
        let name = match (value.is_nan(), upper) {
            (true, false) => "nan",
            (true, true) => "NAN",
            (false, false) => "inf",
            (false, true) => "INF",
        };
        return field(out, spec, false, &prefix, name);
    }
    let magnitude = value.abs();
    let digits = match letter {
        b'f' | b'F' => fixed(magnitude, spec.precision.unwrap_or(6), spec.alternative),
        b'e' | b'E' => exponential(magnitude, spec.precision.unwrap_or(6), spec.alternative),
        b'g' | b'G' => general(magnitude, spec.precision.unwrap_or(6), spec.alternative),
        _ => {
            prefix.push_str(if upper { "0X" } else { "0x" });
            hexadecimal(magnitude, spec.precision, spec.alternative)
        }
    };
    let digits = if upper { digits.to_ascii_uppercase() } else { digits };
    field(out, spec, spec.zeros, &prefix, &digits);
}

/// ddd.ddd, correctly rounded (ties to even), as Rust's formatting is.
fn fixed(value: f64, precision: usize, point: bool) -> String {
    let shown = precision.min(MAX_DIGITS);
    let mut digits = format!("{value:.shown$}");
    digits.extend(std::iter::repeat_n('0', precision - shown));
    if precision == 0 && point {
        digits.push('.');
    }
    digits
}

/// The digits of d.ddd and the decimal exponent, correctly rounded.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let shown = precision.min(MAX_DIGITS);
    let text = format!("{value:.shown$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits = digits.to_owned();
    digits.extend(std::iter::repeat_n('0', precision - shown));
    (digits, exponent.parse().unwrap_or(0))
}

/// d.ddde±dd
fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (digits, exponent) = scientific(value, precision);
    let point = if precision == 0 && point { "." } else { "" };
    exponent_text(&format!("{digits}{point}"), exponent)
}

fn exponent_text(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Style f where the exponent is from -4 up to below the precision, else style e; without `#` no zeros at the end.
fn general(value: f64, precision: usize, alternative: bool) -> String {
    let precision = precision.max(1);
    let (digits, exponent) = scientific(value, precision - 1);
    let trimmed = |digits: String| match digits.contains('.') && !alternative {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits,
    };
    let places = i64::try_from(precision).unwrap_or(i64::MAX) - 1 - i64::from(exponent);
    if exponent >= -4
        && let Ok(places) = usize::try_from(places)
    {
        return trimmed(fixed(value, places, alternative));
    }
    let point = if precision == 1 && alternative { "." } else { "" };
    exponent_text(&trimmed(format!("{digits}{point}")), exponent)
}

/// h.hhhp±d after the 0x: a normalised number starts with 1, a denormal one with 0.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let fraction = bits & ((1 << FRACTION) - 1);
    let (lead, exponent) = match (bits >> FRACTION) as i32 {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        biased => (1, biased - 1023),
    };
    let mut significand = lead << FRACTION | fraction;
    let mut digits = 13;
    match precision {
        Some(precision) if precision < digits => {
            let dropped = 4 * (digits - precision) as u32;
            let (half, rest) = (1u64 << (dropped - 1), significand & ((1 << dropped) - 1));
            significand >>= dropped;
            if rest > half || (rest == half && significand & 1 == 1) {
                significand += 1;
            }
            digits = precision;
        }
        Some(_) => {}
        None => {
            while digits > 0 && significand & 15 == 0 {
                significand >>= 4;
                digits -= 1;
            }
        }
    }
    let lead = significand >> (4 * digits);
    let mut text = lead.to_string();
    if digits > 0 {
        let fraction = significand & ((1 << (4 * digits)) - 1);
        text.push_str(&format!(".{fraction:0digits$x}"));
    } else if point || precision.is_some_and(|p| p > 0) {
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', precision.unwrap_or(0).saturating_sub(digits)));
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{text}p{sign}{}", exponent.unsigned_abs())
}

/// A half, exactly.
pub(super) fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}
