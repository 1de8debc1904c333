// 16- and 8-wide vectors in local memory, components written by different work-items.
// run: --kernel k --global 16 --local 16 --arg int[16] --arg double8[1] --print out --print d
// prints: out: 115 114 113 112 111 110 109 108 107 106 105 104 103 102 101 100
// prints: d: (0, 2, 4, 6, 8, 10, 12, 14)
// no-diagnostics
kernel void k(global int *out, global double8 *d) {
    local int16 v;
    local double8 w[2];
    int i = get_local_id(0);
    ((local int *)&v)[i] = 100 + i;
    ((local double *)w)[i] = i % 8;
    barrier(CLK_LOCAL_MEM_FENCE);
    int16 r = v.sfedcba9876543210;
    out[i] = ((int *)&r)[i];
    if (i == 0) d[0] = w[0] + w[1];
}
