// remainder, remquo and fmod are exact for denormals, whether or not the device computes with them: by integers.
// run: --kernel k --global 6 --arg uint[6]:values=0x00000007,0x80000007,0x00800001,0x80800003,0x00000001,0x3f800000 --arg uint[6]:values=0x00000004,0x00000004,0x00000002,0x007fffff,0x80000003,0x00000003 --arg uint[6]:const=9 --arg uint[6]:const=9 --arg int[6]:const=9 --arg uint[6]:const=9 --print r --print q --print n --print m
// prints: r: 2147483649 1 1 2147483652 1 2147483649
// prints: q: 2147483649 1 1 2147483652 1 2147483649
// prints: n: 2 -2 0 -1 0 43
// prints: m: 3 2147483651 1 2147483652 1 2
// no-diagnostics
kernel void k(global const uint *x, global const uint *y, global uint *r, global uint *q, global int *n, global uint *m) {
    size_t i = get_global_id(0);
    float a = as_float(x[i]), b = as_float(y[i]);
    int quotient;
    r[i] = as_uint(remainder(a, b));
    q[i] = as_uint(remquo(a, b, &quotient));
    n[i] = quotient;
    m[i] = as_uint(fmod(a, b));
}
