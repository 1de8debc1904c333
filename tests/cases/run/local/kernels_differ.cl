// Kernels of one program whose local arguments have other types.
// run: --kernel two --global 2 --local 2 --arg float[2] --arg local:16 --print out
// prints: out: 5 3
// run: --kernel one --global 2 --local 2 --arg float[2] --arg local:8 --print out
// prints: out: 1 0
// no-diagnostics
kernel void one(global float *out, local float *scratch) {
    int i = get_local_id(0);
    scratch[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[1 - i];
}
kernel void two(global float *out, local float2 *scratch) {
    int i = get_local_id(0);
    scratch[i] = (float2)(i + 1, i + 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[1 - i].x + scratch[1 - i].y;
}
