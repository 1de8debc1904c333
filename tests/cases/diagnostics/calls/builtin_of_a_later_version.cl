// A builtin that a later version of the language has is named as such.
kernel void k(global int *out) {
    out[0] = ctz(out[1]); //~ error[undeclared-function]: call of undeclared function 'ctz'
}
