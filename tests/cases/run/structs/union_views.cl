// A union shows the bytes of its last store, in every address space (C99 §6.5.2.3, OpenCL C §6.3.4).
// run: --kernel k --global 1 --local 1 --arg uint[8]:const=0 --print out
// prints: out: 1065353216 128 63 16256 1078530011 219 15 12345678
// no-diagnostics
typedef union { float f; uint u; uchar b[4]; ushort2 h; } U;

kernel void k(global uint *out) {
    U u;
    u.f = 1.0f;
    out[0] = u.u;
    out[1] = u.b[2];
    out[2] = u.b[3];
    out[3] = u.h.y;
    local U l;
    l.u = 0x40490fdb;
    out[4] = as_uint(l.f);
    out[5] = l.b[0];
    global U *g = (global U *)out;
    g[7].f = as_float(12345678u);
    out[6] = l.b[1];
}
