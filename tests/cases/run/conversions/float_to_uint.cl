// float to uint: every rounding mode, truncation without one; _sat clamps, and gives 0 for NaN (OpenCL C §6.2.3.3).
// run: --kernel modes --global 10 --arg float[10]:values=0.5,1.5,2.5,0.25,3.5,4.5,0.75,3.75,100.25,100.75 --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1 2 0 3 4 0 3 100 100
// prints: rte: 0 2 2 0 4 4 1 4 100 101
// prints: rtz: 0 1 2 0 3 4 0 3 100 100
// prints: rtp: 1 2 3 1 4 5 1 4 101 101
// prints: rtn: 0 1 2 0 3 4 0 3 100 100
// run: --kernel sat --global 10 --arg float[10]:values=inf,-inf,nan,1e+30,-1e+30,3221225471.25,-3.25,8589934592.0,-1.0,7.5 --arg uint[10] --arg uint[10] --print z --print e
// prints: z: 4294967295 0 0 4294967295 0 3221225472 0 4294967295 0 7
// prints: e: 4294967295 0 0 4294967295 0 3221225472 0 4294967295 0 8
// no-diagnostics
kernel void modes(global const float *in, global uint *plain, global uint *rte, global uint *rtz, global uint *rtp, global uint *rtn) {
    size_t i = get_global_id(0);
    plain[i] = in[i];
    rte[i] = convert_uint_rte(in[i]);
    rtz[i] = convert_uint_rtz(in[i]);
    rtp[i] = convert_uint2_rtp((float2)(in[i])).y;
    rtn[i] = convert_uint_sat_rtn(in[i]);
}

kernel void sat(global const float *in, global uint *z, global uint *e) {
    size_t i = get_global_id(0);
    z[i] = convert_uint_sat(in[i]);
    e[i] = convert_uint4_sat_rte((float4)(in[i])).w;
}
