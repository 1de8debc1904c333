// More returns than a driver can nest (llvmpipe has room for 80 conditions), taken by some work-items.

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
