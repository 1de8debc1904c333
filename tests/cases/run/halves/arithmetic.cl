// Halves are an arithmetic type: sums, products, quotients and roots rounded once, comparisons, vectors of every width (cl_khr_fp16).
// run: --kernel k --global 1 --arg half:1.5 --arg half[8]:values=2048,1,0.1,-3,65504,6e-8,0.5,7 --arg ushort[16]:const=9 --arg int[4]:const=9 --print r --print n
// prints: r: 26624 26624 12042 51200 31744 0 16555 16 14336 18176 48896 10855 31744 16128 23520 16266
// prints: n: -1 0 -5 1
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// A difference that is fused with its product does not overflow.
#pragma OPENCL FP_CONTRACT OFF
kernel void k(half by_value, global const half *in, global ushort *r, global int *n) {
    half8 v = vload8(0, in);
    // 2048 + 1 is a tie: to even.
    r[0] = as_ushort((half)(v.s0 + v.s1));
    r[1] = as_ushort((half)(v.s0 + v.s1 * (half)0.5h));
    r[2] = as_ushort((half)(v.s2 * v.s2 + (half)0.1h));
    r[3] = as_ushort((half)(v.s3 * 8.0h / 3.0h));
    r[4] = as_ushort((half)(v.s4 + v.s4));
    r[5] = as_ushort((half)(v.s5 * v.s6));
    r[6] = as_ushort((half)(v.s7 / 3.0h));
    r[7] = as_ushort(by_value * v.s5 * 8.0h);
    half3 w = v.s670 < v.s012 ? v.s670 : v.s777;
    r[8] = as_ushort(w.x);
    r[9] = as_ushort(w.y);
    half16 wide = (half16)(v, -v);
    r[10] = as_ushort(wide.sf / 4.0h);
    r[11] = as_ushort(fma(v.s2, v.s2, (half)0.04h));
    r[12] = as_ushort(sqrt((half)INFINITY));
    r[13] = as_ushort(fabs(-v.s7) * 0.25h);
    r[14] = as_ushort((half)dot(v.s0123, (half4)(0.125h, 1.0h, 10.0h, 2.0h)));
    r[15] = as_ushort(length((half2)(v.s1, v.s1) * (half)1.333h));
    n[0] = all(isless(v.s23, v.s01)) ? -1 : 0;
    n[1] = v.s5 == 0.0h;
    n[2] = convert_int_rtn(v.s3 * 1.5h);
    n[3] = isnan(v.s4 - v.s4 * 2.0h + (half)INFINITY);
}
