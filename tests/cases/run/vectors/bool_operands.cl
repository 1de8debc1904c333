// A bool operand beside a vector is 1, as in a vector literal; one that is cast, assigned, passed or returned to a vector is
// -1 in each component (clang's rule; §6.4.3 for casts), in vectors of floats too (the conformance tests of casts).
// no-diagnostics
// run: --kernel operands --global 1 --arg flags=int[2]:values=1,0 --arg p=int[48]:zero --print p
// prints: p: 6 7 4 5 10 12 0 0 1 1 1 1 -1 -1 1 7 1 1 6 7 4 5 10 12 1 0 -1 -1 1 7 9 9 1 1 5 6 1 5 7 8 7 6 2 3 5 6 0 0
// run: --kernel floats --global 1 --arg flags=int[2]:values=1,0 --arg p=float[18]:zero --print p
// prints: p: 3 1 -1 0 -1 0 1 1 1 0 -1 -1 -1 -1 3 2 1 2
// run: --kernel constants --global 1 --arg p=int[16]:zero --print p
// prints: p: -1 -1 1 0 1 1 4 5 -1 -1 -1 0 -1 -1 1 1
int2 as_argument(int2 v) { return v; }
int2 as_result(bool t) { return t; }
kernel void operands(global int *flags, global int2 *p) {
    bool t = flags[0];
    bool f = flags[1];
    int2 v = (int2)(5, 6);
    p[0] = v + t;
    p[1] = v - t;
    p[2] = v << t;
    p[3] = v < (int2)(5, 7) - t;
    p[4] = (int2)(t, t);
    p[5] = (int2)(t);
    p[6] = (int2)t;
    p[7] = (int2)(t, 7);
    p[8] = (int2)(t);
    v += t;
    p[9] = v;
    v -= t;
    v -= t;
    p[10] = v;
    v += t;
    v <<= t;
    p[11] = v;
    v >>= t;
    p[12] = v & t;
    v.x = 5;
    p[13] = as_argument(t);
    p[14] = (int2)(t, 7);
    p[15] = max(v, t) * 0 + 9;
    p[16] = as_result(t) * as_result(t);
    p[17] = (v == t) + v;
    p[18] = (int2)(0, -1) ? (int2)(t, 5) : (int2)(t, 5);
    p[19] = v + f + t + t;
    p[20] = (int2)(7, 6);
    p[21] = t + t + (int2)(0, 1);
    p[22] = v * t;
}
kernel void floats(global int *flags, global float2 *p) {
    bool t = flags[0];
    bool f = flags[1];
    float2 v = (float2)(2, 0);
    p[0] = v + t;
    p[1] = (float2)t;
    p[1].y = f;
    p[2] = t;
    p[2].y = ((float2)f).y;
    p[3] = (float2)(t);
    p[4] = (float2)(t, f);
    float2 initialised = t;
    p[5] = initialised;
    struct { float2 v; } s = { t };
    p[6] = s.v;
    p[7] = v;
    p[7] += (float2)(t, t + t);
    p[8] = fmax(v * 0, t) + (float2)(0, t);
}
constant int2 table[] = { (int2)true, (int2)(true, false), (int2)(true), (int2)(3, 4) + true, true };
kernel void constants(global int2 *p) {
    for (int i = 0; i < 5; i++) p[i] = table[i];
    p[5] = (int2)(-true, false);
    p[6] = (int2)(bool)2;
    p[7] = (int2)((bool)2);
}
