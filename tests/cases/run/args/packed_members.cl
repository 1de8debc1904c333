// Value arguments whose members lie at odd offsets.
// run: --kernel k --global 1 --arg bytes:0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20 --arg int[8]:const=0 --print out
// prints: out: 770 117835012 269422093 202050057 370480147 437852183 7966 60
// no-diagnostics
typedef struct __attribute__((packed)) {
    char a;
    ushort b;
    uint c;
    char d;
    ulong e;
    ushort f;
    uint g;
    float h;
    uchar i[3];
    short j;
    char k;
} S;

kernel void k(S s, global int *out) {
    out[0] = s.b;
    out[1] = s.c;
    out[2] = (uint)(s.e >> 32);
    out[3] = (uint)s.e;
    out[4] = s.g;
    out[5] = as_int(s.h);
    out[6] = s.j;
    out[7] = s.i[1] + s.k;
}
