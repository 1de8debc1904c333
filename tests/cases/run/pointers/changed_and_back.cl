// Pointers through integers, before and past their objects, copied in structures, swapped, in divergent loops.
// options: -cl-std=CL2.0
// run: --kernel casts --global 4 --local 4 --arg int[4]:range=10 --arg int[4]:const=0 --print out
// prints: out: 6 6 6 6
// run: --kernel pasts --global 1 --arg int[8]:range --arg int[6]:const=0 --print out
// prints: out: 28 28 28 3 6 1
// run: --kernel onebased --global 2 --arg int[4]:const=0 --print out
// prints: out: 6 9 9 18
// run: --kernel divergent --global 8 --local 8 --arg int[8]:range --arg int[8]:const=0 --print out
// prints: out: 0 1 3 6 10 15 21 28
// run: --kernel copyptrs --global 2 --arg int[4]:range=7 --arg int[2]:const=0 --print out
// prints: out: 8 29
// run: --kernel sw --global 3 --arg int[3]:const=0 --print out
// prints: out: 2 6 1
// no-diagnostics
kernel void casts(global int *in, global int *out) {
    int i = get_global_id(0);
    int a[4] = {1, 2, 3, 4};
    local int l[4];
    l[i] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    uintptr_t u = (uintptr_t)(a + 2), v = (uintptr_t)&l[1];
    u += 4 * (i & 1);
    u -= 4 * (i & 1);
    int *p = (int *)(u - 0);
    local int *q = (local int *)(v + 4);
    uintptr_t w = (uintptr_t)(in + i);
    out[i] = *p + *q + ((w & 3) != 0) + (u == v) + (v == 0) + ((u & 3) != 0);
}
kernel void pasts(global int *in, global int *out) {
    int s = 0;
    for (global int *p = in + 7; p >= in; --p) s += *p;
    out[0] = s; s = 0;
    for (global int *p = in; p < in + 8; ++p) s += *p;
    out[1] = s; s = 0;
    for (global int *p = in, *e = in + 8; p != e; p++) s += *p;
    out[2] = s;
    int x[4] = {0, 1, 2, 3};
    s = 0;
    for (int *p = x + 3; p >= x; --p) s = *p > s ? *p : s;
    out[3] = s; s = 0;
    local int l[4];
    for (int i = 0; i < 4; ++i) l[i] = i;
    for (local int *p = l + 3; p >= l; --p) s += *p;
    out[4] = s;
    out[5] = (in + 3) - (in + 2);
}
int pick(int *v, int n) { return v[n]; }
kernel void onebased(global int *out) {
    int i = get_global_id(0);
    int a[3] = {1, 2, 3}, b[3] = {4, 5, 6};
    int *t[2];
    t[0] = a - 1; t[1] = b - 1;
    int *p = i ? t[1] : t[0];
    out[2 * i] = pick(t[i], 1) + pick(t[i], 2) + 3 - (i ? 3 : 0);
    int s = 0;
    for (int k = 1; k <= 3; ++k) s += p[k];
    out[2 * i + 1] = s + 3;
}
kernel void divergent(global int *in, global int *out) {
    int i = get_local_id(0);
    local int l[8];
    int x[8];
    for (int k = 0; k < 8; ++k) x[k] = k;
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 3 == 0 ? (int*)in : i % 3 == 1 ? (int*)l : x;
    int *e = p + i + 1, s = 0;
    while (p != e) {
        if (p == l + 2) { p = in + 2; e = in + i + 1; }
        s += *p++;
    }
    out[i] = s;
}
typedef struct { int *p; int n; int *q; } S;
kernel void copyptrs(global int *in, global int *out) {
    int i = get_global_id(0);
    int a[2] = {1, 2}, b[2] = {10, 20};
    S s[2] = {{a, 0, b}, {b, 1, a}};
    S t[2];
    t[0] = s[i]; t[1] = s[1 - i];
    S *r = &t[i & 1];
    S c = *r;
    out[i] = in[i] * (i == 0) + c.p[c.n] + (i ? 28 : 0);
    if (i) out[1] = c.p[0] + c.q[0] + 18;
}
kernel void sw(global int *out) {
    int i = get_global_id(0);
    int a = 1, b = 2;
    int *p = &a, *q = &b;
    for (int k = 0; k <= i; ++k) { int *t = p; p = q; q = t; *p += k; }
    out[i] = i == 1 ? a + b + 2 - 0 : *p;
    if (i == 2) out[i] = (p == &b) && (q == &a) && p != q;
}
