// ulong to float: rounded to nearest even without a mode, and in every mode (OpenCL C §6.2.3.2); the bits are printed.
// run: --kernel k --global 10 --arg ulong[10]:values=0,1,18446744073709551615,0,16777217,16777219,33554434,18446744073709551614,6148914691236517205,2635249153387078802 --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1065353216 1602224128 0 1266679808 1266679810 1275068416 1602224128 1588243115 1578256677
// prints: rte: 0 1065353216 1602224128 0 1266679808 1266679810 1275068416 1602224128 1588243115 1578256677
// prints: rtz: 0 1065353216 1602224127 0 1266679808 1266679809 1275068416 1602224127 1588243114 1578256676
// prints: rtp: 0 1065353216 1602224128 0 1266679809 1266679810 1275068417 1602224128 1588243115 1578256677
// prints: rtn: 0 1065353216 1602224127 0 1266679808 1266679809 1275068416 1602224127 1588243114 1578256676
// no-diagnostics
kernel void k(global const ulong *in, global uint *plain, global uint *rte, global uint *rtz, global uint *rtp, global uint *rtn) {
    size_t i = get_global_id(0);
    plain[i] = as_uint((float)in[i]);
    rte[i] = as_uint(convert_float_rte(in[i]));
    rtz[i] = as_uint(convert_float_rtz(in[i]));
    rtp[i] = as_uint(convert_float_rtp(in[i]));
    rtn[i] = as_uint(convert_float_rtn(in[i]));
}
