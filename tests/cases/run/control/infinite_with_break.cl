// for (;;) and while (1) that end by break or return only; a loop that never runs.
// run: --kernel k --global 4 --arg int[4]:const=0 --print out
// prints: out: 10 11 12 -1
// no-diagnostics
int find(global int *out, int id) {
    while (1) {
        if (id == 3) return -1;
        for (;;)
            if (id++ > 8) break;
        return id;
    }
}

kernel void k(global int *out) {
    int id = get_global_id(0);
    int f = find(out, id);
    while (0)
        f = 77;
    for (; false;)
        f = 78;
    do
        f += id * (f > 0);
    while (0);
    out[id] = f;
}
