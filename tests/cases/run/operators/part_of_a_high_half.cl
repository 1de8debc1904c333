// no-diagnostics
// run: --kernel k --global 3 --arg out=int[3] --arg a=uint[3]:values=16777216,65536,65535 --print out
// prints: out: 1 0 1
// Bits 32 to 47 of a product of two words: 2^48 has none there, although the product is no word.
kernel void k(global int *out, global const uint *a) {
    size_t i = get_global_id(0);
    ulong product = (ulong)a[i] * a[i];
    out[i] = (short)(product >> 32) == 0;
}
