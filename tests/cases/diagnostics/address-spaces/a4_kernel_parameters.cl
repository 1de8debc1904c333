// A-4 rejected: kernel pointer parameters point to global, local or constant; no pointers to pointers before 2.0.
kernel void good(global int *a, local float4 *b, constant char *c) {}
kernel void unqualified(int *p) {} //~ error[kernel-pointer-address-space]: a pointer parameter of a kernel must point to __global, __local or __constant, this one points to __private
kernel void private_one(private int *p) {} //~ error[kernel-pointer-address-space]: a pointer parameter of a kernel must point to __global, __local or __constant, this one points to __private
kernel void nested(global int **p) {} //~ error[kernel-pointer-address-space]: a pointer parameter of a kernel must point to __global, __local or __constant, this one points to __private
kernel void nested_global(global int *global *p) {} //~ error[kernel-parameter-type]: a kernel parameter cannot be a pointer to a pointer before OpenCL C
typedef struct { global int *p; } S;
kernel void hidden(S s) {} //~ error[kernel-parameter-type]: a structure passed to a kernel cannot contain pointers before OpenCL
kernel void booleans(bool b) {} //~ error[kernel-parameter-type]: 'bool' cannot be the type of a kernel parameter: the size of bool is
kernel void sizes(size_t n) {} //~ error[kernel-parameter-type]: 'size_t' cannot be the type of a kernel parameter: its size is not

kernel int not_void(global int *p) { return 0; } //~ error[kernel-return-type]: a kernel must return void, not 'int'
