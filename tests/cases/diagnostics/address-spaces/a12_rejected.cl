// A-12 rejected: no pointer is chosen from constant and another space; no generic function takes constant.
// options: -cl-std=CL2.0
constant int c = 1; //~ note: 'c' is declared here as '__constant int'
int read(int *p) { return *p; } //~ note: 'p' is declared here as '__generic int *'
kernel void k(global int *g, constant int *a) {
    int x = *(g[0] ? g : a); //~ error[address-space]: the pointers are to different address spaces, '__global' and '__constant'
    g[1] = read(&c); //~ error[address-space]: changes the address space of the pointer from '__constant' to '__generic'
    int *list[2] = { g, a }; //~ error[address-space]: changes the address space of the pointer from '__constant' to '__generic'
}
