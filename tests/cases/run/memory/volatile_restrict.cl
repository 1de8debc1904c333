// volatile, const and restrict on every level; the same loads and stores.
// run: --kernel k --global 2 --arg int[2]:range=3 --arg int[2] --print out
// prints: out: 9 12
// no-diagnostics
kernel void k(volatile global const int *restrict in, global int *const restrict out) {
    volatile int twice = in[get_global_id(0)];
    twice += in[get_global_id(0)];
    int *p = (int *)&twice;
    const int *const q = p;
    out[get_global_id(0)] = twice + *q / 2;
}
