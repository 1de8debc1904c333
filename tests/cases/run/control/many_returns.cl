// More returns than a driver can nest (llvmpipe has room for 80 conditions), taken by some work-items.
// Mesa nests what stands behind a return: they are cut into rows of fewer.

#define FOUR(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)
#define STEP(n) out[g] = n; if (x[n] == g) return;

// run: --kernel k --global 4 --arg x=int[96]:range --arg out=int[4] --print out
// prints: out: 0 1 2 3
// run: --kernel k --global 4 --arg x=int[96]:const=3 --arg out=int[4] --print out
// prints: out: -1 -1 -1 0
// run: --kernel k --global 4 --arg x=int[96]:values=7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,2,7,7,7,7,7,1,7,7,7,7,0 --arg out=int[4] --print out
// prints: out: 95 90 84 -1
kernel void k(global const int *x, global int *out) {
    int g = get_global_id(0);
    SIXTEEN(0) SIXTEEN(16) SIXTEEN(32) SIXTEEN(48) SIXTEEN(64) SIXTEEN(80)
    out[g] = -1;
}

// In a function that is called more than once.
// run: --kernel calls --global 4 --arg out=int[4] --print out
// prints: out: 9583 9481 9379 9277
#undef STEP
#define STEP(n) if (k == 100 * (n) + g) return n;
int found(int k, int g) {
    SIXTEEN(0) SIXTEEN(16) SIXTEEN(32) SIXTEEN(48) SIXTEEN(64) SIXTEEN(80)
    return -1;
}

kernel void calls(global int *out) {
    int g = get_global_id(0);
    int first = found(9500 - 99 * g, g), second = found(8300 - 199 * g, g);
    out[g] = first < 0 ? -1 : 100 * first + second;
}
