//! Integer functions, extended bit operations, dot products of bytes (§6.15.3).

use super::items::{Batch, Expr, Gen, lanewise};
use super::report::{Family, family};
use super::run::{Claims, Jobs};
use super::values::{INTS, Ty, Vt, WIDTHS};

type Of1 = fn(Ty, i128) -> i128;
type Of2 = fn(Ty, i128, i128) -> i128;
type Of3 = fn(Ty, i128, i128, i128) -> i128;

/// Functions of the first two arguments and a field: offset, count.
type OfField = Box<dyn Fn(u64, u64, (u32, u32)) -> u64 + Send + Sync>;

fn bits(ty: Ty, value: i128) -> u64 {
    ty.wrap(value)
}

/// Unary ones; those with `true` give the unsigned type.
const ONE: [(&str, bool, Of1); 4] = [
    ("abs", true, |_, a| a.abs()),
    ("clz", false, |ty, a| (bits(ty, a).leading_zeros() - (64 - ty.bits())).into()),
    ("ctz", false, |ty, a| bits(ty, a).trailing_zeros().min(ty.bits()).into()),
    ("popcount", false, |ty, a| bits(ty, a).count_ones().into()),
];

const TWO: [(&str, bool, Of2); 9] = [
    ("abs_diff", true, |_, a, b| (a - b).abs()),
    ("add_sat", false, |ty, a, b| (a + b).clamp(ty.least(), ty.most())),
    ("sub_sat", false, |ty, a, b| (a - b).clamp(ty.least(), ty.most())),
    ("hadd", false, |_, a, b| (a + b) >> 1),
    ("rhadd", false, |_, a, b| (a + b + 1) >> 1),
    ("mul_hi", false, high),
    ("rotate", false, |ty, a, b| {
        let (by, bits) = (bits(ty, b) as u32 % ty.bits(), bits(ty, a));
        i128::from(bits << by | bits.checked_shr(ty.bits() - by).unwrap_or(0))
    }),
    ("max", false, |_, a, b| a.max(b)),
    ("min", false, |_, a, b| a.min(b)),
];

/// The high half of the product; that of two ulong does not fit an i128 as a product of signed numbers.
fn high(ty: Ty, a: i128, b: i128) -> i128 {
    if ty.signed() { (a * b) >> ty.bits() } else { ((a as u128 * b as u128) >> ty.bits()) as i128 }
}

const THREE: [(&str, Of3); 3] = [
    ("mad_hi", |ty, a, b, c| high(ty, a, b) + c),
    ("mad_sat", |ty, a, b, c| {
        if ty.signed() {
            (a * b + c).clamp(ty.least(), ty.most())
        } else {
            (a as u128 * b as u128).saturating_add(c as u128).min(ty.most() as u128) as i128
        }
    }),
    ("clamp", |_, a, b, c| a.max(b.min(c)).min(b.max(c))),
];

/// An expression of lanes that are integers.
fn expr<const N: usize>(
    family: Family,
    ty: Ty,
    text: &str,
    (types, result): ([Ty; N], Vt),
    of: impl Fn([i128; N]) -> i128 + Send + Sync + 'static,
) -> Expr {
    lanewise(family, ty, text.to_owned(), result, N, move |v| {
        Some(result.ty.wrap(of(std::array::from_fn(|n| types[n].int(v[n])))))
    })
}

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    for ty in INTS {
        for width in WIDTHS {
            arithmetic(ty, width, jobs);
            upsample(ty, width, jobs);
            multiplied(ty, width, jobs);
            fields(claims, ty, width, jobs);
        }
    }
    dots(claims, jobs);
}

