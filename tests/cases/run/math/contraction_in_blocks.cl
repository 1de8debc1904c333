// no-diagnostics
// run: --kernel k --global 1 --arg out=float[12] --arg a=float:1.000244140625 --arg c=float:1.00048828125 --print out
// prints: out: 0 0 0 0 0 0 0 0 0 0 0 0
// FP_CONTRACT off in a function's block alone, in a part of the file, and in a block of the kernel.
float helper(float a, float c) {
    #pragma OPENCL FP_CONTRACT OFF
    return a * a - c;
}
float compound(float a, float c) {
    #pragma OPENCL FP_CONTRACT OFF
    float s = -c;
    s += a * a;
    return s;
}
#pragma OPENCL FP_CONTRACT OFF
float in_the_file(float a, float c) { return c > 1.0f ? a * a - c : c - a * a; }
#pragma OPENCL FP_CONTRACT ON
float same(float x) { return x; }
kernel void k(global float *out, float a, float c) {
    out[0] = helper(a, c);
    out[4] = compound(a, c);
    out[5] = in_the_file(a, c);
    {
        #pragma OPENCL FP_CONTRACT OFF
        out[1] = a * a - c;
        float p = a * a;
        out[2] = p - c;
        out[3] = -c + a * a;
        float s = -c;
        s += a * a;
        out[6] = s;
        out[7] = c > 1.0f ? a * a - c : 1.0f;
        out[8] = (s = 0.0f, a * a - c);
        out[9] = same(a * a - c);
        out[10] = same(a * a) - c;
        float2 v = (float2)(a, a) * a - c;
        out[11] = v.x + v.y;
    }
}
