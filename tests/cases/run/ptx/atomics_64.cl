// Atomics of 64 bits, and of doubles.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_int64_base_atomics cl_khr_fp64 cl_ext_float_atomics __opencl_c_ext_fp64_global_atomic_add
// run: --kernel k --global 64 --arg ulong[6]:values=0,4294967295,0,7,18446744073709551615,0 --arg double[1]:const=0 --print p --print d
// prints: p: 63 4294967359 4294967296 8 64 0
// prints: d: 32
kernel void k(global ulong *p, global double *d) {
    ulong id = get_global_id(0), old;
    asm volatile("red.global.max.u64 [%0], %1;" : : "l"(p), "l"(id) : "memory");
    asm volatile("atom.global.add.u64 %0, [%1+8], 1;" : "=l"(old) : "l"(p) : "memory");
    asm volatile("red.global.or.b64 [%0+16], %1;" : : "l"(p), "l"(id == 9 ? 1ul << 32 : 0ul) : "memory");
    asm volatile("atom.global.cas.b64 %0, [%1+24], 7, 8;" : "=l"(old) : "l"(p) : "memory");
    asm volatile("atom.global.exch.b64 %0, [%1+32], 64;" : "=l"(old) : "l"(p) : "memory");
    double was;
    asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=d"(was) : "l"(d), "d"(0.5) : "memory");
}
