// Constants in an index of type int are added to the wide index; unsigned indices wrap at 32 bits.
// no-diagnostics
// run: --kernel sums --global 1 --arg int[8]:range --arg int[6] --arg int:4 --arg int:2 --print out
// prints: out: 3 5 5 1 7 0
kernel void sums(global const int *in, global int *out, int four, int two) {
    const int minus_two = -two;
    out[0] = in[four - 1];
    out[1] = in[1 + four];
    out[2] = in[(four + 2) - 3 + 2];
    out[3] = in[minus_two + 3];
    out[4] = (in + 7)[-4 + four];
    // 4294967294 + 2
    out[5] = in[(uint)minus_two + 2u];
}

// Rows of private and local arrays.
// run: --kernel rows --global 4 --local 4 --arg int[4] --print out
// prints: out: 11 12 13 14
kernel void rows(global int *out) {
    const int x = get_local_id(0);
    local int tile[3][6];
    int mine[4] = {1, 2, 3, 4};
    for (int i = 0; i < 3; i++)
        tile[i][x + 1] = 10 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] = tile[(x - x) + 1][x + 2 - 1] + mine[x + 3 - 3];
}