fn arithmetic(ty: Ty, width: usize, jobs: &mut Jobs) {
    let vt = Vt::new(ty, width);
    let unsigned = Vt::new(ty.integer(false), width);
    let named = |name: &str| family("integers", name);
    let mut exprs = Vec::new();
    for (name, plain, of) in ONE {
        let result = if plain { unsigned } else { vt };
        exprs.push(expr(named(name), ty, &format!("{name}(a)"), ([ty], result), move |[a]| of(ty, a)));
    }
    for (name, plain, of) in TWO {
        let result = if plain { unsigned } else { vt };
        let text = format!("{name}(a, b)");
        exprs.push(expr(named(name), ty, &text, ([ty; 2], result), move |[a, b]| of(ty, a, b)));
        if matches!(name, "max" | "min") && width > 1 {
            // The same number for all lanes.
            let expected = move |data: &super::items::Data, set| {
                let b = ty.int(data.lane(1, set, 0));
                (0..width).map(|l| Some(ty.wrap(of(ty, ty.int(data.lane(0, set, l)), b)))).collect()
            };
            let text = format!("{name}(a, b.s0)");
            exprs.push(Expr { family: named(name), ty, text, result: vt, expected: Box::new(expected) });
        }
    }
    for (name, of) in THREE {
        let text = match name {
            "clamp" => "clamp(a, min(b, c), max(b, c))".to_owned(),
            _ => format!("{name}(a, b, c)"),
        };
        exprs.push(expr(named(name), ty, &text, ([ty; 3], vt), move |[a, b, c]| of(ty, a, b, c)));
    }
    Batch { args: vec![(vt, Gen::Any); 3], prelude: String::new(), exprs }.jobs(&mut jobs.list);
}

fn upsample(ty: Ty, width: usize, jobs: &mut Jobs) {
    let Some(wide) = ty.wide() else { return };
    let low = ty.integer(false);
    let result = Vt::new(wide, width);
    let of = move |[a, b]: [i128; 2]| a << ty.bits() | b;
    let exprs = vec![expr(family("integers", "upsample"), ty, "upsample(a, b)", ([ty, low], result), of)];
    let args = vec![(Vt::new(ty, width), Gen::Any), (Vt::new(low, width), Gen::Any)];
    Batch { args, prelude: String::new(), exprs }.jobs(&mut jobs.list);
}

/// Products of 24 bits: others are undefined (§6.15.3).
fn multiplied(ty: Ty, width: usize, jobs: &mut Jobs) {
    if ty.bytes() != 4 {
        return;
    }
    let vt = Vt::new(ty, width);
    let f = |name| family("integers", name);
    let exprs = vec![
        expr(f("mul24"), ty, "mul24(a, b)", ([ty; 2], vt), |[a, b]| a * b),
        expr(f("mad24"), ty, "mad24(a, b, c)", ([ty; 3], vt), |[a, b, c]| a * b + c),
    ];
    let args = vec![(vt, Gen::Bits24), (vt, Gen::Bits24), (vt, Gen::Any)];
    Batch { args, prelude: String::new(), exprs }.jobs(&mut jobs.list);
}

