// Null equals no variable's first byte, and a choice between a variable and null keeps both (C99 §6.3.2.3).
// run: --kernel private_or_null --global 4 --arg int[4]:const=0 --print out
// prints: out: 77 11 77 13
// run: --kernel local_or_null --global 4 --local 4 --arg int[4]:const=0 --print out
// prints: out: 5 77 7 77
// run: --kernel global_or_null --global 2 --arg int[4]:range=40 --arg int[4]:const=0 --arg int:3 --print out
// prints: out: 1 42 0 1
// run: --kernel none --global 2 --arg int[4]:const=0 --arg int:0 --print out
// prints: out: 0 1 0 1
// no-diagnostics
kernel void private_or_null(global int *out) {
    int id = get_global_id(0);
    int x[2];
    x[id & 1] = 10 + id;
    int *p = (id & 1) ? x : 0;
    out[id] = p ? p[1] : 77;
}

kernel void local_or_null(global int *out) {
    local int x[4];
    int id = get_local_id(0);
    x[id] = 5 + id;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = (id & 1) ? 0 : x;
    out[id] = p != 0 ? p[id] : 77;
}

kernel void global_or_null(global int *in, global int *out, int n) {
    if (get_global_id(0))
        return;
    global int *p = 0;
    out[0] = p == 0;
    for (int i = 0; i < n; ++i)
        p = in + i;
    out[1] = p ? *p : 77;
    out[2] = p == in;
    out[3] = p == in + 2;
}

kernel void none(global int *out, int n) {
    if (get_global_id(0))
        return;
    global int *p = 0;
    for (int i = 0; i < n; ++i)
        p = out + i;
    out[0] = p == out;
    out[1] = !p;
    out[2] = p > out;
    out[3] = p < out;
}
