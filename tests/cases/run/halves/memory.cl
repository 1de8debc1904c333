// Halves in memory: vectors of every width, arguments by value, records, local and private arrays, shuffles, asynchronous copies (cl_khr_fp16).
// run: --kernel k --global 4 --local 4 --arg half[32]:range --arg half4:1,2,3,4 --arg half[64] --arg int[8] --arg local:16 --print out --print n
// prints: out: 3 4 5 0 0 6 7 8 9 10 11 12 13 14 15 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 1 2 3 4 3 7 0 31 0 2 4 6 8 10 12 14
// prints: n: 10 20 9 12 28 16 34 0
// no-diagnostics
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
struct pair { char tag; half h; half3 v; };
kernel void k(global const half *in, half4 value, global half *out, global int *n, local half *scratch) {
    size_t i = get_local_id(0);
    local half staged[8];
    event_t copied = async_work_group_copy(staged, in, 8, 0);
    wait_group_events(1, &copied);
    scratch[i] = staged[2 * i];
    scratch[i + 4] = staged[7 - i] * 2.0h;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        vstore3(vload3(1, in), 0, out);
        vstore2(vload2(3, in), 0, out + 5);
        vstore8(vload8(1, in), 0, out + 7);
        vstore16(vload16(1, in), 2, out);
        vstore4(value, 12, out);
        half8 eight = vload8(0, in);
        vstore4(shuffle2(eight, vload8(3, in), (ushort4)(3, 7, 0, 15)), 13, out);
        half private_array[8];
        for (int j = 0; j < 8; j++) private_array[(j * 3) & 7] = in[(j * 3) & 7];
        half sum = 0.0h;
        for (int j = 0; j < 8; j++) sum += private_array[j];
        n[4] = (int)sum;
        struct pair p = {1, in[9], (half3)(in[3], in[4], in[5])}, q = p;
        n[0] = (int)(value.x + value.y + value.z + value.w);
        n[1] = (int)(scratch[0] + scratch[1] + scratch[2] + scratch[3] + scratch[7]);
        n[2] = (int)q.h;
        n[3] = (int)(q.v.x + q.v.y + q.v.z);
        n[5] = sizeof(half16) / 2;
        n[6] = (int)(shuffle(eight, (ushort2)(7, 0)).x * 2.0h + vload_half(20, in));
        for (int j = 0; j < 8; j++) out[56 + j] = eight[j] + eight[j];
    }
}
