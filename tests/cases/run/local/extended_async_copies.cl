// cl_khr_extended_async_copies and cl_khr_async_work_group_copy_fence: lines and planes with offsets, of elements of any size, both ways;
// an event that goes through several copies; copies that follow others through the same memory.
// options: -cl-std=CL1.2
// no-diagnostics
// features: cl_khr_extended_async_copies cl_khr_async_work_group_copy_fence
// run: --kernel lines --global 10 --local 5 --arg int[1] --arg uchar[600]:range --arg uchar[600] --print wrong
// prints: wrong: 0
// run: --kernel planes --global 7 --local 7 --arg int[1] --arg ushort[512]:range --arg ushort[512] --print wrong
// prints: wrong: 0
// run: --kernel fenced --global 6 --local 6 --arg int[64]:range --arg int[64] --print q:16
// prints: q: 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 …
#define FOR(i, n) for (int i = 0; i < n; i++)
// Each group copies 4 lines of 5 elements of 3 bytes from a place that is 9 elements wide, into one that is 7 wide, and back into the
// middle of a place that is 6 wide.
kernel void lines(global int *wrong, const global uchar *p, global uchar *q) {
    local uchar block[120];
    int first = get_group_id(0) * 300;
    FOR(i, 24)
        block[get_local_id(0) * 24 + i] = 255;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy_2D2D(block, 2, p + first, 11, 3, 5, 4, 9, 7, 0);
    wait_group_events(1, &e);
    FOR(y, 4) FOR(x, 7) FOR(b, 3) {
        int at = (2 + y * 7 + x) * 3 + b, from = first + (11 + y * 9 + x) * 3 + b;
        if (block[at] != (x < 5 ? (uchar)from : 255))
            atomic_inc(wrong);
    }
    e = async_work_group_copy_2D2D(q + first, 1, block, 2, 3, 5, 4, 7, 6, 0);
    wait_group_events(1, &e);
    barrier(CLK_GLOBAL_MEM_FENCE);
    FOR(y, 4) FOR(x, 6) FOR(b, 3) {
        int at = first + (1 + y * 6 + x) * 3 + b, from = first + (11 + y * 9 + x) * 3 + b;
        if (q[at] != (x < 5 ? (uchar)from : 0))
            atomic_inc(wrong);
    }
}
// 3 planes of 2 lines of 4 elements.
kernel void planes(global int *wrong, const global ushort *p, global ushort *q) {
    local ushort block[256];
    event_t e = async_work_group_copy_3D3D(block, 5, p, 3, 2, 4, 2, 3, 6, 20, 8, 24, 0);
    wait_group_events(1, &e);
    FOR(z, 3) FOR(y, 2) FOR(x, 4)
        if (block[5 + z * 24 + y * 8 + x] != 3 + z * 20 + y * 6 + x)
            atomic_inc(wrong);
    e = async_work_group_copy_3D3D(q, 7, block, 5, 2, 4, 2, 3, 8, 24, 5, 11, 0);
    // A strided copy is one of lines of one element.
    e = async_work_group_copy_2D2D(q, 300, block, 5, 2, 1, 2, 8, 1, e);
    wait_group_events(1, &e);
    barrier(CLK_GLOBAL_MEM_FENCE);
    FOR(z, 3) FOR(y, 2) FOR(x, 5)
        if (q[7 + z * 11 + y * 5 + x] != (x < 4 ? 3 + z * 20 + y * 6 + x : 0))
            atomic_inc(wrong);
    if (q[300] != 3 || q[301] != 9 || q[302] != 0)
        atomic_inc(wrong);
}
// The second copy reads what the first wrote; nobody waits between.
kernel void fenced(const global int *p, global int *q) {
    local int block[8];
    event_t e = async_work_group_copy(block, p + 8, 8, 0);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(q, block, 8, e);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    e = async_work_group_copy(block, p, 8, e);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(q + 8, block, 8, e);
    wait_group_events(1, &e);
}
