// Halves in memory without cl_khr_fp16 arithmetic: vload_half, vstore_half with rounding modes (OpenCL C §6.15.7).
// run: --kernel k --global 1 --local 1 --arg ushort[16]:values=0,15360,16384,49152,31744,64512,1,1024,31743,13653,14336,1,2,3,4,5 --arg float[16] --arg ushort[16] --print f --print out
// prints: f: 0 1 2 -2 inf -inf 0.00000005960464477539063 0.00006103515625 65504 0.333251953125 0.5 1 2 -2 0 0
// prints: out: 15360 13653 13653 13654 13653 31744 31743 31744 1 0 16896 16897 16898 16899 32768 0
// no-diagnostics
kernel void k(global const ushort *in, global float *f, global ushort *out) {
    global const half *h = (global const half *)in;
    for (int i = 0; i < 8; i++)
        f[i] = vload_half(i, h);
    vstore2(vload_half2(4, h), 4, f);
    f[10] = vload_half(10, h);
    float3 v = vload_half3(0, h + 1);
    vstore3(v, 0, f + 11);
    global half *o = (global half *)out;
    float third = 1.0f / 3.0f;
    vstore_half(1.0f, 0, o);
    vstore_half(third, 1, o);
    vstore_half_rtz(third, 2, o);
    vstore_half_rtp(third, 3, o);
    vstore_half_rtn(third, 4, o);
    vstore_half(70000.0f, 5, o);
    vstore_half_rtz(70000.0f, 6, o);
    vstore_half_rtp(70000.0f, 7, o);
    vstore_half_rtp(1e-10f, 8, o);
    vstore_half(1e-10f, 9, o);
    vstore_half4((float4)(3.0f, 3.001953125f, 3.00390625f, 3.005859375f), 0, o + 10);
    local half l[2];
    vstore_half(-0.0f, 1, l);
    vstore_half(vload_half(1, l), 14, o);
}
