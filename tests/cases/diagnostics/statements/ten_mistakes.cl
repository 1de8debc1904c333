// Ten independent mistakes give ten diagnostics: none hides another.
kernel void k(global int *out, int4 v) {
    int a = undeclared1; //~ error[undeclared-identifier]: use of undeclared identifier 'undeclared1'
    int b = 1 +; //~ error[expected-expression]: expected an expression, found ';'
    out[0] = v.q; //~ error[invalid-swizzle]: 'q' selects no vector components
    float f = "text"; //~ error[incompatible-types]: initializing 'float' with '__constant const char *': the types are
    undeclared2(a); //~ error[undeclared-function]: call of undeclared function 'undeclared2'
    break; //~ error[break-outside-loop]: 'break' outside of a loop or 'switch'
    goto nowhere; //~ error[undefined-label]: use of undeclared label 'nowhere'
    global int *p = &b; //~ error[address-space]: initializing '__global int *' with 'int *' changes the address space of the pointer from '__private' to '__global'
    out[1] = v + (float4)(1); //~ error[vector-type-mismatch]: vectors do not convert implicitly: the operands are 'int4' and
    5 = a; //~ error[not-assignable]: the expression is not assignable
}
