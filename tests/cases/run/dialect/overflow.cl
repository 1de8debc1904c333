// clang's arithmetic that tells whether the result fits: all widths, mixed signs, carries.
// run: --kernel k --global 1 --arg long[8]:zero --arg ulong[160]:zero --print q
// prints: q: 0 2147483642 1 18446744071562067972 1 18446744071562067973 0 2147483642 0 2147483652 1 2147483653 1 18446744073414584323 1 18446744073414584317 1 18446744072824649728 0 4000000003 0 3999999997 0 12000000000 1 18446744073709551614 1 18446744073709551608 1 18446744073709551601 1 47 1 41 1 18446744073709551492 1 47 1 41 1 132 0 9223372036854775805 1 9223372036854775809 1 2 0 9223372036854775805 0 9223372036854775809 1 2 1 6 0 18446744073709551608 1 18446744073709551609 1 18446744073709551613 1 1 1 2 1 18446744073709551614 0 0 1 1 1 18446744073709551613 1 1 1 2 1 6 1 4294967288 1 4294967289 0 18446744073709551609 0 3 0 10 0 8000000000 0 0 0 16000000000000000000 1 18446744071562067968 1 3410065408 1 9223372036854775807 1 18446744073709551609 3705032705 1 4294967295 1 0 1 1 1 65535 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
#define ONE(T, op, a, b) { T r; q[n] = __builtin_##op##_overflow(a, b, &r); q[n + 1] = (ulong)(long)r; n += 2; }
#define ALL(T, a, b) ONE(T, add, a, b) ONE(T, sub, a, b) ONE(T, mul, a, b)

kernel void k(global long *p, global ulong *q) {
    int n = 0;
    int zero = (int)p[0];
    int i = zero + 2147483647, j = zero - 5;
    uint u = zero + 4000000000u, v = zero + 3u;
    long l = zero + 9223372036854775807L, m = zero - 2L;
    ulong w = zero + 18446744073709551615UL, x = zero + 7UL;
    short s = (short)(zero + 300);
    ALL(int, i, j)
    ALL(uint, i, j)
    ALL(int, u, v)
    ALL(long, u, v)
    ALL(ulong, j, v)
    ALL(char, s, v)
    ALL(uchar, s, v)
    ALL(long, l, m)
    ALL(ulong, l, m)
    ALL(ulong, w, x)
    ALL(long, w, m)
    ALL(long, w, w)
    ALL(int, l, m)
    ALL(uint, w, x)
    ALL(short, m, j)
    ALL(ulong, u, u)
    { int r; q[n++] = __builtin_sadd_overflow(i, 1, &r); q[n++] = (ulong)(long)r; }
    { uint r; q[n++] = __builtin_umul_overflow(u, v, &r); q[n++] = r; }
    { long r; q[n++] = __builtin_ssubl_overflow(m, l, &r); q[n++] = r; }
    { ulong r; q[n++] = __builtin_umull_overflow(w, x, &r); q[n++] = r; }
    { uint c; q[n++] = __builtin_addc(u, u, 1u, &c); q[n++] = c; }
    { uint c; q[n++] = __builtin_subc(v, v, 1u, &c); q[n++] = c; }
    { ulong c; q[n++] = __builtin_addcl(w, 0UL, 1UL, &c); q[n++] = c; }
    { uchar c; q[n++] = __builtin_addcb((uchar)(v + 250), (uchar)3, (uchar)1, &c); q[n++] = c; }
    { ushort c; q[n++] = __builtin_subcs((ushort)v, (ushort)4, (ushort)0, &c); q[n++] = c; }
}
