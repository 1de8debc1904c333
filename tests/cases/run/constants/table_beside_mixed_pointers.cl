// options: -cl-std=CL2.0
// A table of pointers to constants beside pointers that may be into a program's variable or a private one.
// run: --kernel k --global 1 --arg o=uint[1] --arg u=bytes:05000000419a8027 --print o
// prints: o: 2147483648
typedef union {
    uint a[2];
    uchar b[8];
} U;
constant uint c[4] = {1u, 3u, 4294967295u, 2147483648u};
constant uint *constant table[4] = {c + 3, c + 1, c, c};
global U g[16] = {{{0}}};
kernel void k(global uint *o, U u) {
    U *v[4] = {0, 0, 0, (U *)g};
    for (uint i = 0; i < 1; i++) {
        if (v[0])
            v[i] = &u;
    }
    *o ^= *table[0];
}
