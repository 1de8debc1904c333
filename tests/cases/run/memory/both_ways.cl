// What both ways of a branch load or store (passes/optimize/hoist_sink_common.rs): the same at the beginning, one of two elements at the end, stores behind which the ways meet, and what
// must stay where it is: behind a store, in another place, a load that only one way may do.
// no-diagnostics
// run: --kernel k --global 8 --local 8 --arg int[12]:range --arg int[80]:zero --print out
// prints: out: 1 3 21 0 5 0 5 100 0 100 5 0 3 1 5 1 4 100 0 101 9 1 15 2 5 2 5 100 0 102 19 2 9 3 5 3 4 0 7 2 23 3 9 16 6 4 5 0 7 3 27 4 15 25 6 0 9 0 7 4 31 5 3 36 6 6 5 0 7 5 35 6 21 49 6 7 0 0 7 6
kernel void k(global const int *a, global int *out) {
    local int tile[10];
    int id = get_global_id(0);
    global int *p = out + 10 * id;
    tile[id] = 3 * a[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v;
    if (id > 2) v = a[id + 1] * 7 - tile[id];
    else v = tile[id] + a[id + 1];
    p[0] = v;
    p[1] = id == 0 ? a[3] : a[id - 1];
    p[2] = id & 1 ? tile[id] : tile[7 - id];
    if (id < 4) { p[3] = id; p[4] = 5; } else { p[3] = id * id; p[4] = 6; }
    if (id != 5) p[5] = a[id]; else p[6] = a[id];
    // A store between.
    if (id < 3) { p[7] = 100; v = p[8] + p[7]; } else { v = p[8] + p[7] - 1; p[8] = 7; }
    p[9] = v;
    // Beyond the end on the way that is not gone.
    int far = 1 << 29;
    if (id < 20) p[9] += a[id]; else p[9] += a[id + far];
    for (int i = 0; i < 3; i++) {
        if (id + i & 1) { p[6] += a[i]; if (id == 7) break; }
        else p[6] += a[i + 1];
    }
}
