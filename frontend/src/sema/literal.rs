//! The values and types of number, character and string literals (C99 §6.4.4, §6.4.5; OpenCL C §6.1.9).

use crate::hir::Constant;
use crate::options::{Features, Options};
use crate::types::Scalar;

/// A literal's value and type, with what there is to warn about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Literal {
    /// [`Constant::Int`] or [`Constant::Float`].
    pub value: Constant,
    /// Its type.
    pub scalar: Scalar,
    /// A warning: stable id and message.
    pub warning: Option<(&'static str, String)>,
}

/// The value of a preprocessing number.
///
/// # Errors
/// The message, when the spelling is no number of C.
pub(super) fn number(text: &str, options: &Options) -> Result<Literal, String> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let is_float =
        if hex { lower.contains(['.', 'p']) } else { !lower.starts_with("0b") && lower.contains(['.', 'e']) };
    if is_float { float_number(&lower, hex, options) } else { integer(&lower) }
}

/// A floating literal with a suffix of another language (`1.0L`, `1.0d`, `1.0F32`), or one that the device lacks the type
/// for (`1.0h`), as it could be written here.
pub(super) fn with_known_suffix(text: &str, options: &Options) -> Option<String> {
    let candidates = (1..=3).filter_map(|n| text.split_at_checked(text.len().checked_sub(n)?));
    let mut mended = candidates.filter_map(|(body, suffix)| match suffix.as_bytes().first()? {
        b'l' | b'L' | b'd' | b'D' => Some(body.to_owned()),
        b'f' | b'F' | b'h' | b'H' => Some(format!("{body}f")),
        _ => None,
    });
    mended.find(|m| number(m, options).is_ok_and(|l| l.scalar.is_float()))
}

fn integer(lower: &str) -> Result<Literal, String> {
    let (radix, body) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, lower),
        _ => (10, lower),
    };
    let end = body
        .find(|c: char| !c.is_ascii_hexdigit() || (radix != 16 && !c.is_ascii_digit()))
        .unwrap_or(body.len());
    let (digits, suffix) = body.split_at(end);
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return Err(format!("invalid suffix '{suffix}' on integer literal")),
    };
    if digits.is_empty() {
        return Err(format!("'{lower}' is no number"));
    }
    let mut value: u128 = 0;
    for c in digits.chars() {
        let Some(digit) = c.to_digit(radix) else {
            return Err(format!("invalid digit '{c}' in {} literal", radix_name(radix)));
        };
        value = value
            .checked_mul(radix.into())
            .and_then(|v| v.checked_add(digit.into()))
            .ok_or("integer literal is too large for any integer type")?;
    }
    let Ok(value) = u64::try_from(value) else { return Ok(truncated(value)) };
    let (scalar, warning) = integer_type(value, unsigned, long, radix == 10);
    Ok(Literal { value: Constant::Int(value as i64), scalar, warning })
}

/// A literal of 65 to 128 bits: the low 64 bits, with a warning. Clang gives it the type `unsigned long long`, which
/// has 128 bits in OpenCL C (§6.3.1 reserves it), and truncates the value where it becomes a `ulong`.
fn truncated(value: u128) -> Literal {
    let low = value as u64;
    let message = format!("integer literal has more than 64 bits and is truncated to {low:#x}");
    Literal {
        value: Constant::Int(low as i64),
        scalar: Scalar::ULong,
        warning: Some(("literal-range", message)),
    }
}

fn radix_name(radix: u32) -> &'static str {
    match radix {
        2 => "binary",
        8 => "octal",
        10 => "decimal",
        _ => "hexadecimal",
    }
}

