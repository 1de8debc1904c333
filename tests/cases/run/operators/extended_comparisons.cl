// Signed 64-bit integers that were ints, compared with what only the driver finds to be constant: a loop's first count, what a
// builtin gives for a constant, what memory holds. (Mesa 22.3 takes -2^31 for 2^31 there.)
// run: --kernel k --global 1 --arg out=int[12] --arg in=int[5]:values=0,1,-1,7,-3 --print out
// prints: out: 0 1 0 1 0 1 0 1 1 0 1 4
kernel void k(global int *out, global int *in) {
    for (uint i = 0; i < 1; i++) {
        out[0] = (long)i < (long)in[0];
        out[1] = (long)i < (long)in[1];
        out[2] = (long)i >= (long)in[1];
        out[3] = (long)i >= (long)in[2];
        out[4] = (long)in[0] < (long)i;
        out[5] = (long)in[2] < (long)i;
        out[6] = (long)in[2] >= (long)i;
        out[7] = (long)in[0] >= (long)i;
        long2 lanes = (long2)((long)i, (long)in[3]);
        out[8] = any(lanes < (long2)(1, (long)in[4]));
        out[9] = any(lanes < (long2)((long)in[4], 7));
    }
    union { ulong whole; uint words[2]; } u[2];
    u[in[0]].whole = (ulong)in[0];
    u[in[1]].whole = (ulong)in[1];
    out[10] = (long)u[in[0]].whole <= 0;
    int turns = 0;
    while (clz(0l) < (long)(in[1] * 61 + turns)) turns++;
    while (clz(0l) >= (long)(in[1] * 61 + turns)) turns++;
    out[11] = turns;
}
