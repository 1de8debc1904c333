// §6.11: pointers to functions, bit-fields, variable-length arrays, variadic functions,
// recursion, writes through pointers to constant, results and parameters of kernels.
int (*fp)(int); //~ error[function-pointer]: OpenCL C has no pointers to functions
//~^ error[program-scope-address-space]: program-scope variable 'fp' has no address space (__private is not possible); here it must be in __constant
struct Flexible { int n; int a[]; }; 
struct Bits { int a : 3; }; //~ error[bit-field]: bit-fields are not supported in OpenCL C
int variadic(int n, ...); //~ error[variadic-function]: variadic functions are not allowed in OpenCL C (only printf is one)
int recursive(int n) { return n ? n * recursive(n - 1) : 1; } //~ error[recursion]: function 'recursive' calls itself: recursion is not supported in OpenCL C
void ping(int n);
void pong(int n) { ping(n); } //~ error[recursion]: this call of 'ping' makes it call itself: recursion is not supported in OpenCL C
void ping(int n) { pong(n); }
typedef struct { size_t n; } HasSize;
typedef struct { int x; struct { bool b[2]; } in; } HasBool;
typedef struct { int x; HasSize s; } HasBoth;
kernel int result(void) { return 1; } //~ error[kernel-return-type]: a kernel must return void, not 'int'
kernel void a(bool b) {} //~ error[kernel-parameter-type]: 'bool' cannot be the type of a kernel parameter: the size of bool is not the same on host and device
kernel void b(size_t s, ptrdiff_t d, intptr_t i, uintptr_t u) {} //~ error[kernel-parameter-type]: 'size_t' cannot be the type of a kernel parameter: its size is not the same on host and device
//~^ error[kernel-parameter-type]: 'ptrdiff_t' cannot be the type of a kernel parameter: its size is not the same on host and device
//~^^ error[kernel-parameter-type]: 'intptr_t' cannot be the type of a kernel parameter: its size is not the same on host and device
//~^^^ error[kernel-parameter-type]: 'uintptr_t' cannot be the type of a kernel parameter: its size is not the same on host and device
kernel void c(HasSize s) {} //~ error[kernel-parameter-type]: a structure passed to a kernel cannot contain a 'bool', or a 'size_t' or one of its kin: their sizes are not the same on host and device
kernel void d(HasBool s) {} //~ error[kernel-parameter-type]: a structure passed to a kernel cannot contain a 'bool', or a 'size_t' or one of its kin: their sizes are not the same on host and device
kernel void e(HasBoth s) {} //~ error[kernel-parameter-type]: a structure passed to a kernel cannot contain a 'bool', or a 'size_t' or one of its kin: their sizes are not the same on host and device
kernel void f(event_t e) {} //~ error[kernel-parameter-type]: 'event_t' cannot be the type of a kernel parameter: an event cannot be passed to a kernel
kernel void g(int n) { int vla[n]; } //~ error[variable-length-array]: variable length arrays are not supported in OpenCL C
static kernel void h(void) {} //~ error[static-kernel]: a kernel cannot be declared static
kernel void main(void) {} //~ error[kernel-name]: a kernel cannot be called 'main'
kernel void k(global int *p) {
    int (*q)(int) = 0; //~ error[function-pointer]: OpenCL C has no pointers to functions
    asm("nop"); //~ error[inline-assembly]: PTX instruction 'nop' is unknown
    undeclared(1); //~ error[undeclared-function]: call of undeclared function 'undeclared'
}
