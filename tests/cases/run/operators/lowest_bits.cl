// Elements whose size is no power of two, chosen by the lowest bit of a 64-bit number; a driver takes that bit for set.
// run: --kernel k --global 4 --arg uint[6]:values=1,2,3,11,12,13 --arg ulong[4]:values=30064771078,7,4,0 --arg float[4]:values=0,1,6,9 --arg uint[16] --print out
// prints: out: 2 12 2 2 2 12 12 2 2 12 2 12 13 3 3 13
typedef struct S {
    uint a, b, c;
} S;
kernel void k(global const S *s, global const ulong *n, global const float *f, global uint *out) {
    uint i = (uint)get_global_id(0);
    ulong q = n[i] / (i | 1);
    local S l[2];
    if (i == 0) {
        l[0] = s[0];
        l[1] = s[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[(uint)n[i] & 1].b;
    out[4 + i] = l[(uint)q & 1].b;
    out[8 + i] = s[(uint)convert_ulong_sat(f[i]) & 1].b;
    out[12 + i] = l[~(uint)q & 1].c;
}
