// Subtraction and division from vectors that a loop carries: NVIDIA's compiler (580) swaps the operands.
// no-diagnostics
// run: --kernel k --global 1 --local 1 --arg uint[8] --arg n=bytes:03000000 --print out
// prints: out: 1 2 8 4294967291 22 65535 7 4
kernel void k(global uint *out, uint n) {
    uint4 a = (uint4)(0), b = (uint4)(5), c = (uint4)(3), e = (uint4)(3), g = (uint4)(0), h = (uint4)(0);
    int4 d = (int4)(5);
    short16 f = (short16)(0);
    for (uint i = 0; i < 1; i++) {
        a = (uint4)(1) - a;
        b = (uint4)(7, 8, 9, 10) - b;
        c = (uint4)(1) << c;
        d = -d;
        e = (uint4)(66) / e;
        f = (short16)(-1) - f;
    }
    for (uint i = 0; i < 3; i++)
        g = (uint4)(7) - g;
    for (uint i = 0; i < n; i++)
        h = (uint4)(4) - h;
    out[0] = a.s1;
    out[1] = b.s0;
    out[2] = c.s2;
    out[3] = (uint)d.s3;
    out[4] = e.s0;
    out[5] = (ushort)f.s9;
    out[6] = g.s3;
    out[7] = h.s0;
}
