// Initialisers that no single instruction holds: long arrays inside other objects, unions by any member (C99 §6.7.8).
// run: --kernel k --global 1 --arg int[12]:const=0 --print out
// no-diagnostics
struct Big { char c; int a[70000]; short e; };
union Either { long l; struct { char d; char text[70000]; } s; };
constant struct Big big = {1, {2, 3, [69999] = 4}, 5};
constant int rows[3][70000] = {{1, 2, 3}, {[65536] = 6}, {[69999] = 7}};
constant union Either either = {.s = {8, {9, [69998] = 10}}};
constant struct { char before; union Either e[2]; char after; } both = {11, {{12}, {.s = {13, {[66000] = 14}}}}, 15};

kernel void k(global int *out) {
    int n = out[0];
    out[0] = big.c + big.a[n] * 10 + big.a[n + 69999] * 100 + big.e * 1000;
    out[1] = rows[0][n + 2] + rows[1][n + 65536] * 10 + rows[2][n + 69999] * 100;
    out[2] = rows[1][n + 65535] + rows[2][n + 69998];
    out[3] = either.s.d + either.s.text[n] * 10 + either.s.text[n + 69998] * 100;
    out[4] = both.before;
    out[5] = (int)both.e[n].l;
    out[6] = both.e[n + 1].s.d;
    out[7] = both.e[n + 1].s.text[n + 66000];
    out[8] = both.after;
    out[9] = sizeof(both) == 2 * sizeof(union Either) + 16;
}
// prints: out: 5421 763 0 1098 11 12 13 14 15 1 0 0
