//! The functions as a table: what they compute, what they should give, and how far they may be off (OpenCL C §7.4).

use std::f64::consts::PI;

use super::mpfr::Number;
use super::reference::{self as r, Args};
use super::{Type, power};

/// The arguments of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One float.
    X,
    /// Two.
    Xy,
    /// Three.
    Xyz,
    /// A float and an int.
    Xn,
}

/// How far results may be off.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    /// This many ulp.
    Ulp(f64),
    /// To the nearest number.
    Rounded,
    /// So far, in absolute terms: of the arguments, and of the distance of 1 and the next number.
    Within(fn(&Args, f64) -> f64),
    /// The specification has no bound.
    Open,
    /// There is no such function.
    None,
}

/// How far they may be off with -cl-unsafe-math-optimizations, where that is something else.
#[derive(Debug, Clone, Copy)]
pub enum Relaxed {
    /// As without.
    Same,
    /// This many ulp.
    Ulp(f64),
    /// This many: of the arguments, the reference and its ulp; infinity outside of the domain.
    By(fn(&Args, f64, f64) -> f64),
}

/// The reference for doubles.
pub enum Exact {
    /// MPFR's function of the arguments.
    Call(&'static str),
    /// MPFR's function of two arguments.
    With(&'static str),
    /// Made of several.
    By(for<'m> fn(&[Number<'m>; 3], i32) -> Number<'m>),
    /// The function for floats, which is exact, or rounds to doubles correctly.
    Plain,
}

/// A function.
pub struct Function {
    /// Its name in the report.
    pub name: &'static str,
    /// A statement that sets `r` from x, y, z or n; `T` is the float type, `T2` and so on its vectors.
    pub body: String,
    /// Its arguments.
    pub takes: Takes,
    /// For half, float, double.
    pub bounds: [Bound; 3],
    /// For float, with -cl-fast-relaxed-math.
    pub relaxed: Relaxed,
    /// The reference for halves and floats.
    pub real: fn(&Args) -> f64,
    /// The reference for doubles.
    pub exact: Exact,
}

impl Function {
    fn new(
        name: &'static str,
        takes: Takes,
        bounds: [Bound; 3],
        real: fn(&Args) -> f64,
        exact: Exact,
    ) -> Self {
        let args = ["x", "x, y", "x, y, z", "x, n"][takes as usize];
        let body = format!("r = {name}({args});");
        Function { name, body, takes, bounds, relaxed: Relaxed::Same, real, exact }
    }

    fn of(self, body: &str) -> Self {
        Function { body: body.to_owned(), ..self }
    }

    fn relaxed(self, relaxed: Relaxed) -> Self {
        Function { relaxed, ..self }
    }