/// Bit fields that lie within the number: offset and count come from the third and fourth argument.
fn fields(claims: &Claims, ty: Ty, width: usize, jobs: &mut Jobs) {
    let names = ["bitfield_insert", "bitfield_extract_signed", "bitfield_extract_unsigned", "bit_reverse"];
    let claimed = names
        .into_iter()
        .filter(|n| jobs.claimed(claims, "cl_khr_extended_bit_ops", &family("bits", n)))
        .count();
    if claimed == 0 {
        return;
    }
    let vt = Vt::new(ty, width);
    let size = ty.bits();
    let field = move |c: u64, d: u64| {
        let offset = c as u32 % (size + 1);
        let count = d as u32 % (size + 1 - offset);
        (offset, count)
    };
    let prelude = format!("  const uint o = c % {0}u, m = d % ({0}u - o);\n", size + 1);
    let by = move |name: &str, text: &str, result: Vt, of: OfField| {
        let of = move |v: &[u64]| Some(of(v[0], v[1], field(v[2], v[3])) & ty.mask());
        lanewise(family("bits", name), ty, text.to_owned(), result, 4, of)
    };
    let low = |count: u32| if count >= 64 { u64::MAX } else { (1u64 << count) - 1 };
    let extracted = move |a: u64, o: u32, m: u32| a.checked_shr(o).unwrap_or(0) & low(m);
    let exprs = vec![
        by(
            names[0],
            "bitfield_insert(a, b, o, m)",
            vt,
            Box::new(move |a, b, (o, m)| {
                let mask = low(m).checked_shl(o).unwrap_or(0);
                a & !mask | b.checked_shl(o).unwrap_or(0) & mask
            }),
        ),
        by(
            names[1],
            "bitfield_extract_signed(a, o, m)",
            Vt::new(ty.integer(true), width),
            Box::new(move |a, _, (o, m)| {
                let bits = extracted(a, o, m);
                if m > 0 && bits >> (m - 1) & 1 == 1 { bits | !low(m) } else { bits }
            }),
        ),
        by(
            names[2],
            "bitfield_extract_unsigned(a, o, m)",
            Vt::new(ty.integer(false), width),
            Box::new(move |a, _, (o, m)| extracted(a, o, m)),
        ),
        by(names[3], "bit_reverse(a)", vt, Box::new(move |a, _, _| a.reverse_bits() >> (64 - size))),
    ];
    let whole = (Vt::new(Ty::UInt, 1), Gen::Any);
    Batch { args: vec![(vt, Gen::Any), (vt, Gen::Any), whole, whole], prelude, exprs }.jobs(&mut jobs.list);
}

/// Dot products: of vectors of bytes, and packed in words; with all signs; sums that saturate.
fn dots(claims: &Claims, jobs: &mut Jobs) {
    let features =
        ["__opencl_c_integer_dot_product_input_4x8bit", "__opencl_c_integer_dot_product_input_4x8bit_packed"];
    for (x, y) in [(Ty::UChar, Ty::UChar), (Ty::Char, Ty::Char), (Ty::UChar, Ty::Char), (Ty::Char, Ty::UChar)]
    {
        let to = if x == Ty::UChar && y == Ty::UChar { Ty::UInt } else { Ty::Int };
        let sum = move |a: [u64; 4], b: [u64; 4]| -> i128 { (0..4).map(|l| x.int(a[l]) * y.int(b[l])).sum() };
        for packed in [false, true] {
            let letter = |ty: Ty| if ty.signed() { "s" } else { "u" };
            let suffix = if packed {
                format!("_4x8packed_{}{}_{}", letter(x), letter(y), to.name())
            } else {
                String::new()
            };
            let names = [format!("dot{suffix}"), format!("dot_acc_sat{suffix}")];
            let families = names.clone().map(|n| family("dot products", &n));
            let has = families.clone().map(|f| jobs.claimed(claims, features[usize::from(packed)], &f));
            if has != [true; 2] && !claims.has("cl_khr_integer_dot_product") {
                continue;
            }
            let exprs = (0..2).map(|n| {
                let text = format!("{}(a, b{})", names[n], if n == 1 { ", c" } else { "" });
                let expected = move |data: &super::items::Data, set: usize| {
                    let bytes = |arg: usize| -> [u64; 4] {
                        std::array::from_fn(|l| {
                            if packed {
                                data.lane(arg, set, 0) >> (8 * l) & 255
                            } else {
                                data.lane(arg, set, l)
                            }
                        })
                    };
                    let dot = sum(bytes(0), bytes(1));
                    let acc = to.int(data.lane(2, set, 0));
                    vec![Some(if n == 1 { to.saturate(dot + acc) } else { to.wrap(dot) })]
                };
                Expr {
                    family: families[n].clone(),
                    ty: x,
                    text,
                    result: Vt::new(to, 1),
                    expected: Box::new(expected),
                }
            });
            let arg = |ty| (if packed { Vt::new(Ty::UInt, 1) } else { Vt::new(ty, 4) }, Gen::Any);
            let args = vec![arg(x), arg(y), (Vt::new(to, 1), Gen::Any)];
            Batch { args, prelude: String::new(), exprs: exprs.collect() }.jobs(&mut jobs.list);
        }
    }
}
