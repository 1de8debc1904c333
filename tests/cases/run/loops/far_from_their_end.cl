// no-diagnostics
// run: --kernel behind --global 1 --arg out=uint[16] --arg n=int:-2147483646 --arg m=int:2147483646 --arg wide=long:-9223372036854775806 --arg u=uint:3 --print out
// prints: out: 1 2147483642 3 2147483643 1 2147483655 1 2147483653 1 4294967289 1 4294967291 1 2 1 2
// run: --kernel halves --global 2 --local 2 --arg out=uint[20] --arg u=uint:2147483650 --arg wide=ulong:9223372036854775810 --print out
// prints: out: 1887584830 2147483650 4294724102 2147483652 1146829115 2147483640 205111962 2147483643 3507528453 2 1887584830 2147483650 4294754886 2147483653 1146829115 2147483640 2153145858 2147483644 3507528453 2
// Loops that go round once, since they are tested behind the round, and whose end is behind their start by more than half of all numbers: NVIDIA's driver (580)
// took the wrapped way from one to the other for the rounds. And unsigned counters that come by half of all numbers, where a signed one would wrap: one did not end.
kernel void behind(global uint *out, int n, int m, long wide, uint u) {
    { uint a = 0; int i = 2147483641; do { a ^= 1u; i = (int)((uint)i + 1u); } while (i <= n); out[0] = a; out[1] = (uint)i; }
    { uint a = 0; int i = 2147483641; do { a += 3u; i = (int)((uint)i + 2u); } while (i < (int)(get_global_size(0) + 0x80000001u)); out[2] = a; out[3] = (uint)i; }
    { uint a = 0; int i = -2147483640; do { a ^= 1u; i = (int)((uint)i - 1u); } while (i > m); out[4] = a; out[5] = (uint)i; }
    { uint a = 0; int i = -2147483640; do { a = a * 31u + 1u; i = (int)((uint)i - 3u); } while (i >= m); out[6] = a; out[7] = (uint)i; }
    { uint a = 0; long i = 9223372036854775800; do { a ^= 1u; i = (long)((ulong)i + 1ul); } while (i < wide); out[8] = a; out[9] = (uint)i; }
    { uint a = 0; uint i = 4294967290u; do { a ^= 1u; i += 1u; } while (i <= u); out[10] = a; out[11] = i; }
    { uint a = 0; uint i = u; do { a ^= 1u; i -= 1u; } while (i > 4294967290u); out[12] = a; out[13] = i; }
    { uint a = 0; int i = (int)get_local_id(0) + 1; do { a ^= 1u; i++; } while (i < n); out[14] = a; out[15] = (uint)i; }
}

kernel void halves(global uint *out, uint u, ulong wide) {
    uint g = get_global_id(0);
    global uint *o = out + 10 * g;
    { uint a = 0; uint i = 2147483644u - (uint)get_num_groups(0); while (i + 1u != 2147483651u) { a = a * 31u + i; i += 1u; } o[0] = a; o[1] = i; }
    { uint a = 0; uint i = 2147483640u + (uint)get_local_id(0); while (i < 2147483652u) { a = a * 31u + i; i += 3u; } o[2] = a; o[3] = i; }
    { uint a = 0; uint i = u; while (i > 2147483640u) { a = a * 31u + i; i -= 1u; } o[4] = a; o[5] = i; }
    { uint a = 0; uint i = 2147483655u - (uint)get_local_id(0); do { a = a * 31u + i; i -= 2u; } while (i >= 2147483645u); o[6] = a; o[7] = i; }
    { uint a = 0; ulong i = 9223372036854775800ul; while (i != wide) { a = a * 31u + (uint)i; i += 1ul; } o[8] = a; o[9] = (uint)i; }
}
