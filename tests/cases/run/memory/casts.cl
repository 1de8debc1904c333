// Memory written as one type and read as another, in global, local and private memory.
// run: --kernel k --global 1 --local 1 --arg uint[12] --print out
// prints: out: 287454020 17 256 1144201745 67305985 513 2596069104 305419896 1065353216 16256 3 134
// no-diagnostics
kernel void k(global uint *out) {
    global uchar *g = (global uchar *)out;
    g[0] = 0x44, g[1] = 0x33, g[2] = 0x22, g[3] = 0x11;
    out[1] = g[3];
    out[2] = *(global ushort *)g & 0xd10;
    uchar p[4] = { 0x11, 0x22, 0x33, 0x44 };
    out[3] = as_uint(*(uchar4 *)p);
    local uint l[2];
    local uchar *lc = (local uchar *)l;
    for (int i = 0; i < 8; i++) lc[i] = i + 1;
    out[4] = l[0];
    out[5] = *(local ushort *)l;
    *(global ulong *)(out + 6) = 0x123456789abcdef0UL;
    float f = 1.0f;
    out[8] = *(uint *)&f;
    out[9] = ((ushort *)&f)[1];
    long w = 0x300000002L;
    out[10] = ((int *)&w)[1];
    *(local ushort *)(lc + 2) = 0x8686;
    out[11] = lc[3];
}
