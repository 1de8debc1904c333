// Compound assignment and increment on uint and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg uint[16] --arg uint:4294967295 --print out
// prints: out: 4294967295 0 4294967295 4294967293 2147483646 4294967280 1073741820 84 118 9 7 1 2 7 8 1
// no-diagnostics
kernel void k(global uint *out, uint x) {
    int n = 0;
    uint4 v = (uint4)(x, x + 1, 5, 5);
    v.w++;
    out[n++] = x++;
    out[n++] = x;
    out[n++] = --x;
    out[n++] = x *= 3;
    out[n++] = x /= 2;
    out[n++] = x <<= 3;
    out[n++] = x >>= 2;
    out[n++] = x &= 0x55;
    out[n++] = x |= 0x22;
    out[n++] = x ^= 0x7f;
    out[n++] = x -= x % 7;
    v += 2;
    out[n++] = v.x;
    out[n++] = v.y;
    out[n++] = v.z;
    out[n++] = v.w;
    out[n++] = !(x - x);
}
