// A-11 rejected: pointers to two named spaces have nothing to be compared in, though generic has room for both.
// options: -cl-std=CL2.0
kernel void k(global int *g, local int *l) { //~ note: 'g' is declared here as '__global int *'
    //~^ note: 'g' is declared here as '__global int *'
    //~^^ note: 'g' is declared here as '__global int *'
    //~^^^ note: 'l' is declared here as '__local int *'
    //~^^^^ note: 'l' is declared here as '__local int *'
    //~^^^^^ note: 'l' is declared here as '__local int *'
    g[0] = g == l; //~ error[address-space]: the pointers are to different address spaces, '__global' and '__local'
    g[1] = l < g; //~ error[address-space]: the pointers are to different address spaces, '__local' and '__global'
    g[2] = g - l; //~ error[address-space]: the pointers are to different address spaces, '__global' and '__local'
    int *p = l;
    g[3] = g == p || l > p;
}
