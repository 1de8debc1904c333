//! The predefined macros: OpenCL C §6.12.10 ("Preprocessor Directives and Macros"), the numeric limits
//! and constants of §6.15.2 and §6.15.3, flags of §6.15.8, and one macro per extension and feature that is on.
//!
//! A table, looked up once for each distinct name in the source: nothing is preprocessed that is not
//! used. `true` and `false` are here because OpenCL C says that they expand to 1 and 0 (§6.3.1); the memory
//! orders and scopes because their values are all that programs need of those enumerations.

use super::macros::Dynamic;
use super::{compiler_macros, queries};
use crate::options::{CxxVersion, Features, LangVersion, Optional, Options};

/// What diagnostics call the place of predefined macros.
pub(super) const FILE: &str = "<built-in>";

/// The making of a predefined macro.
pub(super) enum Predefined {
    Dynamic(Dynamic),
    /// The replacement list.
    Text(String),
    /// What would follow `#define`.
    Function(&'static str),
}

/// When an entry exists.
#[derive(Clone, Copy)]
pub(super) enum Gate {
    Always,
    Feature(Features),
    /// Of a feature of OpenCL C 2.0, optional from 3.0 on.
    From2(Features),
    /// The same, of its atomics.
    Atomics(Features),
    /// From this language version on.
    Std(LangVersion),
    Embedded,
    FastRelaxedMath,
}

use Gate::*;

/// Name, replacement, gate; sorted by name.
#[rustfmt::skip]
const TABLE: &[(&str, &str, Gate)] = &[
    ("ATOMIC_FLAG_INIT", "0", Std(LangVersion::Cl2_0)),
    ("CHAR_BIT", "8", Always),
    ("CHAR_MAX", "127", Always),
    ("CHAR_MIN", "(-127-1)", Always),
    ("CLK_A", "0x10B1", Feature(Features::IMAGES)),
    ("CLK_ABGR", "0x10C3", Feature(Features::IMAGES)),
    ("CLK_ADDRESS_CLAMP", "4", Always),
    ("CLK_ADDRESS_CLAMP_TO_EDGE", "2", Always),
    ("CLK_ADDRESS_MIRRORED_REPEAT", "8", Always),
    ("CLK_ADDRESS_NONE", "0", Always),
    ("CLK_ADDRESS_REPEAT", "6", Always),
    ("CLK_ARGB", "0x10B7", Feature(Features::IMAGES)),
    ("CLK_BGRA", "0x10B6", Feature(Features::IMAGES)),
    ("CLK_DEPTH", "0x10BD", Feature(Features::IMAGES)),
    ("CLK_DEPTH_STENCIL", "0x10BE", Feature(Features::IMAGES)),
    ("CLK_DEVICE_QUEUE_FULL", "(-161)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_ENQUEUE_FAILURE", "(-101)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_ENQUEUE_FLAGS_NO_WAIT", "0", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_ENQUEUE_FLAGS_WAIT_KERNEL", "1", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", "2", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_EVENT_ALLOCATION_FAILURE", "(-100)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_FILTER_LINEAR", "0x20", Always),
    ("CLK_FILTER_NEAREST", "0x10", Always),
    ("CLK_FLOAT", "0x10DE", Feature(Features::IMAGES)),
    ("CLK_GLOBAL_MEM_FENCE", "2", Always),
    ("CLK_HALF_FLOAT", "0x10DD", Feature(Features::IMAGES)),
    ("CLK_IMAGE_MEM_FENCE", "4", Std(LangVersion::Cl2_0)),
    ("CLK_INTENSITY", "0x10B8", Feature(Features::IMAGES)),
    ("CLK_INVALID_ARG_SIZE", "(-51)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_INVALID_EVENT_WAIT_LIST", "(-57)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_INVALID_NDRANGE", "(-160)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_INVALID_QUEUE", "(-102)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_LOCAL_MEM_FENCE", "1", Always),
    ("CLK_LUMINANCE", "0x10B9", Feature(Features::IMAGES)),
    ("CLK_NORMALIZED_COORDS_FALSE", "0", Always),
    ("CLK_NORMALIZED_COORDS_TRUE", "1", Always),
    ("CLK_NULL_EVENT", "((clk_event_t)0)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_NULL_QUEUE", "((queue_t)0)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_NULL_RESERVE_ID", "((reserve_id_t)0)", From2(Features::PIPES)),
    ("CLK_OUT_OF_RESOURCES", "(-5)", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_PROFILING_COMMAND_EXEC_TIME", "1", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_R", "0x10B0", Feature(Features::IMAGES)),
    ("CLK_RA", "0x10B3", Feature(Features::IMAGES)),
    ("CLK_RG", "0x10B2", Feature(Features::IMAGES)),
    ("CLK_RGB", "0x10B4", Feature(Features::IMAGES)),
    ("CLK_RGBA", "0x10B5", Feature(Features::IMAGES)),
    ("CLK_RGBx", "0x10BC", Feature(Features::IMAGES)),
    ("CLK_RGx", "0x10BB", Feature(Features::IMAGES)),
    ("CLK_Rx", "0x10BA", Feature(Features::IMAGES)),
    ("CLK_SIGNED_INT16", "0x10D8", Feature(Features::IMAGES)),
    ("CLK_SIGNED_INT32", "0x10D9", Feature(Features::IMAGES)),
    ("CLK_SIGNED_INT8", "0x10D7", Feature(Features::IMAGES)),
    ("CLK_SNORM_INT16", "0x10D1", Feature(Features::IMAGES)),
    ("CLK_SNORM_INT8", "0x10D0", Feature(Features::IMAGES)),
    ("CLK_SUCCESS", "0", From2(Features::DEVICE_ENQUEUE)),
    ("CLK_UNORM_INT10X6_EXT", "0x10E1", Feature(Features::IMAGE_10X6_12X4_14X2)),
    ("CLK_UNORM_INT12X4_EXT", "0x10E9", Feature(Features::IMAGE_10X6_12X4_14X2)),
    ("CLK_UNORM_INT14X2_EXT", "0x10EA", Feature(Features::IMAGE_10X6_12X4_14X2)),
    ("CLK_UNORM_INT16", "0x10D3", Feature(Features::IMAGES)),
    ("CLK_UNORM_INT24", "0x10DF", Feature(Features::IMAGES)),
    ("CLK_UNORM_INT8", "0x10D2", Feature(Features::IMAGES)),
    ("CLK_UNORM_INT_101010", "0x10D6", Feature(Features::IMAGES)),
    ("CLK_UNORM_INT_101010_2", "0x10E0", Feature(Features::IMAGES)),
    ("CLK_UNORM_INT_2_101010_EXT", "0x10E5", Feature(Features::IMAGE_2_101010)),
    ("CLK_UNORM_SHORT_555", "0x10D5", Feature(Features::IMAGES)),
    ("CLK_UNORM_SHORT_565", "0x10D4", Feature(Features::IMAGES)),
    ("CLK_UNSIGNED_INT10X6_EXT", "0x10E6", Feature(Features::IMAGE_10X6_12X4_14X2)),
    ("CLK_UNSIGNED_INT12X4_EXT", "0x10E7", Feature(Features::IMAGE_10X6_12X4_14X2)),
    ("CLK_UNSIGNED_INT14X2_EXT", "0x10E8", Feature(Features::IMAGE_10X6_12X4_14X2)),
    ("CLK_UNSIGNED_INT16", "0x10DB", Feature(Features::IMAGES)),
    ("CLK_UNSIGNED_INT32", "0x10DC", Feature(Features::IMAGES)),
    ("CLK_UNSIGNED_INT8", "0x10DA", Feature(Features::IMAGES)),
    ("CLK_sBGRA", "0x10C2", Feature(Features::IMAGES)),
    ("CLK_sRGB", "0x10BF", Feature(Features::IMAGES)),
    ("CLK_sRGBA", "0x10C1", Feature(Features::IMAGES)),
    ("CLK_sRGBx", "0x10C0", Feature(Features::IMAGES)),
    ("CL_COMPLETE", "0", From2(Features::DEVICE_ENQUEUE)),
    ("CL_QUEUED", "3", From2(Features::DEVICE_ENQUEUE)),
    ("CL_RUNNING", "1", From2(Features::DEVICE_ENQUEUE)),
    ("CL_SUBMITTED", "2", From2(Features::DEVICE_ENQUEUE)),
    ("CL_VERSION_1_0", "100", Always),
    ("CL_VERSION_1_1", "110", Always),
    ("CL_VERSION_1_2", "120", Always),
    ("CL_VERSION_2_0", "200", Always),
    ("CL_VERSION_3_0", "300", Always),
    ("CL_VERSION_3_1", "310", Always),
    ("DBL_DIG", "15", Feature(Features::FP64)),
    ("DBL_EPSILON", "2.220446049250313e-16", Feature(Features::FP64)),
    ("DBL_MANT_DIG", "53", Feature(Features::FP64)),
    ("DBL_MAX", "1.7976931348623157e+308", Feature(Features::FP64)),
    ("DBL_MAX_10_EXP", "(+308)", Feature(Features::FP64)),
    ("DBL_MAX_EXP", "(+1024)", Feature(Features::FP64)),
    ("DBL_MIN", "2.2250738585072014e-308", Feature(Features::FP64)),
    ("DBL_MIN_10_EXP", "(-307)", Feature(Features::FP64)),
    ("DBL_MIN_EXP", "(-1021)", Feature(Features::FP64)),
    ("DBL_RADIX", "2", Feature(Features::FP64)),
    ("FLT_DIG", "6", Always),
    ("FLT_EPSILON", "1.1920928955078125e-07f", Always),
    ("FLT_MANT_DIG", "24", Always),
    ("FLT_MAX", "3.402823466e+38f", Always),
    ("FLT_MAX_10_EXP", "(+38)", Always),
    ("FLT_MAX_EXP", "(+128)", Always),
    ("FLT_MIN", "1.175494351e-38f", Always),
    ("FLT_MIN_10_EXP", "(-37)", Always),
    ("FLT_MIN_EXP", "(-125)", Always),
    ("FLT_RADIX", "2", Always),
    ("FP_ILOGB0", "(-2147483647-1)", Always),
    ("FP_ILOGBNAN", "2147483647", Always),
    ("HALF_DIG", "3", Feature(Features::FP16)),
    ("HALF_EPSILON", "9.765625e-04h", Feature(Features::FP16)),
    ("HALF_MANT_DIG", "11", Feature(Features::FP16)),
    ("HALF_MAX", "65504.0h", Feature(Features::FP16)),
    ("HALF_MAX_10_EXP", "(+4)", Feature(Features::FP16)),
    ("HALF_MAX_EXP", "(+16)", Feature(Features::FP16)),
    ("HALF_MIN", "6.103515625e-05h", Feature(Features::FP16)),
    ("HALF_MIN_10_EXP", "(-4)", Feature(Features::FP16)),
    ("HALF_MIN_EXP", "(-13)", Feature(Features::FP16)),
    ("HALF_RADIX", "2", Feature(Features::FP16)),
    ("HUGE_VAL", "(__builtin_astype(0x7ff0000000000000L, double))", Feature(Features::FP64)),
    ("HUGE_VALF", "(__builtin_astype(0x7f800000, float))", Always),
    ("INFINITY", "(__builtin_astype(0x7f800000, float))", Always),
    ("INT_MAX", "2147483647", Always),
    ("INT_MIN", "(-2147483647-1)", Always),
    ("LONG_MAX", "0x7fffffffffffffffL", Always),
    ("LONG_MIN", "(-0x7fffffffffffffffL-1L)", Always),
    ("MAXFLOAT", "3.402823466e+38f", Always),
    ("M_1_PI", "0.318309886183790671538", Feature(Features::FP64)),
    ("M_1_PI_F", "0.318309886183790671538f", Always),
    ("M_1_PI_H", "0.318309886183790671538h", Feature(Features::FP16)),
    ("M_2_PI", "0.636619772367581343076", Feature(Features::FP64)),
    ("M_2_PI_F", "0.636619772367581343076f", Always),
    ("M_2_PI_H", "0.636619772367581343076h", Feature(Features::FP16)),
    ("M_2_SQRTPI", "1.12837916709551257390", Feature(Features::FP64)),
    ("M_2_SQRTPI_F", "1.12837916709551257390f", Always),
    ("M_2_SQRTPI_H", "1.12837916709551257390h", Feature(Features::FP16)),
    ("M_E", "2.71828182845904523536", Feature(Features::FP64)),
    ("M_E_F", "2.71828182845904523536f", Always),
    ("M_E_H", "2.71828182845904523536h", Feature(Features::FP16)),
    ("M_LN10", "2.30258509299404568402", Feature(Features::FP64)),
    ("M_LN10_F", "2.30258509299404568402f", Always),
    ("M_LN10_H", "2.30258509299404568402h", Feature(Features::FP16)),
    ("M_LN2", "0.693147180559945309417", Feature(Features::FP64)),
    ("M_LN2_F", "0.693147180559945309417f", Always),
    ("M_LN2_H", "0.693147180559945309417h", Feature(Features::FP16)),
    ("M_LOG10E", "0.434294481903251827651", Feature(Features::FP64)),
    ("M_LOG10E_F", "0.434294481903251827651f", Always),
    ("M_LOG10E_H", "0.434294481903251827651h", Feature(Features::FP16)),
    ("M_LOG2E", "1.44269504088896340736", Feature(Features::FP64)),
    ("M_LOG2E_F", "1.44269504088896340736f", Always),
    ("M_LOG2E_H", "1.44269504088896340736h", Feature(Features::FP16)),
    ("M_PI", "3.14159265358979323846", Feature(Features::FP64)),
    ("M_PI_2", "1.57079632679489661923", Feature(Features::FP64)),
    ("M_PI_2_F", "1.57079632679489661923f", Always),
    ("M_PI_2_H", "1.57079632679489661923h", Feature(Features::FP16)),
    ("M_PI_4", "0.785398163397448309616", Feature(Features::FP64)),
    ("M_PI_4_F", "0.785398163397448309616f", Always),
    ("M_PI_4_H", "0.785398163397448309616h", Feature(Features::FP16)),
    ("M_PI_F", "3.14159265358979323846f", Always),
    ("M_PI_H", "3.14159265358979323846h", Feature(Features::FP16)),
    ("M_SQRT1_2", "0.707106781186547524401", Feature(Features::FP64)),
    ("M_SQRT1_2_F", "0.707106781186547524401f", Always),
    ("M_SQRT1_2_H", "0.707106781186547524401h", Feature(Features::FP16)),
    ("M_SQRT2", "1.41421356237309504880", Feature(Features::FP64)),
    ("M_SQRT2_F", "1.41421356237309504880f", Always),
    ("M_SQRT2_H", "1.41421356237309504880h", Feature(Features::FP16)),
    ("NAN", "(__builtin_astype(0x7fc00000, float))", Always),
    ("NULL", "((void*)0)", Always),
    ("SCHAR_MAX", "127", Always),
    ("SCHAR_MIN", "(-127-1)", Always),
    ("SHRT_MAX", "32767", Always),
    ("SHRT_MIN", "(-32767-1)", Always),
    ("UCHAR_MAX", "255", Always),
    ("UINT_MAX", "0xffffffffU", Always),
    ("ULONG_MAX", "0xffffffffffffffffUL", Always),
    ("USHRT_MAX", "65535", Always),
    ("__DATE__", "\"Jan  1 1970\"", Always),
    ("__EMBEDDED_PROFILE__", "1", Embedded),
    ("__ENDIAN_LITTLE__", "1", Always),
    ("__FAST_RELAXED_MATH__", "1", FastRelaxedMath),
    ("__IMAGE_SUPPORT__", "1", Feature(Features::IMAGES)),
    ("__STDC_HOSTED__", "0", Always),
    ("__STDC_VERSION__", "199901L", Always),
    ("__STDC__", "1", Always),
    ("__TIMESTAMP__", "\"Thu Jan  1 00:00:00 1970\"", Always),
    ("__TIME__", "\"00:00:00\"", Always),
    ("memory_order_acq_rel", "4", Atomics(Features::empty())),
    ("memory_order_acquire", "2", Atomics(Features::empty())),
    ("memory_order_relaxed", "0", Atomics(Features::empty())),
    ("memory_order_release", "3", Atomics(Features::empty())),
    ("memory_order_seq_cst", "5", Atomics(Features::ATOMIC_ORDER_SEQ_CST)),
    ("memory_scope_all_devices", "3", Atomics(Features::ATOMIC_SCOPE_ALL_DEVICES)),
    ("memory_scope_all_svm_devices", "3", Atomics(Features::ATOMIC_SCOPE_ALL_DEVICES)),
    ("memory_scope_device", "2", Atomics(Features::ATOMIC_SCOPE_DEVICE)),
    ("memory_scope_sub_group", "4", Atomics(Features::SUBGROUPS)),
    ("memory_scope_work_group", "1", Atomics(Features::empty())),
    ("memory_scope_work_item", "0", Atomics(Features::empty())),
];

impl Gate {
    fn is_open(self, options: &Options, atomics_std: LangVersion) -> bool {
        match self {
            Always => true,
            Feature(features) => options.features.contains(features),
            From2(features) => options.std >= LangVersion::Cl2_0 && options.has(features),
            Atomics(features) => {
                atomics_std >= LangVersion::Cl2_0
                    && options.features.in_version(atomics_std).contains(features)
            }
            Std(version) => options.std >= version,
            Embedded => options.embedded_profile,
            FastRelaxedMath => options.math.fast_relaxed_math,
        }
    }
}

/// The names of the table, whether a device has them or not: what a misspelt name may mean.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _, _)| *name)
}

/// The names that are there where OpenCL C 2.0's atomics are.
pub(super) fn of_atomics() -> impl Iterator<Item = &'static str> {
    let atomics = TABLE.iter().filter(|(_, _, gate)| matches!(gate, Atomics(_)));
    atomics.map(|(name, _, _)| *name).chain(["cl_ext_float_atomics"])
}

