// `atomic_init` is no atomic operation: its object may be in any memory, private too.
// options: -cl-std=CL2.0
// run: --kernel k --global 1 --arg int[2] --arg int[1] --print p --print g
// prints: p: 7 0
// prints: g: 9
kernel void k(global int *p, global atomic_int *g) {
    atomic_int own;
    local atomic_int shared;
    atomic_init(&own, 5);
    atomic_init(&shared, 7);
    atomic_init(g, 9);
    p[0] = atomic_load_explicit(&shared, memory_order_relaxed, memory_scope_work_group);
}
