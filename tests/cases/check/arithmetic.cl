// Divisions and conversions without a result. Shifts are defined, and are told only if they are asked for.
// run: --check --kernel divide --global 4 --arg int[4]:values=8,9,-2147483648,7 --arg int[4]:values=2,0,-1,7 --print a
// reports: 29 arithmetic: an integer division by zero
// reports: 29 arithmetic: -2147483648 divided by -1, which 32 bits do not hold
// prints: a: 4 9 -2147483648 1
// run: --check --kernel remainders --global 1 --arg uint4[1]:values=8,9,10,11 --arg uint4[1]:values=3,4,0,5 --print a
// reports: 33 arithmetic: an integer division by zero
// prints: a: (2, 1, 0, 1)
// run: --check --kernel convert --global 4 --arg float[4]:values=1.5,-2147483648,2147483648,nan --arg int[4]:const=9 --print out
// reports: 37 arithmetic: a conversion of 2147483648 to an integer type that does not hold it
// prints: out: 1 -2147483648 0 0
// run: --check --kernel bytes --global 4 --arg float[4]:values=255.9,-0.9,-1,256 --arg uchar[4] --print out
// reports: 41 arithmetic: to an integer type that does not hold it
// prints: out: 255 0 0 0
// run: --check --kernel saturated --global 4 --arg float[4]:values=1.5,1e10,-1e10,nan --arg int[4] --print out
// prints: out: 1 2147483647 -2147483648 0
// run: --check --kernel shift --global 4 --arg uint[4]:range=30 --arg uint[4] --print out
// prints: out: 1073741824 2147483648 1 2
// run: --check=shifts --kernel shift --global 4 --arg uint[4]:range=30 --arg uint[4] --print out
// reports: 49 shifts: a shift of 32 bits by 32, which is taken modulo 32
// prints: out: 1073741824 2147483648 1 2
// run: --check=shifts --kernel masked --global 4 --arg uint[4]:range=30 --arg uint[4] --print out
// prints: out: 1073741824 2147483648 1 2
// run: --check=bounds --kernel divide --global 1 --arg int[1]:values=8 --arg int[1]:values=2 --print a
// prints: a: 4

kernel void divide(global int *a, global int *b) {
    int i = get_global_id(0);
    a[i] = a[i] / b[i];
}

kernel void remainders(global uint4 *a, global uint4 *b) {
    a[0] = a[0] % b[0];
}

kernel void convert(global float *in, global int *out) {
    out[get_global_id(0)] = (int)in[get_global_id(0)];
}

kernel void bytes(global float *in, global uchar *out) {
    out[get_global_id(0)] = convert_uchar(in[get_global_id(0)]);
}

kernel void saturated(global float *in, global int *out) {
    out[get_global_id(0)] = convert_int_sat(in[get_global_id(0)]);
}

kernel void shift(global uint *in, global uint *out) {
    out[get_global_id(0)] = 1u << in[get_global_id(0)];
}

kernel void masked(global uint *in, global uint *out) {
    uint n = in[get_global_id(0)] & 31;
    out[get_global_id(0)] = 1u << n;
}
