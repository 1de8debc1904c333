// uint to float: rounded to nearest even without a mode, and in every mode (OpenCL C §6.2.3.2); the bits are printed.
// run: --kernel k --global 10 --arg uint[10]:values=0,1,4294967295,0,16777217,16777219,33554434,4294967294,1431655765,613566756 --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --arg uint[10] --print plain --print rte --print rtz --print rtp --print rtn
// prints: plain: 0 1065353216 1333788672 0 1266679808 1266679810 1275068416 1333788672 1319807659 1309821221
// prints: rte: 0 1065353216 1333788672 0 1266679808 1266679810 1275068416 1333788672 1319807659 1309821221
// prints: rtz: 0 1065353216 1333788671 0 1266679808 1266679809 1275068416 1333788671 1319807658 1309821220
// prints: rtp: 0 1065353216 1333788672 0 1266679809 1266679810 1275068417 1333788672 1319807659 1309821221
// prints: rtn: 0 1065353216 1333788671 0 1266679808 1266679809 1275068416 1333788671 1319807658 1309821220
// no-diagnostics
kernel void k(global const uint *in, global uint *plain, global uint *rte, global uint *rtz, global uint *rtp, global uint *rtn) {
    size_t i = get_global_id(0);
    plain[i] = as_uint((float)in[i]);
    rte[i] = as_uint(convert_float_rte(in[i]));
    rtz[i] = as_uint(convert_float_rtz(in[i]));
    rtp[i] = as_uint(convert_float_rtp(in[i]));
    rtn[i] = as_uint(convert_float_rtn(in[i]));
}
