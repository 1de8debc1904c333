// async_work_group_copy both ways, strided copies, wait_group_events and prefetch (OpenCL C §6.15.11, rule L-3).
// run: --kernel k --global 8 --local 4 --arg int[16]:range --arg int[16] --arg float3[4]:range --arg float3[4] --print out --print out3
// prints: out: 0 100 1 102 2 104 3 106 8 108 9 110 10 112 11 114
// prints: out3: (10, 11, 12) (7, 8, 9) (4, 5, 6) (1, 2, 3)
// no-diagnostics
void work(local int *l, int i) { l[i] += 0; }

kernel void k(global const int *in, global int *out, global const float3 *in3, global float3 *out3) {
    local int l[8];
    local float3 l3[4];
    int i = get_local_id(0), g = get_group_id(0);
    prefetch(in + g * 8, 8);
    event_t e = async_work_group_copy(l, in + g * 8, 4, 0);
    e = async_work_group_strided_copy(l + 4, in + g * 8, 4, 2, e);
    wait_group_events(1, &e);
    l[i + 4] += 100;
    work(l, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t es[2];
    es[0] = async_work_group_strided_copy(out + g * 8, l, 4, 2, 0);
    es[1] = async_work_group_strided_copy(out + g * 8 + 1, l + 4, 4, 2, 0);
    wait_group_events(2, es);
    es[0] = async_work_group_copy(l3, in3, 4, (event_t)0);
    wait_group_events(1, es);
    if (g == 0)
        out3[3 - i] = l3[i] + 1;
}