    /// The bound for a type.
    #[must_use]
    pub fn bound(&self, ty: Type) -> Bound {
        self.bounds[ty as usize]
    }
}

use Bound::{None, Open, Rounded, Ulp, Within};
use Exact::{By, Call, Plain, With};
use Takes::{X, Xn, Xy, Xyz};

const EXACT: [Bound; 3] = [Ulp(0.0); 3];
const ROUNDED: [Bound; 3] = [Rounded; 3];

/// Bounds of half, float and double.
const fn ulps(half: f64, float: f64, double: f64) -> [Bound; 3] {
    [Ulp(half), Ulp(float), Ulp(double)]
}

/// Every function.
#[must_use]
pub fn all() -> Vec<Function> {
    let mut all = one_argument();
    all.extend(powers_and_angles());
    all.extend(exact());
    all.extend(operators());
    all.extend(geometric());
    all.extend(common());
    all.extend(coarse());
    all
}

fn one_argument() -> Vec<Function> {
    /// A function of one argument that MPFR has by the same or another name.
    fn one(name: &'static str, bounds: [Bound; 3], real: fn(&Args) -> f64, exact: &'static str) -> Function {
        Function::new(name, X, bounds, real, Call(exact))
    }
    let derived = Relaxed::Ulp(8192.0);
    let small_angle: fn(&Args, f64, f64) -> f64 =
        |a, _, ulp| if a.x[0].abs() <= PI { power(-11) / ulp } else { f64::INFINITY };
    let small_turn: fn(&Args, f64, f64) -> f64 =
        |a, _, ulp| if a.x[0].abs() <= 1.0 { power(-11) / ulp } else { f64::INFINITY };
    let near_one: fn(&Args, f64, f64) -> f64 =
        |a, _, ulp| if (0.5..=2.0).contains(&a.x[0]) { power(-21) / ulp } else { 3.0 };
    let grows: fn(&Args, f64, f64) -> f64 = |a, _, _| 3.0 + (2.0 * a.x[0]).abs().floor();
    // The derived forms, as which these may be implemented: what they cancel is not counted against them.
    let of_log: fn(&Args, f64, f64) -> f64 =
        |_, want, ulp| 8192.0f64.max(power(-20) * (1.0 + want.abs()) / ulp);
    let of_exp: fn(&Args, f64, f64) -> f64 =
        |a, _, ulp| 8192.0f64.max(a.x[0].exp().max(1.0) * power(-19) / ulp);
    vec![
        one("acos", ulps(2.0, 4.0, 4.0), |a| r::acos(a.x[0]), "acos").relaxed(Relaxed::Ulp(4096.0)),
        one("acosh", ulps(2.0, 4.0, 4.0), |a| r::acosh(a.x[0]), "acosh").relaxed(Relaxed::By(of_log)),
        one("acospi", ulps(2.0, 5.0, 5.0), |a| r::acos(a.x[0]) / PI, "acospi").relaxed(derived),
        one("asin", ulps(2.0, 4.0, 4.0), |a| r::asin(a.x[0]), "asin").relaxed(Relaxed::Ulp(4096.0)),
        one("asinh", ulps(2.0, 4.0, 4.0), |a| r::asinh(a.x[0]), "asinh").relaxed(Relaxed::By(of_log)),
        one("asinpi", ulps(2.0, 5.0, 5.0), |a| r::asin(a.x[0]) / PI, "asinpi").relaxed(derived),
        one("atan", ulps(2.0, 5.0, 5.0), |a| r::atan(a.x[0]), "atan").relaxed(Relaxed::Ulp(4096.0)),
        one("atanh", ulps(2.0, 5.0, 5.0), |a| r::atanh(a.x[0]), "atanh").relaxed(Relaxed::By(of_log)),
        one("atanpi", ulps(2.0, 5.0, 5.0), |a| r::atan(a.x[0]) / PI, "atanpi").relaxed(derived),
        one("cbrt", ulps(2.0, 2.0, 2.0), |a| r::cbrt(a.x[0]), "cbrt").relaxed(derived),
        one("cos", ulps(2.0, 4.0, 4.0), |a| r::cos(a.x[0]), "cos").relaxed(Relaxed::By(small_angle)),
        one("cosh", ulps(2.0, 4.0, 4.0), |a| r::cosh(a.x[0]), "cosh").relaxed(derived),
        one("cospi", ulps(2.0, 4.0, 4.0), |a| r::cospi(a.x[0]), "cospi").relaxed(Relaxed::By(small_turn)),
        one("erf", ulps(4.0, 16.0, 16.0), |a| r::erf(a.x[0]), "erf"),
        one("erfc", ulps(4.0, 16.0, 16.0), |a| r::erfc(a.x[0]), "erfc"),
        one("exp", ulps(2.0, 3.0, 3.0), |a| r::exp(a.x[0]), "exp").relaxed(Relaxed::By(grows)),
        one("exp2", ulps(2.0, 3.0, 3.0), |a| r::exp2(a.x[0]), "exp2").relaxed(Relaxed::By(grows)),
        one("exp10", ulps(2.0, 3.0, 3.0), |a| r::exp10(a.x[0]), "exp10").relaxed(derived),
        one("expm1", ulps(2.0, 3.0, 3.0), |a| r::expm1(a.x[0]), "expm1").relaxed(Relaxed::By(of_exp)),
        Function::new("lgamma", X, [Open; 3], |a| r::lgamma(a.x[0]), By(|x, _| x[0].ln_gamma())),
        one("log", ulps(2.0, 3.0, 3.0), |a| r::log(a.x[0]), "log").relaxed(Relaxed::By(near_one)),
        one("log2", ulps(2.0, 3.0, 3.0), |a| r::log2(a.x[0]), "log2").relaxed(Relaxed::By(near_one)),
        one("log10", ulps(2.0, 3.0, 3.0), |a| r::log10(a.x[0]), "log10").relaxed(Relaxed::By(near_one)),
        one("log1p", ulps(2.0, 2.0, 2.0), |a| r::log1p(a.x[0]), "log1p").relaxed(Relaxed::By(of_log)),
        // MPFR's own has +∞ for -0.
        Function::new(
            "rsqrt",
            X,
            ulps(1.0, 2.0, 2.0),
            |a| r::rsqrt(a.x[0]),
            By(|x, _| x[0].of(1.0).with("div", &x[0].call("sqrt"))),
        ),
        Function::new("lgamma_r, sign", X, EXACT, |a| r::lgamma_sign(a.x[0]), Plain)
            .of("int s; lgamma_r(x, &s); r = s;"),
        one("sin", ulps(2.0, 4.0, 4.0), |a| r::sin(a.x[0]), "sin").relaxed(Relaxed::By(small_angle)),
        one("sincos, sine", ulps(2.0, 4.0, 4.0), |a| r::sin(a.x[0]), "sin")
            .of("T c; r = sincos(x, &c);")
            .relaxed(Relaxed::By(small_angle)),
        one("sincos, cosine", ulps(2.0, 4.0, 4.0), |a| r::cos(a.x[0]), "cos")
            .of("sincos(x, &r);")
            .relaxed(Relaxed::By(small_angle)),
        one("sinh", ulps(2.0, 4.0, 4.0), |a| r::sinh(a.x[0]), "sinh").relaxed(Relaxed::By(of_exp)),
        one("sinpi", ulps(2.0, 4.0, 4.0), |a| r::sinpi(a.x[0]), "sinpi").relaxed(Relaxed::By(small_turn)),
        Function { bounds: [Ulp(1.5), Ulp(3.0), Rounded], ..one("sqrt", EXACT, |a| a.x[0].sqrt(), "sqrt") },
        one("tan", ulps(2.5, 5.0, 5.0), |a| r::tan(a.x[0]), "tan").relaxed(Relaxed::By(tan)),
        one("tanh", ulps(2.0, 5.0, 5.0), |a| r::tanh(a.x[0]), "tanh").relaxed(Relaxed::By(of_exp)),
        one("tanpi", ulps(2.0, 6.0, 6.0), |a| r::tanpi(a.x[0]), "tanpi").relaxed(Relaxed::By(tan)),
        one("tgamma", ulps(4.0, 16.0, 16.0), |a| r::tgamma(a.x[0]), "gamma"),
    ]
}

/// sin × (1/cos), of which each is off by 2^-11: at the poles anything may come out.
fn tan(a: &Args, want: f64, ulp: f64) -> f64 {
    if a.x[0].abs() > 1.0 { f64::INFINITY } else { 8192.0f64.max(power(-10) * (1.0 + want * want) / ulp) }
}

fn powers_and_angles() -> Vec<Function> {
    let powers = Relaxed::By(|a, _, _| {
        let ([x, y, _], n) = (a.x, a.n);
        let y = if y == 0.0 { f64::from(n) } else { y };
        // exp2(y × log2(x)): y multiplies the error of the logarithm, up to any result.
        let error = (y * x.log2()).abs() * power(-21) + y.abs() * power(-20);
        if x <= 0.0 || error > 0.5 { f64::INFINITY } else { 8192.0 + error * power(24) }
    });
    let angle: fn(&Args) -> f64 = |a| r::atan2(a.x[0], a.x[1]);
    vec![
        Function::new("atan2", Xy, ulps(2.0, 6.0, 6.0), angle, With("atan2")).relaxed(Relaxed::Ulp(8192.0)),
        Function::new("atan2pi", Xy, ulps(2.0, 6.0, 6.0), |a| r::atan2(a.x[0], a.x[1]) / PI, With("atan2pi"))
            .relaxed(Relaxed::Ulp(8192.0)),
        Function::new("hypot", Xy, ulps(2.0, 4.0, 4.0), |a| r::hypot(a.x[0], a.x[1]), With("hypot"))
            .relaxed(Relaxed::Ulp(8192.0)),
        Function::new("pow", Xy, ulps(4.0, 16.0, 16.0), |a| r::pow(a.x[0], a.x[1]), With("pow"))
            .relaxed(powers),
        Function::new(
            "pown",
            Xn,
            ulps(4.0, 16.0, 16.0),
            |a| r::pow(a.x[0], a.n.into()),
            By(|x, n| x[0].with("pow", &x[0].of(n.into()))),
        )
        .relaxed(powers),
        Function::new(
            "powr",
            Xy,
            ulps(4.0, 16.0, 16.0),
            |a| r::powr(a.x[0], a.x[1]),
            By(|x, _| r::powr_number(&x[0], &x[1])),
        )
        .relaxed(powers),
        Function::new(
            "rootn",
            Xn,
            ulps(4.0, 16.0, 16.0),
            |a| r::rootn(a.x[0], a.n),
            By(|x, n| r::root_number(&x[0], n)),
        )
        .relaxed(powers),
    ]
}

fn exact() -> Vec<Function> {
    fn plain(name: &'static str, takes: Takes, bounds: [Bound; 3], real: fn(&Args) -> f64) -> Function {
        Function::new(name, takes, bounds, real, Plain)
    }
    let remquo = |n: &'static str, body, real| plain(n, Xy, EXACT, real).of(body);
    vec![
        plain("ceil", X, EXACT, |a| a.x[0].ceil()),
        plain("copysign", Xy, EXACT, |a| a.x[0].copysign(a.x[1])),
        plain("fabs", X, EXACT, |a| a.x[0].abs()),
        plain("fdim", Xy, ROUNDED, |a| r::fdim(a.x[0], a.x[1])),
        plain("floor", X, EXACT, |a| a.x[0].floor()),
        plain("fma", Xyz, ROUNDED, r::fma),
        plain("fmax", Xy, EXACT, |a| r::larger(a.x[0], a.x[1])),
        plain("fmin", Xy, EXACT, |a| r::smaller(a.x[0], a.x[1])),
        plain("fmod", Xy, EXACT, |a| a.x[0] % a.x[1]),
        plain("fract", X, ROUNDED, r::fract).of("T w; r = fract(x, &w);"),
        plain("fract, whole", X, EXACT, |a| a.x[0].floor()).of("fract(x, &r);"),
        plain("frexp", X, EXACT, |a| r::frexp(a.x[0])).of("int e; r = frexp(x, &e);"),
        plain("frexp, exponent", X, EXACT, |a| r::frexp_exponent(a.x[0])).of("int e; frexp(x, &e); r = e;"),
        plain("ilogb", X, EXACT, r::ilogb).of("r = ilogb(x);"),
        Function::new(
            "ldexp",
            Xn,
            ROUNDED,
            |a| r::scaled(a.x[0], a.n),
            By(|x, n| r::scaled_number(&x[0], n)),
        ),
        plain("logb", X, EXACT, |a| r::logb(a.x[0])),
        plain("maxmag", Xy, EXACT, |a| r::maxmag(a.x[0], a.x[1])),
        plain("minmag", Xy, EXACT, |a| r::minmag(a.x[0], a.x[1])),
        plain("modf", X, EXACT, |a| r::modf(a.x[0])).of("T w; r = modf(x, &w);"),
        plain("modf, whole", X, EXACT, |a| a.x[0].trunc()).of("modf(x, &r);"),
        plain("nextafter", Xy, EXACT, r::nextafter),
        plain("remainder", Xy, EXACT, |a| r::remainder(a.x[0], a.x[1])),
        remquo("remquo", "int q; r = remquo(x, y, &q);", |a| r::remainder(a.x[0], a.x[1])),
        Function {
            exact: By(|x, _| {
                let [a, b] = [x[0].double(), x[1].double()];
                if !a.is_finite() || b.is_nan() || b == 0.0 || b.is_infinite() {
                    return x[0].of(0.0);
                }
                let low = (x[0].remquo(&x[1]).1.abs() & 127) as f64;
                x[0].of(if (a < 0.0) != (b < 0.0) { -low } else { low })
            }),
            ..remquo("remquo, quotient", "int q; remquo(x, y, &q); r = q < 0 ? -(-q & 127) : q & 127;", |a| {
                r::quotient(a.x[0], a.x[1])
            })
        },
        plain("rint", X, EXACT, |a| a.x[0].round_ties_even()),
        plain("round", X, EXACT, |a| a.x[0].round()),
        plain("trunc", X, EXACT, |a| a.x[0].trunc()),
    ]
}

fn operators() -> Vec<Function> {
    let quotient = [Ulp(1.0), Ulp(2.5), Rounded];
    vec![
        Function::new("x + y", Xy, ROUNDED, |a| a.x[0] + a.x[1], Plain).of("r = x + y;"),
        Function::new("x - y", Xy, ROUNDED, |a| a.x[0] - a.x[1], Plain).of("r = x - y;"),
        Function::new("x * y", Xy, ROUNDED, |a| a.x[0] * a.x[1], Plain).of("r = x * y;"),
        Function::new("x / y", Xy, quotient, |a| a.x[0] / a.x[1], Plain).of("r = x / y;").relaxed(
            Relaxed::By(|a, _, _| {
                let ordinary = a.x[..2].iter().all(|x| (power(-62)..=power(62)).contains(&x.abs()));
                if ordinary { 2.5 } else { f64::INFINITY }
            }),
        ),
        Function::new("1 / x", X, quotient, |a| 1.0 / a.x[0], Plain).of("r = (T)1 / x;").relaxed(
            Relaxed::By(
                |a, _, _| {
                    if (power(-126)..=power(126)).contains(&a.x[0].abs()) { 2.5 } else { f64::INFINITY }
                },
            ),
        ),
    ]
}

fn lanes<'a, 'm>(x: &'a [Number<'m>; 3], n: usize) -> &'a [Number<'m>] {
    &x[..n]
}

