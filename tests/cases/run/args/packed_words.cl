// Value arguments whose words lie at odd offsets, on devices without 64-bit integers too.
// run: --kernel k --global 1 --arg bytes:0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20 --arg int[8]:const=0 --print out
// prints: out: 1027 134678021 16 370480147 437852183 7966 27 4657
// no-diagnostics
typedef struct __attribute__((packed)) {
    ushort2 a;
    uint b;
    char c[7];
    char d;
    ushort e;
    uint f;
    float g;
    uchar h[3];
    short i;
    char j;
} S;

kernel void k(S s, global int *out) {
    out[0] = s.a.y;
    out[1] = s.b;
    out[2] = s.d;
    out[3] = s.f;
    out[4] = as_int(s.g);
    out[5] = s.i;
    out[6] = s.h[0];
    out[7] = s.e + s.j;
}
