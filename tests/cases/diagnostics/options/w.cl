// With -w: no warnings, with -Werror too (API specification, §5.8.6.4).
// options: -w -Werror
// no-diagnostics
kernel void k(global int *p) {
    global float *f = p;
    f[0] = 1.0f;
}
