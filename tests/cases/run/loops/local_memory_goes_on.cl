// no-diagnostics
// options: -cl-std=CL3.0
// Mesa's llvmpipe before version 25 ends the loops of a work-item after 65,535 iterations. A work-group's local memory goes on with its
// work-items, where they wait for each other before these loops alone.
// run: --kernel table --global 16 --local 8 --arg uint:200000 --arg uint[16] --print out
// prints: out: 1850000 1850004 1850008 1850012 1850016 1850020 1850024 1850028 1850032 1850036 1850040 1850044 1850048 1850052 1850056 1850060
// or-fails[masked]: the driver ended loops
// run: --kernel shared --global 12 --local 4 --arg uint[12]:values=1,100000,5,1000000,3,65535,65534,65536,2,3,4,200000 --arg uint[3] --print out
// prints: out: 1100006 196608 200009
// or-fails[masked]: the driver ended loops
// run: --kernel sizes --global 8 --local 8 --arg uint:150000 --arg local:24 --arg local:64 --arg uint[8] --print out
// prints: out: 13350000 13350000 13450000 13450000 13350000 13350000 13450000 13450000
// or-fails[masked]: the driver ended loops
// run: --kernel counted --global 4 --local 4 --arg uint[4]:values=70000,1,140000,66000 --arg uint[8] --print out
// prints: out: 34504 34503 34497 34497 34506 34498 34499 34497
// or-fails[masked]: the driver ended loops
// run: --kernel small --global 3 --local 3 --arg uint:100000 --arg uint[3] --print out
// prints: out: 705434305 705440066 705445827
// or-fails[masked]: the driver ended loops
// run: --kernel chosen --global 4 --local 4 --arg uint:80000 --arg local:16 --arg local:16 --arg uint[4] --print out
// prints: out: 4120000 4120000 4120101 4120203
// or-fails[masked]: the driver ended loops
// run: --kernel grid --global 8,4 --local 4,2 --arg uint:65000 --arg uint[32] --print out
// prints: out: 16 429000 38 442000 36 735000 58 756000 423170 37 436150 19 725570 57 746550 39 116 1754300 138 1807300 136 2141100 158 2202100 1730470 137 1783450 119 2113670 157 2174650 139
// or-fails[masked]: the driver ended loops
// The local memory of 4,200 work-groups takes 65 MiB, and a dispatch saves at most 64.
// run: --kernel many --global 4200 --local 1 --arg uint:70000 --arg uint[4] --print out
// prints: out: 3948023204 525000 5005000 17663062
// or-fails[masked]: the driver ended loops
// A work-group at the end is smaller.
// run: --kernel counted --global 7 --local 4 --arg uint[7]:values=70000,1,140000,66000,70000,2,3 --arg uint[8] --print out
// prints: out: 34504 34503 34497 34497 34506 34498 34499 34497
// or-fails[masked]: the driver ended loops
kernel void table(uint n, global uint *out) {
    local uint values[16];
    uint id = get_local_id(0);
    values[id] = id * 2;
    values[id + 8] = id * 3 + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 4 * get_global_id(0);
    for (uint i = 0, k = 0; i != n && k != 0xfffffff0; i++, k = i & 15) sum += values[k];
    out[get_global_id(0)] = sum;
}
// Whoever ends last has the sum of all.
kernel void shared(global const uint *n, global uint *out) {
    local uint total;
    if (get_local_id(0) == 0) total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint i = 0;
    while (i != n[get_global_id(0)]) i++;
    uint all = atomic_add(&total, i + 0x10000000) + i;
    if (all >> 28 == get_local_size(0) - 1) out[get_group_id(0)] = all & 0x0fffffff;
}
kernel void sizes(uint n, local uint *a, local uint *b, global uint *out) {
    local uint c[8];
    uint id = get_local_id(0);
    if (id < 6) a[id] = 10 + id;
    b[id] = id * id;
    b[id + 8] = (id + 8) * (id + 8);
    c[id] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i != n && sum != 0xffffffff; i++) sum = sum + a[i % 6] + b[(i + id) & 15] ^ c[(i + 3) & 7];
    out[id] = sum;
}
// Other work-items count between the dispatches.
kernel void counted(global const uint *n, global uint *out) {
    local uint bins[8];
    for (uint i = get_local_id(0); i < 8; i += get_local_size(0)) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i != n[get_global_id(0)]; i++) atomic_inc(&bins[(i * 2654435761u) >> 29]);
    for (uint i = 0; i < 8; i++) atomic_max(&out[i], atomic_add(&bins[i], 0));
}
// No work-item waits.
kernel void small(uint n, global uint *out) {
    local uchar bytes[3];
    local ushort shorts[3];
    local ulong longs[3];
    local float4 vectors[3];
    uint id = get_local_id(0);
    bytes[id] = 0;
    shorts[id] = id;
    longs[id] = (ulong)id << 40;
    vectors[id] = 0;
    for (uint i = 0; i != n && bytes[id] < 256; i++) {
        bytes[id] += 3;
        shorts[id] = shorts[id] * 5 + 1;
        longs[id] += (1ul << 33) + i;
        vectors[id] += (float4)((i & 3) == 0, (i & 3) == 1, (i & 3) == 2, (i & 3) == 3);
    }
    float4 v = vectors[id];
    out[id] = bytes[id] + shorts[id] + (uint)longs[id] + (uint)(longs[id] >> 32) + (uint)(v.x + 2 * v.y + 3 * v.z + 4 * v.w);
}
kernel void chosen(uint n, local uint *x, local uint *y, global uint *out) {
    uint id = get_local_id(0);
    x[id] = id;
    y[id] = 100 + id;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *p = x;
    uint sum = 0;
    for (uint i = 0; i != n + id; i++) {
        sum += p[i & 3];
        if (i % 1000 == 0) p = p == x ? y : x;
    }
    out[id] = sum;
}
kernel void grid(uint n, global uint *out) {
    local uint values[2][4];
    uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    values[ly][lx] = x + 10 * y;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint end = (x + y) & 1 ? n + x * 1000 + y * 100 : 5, sum = 0;
    local uint *all = &values[0][0];
    for (uint i = 0; i != end; i++) sum += all[(lx + ly * 4 + i) & 7];
    out[x + 8 * y] = sum;
}
kernel void many(uint n, global uint *out) {
    local uint values[4064];
    uint group = get_group_id(0);
    for (uint i = 0; i < 16; i++) values[i] = group + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint end = group % 64 == 0 ? n : group, sum = 0;
    for (uint i = 0; i != end; i++) sum += values[i & 15];
    atomic_add(&out[0], sum);
    if (group == 0) out[1] = sum;
    if (group == 64) out[2] = sum;
    if (group == 4199) out[3] = sum;
}
