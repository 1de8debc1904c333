// More buffers than a weak device binds at once: bytes beside each other, one buffer under two names, one that is NULL, a table, a
// variable, printf, pointers that are compared.
// options: -cl-std=CL3.0
// features: __opencl_c_program_scope_global_variables
// run: --kernel k --global 4 --local 4 --arg uchar[4]:range=1 --arg short[4]:range=-2 --arg int[4]:range=10 --arg @c --arg float[4]:range --arg null --arg uint[4]:const=0 --arg int[4]:const=0 --arg int:3 --print a --print b --print c --print out --print flags
// prints: 31
// prints: a: 4 5 6 7
// prints: b: -1 -1 -1 -1
// prints: c: 14 17 20 23
// prints: out: 4 4 4 4
// prints: flags: 5 5 5 5
// no-diagnostics
constant int table[4] = { 1, 2, 3, 4 };
global int count = 0;

kernel void k(global uchar *a, global short *b, global int *c, global int *same, global const float *e, global int *none,
              global uint *out, global int *flags, int n) {
    int i = get_global_id(0);
    int before = c[i];
    same[i] = before + table[i] + (int)e[i];
    c[i] += n;
    a[i] += n;
    b[i] = -1;
    global int *p = i & 1 ? same : c;
    flags[i] = (p + i == c + i) + 2 * (none != 0) + 4 * ((global void *)a != (global void *)b);
    atomic_inc(&count);
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = count;
    if (i == 3)
        printf("%d\n", (int)p[i] + a[i] + (int)e[2] + b[i]);
}
