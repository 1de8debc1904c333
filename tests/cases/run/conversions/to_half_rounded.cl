// Integers and floats to half in every rounding mode: what is beyond the largest half too (OpenCL C §6.2.3.2).
// run: --kernel k --global 7 --arg uint[7]:values=1,2049,2051,65504,65519,65535,4000000000 --arg ushort[7] --arg ushort[7] --arg ushort[7] --arg ushort[7] --print rte --print rtz --print rtp --print rtn
// prints: rte: 15360 26624 26626 31743 31743 31744 31744
// prints: rtz: 15360 26624 26625 31743 31743 31743 31743
// prints: rtp: 15360 26625 26626 31743 31744 31744 31744
// prints: rtn: 15360 26624 26625 31743 31743 31743 31743
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const uint *in, global ushort *rte, global ushort *rtz, global ushort *rtp, global ushort *rtn) {
    size_t i = get_global_id(0);
    rte[i] = as_ushort(convert_half(in[i]));
    rtz[i] = as_ushort(convert_half_rtz(in[i]));
    rtp[i] = as_ushort(convert_half_rtp((float)in[i]));
    rtn[i] = as_ushort2(convert_half2_rtn((long2)(in[i], 0))).x;
}
