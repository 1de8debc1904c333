// float to uchar: every rounding mode, truncation without one; _sat clamps, and gives 0 for NaN (OpenCL C §6.2.3.3).
// run: --kernel modes --global 10 --arg float[10]:values=0.5,1.5,2.5,0.25,3.5,4.5,0.75,3.75,100.25,100.75 --arg uchar[10] --arg uchar[10] --arg uchar[10] --arg uchar[10] --arg uchar[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1 2 0 3 4 0 3 100 100
// prints: rte: 0 2 2 0 4 4 1 4 100 101
// prints: rtz: 0 1 2 0 3 4 0 3 100 100
// prints: rtp: 1 2 3 1 4 5 1 4 101 101
// prints: rtn: 0 1 2 0 3 4 0 3 100 100
// run: --kernel sat --global 10 --arg float[10]:values=inf,-inf,nan,1e+30,-1e+30,191.25,-3.25,512.0,-1.0,7.5 --arg uchar[10] --arg uchar[10] --print z --print e
// prints: z: 255 0 0 255 0 191 0 255 0 7
// prints: e: 255 0 0 255 0 191 0 255 0 8
// no-diagnostics
kernel void modes(global const float *in, global uchar *plain, global uchar *rte, global uchar *rtz, global uchar *rtp, global uchar *rtn) {
    size_t i = get_global_id(0);
    plain[i] = in[i];
    rte[i] = convert_uchar_rte(in[i]);
    rtz[i] = convert_uchar_rtz(in[i]);
    rtp[i] = convert_uchar2_rtp((float2)(in[i])).y;
    rtn[i] = convert_uchar_sat_rtn(in[i]);
}

kernel void sat(global const float *in, global uchar *z, global uchar *e) {
    size_t i = get_global_id(0);
    z[i] = convert_uchar_sat(in[i]);
    e[i] = convert_uchar4_sat_rte((float4)(in[i])).w;
}
