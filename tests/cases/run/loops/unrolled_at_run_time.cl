// no-diagnostics
// run: --kernel ends --global 96 --arg out=uint[96] --arg bases=int[6]:values=0,-9,2147483607,-2147483648,1000,-2147483617 --print out
// prints: out: 3597220714 2934487852 3498069170 1653043373 2126300619 3440736137 910094425 4019715854 437599856 1238700630 1733798531 1225686641 1354736341 3738886631 2398764435 1929186115 2494224679 3543153406 1489180081 291585372 4017070349 3083316841 3641828737 690988522 2900318402 2003551102 719049550 63245959 1113879483 2716095289 501971290 3652166575 1728389263 3353591166 1342496878 2936674150 2503386599 3223840547 3656352279 2600270395 4216307361 2109892724 3813712694 293166135 3192972418 3973504861 2762974317 3426373807 1000647224 2538067683 1890626676 2908131777 4185611819 2343542590 4199799526 2174450055 2720348762 2644777462 1390672028 226011492 3394756386 119946877 3004661613 4185611819 1125234432 3875720639 3147973208 3790264167 56201617 3810324432 1602278908 73566380 1491157121 18513319 4079846011 2595541444 642959785 2646108293 2867950533 997168963 649672913 2342794656 430587495 2497105423 3045596231 2876824716 986183906 4153352002 3418506742 3764415635 1094325035 3582280806 3239386740 740502075 1099378754 2521871775
// Loops whose trip count only the launch knows, which NVIDIA's driver gets as several iterations a trip and a loop for the rest. The
// distances are about the numbers of iterations of a trip, the starts about the limits of the types. Values by gcc -fwrapv.
#define STEP(i) a = a * 31u + (uint)(i)
#define SHOW() do { shown = shown * 16777619u ^ a; a = 7u; } while (0)
kernel void ends(global uint *out, global const int *bases) {
    uint t = get_global_id(0);
    uint a = 7u, shown = 0u;
    // Distances of 0, 1, one less than a trip, a trip and one more.
    const int trips[16] = {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100, -5};
    int base = bases[t / 16], n = base == -2147483647 - 1 ? abs(trips[t % 16]) : trips[t % 16];
    int far = (int)((uint)base + (uint)n);
    for (int i = base; i < far; i++) STEP(i);
    SHOW();
    if (far != 2147483647) for (int i = base; i <= far; i++) STEP(i);
    SHOW();
    for (int i = far; i > base; i--) STEP(i);
    SHOW();
    if (base != -2147483647 - 1) for (int i = far; i >= base; i--) STEP(i);
    SHOW();
    if (n >= 0) for (int i = base; i != far; i++) STEP(i);
    SHOW();
    if (n >= 0) for (uint i = (uint)far; i != (uint)base; i--) STEP(i);
    SHOW();
    if (n >= 0) for (uint i = (uint)base; (int)(i - (uint)far) < 0; i += 3u) STEP(i);
    SHOW();
    // Without the first test the distance of -5 from 0 is 2^31 iterations.
    if (n >= 0) for (uint i = (uint)base; i < (uint)far && i >= (uint)base; i += 2u) STEP(i);
    SHOW();
    for (ulong i = (ulong)(uint)base << 32; i < ((ulong)(uint)base << 32) + (ulong)(n < 0 ? 0 : n); i++) STEP(i + (i >> 32));
    SHOW();
    for (long i = (long)base * 1073741824l + n * 5; i >= (long)base * 1073741824l; i -= 5) STEP(i + (i >> 32));
    SHOW();
    // The counter is used behind the loop, and there are two.
    int i = base, j = 1;
    for (; i < far; i++, j += 3) STEP(j ^ i);
    a += (uint)i + (uint)j;
    SHOW();
    for (i = base; i < far; i++) {
        if ((i & 7) == 3) continue;
        if (a % 29u == 5u) break;
        STEP(i);
    }
    a += (uint)i;
    SHOW();
    // The bound changes.
    int end = far;
    for (i = base; i < end; i++) {
        STEP(i);
        if (a % 5u == 0u && end > base + 2) end--;
    }
    a += (uint)end;
    SHOW();
    // A nest whose inner bound is the outer counter, and a product of invariants.
    for (int j = 0; j < n; j += 9)
        for (int i = 0; i < j; i++) STEP(i);
    SHOW();
    for (int i = 0; i < n * (base & 3); i++) STEP(i);
    SHOW();
    // Steps of a recurrence.
    ulong v = (ulong)(uint)base + 1ul;
    for (int i = 0; i < n; i++) v = v * 6364136223846793005ul + 1442695040888963407ul;
    for (int i = 0; i < n; i++) a = a * 1664525u + 1013904223u;
    a ^= (uint)(v >> 32) ^ (uint)v;
    SHOW();
    out[t] = shown;
}
