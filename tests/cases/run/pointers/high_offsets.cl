// Negative subscripts, subscripts of every integer type, and i[p] (C99 §6.5.2.1).
// run: --kernel k --global 1 --arg int[8]:range=10 --arg int[8] --print out
// prints: out: 12 11 17 13 14 10 15 13
// no-diagnostics
kernel void k(global const int *in, global int *out) {
    int one = get_global_size(0);
    global const int *mid = in + 3;
    out[0] = mid[-one];
    out[1] = mid[(char)(-2 * one)];
    out[2] = in[(uchar)(7 * one)];
    out[3] = 3[in];
    out[4] = *(mid + (ulong)one);
    out[5] = mid[-3L * one];
    out[6] = (mid + 4)[(short)-2 * one];
    out[7] = *&mid[0];
}
