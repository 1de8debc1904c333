//! Relational functions, select and bitselect (§6.15.8).

use super::items::{Batch, Data, Expr, Gen, lanewise};
use super::report::family;
use super::run::{Claims, Jobs};
use super::values::{ALL, Ty, Vt, WIDTHS};

const SECTION: &str = "relational";

type Two = fn(f64, f64) -> bool;
type One = fn(Ty, f64) -> bool;

const TWO: [(&str, Two); 9] = [
    ("isequal", |a, b| a == b),
    ("isnotequal", |a, b| a != b),
    ("isgreater", |a, b| a > b),
    ("isgreaterequal", |a, b| a >= b),
    ("isless", |a, b| a < b),
    ("islessequal", |a, b| a <= b),
    ("islessgreater", |a, b| !a.is_nan() && !b.is_nan() && a != b),
    ("isordered", |a, b| !a.is_nan() && !b.is_nan()),
    ("isunordered", |a, b| a.is_nan() || b.is_nan()),
];

const ONE: [(&str, One); 5] = [
    ("isfinite", |_, a| a.is_finite()),
    ("isinf", |_, a| a.is_infinite()),
    ("isnan", |_, a| a.is_nan()),
    ("isnormal", |ty, a| a.is_finite() && a.abs() >= ty.real().least()),
    ("signbit", |_, a| a.is_sign_negative()),
];

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    for ty in claims.types(&ALL) {
        for width in WIDTHS {
            let vt = Vt::new(ty, width);
            if ty.float() {
                let args = vec![(vt, Gen::Any), (vt, Gen::Any)];
                Batch { args, prelude: String::new(), exprs: comparisons(ty, width) }.jobs(&mut jobs.list);
            }
            for signed in [true, false] {
                let mask = Vt::new(ty.integer(signed), width);
                let args = vec![(vt, Gen::Any), (vt, Gen::Any), (mask, Gen::Masks), (vt, Gen::Any)];
                Batch { args, prelude: String::new(), exprs: choices(ty, width, signed) }
                    .jobs(&mut jobs.list);
            }
        }
    }
}

fn comparisons(ty: Ty, width: usize) -> Vec<Expr> {
    // True is 1 of a scalar, all bits of a vector's lane.
    let result = if width == 1 { Vt::new(Ty::Int, 1) } else { Vt::new(ty.integer(true), width) };
    let bits = move |truth: bool| match (truth, width) {
        (false, _) => 0,
        (true, 1) => 1,
        (true, _) => result.ty.mask(),
    };
    let mut exprs = Vec::new();
    for (name, of) in TWO {
        let of = move |v: &[u64]| Some(bits(of(ty.number(v[0]), ty.number(v[1]))));
        exprs.push(lanewise(family(SECTION, name), ty, format!("{name}(a, b)"), result, 2, of));
    }
    for (name, of) in ONE {
        let of = move |v: &[u64]| {
            // Which sign a NaN has on its way is not said.
            let number = ty.number(v[0]);
            let sign = v[0] >> (ty.bits() - 1) & 1 == 1;
            if name == "signbit" { Some(bits(sign)) } else { Some(bits(of(ty, number))) }
        };
        exprs.push(lanewise(family(SECTION, name), ty, format!("{name}(a)"), result, 1, of));
    }
    exprs
}

fn choices(ty: Ty, width: usize, signed: bool) -> Vec<Expr> {
    let vt = Vt::new(ty, width);
    let top = ty.bits() - 1;
    let select = lanewise(family(SECTION, "select"), ty, "select(a, b, c)".to_owned(), vt, 3, move |v| {
        let chosen = if width == 1 { v[2] != 0 } else { v[2] >> top & 1 == 1 };
        Some(if chosen { v[1] } else { v[0] })
    });
    let mut exprs = vec![select];
    if signed {
        let of = |v: &[u64]| Some(v[0] & !v[2] | v[1] & v[2]);
        exprs.push(lanewise(
            family(SECTION, "bitselect"),
            ty,
            "bitselect(a, b, d)".to_owned(),
            vt,
            4,
            move |v| of(&[v[0], v[1], v[3]]),
        ));
    }
    if signed && ty == ty.integer(true) {
        for (name, all) in [("all", true), ("any", false)] {
            let expected = move |data: &Data, set: usize| {
                let mut tops = (0..width).map(|l| data.lane(2, set, l) >> top & 1 == 1);
                vec![Some(if all { tops.all(|t| t) } else { tops.any(|t| t) }.into())]
            };
            exprs.push(Expr {
                family: family(SECTION, name),
                ty,
                text: format!("{name}(c)"),
                result: Vt::new(Ty::Int, 1),
                expected: Box::new(expected),
            });
        }
    }
    exprs
}
