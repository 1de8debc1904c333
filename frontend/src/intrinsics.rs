//! The functions that clang itself knows, `__builtin_…`: their names, and what each means. The parser makes calls of them
//! (`sema/intrinsic`), and `__has_builtin` asks here.

use crate::hir::BinaryOp;
use crate::options::{Features, Options};
use crate::types::Scalar;

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Intrinsic {
    /// A function of an integer's bits.
    Bits(Bits, Scalar),
    /// A function of OpenCL C with its arguments converted.
    Function(Function),
    /// `isnan` and its kin, for any floating type.
    Classify(Classify),
    /// A constant: infinity, or NaN with a payload in a string.
    Special {
        /// NaN rather than infinity.
        nan: bool,
        /// Its type.
        scalar: Scalar,
    },
    /// `add_overflow` and its kin: the operation, and the type of all operands where the name has it.
    Overflow(BinaryOp, Option<Scalar>),
    /// `addc`, `subc`: with a carry in and out.
    Carry {
        /// `subc`
        subtract: bool,
        /// The type.
        scalar: Scalar,
    },
    /// A function of each component, by its name in OpenCL C for floats and for integers.
    Elementwise {
        /// For floating components.
        float: Option<&'static str>,
        /// For integers.
        integer: Option<&'static str>,
    },
    /// One value of all components.
    Reduce(Reduction),
    /// A function of memory.
    Memory(Memory),
    /// `align_up` and its kin.
    Align(Align),
    /// What has a syntax or a typing of its own.
    Form(Form),
    /// A function that cannot be here, and why.
    Absent(&'static str),
}

/// See [`Intrinsic::Bits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Bits {
    Popcount,
    Parity,
    Clz,
    Ctz,
    Ffs,
    Clrsb,
    Swap,
    Reverse,
    RotateLeft,
    RotateRight,
    Abs,
}

/// A function of OpenCL C as clang's builtin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name in OpenCL C.
    pub name: &'static str,
    /// How many arguments there are.
    pub arguments: u8,
    /// How many of them, from the first, are of type `scalar`; the others are as they come.
    pub floats: u8,
    /// The floating type.
    pub scalar: Scalar,
    /// What the result is converted to.
    pub result: Option<Scalar>,
}

/// See [`Intrinsic::Classify`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Classify {
    /// A relational function of OpenCL C with this name and so many arguments.
    Relation(&'static str, u8),
    InfSign,
    FloatClass,
}

/// See [`Intrinsic::Reduce`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Reduction {
    Operator(BinaryOp),
    Min,
    Max,
}

/// See [`Intrinsic::Memory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Memory {
    Copy,
    Move,
    Set,
}

/// See [`Intrinsic::Align`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Align {
    Is,
    Up,
    Down,
}

/// See [`Intrinsic::Form`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Form {
    Astype,
    BitCast,
    Offsetof,
    TypesCompatible,
    ChooseExpr,
    ConstantP,
    Expect,
    ExpectWithProbability,
    Assume,
    AssumeAligned,
    Launder,
    Unreachable,
    Trap,
    Prefetch,
    ObjectSize,
    ShuffleVector,
    ConvertVector,
    Function,
    LoadHalf,
    StoreHalf,
}

impl Form {
    /// Returns whether types or a member designator are among the arguments, or they are read in a way of their own.
    pub fn has_syntax(self) -> bool {
        use Form::*;
        matches!(self, Astype | BitCast | ConvertVector | Offsetof | TypesCompatible | ChooseExpr | Function)
    }
}

use Intrinsic::{Absent, Align as AlignOf, Classify as Class, Form as FormOf, Memory as MemoryOf, Reduce};

