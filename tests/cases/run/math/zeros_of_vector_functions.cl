// run: --kernel k --global 1 --arg out=uint[5] --arg f=float:-1 --arg g=float:inf --print out
// prints: out: 0 0 2147483648 2147483648 2143289344
// A zero among the lanes of a function of a vector keeps its sign in sums and products (OpenCL C §7.1).
// llvmpipe takes the vector apart and finds the zero.
uint nan_or(float x) { return isnan(x) ? 0x7fc00000 : as_uint(x); }

kernel void k(global uint *out, float f, float g) {
    float3 v = fabs((float3)(0.0f, -0.0f, f));
    float3 difference = v - (float3)(0.0f, 1.0f, 0.0f);
    out[0] = as_uint(difference.x);
    out[1] = as_uint((v + (float3)(-0.0f, -0.0f, 0.0f)).y);
    float3 product = v * f;
    out[2] = as_uint(product.x);
    out[3] = as_uint(product.y);
    out[4] = nan_or((v * g).x);
}
