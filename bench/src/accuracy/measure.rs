//! Runs a function on a driver and compares what it gives with the reference.

use std::num::NonZero;
use std::thread;

use super::arguments::arguments;
use super::errors::{Real, distance, unit};
use super::functions::{Bound, Exact, Function, Relaxed, Takes};
use super::mpfr::Mpfr;
use super::reference::Args;
use super::{Result, Type};
use crate::opencl::{Arg, Buffer, Kernel, Place, Session};

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The step between arguments of functions of one float.
    pub stride: u64,
    /// How many arguments other functions of floats and halves get.
    pub dense: usize,
    /// How many arguments functions of doubles get.
    pub doubles: usize,
    /// With -cl-fast-relaxed-math, against its bounds.
    pub relaxed: bool,
    /// True if denormals may be taken for zeros: for half, float, double.
    pub flushes: [bool; 3],
}

/// The worst of what was seen.
#[derive(Debug, Clone, Copy)]
pub struct Worst {
    /// Its error: in ulp, or in the bound's own unit.
    pub error: f64,
    /// The error by the bound; above 1 is too much.
    pub ratio: f64,
    /// Where.
    pub args: Args,
    /// The result.
    pub got: f64,
    /// The right result.
    pub want: f64,
}

/// The findings about one function and type.
#[derive(Debug, Clone)]
pub struct Found {
    /// How many arguments were tried.
    pub tried: u64,
    /// How many were beyond the bound.
    pub beyond: u64,
    /// For how many a denormal had to be taken for a zero.
    pub flushed: u64,
    /// The largest error by its bound, and the largest error.
    pub worst: Option<Worst>,
}

impl Found {
    fn none() -> Self {
        Found { tried: 0, beyond: 0, flushed: 0, worst: None }
    }

    fn merge(&mut self, other: Found) {
        self.tried += other.tried;
        self.beyond += other.beyond;
        self.flushed += other.flushed;
        if let Some(worst) = other.worst {
            self.take(worst);
        }
    }

    fn take(&mut self, new: Worst) {
        let key = |w: &Worst| (w.ratio, w.error);
        if self.worst.as_ref().is_none_or(|old| key(&new) > key(old)) {
            self.worst = Some(new);
        }
    }
}

/// The reference of results.
struct Judge<'a> {
    function: &'a Function,
    ty: Type,
    settings: &'a Settings,
    /// For doubles.
    mpfr: Option<&'a Mpfr>,
}

impl Judge<'_> {
    fn reference(&self, args: &Args) -> Real {
        let Some(mpfr) = self.mpfr else { return ((self.function.real)(args), 0.0) };
        exact(mpfr, self.function, args)
    }

    /// Error and allowed error.
    fn error(&self, args: &Args, got: f64, want: Real) -> (f64, f64) {
        if self.settings.relaxed
            && (!got.is_finite() || !want.0.is_finite() || args.x.iter().any(|x| !x.is_finite()))
        {
            // -cl-finite-math-only: neither arguments nor results are NaN or infinite.
            return (0.0, 1.0);
        }
        if let Bound::Within(bound) = self.function.bound(self.ty) {
            let most = bound(args, self.ty.epsilon());
            if !most.is_finite() || !want.0.is_finite() {
                return (0.0, 1.0);
            }
            // Each product may be rounded among the denormals, or vanish there.
            let flushes = self.settings.flushes[self.ty as usize];
            let least = 3.0 * self.ty.least() * if flushes { 1.0 } else { self.ty.epsilon() };
            return (((got - want.0) - want.1).abs() / most.max(least), 1.0);
        }
        let error = distance(self.ty, got, want);
        let usual = match self.function.bound(self.ty) {
            Bound::Ulp(most) => most,
            Bound::Rounded => 0.5,
            Bound::Within(_) | Bound::Open | Bound::None => f64::INFINITY,
        };
        let most = match self.function.relaxed {
            Relaxed::Ulp(most) if self.settings.relaxed => most,
            Relaxed::By(most) if self.settings.relaxed => most(args, want.0, unit(self.ty, want)),
            _ => usual,
        };
        (error, most)
    }

    /// Adds one result to what was found.
    fn add(&self, found: &mut Found, args: &Args, got: f64) {
        found.tried += 1;
        let want = self.reference(args);
        let (mut error, mut most) = self.error(args, got, want);
        let mut judged = (*args, want);
        if error > most && self.settings.flushes[self.ty as usize] {
            let kept = (error, most);
            for (variant, want) in self.flushed(args) {
                // A result among the denormals may be a zero, one that was rounded up from there, too.
                let vanishes = want.0.abs() <= self.ty.least() && got == 0.0;
                let (e, m) = if vanishes { (0.0, most) } else { self.error(&variant, got, want) };
                if e <= m && e * most.max(1e-9) < error * m.max(1e-9) {
                    (error, most, judged) = (e, m, (variant, want));
                }
            }
            found.flushed += u64::from((error, most) != kept);
        }
        let ratio = if error == 0.0 || most.is_infinite() { 0.0 } else { error / most };
        found.beyond += u64::from(ratio > 1.0);
        if error > 0.0 && (error.is_finite() || most.is_finite()) {
            let (args, want) = judged;
            found.take(Worst { error, ratio, args, got, want: want.0 });
        }
    }

    /// The arguments with any of their denormals as zeros.
    fn flushed(&self, args: &Args) -> Vec<(Args, Real)> {
        let mut variants = Vec::new();
        for mask in 0..8 {
            let mut variant = *args;
            let mut fits = true;
            for (i, x) in variant.x.iter_mut().enumerate() {
                if mask >> i & 1 == 1 {
                    fits &= self.ty.is_denormal(*x);
                    *x = 0f64.copysign(*x);
                }
            }
            if fits {
                let want = self.reference(&variant);
                variants.push((variant, want));
            }
        }
        variants
    }
}

