// Local pointers passed to functions that index, advance and write through them (rule L-3).
// run: --kernel k --global 8 --local 4 --arg local:32 --arg int[8] --print out
// prints: out: 31 32 33 34 71 72 73 74
// no-diagnostics
int sum(local const int *p, int n) {
    int s = 0;
    while (n--) s += *p++;
    return s;
}

void fill(local int *p, int v) { p[get_local_id(0)] = v; }

kernel void k(local int *a, global int *out) {
    int l = get_local_id(0);
    fill(a, (int)get_global_id(0));
    fill(a + 4, l + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = sum(a, 4) + sum(a + 6, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = a + l * 2;
    p[0] = first;
    p[1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[2 * ((l + 1) % 4)] + sum(&a[1], 1) + l + (get_group_id(0) ? 42 : 18);
}
