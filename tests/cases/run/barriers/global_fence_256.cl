// barrier(CLK_GLOBAL_MEM_FENCE) in a work-group of more than 128 work-items: writes to global memory are seen.
// run: --kernel k --global 512 --local 256 --arg int[512] --arg int[512] --print bad:1
// prints: bad: 0 …
// no-diagnostics
kernel void k(global int *a, global int *bad) {
    int i = get_global_id(0), l = get_local_id(0), base = i - l;
    a[i] = i * 7;
    barrier(CLK_GLOBAL_MEM_FENCE);
    int other = base + (l + 129) % 256;
    if (a[other] != other * 7) bad[0] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    a[base + 255 - l] = l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (a[i] != 255 - l) bad[0] = 1;
}
