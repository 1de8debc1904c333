// -Werror: warnings are errors.
// options: -Werror
kernel void k(global int *p) {
    global float *f = p; //~ error[incompatible-pointer-types]: the pointees have different types
}
