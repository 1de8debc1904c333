// §6.13: pragmas and predefined macros; unknown pragmas change nothing.
// no-diagnostics
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
_Pragma("OPENCL FP_CONTRACT OFF")
#pragma STDC FP_CONTRACT ON
#pragma clang fp contract(off)
#pragma promote_to_registers
#if !defined(__OPENCL_VERSION__) || __OPENCL_C_VERSION__ != CL_VERSION_1_2 || CL_VERSION_1_0 != 100 || __ENDIAN_LITTLE__ != 1
#error predefined macros
#endif
#if defined(__IMAGE_SUPPORT__) || defined(__FAST_RELAXED_MATH__) || defined(__EMBEDDED_PROFILE__)
#error what is not there
#endif
#if !defined(cl_khr_fp64) || !defined(cl_khr_byte_addressable_store) || !defined(cl_khr_global_int32_base_atomics)
#error extensions
#endif
__kernel_exec(16, float4) void hinted(global int *p) { p[0] = __LINE__ + __FILE__[0] + __func__[0]; }
