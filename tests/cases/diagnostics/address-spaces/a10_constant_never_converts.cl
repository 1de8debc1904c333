// A-10 rejected: constant converts to and from no other space, by a cast neither.
constant int c = 1;
void f(global int *p);
kernel void k(global int *g, local int *l) {
    global int *a = &c; //~ error[address-space]: initializing '__global int *' with '__constant int *' changes the address space of the pointer from '__constant' to '__global'
    global int *b = (global int *)&c; //~ error[address-space]: casting '__constant int *' to '__global int *' changes the address space of the pointer from '__constant' to '__global'
    constant int *d = g; //~ error[address-space]: initializing '__constant int *' with '__global int *' changes the address space of the pointer from '__global' to '__constant'
    constant int *e = (constant int *)l; //~ error[address-space]: casting '__local int *' to '__constant int *' changes the address space of the pointer from '__local' to '__constant'
    int *p = (int *)&c; //~ error[address-space]: casting '__constant int *' to 'int *' changes the address space of the pointer from '__constant' to '__private'
    f(&c); //~ error[address-space]: passing '__constant int *' to a parameter of type '__global int *' changes the address space of the pointer from '__constant' to '__global'
    constant int *q = g ? &c : g; //~ error[address-space]: the pointers are to different address spaces, '__constant' and '__global': '__constant int *' and '__global int *'
    int same = g == &c; //~ error[address-space]: the pointers are to different address spaces, '__global' and '__constant': '__global int *' and '__constant int *'
}
