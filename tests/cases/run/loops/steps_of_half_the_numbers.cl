// run: --kernel k --global 2 --local 2 --arg out=uint[4] --print out
// prints: out: 1 1 1 1
// 64-bit counters whose step is 2^63 take one iteration.
// Mesa computed a wrong trip count where a signed comparison was a sum with 2^63, the value after the step.
kernel void k(global uint *out) {
    long step = (long)((ulong)get_local_size(0) + 9223372036854775806ul);
    uint up = 0, down = 0;
    for (long i = (long)0x8000000000000000ul; i < 0; i = (long)((ulong)i + (ulong)step))
        up = up + 1;
    for (long i = 0; i > (long)0x8000000000000000ul; i = (long)((ulong)i + 0x8000000000000000ul))
        down = down + out[get_local_id(0)] + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_local_id(0)] = up;
    out[get_local_id(0) + 2] = down;
}
