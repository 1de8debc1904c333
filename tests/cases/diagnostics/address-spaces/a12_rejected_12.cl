// A-12 rejected: without generic pointers no pointer is chosen from two spaces.
kernel void k(global int *g, local int *l) { //~ note: 'l' is declared here as '__local int *'
    *(g[0] ? g : l) = 1; //~ error[address-space]: the pointers are to different address spaces, '__global' and '__local'
}
