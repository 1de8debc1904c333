// A-10: only an unqualified null pointer is one in every space.
constant int *constant none = 0;
kernel void k(global int *g, local int *l) {
    constant int *c = (global void *)0; //~ error[address-space]: changes the address space of the pointer from '__global' to '__constant'
    local int *m = (global void *)0; //~ error[address-space]: changes the address space of the pointer from '__global' to '__local'
    g[0] = l == (global void *)0; //~ error[address-space]: the pointers are to different address spaces, '__local' and '__global'
    g[1] = l == (void *)0 && g == (global void *)0 && none == NULL;
}
