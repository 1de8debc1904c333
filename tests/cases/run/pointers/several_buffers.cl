// Pointers chosen between buffers: swapped in a loop, by a selection, from a table, of a structure.
// run: --kernel ping_pong --global 4 --local 4 --arg int[4]:range=1 --arg int[4]:const=0 --arg int:5 --print a --print b
// prints: a: 32 48 32 48
// prints: b: 96 64 96 64
// run: --kernel chosen --global 4 --arg int[4]:range=10 --arg int[4]:range=20 --arg int[4]:const=0 --print out --print b
// prints: out: 20 11 22 13
// prints: b: 120 21 122 23
// run: --kernel table --global 4 --arg float4[4]:range --arg float4[4]:range=100 --arg float4[4]:range=200 --arg float[4]:const=0 --print out
// prints: out: 100 205 10 115
// run: --kernel swapped --global 2 --arg int[2]:range=1 --arg int[2]:range=11 --arg int:3 --print x --print y
// prints: x: 14 2
// prints: y: 11 15
// run: --kernel atomics --global 4 --arg int[2]:const=0 --arg int[2]:const=0 --print a --print b
// prints: a: 4 2
// prints: b: 4 10
// no-diagnostics
kernel void ping_pong(global int *a, global int *b, int n) {
    int i = get_local_id(0), l = (i + 3) % 4, r = (i + 1) % 4;
    global int *from = a, *to = b;
    for (int k = 0; k < n; ++k) {
        to[i] = from[l] + from[r];
        barrier(CLK_GLOBAL_MEM_FENCE);
        global int *t = from;
        from = to;
        to = t;
    }
    if (i == 0 && from == b)
        from[0] += to[1] - to[1] + 0;
    if (from == a)
        from[i] = -1;
}

kernel void chosen(global int *a, global int *b, global int *out) {
    int i = get_global_id(0);
    global int *p = (i & 1) ? a : b;
    out[i] = p[i];
    if (p != a)
        p[i] += 100;
}

kernel void table(global float4 *a, global float4 *b, global float4 *c, global float *out) {
    int i = get_global_id(0);
    global float4 *t[3] = { a, b, c };
    float4 v = t[(i + 1) % 3][i];
    out[i] = v.x + (i == 2 ? 2 : i) - (i == 0 ? 0 : 0);
}

kernel void swapped(global int *x, global int *y, int n) {
    int i = get_global_id(0);
    global int *p = i ? x : y, *q = i ? y : x;
    for (int k = 0; k < n; ++k) {
        global int *t = p;
        p = q;
        q = t;
    }
    p[i] += n + (i ? 0 : 10);
}

kernel void atomics(global int *a, global int *b) {
    int i = get_global_id(0);
    global int *p = (i & 1) ? a : b;
    atomic_inc(p);
    atomic_add((i & 1) ? a : p, 1);
    global int *q = i < 2 ? a : b;
    atomic_add(q + 1, i < 2 ? 1 : i + 3 - (i == 3) * 1);
}
