// no-diagnostics
// Fences twice in a loop that work-items leave at different times: none of them meets the others there.
// run: --kernel k --global 32 --local 32 --arg float[48]:range --arg float[32] --print out
// prints: out: 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
kernel void k(global const float *x, global float *out) {
    float energy = 0;
    for (uint i = get_global_id(0); i < 48; i += get_global_size(0)) {
        energy += x[i];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        read_mem_fence(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = energy;
}
