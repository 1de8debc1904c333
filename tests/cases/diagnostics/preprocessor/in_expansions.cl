// A mistake inside a macro's expansion is reported where the macro is used.
#define BAD(x) ((x) + undeclared)
#define OUTER(x) (BAD(x) * 2)
kernel void k(global int *out) {
    out[0] = BAD(1); //~ error[undeclared-identifier]: use of undeclared identifier 'undeclared'
    out[1] = OUTER(2);
    out[2] = OUTER(missing); //~ error[undeclared-identifier]: use of undeclared identifier 'missing'
}
