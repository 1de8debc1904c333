// Large initialisers of variables in functions (C99 §6.7.8).
// no-diagnostics
struct Big { char c; int a[70000]; };
union Either { long l; char text[70000]; };
kernel void k(global int *out) {
    int n = out[0];
    int flat[70000] = {1, 2, [69999] = 3};
    int nested[2][70000] = {{4}, {5}};
    struct Big big = {6, {7}};
    union Either either = {.text = {8, 9}};
    out[0] = flat[n] + nested[1][n] + big.a[n] + either.text[n];
}
