// Arrays of arrays, pointers to them, pointer arithmetic, constant tables with addresses.
constant int rows[2][3] = { { 1, 2, 3 }, { 4 } };
constant int *constant ends[] = { &rows[0][2], rows[1], 0 };
typedef int Grid[4][4];
int trace(const Grid g) { int s = 0; for (int i = 0; i < 4; i++) s += g[i][i]; return s; }
kernel void k(global int (*m)[4], global int *out) {
    Grid g;
    for (int i = 0; i < 16; i++) g[i / 4][i % 4] = *(*(m + i / 4) + i % 4);
    out[0] = trace(g) + *ends[0] + ends[1][0] + (int)(&g[2][1] - &g[0][0]) + sizeof(g) / sizeof *g;
    out[1] = (&out[7] - out) + *(1 + out) + 2[out] + ((int[]){ 4, 5, 6 })[1] + rows[get_global_id(0) & 1][2];
}