/// Functions whose names are what they are.
const NAMES: &[(&str, Intrinsic)] = &[
    ("add_overflow", Intrinsic::Overflow(BinaryOp::Add, None)),
    ("align_down", AlignOf(Align::Down)),
    ("align_up", AlignOf(Align::Up)),
    ("alloca", Absent("memory whose size is known at run time only is none that kernels can have")),
    (
        "alloca_with_align",
        Absent("memory whose size is known at run time only is none that kernels can have"),
    ),
    ("assume", FormOf(Form::Assume)),
    ("assume_aligned", FormOf(Form::AssumeAligned)),
    ("astype", FormOf(Form::Astype)),
    ("bit_cast", FormOf(Form::BitCast)),
    ("choose_expr", FormOf(Form::ChooseExpr)),
    ("canonicalize", FormOf(Form::Launder)),
    ("canonicalizef", FormOf(Form::Launder)),
    ("canonicalizef16", FormOf(Form::Launder)),
    ("constant_p", FormOf(Form::ConstantP)),
    ("convertvector", FormOf(Form::ConvertVector)),
    ("debugtrap", FormOf(Form::Trap)),
    ("dynamic_object_size", FormOf(Form::ObjectSize)),
    ("elementwise_abs", Intrinsic::Elementwise { float: Some("fabs"), integer: Some("abs") }),
    ("elementwise_add_sat", Intrinsic::Elementwise { float: None, integer: Some("add_sat") }),
    ("elementwise_ceil", Intrinsic::Elementwise { float: Some("ceil"), integer: None }),
    ("elementwise_copysign", Intrinsic::Elementwise { float: Some("copysign"), integer: None }),
    ("elementwise_cos", Intrinsic::Elementwise { float: Some("cos"), integer: None }),
    ("elementwise_exp", Intrinsic::Elementwise { float: Some("exp"), integer: None }),
    ("elementwise_exp2", Intrinsic::Elementwise { float: Some("exp2"), integer: None }),
    ("elementwise_floor", Intrinsic::Elementwise { float: Some("floor"), integer: None }),
    ("elementwise_fma", Intrinsic::Elementwise { float: Some("fma"), integer: None }),
    ("elementwise_log", Intrinsic::Elementwise { float: Some("log"), integer: None }),
    ("elementwise_log10", Intrinsic::Elementwise { float: Some("log10"), integer: None }),
    ("elementwise_log2", Intrinsic::Elementwise { float: Some("log2"), integer: None }),
    ("elementwise_max", Intrinsic::Elementwise { float: Some("fmax"), integer: Some("max") }),
    ("elementwise_min", Intrinsic::Elementwise { float: Some("fmin"), integer: Some("min") }),
    ("elementwise_nearbyint", Intrinsic::Elementwise { float: Some("rint"), integer: None }),
    ("elementwise_popcount", Intrinsic::Elementwise { float: None, integer: Some("popcount") }),
    ("elementwise_pow", Intrinsic::Elementwise { float: Some("pow"), integer: None }),
    ("elementwise_rint", Intrinsic::Elementwise { float: Some("rint"), integer: None }),
    ("elementwise_round", Intrinsic::Elementwise { float: Some("round"), integer: None }),
    ("elementwise_roundeven", Intrinsic::Elementwise { float: Some("rint"), integer: None }),
    ("elementwise_sin", Intrinsic::Elementwise { float: Some("sin"), integer: None }),
    ("elementwise_sqrt", Intrinsic::Elementwise { float: Some("sqrt"), integer: None }),
    ("elementwise_sub_sat", Intrinsic::Elementwise { float: None, integer: Some("sub_sat") }),
    ("elementwise_tan", Intrinsic::Elementwise { float: Some("tan"), integer: None }),
    ("elementwise_trunc", Intrinsic::Elementwise { float: Some("trunc"), integer: None }),
    ("expect", FormOf(Form::Expect)),
    ("expect_with_probability", FormOf(Form::ExpectWithProbability)),
    ("fpclassify", Class(Classify::FloatClass)),
    ("is_aligned", AlignOf(Align::Is)),
    ("isfinite", Class(Classify::Relation("isfinite", 1))),
    ("isgreater", Class(Classify::Relation("isgreater", 2))),
    ("isgreaterequal", Class(Classify::Relation("isgreaterequal", 2))),
    ("isinf", Class(Classify::Relation("isinf", 1))),
    ("isinf_sign", Class(Classify::InfSign)),
    ("isless", Class(Classify::Relation("isless", 2))),
    ("islessequal", Class(Classify::Relation("islessequal", 2))),
    ("islessgreater", Class(Classify::Relation("islessgreater", 2))),
    ("isnan", Class(Classify::Relation("isnan", 1))),
    ("isnormal", Class(Classify::Relation("isnormal", 1))),
    ("isunordered", Class(Classify::Relation("isunordered", 2))),
    ("launder", FormOf(Form::Launder)),
    ("load_half", FormOf(Form::LoadHalf)),
    ("load_halff", FormOf(Form::LoadHalf)),
    ("longjmp", Absent("there is no stack to unwind")),
    ("memcpy", MemoryOf(Memory::Copy)),
    ("memcpy_inline", MemoryOf(Memory::Copy)),
    ("memmove", MemoryOf(Memory::Move)),
    ("memset", MemoryOf(Memory::Set)),
    ("memset_inline", MemoryOf(Memory::Set)),
    ("mul_overflow", Intrinsic::Overflow(BinaryOp::Mul, None)),
    ("object_size", FormOf(Form::ObjectSize)),
    ("offsetof", FormOf(Form::Offsetof)),
    ("prefetch", FormOf(Form::Prefetch)),
    ("readcyclecounter", Absent("the clock is read by cl_khr_kernel_clock's clock_read_device")),
    ("reduce_add", Reduce(Reduction::Operator(BinaryOp::Add))),
    ("reduce_and", Reduce(Reduction::Operator(BinaryOp::BitAnd))),
    ("reduce_max", Reduce(Reduction::Max)),
    ("reduce_min", Reduce(Reduction::Min)),
    ("reduce_mul", Reduce(Reduction::Operator(BinaryOp::Mul))),
    ("reduce_or", Reduce(Reduction::Operator(BinaryOp::BitOr))),
    ("reduce_xor", Reduce(Reduction::Operator(BinaryOp::BitXor))),
    ("setjmp", Absent("there is no stack to unwind")),
    ("shufflevector", FormOf(Form::ShuffleVector)),
    ("signbit", Class(Classify::Relation("signbit", 1))),
    ("signbitf", Class(Classify::Relation("signbit", 1))),
    ("store_half", FormOf(Form::StoreHalf)),
    ("store_halff", FormOf(Form::StoreHalf)),
    ("sub_overflow", Intrinsic::Overflow(BinaryOp::Sub, None)),
    ("trap", FormOf(Form::Trap)),
    ("types_compatible_p", FormOf(Form::TypesCompatible)),
    ("unpredictable", FormOf(Form::Launder)),
    ("unreachable", FormOf(Form::Unreachable)),
    ("va_arg", Absent("functions with variable arguments are none that OpenCL C has")),
    ("va_end", Absent("functions with variable arguments are none that OpenCL C has")),
    ("va_start", Absent("functions with variable arguments are none that OpenCL C has")),
    ("return_address", Absent("there is no stack to look at")),
    ("frame_address", Absent("there is no stack to look at")),
    ("FUNCTION", FormOf(Form::Function)),
];