/// The first type of C99 §6.4.4.1's list that holds the value; long is 64 bits wide.
fn integer_type(
    value: u64,
    unsigned: bool,
    long: bool,
    decimal: bool,
) -> (Scalar, Option<(&'static str, String)>) {
    let fits_int = !long && !unsigned && i32::try_from(value).is_ok();
    let fits_uint = !long && (unsigned || !decimal) && u32::try_from(value).is_ok();
    let fits_long = !unsigned && i64::try_from(value).is_ok();
    let scalar = match (fits_int, fits_uint, fits_long) {
        (true, ..) => Scalar::Int,
        (_, true, _) => Scalar::UInt,
        (_, _, true) => Scalar::Long,
        _ => Scalar::ULong,
    };
    let warn = scalar == Scalar::ULong && decimal && !unsigned;
    let message = "integer literal is too large for a signed type and taken as ulong";
    (scalar, warn.then(|| ("implicitly-unsigned-literal", message.to_owned())))
}

fn float_number(lower: &str, hex: bool, options: &Options) -> Result<Literal, String> {
    // `f16` is C23's and clang's spelling of the suffix for half.
    let suffixed = lower.strip_suffix("f16").filter(|body| !hex || body.contains('p'));
    let (body, scalar) = match lower.as_bytes().last() {
        _ if suffixed.is_some() => (suffixed.unwrap_or(lower), Scalar::Half),
        Some(b'f') => (&lower[..lower.len() - 1], Scalar::Float),
        Some(b'h') => (&lower[..lower.len() - 1], Scalar::Half),
        // `l` would be long double, which OpenCL C reserves.
        _ => (lower, default_float(options)),
    };
    if scalar == Scalar::Half && !options.features.contains(Features::FP16) {
        return Err("half literals need cl_khr_fp16, which this device does not have".to_owned());
    }
    let value = if hex { hex_float(body, scalar)? } else { decimal_float(body, scalar)? };
    let warning = value
        .is_infinite()
        .then(|| ("literal-range", format!("literal is out of the range of {}", scalar.name())));
    Ok(Literal { value: Constant::Float(value), scalar, warning })
}

/// The type of an unsuffixed floating literal: double where there is double, unless
/// `-cl-single-precision-constant` says float (§6.1.9; API §5.8.6.3).
fn default_float(options: &Options) -> Scalar {
    if options.features.contains(Features::FP64) && !options.math.single_precision_constant {
        Scalar::Double
    } else {
        Scalar::Float
    }
}

fn decimal_float(body: &str, scalar: Scalar) -> Result<f64, String> {
    let (mantissa, exponent) = body.split_once('e').unwrap_or((body, "0"));
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("invalid exponent or suffix in floating literal '{body}'"));
    }
    let dots = mantissa.bytes().filter(|b| *b == b'.').count();
    if dots > 1 || !mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.') || mantissa == "." {
        return Err(format!("invalid digit or suffix in floating literal '{body}'"));
    }
    // Straight to the type, so that nothing is rounded twice.
    let bad = || format!("invalid floating literal '{body}'");
    match scalar {
        Scalar::Float => body.parse::<f32>().map(f64::from).map_err(|_| bad()),
        Scalar::Half => body.parse::<f64>().map(|v| half::f16::from_f64(v).to_f64()).map_err(|_| bad()),
        _ => body.parse::<f64>().map_err(|_| bad()),
    }
}

fn hex_float(body: &str, scalar: Scalar) -> Result<f64, String> {
    let (mantissa, exponent) =
        body[2..].split_once('p').ok_or("hexadecimal floating literal requires an exponent")?;
    let exponent: i64 = {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err("invalid exponent or suffix in hexadecimal floating literal".to_owned());
        }
        let magnitude = digits.parse::<i64>().unwrap_or(1 << 32).min(1 << 32);
        if exponent.starts_with('-') { -magnitude } else { magnitude }
    };
    let (mut bits, mut scale, mut seen_dot, mut any) = (0u128, 0i64, false, false);
    for c in mantissa.chars() {
        if c == '.' && !seen_dot {
            seen_dot = true;
            continue;
        }
        let digit =
            c.to_digit(16).ok_or_else(|| format!("invalid digit '{c}' in hexadecimal floating literal"))?;
        any = true;
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            scale -= if seen_dot { 4 } else { 0 };
        } else {
            // Beyond the precision of any type: only whether it is zero matters (for ties).
            bits |= u128::from(digit != 0);
            scale += if seen_dot { 0 } else { 4 };
        }
    }
    if !any {
        return Err("hexadecimal floating literal has no digits".to_owned());
    }
    let (precision, smallest) = match scalar {
        Scalar::Half => (11, -24),
        Scalar::Float => (24, -149),
        _ => (53, -1074),
    };
    let value = round_scaled(bits, scale + exponent, precision, smallest);
    Ok(match scalar {
        Scalar::Half => half::f16::from_f64(value).to_f64(),
        Scalar::Float => f64::from(value as f32),
        _ => value,
    })
}

