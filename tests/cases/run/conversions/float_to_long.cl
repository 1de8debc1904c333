// float to long: every rounding mode, truncation without one; _sat clamps, and gives 0 for NaN (OpenCL C §6.2.3.3).
// run: --kernel modes --global 10 --arg float[10]:values=0.5,1.5,2.5,-0.5,-1.5,-2.5,0.75,-0.75,100.25,-100.25 --arg long[10] --arg long[10] --arg long[10] --arg long[10] --arg long[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1 2 0 -1 -2 0 0 100 -100
// prints: rte: 0 2 2 0 -2 -2 1 -1 100 -100
// prints: rtz: 0 1 2 0 -1 -2 0 0 100 -100
// prints: rtp: 1 2 3 0 -1 -2 1 0 101 -100
// prints: rtn: 0 1 2 -1 -2 -3 0 -1 100 -101
// run: --kernel sat --global 10 --arg float[10]:values=inf,-inf,nan,1e+30,-1e+30,6.917529027641082e+18,-3.25,1.8446744073709552e+19,-1.8446744073709552e+19,7.5 --arg long[10] --arg long[10] --print z --print e
// prints: z: 9223372036854775807 -9223372036854775808 0 9223372036854775807 -9223372036854775808 6917529027641081856 -3 9223372036854775807 -9223372036854775808 7
// prints: e: 9223372036854775807 -9223372036854775808 0 9223372036854775807 -9223372036854775808 6917529027641081856 -3 9223372036854775807 -9223372036854775808 8
// no-diagnostics
kernel void modes(global const float *in, global long *plain, global long *rte, global long *rtz, global long *rtp, global long *rtn) {
    size_t i = get_global_id(0);
    plain[i] = in[i];
    rte[i] = convert_long_rte(in[i]);
    rtz[i] = convert_long_rtz(in[i]);
    rtp[i] = convert_long2_rtp((float2)(in[i])).y;
    rtn[i] = convert_long_sat_rtn(in[i]);
}

kernel void sat(global const float *in, global long *z, global long *e) {
    size_t i = get_global_id(0);
    z[i] = convert_long_sat(in[i]);
    e[i] = convert_long4_sat_rte((float4)(in[i])).w;
}
