// long to float: rounded to nearest even without a mode, and in every mode (OpenCL C §6.2.3.2); the bits are printed.
// run: --kernel k --global 10 --arg long[10]:values=0,1,9223372036854775807,-9223372036854775808,16777217,16777219,33554434,9223372036854775806,-16777217,-16777219 --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1065353216 1593835520 3741319168 1266679808 1266679810 1275068416 1593835520 3414163456 3414163458
// prints: rte: 0 1065353216 1593835520 3741319168 1266679808 1266679810 1275068416 1593835520 3414163456 3414163458
// prints: rtz: 0 1065353216 1593835519 3741319168 1266679808 1266679809 1275068416 1593835519 3414163456 3414163457
// prints: rtp: 0 1065353216 1593835520 3741319168 1266679809 1266679810 1275068417 1593835520 3414163456 3414163457
// prints: rtn: 0 1065353216 1593835519 3741319168 1266679808 1266679809 1275068416 1593835519 3414163457 3414163458
// no-diagnostics
kernel void k(global const long *in, global uint *plain, global uint *rte, global uint *rtz, global uint *rtp, global uint *rtn) {
    size_t i = get_global_id(0);
    plain[i] = as_uint((float)in[i]);
    rte[i] = as_uint(convert_float_rte(in[i]));
    rtz[i] = as_uint(convert_float_rtz(in[i]));
    rtp[i] = as_uint(convert_float_rtp(in[i]));
    rtn[i] = as_uint(convert_float_rtn(in[i]));
}
