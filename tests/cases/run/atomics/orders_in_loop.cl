// Loads and stores with an order, by work-items that leave a loop at different times (OpenCL C §6.15.12.7).
// options: -cl-std=CL2.0
// run: --kernel k --global 20 --local 20 --arg int[20]:range=5 --arg float[20]:range --arg int[20]:const=0 --print out
// prints: out: 21 30 39 48 57 66 75 84 60 66 72 78 84 90 96 102 108 114 120 126
// no-diagnostics
kernel void k(global atomic_int *a, global atomic_float *f, global int *out) {
    int g = get_global_id(0), sum = 0;
    for (int i = g; i < 48; i += 20) {
        int v = atomic_load_explicit(a + g, memory_order_acquire, memory_scope_work_group);
        atomic_store_explicit(a + g, v + 1, memory_order_release, memory_scope_work_group);
        float x = atomic_load_explicit(f + g, memory_order_acquire, memory_scope_work_group);
        atomic_store_explicit(f + g, x + 0.5f, memory_order_release, memory_scope_work_group);
        sum += v + (int)(2 * x);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    }
    out[g] = sum;
}
