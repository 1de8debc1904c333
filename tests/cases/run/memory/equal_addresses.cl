// Two loads of one element by sums of another order, with a store to the other buffer between. On GPUs the second load moves up to the first.
// run: --kernel k --global 8 --arg int[40]:range --arg int[16] --arg int:5 --print out
// prints: out: 7 8 9 10 11 12 13 14 14 16 18 20 22 24 26 28
// no-diagnostics
kernel void k(global const int *in, global int *out, int n) {
    uint i = get_global_id(0);
    uint a = i & 63, b = (uint)n & 15;
    int first = in[a + b + 2];
    out[i] = first;
    global const int *from = in + a;
    out[i + 8] = from[b + 2] + first;
}
