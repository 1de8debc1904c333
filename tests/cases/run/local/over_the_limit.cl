// Local memory beyond the device's limit is refused with both sizes, before the driver sees it (rule L-4).
// run: --kernel k --global 4 --local 4 --arg local:1000000 --arg int[4]
// fails: local memory
// run: --kernel big --global 4 --local 4 --arg int[4]
// fails: 4194304 bytes of local memory, of which it has
// no-diagnostics
kernel void k(local int *a, global int *out) {
    a[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[3 - get_local_id(0)];
}

kernel void big(global int *out) {
    local int a[1 << 20];
    a[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[3 - get_local_id(0)];
}
