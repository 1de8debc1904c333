// float to ushort: every rounding mode, truncation without one; _sat clamps, and gives 0 for NaN (OpenCL C §6.2.3.3).
// run: --kernel modes --global 10 --arg float[10]:values=0.5,1.5,2.5,0.25,3.5,4.5,0.75,3.75,100.25,100.75 --arg ushort[10] --arg ushort[10] --arg ushort[10] --arg ushort[10] --arg ushort[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1 2 0 3 4 0 3 100 100
// prints: rte: 0 2 2 0 4 4 1 4 100 101
// prints: rtz: 0 1 2 0 3 4 0 3 100 100
// prints: rtp: 1 2 3 1 4 5 1 4 101 101
// prints: rtn: 0 1 2 0 3 4 0 3 100 100
// run: --kernel sat --global 10 --arg float[10]:values=inf,-inf,nan,1e+30,-1e+30,49151.25,-3.25,131072.0,-1.0,7.5 --arg ushort[10] --arg ushort[10] --print z --print e
// prints: z: 65535 0 0 65535 0 49151 0 65535 0 7
// prints: e: 65535 0 0 65535 0 49151 0 65535 0 8
// no-diagnostics
kernel void modes(global const float *in, global ushort *plain, global ushort *rte, global ushort *rtz, global ushort *rtp, global ushort *rtn) {
    size_t i = get_global_id(0);
    plain[i] = in[i];
    rte[i] = convert_ushort_rte(in[i]);
    rtz[i] = convert_ushort_rtz(in[i]);
    rtp[i] = convert_ushort2_rtp((float2)(in[i])).y;
    rtn[i] = convert_ushort_sat_rtn(in[i]);
}

kernel void sat(global const float *in, global ushort *z, global ushort *e) {
    size_t i = get_global_id(0);
    z[i] = convert_ushort_sat(in[i]);
    e[i] = convert_ushort4_sat_rte((float4)(in[i])).w;
}
