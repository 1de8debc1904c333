// no-diagnostics
// run: --kernel k --global 1 --arg out=float[4] --arg a=float:1.000244140625 --arg c=float:1.00048828125 --print out
// prints: out: 0 0 0 0
// FP_CONTRACT off in a function's block alone, and in a block of the kernel.
float helper(float a, float c) {
    #pragma OPENCL FP_CONTRACT OFF
    return a * a - c;
}
kernel void k(global float *out, float a, float c) {
    out[0] = helper(a, c);
    {
        #pragma OPENCL FP_CONTRACT OFF
        out[1] = a * a - c;
        float p = a * a;
        out[2] = p - c;
        out[3] = -c + a * a;
    }
}
