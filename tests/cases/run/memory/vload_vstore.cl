// vloadn and vstoren need the alignment of an element only (OpenCL C §6.15.7).
// run: --kernel k --global 1 --local 1 --arg uchar[40]:range --arg uchar[24] --arg float[12] --print out --print f
// prints: out: 0 4 5 6 19 20 21 22 23 24 25 26 0 1 2 3 31 32 11 12 0 0 0 0
// prints: f: 0 1 2 3 0 0 7 8 9 0 3 4
// no-diagnostics
kernel void k(global const uchar *in, global uchar *out, global float *f) {
    vstore3(vload3(1, in + 1), 0, out + 1);
    vstore8(vload8(2, in + 3), 0, out + 4);
    local short l[8];
    l[0] = 1, l[1] = 2, l[2] = 3;
    vstore3(vload3(0, l), 1, l + 1);
    vstore2(convert_uchar2(vload2(1, l + 2) ), 0, out + 13);
    out[15] = l[6];
    uchar p[5] = { 9, 31, 32, 33, 34 };
    vstore2(vload2(0, p + 1), 8, out);
    out[13] = vload2(2, l).x;
    constant char *text = "\x0b\x0c";
    vstore2(vload2(0, (constant uchar *)text), 9, out);
    out[14] = l[5];
    vstore4((float4)(0, 1, 2, 3), 0, f);
    vstore3((float3)(7, 8, 9), 2, f);
    vstore2((float2)(3, 4), 5, f);
}
