// Operands of atomics that are the bits of computed floats: llvmpipe's compiler ended the process over them, by addresses.
// no-diagnostics
// run: --kernel k --global 1 --arg uint[8]:values=0,0,0,1065353216,7,9,0,0 --arg float:5 --print p
// prints: p: 1092616192 1097859072 1101004800 1103626240 7 1110704128 1084227584 1090519040
// run: --kernel chosen --global 2 --arg uint[2] --arg float:1.5 --print p
// prints: p: 1069547520 3221225472
kernel void k(global uint *p, float f) {
    atomic_add(p, as_uint(f * 2));
    atomic_or(p + 1, as_uint(f * 3));
    atomic_max((global int *)p + 2, as_int(f * 4));
    // The comparand.
    atomic_cmpxchg(p + 3, as_uint(f - 4), as_uint(f * 5));
    atomic_cmpxchg(p + 4, as_uint(f - 4), as_uint(f * 5));
    atomic_xchg(p + 5, as_uint(f * 9));
    atomic_xor(p + 6, f > 4 ? as_uint(f) : as_uint(f + 1));
    float2 v = (float2)(f, f) * (float2)(1.6f, 2);
    atomic_add(p + 7, as_uint2(v).x);
}
kernel void chosen(global uint *p, float f) {
    float x = f;
    for (int i = 0; i < (int)get_global_id(0); i++) x *= -1.3333334f;
    atomic_add(p + get_global_id(0), as_uint(x));
}
