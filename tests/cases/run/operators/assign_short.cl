// Compound assignment and increment on short and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg short[16] --arg short:32767 --print out
// prints: out: 32767 -32768 32767 32765 16382 -16 -4 84 118 9 7 -32767 -32766 7 8 1
// no-diagnostics
kernel void k(global short *out, short x) {
    int n = 0;
    short4 v = (short4)(x, x + 1, 5, 5);
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
    v += (short)2;
    out[n++] = v.x;
    out[n++] = v.y;
    out[n++] = v.z;
    out[n++] = v.w;
    out[n++] = !(x - x);
}
