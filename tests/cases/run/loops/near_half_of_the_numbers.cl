// no-diagnostics
// run: --kernel near --global 4 --local 4 --arg out=uint[16] --print out
// prints: out: 2710021 2147483650 2515579878 1 2545163334 2147483650 93411 10 2651531 2147483660 3 4294967295 0 0 0 0
// run: --kernel once --global 4 --local 4 --arg out=uint[8] --print out
// prints: out: 2147483648 3 2147483648 4 0 0 0 0
// Loops on which NVIDIA's driver (580) went wrong; most did not end. A counter starts near half of all numbers and its end is what only the launch knows; a step that the size of the
// work-group is in is large, or wraps at once; an end that moves by what is 0 for this size. Loops that go round once, and are not to be unrolled: they are left by what is
// the same in each round, or by a counter that moves away.
kernel void near(global uint *out) {
    uint global_size = (uint)get_global_size(0), groups = (uint)get_num_groups(0), local_size = (uint)get_local_size(0);
    { uint i = 2147483646u, a = 3u, n = 2147483654u - global_size; while (i != n) { a = a * 31u + i; i += 1u; } out[0] = a; out[1] = i; }
    { ulong i = (ulong)groups + 9223372036854775802ul; uint a = 3u; while (i + 1ul != 9223372036854775811ul - (ulong)groups) { a = a * 31u + (uint)i; i += 1ul; } out[2] = a; out[3] = (uint)i; }
    { int i = 2147483644; uint a = 3u; int n = (int)(5u - local_size); while (i != (int)(global_size + 2147483646u)) { a = a * 31u + (uint)i; i = (int)((uint)i + (uint)n); } out[4] = a; out[5] = (uint)i; }
    { long i = 4; uint a = 3u; long n = (long)groups + 7, by = (long)(0x8000000000000006ul - (ulong)local_size); while (i != n + by) { a = a * 31u + (uint)i; i = (long)((ulong)i + (ulong)by); if (a > 4000000000u) break; } out[6] = a; out[7] = (uint)i; }
    { int i = (int)(2147483645u - groups), n = (int)(2147483658u - groups); uint a = 3u; do { a = a * 31u + (uint)i; i = (int)((uint)i + local_size); } while (i <= n); out[8] = a; out[9] = (uint)i; }
    { uint2 v = (uint2)(4294967289u - global_size, 2u - groups); uint a = 3u; do { a ^= v.s0; v += (uint2)(local_size + 4294967292u, 4294967295u); } while (v.s1 <= v.s0); out[10] = a; out[11] = v.s1; }
}

kernel void once(global uint *out) {
    uint global_size = (uint)get_global_size(0);
    { int i = -1, n = (int)global_size, a = 2147483647; do { a = ~a; i = (int)((uint)i + (uint)n); } while (i >= 7); out[0] = (uint)a; out[1] = (uint)i; }
    { int i = 0, n = (int)global_size, a = 2147483647; do { a = ~a; i = n; } while (i >= 7); out[2] = (uint)a; out[3] = (uint)i; }
}
