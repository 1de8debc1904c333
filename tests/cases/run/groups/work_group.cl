// Work-group functions in two groups of 11, and in three dimensions; one of them in a loop and behind a condition that all agree on.
// options: -cl-std=CL3.0
// no-diagnostics
// features: __opencl_c_work_group_collective_functions
// run: --kernel sums --global 22 --local 11 --arg int[22]:range --arg int[22] --arg int[22] --print q --print r
// prints: q: 55 55 55 55 55 55 55 55 55 55 55 176 176 176 176 176 176 176 176 176 176 176
// prints: r: 0 0 1 3 6 10 15 21 28 36 45 0 11 23 36 50 65 81 98 116 135 155
// run: --kernel turns --global 6,2,2 --local 3,2,1 --arg int[4] --print q
// prints: q: 1800 3600 5400 7200
kernel void sums(global int *p, global int *q, global int *r) {
    int i = get_global_id(0);
    q[i] = work_group_reduce_add(p[i]);
    r[i] = work_group_scan_exclusive_add(p[i]);
}
kernel void turns(global int *q) {
    int group = get_group_id(0) + 2 * get_group_id(2), sum = 0;
    for (int i = 0; i < 3 * (group + 1); i++) {
        if (work_group_any(i % 2 == 0))
            sum += work_group_broadcast((int)get_local_id(0) * 100 + (int)get_local_id(1) * 1000, i % 3, 1, 0) / 10 * 0;
        sum += work_group_reduce_max((int)get_local_linear_id()) * 20;
        sum += work_group_all(get_local_id(0) < 3) * 500;
    }
    if (get_local_linear_id() == 0)
        q[group] = sum;
}
