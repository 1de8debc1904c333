// no-diagnostics
// One __local array whose elements of 64 bits have atomics, and whose words are stored, loaded, and have atomics, too.
// run: --kernel k --global 64 --local 64 --arg uint[64]:range --arg ulong[4] --arg uint[8] --arg uint[8] --print sums --print words --print counts
// prints: sums: 480 496 512 528
// prints: words: 480 0 496 0 512 0 528 0
// prints: counts: 8 8 8 8 8 8 8 8
// refused: 64-bit
// run: --kernel halves --global 64 --local 64 --arg int[8] --arg ulong[4] --print out --print both
// prints: out: 64 -64 63 0 -1 7 2016 63
// prints: both: 18446743798831644736 63 34359738367 270582941664
// refused: 64-bit
// run: --kernel floats --global 32 --local 32 --arg float[32]:range --arg double[4] --arg uint[4] --print sums --print counts
// prints: sums: 112 120 128 136
// prints: counts: 8 8 8 8
// refused: fp64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(global const uint *x, global ulong *sums, global uint *words, global uint *counts) {
    local ulong memory[8];
    local uint *w = (local uint *)memory;
    uint id = get_local_id(0);
    if (id < 16) w[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&memory[id & 3], (ulong)x[id]);
    atomic_inc(&w[8 + (id & 7)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 4) sums[id] = memory[id];
    if (id < 8) words[id] = w[id], counts[id] = w[8 + id];
}

// Each operation on both halves; neither carries into the other.
kernel void halves(global int *out, global ulong *both) {
    local ulong memory[4];
    local int *w = (local int *)memory;
    int id = get_local_id(0);
    if (id < 4) memory[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) atom_xchg(&memory[1], 0ul), w[4] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&w[0], 1);
    atomic_sub(&w[1], 1);
    atomic_max(&w[2], id);
    atomic_min(&w[3], id);
    atomic_and(&w[4], -1);
    atomic_or(&w[5], id & 7);
    atomic_add(&w[6], id);
    atomic_cmpxchg(&w[7], 0, 62);
    if (atomic_cmpxchg(&w[7], 62, 63) == 0) w[7] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 8) out[id] = w[id];
    if (id < 4) both[id] = memory[id];
}

// Sums of doubles by compare-exchange, counted beside them.
void add(local ulong *at, double value) {
    ulong expected, now = *at;
    do {
        expected = now;
        now = atom_cmpxchg(at, expected, as_ulong(as_double(expected) + value));
    } while (now != expected);
}

kernel void floats(global const float *x, global double *sums, global uint *counts) {
    local ulong memory[6];
    local uint *w = (local uint *)memory;
    uint id = get_local_id(0);
    if (id < 12) w[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    add(&memory[id & 3], x[id]);
    atomic_inc(&w[8 + (id & 3)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 4) sums[id] = ((local double *)memory)[id], counts[id] = w[8 + id];
}
