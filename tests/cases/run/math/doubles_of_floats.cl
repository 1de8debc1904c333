// Doubles between floats: what is exact in float is computed there, the rest in double. (A device without doubles takes constants without an
// f for floats, and would be right otherwise: the double is named.)
// no-diagnostics
// run: --kernel constants --global 4 --arg float[4]:values=0.1,-3,16777217,1e30 --arg float[16] --print out
// prints: out: 0.8999999761581421 0.05000000074505806 0.009999999776482582 0.20000000298023224 4 -1.5 -0.30000001192092896 -6 -16777215 8388608 1677721.625 33554432 -1000000015047466200000000000000 500000007523733100000000000000 100000001504746620000000000000 2000000030094932400000000000000
kernel void constants(global const float *x, global float *out) {
    const double tenth = 0.1;
    const size_t i = get_global_id(0);
    out[4 * i] = 1.0 - x[i];
    out[4 * i + 1] = 0.5 * x[i];
    out[4 * i + 2] = x[i] * tenth;
    out[4 * i + 3] = x[i] + x[i] * 1.0;
}

// 0.1 lies between two floats, of which 0.1f is the greater.
// run: --kernel compared --global 3 --arg float[3]:values=0.1,0.09999999,0.5 --arg int[18] --print out
// prints: out: 0 0 1 1 0 1 1 1 0 0 0 1 0 0 1 1 0 1
kernel void compared(global const float *x, global int *out) {
    const double tenth = 0.1;
    const size_t i = get_global_id(0);
    out[6 * i] = x[i] < tenth;
    out[6 * i + 1] = x[i] <= tenth;
    out[6 * i + 2] = x[i] > tenth;
    out[6 * i + 3] = x[i] >= tenth;
    out[6 * i + 4] = x[i] == tenth;
    out[6 * i + 5] = x[i] != tenth;
}
