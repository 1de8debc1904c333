// A-6 rejected: a program-scope variable in another space, one without a constant value, one of a kernel's.
// options: -cl-std=CL2.0
local int shared; //~ error[program-scope-address-space]: is in the __local address space; it must be in __global or __constant
private int own; //~ error[program-scope-address-space]: is in the __private address space; it must be in __global or __constant
global int g = 1;
global int copy = g + 1; //~ error[initializer-not-constant]: initializer element is not a compile-time constant
//~^ note: 'copy' is declared here as '__global int'
kernel void k(global int *p, int n) {
    static int s = n; //~ error[initializer-not-constant]: initializer element is not a compile-time constant
//~^ note: 's' is declared here as '__global int'
    static local int t; //~ error[function-scope-address-space]: static variable 't' is in the __local address space
    local int *q = &g; //~ error[address-space]: changes the address space of the pointer from '__global' to '__local'
//~^ note: 'q' is declared here as '__local int *'
}
