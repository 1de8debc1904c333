// Flexible constant expressions: what clang folds may stand in sizes, labels, assertions and initialisers.
// no-diagnostics
constant float pi = 3.14f;
constant float two_pi = 2 * 3.14f;
constant int n = sizeof(int) * 3;
constant int sized[n / 4 > 1 ? 3 : 1] = { 1 };
enum { A = 1, B = A << 3, C = ~B & 0xff };
constant int e[C] = { [A] = 3, [B] = 4 };
constant int4 v = (int4)(1, 2, 3, 4);
constant int4 sum = (int4)(1) + (int4)(2) * v;
constant int component = v.y;
constant int2 pair = v.wz;
constant struct { int a; float b[2]; } s = { .b = { 1.0f, 2 }, .a = 3 };
constant int truncated = (int)2.7f;
constant uint wrapped = -1;
constant float inf = INFINITY, nan_value = NAN, third = 1.0f / 3;
constant int *constant pe = &e[2];
constant long wide = 1L << 40;
constant int picked = 1 ? 2 : 3, logical = 1 && 0 || !0, compared = 2.5f > 2;
constant int bits = as_int(1.0f), converted = convert_int(2.9f);
constant float4 table[2] = { (float4)(1, 2, 3, 4), (float4)(0) };
constant int grid[2][2] = { 1, 2, 3, 4 }, nested[][2] = { { 1 }, { [1] = 2 } };
constant char text[8] = "abc", same[] = { "abc" };
_Static_assert(sizeof(nested) == 16 && sizeof(same) == 4 && component == 2 && bits == 0x3f800000 && sum.x == 3, "");
kernel void k(global int *p) {
    int a[n];
    const int m = 3;
    int b[m + 1] = { [1 ... 2] = 5 };
    switch (p[0]) { case n: case m: case B | 1: a[0] = b[1]; }
    p[0] = a[0] + component + pair.x;
}
