// no-diagnostics
// run: --kernel integers --global 4 --arg uint[4]:values=963529787,16777217,4294967295,7 --arg uint[4] --arg int[4]:values=-16777217,33554435,7,-963529787 --arg int[4] --print out --print iout
// prints: out: 963529792 16777216 4294967295 7
// prints: iout: -16777216 33554436 7 -963529792
// What a number is rounded to on its way is what it is from then on (OpenCL C 6.4.3.3): a driver may not take the integer back for what the
// float was made of. Mesa does, where a module does not ask for SignedZeroInfNanPreserve.
kernel void integers(global const uint *in, global uint *out, global const int *iin, global int *iout) {
    size_t g = get_global_id(0);
    float f = (float)in[g];
    out[g] = convert_uint_sat(f);
    iout[g] = (int)(float)iin[g];
}
