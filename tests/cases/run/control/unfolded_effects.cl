// What happens in loops with few rounds happens as often as before, and in that order: volatile reads, atomics, stores to what is read; barriers and
// operations of the work-group keep them loops.
// no-diagnostics
// run: --kernel k --global 8 --local 4 --arg x=uint[8]:range --arg n=uint[8]:const=0 --arg out=uint[48] --print n --print out
// prints: n: 8 0 8 0 0 8 0 0
// prints: out: 0 11 6 24 430 3 40 27 6 24 586 4 80 43 6 24 742 5 120 59 6 24 898 6 160 75 22 24 1054 7 200 44 22 24 1210 7 240 52 22 24 1366 7 280 60 22 24 1522 7
kernel void k(global uint *x, global uint *n, global uint *out) {
    uint id = get_global_id(0), l = get_local_id(0), s = 0;
    global uint *p = out + 6 * id;
    volatile global uint *v = x;
    for (int i = 0; i < 4; i++) s = s * 3 + v[id];
    p[0] = s;
    for (int i = 0; i < 3; i++) {
        if (i == 1) continue;
        atomic_inc(&n[i]);
    }
    for (int i = 0; i < 5; i++) {
        if (atomic_add(&n[3 + (id & 1)], 0) > 100) break;
        if (i == 3) { atomic_inc(&n[5]); break; }
    }
    // Each round stores what the next one reads.
    p[1] = id;
    for (int i = 0; i < 4; i++) { if (p[1] > 40) break; p[1] = p[1] * 2 + i; }
    local uint tile[4];
    for (uint step = 1; step < 4; step <<= 1) {
        tile[l] = step == 1 ? id : tile[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = tile[l ^ step];
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += other;
    }
    p[2] = tile[l];
    private volatile uint mine = 3;
    for (int i = 0; i < 3; i++) mine = mine * 2;
    p[3] = mine;
    uint private_array[4];
    for (int i = 0; i < 8; i++) {
        if (i >= 4) break;
        private_array[i] = id + i;
    }
    uint sum = 0;
    for (int i = 3; ; i--) { sum = sum * 5 + private_array[i]; if (i == 0) break; }
    p[4] = sum;
    global uint *walk = x + id;
    for (int i = 0; i < 3; i++, walk = x + (walk[0] + 1) % 8)
        if (*walk == 7) break;
    p[5] = *walk;
}
