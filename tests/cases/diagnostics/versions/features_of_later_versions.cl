// What came after 1.2 is refused there, by name.
global int g = 1; //~ error[program-scope-address-space]: program-scope variable 'g' is in the __global address space; here it must be in __constant
int read(generic int *p) { return *p; } //~ error[generic-unavailable]: the __generic address space needs OpenCL C 2.0
kernel void k(global int *p) {
    static int s; //~ error[static-local]: static variable 's' would be in the __global address space, not in __private; that needs OpenCL C 2.0, or 3.0 with __opencl_c_program_scope_global_variables
    int *q = p; //~ error[address-space]: initializing 'int *' with '__global int *' changes the address space of the pointer from '__global' to '__private'
    work_group_barrier(CLK_LOCAL_MEM_FENCE); //~ error[undeclared-function]: call of undeclared function 'work_group_barrier'
    p[1] = sub_group_reduce_add(1); //~ error[needs-feature]: 'sub_group_reduce_add' needs cl_khr_subgroups, which is not available here
}