/// Math functions by clang's name without the letter of the type: OpenCL C's, all arguments, those of the floating type,
/// what the result becomes.
const MATH: &[(&str, &str, u8, u8, Option<Scalar>)] = &[
    ("acos", "acos", 1, 1, None),
    ("acosh", "acosh", 1, 1, None),
    ("asin", "asin", 1, 1, None),
    ("asinh", "asinh", 1, 1, None),
    ("atan", "atan", 1, 1, None),
    ("atan2", "atan2", 2, 2, None),
    ("atanh", "atanh", 1, 1, None),
    ("cbrt", "cbrt", 1, 1, None),
    ("ceil", "ceil", 1, 1, None),
    ("copysign", "copysign", 2, 2, None),
    ("cos", "cos", 1, 1, None),
    ("cosh", "cosh", 1, 1, None),
    ("erf", "erf", 1, 1, None),
    ("erfc", "erfc", 1, 1, None),
    ("exp", "exp", 1, 1, None),
    ("exp10", "exp10", 1, 1, None),
    ("exp2", "exp2", 1, 1, None),
    ("expm1", "expm1", 1, 1, None),
    ("fabs", "fabs", 1, 1, None),
    ("fdim", "fdim", 2, 2, None),
    ("floor", "floor", 1, 1, None),
    ("fma", "fma", 3, 3, None),
    ("fmax", "fmax", 2, 2, None),
    ("fmin", "fmin", 2, 2, None),
    ("fmod", "fmod", 2, 2, None),
    ("frexp", "frexp", 2, 1, None),
    ("hypot", "hypot", 2, 2, None),
    ("ilogb", "ilogb", 1, 1, None),
    ("ldexp", "ldexp", 2, 1, None),
    ("lgamma", "lgamma", 1, 1, None),
    ("llrint", "rint", 1, 1, Some(Scalar::Long)),
    ("llround", "round", 1, 1, Some(Scalar::Long)),
    ("log", "log", 1, 1, None),
    ("log10", "log10", 1, 1, None),
    ("log1p", "log1p", 1, 1, None),
    ("log2", "log2", 1, 1, None),
    ("logb", "logb", 1, 1, None),
    ("lrint", "rint", 1, 1, Some(Scalar::Long)),
    ("lround", "round", 1, 1, Some(Scalar::Long)),
    ("modf", "modf", 2, 1, None),
    ("nearbyint", "rint", 1, 1, None),
    ("nextafter", "nextafter", 2, 2, None),
    ("pow", "pow", 2, 2, None),
    ("powi", "pown", 2, 1, None),
    ("remainder", "remainder", 2, 2, None),
    ("remquo", "remquo", 3, 2, None),
    ("rint", "rint", 1, 1, None),
    ("round", "round", 1, 1, None),
    ("roundeven", "rint", 1, 1, None),
    ("scalbn", "ldexp", 2, 1, None),
    ("sin", "sin", 1, 1, None),
    ("sinh", "sinh", 1, 1, None),
    ("sqrt", "sqrt", 1, 1, None),
    ("tan", "tan", 1, 1, None),
    ("tanh", "tanh", 1, 1, None),
    ("tgamma", "tgamma", 1, 1, None),
    ("trunc", "trunc", 1, 1, None),
];

