// -Werror: warnings are errors (API specification, §5.8.6.4).
// options: -Werror
kernel void k(global int *p) {
    global float *f = p; //~ error[incompatible-pointer-types]: the pointees have different types
    f[0] = 1.0f;
}
