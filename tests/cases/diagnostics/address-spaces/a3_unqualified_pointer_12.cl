// A-3 rejected: before generic pointers, a pointer without a qualifier points to private.
void f(int *p) { private int *q = p; }
kernel void k(global int *g, local int *l, constant int *c) {
    int x;
    f(&x);
    f(g); //~ error[address-space]: passing '__global int *' to a parameter of type 'int *' changes the address space of the pointer from '__global' to '__private'
    f(l); //~ error[address-space]: passing '__local int *' to a parameter of type 'int *' changes the address space of the pointer from '__local' to '__private'
    f(c); //~ error[address-space]: passing '__constant int *' to a parameter of type 'int *' changes the address space of the pointer from '__constant' to '__private'
    int *p = g; //~ error[address-space]: initializing 'int *' with '__global int *' changes the address space of the pointer from '__global' to '__private'
}
