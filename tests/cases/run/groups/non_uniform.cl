// Work-groups that are smaller at the ends of the NDRange, in two dimensions; OpenCL C 1.2 has none.
// no-diagnostics
// run: -cl-std=CL3.0 --kernel sizes --global 7,5 --local 4,3 --arg int[35] --print q
// prints: q: 12 12 12 12 9 9 9 12 12 12 12 9 9 9 12 12 12 12 9 9 9 8 8 8 8 6 6 6 8 8 8 8 6 6 6
// run: --kernel plain --global 7 --local 4 --arg int[7] --print q
// fails: does not divide
#if __OPENCL_C_VERSION__ >= 300
kernel void sizes(global int *q) {
    int i = get_global_linear_id();
    q[i] = work_group_reduce_add(1) == get_local_size(0) * get_local_size(1) ? work_group_reduce_add(1) : -1;
}
#endif
kernel void plain(global int *q) { q[get_global_id(0)] = 1; }
