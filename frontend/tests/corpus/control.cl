int helper(int x) { if (x > 3) return 1; else return 2; }
int loops(int n, global int *p) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        if (p[i] == 7) continue;
        if (p[i] == 9) break;
        for (int j = 0; j < i; j++) { sum += p[j]; if (sum > 100) break; }
        while (sum & 1) { sum >>= 1; if (!sum) return -1; }
    }
    do { sum--; if (sum == 5) continue; if (sum == 3) break; } while (sum > 0 && p[sum] != 2);
    for (;;) { if (sum++ > 10) break; }
    while (1) { if (p[sum]) return sum; sum++; }
}
int switches(int x, global int *p) {
    int r = 0;
    switch (x) {
    case 0: r = 1; break;
    case 1: case 2: r = 2;
    case 3: { r += 3; break; }
    default: r = 9;
    case 10: r++; if (r > 5) break; r = 0; break;
    }
    switch (x & 3) { case 0: return 1; case 1: return 2; default: return 3; }
}
long longswitch(long x) { switch (x) { case 0x100000000L: return 1; case -1: return 2; } return 0; }
void duff(global char *to, global const char *from, int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
int gotos(int n) {
    int i = 0;
again:
    i++;
    if (i < n) goto again;
    if (n == 3) goto out;
    for (int j = 0; j < n; j++) { if (j == 7) goto out; if (j == 9) goto inner; i += j; inner: i++; }
    goto skip;
middle:
    i = 100;
    goto out;
skip:
    if (i == 2) goto middle;
    return i;
out:
    return -i;
}
int shortcut(global int *p, int n) { return (p && n > 0 && p[0] == 1) || (n < -5 && p[n] > 2) ? p[1] : n ? 3 : p[2]; }
void nothing(void) { return; }
int unroll(global int *p) {
    int s = 0;
    __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 16; i++) s += p[i];
    return s;
}
int dead(int x) { return x; x = 3; while (x) { x--; } return x; }
kernel void k(global int *p, global char *c, int n) {
    p[0] = helper(n); p[1] = loops(n, p); p[2] = switches(n, p); p[3] = (int)longswitch(n);
    duff(c, c + 10, n); p[4] = gotos(n); p[5] = shortcut(p, n); nothing(); p[6] = unroll(p); p[7] = dead(n);
    n ? nothing() : (void)helper(3);
    p[8] = (n++, n + 1);
}
