// %p agrees with the pointer as an integer, and a helper's printf with its caller's.
// run: --kernel k --global 1 --arg x=int[4]:zero --arg out=ulong[1]:zero
// prints: 1
// no-diagnostics
void helper(global int *x, int n) {
    if (n > 0) {
        printf("%d\n", &x[n] - x == n);
    }
}
kernel void k(global int *x, global ulong *out) {
    out[0] = (ulong)x;
    helper(x, 1);
}
