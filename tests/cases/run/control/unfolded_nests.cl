// Nests whose inner loops end where the outer one says; what inner loops leave is used by the next round, behind the loop, and by neither.
// no-diagnostics
// run: --kernel k --global 4 --arg x=uint[4]:values=9,1,4,7 --arg out=uint[40] --print out
// prints: out: 750 909 18 68 6 301 30 5119 12 120 750 909 18 7 1 301 30 1023 6 120 750 909 18 48 4 301 30 2559 6 120 750 909 18 68 6 301 30 4095 18 120
kernel void k(global const uint *x, global uint *out) {
    uint id = get_global_id(0), s = 0, t = 0, i, j = 0, m;
    global uint *p = out + 10 * id;
    for (i = 0; i < 9; i++)
        for (j = i; j < 9; j++) s += i * j;
    p[0] = s;
    p[1] = i * 100 + j;
    // A sieve.
    ulong composite = 3;
    for (i = 2; i < 8; i++)
        if (!(composite >> i & 1))
            for (j = i * i; j < 64; j += i) composite |= 1ul << j;
    p[2] = popcount(~composite);
    // The inner counter goes on where it was, and ends by data now and then.
    j = 0;
    for (i = 0; i < 4; i++) {
        for (; j < i * 2; j++) {
            if (j == x[id]) break;
            t += j;
        }
        t = t * 2 + j;
    }
    p[3] = t;
    p[4] = j;
    // No inner round in the first, and no outer one after the third.
    uint u = 0;
    for (i = 0; i < 10; i++) {
        for (j = 0; j < i; j++) {
            for (m = j; m; m--) u += m;
            if (i == 3) goto done;
        }
        u += 100;
    }
done:
    p[5] = u;
    p[6] = i * 10 + j;
    // The outer loop ends by data, the inner one does not.
    uint v = x[id];
    while (v < 1000) {
        for (i = 0; i < 3; i++) v = v * 2 + i;
        v += i;
    }
    p[7] = v;
    // The inner loop ends by data, the outer one does not.
    uint w = 0;
    for (i = 0; i < 3; i++)
        for (j = x[id]; j; j >>= 1) w += j & 1 ? i + 1 : 0;
    p[8] = w;
    p[9] = ({ uint f = 1; for (uint a = 1; a < 6; a++) { uint g = 0; for (uint b = 0; b < a; b++) g += f; f = g; } f; });
}
