// float to short: every rounding mode, truncation without one; _sat clamps, and gives 0 for NaN (OpenCL C §6.2.3.3).
// run: --kernel modes --global 10 --arg float[10]:values=0.5,1.5,2.5,-0.5,-1.5,-2.5,0.75,-0.75,100.25,-100.25 --arg short[10] --arg short[10] --arg short[10] --arg short[10] --arg short[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1 2 0 -1 -2 0 0 100 -100
// prints: rte: 0 2 2 0 -2 -2 1 -1 100 -100
// prints: rtz: 0 1 2 0 -1 -2 0 0 100 -100
// prints: rtp: 1 2 3 0 -1 -2 1 0 101 -100
// prints: rtn: 0 1 2 -1 -2 -3 0 -1 100 -101
// run: --kernel sat --global 10 --arg float[10]:values=inf,-inf,nan,1e+30,-1e+30,24575.25,-3.25,65536.0,-65537.0,7.5 --arg short[10] --arg short[10] --print z --print e
// prints: z: 32767 -32768 0 32767 -32768 24575 -3 32767 -32768 7
// prints: e: 32767 -32768 0 32767 -32768 24575 -3 32767 -32768 8
// no-diagnostics
kernel void modes(global const float *in, global short *plain, global short *rte, global short *rtz, global short *rtp, global short *rtn) {
    size_t i = get_global_id(0);
    plain[i] = in[i];
    rte[i] = convert_short_rte(in[i]);
    rtz[i] = convert_short_rtz(in[i]);
    rtp[i] = convert_short2_rtp((float2)(in[i])).y;
    rtn[i] = convert_short_sat_rtn(in[i]);
}

kernel void sat(global const float *in, global short *z, global short *e) {
    size_t i = get_global_id(0);
    z[i] = convert_short_sat(in[i]);
    e[i] = convert_short4_sat_rte((float4)(in[i])).w;
}
