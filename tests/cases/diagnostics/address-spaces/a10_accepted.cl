// A-10 accepted: constant stays constant; its values go anywhere; pointees are cast within it.
// no-diagnostics
constant int c[4] = { 1, 2, 3, 4 };
int read(constant int *p) { return *p; }
kernel void k(global int *g, constant int *a) {
    constant int *p = g[0] ? c : a;
    constant uchar *bytes = (constant uchar *)p;
    const constant void *v = p;
    int x = *p;
    g[1] = read(p) + read(c + 1) + bytes[1] + x + (p == c);
    g[2] = (v != 0) + ((constant int *)v)[1];
}
