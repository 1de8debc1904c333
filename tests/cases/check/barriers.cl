// Barriers that not all work-items of a work-group reach.
// run: --check --kernel branch --global 16 --local 8 --arg int[16] --print out
// reports: 22 barriers: a barrier that 4 of the 8 work-items of a work-group reach
// prints: out: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// run: --check --kernel returns --global 16 --local 8 --arg int[16] --arg int:12 --print out
// reports: 29 barriers: a barrier that 4 of the 8 work-items of a work-group reach
// prints: out: 28 28 28 28 28 28 28 28 0 0 0 0 0 0 0 0
// run: --check --kernel returns --global 16 --local 8 --arg int[16] --arg int:16 --print out
// prints: out: 28 28 28 28 28 28 28 28 92 92 92 92 92 92 92 92
// run: --check --kernel loop --global 16 --local 8 --arg int[16] --print out
// prints: out: 6 7 4 5 2 3 0 1 14 15 12 13 10 11 8 9
// run: --check --kernel flags --global 16 --local 8 --arg int[16] --arg int:4 --print out
// reports: 54 barriers: a barrier whose flags are not the same in all work-items of a work-group
// prints: out: 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14
// run: --check=1,races --kernel flags --global 16 --local 8 --arg int[16] --arg int:8 --print out
// prints: out: 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14
// run: --check=1,races --kernel full --global 8 --local 8 --arg int[8] --print out
// prints: out: 7 6 5 4 3 2 1 0
kernel void branch(global int *out) {
    int l = get_local_id(0);
    if (l < 4)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = get_global_id(0);
}

kernel void returns(global int *out, int n) {
    local int sum[8];
    int g = get_global_id(0), l = get_local_id(0); if (g >= n) return; sum[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n == 12 && g >= 8) return;
    int s = 0;
    for (int i = 0; i < 8; i++) s += sum[i];
    out[g] = s;
}

kernel void loop(global int *out) {
    local int x[8];
    int l = get_local_id(0);
    x[l] = get_global_id(0);
    for (int k = 0; k < 7; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = x[l ^ (k & 1)];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[l] = next;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[l ^ 1 ^ 6];
}

kernel void flags(global int *out, int n) {
    local int x[8];
    int l = get_local_id(0);
    x[l] = get_global_id(0);
    barrier(l < n ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = x[l ^ 1];
}

// No `__local` memory is left for the checks of barriers, on a device with 32 KiB.
kernel void full(global int *out) {
    local int x[8192];
    int l = get_local_id(0);
    x[l * 1024] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[(7 - l) * 1024];
}
