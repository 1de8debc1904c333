// A switch of 150 cases that jump: llvmpipe nests what stands behind each jump (`Quirks::max_switch_cases`). So are 150 `continue`s in a row.
// no-diagnostics
// run: --kernel cases --global 4 --arg in=uint[4]:values=10,83,158,200 --arg out=uint[4] --print out
// prints: out: 214 327 657 31
// run: --kernel row --global 4 --arg in=uint[4]:values=10,83,158,200 --arg out=uint[4] --print out
// prints: out: 158 1651654125 744435242 2078549513
#define TEN(M, i) M(i##0) M(i##1) M(i##2) M(i##3) M(i##4) M(i##5) M(i##6) M(i##7) M(i##8) M(i##9)
#define ALL(M) TEN(M, 1) TEN(M, 2) TEN(M, 3) TEN(M, 4) TEN(M, 5) TEN(M, 6) TEN(M, 7) TEN(M, 8) TEN(M, 9) TEN(M, 10) TEN(M, 11) TEN(M, 12) TEN(M, 13) TEN(M, 14) TEN(M, 15)
#define CASE(i) case i: r = r * 3u + i##u; if (i % 3 == 0) continue; if (i % 3 == 1) break; r ^= 7u; continue;
kernel void cases(global const uint *in, global uint *out)
{
    size_t g = get_global_id(0);
    uint r = 1;
    for (uint t = 0; t < 2; t++) {
        switch (in[g] + t) {
            ALL(CASE)
        }
        r = r * 5u + 1u;
    }
    out[g] = r;
}

#define ROW(i) r = r * 3u + i##u; if (x == i##u) continue;
kernel void row(global const uint *in, global uint *out)
{
    size_t g = get_global_id(0);
    uint r = 1;
    for (uint t = 0; t < 2; t++) {
        uint x = in[g] + t;
        ALL(ROW)
        r = r * 5u + 1u;
    }
    out[g] = r;
}
