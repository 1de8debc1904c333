// Barriers in a loop body and in its latch (the third clause), with a uniform trip count.
// run: --kernel k --global 8 --local 8 --arg int[8]:range=1 --arg int:3 --print a
// prints: a: 36 36 36 36 36 36 36 36
// no-diagnostics
void sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }

kernel void k(global int *a, int rounds) {
    local int x[8], y[8];
    int i = get_local_id(0);
    x[i] = a[i];
    sync();
    for (int step = 0, d = 1; step < rounds; step++, d *= 2, sync()) {
        y[i] = x[i] + x[(i + d) % 8];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = y[i];
    }
    a[i] = x[i];
}
