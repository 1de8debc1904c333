// A loop with two barriers and a switch inside, as an iterative stencil in local memory.
// run: --kernel k --global 8 --local 8 --arg int[8]:values=8,0,0,0,0,0,0,8 --arg int:4 --print a
// prints: a: 9 1 10 10 -6 10 3 9
// no-diagnostics
kernel void k(global int *a, int steps) {
    local int cur[10];
    int i = get_local_id(0) + 1;
    cur[i] = a[i - 1];
    if (i == 1) cur[0] = cur[9] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < steps; ++s) {
        int sum;
        switch (s % 3) {
        case 0: sum = cur[i - 1] + cur[i + 1]; break;
        case 1: sum = cur[i] + 1; break;
        default: sum = cur[i - 1] + cur[i] - cur[i + 1] + 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        cur[i] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[i - 1] = cur[i];
}
