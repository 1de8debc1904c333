//! MPFR, loaded when it is there: the reference for doubles, and what the reference for floats is checked against. It is a library
//! of the system, so that nothing of it is compiled here.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_long, c_void};

use super::Result;

/// MPFR's number (its manual, "Nomenclature and Types"; the layout is that of its ABI 6).
#[repr(C)]
struct Raw {
    precision: c_long,
    sign: c_int,
    exponent: c_long,
    digits: *mut c_void,
}

type Unary = unsafe extern "C" fn(*mut Raw, *const Raw, c_int) -> c_int;
type Binary = unsafe extern "C" fn(*mut Raw, *const Raw, *const Raw, c_int) -> c_int;
type Remquo = unsafe extern "C" fn(*mut Raw, *mut c_long, *const Raw, *const Raw, c_int) -> c_int;
type Lgamma = unsafe extern "C" fn(*mut Raw, *mut c_int, *const Raw, c_int) -> c_int;

/// To nearest: MPFR_RNDN.
const NEAREST: c_int = 0;

/// The functions of one argument that are called, without `mpfr_`.
const UNARY: &[&str] = &[
    "sqrt", "cbrt", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
    "sinpi", "cospi", "tanpi", "asin", "acos", "atan", "asinpi", "acospi", "atanpi", "sinh", "cosh", "tanh",
    "asinh", "acosh", "atanh", "erf", "erfc", "gamma", "neg", "abs",
];

/// Functions of two arguments.
const BINARY: &[&str] =
    &["add", "sub", "mul", "div", "pow", "atan2", "atan2pi", "hypot", "fmod", "remainder", "max", "min"];

/// The library.
pub struct Mpfr {
    init: unsafe extern "C" fn(*mut Raw, c_long),
    clear: unsafe extern "C" fn(*mut Raw),
    set: unsafe extern "C" fn(*mut Raw, f64, c_int) -> c_int,
    get: unsafe extern "C" fn(*const Raw, c_int) -> f64,
    remquo: Remquo,
    lgamma: Lgamma,
    unary: HashMap<&'static str, Unary>,
    binary: HashMap<&'static str, Binary>,
    /// Keeps the code mapped.
    _library: libloading::Library,
}

/// A function of a library.
///
/// # Safety
/// `T` is its type.
unsafe fn find<T: Copy>(library: &libloading::Library, name: &str) -> Result<T> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<T>(format!("mpfr_{name}").as_bytes()) }.map(|f| *f).map_err(|e| e.to_string())
}

/// Enough that what is rounded twice is not seen in the hundredths of an ulp of a double, after the cancellations of `fma` and
/// of vectors' lanes, too: a product of two doubles is exact.
const PRECISION: c_long = 200;

impl Mpfr {
    /// Loads it.
    ///
    /// # Errors
    /// It is not there, or older than 4.2.
    pub fn load() -> Result<Self> {
        // SAFETY: the system's own library; its initialisers touch nothing of ours.
        let library = unsafe { libloading::Library::new("libmpfr.so.6") }.map_err(|e| e.to_string())?;
        // SAFETY: the types are those of MPFR's manual ("Initialization Functions", "Assignment Functions" and so on).
        unsafe {
            let unary = UNARY.iter().map(|name| Ok((*name, find(&library, name)?))).collect::<Result<_>>()?;
            let binary =
                BINARY.iter().map(|name| Ok((*name, find(&library, name)?))).collect::<Result<_>>()?;
            Ok(Mpfr {
                init: find(&library, "init2")?,
                clear: find(&library, "clear")?,
                set: find(&library, "set_d")?,
                get: find(&library, "get_d")?,
                remquo: find(&library, "remquo")?,
                lgamma: find(&library, "lgamma")?,
                unary,
                binary,
                _library: library,
            })
        }
    }

    /// A number from a double, exactly.
    pub fn number(&self, value: f64) -> Number<'_> {
        let number = Number::new(self);
        // SAFETY: an initialised number.
        unsafe { (self.set)(number.raw.get(), value, NEAREST) };
        number
    }
}

/// A number of [`PRECISION`] bits, without the limits of a double's exponent.
pub struct Number<'m> {
    mpfr: &'m Mpfr,
    raw: UnsafeCell<Raw>,
}

impl<'m> Number<'m> {
    fn new(mpfr: &'m Mpfr) -> Self {
        let raw = Raw { precision: 0, sign: 0, exponent: 0, digits: std::ptr::null_mut() };
        let number = Number { mpfr, raw: UnsafeCell::new(raw) };
        // SAFETY: room for a number. It stays where its digits are, whoever moves the rest.
        unsafe { (mpfr.init)(number.raw.get(), PRECISION) };
        number
    }

    /// Another number of the same library.
    pub fn of(&self, value: f64) -> Self {
        self.mpfr.number(value)
    }

    /// A function of one argument by MPFR's name; NaN where the list above has it not.
    pub fn call(&self, name: &str) -> Self {
        let Some(function) = self.mpfr.unary.get(name) else { return self.of(f64::NAN) };
        let result = Number::new(self.mpfr);
        // SAFETY: both are initialised numbers.
        unsafe { function(result.raw.get(), self.raw.get(), NEAREST) };
        result
    }

    /// A function of two arguments by MPFR's name; NaN where the list above has it not.
    pub fn with(&self, name: &str, other: &Self) -> Self {
        let Some(function) = self.mpfr.binary.get(name) else { return self.of(f64::NAN) };
        let result = Number::new(self.mpfr);
        // SAFETY: all are initialised numbers.
        unsafe { function(result.raw.get(), self.raw.get(), other.raw.get(), NEAREST) };
        result
    }

    /// The remainder to nearest, and the quotient's low bits.
    pub fn remquo(&self, other: &Self) -> (Self, i64) {
        let result = Number::new(self.mpfr);
        let mut quotient = 0;
        // SAFETY: all are initialised numbers; room for the quotient.
        unsafe {
            (self.mpfr.remquo)(result.raw.get(), &mut quotient, self.raw.get(), other.raw.get(), NEAREST)
        };
        (result, quotient)
    }

    /// ln |Γ(x)|.
    pub fn ln_gamma(&self) -> Self {
        let result = Number::new(self.mpfr);
        let mut sign = 0;
        // SAFETY: both are initialised numbers; room for the sign.
        unsafe { (self.mpfr.lgamma)(result.raw.get(), &mut sign, self.raw.get(), NEAREST) };
        result
    }

    /// The nearest double.
    pub fn double(&self) -> f64 {
        // SAFETY: an initialised number.
        unsafe { (self.mpfr.get)(self.raw.get(), NEAREST) }
    }

    /// The nearest double, and the nearest double to what it leaves.
    pub fn parts(&self) -> (f64, f64) {
        let high = self.double();
        if !high.is_finite() {
            return (high, 0.0);
        }
        (high, self.with("sub", &self.of(high)).double())
    }
}

impl Drop for Number<'_> {
    fn drop(&mut self) {
        // SAFETY: it was initialised, and is not used again.
        unsafe { (self.mpfr.clear)(self.raw.get()) };
    }
}
