// lgamma_r's sign is 0 at zero and the negative integers, where Γ has none (OpenCL C §7.5.1).
// run: --kernel k --global 8 --arg float[8]:values=0.0,-0.0,-1,-2,-0.5,-1.5,3,nan --arg int[8]:const=9 --arg int[8]:const=9 --print f --print d
// prints: f: 0 0 0 0 -1 1 1 1
// prints: d: 0 0 0 0 -1 1 1 1
// no-diagnostics
kernel void k(global const float *x, global int *f, global int *d) {
    size_t i = get_global_id(0);
    int sign;
    lgamma_r(x[i], &sign);
    f[i] = sign;
    lgamma_r((double)x[i], &sign);
    d[i] = sign;
}
