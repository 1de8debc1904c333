// no-diagnostics
// run: --kernel k --global 1 --arg fused=int[8] --arg rounded=float[16] --arg m=float[8]:values=1.000244140625,1.000244140625,1.000244140625,1.000244140625,1.000244140625,1.000244140625,1.000244140625,1.000244140625 --arg a=float:1.000244140625 --arg c=float:1.00048828125 --print fused --print rounded
// prints: fused: 1 1 1 1 1 1 1 1
// prints: rounded: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// The product is 1 + 2^-11 + 2^-24, which rounds to c: a fused sum leaves 2^-24. C99 6.5p8 allows that within one expression, and not every
// driver has a fused operation.
typedef struct { float x, y; } Pair;
float same(float x) { return x; }
float minus(float x, float y) { return x - y; }
float square(float x) { return x * x; }
float fused_inside(float x, float y) { return x * x - y; }
Pair pair(float x) { Pair p = {x * x, x}; return p; }
void to(float x, float *p) { *p = x * x; }

int either(float x) { return x == 0.0f || fabs(x) == 0x1p-24f; }

kernel void k(global int *fused, global float *rounded, global const float *m, float a, float c) {
    // One expression. A product that has another use is not fused: each has its own factor.
    fused[0] = either(m[0] * m[0] - c);
    fused[1] = either(-c + m[1] * m[1]);
    fused[2] = either(c - m[2] * m[2]);
    float s = -c;
    s += m[3] * m[3];
    fused[3] = either(s);
    fused[4] = either(c > 1.0f ? m[4] * m[4] - c : 0.0f);
    fused[5] = either((s = 0.0f, m[5] * m[5] - c));
    fused[6] = either(same(m[6] * m[6] - c));
    fused[7] = either(fused_inside(m[7], c));

    // Statements, assignments and objects.
    float t = a * a;
    rounded[0] = t - c;
    float u;
    rounded[1] = (u = a * a, u) - c;
    rounded[2] = (u = a, u *= a) - c;
    Pair p = {a * a, a};
    rounded[3] = p.x - c;
    float list[2] = {a * a, a};
    rounded[4] = list[c > 1.0f ? 0 : 1] - c;
    float v = a * a;
    v -= c;
    rounded[5] = v;
    float w = c > 1.0f ? a * a : a;
    rounded[6] = w - c;
    // Arguments and results of functions, inlined or not.
    rounded[7] = same(a * a) - c;
    rounded[8] = minus(a * a, c);
    rounded[9] = square(a) - c;
    rounded[10] = pair(a).x - c;
    float x;
    to(a, &x);
    rounded[11] = x - c;
    // Full expressions of statements.
    float y = 0.0f;
    for (float z = a * a; z > y; y = z)
        rounded[12] = z - c;
    switch (c > 1.0f) {
    default:
        y = a * a;
    }
    rounded[13] = y - c;
    float2 q = (float2)(a, 1.0f);
    q *= a;
    rounded[14] = q.x - c;
    float z = a * a;
    rounded[15] = fabs(z) - c;
}
