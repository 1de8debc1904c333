// Lists over three memories, trees, comparisons over all memories, null arguments, vectors and bytes through generic pointers.
// options: -cl-std=CL2.0
// run: --kernel ring --global 3 --local 3 --arg int[6]:const=0 --print out
// prints: out: 123 231 312 1 2 3
// run: --kernel tree --global 1 --arg int[3]:const=0 --print out
// prints: out: 12345678 8 36
// run[address]: --kernel list3 --global 2 --local 2 --arg long[8]:const=0 --arg int[2]:const=0 --print out
// prints: out: 1203 1213
// run: --kernel cmp --global 2 --local 2 --arg int[2]:const=0 --arg int[2]:const=0 --arg int[20]:const=7 --print out
// prints: out: 0 1 1 0 0 0 1 0 1 1 0 1 1 0 0 0 1 0 1 1
// run: --kernel argnull --global 1 --arg null --arg int[2]:range=5 --arg int[6]:const=7 --print out
// prints: out: 0 1 5 1 0 6
// run: --kernel switchy --global 4 --arg int[4]:range --arg int[4]:range=10 --arg int[4]:const=0 --print out --print a --print b
// prints: out: 0 11 2 13
// prints: a: 100 1 102 3
// prints: b: 10 111 12 113
// run: --kernel vecs --global 4 --local 4 --arg float4[4]:range --arg float4[4]:const=0 --print out
// prints: out: (0, 1, 2, 3) (104, 105, 106, 107) (208, 209, 210, 211) (12, 13, 14, 15)
// run: --kernel bytes --global 4 --local 4 --arg uchar[16]:range --arg uchar[16]:const=0 --print out
// prints: out: 0 1 2 3 14 15 16 17 28 29 30 31 12 13 14 15
// run: --kernel early --global 4 --arg int[4]:range=3 --arg int[4]:const=0 --print out
// prints: out: 3 -1 5 -1
// no-diagnostics
typedef struct N { struct N *next; int v; } N;
kernel void ring(global int *out) {
    int i = get_global_id(0);
    N a, b, c;
    a.v = 1; b.v = 2; c.v = 3;
    a.next = &b; b.next = &c; c.next = &a;
    N *n = i == 0 ? &a : i == 1 ? &b : &c;
    out[3 + i] = n->v;
    int d = 0;
    for (int k = 0; k < 3; ++k, n = n->next) d = d * 10 + n->v;
    out[i] = d;
}
typedef struct T { struct T *l, *r; int v; } T;
kernel void tree(global int *out) {
    T pool[8];
    int keys[8] = {4, 2, 6, 1, 3, 5, 8, 7};
    T *root = 0;
    for (int k = 0; k < 8; ++k) {
        T *n = &pool[k];
        n->l = n->r = 0;
        n->v = keys[k];
        T **at = &root;
        while (*at) at = n->v < (*at)->v ? &(*at)->l : &(*at)->r;
        *at = n;
    }
    T *stack[8];
    int top = 0, d = 0, count = 0, sum = 0;
    T *n = root;
    while (n || top) {
        while (n) { stack[top++] = n; n = n->l; }
        n = stack[--top];
        d = d * 10 + n->v; ++count; sum += n->v;
        n = n->r;
    }
    out[0] = d; out[1] = count; out[2] = sum;
}
kernel void list3(global N *g, global int *out) {
    local N l[2];
    int i = get_local_id(0);
    N p;
    p.next = 0; p.v = 3 + 10 * i - 10 * i;
    l[i].v = 10 * i; l[i].next = &p;
    g[i].v = 12; g[i].next = &l[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int d = 0, m = 100;
    for (N *n = &g[i]; n; n = n->next, m = m == 100 ? 1 : 1) d += n->v * m;
    out[i] = d;
}
kernel void cmp(global int *a, global int *b, global int *out) {
    local int l[2], m[2];
    int i = get_local_id(0), x[2] = {0, 0}, y[2] = {0, 0};
    int *g = i ? (int *)a : l, *h = i ? (int *)b : m, *k = i ? x : y;
    global int *o = out + 10 * i;
    o[0] = g == h;
    o[1] = g != h;
    o[2] = g != k;
    o[3] = g == k;
    o[4] = g == 0;
    o[5] = h == (i ? (int *)a : l);
    o[6] = g == (i ? (int *)a : l);
    o[7] = (int *)a == (int *)b;
    o[8] = (g + 1) - g;
    o[9] = g < g + 1;
}
kernel void argnull(global int *a, global int *b, global int *out) {
    global int *p = out[0] ? a : b;
    out[0] = a == b;
    out[1] = a == 0;
    out[1] = p == 0;
    p = p ? p : b;
    out[2] = *p;
    out[3] = p == b;
    out[4] = p == a;
    out[5] = p[1];
}
kernel void switchy(global int *a, global int *b, global int *out) {
    int i = get_global_id(0);
    global int *p;
    switch (i) { case 0: p = a; break; case 1: p = b; break; case 2: p = a; break; default: p = b; }
    out[i] = p[i];
    p[i] += 100;
}
kernel void vecs(global float4 *in, global float4 *out) {
    local float4 l[4];
    int i = get_local_id(0);
    float4 x[4];
    for (int k = 0; k < 4; ++k) x[k] = in[k] + 200.0f;
    l[i] = in[i] + 100.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 *p = i == 1 ? (float4 *)l : i == 2 ? x : (float4 *)in;
    float4 v = vload4(i, (float *)p);
    vstore4(v, i, (float *)(i & 1 ? (float4*)out : x));
    out[i] = i & 1 ? out[i] : x[i];
}
kernel void bytes(global uchar *in, global uchar *out) {
    local uchar l[16];
    int i = get_local_id(0);
    uchar x[16];
    for (int k = 0; k < 16; ++k) x[k] = in[k] + 20;
    for (int k = 0; k < 4; ++k) l[4 * i + k] = in[4 * i + k] + 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar *p = i == 1 ? (uchar *)l : i == 2 ? x : (uchar *)in;
    for (int k = 0; k < 4; ++k) { uchar *q = k & 1 ? out : p; out[4 * i + k] = p[4 * i + k]; *(p == out ? q : out + 4 * i + k) += 0; }
}
kernel void early(global int *in, global int *out) {
    int i = get_global_id(0), x = -1;
    int *p = 0;
    if (i % 2 == 0) { p = (int *)&in[i]; }
    if (!p) { out[i] = -1; return; }
    out[i] = *p;
}
