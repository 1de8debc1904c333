//! Vectors of every width over every element type.

use crate::program::{Program, buffer, random, ty};
use pumice_cli::array::{Array, Number};
use pumice_cli::compare::Tolerance;

/// Number arithmetic as the element type does it: integers wrap when they are written, floats round.
fn combine(
    array: &Array,
    a: Number,
    b: Number,
    op: fn(f64, f64) -> f64,
    int: fn(i128, i128) -> i128,
) -> Number {
    let result = match (a, b) {
        (Number::Int(a), Number::Int(b)) => Number::Int(int(a, b)),
        (Number::Float(a), Number::Float(b)) => Number::Float(op(a, b)),
        _ => unreachable!("one element type"),
    };
    // Rounded or wrapped after each step, as the device does.
    let mut bytes = Vec::new();
    result.write(array.ty.scalar, &mut bytes);
    Number::read(array.ty.scalar, &bytes)
}

fn check(scalar: &str, lanes: usize) {
    let name = format!("{scalar}{lanes}");
    let count = 16;
    let bounds = if scalar == "float" || scalar == "double" { Some((-8, 8)) } else { None };
    let (a, b) = (random(&name, count, 1, bounds), random(&name, count, 2, bounds));
    let packed = random(scalar, count * lanes, 3, bounds);
    let add = |x, y| combine(&packed, x, y, |x, y| x + y, |x, y| x + y);
    let sub = |x, y| combine(&packed, x, y, |x, y| x - y, |x, y| x - y);
    let mul = |x, y| combine(&packed, x, y, |x, y| x * y, |x, y| x * y);
    let number = |v: i32| if bounds.is_some() { Number::Float(v.into()) } else { Number::Int(v.into()) };
    let (mut out, mut stored) = (Vec::new(), Vec::new());
    for i in 0..count {
        let (x, y) = (a.element(i), b.element(i));
        let mut r: Vec<Number> = x.iter().zip(&y).map(|(x, y)| add(*x, mul(*y, number(3)))).collect();
        r[0] = x[1];
        if lanes == 3 {
            (r[1], r[2]) = (sub(r[2], x[0]), sub(r[1], x[0]));
        } else {
            for even in (0..lanes).step_by(2) {
                r[even] = sub(y[even], x[even + 1]);
            }
        }
        let r: Vec<Number> = r.into_iter().map(|v| sub(v, number(1))).collect();
        for lane in 0..lanes {
            let mut p = packed.element(i * lanes + lane)[0];
            if lane == 1 {
                p = add(p, r[0]);
            }
            stored.push(add(p, x[lane]));
        }
        out.extend(r);
    }
    let tolerance = if bounds.is_some() { Tolerance::Abs(1e-5) } else { Tolerance::Exact };
    Program {
        file: "vectors.cl",
        kernel: &format!("vec{lanes}"),
        global: &[16],
        local: None,
        args: vec![
            ("a", buffer(&a)),
            ("b", buffer(&b)),
            ("out", buffer(&Array { ty: a.ty, bytes: vec![0; a.bytes.len()] })),
            ("packed", buffer(&packed)),
        ],
        expect: vec![
            ("out", Array::from_fn(a.ty, count, |n| out[n]), tolerance),
            ("packed", Array::from_fn(ty(scalar), stored.len(), |n| stored[n]), tolerance),
        ],
        options: &["-D", &format!("T={scalar}")],
    }
    .check();
}

macro_rules! element_types {
    ($($scalar:ident)*) => {
        $(
            #[test]
            fn $scalar() {
                for lanes in [2, 3, 4, 8, 16] {
                    check(stringify!($scalar), lanes);
                }
            }
        )*
    };
}

// A macro, so that each element type is a test of its own.
element_types! { char uchar short ushort int uint long ulong float double }
