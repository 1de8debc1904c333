// A-11 rejected: global, local and private convert to generic; generic back by a cast only; named to named never.
// options: -cl-std=CL2.0
void f(int *p) { *p = 1; }
kernel void k(global int *g, local int *l) {
    int x;
    f(g);
    f(l);
    f(&x);
    int *p = g;
    global int *back = (global int *)p;
    global int *implicit = p; //~ error[address-space]: initializing '__global int *' with '__generic int *' changes the address space of the pointer from '__generic' to '__global'
    global int *other = l; //~ error[address-space]: initializing '__global int *' with '__local int *' changes the address space of the pointer from '__local' to '__global'
    local int *by_cast = (local int *)g; //~ error[address-space]: casting '__global int *' to '__local int *' changes the address space of the pointer from '__global' to '__local'
}
