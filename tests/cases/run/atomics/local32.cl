// Atomics on local memory give the old value; each work-item gets its own ticket.
// run: --kernel k --global 64 --local 32 --arg uint[64] --arg int[4] --arg local:4 --print seen:64 --print sums
// prints: seen: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// prints: sums: 496 1520 992 1
// no-diagnostics
kernel void k(global uint *seen, global int *sums, local uint *counter) {
    local int sum;
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0) {
        sum = 0;
        *counter = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint ticket = atomic_inc(counter);
    atomic_add(&sum, (int)get_global_id(0));
    atomic_add(seen + g * 32 + ticket, 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) sums[g] = sum;
    atomic_add(sums + 2, (int)ticket);
    if (g == 0 && l == 31) sums[3] = atomic_xchg(counter, 0u) == 32;
}
