// memcpy, memmove, memset: known and unknown sizes, all address spaces, overlap.
// options: -cl-std=CL3.0
// run: --kernel k --global 1 --arg uint[128]:range=1 --arg int:12 --print p
// prints: p: 1 1 2 3 4 6 7 8 2880154539 2880154539 65803 12 202116108 202116108 202116108 16 17 18 19 20 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 16843009 61 62 63 64 1065353216 1 2 3 11 12 13 14 1065353216 1065353216 1 2 11 13 14 14 0 21211 33686018 16843009 85 86 87 88 89 90 5 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128
// no-diagnostics
struct S { int a; char b[3]; float c; };

constant uint table[4] = { 11, 12, 13, 14 };

kernel void k(global uint *p, int n) {
    local uint shared[8];
    uint own[8];
    float f = 1.0f;
    __builtin_memcpy(&own[0], &f, 4);                 // 0x3f800000
    __builtin_memcpy(own + 1, p, 3 * sizeof(uint));   // 1 2 3
    __builtin_memcpy(own + 4, table, sizeof(table));
    for (int i = 0; i < 8; i++) p[64 + i] = own[i];
    __builtin_memcpy(shared, own, n + 20);            // unknown size, 32
    __builtin_memmove(shared + 1, shared, n);         // forwards over itself
    __builtin_memmove(shared + 5, shared + 6, n - 4); // backwards
    for (int i = 0; i < 8; i++) p[72 + i] = shared[i];
    __builtin_memmove(p + 1, p, 16);                  // known size
    __builtin_memset(p + 8, 0xab, 8);
    __builtin_memset((global char *)(p + 10) + 1, 1, 2);
    __builtin_memset(p + 12, n, n);
    __builtin_memset(own, 0, sizeof(own));
    p[80] = own[0] + own[7];
    struct S s = { 1, "xy", 2.0f }, t;
    __builtin_memcpy(&t, &s, sizeof(s));
    p[81] = t.a + t.b[1] * 10 + (uint)t.c * 10000;
    global uint *end = (global uint *)__builtin_memset(p + 90, 0xff, 0);
    *end = 5;
    uint big[40];
    __builtin_memset(big, 1, sizeof(big));
    p[82] = big[0] + big[39];
    __builtin_memcpy(p + 20, big, sizeof(big));
    p[83] = p[59];
}
