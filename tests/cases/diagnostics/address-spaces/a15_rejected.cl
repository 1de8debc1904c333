// A-15 rejected: memory of two spaces never is the same; restrict is for pointers.
kernel void k(global int *a, local int *b, constant int *c) { //~ note: 'b' is declared here as '__local int *'
    int same = a == b; //~ error[address-space]: the pointers are to different address spaces, '__global' and '__local'
    global int *alias = (global int *)c; //~ error[address-space]: changes the address space of the pointer from '__constant' to '__global'
}
