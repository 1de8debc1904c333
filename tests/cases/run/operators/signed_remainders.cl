// Remainders of signed integers have the sign of the dividend (C99 6.5.5), whichever way the device gets them.
// run: --kernel k --global 8 --arg a=int[8]:values=7,-7,7,-7,-2147483648,-2147483648,0,2147483647 --arg b=int[8]:values=3,3,-3,-3,7,-2147483648,-5,-2147483648 --arg out=int[16] --print out
// prints: out: 1 -1 1 -1 -2 0 0 2147483647 1 -1 -3 3 -306783376 1 0 -2147483647
// no-diagnostics
kernel void k(global const int *a, global const int *b, global int *out) {
    size_t i = get_global_id(0);
    out[i] = a[i] % b[i];
    out[8 + i] = a[i] / b[i] - a[i] % b[i];
}
