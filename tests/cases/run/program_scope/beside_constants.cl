// A work-item reads what it wrote, beside memory that nothing writes: NVIDIA's driver (580) mistakes buffers for such where a neighbour is NonWritable.
// options: -cl-std=CL3.0
// features: __opencl_c_program_scope_global_variables
// run: --kernel k --global 4 --local 2 --arg uint[8]:range=1 --arg uint[4]:range=10 --print out --print in
// prints: out: 6 17 10 21 14 25 18 29
// prints: in: 10 11 12 13
// no-diagnostics
constant uint c[4] = {5u, 6u, 7u, 8u};
constant uint *constant table[4] = {c, c + 1, c + 2, c + 3};
global uint kept[4] = {6u, 14u, 0u, 9u};
global uint zero[4] = {0};

kernel void k(global uint *out, global uint *in) {
    uint i = get_global_id(0);
    global uint *o = out + 2 * i, *z = zero + i, *g = kept + i;
    if (o != z) {
        *o ^= *z;
        *z ^= *o;
        *o ^= *z;
    }
    *g = z[0];
    atomic_and(g, 0xffffffffu);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    o[0] = *g + *table[i] + i;
    o[1] += *z + c[i] + in[i] - *g;
}
