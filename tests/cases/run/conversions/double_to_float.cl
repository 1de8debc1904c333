// double to float in every rounding mode: a denormal, a tie, overflow and what is exact (OpenCL C §6.2.3.2).
// run: --kernel k --global 10 --arg double[10]:values=0.1,-0.1,1e300,-1e300,1e-300,-1e-300,16777217,-16777217,0.5,inf --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --print rte --print rtz --print rtp --print rtn
// prints: rte: 1036831949 3184315597 2139095040 4286578688 0 2147483648 1266679808 3414163456 1056964608 2139095040
// prints: rtz: 1036831948 3184315596 2139095039 4286578687 0 2147483648 1266679808 3414163456 1056964608 2139095040
// prints: rtp: 1036831949 3184315596 2139095040 4286578687 1 2147483648 1266679809 3414163456 1056964608 2139095040
// prints: rtn: 1036831948 3184315597 2139095039 4286578688 0 2147483649 1266679808 3414163457 1056964608 2139095040
// no-diagnostics
kernel void k(global const double *in, global uint *rte, global uint *rtz, global uint *rtp, global uint *rtn) {
    size_t i = get_global_id(0);
    rte[i] = as_uint((float)in[i]);
    rtz[i] = as_uint(convert_float_rtz(in[i]));
    rtp[i] = as_uint2(convert_float2_rtp((double2)(in[i], 1.0))).x;
    rtn[i] = as_uint(convert_float_rtn(in[i]));
}
