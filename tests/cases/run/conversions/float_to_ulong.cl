// float to ulong: every rounding mode, truncation without one; _sat clamps, and gives 0 for NaN (OpenCL C §6.2.3.3).
// run: --kernel modes --global 10 --arg float[10]:values=0.5,1.5,2.5,0.25,3.5,4.5,0.75,3.75,100.25,100.75 --arg ulong[10] --arg ulong[10] --arg ulong[10] --arg ulong[10] --arg ulong[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1 2 0 3 4 0 3 100 100
// prints: rte: 0 2 2 0 4 4 1 4 100 101
// prints: rtz: 0 1 2 0 3 4 0 3 100 100
// prints: rtp: 1 2 3 1 4 5 1 4 101 101
// prints: rtn: 0 1 2 0 3 4 0 3 100 100
// run: --kernel sat --global 10 --arg float[10]:values=inf,-inf,nan,1e+30,-1e+30,1.3835058055282164e+19,-3.25,3.6893488147419103e+19,-1.0,7.5 --arg ulong[10] --arg ulong[10] --print z --print e
// prints: z: 18446744073709551615 0 0 18446744073709551615 0 13835058055282163712 0 18446744073709551615 0 7
// prints: e: 18446744073709551615 0 0 18446744073709551615 0 13835058055282163712 0 18446744073709551615 0 8
// no-diagnostics
kernel void modes(global const float *in, global ulong *plain, global ulong *rte, global ulong *rtz, global ulong *rtp, global ulong *rtn) {
    size_t i = get_global_id(0);
    plain[i] = in[i];
    rte[i] = convert_ulong_rte(in[i]);
    rtz[i] = convert_ulong_rtz(in[i]);
    rtp[i] = convert_ulong2_rtp((float2)(in[i])).y;
    rtn[i] = convert_ulong_sat_rtn(in[i]);
}

kernel void sat(global const float *in, global ulong *z, global ulong *e) {
    size_t i = get_global_id(0);
    z[i] = convert_ulong_sat(in[i]);
    e[i] = convert_ulong4_sat_rte((float4)(in[i])).w;
}