/// clang's atomic functions, `__opencl_atomic_…`: OpenCL C's with orders and scope, and how many arguments they have.
const ATOMICS: &[(&str, &str, u8)] = &[
    ("compare_exchange_strong", "atomic_compare_exchange_strong_explicit", 6),
    ("compare_exchange_weak", "atomic_compare_exchange_weak_explicit", 6),
    ("exchange", "atomic_exchange_explicit", 4),
    ("fetch_add", "atomic_fetch_add_explicit", 4),
    ("fetch_and", "atomic_fetch_and_explicit", 4),
    ("fetch_max", "atomic_fetch_max_explicit", 4),
    ("fetch_min", "atomic_fetch_min_explicit", 4),
    ("fetch_or", "atomic_fetch_or_explicit", 4),
    ("fetch_sub", "atomic_fetch_sub_explicit", 4),
    ("fetch_xor", "atomic_fetch_xor_explicit", 4),
    ("init", "atomic_init", 2),
    ("load", "atomic_load_explicit", 3),
    ("store", "atomic_store_explicit", 4),
];

const LONG_DOUBLE: Intrinsic = Absent("OpenCL C has no type 'long double'");

/// The function of a name, if it is one of clang's.
pub(crate) fn find(name: &str) -> Option<Intrinsic> {
    if let Some(atomic) = name.strip_prefix("__opencl_atomic_") {
        let row = ATOMICS.iter().find(|(n, _, _)| *n == atomic)?;
        return Some(Intrinsic::Function(Function {
            name: row.1,
            arguments: row.2,
            floats: 0,
            scalar: Scalar::Int,
            result: None,
        }));
    }
    let name = name.strip_prefix("__builtin_")?;
    if let Some((_, found)) = NAMES.iter().find(|(n, _)| *n == name) {
        return Some(*found);
    }
    bits(name)
        .or_else(|| typed_overflow(name))
        .or_else(|| carry(name))
        .or_else(|| constant(name))
        .or_else(|| math(name))
}

/// `popcount`, `bswap32`, `rotateleft8` …
fn bits(name: &str) -> Option<Intrinsic> {
    use Bits::*;
    const COUNTS: [(&str, Bits, Scalar, Scalar); 6] = [
        ("popcount", Popcount, Scalar::UInt, Scalar::ULong),
        ("parity", Parity, Scalar::UInt, Scalar::ULong),
        ("clz", Clz, Scalar::UInt, Scalar::ULong),
        ("ctz", Ctz, Scalar::UInt, Scalar::ULong),
        ("ffs", Ffs, Scalar::Int, Scalar::Long),
        ("clrsb", Clrsb, Scalar::Int, Scalar::Long),
    ];
    for (base, op, int, long) in COUNTS {
        match name.strip_prefix(base) {
            Some("") => return Some(Intrinsic::Bits(op, int)),
            Some("l" | "ll") => return Some(Intrinsic::Bits(op, long)),
            Some("s") if matches!(op, Clz | Ctz) => return Some(Intrinsic::Bits(op, Scalar::UShort)),
            _ => {}
        }
    }
    match name {
        "abs" => return Some(Intrinsic::Bits(Abs, Scalar::Int)),
        "labs" | "llabs" => return Some(Intrinsic::Bits(Abs, Scalar::Long)),
        _ => {}
    }
    for (base, op) in
        [("bswap", Swap), ("bitreverse", Reverse), ("rotateleft", RotateLeft), ("rotateright", RotateRight)]
    {
        let scalar = match name.strip_prefix(base) {
            Some("8") if op != Swap => Scalar::UChar,
            Some("16") => Scalar::UShort,
            Some("32") => Scalar::UInt,
            Some("64") => Scalar::ULong,
            _ => continue,
        };
        return Some(Intrinsic::Bits(op, scalar));
    }
    None
}

