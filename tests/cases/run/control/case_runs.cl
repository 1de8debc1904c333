// Long runs of cases: across zero, at the ends of the type, with holes, with values of their own, falling into others, for 8 and 64 bits; and
// conditions that stand behind branches of their own.
// no-diagnostics
// run: --kernel k --global 24 --arg x=int[24]:values=-2147483648,-2147483640,-2147483639,-9,-8,-1,0,1,5,6,7,9,10,11,63,64,65,100,255,256,257,1000,2147483647,2147483640 --arg out=int[144] --print out
// prints: out: 2 3 1100 1 3 640 2 3 1100 2 3 640 0 3 1100 2 3 640 0 2 1100 1 1 640 1 2 1100 1 1 640 1 2 1100 1 1 640 1 1 1100 1 1 640 1 1 11 2 3 640 1 1 11 2 3 640 1 1 11 2 3 3008 5 1 11 2 3 3008 4 1 11 2 3 3008 4 3 11 2 3 3008 4 3 10 2 3 3003 0 3 10 2 3 3003 0 3 10 2 3 3003 0 3 1100 2 3 3003 6 3 1100 2 3 3003 0 3 1100 1 3 3003 0 3 1000 1 3 3003 0 3 1000 2 3 3003 0 3 1100 3 3 3003 3 3 1100 1 2 3003 3 3 1100 1 2 3003
int signed_runs(int v) {
    switch (v) {
    case -8 ... 6: return 1;
    case -2147483647 - 1 ... -2147483640: return 2;
    case 2147483640 ... 2147483647: return 3;
    case 8 ... 20: case 22 ... 60: return 4;
    case 7: return 5;
    case 100: case 99: case 101: case 98: case 102: case 97: return 6;
    }
    return 0;
}
int unsigned_runs(uint v) {
    int r = 10;
    switch (v) {
    case 0 ... 9: r = 1; break;
    case 0xfffffff0u ... 0xffffffffu: r = 2; break;
    default: r = 3;
    }
    return r;
}
int falling(int v) {
    int r = 0;
    switch (v) {
    case 1 ... 10: r += 1;
    case 11 ... 64: r += 10; break;
    default: r += 100;
    case 256 ... 300: r += 1000;
    }
    return r;
}
int small(char v) { switch (v) { case -9 ... 0: return 1; case 1 ... 127: return 2; default: return 3; } }
int wide(long v) { switch (v) { case -9 ... 0: return 1; case 0x7ffffff8L ... 0x80000008L: return 2; default: return 3; } }
int again(int v, int w) {
    int r = 0;
    bool a = v > 5, b = w < 9;
    if (a && b) { r = 1; if (a) r += 2; if (!b) r += 4; } else { if (a) r += 8; if (b) r += 16; if (a && b) r += 32; }
    if (!(a || b)) { r += a ? 64 : 128; r += b ? 256 : 512; }
    while (a) { r += 1000; if (a) { if (r > 2500) break; } else r = 7; }
    return r;
}
kernel void k(global const int *x, global int *out) {
    int id = get_global_id(0), v = x[id];
    out[id * 6] = signed_runs(v);
    out[id * 6 + 1] = unsigned_runs((uint)v);
    out[id * 6 + 2] = falling(v);
    out[id * 6 + 3] = small((char)v);
    out[id * 6 + 4] = wide(v);
    out[id * 6 + 5] = again(v, x[23 - id]);
}
