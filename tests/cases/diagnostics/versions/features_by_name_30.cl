// 3.0 made optional what 2.0 has: without the feature it is refused, by name.
// options: -cl-std=CL3.0
global int g = 1; //~ error[program-scope-address-space]: program-scope variable 'g' is in the __global address space; here it must be in __constant
int read(generic int *p) { return *p; } //~ error[generic-unavailable]: the __generic address space needs OpenCL C 2.0, or 3.0 with the feature __opencl_c_generic_address_space
kernel void k(global int *p) {
    static int s; //~ error[static-local]: static variable 's' would be in the __global address space, not in __private; that needs OpenCL C 2.0, or 3.0 with __opencl_c_program_scope_global_variables
    int *q = p; //~ error[address-space]: initializing 'int *' with '__global int *' changes the address space of the pointer from '__global' to '__private'
    p[0] = work_group_reduce_add(1); //~ error[needs-feature]: 'work_group_reduce_add' needs __opencl_c_work_group_collective_functions, which is not available here
    p[1] = sub_group_reduce_add(1); //~ error[needs-feature]: 'sub_group_reduce_add' needs __opencl_c_subgroups, which is not available here
    p[2] = atomic_load((volatile global atomic_int *)p); //~ error[needs-feature]: 'atomic_load' needs __opencl_c_atomic_order_seq_cst, which is not available here
}
