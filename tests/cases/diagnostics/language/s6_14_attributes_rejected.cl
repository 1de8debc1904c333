// §6.14: attributes in wrong places and with wrong arguments; unknown ones with a warning.
__attribute__((reqd_work_group_size(1, 1, 1))) void f(void) {} //~ error[attribute-needs-kernel]: attribute 'reqd_work_group_size' can only be applied to a kernel function
kernel __attribute__((reqd_work_group_size(1, 1))) void a(void) {} //~ error[attribute-argument]: attribute 'reqd_work_group_size' takes 3 argument(s), 2 given
kernel __attribute__((reqd_work_group_size(0, 1, 1))) void b(void) {} //~ error[attribute-argument]: attribute 'reqd_work_group_size' takes positive integer constants as arguments
kernel __attribute__((reqd_work_group_size(1, 1, 1), reqd_work_group_size(2, 1, 1))) void c(void) {} //~ error[conflicting-attribute]: attribute 'reqd_work_group_size' is given twice with different sizes
kernel __attribute__((vec_type_hint(int *))) void d(void) {} //~ error[attribute-argument]: 'vec_type_hint' takes a scalar or vector type, not 'int *'
__attribute__((whatever(1, "x"))) void g(void) {} //~ warning[unknown-attribute]: unknown attribute 'whatever' is ignored
kernel void k(global int *p) {
    int x __attribute__((aligned(3))); //~ error[invalid-alignment]: requested alignment 3 is not a power of two of at most 4096
    __attribute__((opencl_unroll_hint(2))) x = 1; //~ warning[misplaced-unroll]: an unroll hint has no effect on anything but a loop
    __attribute__((opencl_unroll_hint(-1))) for (;;) break; //~ error[attribute-argument]: attribute 'opencl_unroll_hint' takes positive integer constants as arguments
}
kernel void __attribute__((overloadable)) l(global int *p) {} //~ error[overloaded-kernel]: a kernel cannot be overloadable
