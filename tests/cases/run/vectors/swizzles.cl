// Swizzles as rvalues and lvalues: names, sN, hi/lo/even/odd, compound assignment (OpenCL C §6.3.7).
// run: --kernel k --global 1 --arg int4:1,2,3,4 --arg int4[9] --arg int8[2] --print out --print wide
// prints: out: (4, 3, 2, 1) (3, 4, 1, 2) (1, 1, 2, 2) (9, 2, 9, 4) (1, 12, 3, 24) (1, 2, 7, 8) (2, 1, 4, 3) (101, 2, 103, 4) (1, 5, 2, 6)
// prints: wide: (1, 2, 3, 4, 4, 3, 2, 1) (1, 3, 2, 4, 4, 2, 3, 1)
// no-diagnostics
kernel void k(int4 v, global int4 *out, global int8 *wide) {
    out[0] = v.wzyx;
    out[1] = (int4)(v.hi, v.lo);
    out[2] = v.xxyy;
    int4 a = v;
    a.xz = 9;
    out[3] = a;
    a = v;
    a.yw *= (int2)(6, 6);
    out[4] = a;
    a = v;
    a.hi = (int2)(7, 8);
    out[5] = a;
    a = v;
    a.even = v.odd, a.odd = v.even;
    out[6] = a;
    out[7] = v;
    out[7].s02 += 100;
    int16 w = 0;
    w.s0F5a = (int4)(1, 2, 5, 6);
    out[8] = w.s05fA;
    wide[0] = (int8)(v, v.s3210);
    wide[1].even = (int4)(v.xy, v.w, v.z);
    wide[1].odd = (int4)(v.z, v.w, v.y, v.x);
}
