// Bytes and shorts written by neighbouring work-items, in local and in global memory: none is lost (rule L-5).
// run: --kernel k --global 64 --local 64 --arg uchar[64] --arg ushort[64] --arg uint[2] --print g8:8 --print g16:8 --print bad
// prints: g8: 1 4 7 10 13 16 19 22 …
// prints: g16: 1000 1001 1002 1003 1004 1005 1006 1007 …
// prints: bad: 0 0
// no-diagnostics
kernel void k(global uchar *g8, global ushort *g16, global uint *bad) {
    local uchar l8[64];
    local ushort l16[64];
    uint i = get_local_id(0);
    l8[i] = i * 3;
    l16[i] = i + 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint j = (i * 5 + 1) % 64;
    if (l8[j] != (uchar)(j * 3)) bad[0] = 1;
    if (l16[j] != j + 1000) bad[1] = 1;
    g8[i] = l8[i] + 1;
    g16[i] = l16[i];
}