/// MPFR's form of a function of doubles.
#[must_use]
pub fn exact(mpfr: &Mpfr, function: &Function, args: &Args) -> Real {
    let number = |i: usize| mpfr.number(args.x[i]);
    match &function.exact {
        Exact::Plain => ((function.real)(args), 0.0),
        Exact::Call(name) => number(0).call(name).parts(),
        Exact::With(name) => number(0).with(name, &number(1)).parts(),
        Exact::By(make) => make(&[number(0), number(1), number(2)], args.n).parts(),
    }
}

/// The kernel of a function: from buffers of arguments; or, of one float, from numbers counted up.
fn source(function: &Function, ty: Type, counted: bool) -> String {
    let t = ty.name();
    let mut text = match ty {
        Type::Half => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n".to_owned(),
        Type::Float => String::new(),
        Type::Double => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n".to_owned(),
    };
    text += &format!(
        "typedef {t} T; typedef {t}2 T2; typedef {t}3 T3;\nT tame(T x) {{ return fabs(x) <= (T)1 ? x : (T)0.5; }}\n"
    );
    let given = if counted {
        "kernel void k(uint first, uint stride, global T *out) {\n  size_t i = get_global_id(0);\n  \
         T x = as_float(first + (uint)i * stride), y = x, z = x, r = 0;\n  int n = 0;\n"
    } else {
        "kernel void k(global const T *in0, global const T *in1, global const T *in2, global const int *in3, global T *out) {\n  \
         size_t i = get_global_id(0);\n  T x = in0[i], y = in1[i], z = in2[i], r = 0;\n  int n = in3[i];\n"
    };
    text + given + "  " + &function.body + "\n  out[i] = r;\n}\n"
}

fn kernel<'s>(
    session: &'s Session,
    function: &Function,
    ty: Type,
    counted: bool,
    settings: &Settings,
) -> Result<Kernel<'s>> {
    let options = if settings.relaxed { "-cl-std=CL3.0 -cl-fast-relaxed-math" } else { "-cl-std=CL3.0" };
    session
        .kernel(&source(function, ty, counted), "k", options)
        .or_else(|_| session.kernel(&source(function, ty, counted), "k", &options.replace("CL3.0", "CL1.2")))
}

/// Measures a function; `None` where it does not exist for the type.
///
/// # Errors
/// What the driver fails with; a double without MPFR.
pub fn measure(
    session: &Session,
    function: &Function,
    ty: Type,
    settings: &Settings,
    mpfr: Option<&Mpfr>,
) -> Result<Option<Found>> {
    if matches!(function.bound(ty), Bound::None) {
        return Ok(None);
    }
    if ty == Type::Double && mpfr.is_none() {
        return Err("doubles are compared with MPFR, which is not here".to_owned());
    }
    let judge = Judge { function, ty, settings, mpfr: mpfr.filter(|_| ty == Type::Double) };
    match (ty, function.takes) {
        (Type::Float, Takes::X) => counted(session, &judge).map(Some),
        (Type::Half, Takes::X) => {
            let all: Vec<Args> =
                (0..0x10000).map(|bits| Args { x: [ty.value(bits), 0.0, 0.0], n: 0, ty }).collect();
            listed(session, &judge, &all).map(Some)
        }
        (Type::Double, _) => {
            listed(session, &judge, &arguments(ty, function.takes, settings.doubles)).map(Some)
        }
        _ => listed(session, &judge, &arguments(ty, function.takes, settings.dense)).map(Some),
    }
}

