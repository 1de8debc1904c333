// run: --kernel k --global 1 --arg out=uint[2] --arg x=float[1]:const=inf --print out
// prints: out: 2143289344 2147483648
// A loop of one iteration is its body: 0 * inf is NaN and 0 * -1 is -0, also where 0 is the loop's counter (OpenCL C §7.1).
// llvmpipe's compiler unrolls the loop, and folds the products to 0.
kernel void k(global uint *out, global const float *x) {
    for (uint i = 0; i < 1; i += 2) {
        float product = (float)i * x[0];
        out[0] = isnan(product) ? 0x7fc00000 : as_uint(product);
        if (x[0] > 0)
            out[1] = as_uint((float)i * -1.0f);
    }
}
