// In-kernel local arrays and local arguments side by side, each its own storage and alignment (rule L-1).
// run: --kernel k --global 4 --local 4 --arg local:16 --arg local:3 --arg local:512 --arg uint[8] --print out
// prints: out: 10 1210 6 60 0 0 0 1
// no-diagnostics
kernel void k(local int *a, local uchar *b, local long16 *c, global uint *out) {
    local int mine[4];
    local double16 wide[2];
    uint i = get_local_id(0);
    a[i] = i + 1;
    if (i < 3) b[i] = i + 1;
    c[i] = (long16)(i * 10);
    mine[i] = 100 * i + 3;
    if (i < 2) wide[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        out[0] = a[0] + a[1] + a[2] + a[3];
        out[1] = mine[0] + mine[1] + mine[2] + mine[3] + 598;
        out[2] = b[0] + b[1] + b[2];
        out[3] = c[0].s0 + c[1].s5 + c[2].sa + c[3].sf;
        out[4] = (uintptr_t)c % 128;
        out[5] = (uintptr_t)wide % 128;
        out[6] = (uintptr_t)a % 4 + (uintptr_t)mine % 4;
        out[7] = wide[1].s7;
    }
}
