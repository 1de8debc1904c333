// no-diagnostics
// run: --kernel ones --global 3 --arg float[3]:values=1,-0.0,nan --arg uint[36] --print out
// prints: out: 1065353216 2147483648 3212836864 0 1065353216 3212836864 1065353216 0 0 1065353216 2147483648 1073741824 2147483648 1065353216 0 3212836864 0 2147483648 2147483648 3212836864 3212836864 2147483648 1065353216 3221225472 2147483648 1065353216 0 3212836864 0 2147483648 2147483648 3212836864 3212836864 2147483648 1065353216 3221225472
// run: --kernel roots --global 5 --arg float[5]:values=nan,-0.0,-4,0,4 --arg uint[15] --print out
// prints: out: 2143289344 2143289344 2143289344 2147483648 2147483648 2147483648 0 0 0 0 0 0 1073741824 1073741824 1073741824
// run: --kernel elements --global 1 --arg uint[1]:values=5 --arg uint:13 --arg uint[2] --print out
// prints: out: 2147483648 0
// A constant zero that is chosen keeps its sign, and a NaN is chosen where a comparison with it is false (OpenCL C 6.3.i: the second or third operand is the
// result). Mesa's drivers (22.3, 25.0) do not look at the zero's sign beside a 1 or -1, of integers neither, and make sqrt(max(x, 0)) of the last;
// NVIDIA's (580) made 0 of the -0 that is an element of a private array.
uint bits(float x) { return isnan(x) ? 0x7fc00000u : as_uint(x); }

kernel void ones(global const float *in, global uint *out) {
    uint g = get_global_id(0);
    float x = in[g];
    bool c = x > 0.5f;
    global uint *o = out + 12 * g;
    o[0] = as_uint(c ? 1.0f : -0.0f);
    o[1] = as_uint(c ? -0.0f : 1.0f);
    o[2] = as_uint(c ? -1.0f : 0.0f);
    o[3] = as_uint(c ? 0.0f : -1.0f);
    o[4] = as_uint(c ? 1.0f : 0.0f);
    o[5] = as_uint(c ? -1.0f : -0.0f);
    o[6] = c ? 0x3f800000u : 0x80000000u;
    o[7] = c ? 0u : 0xbf800000u;
    float branch = 0.0f;
    if (!c) branch = -1.0f;
    o[8] = as_uint(branch);
    float2 lanes = c ? (float2)(1.0f, -0.0f) : (float2)(-0.0f, 1.0f);
    o[9] = as_uint(lanes.x);
    o[10] = as_uint(lanes.y);
    o[11] = as_uint(copysign(2.0f, c ? 1.0f : -0.0f));
}

kernel void roots(global const float *in, global uint *out) {
    uint g = get_global_id(0);
    float x = in[g], branch;
    out[3 * g] = bits(x < 0.0f ? 0.0f : sqrt(x));
    out[3 * g + 1] = bits(!(x < 0.0f) ? native_sqrt(x) : 0.0f);
    if (x < 0.0f) branch = 0.0f; else branch = sqrt(x);
    out[3 * g + 2] = bits(branch);
}

kernel void elements(global const uint *in, uint n, global uint *out) {
    float v[16] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, in[0] == 0u ? -1.0f : -0.0f, 0.0f, 0.0f};
    out[0] = as_uint(v[n & 15u]);
    out[1] = as_uint(v[(n + 1u) & 15u]);
}
