// The least long, written without a type that its digits fit: clEsperanto's conversions to long.
// no-diagnostics
// run: --kernel k --global 4 --local 1 --arg float[4]:range=-1 --arg long[4] --print out
// prints: out: -1 0 1 2
// run: --kernel sizes --global 1 --arg long[3] --print out
// prints: out: -9223372036854775808 8 -9223372036854775807
kernel void k(global const float *in, global long *out) {
    float value = in[get_global_id(0)];
    out[get_global_id(0)] = value < -9223372036854775808 ? 77 : (long)value;
}
kernel void sizes(global long *out) {
    out[0] = -9223372036854775808;
    out[1] = sizeof(-9223372036854775808);
    out[2] = -9223372036854775808 + 1;
}
