// A tree of functions, each called four times, twelve deep, with pointers to every memory: sixteen million calls where each
// is a copy. Few are made.

constant int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };

int level0(global int *g, local int *l, int *p, constant int *c, int n) {
    p[n & 3] += c[n & 7];
    l[0] ^= n;
    g[n & 3] += p[n >> 1 & 3];
    return g == 0 ? 7 : n * 3 + l[0];
}

#define LEVEL(K, BELOW)                                                                       \
    int level##K(global int *g, local int *l, int *p, constant int *c, int n) {               \
        int own[4] = { n, K, n + 1, 5 };                                                      \
        int r = n;                                                                            \
        if (n & 1)                                                                            \
            r += BELOW(g, l, p, table, n * 5 + K + (r & 3));                                  \
        else                                                                                  \
            p[0] ^= r;                                                                        \
        if (n & 2)                                                                            \
            r += BELOW(g, l, own, c, n * 5 + K + 1 + (r & 3));                                \
        for (int i = 0; i < (n & 4) / 4; i++) {                                               \
            if (r == 12345678)                                                                \
                return r;                                                                     \
            r += BELOW(g + (K & 1), l, n & 16 ? own : p, table, n * 5 + K + 2 + (r & 3));           \
        }                                                                                     \
        switch (n & 8) {                                                                      \
        case 8:                                                                               \
            r += BELOW(g, l, p, c, n * 5 + K + 3 + (r & 3));                                  \
            break;                                                                            \
        default:                                                                              \
            p[3] ^= r;                                                                        \
        }                                                                                     \
        g[4 + (n & 3)] += own[1] + own[n & 3];                                                \
        return r + own[2];                                                                    \
    }

LEVEL(1, level0)
LEVEL(2, level1)
LEVEL(3, level2)
LEVEL(4, level3)
LEVEL(5, level4)
LEVEL(6, level5)
LEVEL(7, level6)
LEVEL(8, level7)
LEVEL(9, level8)
LEVEL(10, level9)
LEVEL(11, level10)
LEVEL(12, level11)

// 16 words of `out` for each work-item.
kernel void tree(global const int *in, global int *out) {
    local int l[64];
    int i = get_global_id(0), at = get_local_id(0);
    int p[4] = { 1, 2, 3, 4 };
    l[at] = at;
    global int *mine = out + 16 * i;
    mine[12] = level12(mine, l + at, p, table, in[i]);
    mine[13] = p[0] + 10 * p[1] + 100 * p[2] + 1000 * p[3];
    mine[14] = l[at];
}