/// The predefined macro of that name, if there is one under these options and with the atomics of that version.
pub(super) fn lookup(name: &str, options: &Options, atomics_std: LangVersion) -> Option<Predefined> {
    if let Some(query) = queries::find(name) {
        return Some(Predefined::Dynamic(Dynamic::Query(query)));
    }
    if let Some(dynamic) = dynamic(name, options) {
        return Some(dynamic);
    }
    if let Some(macro_of) = optional(name, options, atomics_std) {
        return macro_of.then(|| Predefined::Text("1".to_owned()));
    }
    let row = |table: &'static [(&'static str, &'static str, Gate)]| {
        table.binary_search_by(|(n, _, _)| (*n).cmp(name)).ok().and_then(|at| table.get(at))
    };
    let (_, text, gate) = *row(TABLE).or_else(|| row(compiler_macros::TABLE))?;
    gate.is_open(options, atomics_std).then(|| Predefined::Text(text.to_owned()))
}

/// Returns whether the macro of a feature or an extension is there; `None` for other names. Feature macros came with OpenCL C
/// 3.0; cl_ext_float_atomics needs 2.0's atomics; `cles_khr_int64` is for the embedded profile.
fn optional(name: &str, options: &Options, atomics_std: LangVersion) -> Option<bool> {
    let found = Optional::find(name)?;
    let in_version = match name {
        "cl_ext_float_atomics" => atomics_std >= LangVersion::Cl2_0,
        _ => !found.is_feature() || options.std >= LangVersion::Cl3_0,
    };
    let in_profile = name != "cles_khr_int64" || options.embedded_profile;
    Some(in_version && in_profile && found.is_in(options.features))
}

