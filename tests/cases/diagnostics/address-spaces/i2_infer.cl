// I-2 rejected: inference crosses no space that the source names; constant stays apart.
// options: --infer-address-spaces
constant int c = 1;
int read(int *p) { return *p; } //~ note: 'p' is declared here as '__generic int *'
kernel void k(int *p, local int *l) { //~ note: 'p' is declared here as '__global int *'
    p[0] = read(&c); //~ error[address-space]: changes the address space of the pointer from '__constant' to '__generic'
    local int *q = p; //~ error[address-space]: changes the address space of the pointer from '__global' to '__local'
    p[1] = read(p) + read(l);
}
