// Private arrays, arrays of arrays, of vectors and of structs by run-time indices.
// run: --kernel k --global 4 --arg int[16] --print out
// prints: out: 0 10 0 7 1 21 3 7 4 32 6 7 9 43 9 7
// no-diagnostics
typedef struct { int2 v; uchar c[3]; } S;

kernel void k(global int *out) {
    int id = get_global_id(0);
    int squares[4];
    for (int i = 0; i < 4; i++)
        squares[i] = i * i;
    int grid[4][4];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            grid[y][x] = (y + 1) * 10 + x;
    S s[4] = { { { 1, 2 }, { 3 } } };
    for (int i = 0; i < 4; i++)
        s[i].c[i % 3] = i * 3;
    s[(id + 1) % 4].v.y = 7;
    out[id * 4] = squares[id];
    out[id * 4 + 1] = grid[id][id];
    out[id * 4 + 2] = s[id].c[id % 3];
    out[id * 4 + 3] = s[(id + 1) & 3].v.y;
}
