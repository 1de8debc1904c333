// Work-groups that are larger than small devices': 1024 work-items in pieces, without barriers and with them in loops and conditions. What is
// kept over a barrier: ids, truths, vectors, private arrays, pointers that a loop moves.
// no-diagnostics
// options: -cl-std=CL3.0
// run: --kernel ids --global 96,40 --local 24,20 --offset 3,5 --arg int[4]:const=0 --print p
// prints: p: 3840 0 24 20
// run: --kernel sum --global 2048 --local 1024 --arg int[2048]:range --arg local:4096 --arg int[2] --print out
// prints: out: 523776 1572352
// run: --kernel sum --global 1000 --local 500 --arg int[1000]:range --arg local:2000 --arg int[2] --print out
// prints: out: 124750 374750
// run: --kernel kept --global 512 --local 512 --arg int[2048] --arg int[1]:const=0 --print bad
// prints: bad: 0
// run: --kernel tiles --global 600 --local 300 --arg int[2400]:range --arg int[600] --arg int:4 --print out:3
// prints: out: 8396 8396 8396 …
// run: --kernel leaves --global 1024 --local 512 --arg int[1024]:const=1 --print p:2
// prints: p: 1 1 …
// run: --kernel required --global 512 --arg int[512]:range --print p:3
// prints: p: 255 254 253 …
// run: --kernel atomics --global 1024 --local 1024 --arg int[2] --print p
// prints: p: 1024 523776

kernel void ids(global int *p) {
    int x = get_global_id(0) - 3, y = get_global_id(1) - 5;
    int lx = get_local_id(0), ly = get_local_id(1);
    atomic_add(&p[0], 1);
    if (x != get_group_id(0) * 24 + lx || y != get_group_id(1) * 20 + ly) p[1] = 1;
    if (get_local_linear_id() != ly * 24 + lx || get_global_linear_id() != y * 96 + x) p[1] = 2;
    if (get_num_groups(0) != 4 || get_num_groups(1) != 2 || get_local_size(2) != 1) p[1] = 3;
    p[2] = get_local_size(0);
    p[3] = get_enqueued_local_size(1);
}

kernel void sum(global int *a, local int *l, global int *out) {
    int i = get_local_id(0), n = get_local_size(0);
    l[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int rest = n; rest > 1;) {
        int step = (rest + 1) / 2;
        if (i + step < rest) l[i] += l[i + step];
        barrier(CLK_LOCAL_MEM_FENCE);
        rest = step;
    }
    if (i == 0) out[get_group_id(0)] = l[0];
}

kernel void kept(global int *a, global int *bad) {
    local int l[512];
    int i = get_local_id(0);
    int own[4];
    for (int k = 0; k < 4; k++) own[(k + i) & 3] = i * 10 + k;
    float4 v = (float4)(i, i + 1, i + 2, i + 3);
    bool odd = (i & 1) != 0;
    long wide = (long)i << 33;
    uchar small = (uchar)i;
    for (int round = 0; round < 5; round++) {
        l[i] = i * 3 + round;
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = (i + 131 * (round + 1)) % 512;
        if (l[other] != other * 3 + round) *bad = 1;
        own[round & 3] += l[other] - other * 3 - round;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (round == 3) {
            l[i] = -i;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l[511 - i] != i - 511) *bad = 2;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    for (int k = 0; k < 4; k++) if (own[(k + i) & 3] != i * 10 + k) *bad = 3;
    if (any(v != (float4)(i, i + 1, i + 2, i + 3))) *bad = 4;
    if (odd != ((i & 1) != 0) || wide != (long)i << 33 || small != (uchar)i) *bad = 5;
}

kernel void tiles(global const int *a, global int *out, int count) {
    local int tile[300];
    int i = get_local_id(0), sum = 0;
    global const int *from = a + i;
    for (int t = 0; t < count; t++, from += get_local_size(0) * 2) {
        tile[i] = *from;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[299 - i] + tile[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

// Whole work-groups leave before a barrier.
kernel void leaves(global int *p) {
    local int l[512];
    int i = get_local_id(0);
    if (get_group_id(0) == 1) return;
    l[i] = p[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i] = l[511 - i];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void required(global int *p) {
    local int l[256];
    int i = get_local_id(0);
    l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = l[255 - i];
}

// Local memory and atomics without a barrier.
kernel void atomics(global int *p) {
    local int l[1024];
    int i = get_local_id(0);
    l[i] = i;
    atomic_add(&p[0], 1);
    atomic_add(&p[1], l[i]);
}
