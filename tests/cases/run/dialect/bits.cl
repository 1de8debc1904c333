// clang's functions of an integer's bits, of values and of constants: counts, swaps, reversals, rotations.
// run: --kernel k --global 1 --arg int[64]:range=-3 --arg ulong[48]:zero --print p --print q
// prints: p: 31 31 63 11 30 62 1 14 1 32 1 2 33 0 2929 29 61 8 8 31 3 0 5 1 31 30 64 63 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
// prints: q: 17442 2288403490 1220419056845603874 72 8772 291906116 646041512008098372 22 26132 3508110604 11723927670326757521 88 20888 1631794246 3497355358624651811 4 13330 2018915346 17356517385562371090 72 11336 510274632 1115552785675988040 24 192 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
#if !__has_builtin(__builtin_popcount) || !__has_builtin(__builtin_rotateleft8) || __has_builtin(__builtin_nosuch)
#error "the answers are wrong"
#endif
constant int counts[] = { __builtin_popcount(0xf0f0u), __builtin_clz(1u), __builtin_ctz(8u), __builtin_ffs(0), __builtin_ffs(16),
                          __builtin_parity(7u), __builtin_clrsb(-1), __builtin_clrsb(1), __builtin_popcountll(~0UL), __builtin_clzl(1UL) };
constant ulong swaps[] = { __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), __builtin_bswap64(0x123456789abcdef0),
                           __builtin_bitreverse8(0x12), __builtin_bitreverse16(0x1234), __builtin_bitreverse32(0x12345678),
                           __builtin_bitreverse64(0x123456789abcdef0), __builtin_rotateleft32(0x80000001, 4), __builtin_rotateright8(0x81, 1) };

kernel void k(global int *p, global ulong *q) {
    int x = p[0];                       // -3
    uint u = (uint)p[5];                // 2
    long l = (long)x * 0x100000000L;    // -3 << 32
    p[0] = __builtin_popcount(x);
    p[1] = __builtin_popcountl(l);
    p[2] = __builtin_popcountll(x);
    p[3] = __builtin_parity(x) * 10 + __builtin_parityl(u) + 2 * __builtin_parityll(3UL);
    p[4] = __builtin_clz(u);
    p[5] = __builtin_clzl(u);
    p[6] = __builtin_clzll((ulong)l >> 1);
    p[7] = __builtin_clzs(u);
    p[8] = __builtin_ctz(u);
    p[9] = __builtin_ctzl(l);
    p[10] = __builtin_ctzll(u);
    p[11] = __builtin_ffs(u) + 100 * __builtin_ffs(x + 3);
    p[12] = __builtin_ffsl(l);
    p[13] = __builtin_ffsll(x + 3L);
    p[14] = __builtin_clrsb(x) + 100 * __builtin_clrsb(u);
    p[15] = __builtin_clrsbl(l);
    p[16] = __builtin_clrsbll(u);
    p[17] = __builtin_abs(x) + (int)__builtin_labs(x) + (int)__builtin_llabs(u);
    for (int i = 0; i < 10; i++) p[18 + i] = counts[i];
    q[0] = __builtin_bswap16((ushort)(u * 0x1122));
    q[1] = __builtin_bswap32(u * 0x11223344u);
    q[2] = __builtin_bswap64(u * 0x1122334455667788UL);
    q[3] = __builtin_bitreverse8((uchar)(u * 9));
    q[4] = __builtin_bitreverse16((ushort)(u * 0x1122));
    q[5] = __builtin_bitreverse32(u * 0x11223344u);
    q[6] = __builtin_bitreverse64(u * 0x1122334455667788UL);
    q[7] = __builtin_rotateleft8((uchar)(u * 0x61), (uchar)(u + 1));
    q[8] = __builtin_rotateleft16((ushort)(u * 0x4661), (ushort)(u + 1));
    q[9] = __builtin_rotateleft32(u * 0x43344661u, u + 7);
    q[10] = __builtin_rotateleft64(u * 0x4334466112345678UL, u + 40);
    q[11] = __builtin_rotateright8((uchar)(u * 0x61), (uchar)(u + 1));
    q[12] = __builtin_rotateright16((ushort)(u * 0x4661), (ushort)(u + 1));
    q[13] = __builtin_rotateright32(u * 0x43344661u, u + 7);
    q[14] = __builtin_rotateright64(u * 0x4334466112345678UL, u + 40);
    q[15] = __builtin_rotateleft32(u, 0) + __builtin_rotateright64(u, 64);
    for (int i = 0; i < 9; i++) q[16 + i] = swaps[i];
}