/// `bits * 2^exponent` rounded to nearest even in a format of `precision` bits whose smallest
/// positive value is `2^smallest`.
fn round_scaled(bits: u128, exponent: i64, precision: i64, smallest: i64) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let length = i64::from(128 - bits.leading_zeros());
    let quantum = (exponent + length - precision).max(smallest);
    let drop = quantum - exponent;
    if drop > length + 1 {
        return 0.0;
    }
    if drop <= 0 {
        return scale_by_power(bits as f64, exponent);
    }
    let keep = bits.checked_shr(drop as u32).unwrap_or(0);
    let rest = if drop >= 128 { bits } else { bits & ((1u128 << drop) - 1) };
    let half = 1u128.checked_shl(drop as u32 - 1).unwrap_or(u128::MAX);
    let up = rest > half || (rest == half && keep & 1 == 1);
    scale_by_power((keep + u128::from(up)) as f64, quantum)
}

fn scale_by_power(value: f64, exponent: i64) -> f64 {
    // In two steps, because 2^exponent alone may not be representable although the product is.
    let exponent = exponent.clamp(-2200, 2200) as i32;
    value * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// The bytes of one string literal or character constant, from its spelling with quotes.
///
/// # Errors
/// The message, for prefixes that OpenCL C does not have and for bad escapes.
pub(super) fn unquote(text: &str) -> Result<Vec<u8>, String> {
    let quote = text.find(['"', '\'']).ok_or("missing quote")?;
    if quote != 0 {
        return Err(format!("'{}' literals are not part of OpenCL C", &text[..quote]));
    }
    let delimiter = &text[..1];
    let body = text[1..].strip_suffix(delimiter).ok_or("missing terminating quote")?;
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\\' {
            escape(&mut rest, &mut bytes)?;
        } else {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Ok(bytes)
}

/// The first escape sequence of a literal that C does not have, as compilers let it pass.
pub(super) fn unknown_escape(text: &str) -> Option<char> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.next()? {
                'n' | 't' | 'v' | 'b' | 'r' | 'f' | 'a' | 'e' | 'E' | '\\' | '?' | '\'' | '"' | 'x' | 'u'
                | 'U' => {}
                '0'..='7' => {}
                other => return Some(other),
            }
        }
    }
    None
}

/// One escape sequence after its backslash (C99 §6.4.4.4).
fn escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut Vec<u8>) -> Result<(), String> {
    let c = rest.next().ok_or("incomplete escape sequence")?;
    let simple = match c {
        'n' => b'\n',
        't' => b'\t',
        'v' => 0x0b,
        'b' => 0x08,
        'r' => b'\r',
        'f' => 0x0c,
        'a' => 0x07,
        'e' | 'E' => 0x1b,
        '\\' | '?' | '\'' | '"' => c as u8,
        '0'..='7' => {
            let mut value = c.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                let Some(digit) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
                value = value * 8 + digit;
                rest.next();
            }
            u8::try_from(value).map_err(|_| "octal escape sequence is out of range")?
        }
        'x' => {
            let mut value: Option<u32> = None;
            while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)) {
                value = Some(value.unwrap_or(0).saturating_mul(16).saturating_add(digit));
                rest.next();
            }
            let value = value.ok_or("\\x used with no following hexadecimal digits")?;
            u8::try_from(value).map_err(|_| "hexadecimal escape sequence is out of range")?
        }
        'u' | 'U' => return universal(c, rest, out),
        // The character itself, with a warning: see `unknown_escape`.
        _ => {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(());
        }
    };
    out.push(simple);
    Ok(())
}

fn universal(
    kind: char,
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let mut value = 0u32;
    for _ in 0..if kind == 'u' { 4 } else { 8 } {
        let digit = rest.next().and_then(|c| c.to_digit(16)).ok_or("incomplete universal character name")?;
        value = value << 4 | digit;
    }
    let c = char::from_u32(value).ok_or("invalid universal character name")?;
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(())
}

