// A barrier in a branch and a loop that all work-items of the group take.
// run: --kernel k --global 8 --local 4 --arg int[8]:range --arg int:1 --print a
// prints: a: 3 2 1 0 4 5 6 7
// no-diagnostics
kernel void k(global int *a, int flag) {
    local int l[4];
    int i = get_local_id(0);
    if (flag && get_group_id(0) == 0) {
        l[i] = a[get_global_id(0)];
        while (1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (flag++ > 2) break;
        }
        a[get_global_id(0)] = l[3 - i];
    }
}
