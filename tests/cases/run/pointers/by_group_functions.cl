// A local pointer, as an integer, through the functions of a work-group.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_work_group_collective_functions
// run: --kernel groups --global 4 --local 4 --arg int[12]:const=0 --print out
// prints: out: 12 12 12 12 10 10 10 10 13 13 13 13
kernel void groups(global int *out) {
    local int a[4];
    int i = get_local_id(0);
    a[i] = 10 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong own = (uintptr_t)&a[i];
    out[i] = *(local int *)(uintptr_t)work_group_broadcast(own, 2);
    out[4 + i] = *(local int *)(uintptr_t)work_group_reduce_min(own);
    out[8 + i] = *(local int *)(uintptr_t)work_group_reduce_max(own);
}