/// The value of a character constant: an int (C99 §6.4.4.4).
///
/// # Errors
/// The message.
pub(super) fn character(text: &str) -> Result<Literal, String> {
    let bytes = unquote(text)?;
    let (value, warning) = match bytes.as_slice() {
        [] => return Err("empty character constant".to_owned()),
        [one] => (i32::from(*one as i8), None),
        several => {
            let value = several.iter().fold(0u32, |v, b| v << 8 | u32::from(*b)) as i32;
            (value, Some(("multichar", "multi-character character constant".to_owned())))
        }
    };
    Ok(Literal { value: Constant::Int(value.into()), scalar: Scalar::Int, warning })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (i64, Scalar) {
        match number(text, &Options::default()) {
            Ok(Literal { value: Constant::Int(v), scalar, .. }) => (v, scalar),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn float(text: &str, features: Features) -> (f64, Scalar) {
        let options = Options { features, ..Options::default() };
        match number(text, &options) {
            Ok(Literal { value: Constant::Float(v), scalar, .. }) => (v, scalar),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integer_types_follow_the_list_of_c99() {
        use Scalar::*;
        let cases = [
            ("0", 0, Int),
            ("2147483647", 2147483647, Int),
            ("2147483648", 2147483648, Long),
            ("0x7fffffff", 0x7fffffff, Int),
            ("0x80000000", 0x80000000, UInt),
            ("0xFFFFFFFF", 0xffffffff, UInt),
            ("0x100000000", 0x100000000, Long),
            ("0xffffffffffffffff", -1, ULong),
            ("18446744073709551615", -1, ULong),
            ("017", 15, Int),
            ("0b101", 5, Int),
            ("1u", 1, UInt),
            ("1UL", 1, ULong),
            ("1l", 1, Long),
            ("4294967296u", 4294967296, ULong),
            ("0xfu", 15, UInt),
        ];
        for (text, value, scalar) in cases {
            assert_eq!(int(text), (value, scalar), "{text}");
        }
    }

    #[test]
    fn floating_types_follow_suffix_and_device() {
        use Scalar::*;
        let none = Features::empty();
        assert_eq!(float("1.5", none), (1.5, Float));
        assert_eq!(float("1.5", Features::FP64), (1.5, Double));
        assert_eq!(float("0.1f", none), (f64::from(0.1f32), Float));
        assert_eq!(float("1.e3F", none), (1000.0, Float));
        assert_eq!(float(".5e-1f", none), (f64::from(0.05f32), Float));
        assert_eq!(float("0x1.8p1f", none), (3.0, Float));
        assert_eq!(float("0x.8p0", Features::FP64), (0.5, Double));
        assert_eq!(float("0x1p-1074", Features::FP64), (f64::from_bits(1), Double));
        assert_eq!(float("0x1.fffffep127f", none), (f64::from(f32::MAX), Float));
        assert_eq!(float("0x1.0000010000001p0f", none), (f64::from(1.0f32 + f32::EPSILON), Float));
        assert_eq!(float("0x1.000001p0f", none), (1.0, Float));
        assert_eq!(float("1.5h", Features::FP16), (1.5, Half));
        assert_eq!(float("0x1p-25h", Features::FP16), (0.0, Half));
    }

    #[test]
    fn bad_literals_are_errors_not_panics() {
        let bad = [
            "09",
            "0x",
            "0b2",
            "1q",
            "1.0x",
            "1e",
            "1e+",
            "0x1.8",
            "0x1.p",
            "1.2.3",
            "0xp1",
            "1uu",
            "1f",
            "999999999999999999999999999999999999999999",
            "1.0h",
            "0b",
            "1..",
            "0x1.8p1z",
            "é",
            "1é.",
            "0xé",
            "1.0l",
        ];
        for text in bad {
            assert!(number(text, &Options::default()).is_err(), "{text}");
        }
        for text in ["''", "'\\x'", "L'a'", "'", "\"", "'\\400'", "'\\u12'", "", "\"\\"] {
            assert!(character(text).is_err(), "{text}");
        }
    }

    #[test]
    fn characters_and_escapes() {
        let value = |t: &str| character(t).map(|l| l.value);
        assert_eq!(value("'a'"), Ok(Constant::Int(97)));
        assert_eq!(value("'\\xff'"), Ok(Constant::Int(-1)));
        assert_eq!(value("'\\0'"), Ok(Constant::Int(0)));
        assert_eq!(value("'\\\\'"), Ok(Constant::Int(92)));
        assert_eq!(value("'ab'"), Ok(Constant::Int(0x6162)));
        assert_eq!(unquote("\"a\\n\\101\\x41é\""), Ok(b"a\nAA\xc3\xa9".to_vec()));
    }
}
