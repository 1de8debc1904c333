// Designators, nested braces left out, strings, sizes taken from the initialiser, compound literals (C99 §6.7.8, §6.5.2.5).
// no-diagnostics
// run: --kernel k --global 1 --arg int[24] --print out
// prints: out: 1 2 0 4 5 0 7 8 9 10 97 98 0 3 20 21 5 0 9 11 12 13 4 2
typedef struct { int a; struct { int x, y; } p[2]; char s[4]; } S;
int sum(int2 v) { return v.x + v.y; }
kernel void k(global int *out) {
    int a[] = { 1, 2, [3] = 4, 5, [6] = 7 };
    S s = { 8, 9, 10, .s = "ab", .p[1].y = 20 };
    S t = { .p = { { 1, 2 }, { 3 } }, .p[0] = { 21 } };
    for (int i = 0; i < 7; i++) out[i] = a[i];
    out[7] = s.a, out[8] = s.p[0].x, out[9] = s.p[0].y;
    out[10] = s.s[0], out[11] = s.s[1], out[12] = s.s[2];
    out[13] = t.p[1].x, out[14] = s.p[1].y, out[15] = t.p[0].x;
    int v[2][3] = { 1, 2, 3, 4, 5 };
    out[16] = v[1][1], out[17] = v[1][2];
    int *q = (int[]){ 9, 10 };
    out[18] = q[0];
    S u = (S){ .a = 11, .p = { { 12, 13 } } };
    out[19] = u.a, out[20] = u.p[0].x, out[21] = u.p[0].y;
    out[22] = sum((int2){ 1, 3 });
    int grid[][2] = { { 1 }, { 2 }, 3 };
    out[23] = sizeof(grid) / sizeof(grid[0]) - 1;
}
