// A-7 rejected: the address of a variable in another space as an initialiser.
// options: -cl-std=CL2.0
constant int c = 1;
global int g = 7; //~ note: 'g' is declared here as '__global int'
constant int *global p = &g; //~ error[address-space]: initializing '__constant int *' with '__global int *' changes the address space of the pointer from '__global' to '__constant'
//~^ note: 'p' is declared here as '__constant int *__global'
global int *constant q = &c; //~ error[address-space]: initializing '__global int *' with '__constant int *' changes the address space of the pointer from '__constant' to '__global'
int *r = &c; //~ error[address-space]: changes the address space of the pointer from '__constant' to '__generic'
global event_t e; //~ error[invalid-variable]: a variable of type 'event_t' cannot be in the __global address space
