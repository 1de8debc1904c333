// Atomics through generic pointers, to global, local and private memory.
// options: -cl-std=CL2.0
// run: --kernel k --global 6 --local 6 --arg int[1]:const=0 --arg int[3]:const=0 --print g --print out
// prints: g: 4
// prints: out: 4 6 3
// no-diagnostics
kernel void k(global int *g, global int *out) {
    local int l;
    int i = get_local_id(0), x = 0;
    if (i == 0)
        l = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 3 == 0 ? (int *)g : i % 3 == 1 ? (int *)&l : &x;
    atomic_fetch_add_explicit((atomic_int *)p, 1 + i % 3, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit((atomic_int *)p, 1, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (i % 3 == 0)
        atomic_fetch_add_explicit((atomic_int *)p, 1, memory_order_relaxed, memory_scope_work_group);
    if (i % 3 == 1)
        atomic_fetch_or_explicit((atomic_int *)p, 2, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (i == 2) {
        out[0] = *g;
        out[1] = l;
        out[2] = x;
    }
}
