// All statements.
int steps(int n) { int c = 0; do { if (n & 1) n = 3 * n + 1; else n /= 2; c++; } while (n > 1 && c < 99); return c; }
kernel void k(global int *p, int n) {
    for (int i = 0, j = n; i < j; i++, j--) {
        switch (p[i] % 5) {
        case 0: continue;
        case 1: { p[i] = 2; break; }
        case 2: case 3: if (j > 4) goto out; p[i]++;
        default: for (;;) { if (++p[i] > 9) break; }
        }
    again:
        if (p[j] < 0) { p[j] += n; goto again; }
    }
out:
    p[0] = n ? steps(n) : (n, 7);
}
