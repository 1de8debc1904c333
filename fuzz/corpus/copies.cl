// Asynchronous copies, barriers, fences, prefetch; local variables in a kernel.
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(global float *g, global int4 *v, local float *l) {
    local int4 tile[64];
    event_t e = async_work_group_copy(tile, v, 64, 0);
    e = async_work_group_strided_copy(l, g, 8, 3, e);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    mem_fence(CLK_LOCAL_MEM_FENCE); prefetch(g, 16);
    v[get_local_id(0)] = tile[get_local_id(1) * 8 + get_local_id(0)] + (int)l[get_local_size(0)];
}
