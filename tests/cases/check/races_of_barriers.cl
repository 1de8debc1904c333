// Barriers that do not order what they stand between: one that names no memory, and one before the wait for an async copy.
// run: --check=races --kernel no_memory --global 4 --local 4 --arg int[4] --arg local:32
// reports: 11 races: a write of 4 bytes of the __local memory of argument 1 'x', and another work-item writes it without an order between them
// run: --check=1,races --kernel before_wait --global 4 --local 4 --arg int[4]:range --arg int[4] --arg local:16
// reports: 19 races: a read of 4 bytes of the __local memory of argument 2 'x', and another work-item writes it without an order between them
// run: --check=1,races --kernel after_wait --global 4 --local 4 --arg int[8]:range --arg int[4] --arg local:32 --print b
// prints: b: 7 7 7 7

kernel void no_memory(global int *a, local int *x) {
    int i = get_local_id(0);
    x[i] = i; barrier(0); x[i + 1] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = x[i];
}

kernel void before_wait(global int *a, global int *b, local int *x) {
    event_t e = async_work_group_copy(x, a, 4, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_local_id(0)] = x[get_local_id(0)];
    wait_group_events(1, &e);
}

kernel void after_wait(global int *a, global int *b, local int *x) {
    int i = get_local_id(0), sum = 0;
    event_t e = async_work_group_copy(x, a, 4, 0);
    for (int n = 0; n < 2; n++) {
        wait_group_events(1, &e);
        if (n == 0) e = async_work_group_copy(x + 4, a + 4, 4, 0);
        sum += x[4 * n + (n ? i : 3 - i)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    b[i] = sum;
}
