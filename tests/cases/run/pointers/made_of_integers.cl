// Pointers to local and private memory made of integers that pointers went into: by the distance of two objects, by a reduction
// of the work-group, bit by bit, in a function that keeps integers and pointers in one memory, by a word that is exchanged.
// run: --kernel distance --global 2 --local 2 --arg int[8]:const=0 --print out
// prints: out: 4 5 40 50 4 5 40 50
// run: --kernel bit_by_bit --global 2 --local 2 --arg int[4]:const=0 --print out
// prints: out: 3 3 4 4
// run: --kernel followed --global 2 --local 2 --arg int[6]:const=0 --print out
// prints: out: 5 6 10 11 0 0
// run: --kernel tagged --global 4 --local 4 --arg int[4]:const=0 --print out
// prints: out: 10 21 32 43
// run: --kernel bytes --global 2 --local 2 --arg int[4]:const=0 --print out
// prints: out: 3 4 103 104
// no-diagnostics
kernel void distance(global int *out) {
    int i = get_global_id(0);
    local int a[2], b[2];
    int c[2] = { 3, 4 + i }, d[2] = { 30, 40 + 10 * i };
    if (i == 0) {
        a[1] = 4;
        b[1] = 40;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uintptr_t far = (uintptr_t)d - (uintptr_t)c;
    intptr_t back = (uintptr_t)c - (uintptr_t)d;
    out[i] = *(int *)((uintptr_t)(d + 1) + back);
    out[2 + i] = *(int *)((uintptr_t)(c + 1) + far);
    uintptr_t between = (uintptr_t)b - (uintptr_t)a;
    out[4 + i] = *(local int *)((uintptr_t)(b + 1) - between) + i;
    out[6 + i] = *(local int *)((uintptr_t)(a + 1) + between) + 10 * i;
}

kernel void bit_by_bit(global int *out) {
    int i = get_global_id(0);
    local int a[2];
    a[0] = 3;
    a[1] = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    uintptr_t p = (uintptr_t)&a[0], q = 0, one = 1;
    for (uint k = 0; k < 8 * sizeof(p); ++k)
        if (p >> k & 1)
            q |= one << k;
    out[i] = *(local int *)q;
    int b[2] = { 3, 4 };
    p = (uintptr_t)&b[i ^ i];
    q = 0;
    for (uint k = 0; k < 8 * sizeof(p); ++k)
        if (p >> k & 1)
            q |= one << k;
    out[2 + i] = ((int *)q)[1];
}

int follow(uintptr_t u, int n) {
    union {
        uintptr_t u;
        int *p;
        uchar c[8];
    } x[4];
    for (int k = 0; k < 4; ++k)
        x[k].u = u + 4 * k;
    int s = 0;
    for (int k = 0; k < n; ++k)
        s += *x[k].p + k;
    for (int k = 0; k < n; ++k)
        s += (x[k].p == 0) * 1000;
    return s;
}

kernel void followed(global int *out) {
    int i = get_global_id(0);
    int a[3] = { 5, 4, 3 }, b[3] = { 6, 4, 3 };
    out[i] = follow((uintptr_t)(i ? b : a), get_local_size(0) - 1);
    a[0] += 5;
    b[0] += 5;
    out[2 + i] = follow((uintptr_t)(i ? b : a), 1 - i + i);
    out[4 + i] = follow((uintptr_t)(i ? b : a), get_local_size(1) - 1);
}

kernel void tagged(global int *out) {
    int i = get_global_id(0);
    local int a[4];
    a[i] = 10 + 10 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    uintptr_t t = (uintptr_t)&a[i] | (i & 3);
    out[i] = *(local int *)(t & ~(uintptr_t)3) + (int)(t & 3);
}

kernel void bytes(global int *out) {
    int i = get_global_id(0);
    local int a[2];
    a[0] = 3;
    a[1] = 4;
    int b[2] = { 103, 104 };
    barrier(CLK_LOCAL_MEM_FENCE);
    struct {
        char c;
        local int *p;
        int *q;
    } s, t;
    s.p = &a[i];
    s.q = &b[i];
    char *from = (char *)&s, *to = (char *)&t;
    for (uint k = 0; k < sizeof(s); ++k)
        to[k] = from[k];
    out[i] = *t.p;
    out[2 + i] = *t.q;
}
