// A-14 rejected: a string literal is constant; pointers to other types within one space convert with a warning.
kernel void k(global int *g) {
    constant char *fine = "x";
    char *bad = "x"; //~ error[address-space]: initializing 'char *' with '__constant const char *' changes the address space of the pointer from '__constant' to '__private'
    global char *worse = "x"; //~ error[address-space]: initializing '__global char *' with '__constant const char *' changes the address space of the pointer from '__constant' to '__global'
    char array[] = "x";
    global float *f = g; //~ warning[incompatible-pointer-types]: initializing '__global float *' with '__global int *': the pointees
    global uint *u = g; //~ warning[incompatible-pointer-types]: initializing '__global uint *' with '__global int *': the pointees
    global void *v = g;
    const global int *c = g;
    global int *drops = c; //~ warning[discards-qualifiers]: initializing '__global int *' with '__global const int *' discards
}
