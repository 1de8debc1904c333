// Functions of floating numbers, with pointers in all address spaces.
kernel void k(global float *f, global double *d, local int *l, global half4 *h) {
    float part; int e, q;
    f[0] = sin(f[1]) + native_exp2(f[2]) + half_recip(f[3]) + fract(f[4], &part) + frexp(f[5], l) + ldexp(part, 3);
    f[6] = remquo(f[7], 3.0f, &q) + pown(2.0f, q) + fma(1.0f, part, 2.0f) + smoothstep(0.0f, 1.0f, part) + sign(part);
    d[0] = sincos(d[1], d + 2) + lgamma_r(d[3], &e) + nextafter(d[4], 1.0) + ilogb(d[5]) + isnan(d[6]) + fmod(d[7], 3);
    h[0] = fabs(h[1]) + select(h[2], h[3], (short4)(-1)) + bitselect(h[0], h[1], h[2]) + mix(h[0], h[1], (half)0.5h);
}
