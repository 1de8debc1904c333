// What branches say of the numbers that they compare: tests and cases behind them that they decide, at the ends of the types, with and without signs,
// of sums with constants that wrap around.
// no-diagnostics
// run: --kernel k --global 16 --local 8 --arg a=int[16]:values=0,1,2,3,4,5,6,7,8,9,-1,-2,2147483647,-2147483648,2147483645,255 --arg out=uint[128]:zero --print out
// prints: out: 7 1036 34 128 15 128 79 50 9 1036 34 128 1114 0 79 1 50 1036 34 128 11113 0 79 7 50 1120 10 128 21112 0 79 2 50 1120 34 128 31111 0 12 50 50 1120 34 416 41110 0 79 50 1 1120 34 128 51100 0 79 50 7 1120 33 128 60000 0 79 50 2 1120 34 128 60000 0 79 50 50 1120 34 128 60000 0 79 50 50 1044 14 10 6 10 79 50 50 1044 2 2 6 10 79 50 50 1632 34 138 60000 10 79 50 50 2052 34 0 6 512 79 50 50 1120 20 130 60000 10 79 50 50 1120 34 138 60000 0 79 50
uint within(uint x) {
    if (x <= 1) { switch (x) { case 0: return 7; case 2: return 8; case 1: return 9; default: return 10; } }
    if (x > 5 && x < 9) {
        if (x == 5) return 11;
        if (x != 9) switch (x) { case 6: return 1; case 8: return 2; case 9: return 3; case 5: return 4; }
        return x;
    }
    return 50;
}
uint signs(int x) {
    uint r = 0;
    if (x < 3) { r += x == 3; r += 2 * (x > 4); r += 4 * (x < 4); r += 8 * ((uint)x < 3u); r += 16 * ((uint)x > 0x80000000u); }
    else { r += 32 * (x >= 3); r += 64 * ((uint)x >= 3u); r += 128 * (x == 2); r += 256 * (x < 0); r += 512 * (x == 0x7fffffff); }
    if (x > -0x7fffffff - 1) r += 1024 * (x != -0x7fffffff - 1);
    else r += 2048 * (x < -5);
    return r;
}
uint sums(int x) {
    uint r = 0;
    switch (x + 2) {
    case -0x7fffffff - 1: r = 1; break;
    case 0: r = 2; break;
    case 1: r = 3; if (x == -1) r = 4;
    case 5: r += 10; break;
    case 0x7fffffff: r = 20; break;
    default:
        if (x == -2) r = 30;
        else switch (x) { case -2: r = 31; break; case 3: r = 32; break; case 7: r = 33; break; default: r = 34; }
    }
    return r;
}
uint small(uchar c, short s, ulong w) {
    uint r = 0;
    if (c > 200) { r += c == 200; r += 2 * (c > 100); switch (c) { case 7: r += 4; break; case 255: r += 8; break; } }
    if (s != -1) r += 16 * (s == -1) + 32 * (s == 5);
    if (w < 0x100000000ul) r += 64 * (w == 0x100000005ul) + 128 * (w <= 0xffffffffu);
    switch (w) { case 5: r += 256; break; case 0x8000000000000000ul: r += 512; break; default: if (w == 5) r += 1024; }
    return r;
}
uint loops(int x) {
    uint r = 0;
    for (int i = 0; i < 6; i++) {
        if (x < i) { if (x == i) return 99; r++; continue; }
        switch (x - i) { case 0: r += 10; break; case 1: r += 100; if (x == i + 1) r += 1000; break; default: r += 10000 * (x > i); }
    }
    return r;
}
kernel void k(global const int *a, global uint *out) {
    uint id = get_global_id(0);
    int x = a[id];
    global uint *p = out + 8 * id;
    p[0] = within(x);
    p[1] = signs(x);
    p[2] = sums(x);
    p[3] = small(x, x, (ulong)x);
    p[4] = loops(x);
    p[5] = small(x >> 8, x >> 16, (ulong)x << 32);
    p[6] = x == 4 ? (x < 5 ? x * 3 : 77) : (x == 4 ? 78 : 79);
    p[7] = within(x + 5);
}
