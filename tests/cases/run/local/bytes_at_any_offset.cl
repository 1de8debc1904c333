// Words and longs at odd offsets of local memory, which a local argument and a variable share through one pointer; the
// bytes around them stay (rule L-5).
// run: --kernel k --global 2 --local 2 --arg local:32 --arg uint[8] --print out
// prints: out: 67305985 67305988 134678021 85 67305985 67305988 134678021 85
// no-diagnostics
kernel void k(local uchar *a, global uint *out) {
    local uchar b[32];
    uint i = get_local_id(0);
    for (uint n = i; n < 32; n += 2)
        a[n] = b[n] = 0x55;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uchar *mine = i ? a : b;
    vstore4((uchar4)(1, 2, 3, 4), 0, mine + 3);
    typedef struct __attribute__((packed)) { uchar before[7]; ulong wide; } Odd;
    ((local Odd *)mine)->wide = 0x0908070605040302UL;
    barrier(CLK_LOCAL_MEM_FENCE);
    local uchar *other = i ? b : a;
    typedef struct __attribute__((packed)) { uchar before[3]; uint word; } Three;
    out[i * 4] = ((local Three *)other)->word;
    typedef struct __attribute__((packed)) { uchar before[6]; uint word; } Six;
    out[i * 4 + 1] = ((local Six *)other)->word;
    typedef struct __attribute__((packed)) { uchar before[10]; uint word; } Ten;
    out[i * 4 + 2] = ((local Ten *)other)->word;
    out[i * 4 + 3] = other[15];
}
