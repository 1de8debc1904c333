// A program's functions with builtins' names are overloads beside the builtins (§6.15; clang with its header of builtins):
// the one that fits best is called, and the program's where both fit alike.
// no-diagnostics
// run: --kernel k --global 1 --arg p=float[28]:zero --print p
// prints: p: 3 2.5 100 101 4 0.5 102 6 0.25 103 1.75 104 2 105 8 106 0.5 107 3 1 108 3.5 109 7 2 110 4 111
__attribute__((overloadable)) float max(float a, int b) { return 100 + 0 * (a + b); }
__attribute__((overloadable)) float max(float4 a, int b) { return 101; }
float fract(float a) { return a - floor(a); }
__attribute__((overloadable)) int min(int a, int b) { return 102; }
static float clamp(float x, float low, float high) { return 103; }
typedef struct { int a; } S;
__attribute__((overloadable)) int abs(S s) { return 104; }
__attribute__((overloadable)) float dot(float a, S b) { return 105; }
inline float mix(float a, float b, int t) { return 106; }
__attribute__((overloadable)) int popcount(global int *p) { return 107; }
float length(float x, float y) { return 108; }
__attribute__((overloadable)) float sin(float x, float y) { return 109; }
__attribute__((overloadable)) float2 sqrt(float2 x) { return 110; }
float rotate(float x) { return 111; }
kernel void k(global float *p) {
    S s = { 1 };
    float f = 2.5f, e = 1.5f;
    int i = 3, j = 2;
    float4 v = 4;
    p[0] = max(i, j);
    p[1] = max(f, e);
    p[2] = max(f, i);
    p[3] = max(v, j);
    p[4] = max(v, v).x;
    float whole;
    p[5] = fract(2.5f);
    p[6] = min(i, j);
    p[7] = min(6u, 8u);
    p[8] = fract(2.25f, &whole);
    p[9] = clamp(f, 0, 1);
    p[10] = clamp((float2)(1.75f), 0.0f, 2.0f).x;
    p[11] = abs(s);
    p[12] = abs(-2);
    p[13] = dot(f, s);
    p[14] = dot((float2)(2), (float2)(2));
    p[15] = mix(f, e, i);
    p[16] = mix(0.0f, 1.0f, 0.5f);
    p[17] = popcount((global int *)p);
    p[18] = popcount(7);
    p[19] = length((float2)(0, 1));
    p[20] = length(f, e);
    p[21] = max((double)3.5, 1.0);
    p[22] = sin(f, e);
    p[23] = max((char)7, (char)3);
    p[24] = sqrt(4.0f);
    p[25] = sqrt((float2)(4)).x;
    p[26] = rotate(4, 0);
    p[27] = rotate(f);
}