/// The macros of C++ for OpenCL ("Predefined macros").
fn of_cxx(name: &str, options: &Options) -> Option<&'static str> {
    let version = options.cxx?;
    Some(match name {
        "__CL_CPP_VERSION_1_0__" => "100",
        "__CL_CPP_VERSION_2021__" => "202100",
        "__cplusplus" => "201703L",
        _ => match version {
            CxxVersion::V1_0 => "100",
            CxxVersion::V2021 => "202100",
        },
    })
}

/// The macros that are more than a fixed text.
fn dynamic(name: &str, options: &Options) -> Option<Predefined> {
    if let Some(text) = compiler_macros::of_addresses(name, options.address_width) {
        return Some(Predefined::Text(text.to_owned()));
    }
    Some(match name {
        "__LINE__" => Predefined::Dynamic(Dynamic::Line),
        "__FILE__" => Predefined::Dynamic(Dynamic::File),
        "__FILE_NAME__" => Predefined::Dynamic(Dynamic::FileName),
        "__BASE_FILE__" => Predefined::Dynamic(Dynamic::BaseFile),
        "__INCLUDE_LEVEL__" => Predefined::Dynamic(Dynamic::IncludeLevel),
        "__COUNTER__" => Predefined::Dynamic(Dynamic::Counter),
        "__OPENCL_VERSION__" => Predefined::Text(options.device_version.to_string()),
        "__OPENCL_C_VERSION__" if options.cxx.is_some() => return None,
        "__OPENCL_CPP_VERSION__" | "__CL_CPP_VERSION_1_0__" | "__CL_CPP_VERSION_2021__" | "__cplusplus" => {
            return of_cxx(name, options).map(|text| Predefined::Text(text.to_owned()));
        }
        "__STDC_VERSION__" | "true" | "false" if options.cxx.is_some() => return None,
        "NULL" if options.cxx.is_some() => Predefined::Text("nullptr".to_owned()),
        "__OPENCL_C_VERSION__" => Predefined::Text(options.std.number().to_string()),
        "ATOMIC_VAR_INIT" if options.std >= LangVersion::Cl2_0 => {
            Predefined::Function("ATOMIC_VAR_INIT(value) (value)")
        }
        "tile_static" if options.infer_address_spaces => Predefined::Text("__local".to_owned()),
        "__kernel_exec" => Predefined::Function(
            "__kernel_exec(X, T) __kernel __attribute__((work_group_size_hint(X, 1, 1))) \
             __attribute__((vec_type_hint(T)))",
        ),
        "kernel_exec" => Predefined::Function(
            "kernel_exec(X, T) __kernel __attribute__((work_group_size_hint(X, 1, 1))) \
             __attribute__((vec_type_hint(T)))",
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(TABLE.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
