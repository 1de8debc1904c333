// `in[offset - 1]` with an unsigned 32-bit offset wraps in 32 bits, then widens; an int one is signed.
// run: --kernel k --global 4 --arg int[8]:range=10 --arg int[8]:const=0 --arg uint:1 --print out
// prints: out: 10 11 12 13 11 10 11 12
// no-diagnostics
kernel void k(global const int *in, global int *out, uint offset) {
    uint id = get_global_id(0);
    out[id] = in[offset - 1 + id];
    int back = (int)id - 1;
    global const int *mid = in + 2;
    out[id + 4] = id == 0 ? mid[-(int)offset] : mid[back - (int)offset - 1];
}
