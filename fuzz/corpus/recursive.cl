// Recursion that is refused, forward declarations, functions of many parameters.
int even(int n);
int odd(int n) { return n ? even(n - 1) : 0; }
int even(int n) { return n ? odd(n - 1) : 1; }
int many(char a, short2 b, int3 c, long4 d, global int *e, local float *f, constant uchar *g) { return a + b.y + c.z + d.w + *e + *f + *g; }
kernel void inner(global int *p) { *p = 1; }
kernel void k(global int *p, local float *l, constant uchar *c) { inner(p); p[0] = odd(3) + many(1, 2, 3, 4, p, l, c); }
