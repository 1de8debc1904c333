// Relational functions of halves and of their vectors, whose results are ints and shorts; select, bitselect, any and all (cl_khr_fp16).
// run: --kernel k --global 1 --arg half[8]:values=1,-1,0,-0.0,inf,-inf,nan,6.103515625e-5 --arg int[24] --arg short[32] --print out --print v
// prints: out: 1 0 1 1 0 1 1 0 1 1 1 0 1 0 1 1 1 0 1 1 0 1 2 1
// prints: v: 0 -1 -1 -1 0 -1 0 -1 -1 -1 -1 -1 0 0 0 -1 0 0 0 0 0 0 -1 0 0 -1 0 -1 0 -1 7 0
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const half *in, global int *out, global short *v) {
    half one = in[0], less = in[1], zero = in[2], below = in[3], inf = in[4], nothing = in[6], least = in[7];
    int n = 0;
    out[n++] = isequal(zero, below);
    out[n++] = isequal(nothing, nothing);
    out[n++] = isnotequal(nothing, nothing);
    out[n++] = isgreater(one, less);
    out[n++] = isgreater(nothing, less);
    out[n++] = isgreaterequal(one, one);
    out[n++] = isless(less, one);
    out[n++] = islessequal(one, less);
    out[n++] = islessgreater(one, less);
    out[n++] = isfinite(one);
    out[n++] = isinf(inf);
    out[n++] = isinf(one);
    out[n++] = isnan(nothing);
    out[n++] = isnormal(zero);
    out[n++] = isnormal(least);
    out[n++] = isordered(one, inf);
    out[n++] = isunordered(one, nothing);
    out[n++] = signbit(one);
    out[n++] = signbit(below);
    out[n++] = any(isless((half2)(one, less), (half2)(zero, zero)));
    out[n++] = all(isless((half2)(one, less), (half2)(zero, zero)));
    out[n++] = select(zero, one, (short)3) == one;
    out[n++] = (int)bitselect((half)1.0h, (half)2.0h, as_half((ushort)0x7fff));
    out[n++] = select((half2)(one, one), (half2)(less, less), (short2)(-1, 0)).x == less;
    half8 all_of = vload8(0, in);
    vstore8(isless(all_of, (half8)(0.5h)), 0, v);
    vstore8(isfinite(all_of), 1, v);
    vstore8(isnan(all_of), 2, v);
    vstore8(signbit(all_of), 3, v);
    // The sign of a NaN is anything.
    v[30] = 7;
}
