// Functions of integers refuse floating arguments that stand alone, and vectors of them.
kernel void k(global int *out, float a, float2 v) {
    out[0] = mad24(a, 2, a);
    out[1] = mul24(a, a); //~ error[no-matching-builtin]: no overload of 'mul24' takes (float, float)
    out[2] = mad24(v, (int2)(1), (int2)(2)).x; //~ error[no-matching-builtin]: no overload of 'mad24' takes (float2, int2, int2)
}
