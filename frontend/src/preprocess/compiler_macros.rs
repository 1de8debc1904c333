//! What compilers tell of their types by macros of their own, as clang names them: sizes, limits, byte order.

use super::predefined::Gate::{self, Always, Feature};
use crate::options::{AddressWidth, Features};

/// Name, replacement, gate; sorted by name.
#[rustfmt::skip]
pub(super) const TABLE: &[(&str, &str, Gate)] = &[
    ("__ATOMIC_ACQUIRE", "2", Always),
    ("__ATOMIC_ACQ_REL", "4", Always),
    ("__ATOMIC_CONSUME", "1", Always),
    ("__ATOMIC_RELAXED", "0", Always),
    ("__ATOMIC_RELEASE", "3", Always),
    ("__ATOMIC_SEQ_CST", "5", Always),
    ("__BYTE_ORDER__", "__ORDER_LITTLE_ENDIAN__", Always),
    ("__CHAR_BIT__", "8", Always),
    ("__DBL_DECIMAL_DIG__", "17", Feature(Features::FP64)),
    ("__DBL_DENORM_MIN__", "4.9406564584124654e-324", Feature(Features::FP64)),
    ("__DBL_DIG__", "15", Feature(Features::FP64)),
    ("__DBL_EPSILON__", "2.2204460492503131e-16", Feature(Features::FP64)),
    ("__DBL_MANT_DIG__", "53", Feature(Features::FP64)),
    ("__DBL_MAX_10_EXP__", "308", Feature(Features::FP64)),
    ("__DBL_MAX_EXP__", "1024", Feature(Features::FP64)),
    ("__DBL_MAX__", "1.7976931348623157e+308", Feature(Features::FP64)),
    ("__DBL_MIN_10_EXP__", "(-307)", Feature(Features::FP64)),
    ("__DBL_MIN_EXP__", "(-1021)", Feature(Features::FP64)),
    ("__DBL_MIN__", "2.2250738585072014e-308", Feature(Features::FP64)),
    ("__FLT_DECIMAL_DIG__", "9", Always),
    ("__FLT_DENORM_MIN__", "1.40129846e-45F", Always),
    ("__FLT_DIG__", "6", Always),
    ("__FLT_EPSILON__", "1.19209290e-7F", Always),
    ("__FLT_MANT_DIG__", "24", Always),
    ("__FLT_MAX_10_EXP__", "38", Always),
    ("__FLT_MAX_EXP__", "128", Always),
    ("__FLT_MAX__", "3.40282347e+38F", Always),
    ("__FLT_MIN_10_EXP__", "(-37)", Always),
    ("__FLT_MIN_EXP__", "(-125)", Always),
    ("__FLT_MIN__", "1.17549435e-38F", Always),
    ("__FLT_RADIX__", "2", Always),
    ("__INT16_MAX__", "32767", Always),
    ("__INT16_TYPE__", "short", Always),
    ("__INT32_MAX__", "2147483647", Always),
    ("__INT32_TYPE__", "int", Always),
    ("__INT64_MAX__", "9223372036854775807L", Always),
    ("__INT64_TYPE__", "long int", Always),
    ("__INT8_MAX__", "127", Always),
    ("__INT8_TYPE__", "signed char", Always),
    ("__INT_MAX__", "2147483647", Always),
    ("__INT_WIDTH__", "32", Always),
    ("__LITTLE_ENDIAN__", "1", Always),
    ("__LONG_MAX__", "9223372036854775807L", Always),
    ("__LONG_WIDTH__", "64", Always),
    ("__OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES", "3", Always),
    ("__OPENCL_MEMORY_SCOPE_DEVICE", "2", Always),
    ("__OPENCL_MEMORY_SCOPE_SUB_GROUP", "4", Always),
    ("__OPENCL_MEMORY_SCOPE_WORK_GROUP", "1", Always),
    ("__OPENCL_MEMORY_SCOPE_WORK_ITEM", "0", Always),
    ("__ORDER_BIG_ENDIAN__", "4321", Always),
    ("__ORDER_LITTLE_ENDIAN__", "1234", Always),
    ("__ORDER_PDP_ENDIAN__", "3412", Always),
    ("__SCHAR_MAX__", "127", Always),
    ("__SHRT_MAX__", "32767", Always),
    ("__SHRT_WIDTH__", "16", Always),
    ("__SIZEOF_DOUBLE__", "8", Always),
    ("__SIZEOF_FLOAT__", "4", Always),
    ("__SIZEOF_INT__", "4", Always),
    ("__SIZEOF_LONG__", "8", Always),
    ("__SIZEOF_SHORT__", "2", Always),
    ("__UINT16_MAX__", "65535", Always),
    ("__UINT16_TYPE__", "unsigned short", Always),
    ("__UINT32_MAX__", "4294967295U", Always),
    ("__UINT32_TYPE__", "unsigned int", Always),
    ("__UINT64_MAX__", "18446744073709551615UL", Always),
    ("__UINT64_TYPE__", "long unsigned int", Always),
    ("__UINT8_MAX__", "255", Always),
    ("__UINT8_TYPE__", "unsigned char", Always),
];

/// Those that the width of addresses decides.
pub(super) fn of_addresses(name: &str, width: AddressWidth) -> Option<&'static str> {
    let (narrow, wide) = match name {
        "__SIZE_TYPE__" | "__UINTPTR_TYPE__" => ("unsigned int", "unsigned long"),
        "__PTRDIFF_TYPE__" | "__INTPTR_TYPE__" => ("int", "long"),
        "__SIZE_MAX__" | "__UINTPTR_MAX__" => ("4294967295U", "18446744073709551615UL"),
        "__PTRDIFF_MAX__" | "__INTPTR_MAX__" => ("2147483647", "9223372036854775807L"),
        "__SIZEOF_POINTER__" | "__SIZEOF_SIZE_T__" | "__SIZEOF_PTRDIFF_T__" => ("4", "8"),
        "__POINTER_WIDTH__" | "__SIZE_WIDTH__" | "__PTRDIFF_WIDTH__" => ("32", "64"),
        _ => return None,
    };
    Some(if width == AddressWidth::Bits32 { narrow } else { wide })
}

#[cfg(test)]
mod tests {
    #[test]
    fn table_is_sorted() {
        assert!(super::TABLE.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
