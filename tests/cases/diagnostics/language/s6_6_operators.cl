// §6.6: the operators on scalars and vectors, and the types of their results.
// no-diagnostics
#define IS(e, type) _Static_assert(_Generic((e), type: 1, default: 0), #e)
kernel void k(global int *p, global int4 *v, global float4 *f, global double2 *d, global char8 *c, global uchar8 *uc, global ushort3 *us, global long2 *l, global int *q, float x) {
    v[0] = v[1] + v[2] * 2 - v[3] / v[4] % v[5]; v[0] = -v[1]; v[0] = +v[1]; v[0]++; --v[0];
    v[0] = v[1] & v[2] | 3 ^ ~v[3]; v[0] = v[1] << 1; v[0] = v[1] >> v[2]; v[0] <<= v[1]; p[0] = 1 << p[1];
    v[0] = v[1] && v[2]; v[0] = !v[1] || v[2]; v[0] = f[0] && f[1]; p[0] = p[1] && x || !p;
    v[0] = v[1] == v[2]; v[0] = f[0] < f[1]; v[0] = f[0] >= 1.0f; v[0] = v[1] ? v[2] : v[3]; f[0] = v[0] ? f[1] : f[2];
    f[0] = p[0] ? f[1] : f[2]; f[0] = v[0] ? f[1] : 1.0f; p[0] = p[1] ? 1 : x;
    IS(f[0] < f[1], int4); IS(d[0] == d[1], long2); IS(c[0] < c[1], char8); IS(uc[0] < uc[1], char8); IS(us[0] != us[1], short3);
    IS(!f[0], int4); IS(!d[0], long2); IS(!uc[0], char8); IS(l[0] && l[1], long2); IS(1.0f < 2, int); IS(!1.0, int);
    IS('a' + 'b', int); IS((uchar)1 + (short)1, int); IS(1 + 1u, uint); IS(1u + 1L, long); IS(1UL + 1, ulong); IS(1.0f + 1L, float); IS(1 + 1.0, double); IS(c[0] + (char)1, char8);
    IS(sizeof(int), ulong); IS(p - q, long); IS(p + 1, global int *); IS(&v[0], global int4 *); IS(p == q, int); IS(1 ? (char)1 : (char)2, int); IS((char)1 << 1L, int); IS(~(uchar)1, int); IS(vec_step(int3), int);
    q = p + 1; q = 1 + p; q += 2; q -= 1; q++; --q; p[0] = p < q; p[0] = p == 0; p[0] = *(p + 1) + p[2] + 3[p]; p[0] = (x, 4);
    _Static_assert(vec_step(int3) == 4 && vec_step(float) == 1 && vec_step(char16) == 16 && sizeof v[0] == 16, "");
    enum E { A } e = (enum E)p;
    global void *bytes = p;
    ++bytes; bytes--; bytes += 4; bytes -= 1;
    c[0] = c[0] ? (char)p[0] : (char)p[1]; uc[0] = c[0] ? (uchar)p[0] : (uchar)p[1];
    v[0] = v[1] + (short)p[0] + true; IS((char2)1 ? (char)1 : (uchar)1, uchar2);
    p[0] = vec_step(v[0]) + vec_step(int3) + vec_step(x) + vec_step(void);
}