fn geometric() -> Vec<Function> {
    fn norm(a: &Args, n: usize) -> f64 {
        a.x[..n].iter().map(|x| x * x).sum::<f64>().sqrt()
    }
    fn direction(a: &Args, n: usize) -> f64 {
        let x = &a.x[..n];
        if x.iter().any(|x| x.is_nan()) {
            return f64::NAN;
        }
        if x.iter().any(|x| x.is_infinite()) {
            let ones = x.iter().filter(|x| x.is_infinite()).count() as f64;
            return if x[0].is_infinite() { 1f64.copysign(x[0]) / ones.sqrt() } else { 0f64.copysign(x[0]) };
        }
        if norm(a, n) == 0.0 { x[0] } else { x[0] / norm(a, n) }
    }
    fn exact_direction<'m>(x: &[Number<'m>; 3], n: usize) -> Number<'m> {
        let a = Args { x: [x[0].double(), x[1].double(), x[2].double()], n: 0, ty: Type::Double };
        if a.x[..n].iter().any(|x| !x.is_finite()) || a.x[..n].iter().all(|x| *x == 0.0) {
            return x[0].of(direction(&a, n));
        }
        x[0].with("div", &r::norm(lanes(x, n)))
    }
    fn difference<'m>(x: &[Number<'m>; 3]) -> [Number<'m>; 3] {
        [x[0].with("sub", &x[1]), x[1].with("sub", &x[2]), x[2].with("sub", &x[0])]
    }
    /// The largest magnitude, squared; infinity where products may overflow.
    fn most(a: &Args) -> f64 {
        let most = a.x.iter().fold(0f64, |m, x| m.max(x.abs()));
        let square = most * most;
        if square > a.ty.largest() / 4.0 { f64::INFINITY } else { square }
    }
    let [v2, v3] = ["(T2)(x, y)", "(T3)(x, y, z)"];
    let length = |name, takes, n: f64, v: &str, real, exact| {
        Function::new(name, takes, ulps(0.25 + 0.5 * n, 2.75 + 0.5 * n, 5.5 + n), real, exact)
            .of(&format!("r = length({v});"))
    };
    let normal = |name, takes, n: f64, v: &str, real, exact| {
        Function::new(name, takes, ulps(1.0 + n, 2.0 + n, 4.5 + n), real, exact)
            .of(&format!("r = normalize({v}).x;"))
    };
    vec![
        length("length of 2", Xy, 2.0, v2, |a| norm(a, 2), By(|x, _| r::norm(lanes(x, 2)))),
        length("length of 3", Xyz, 3.0, v3, |a| norm(a, 3), By(|x, _| r::norm(lanes(x, 3)))),
        normal("normalize of 2", Xy, 2.0, v2, |a| direction(a, 2), By(|x, _| exact_direction(x, 2))),
        normal("normalize of 3", Xyz, 3.0, v3, |a| direction(a, 3), By(|x, _| exact_direction(x, 3))),
        Function::new(
            "distance of 3",
            Xyz,
            ulps(6.0, 8.5, 11.5),
            |a| {
                let [x, y, z] = a.x;
                norm(&Args { x: [x - y, y - z, z - x], ..*a }, 3)
            },
            By(|x, _| r::norm(&difference(x))),
        )
        .of("r = distance((T3)(x, y, z), (T3)(y, z, x));"),
        Function::new(
            "dot of 3",
            Xyz,
            [Within(|a, e| most(a) * 5.0 * e); 3],
            |a| {
                let [x, y, z] = a.x.map(f64::abs);
                x * y + y * z + z * x
            },
            By(|x, _| {
                let turned = [x[1].call("abs"), x[2].call("abs"), x[0].call("abs")];
                r::dot(&[x[0].call("abs"), x[1].call("abs"), x[2].call("abs")], &turned)
            }),
        )
        .of("r = dot(fabs((T3)(x, y, z)), fabs((T3)(y, z, x)));"),
        Function::new(
            "cross",
            Xyz,
            [Within(|a, e| most(a) * 3.0 * e); 3],
            |a| a.x[1] * a.x[0] - a.x[2] * a.x[2],
            By(|x, _| x[1].with("mul", &x[0]).with("sub", &x[2].with("mul", &x[2]))),
        )
        .of("r = cross((T3)(x, y, z), (T3)(y, z, x)).x;"),
    ]
}

