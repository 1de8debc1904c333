// A-10 rejected: constant does not convert to generic either.
// options: -cl-std=CL2.0
constant int c = 1;
void f(int *p) {}
kernel void k(global int *g) {
    int *p = &c; //~ error[address-space]: initializing '__generic int *' with '__constant int *' changes the address space of the pointer from '__constant' to '__generic'
    f(&c); //~ error[address-space]: passing '__constant int *' to a parameter of type '__generic int *' changes the address space of the pointer from '__constant' to '__generic'
    p = (int *)&c; //~ error[address-space]: casting '__constant int *' to '__generic int *' changes the address space of the pointer from '__constant' to '__generic'
    constant int *q = (constant int *)p; //~ error[address-space]: casting '__generic int *' to '__constant int *' changes the address space of the pointer from '__generic' to '__constant'
    f(g);
}
