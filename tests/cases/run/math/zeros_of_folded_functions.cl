// no-diagnostics
// run: --kernel k --global 1 --arg out=uint[8] --arg f=float:-1 --print out
// prints: out: 2147483648 2147483648 2147483648 2147483648 2147483648 2147483648 0 2147483648
// A zero that a function of constants gives keeps its sign in a product: 0 * -1 is -0 (OpenCL C §7.1).
// llvmpipe's compiler folds the function, and then the product to 0.
kernel void k(global uint *out, float f) {
    out[0] = as_uint(trunc(0.25f) * f);
    out[1] = as_uint(floor(0.5f) * f);
    out[2] = as_uint(ceil(0.0f) * f);
    out[3] = as_uint(rint(0.5f) * f);
    out[4] = as_uint(fmin(0.0f, 1.0f) * f);
    out[5] = as_uint(fmax(0.0f, -1.0f) * f);
    out[6] = as_uint(ceil(-0.5f) * f);
    float2 v = trunc((float2)(0.5f, 0.25f)) * f;
    out[7] = as_uint(v.x) | as_uint(v.y);
}
