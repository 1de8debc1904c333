// Buffers and value arguments of 3-component vectors take four components each.
// run: --kernel k --global 2 --arg short3[2]:values=1,2,3,4,5,6 --arg short3:10,20,30 --arg short3[2] --print out
// prints: out: (11, 22, 33) (14, 25, 36)
// no-diagnostics
kernel void k(global const short3 *in, short3 add, global short3 *out) {
    size_t i = get_global_id(0);
    out[i] = in[i] + add;
}
