// Atomics on members of structs and elements of arrays in local and global memory.
// run: --kernel k --global 16 --local 8 --arg int[8] --print a
// prints: a: 0 120 16 8 28 28 64 0
// no-diagnostics
typedef struct { int pad; int sum; uint hits[2]; } A;

kernel void k(global A *a) {
    local A l;
    int i = get_local_id(0);
    if (i == 0) {
        l.sum = 0;
        l.hits[0] = l.hits[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&a->sum, (int)get_global_id(0));
    atomic_inc(&a->hits[0]);
    atomic_add(&l.sum, i);
    atomic_inc(&l.hits[i & 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        if (get_group_id(0) == 0) a->hits[1] = l.hits[0] + l.hits[1];
        a[1].pad = l.sum;
        atomic_xchg(&a[1].sum, l.sum);
        a[1].hits[0] = l.hits[1] * 16;
    }
}