fn common() -> Vec<Function> {
    let small = |bound: fn(&Args, f64) -> f64| [Open, Within(bound), Open];
    vec![
        Function::new("clamp", Xyz, EXACT, |a| r::clamp(a.x[0], -a.x[1].abs(), a.x[2].abs()), Plain)
            .of("r = clamp(x, -fabs(y), fabs(z));"),
        Function::new(
            "degrees",
            X,
            ulps(2.0, 2.0, 2.0),
            |a| a.x[0] * (180.0 / PI),
            By(|x, _| {
                x[0].with(
                    "mul",
                    &x[0]
                        .of(-1.0)
                        .call("acospi")
                        .with("mul", &x[0].of(180.0))
                        .with("div", &x[0].of(-1.0).call("acos")),
                )
            }),
        ),
        Function::new(
            "radians",
            X,
            ulps(2.0, 2.0, 2.0),
            |a| a.x[0] * (PI / 180.0),
            By(|x, _| x[0].with("mul", &x[0].of(-1.0).call("acos")).with("div", &x[0].of(180.0))),
        ),
        Function::new(
            "mix",
            Xyz,
            small(|_, _| 1e-3),
            |a| {
                let [x, y, z] = a.x.map(tame);
                x + (y - x) * z.abs()
            },
            Plain,
        )
        .of("x = tame(x), y = tame(y), z = tame(z); r = mix(x, y, fabs(z));"),
        Function::new(
            "smoothstep",
            Xyz,
            small(|_, _| 1e-5),
            |a| {
                let [x, y, z] = a.x.map(tame);
                r::smoothstep(x, x + 0.5 + y.abs(), z)
            },
            Plain,
        )
        .of("x = tame(x), y = tame(y), z = tame(z); r = smoothstep(x, x + (T)0.5 + fabs(y), z);"),
        Function::new("sign", X, EXACT, |a| r::sign(a.x[0]), Plain),
        Function::new("step", Xy, EXACT, |a| if a.x[1] < a.x[0] { 0.0 } else { 1.0 }, Plain),
    ]
}

