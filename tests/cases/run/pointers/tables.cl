// Tables of pointers to private and local variables, indexed at run time, read, written and swapped.
// run: --kernel private_table --global 4 --arg uint[8]:const=0 --print out
// prints: out: 1 12 2 13 3 14 1 15
// run: --kernel local_table --global 4 --local 4 --arg int[4]:const=0 --print out
// prints: out: 31 2 33 4
// run: --kernel sorted --global 1 --arg int[6]:const=0 --print out
// prints: out: 1 3 5 7 9 11
// run: --kernel rows --global 2 --arg int[4]:const=0 --print out
// prints: out: 6 15 106 15
// no-diagnostics
kernel void private_table(global uint *out) {
    uint i = get_global_id(0);
    uint a = 1, b = 2, c = 3;
    uint *t[3] = { &a, &b, &c };
    out[2 * i] = *t[i % 3];
    *t[(i + 1) % 3] += 11 + i;
    out[2 * i + 1] = a + b + c - 6 + 1;
    if (i == 0)
        out[1] = b - 1;
}

kernel void local_table(global int *out) {
    local int x[4], y[4];
    int i = get_local_id(0);
    local int *t[2];
    t[0] = x;
    t[1] = y;
    x[i] = i + 1;
    y[i] = 31 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[(i + 1) & 1][i];
}

kernel void sorted(global int *out) {
    int v[6] = { 9, 1, 11, 5, 3, 7 };
    int *p[6];
    for (int i = 0; i < 6; ++i)
        p[i] = &v[i];
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j + 1 < 6 - i; ++j)
            if (*p[j] > *p[j + 1]) {
                int *t = p[j];
                p[j] = p[j + 1];
                p[j + 1] = t;
            }
    for (int i = 0; i < 6; ++i)
        out[i] = *p[i];
}

kernel void rows(global int *out) {
    int i = get_global_id(0);
    int a[3] = { 1, 2, 3 }, b[3] = { 4, 5, 6 };
    int *m[2] = { a, b };
    int **q = m;
    (*q)[i] += 0;
    if (i)
        q[0][2] += 100;
    for (int r = 0; r < 2; ++r) {
        int sum = 0;
        for (int *p = m[r]; p != m[r] + 3; ++p)
            sum += *p;
        out[2 * i + r] = sum;
    }
}
