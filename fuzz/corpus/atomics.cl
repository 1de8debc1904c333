// Atomic operations of both kinds.
// options: -cl-std=CL2.0
global atomic_flag flag = ATOMIC_FLAG_INIT;
kernel void k(global atomic_int *a, local atomic_uint *b, global int *old, global volatile long *l) {
    int expected = 0;
    atomic_store_explicit(a, 1, memory_order_release, memory_scope_device);
    if (atomic_compare_exchange_strong(a, &expected, 7)) atomic_fetch_add(b, 2);
    old[0] = atomic_add(old + 1, 3) + atomic_cmpxchg(old + 2, 1, expected) + atomic_load(a);
    atomic_flag_test_and_set(&flag);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    atom_max(l, 5L);
}
