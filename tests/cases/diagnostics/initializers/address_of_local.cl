// Each work-group has its own __local variables: none has an address at compile time (A-9).
constant int g = 3;
kernel void k(global int *p) {
    local int l;
    local int *constant a = &l; //~ error[initializer-not-constant]: initializer element is not a compile-time constant
    constant int *constant b = &g;
    local int *c = &l;
    p[0] = *b + *c;
}
