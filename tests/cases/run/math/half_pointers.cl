// Functions with a second result by a pointer, of halves: computed as floats, but fract stays below 1 (OpenCL C §6.15.2).
// run: --kernel k --global 4 --arg ushort[4]:values=18688,47104,16896,33792 --arg ushort[36] --arg int[12] --print r --print n
// prints: r: 14592 16384 47194 47798 19047 0 18688 0 18688 47104 47104 47020 15109 15632 14336 48128 47104 32768 14848 48128 12420 48108 14732 0 16896 0 16896 47104 33792 33792 15360 18650 15359 48128 33792 32768
// prints: n: 4 2 1 0 0 -1 2 1 1 -13 0 -1
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const ushort *x, global ushort *r, global int *n) {
    size_t i = get_global_id(0);
    half v = as_half(x[i]), cosine, below, whole;
    int exponent, quotient, sign;
    r += i * 9;
    r[0] = as_ushort(frexp(v, &exponent));
    r[1] = as_ushort(remquo(v, 4.0h, &quotient));
    r[2] = as_ushort(sincos(v, &cosine));
    r[3] = as_ushort(cosine);
    r[4] = as_ushort(lgamma_r(v, &sign));
    r[5] = as_ushort(fract(v, &below));
    r[6] = as_ushort(below);
    r[7] = as_ushort(modf(v, &whole));
    r[8] = as_ushort(whole);
    n[i * 3] = exponent;
    n[i * 3 + 1] = quotient;
    n[i * 3 + 2] = sign;
}