/// `sadd_overflow`, `umull_overflow` …
fn typed_overflow(name: &str) -> Option<Intrinsic> {
    let rest = name.strip_suffix("_overflow")?;
    let (signed, rest) = match (rest.strip_prefix('s'), rest.strip_prefix('u')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let op = match rest.get(..3)? {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        _ => return None,
    };
    let scalar = match (rest.get(3..)?, signed) {
        ("", true) => Scalar::Int,
        ("", false) => Scalar::UInt,
        ("l" | "ll", true) => Scalar::Long,
        ("l" | "ll", false) => Scalar::ULong,
        _ => return None,
    };
    Some(Intrinsic::Overflow(op, Some(scalar)))
}

/// `addc`, `subcl` …
fn carry(name: &str) -> Option<Intrinsic> {
    let (subtract, suffix) = match (name.strip_prefix("addc"), name.strip_prefix("subc")) {
        (Some(suffix), _) => (false, suffix),
        (_, Some(suffix)) => (true, suffix),
        _ => return None,
    };
    let scalar = match suffix {
        "b" => Scalar::UChar,
        "s" => Scalar::UShort,
        "" => Scalar::UInt,
        "l" | "ll" => Scalar::ULong,
        _ => return None,
    };
    Some(Intrinsic::Carry { subtract, scalar })
}

/// The floating type of the letters after a name: `None` for long double.
fn letters(suffix: &str) -> Option<Option<Scalar>> {
    Some(match suffix {
        "" => Some(Scalar::Double),
        "f" => Some(Scalar::Float),
        "f16" => Some(Scalar::Half),
        "l" => None,
        _ => return None,
    })
}

/// `huge_val`, `inff`, `nan` …
fn constant(name: &str) -> Option<Intrinsic> {
    for (base, nan) in [("huge_val", false), ("inf", false), ("nans", true), ("nan", true)] {
        if let Some(scalar) = name.strip_prefix(base).and_then(letters) {
            return Some(scalar.map_or(LONG_DOUBLE, |scalar| Intrinsic::Special { nan, scalar }));
        }
    }
    None
}

fn math(name: &str) -> Option<Intrinsic> {
    let row = |base: &str| MATH.binary_search_by(|row| row.0.cmp(base)).ok().and_then(|at| MATH.get(at));
    // The name as it is comes first: `erf` is no float form of `er`.
    for suffix in ["", "f", "f16", "l"] {
        let Some(row) = name.strip_suffix(suffix).and_then(row) else { continue };
        let (_, function, arguments, floats, result) = *row;
        return Some(match letters(suffix)? {
            None => LONG_DOUBLE,
            Some(scalar) => {
                Intrinsic::Function(Function { name: function, arguments, floats, scalar, result })
            }
        });
    }
    None
}

/// The names that there are, without `__builtin_`: a base and the endings that give its types, for docs/reference/dialect.md.
#[cfg(test)]
fn list() -> String {
    let mut lines = Vec::new();
    let named = |wanted: bool| {
        let rows = NAMES.iter().filter(|(_, i)| matches!(i, Absent(_)) != wanted);
        let mut names: Vec<_> = rows.map(|(name, _)| format!("`{name}`")).collect();
        names.sort();
        names.join(" ")
    };
    lines.push("Of an int, and with `l` or `ll` of a long: `clrsb` `clz` (`clzs`) `ctz` (`ctzs`) `ffs` `parity` `popcount`.".to_owned());
    lines.push("By the number of bits: `bitreverse8` … `64` `bswap16` … `64` `rotateleft8` … `64` `rotateright8` … `64`.".to_owned());
    lines.push("`abs` `labs` `llabs`; `addc` `subc` (`b`, `s`, `l`, `ll`); `sadd_overflow` `ssub_overflow` `smul_overflow` and with `u` (`l`, `ll`).".to_owned());
    lines.push(
        "Of a double, with `f` of a float and with `f16` of a half: `huge_val` `inf` `nan` `nans`,"
            .to_owned(),
    );
    let math: Vec<_> = MATH.iter().map(|row| format!("`{}`", row.0)).collect();
    lines.push(format!("{}.", math.join(" ")));
    lines.push(
        "In OpenCL C 2.0 and later, `__opencl_atomic_` with the names of OpenCL C's atomic functions."
            .to_owned(),
    );
    lines.push(format!("The others: {}.", named(true)));
    lines.push(format!("Refused by name: {}; every `long double` form.", named(false)));
    lines.join("\n")
}

/// The answer of `__has_builtin`: whether calls of that name work with these options.
pub(crate) fn is_there(name: &str, options: &Options) -> bool {
    let scalar = match find(name) {
        None | Some(Absent(_)) => return false,
        Some(Intrinsic::Function(function)) => function.scalar,
        Some(Intrinsic::Special { scalar, .. }) => scalar,
        Some(_) => return true,
    };
    match scalar {
        Scalar::Double => options.features.contains(Features::FP64),
        Scalar::Half => options.features.contains(Features::FP16),
        _ => true,
    }
}

/// Returns whether clang takes the name for a keyword: its arguments are not those of a function.
pub(crate) fn is_keyword(name: &str) -> bool {
    use Form::*;
    matches!(
        find(name),
        Some(FormOf(Astype | BitCast | Offsetof | TypesCompatible | ChooseExpr | ConvertVector | Function))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_math_is_sorted() {
        assert!(MATH.windows(2).all(|w| w[0].0 < w[1].0));
    }

    /// docs/reference/dialect.md lists what there is; `PUMICE_TEST_BLESS=1` writes the list again.
    #[test]
    fn the_document_lists_the_names() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/dialect.md");
        let text = std::fs::read_to_string(path).expect("docs/reference/dialect.md");
        let (start, end) = ("<!-- builtins -->\n", "\n<!-- end -->");
        let (before, rest) = text.split_once(start).expect("the start of the list");
        let (found, after) = rest.split_once(end).expect("the end of the list");
        let wanted = list();
        if found != wanted && std::env::var_os("PUMICE_TEST_BLESS").is_some() {
            std::fs::write(path, format!("{before}{start}{wanted}{end}{after}")).expect("the document");
            return;
        }
        assert_eq!(found, wanted, "PUMICE_TEST_BLESS=1 writes the list again");
    }

    #[test]
    fn names_are_taken_apart() {
        let scalar = |name: &str| match find(name) {
            Some(
                Intrinsic::Bits(_, scalar)
                | Intrinsic::Overflow(_, Some(scalar))
                | Intrinsic::Carry { scalar, .. },
            ) => Some(scalar),
            Some(Intrinsic::Function(f)) => Some(f.scalar),
            Some(Intrinsic::Special { scalar, .. }) => Some(scalar),
            _ => None,
        };
        for (name, wanted) in [
            ("__builtin_clz", Scalar::UInt),
            ("__builtin_clzll", Scalar::ULong),
            ("__builtin_ffsl", Scalar::Long),
            ("__builtin_bswap16", Scalar::UShort),
            ("__builtin_rotateleft8", Scalar::UChar),
            ("__builtin_umulll_overflow", Scalar::ULong),
            ("__builtin_ssub_overflow", Scalar::Int),
            ("__builtin_addcb", Scalar::UChar),
            ("__builtin_erf", Scalar::Double),
            ("__builtin_erff", Scalar::Float),
            ("__builtin_fmaf16", Scalar::Half),
            ("__builtin_modff", Scalar::Float),
            ("__builtin_huge_valf", Scalar::Float),
            ("__builtin_nansf", Scalar::Float),
        ] {
            assert_eq!(scalar(name), Some(wanted), "{name}");
        }
        for name in [
            "__builtin_bswap8",
            "__builtin_nosuch",
            "popcount",
            "__builtin_",
            "__builtin_uadd_overflo",
            "__builtin_é",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
        assert_eq!(find("__builtin_sqrtl"), Some(LONG_DOUBLE));
    }
}
