// no-diagnostics
// Long loops before, around and between barriers, in work-groups of several sizes. Where Mesa's llvmpipe before version 25 would end them,
// one vector runs a work-group, and goes on in other launches.
// run: --kernel divergent --global 18 --local 9 --arg uint[1]:values=30000 --arg uint[18] --print out
// prints: out: 120000 150000 180000 210000 240000 270000 300000 120000 150000 120000 150000 180000 210000 240000 270000 300000 120000 150000
// or-fails[masked]: the driver ended loops
// run: --kernel sums --global 6,4 --local 3,2 --arg uint[2]:values=40000,9 --arg local:24 --arg uint[4] --print out
// prints: out: 5670000 11340000 17010000 22680000
// or-fails[masked]: the driver ended loops
// run: --kernel counts --global 20 --local 20 --arg uint[1]:values=35000 --arg uint[20] --print out
// prints: out: 6650000 6650035 6650070 6650105 6650140 6650175 6650210 6650245 6650280 6650315 6650350 6650385 6650420 6650455 6650490 6650525 6650560 6650595 6650630 6650665
// or-fails[masked]: the driver ended loops
// run: --kernel arrays --global 10 --local 5 --arg uint[1]:values=70000 --arg uint[10] --print out
// prints: out: 70000 70000 70000 70000 70000 70000 70000 70000 70000 70000
// or-fails[masked]: the driver ended loops
// run: --kernel before --global 2 --local 2 --arg uint[2]:values=2000000,1500000 --arg uint[1] --print out
// prints: out: 3500000
// or-fails[masked]: the driver ended loops
kernel void divergent(global const uint *n, global uint *out) {
    local uint seen[9];
    uint own = get_local_id(0), x = 0, wrong = 0;
    for (uint i = 0; i < n[0]; i++) {
        for (uint j = 0; j < 4 + own % 7; j++) x++;
        seen[own] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        wrong += seen[(own + 1) % 9] != i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x + wrong * 1000000000;
}
kernel void sums(global const uint *n, local uint *values, global uint *out) {
    uint own = get_local_id(1) * 3 + get_local_id(0), group = get_group_id(1) * 2 + get_group_id(0), sum = 0;
    for (uint i = 0; i < n[0]; i++) {
        if (i % 4 == 3) continue;
        values[own] = (group + 1) * (own + 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (own == 0)
            for (uint j = 0; j < 6; j++) sum += values[j] * n[1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (own == 0) out[group] = sum;
}
kernel void counts(global const uint *n, global uint *out) {
    local uint count;
    uint own = get_local_id(0), sum = 0;
    for (uint i = 0; i < n[0]; i++) {
        if (own == 0) count = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&count, own);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += count;
        if (i % 1000 == 0) sum += own;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[own] = sum;
}
kernel void arrays(global const uint *n, global uint *out) {
    local uint next[5];
    uint own = get_local_id(0), table[3] = {0, 0, 0};
    for (uint i = 0; i < n[0]; i++) {
        table[(i + own) % 3]++;
        next[own] = table[i % 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (next[(own + 3) % 5] > i + 1) table[0] += 1000000;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = table[0] + table[1] + table[2];
}
kernel void before(global const uint *n, global uint *out) {
    local uint counts[2];
    uint own = get_local_id(0), x = own, i = 0;
    while (i != n[own]) {
        x = x * 1664525u + i;
        i++;
    }
    counts[own] = i + (x == 77);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own == 0) out[0] = counts[0] + counts[1];
}
