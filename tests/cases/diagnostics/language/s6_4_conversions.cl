// §6.4.1, §6.4.2: implicit conversions and casts of scalars; scalars to vectors; explicit ones for the rest.
// no-diagnostics
kernel void k(global int *p, global float4 *f, global int4 *v, float x, long l, int n) {
    bool b = n; char c = l; float y = p[0]; int i = x; bool t = x; double d = y; uchar u = -1;
    f[0] = x; f[1] = 2; v[0] = (int4)x; v[1] = (int4)b; v[2] = i; f[2] = (float4)i;
    v[3] = convert_int4(f[3]); f[4] = as_float4(v[4]); v[5] = convert_int4_sat_rte(f[5]);
    p[1] = (int)x + (int)(char)l; p[2] = (bool)l; p[3] = (long)p; p[4] = *(global int *)(l & 0);
    f[6] = f[7] * 2 + 1; v[6] = v[7] + (char)1;
}
