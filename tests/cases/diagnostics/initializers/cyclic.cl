// Variables whose initialisers need each other's addresses: SPIR-V's constants cannot say it.
// options: -cl-std=CL2.0
struct Node { global struct Node *next; int value; };
extern global struct Node second; //~ note: 'second' is declared here
global struct Node first = {&second, 1}; //~ error[cyclic-initializer]: the initialiser of 'first' takes the address of 'second', whose initialiser needs that of 'first'
global struct Node second = {&first, 2};
global void *self = &self; //~ error[cyclic-initializer]: the initialiser of 'self' takes its own address, which is not supported
kernel void k(global int *out) { out[0] = first.next->value; }
