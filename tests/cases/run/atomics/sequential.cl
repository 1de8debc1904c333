// Sequentially consistent operations of every kind, with releases and a barrier among them: each is preceded by an increment of a
// hidden word (docs/explanation/memory-model.md), which changes no result, in both memories.
// options: -cl-std=CL2.0
// run: --kernel k --global 64 --local 16 --arg int[8] --arg int[64] --print g --print o
// prints: g: 64 64 0 5 192 2 0 0
// prints: o: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
kernel void k(global int *g, global int *o) {
    volatile global atomic_int *a = (volatile global atomic_int *)g;
    local atomic_int l;
    if (get_local_id(0) == 0) atomic_init(&l, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(&a[0], 1);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    atomic_fetch_add_explicit(&a[1], 1, memory_order_release, memory_scope_device);
    atomic_store(&a[3], 5);
    int expected = 0;
    if (get_global_id(0) == 0) {
        atomic_store_explicit(&a[5], 1, memory_order_release);
        expected = 1;
        if (atomic_compare_exchange_strong(&a[5], &expected, 2)) atomic_flag_clear((volatile global atomic_flag *)&a[2]);
    }
    atomic_fetch_add_explicit(&l, 3, memory_order_seq_cst, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_fetch_add(&a[4], atomic_load(&l));
    o[get_global_id(0)] = atomic_load_explicit(&l, memory_order_seq_cst, memory_scope_work_group) - 48;
}
