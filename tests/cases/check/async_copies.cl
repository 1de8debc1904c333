// Async copies and waits that are not the same in all work-items of a work-group, and races with them.
// run: --check=barriers --kernel other_size --global 8 --local 4 --arg int[8] --arg local:16
// reports: 23 barriers: an async copy whose arguments are not the same in all work-items
// run: --check=barriers --kernel one_more --global 4 --local 4 --arg int[8] --arg local:16
// reports: 32 barriers: a barrier that 1 of the 4 work-items of a work-group reach
// run: --check=barriers --kernel not_awaited --global 4 --local 4 --arg int[8] --arg local:16
// reports: 38 barriers: an async copy for which nobody waits before the kernel ends
// run: --check=barriers --kernel other_event --global 2 --local 2 --arg int[8] --arg local:16
// reports: 47 barriers: a wait for events that are not the same in all work-items
// reports: 48 barriers: a wait for events that are not the same in all work-items
// run: --check=barriers --kernel no_event --global 4 --local 4 --arg int[8]
// reports: 53 barriers: a wait for an event that no async copy gave
// run: --check=races --kernel written_before --global 4 --local 4 --arg int[8]:range --arg local:16
// reports: 60 races: a write of 4 bytes of the __local memory of argument 1 'x', and another work-item writes it without an order between them
// run: --check=bounds --kernel beyond --global 4 --local 4 --arg int[8] --arg local:12
// reports: 66 bounds: a write of 4 bytes beyond the __local memory of argument 1 'x'
// run: --check=1,races --kernel right --global 4 --local 4 --arg int[8]:range --arg local:32 --print a
// prints: a: 3 2 1 0 7 6 5 4

kernel void other_size(global int *a, local int *x) {
    int i = get_local_id(0);
    size_t size = i == 3 ? 1 : 4;
    event_t e = async_work_group_copy(x, a, size, 0);
    wait_group_events(1, &e);
    a[i] = x[i];
}

kernel void one_more(global int *a, local int *x) {
    int i = get_local_id(0);
    event_t e = async_work_group_copy(x, a, 4, 0);
    if (i == 0)
        e = async_work_group_copy(x, a, 1, e);
    wait_group_events(1, &e);
    a[i] = x[i];
}

kernel void not_awaited(global int *a, local int *x) {
    event_t e = async_work_group_copy(x, a, 4, 0);
}

kernel void other_event(global int *a, local int *x) {
    int i = get_local_id(0);
    event_t e[2];
    e[0] = async_work_group_copy(x, a, 1, 0);
    e[1] = async_work_group_copy(x + 1, a + 1, 1, 0);
    // Each of them waits for another one first.
    wait_group_events(1, e + i);
    wait_group_events(1, e + 1 - i);
}

kernel void no_event(global int *a) {
    event_t e = 0;
    wait_group_events(1, &e);
    a[0] = 1;
}

kernel void written_before(global int *a, local int *x) {
    int i = get_local_id(0);
    x[i] = 0;
    event_t e = async_work_group_copy(x, a, 4, 0);
    wait_group_events(1, &e);
    a[i] = x[i];
}

kernel void beyond(global int *a, local int *x) {
    event_t e = async_work_group_copy(x, a, 4, 0);
    wait_group_events(1, &e);
}

kernel void right(global int *a, local int *x) {
    int i = get_local_id(0);
    event_t e[2];
    for (int j = 0; j < 2; j++)
        e[j] = async_work_group_copy(x + 4 * j, a + 4 * j, 4, 0);
    wait_group_events(2, e);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    a[i] = x[3 - i];
    a[4 + i] = x[7 - i];
}