/// The work of `tame` in the kernel: a number of magnitude 1 or below, exactly.
fn tame(x: f64) -> f64 {
    if x.abs() <= 1.0 { x } else { 0.5 }
}

/// `half_` and `native_` functions; the latter's errors are reported, and bounded by nothing.
fn coarse() -> Vec<Function> {
    type Row = (&'static str, &'static str, Takes, fn(&Args) -> f64);
    let rows: [Row; 14] = [
        ("half_cos", "native_cos", X, |a| r::cos(a.x[0])),
        ("half_divide", "native_divide", Xy, |a| a.x[0] / a.x[1]),
        ("half_exp", "native_exp", X, |a| r::exp(a.x[0])),
        ("half_exp2", "native_exp2", X, |a| r::exp2(a.x[0])),
        ("half_exp10", "native_exp10", X, |a| r::exp10(a.x[0])),
        ("half_log", "native_log", X, |a| r::log(a.x[0])),
        ("half_log2", "native_log2", X, |a| r::log2(a.x[0])),
        ("half_log10", "native_log10", X, |a| r::log10(a.x[0])),
        ("half_powr", "native_powr", Xy, |a| r::powr(a.x[0], a.x[1])),
        ("half_recip", "native_recip", X, |a| 1.0 / a.x[0]),
        ("half_rsqrt", "native_rsqrt", X, |a| r::rsqrt(a.x[0])),
        ("half_sin", "native_sin", X, |a| r::sin(a.x[0])),
        ("half_sqrt", "native_sqrt", X, |a| a.x[0].sqrt()),
        ("half_tan", "native_tan", X, |a| r::tan(a.x[0])),
    ];
    let half = rows.iter().map(|row| Function::new(row.0, row.2, [None, Ulp(8192.0), None], row.3, Plain));
    let native = rows.iter().map(|row| Function::new(row.1, row.2, [None, Open, None], row.3, Plain));
    half.chain(native).collect()
}
