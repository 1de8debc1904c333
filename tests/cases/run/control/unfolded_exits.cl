// Loops with few rounds that are left in several places: break, return, continue, goto, out of switches and of two loops at once, by what is read and by
// the number of the round; what was computed there is used behind them.
// no-diagnostics
// run: --kernel k --global 16 --local 8 --arg x=uint[16]:range --arg out=uint[128] --print out
// prints: out: 308 803 1 1 1 0 447 12 308 803 99 99 10 2 476 10 307 803 1 1 19 4 469 12 305 803 77 77 28 6 420 0 727 803 1 1 37 8 462 12 831 34 25 25 21 10 476 11 935 33 1 1 55 12 469 12 1039 32 77 77 64 112 300 10 1143 32 1 1 73 112 447 12 1247 17 99 99 82 112 476 0 1351 16 1 1 91 112 469 12 1455 16 31 31 100 112 420 0 1559 16 1 1 109 112 462 12 47 0 77 77 118 112 476 10 135 0 1 1 4000 112 469 12 223 0 77 77 4000 112 300 0
uint early(uint x) {
    for (uint i = 1; i < 5; i++) {
        switch (x % (i + 1)) {
        case 0: if (i == 2) continue; return i;
        case 1: if (x > 9) break; continue;
        case 2: return 10 * i + x;
        }
        if (i == 3) return 77;
    }
    return 99;
}
uint twice(uint x) { uint a = early(x); for (int i = 0; i < 3; i++) { if (a & 1) return a; a >>= 1; } return a + 1000; }
kernel void k(global const uint *x, global uint *out) {
    uint id = get_global_id(0), v = 0, w = 5;
    global uint *p = out + 8 * id;
    for (uint i = 0; i < 4; i++) {
        v = x[(id + i) & 15];
        if (v == 3) break;
        w += v;
    }
    p[0] = v * 100 + w;
    uint i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j <= i; j++)
            if (x[(id + 3 * i + j) & 15] > 12) goto found;
    i = 50;
found:
    p[1] = i * 16 + j;
    p[2] = early(id);
    p[3] = twice(id);
    uint s = 0;
    for (int n = 0; n < 6; n++) {
        if (n & 1) continue;
        if (id == 5 && n == 4) break;
        if (id > 13) { s = 4000; goto out; }
        s += (n + 1) * id;
        if (s > 60) break;
    }
    s += 1;
out:
    p[4] = s;
    // Left by all in the last round alone, and by some before.
    int k = 0, last = -1;
    while (1) {
        last = k * 2;
        if (x[id] == (uint)k) break;
        if (++k == 7) { last += 100; break; }
    }
    p[5] = last;
    // Two loops in a loop, of which one is left by what was read.
    uint t = 0;
    for (uint a = 0; a < 2; a++) {
        uint b = 0, c;
        for (; b < 3; b++)
            if ((x[id] >> b & 1) == a) break;
        for (c = b; c < 4; c++) t += c;
        t = t * 8 + b + c;
    }
    p[6] = t;
    if (id == 11) return;
    for (int n = 0; n < 3; n++) {
        if (x[id] % 3 == n && id & 1) return;
        p[7] = 10 + n;
    }
}
