// What ilogb gives for NaN and zero has names (OpenCL C §6.15.2.1).
// run: --kernel k --global 1 --arg float[4]:values=nan,0,inf,0.375 --arg int[4] --print named
// prints: named: 1 1 1 -2
kernel void k(global float *f, global int *named) {
    named[0] = ilogb(f[0]) == FP_ILOGBNAN;
    named[1] = ilogb(f[1]) == FP_ILOGB0;
    named[2] = ilogb(f[2]) == INT_MAX;
    named[3] = ilogb(f[3]);
}
