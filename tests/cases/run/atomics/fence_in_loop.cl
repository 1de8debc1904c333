// Fences in a loop that the work-items leave one by one (c11_atomics/atomic_flag of the conformance tests): they order
// memory, nobody waits there. What the first work-item sees behind the barrier is what all have done.
// options: -cl-std=CL3.0
// run: --kernel k --global 64 --local 64 --arg uint:64 --arg int[64] --arg int[64] --print seen:64
// prints: seen: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// no-diagnostics
kernel void k(uint n, global int *seen, global int *winner) {
    local atomic_flag flags[64];
    uint tid = get_local_id(0);
    if (tid == 0)
        for (uint i = 0; i < n; i++)
            atomic_flag_clear_explicit(flags + i, memory_order_relaxed, memory_scope_work_group);
    winner[tid] = -1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool found = false;
    for (uint i = 0; !found && i < n; i++) {
        bool set = atomic_flag_test_and_set_explicit(&flags[i], memory_order_relaxed, memory_scope_work_group);
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acquire,
                               memory_scope_work_group);
        if (!set) {
            if (winner[i] == -1) {
                winner[i] = tid;
                found = true;
            }
            atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_release,
                                   memory_scope_work_group);
            atomic_flag_clear_explicit(&flags[i], memory_order_relaxed, memory_scope_work_group);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (tid == 0)
        for (uint i = 0; i < n; i++) {
            bool set = atomic_flag_test_and_set_explicit(&flags[i], memory_order_relaxed, memory_scope_work_group);
            seen[i] = set + (winner[i] < 0 ? 2 : 0);
        }
}
