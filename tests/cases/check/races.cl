// Uses of one place by several work-items, one of which writes, without a barrier between them.
// run: --check=races --kernel no_barrier --global 16 --local 8 --arg int[16]
// reports: 39 races: a read of 4 bytes of the __local variable 'x', and another work-item writes it without an order between them
// run: --check=races --kernel second_barrier --global 16 --local 8 --arg int[16] --arg local:32 --arg int:0
// reports: 48 races: a write of 4 bytes of the __local memory of argument 1 'y', and another work-item reads it without an order between them
// run: --check=1,races --kernel second_barrier --global 16 --local 8 --arg int[16] --arg local:32 --arg int:1 --print out
// prints: out: 2 3 0 1 6 7 4 5 2 3 0 1 6 7 4 5
// run: --check=races --kernel one_place --global 16 --local 8 --arg int[16]
// reports: 54 races: a write of 4 bytes of the buffer of argument 0 'out' (int*), and another work-item writes it without an order between them
// run: --check=1,races --kernel neighbours --global 16 --local 8 --arg int[32] --arg int:1 --print out
// prints: out: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14
// run: --check=races --kernel same_elements --global 16 --local 8 --arg int[16]
// reports: 131 races: a write of 4 bytes of the buffer of argument 0 'out' (int*), and another work-item writes it without an order between them
// (Groups run in any order: both uses of a race between groups stand in one line.)
// run: --check=races --kernel wrong_fence --global 16 --local 8 --arg int[32]
// reports: 70 races: a read of 4 bytes of the buffer of argument 0 'out' (int*), and another work-item writes it without an order between them
// run: --check=races --kernel plain_and_atomic --global 8 --local 8 --arg int[8]
// reports: 75 races: a write of 4 bytes of the buffer of argument 0 'out' (int*), and another work-item changes it by an atomic operation without an order between them
// run: --check=races --kernel read_beside_atomics --global 8 --local 8 --arg int[8]
// reports: 81 races: a read of 4 bytes of the buffer of argument 0 'out' (int*), and another work-item changes it by an atomic operation without an order between them
// run: --check=races --kernel cleared_beside_atomics --global 8 --local 8 --arg int[8]
// reports: 89 races: an atomic operation on 4 bytes of the buffer of argument 0 'out' (int*), and another work-item writes it without an order between them
// run: --check=1,races --kernel bytes --global 16 --local 8 --arg int[16] --print out
// prints: out: 1 0 3 2 5 4 7 6 1 0 3 2 5 4 7 6
// run: --check=1,races --kernel equal_values --global 16 --local 8 --arg int[4] --print out
// prints: out: 1 0 0 0
// run: --check=1,races --kernel counted --global 16 --local 8 --arg int[4] --print out
// prints: out: 4 4 4 4
// run: --check=1,races --kernel ordered_by_atomics --global 16 --local 8 --arg int[4] --arg int[4] --print out
// prints: out: 17 0 0 0
// run: --check=1,races --kernel many_barriers --global 8 --local 8 --arg int[8] --print out
// prints: out: 0 1 2 3 4 5 6 7

kernel void no_barrier(global int *out) {
    local int x[8];
    int l = get_local_id(0);
    x[l] = l;
    int
        y = x[l ^ 1];
    out[get_global_id(0)] = y;
}

kernel void second_barrier(global int *out, local int *y, int right) {
    int l = get_local_id(0); y[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = y[l ^ 2];
    if (right) barrier(CLK_LOCAL_MEM_FENCE);
    y[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = y[l];
}

kernel void one_place(global int *out) {
    out[0] = get_global_id(0);
}

kernel void neighbours(global int *out, int n) {
    int i = get_global_id(0);
    out[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int v = out[i ^ n];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i + 16] = v;
}

kernel void wrong_fence(global int *out) {
    int i = get_global_id(0);
    out[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = out[i ^ 1]; out[i + 16] = v;
}

kernel void plain_and_atomic(global int *out) {
    atomic_inc(out);
    if (get_local_id(0) == 3) out[0] = 3;
}

kernel void read_beside_atomics(global int *out) {
    atomic_inc(out);
    if (get_local_id(0) == 7)
        out[1] = out[0];
}

kernel void cleared_beside_atomics(global int *out) {
    if (get_global_id(0) == 0)
        out[0] = 0;
    // No barrier with CLK_GLOBAL_MEM_FENCE.

    atomic_inc(out);
}

kernel void bytes(global int *out) {
    local char x[8];
    int l = get_local_id(0);
    x[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x[l ^ 1];
}

kernel void equal_values(global int *out) {
    if (get_global_id(0) > 2) out[0] = 1;
}

kernel void counted(global int *out) {
    atomic_inc(out + get_local_id(0) % 4);
}

kernel void ordered_by_atomics(global int *out, volatile global int *done) {
    local int last;
    int l = get_local_id(0);
    if (l == 0) {
        out[1 + get_group_id(0)] = get_group_id(0) + 8;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(done);
        if (last == 1) { mem_fence(CLK_GLOBAL_MEM_FENCE); out[0] = out[1] + out[2]; out[1] = out[2] = 0; }
    }
}

kernel void many_barriers(global int *out) {
    local int x[8];
    int l = get_local_id(0);
    for (int i = 0; i < 1500; i++) {
        x[(l + i) & 7] = l;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[l] = l;
    out[l] = x[l];
}

kernel void same_elements(global int *out) {
    out[get_local_id(0)] = get_global_id(0);
}
