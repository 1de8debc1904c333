// no-diagnostics
// run: --kernel k --global 1 --arg o=long[8] --arg x=long[2]:values=16777219,-36028797018963977 --print o
// prints: o: 16777220 16777220 16777220 -36028797018963968 16777220 0 -36028797018963968 36028797018963968
// Integers that go through a float are rounded there (OpenCL C §6.2.3.3, §6.4): Mesa's drivers gave the integers themselves in modules without floats of the
// integers' size (found by random programs).
kernel void k(global long *o, global const long *x) {
    o[0] = (long)(float)x[0];
    o[1] = (ulong)(float)(ulong)x[0];
    o[2] = convert_long2((float2)(x[0], x[1])).x;
    o[3] = convert_long2((float2)(x[0], x[1])).y;
    o[4] = convert_long_sat((float)x[0]);
    o[5] = convert_ulong_sat((float)x[1]);
    float f = x[1];
    o[6] = (long)f;
    o[7] = (long)-f;
}
