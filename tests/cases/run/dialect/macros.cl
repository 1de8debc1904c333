// What clang tells of its types by macros, and its atomic functions.
// options: -cl-std=CL3.0
// run: --kernel k --global 8 --local 8 --arg int[16]:zero --print p
// prints: p: 8 2147483647 64 1 3 15 1 2 -1 9 -3 27 0 0 0 0
// no-diagnostics
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || __SIZEOF_LONG__ != 8 || __SIZE_MAX__ < __INT_MAX__ || __is_target_arch(x86_64)
#error "the macros are wrong"
#endif
#if 'ab' != 0x6162 || (0 ? 1, 2 : 3) != 3
#error "the conditions are wrong"
#endif
typedef __INT64_TYPE__ wide;
constant float magnitude = __builtin_fabsf(-1.5f), negative = __builtin_copysignf(3.0f, -0.0f);

kernel void k(global int *p) {
    local atomic_int shared;
    if (get_local_id(0) == 0) __opencl_atomic_init(&shared, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    __opencl_atomic_fetch_add(&shared, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0)) return;
    p[0] = __opencl_atomic_load(&shared, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    p[1] = __INT_MAX__;
    p[2] = sizeof(wide) * __CHAR_BIT__;
    p[3] = __FLT_EPSILON__ == FLT_EPSILON;
    p[4] = (int)(magnitude * 2);
    p[5] = __FLT_MANT_DIG__ - 9;
    p[6] = __builtin_canonicalizef(1.0f);
    ushort stored[1];
    __builtin_store_halff(2.5f, (half *)stored);
    p[7] = (int)__builtin_load_halff((half *)stored);
    int expected = 8;
    p[8] = -__opencl_atomic_compare_exchange_strong(&shared, &expected, 9, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                    __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    p[9] = __opencl_atomic_exchange(&shared, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
    p[10] = (int)negative;
    p[11] = '\E';
}
