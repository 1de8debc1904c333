// Quotients by one of two numbers: powers of two are products with their reciprocals; zero and numbers that are none stay divisors.
// no-diagnostics
// run: --kernel k --global 4 --arg int[4]:range --arg float[4]:values=3,-0.0,inf,-6 --arg float[4] --arg float[4] --arg float[4] --print whole --print powers --print others
// prints: whole: 3 -0 inf -6
// prints: powers: 12 0 inf 0.75
// prints: others: inf -0 inf -2
// run: --kernel k --global 4 --arg int[4]:values=1,1,0,2 --arg float[4]:values=6144,nan,-2048,0.75 --arg float[4] --arg float[4] --arg float[4] --print whole --print powers --print others
// prints: whole: 3 NaN -2048 0.75
// prints: powers: -768 NaN -8192 3
// prints: others: 2048 NaN -inf inf
kernel void k(global const int *c, global const float *x, global float *whole, global float *powers, global float *others) {
    size_t i = get_global_id(0);
    unsigned n = c[i] == 1 ? 2048 : 1;
    whole[i] = x[i] / n;
    powers[i] = x[i] / (c[i] & 1 ? -8.0f : 0.25f);
    others[i] = x[i] / (c[i] & 1 ? 3.0f : 0.0f);
}
