// §6.7.6, §6.10, §6.11; C99 §6.2.2, §6.4.4.4, §6.8.1: declarations that are not to be, or only with a warning.
// options: -cl-std=CL2.0
struct S { private int x; }; //~ error[member-address-space]: a member cannot be qualified with an address space (__private)
int f(int a); //~ note: previous declaration is here
static int f(int a) { return a; } //~ error[conflicting-linkage]: 'f' is declared static after a declaration that is not
int g(void) { constant int c = 1; return c; } //~ error[not-in-kernel]: variable 'c' in the __constant address space can only be declared in a kernel

kernel void k(int *private q, global int *p, int n) { //~ error[kernel-pointer-address-space]: a pointer parameter of a kernel must point to __global, __local or __constant
    local event_t e; //~ error[invalid-variable]: event 'e' cannot be in the __local address space; it can only be in __private
    constant event_t c = 0; //~ error[invalid-variable]: event 'c' cannot be in the __constant address space; it can only be in __private
    atomic_add(q, 1); //~ error[no-matching-builtin]: no overload of 'atomic_add' takes (__generic int *, int)
    p[0] = '\q'; //~ warning[unknown-escape]: unknown escape sequence '\q': it is taken as 'q'
    goto l;
    l: int x = 1; //~ warning[c23-extension]: a label before a declaration is of C23, not of OpenCL C
    switch (n) {
    case 1: p[1] = x;
    default: //~ warning[c23-extension]: a label at the end of a block is of C23, not of OpenCL C
    }
}
kernel struct T { int a; }; //~ error[not-a-function]: 'kernel' can only be applied to a function, not to a type
void nameless(int, int b) {} //~ warning[c23-extension]: a parameter without a name in the definition of a function is of C23
