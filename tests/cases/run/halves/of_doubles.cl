// Doubles that a float rounds to the middle between two halves: they are rounded once (llvmpipe goes by way of float).
// features: cl_khr_fp64
// run: --kernel k --global 4 --arg double[4]:values=2049.0000000000005,2045.4999999999998,2049,-2051.0000000000005 --arg ushort[4] --arg ushort[4] --arg ushort[8] --print rte --print cast --print wide
// prints: rte: 26625 26621 26624 59394
// prints: cast: 26625 26621 26624 59394
// prints: wide: 26625 26625 26621 26621 26624 26624 59394 59394
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const double *in, global ushort *rte, global ushort *cast, global ushort *wide) {
    size_t i = get_global_id(0);
    rte[i] = as_ushort(convert_half_rte(in[i]));
    cast[i] = as_ushort((half)in[i]);
    vstore2(as_ushort2(convert_half2((double2)(in[i]))), i, wide);
}
