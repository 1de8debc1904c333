// no-diagnostics
// run: --kernel scalars --global 5 --arg float[5]:values=-0.0,0.0,-2.0,inf,nan --arg uint[50] --print out
// prints: out: 0 2147483648 0 0 2147483648 2143289344 2147483648 2143289344 0 0 0 0 0 0 0 2143289344 0 2143289344 0 0 3221225472 3221225472 3221225472 1073741824 3221225472 2147483648 2147483648 0 3221225472 3221225472 2139095040 2139095040 2139095040 4286578688 2139095040 0 2143289344 2147483648 2143289344 2139095040 2143289344 2143289344 2143289344 2143289344 2143289344 2143289344 2143289344 2143289344 2143289344 2143289344
// run: --kernel lanes --global 1 --arg float:-2 --arg uint[8] --print out
// prints: out: 2147483648 2147483648 0 3221225472 2147483648 3221225472 3221225472 2147483648
// What an operation with a constant 0 gives (IEEE 754 6.3, 7.2): a sum of zeros of both signs is 0, 0 / 0 and 0 * inf are NaNs, quotients and
// products have signs. llvmpipe takes them for what they are of real numbers.
uint bits(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }

kernel void scalars(global const float *in, global uint *out) {
    uint g = get_global_id(0);
    float x = in[g];
    global uint *o = out + 10 * g;
    o[0] = bits(x + 0.0f);
    o[1] = bits(x + -0.0f);
    o[2] = bits(x - -0.0f);
    o[3] = bits(0.0f - x);
    o[4] = bits(x * 1.0f - 0.0f);
    o[5] = bits(0.0f / x);
    o[6] = bits(x * 0.0f);
    o[7] = bits(-0.0f / x);
    o[8] = bits(fma(x, 0.0f, x) + 0.0f);
    o[9] = bits(fma(x, 1.0f, 0.0f));
}

kernel void lanes(float x, global uint *out) {
    float4 product = (float4)(x, 0.0f, x, x) * (float4)(0.0f, x, -0.0f, 1.0f);
    out[0] = bits(product.x);
    out[1] = bits(product.y);
    out[2] = bits(product.z);
    out[3] = bits(product.w);
    float2 quotient = (float2)(0.0f, x) / (float2)(x, 1.0f);
    out[4] = bits(quotient.x);
    out[5] = bits(quotient.y);
    float2 sum = (float2)(x * 0.0f, x) + (float2)(-0.0f, 0.0f);
    out[6] = bits(sum.y);
    out[7] = bits(sum.x);
}
