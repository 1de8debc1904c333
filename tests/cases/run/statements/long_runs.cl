// Case labels in a row, GNU's ranges, long else-if chains (nested they would be deeper than drivers take) and long sums: their length is no depth.
// run: --kernel k --global 1 --arg int[8]:range=1 --print p
// prints: p: 3 5 9 78 1 259 7 8
// no-diagnostics
#define L4(n) case n: case n + 1: case n + 2: case n + 3:
#define L16(n) L4(n) L4(n + 4) L4(n + 8) L4(n + 12)
#define L64(n) L16(n) L16(n + 16) L16(n + 32) L16(n + 48)
#define L256(n) L64(n) L64(n + 64) L64(n + 128) L64(n + 192)
#define E4(n) else if (x == n) r = n; else if (x == n + 1) r = n + 1; else if (x == n + 2) r = n + 2; else if (x == n + 3) r = n + 3;
#define E16(n) E4(n) E4(n + 4) E4(n + 8) E4(n + 12)
#define E64(n) E16(n) E16(n + 16) E16(n + 32) E16(n + 48)

#define S4 + x + x + x + x
#define S16 S4 S4 S4 S4
#define S256 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16 S16

int labels(int x) {
    switch (x) {
    L256(0) return 3;
    L256(256)
    default: return 5;
    case 1000 ... 1400: return 9;
    }
}

int chain(int x) {
    int r;
    if (x < 0) r = -1;
    E64(0)
    E16(64)
    else r = -2;
    return r;
}

int sum(int x) { return x S256 S4 - x; }

kernel void k(global int *p) {
    int zero = p[0] - 1;
    p[0] = labels(zero + 200);
    p[1] = labels(zero + 511);
    p[2] = labels(zero + 1399);
    p[3] = chain(zero + 78);
    p[4] = sum(1) == 260 ? 1 : 0;
    p[5] = sum(1) - 1;
}
