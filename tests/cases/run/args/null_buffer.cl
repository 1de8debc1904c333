// A NULL buffer argument is a null pointer that the kernel may test (OpenCL API, clSetKernelArg).
// run: --kernel k --global 2 --arg null --arg int[2]:range=5 --arg int[2] --print out
// prints: out: 5 6
// run: --kernel k --global 2 --arg int[2]:range=1 --arg int[2]:range=5 --arg int[2] --print out
// prints: out: 6 8
// no-diagnostics
kernel void k(global const int *bias, constant int *in, global int *out) {
    int i = get_global_id(0);
    out[i] = in[i] + (bias ? bias[i] : 0);
}
