// More than 128 bytes of arguments: what does not fit in push constants goes through a buffer.
// run: --kernel k --global 2 --arg double16:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 --arg int[4]:range --arg long8:1,2,3,4,5,6,7,8 --arg char:-3 --arg float3:1,2,3 --arg uchar4:1,2,3,255 --arg short:-300 --arg int16:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 --arg double[12] --print out
// prints: out: 136 36 -3 6 261 -300 150 1 136 36 -3 6
// no-diagnostics
kernel void k(double16 d, global int *a, long8 l, char c, float3 f, uchar4 u, short s, int16 n, global double *out) {
    if (get_global_id(0) == 0) {
        double8 d8 = d.lo + d.hi;
        double4 d4 = d8.lo + d8.hi;
        out[0] = d4.x + d4.y + d4.z + d4.w;
        out[1] = l.s0 + l.s1 + l.s2 + l.s3 + l.s4 + l.s5 + l.s6 + l.s7;
        out[2] = c;
        out[3] = f.x + f.y + f.z;
        out[4] = u.x + u.y + u.z + u.w;
        out[5] = s;
        out[6] = n.sf * 10;
        out[7] = a[1];
    } else {
        out[8] = 136;
        out[9] = 36;
        out[10] = c;
        out[11] = f.x * f.y * f.z;
    }
}
