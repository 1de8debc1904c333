// cl_khr_kernel_clock: every scope's clock goes on, in both forms, and nothing goes past it.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_kernel_clock __opencl_c_kernel_clock_scope_device __opencl_c_kernel_clock_scope_work_group __opencl_c_kernel_clock_scope_sub_group
// run: --kernel clocks --global 64 --local 16 --arg int[64] --arg uint[64]:range --print q:4 --print work:3
// prints: q: 1 1 1 1 …
// prints: work: 10000 10001 10002 …
// refused[swiftshader phone-1.1]: kernel_clock
kernel void clocks(global int *q, global uint *work) {
    int i = get_global_id(0);
    ulong device = clock_read_device(), group = clock_read_work_group(), sub = clock_read_sub_group();
    uint2 device2 = clock_read_hilo_device(), group2 = clock_read_hilo_work_group(), sub2 = clock_read_hilo_sub_group();
    for (int n = 0; n < 1000; n++)
        work[i] += 10;
    ulong later = clock_read_device() - device, later_group = clock_read_work_group() - group;
    ulong later_sub = clock_read_sub_group() - sub;
    // Ten thousand reads and writes of memory take some ticks of any clock; none takes half of its range.
    int good = later > 0 && later < 1ul << 63 && later_group > 0 && later_group < 1ul << 63;
    good &= later_sub > 0 && later_sub < 1ul << 63;
    ulong between = (as_ulong(device2) - device) | (as_ulong(group2) - group) | (as_ulong(sub2) - sub);
    q[i] = good && between < 1ul << 40;
}