/// Results of one launch that are compared at once.
const PART: usize = 1 << 24;

/// All floats, or every so-manieth.
fn counted(session: &Session, judge: &Judge<'_>) -> Result<Found> {
    let settings = judge.settings;
    let total = (1u64 << 32).div_ceil(settings.stride);
    let part = PART.min(total as usize);
    let kernel = kernel(session, judge.function, judge.ty, true, settings)?;
    let out = session.buffer(part * 4, Place::Device)?;
    let mut bytes = vec![0; part * 4];
    let mut found = Found::none();
    let mut done = 0;
    while done < total {
        let count = part.min((total - done) as usize);
        let first = (done * settings.stride) as u32;
        let stride = settings.stride as u32;
        kernel.set(&[
            Arg::Value(&first.to_le_bytes()),
            Arg::Value(&stride.to_le_bytes()),
            Arg::Buffer(&out),
        ])?;
        kernel.launch(&[count], None)?;
        out.read(0, &mut bytes[..count * 4])?;
        let args = |i: usize| {
            let x = f32::from_bits(first.wrapping_add((i as u32).wrapping_mul(stride)));
            Args { x: [x.into(), 0.0, 0.0], n: 0, ty: Type::Float }
        };
        found.merge(compare(judge, count, &bytes, &args));
        done += count as u64;
    }
    Ok(found)
}

/// Arguments from a list.
fn listed(session: &Session, judge: &Judge<'_>, all: &[Args]) -> Result<Found> {
    let ty = judge.ty;
    let kernel = kernel(session, judge.function, ty, false, judge.settings)?;
    let mut buffers: Vec<Buffer<'_>> = Vec::new();
    for lane in 0..3 {
        let mut bytes = Vec::with_capacity(all.len() * ty.bytes());
        all.iter().for_each(|a| ty.write(a.x[lane], &mut bytes));
        buffers.push(session.buffer_with(&bytes)?);
    }
    let integers: Vec<u8> = all.iter().flat_map(|a| a.n.to_le_bytes()).collect();
    buffers.push(session.buffer_with(&integers)?);
    buffers.push(session.buffer(all.len() * ty.bytes(), Place::Device)?);
    let args: Vec<Arg<'_>> = buffers.iter().map(Arg::Buffer).collect();
    kernel.set(&args)?;
    kernel.launch(&[all.len()], None)?;
    let mut bytes = vec![0; all.len() * ty.bytes()];
    buffers[4].read(0, &mut bytes)?;
    Ok(compare(judge, all.len(), &bytes, &|i| all[i]))
}

/// Compares results with the reference, on all processors.
fn compare(judge: &Judge<'_>, count: usize, bytes: &[u8], args: &(dyn Fn(usize) -> Args + Sync)) -> Found {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = count.div_ceil(threads).max(1);
    let mut found = Found::none();
    thread::scope(|scope| {
        let parts: Vec<_> = (0..count.div_ceil(share))
            .map(|part| {
                scope.spawn(move || {
                    let mut found = Found::none();
                    for i in part * share..count.min((part + 1) * share) {
                        judge.add(&mut found, &args(i), judge.ty.read(bytes, i));
                    }
                    found
                })
            })
            .collect();
        for part in parts {
            match part.join() {
                Ok(part) => found.merge(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    found
}

/// How far the reference for floats is from MPFR's, at most: in ulp of a float, over the special arguments and some at random.
#[must_use]
pub fn check_reference(mpfr: &Mpfr, function: &Function, count: usize) -> Option<Worst> {
    if matches!(function.exact, Exact::Plain)
        || matches!(function.bound(Type::Float), Bound::None | Bound::Within(_))
    {
        return None;
    }
    let mut worst: Option<Worst> = None;
    for args in arguments(Type::Float, function.takes, count) {
        let (got, want) = ((function.real)(&args), exact(mpfr, function, &args));
        if want.0.abs() > f32::MAX.into()
            && got.abs() > f32::MAX.into()
            && want.0.is_sign_negative() == got.is_sign_negative()
        {
            continue;
        }
        let error = distance(Type::Float, got, want);
        if worst.as_ref().is_none_or(|w| error > w.error) {
            worst = Some(Worst { error, ratio: error, args, got, want: want.0 });
        }
    }
    worst
}
