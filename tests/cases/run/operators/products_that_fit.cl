// Whether a product fits in 32 bits, asked of the 64-bit product in several ways. NVIDIA's compiler fails on some of them.
// no-diagnostics
// run: --kernel k --global 4 --arg in=uint[4]:values=3,65536,70000,4294967295 --arg out=uint[4] --print out
// prints: out: 0 31 31 31
kernel void k(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    uint a = in[i], b = in[(i + 1) & 3];
    ulong p = (ulong)a * b;
    uint r = 0;
    if ((p >> 32) != 0) r |= 1;
    if (p > 0xfffffffful) r |= 2;
    if (p != (ulong)(uint)p) r |= 4;
    if (mul_hi(a, b) != 0) r |= 8;
    if (!(p < 0x100000000ul)) r |= 16;
    out[i] = r;
}
