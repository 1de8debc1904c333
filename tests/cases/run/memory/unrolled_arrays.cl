// no-diagnostics
// Private arrays under loops with known ends: register tiles, a triangular solve, a schedule that wraps around, a loop that is
// left early.
// run: --kernel tile --global 2 --arg int[8]:range --arg int[16]:zero --print c
// prints: c: 0 1 2 3 0 5 10 15 0 9 18 27 0 13 26 39
// run: --kernel triangle --global 1 --arg int[16]:range --arg int[6]:zero --print out
// prints: out: 0 1 4 9 32 69
// run: --kernel schedule --global 2 --arg int[2]:zero --print out
// prints: out: 46053 131221
// run: --kernel early --global 3 --arg int[8]:range --arg int[9]:zero --print out
// prints: out: 100 28 8 4 15 5 3 14 4
kernel void tile(global const int *a, global int *c) {
    int g = get_global_id(0);
    int acc[2][4];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            acc[i][j] = 0;
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 4; j++)
                acc[i][j] += a[(g * 2 + i) * 2 + k] * j;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            c[(g * 2 + i) * 4 + j] = acc[i][j];
}

kernel void triangle(global const int *a, global int *out) {
    int x[6];
    for (int i = 0; i < 6; i++) {
        int s = a[i];
        for (int j = 0; j < i; j++)
            s += j % 2 == 0 ? x[j] * (i - j) : x[j] * 2;
        x[i] = s;
    }
    int i = 0;
    do {
        out[i] = x[i];
    } while (++i < 6);
}

kernel void schedule(global int *out) {
    int w[16], t = 0, id = get_global_id(0);
    for (int i = 0; i < 16; i++)
        w[i] = id * 16 + i;
    for (int i = 0; i < 40; i++) {
        w[i & 15] = (w[(i + 1) & 15] + w[(i + 9) & 15]) & 0xfffff;
        int r = i / 16, g;
        switch (r) {
        case 0: g = i; break;
        case 1: g = (5 * i + 1) & 15; break;
        default: g = (3 * i + 5) & 15; break;
        }
        t = (t + w[g] * (i + 1)) & 0xfffff;
    }
    out[id] = t;
}

kernel void early(global const int *p, global int *out) {
    int b[8], id = get_global_id(0), s = 0, found = 100, i;
    for (i = 0; i < 8; i++)
        b[i] = p[(i + id) & 7];
    for (i = 0; i < 8; i++) {
        if (b[i] == 6 && id > 0) {
            found = i - 1;
            break;
        }
        s += b[i];
    }
    out[id * 3] = found;
    out[id * 3 + 1] = s;
    out[id * 3 + 2] = i;
}
