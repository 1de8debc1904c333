// Compound assignment and increment on ushort and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg ushort[16] --arg ushort:65535 --print out
// prints: out: 65535 0 65535 65533 32766 65520 16380 84 118 9 7 1 2 7 8 1
// no-diagnostics
kernel void k(global ushort *out, ushort x) {
    int n = 0;
    ushort4 v = (ushort4)(x, x + 1, 5, 5);
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
    v += (ushort)2;
    out[n++] = v.x;
    out[n++] = v.y;
    out[n++] = v.z;
    out[n++] = v.w;
    out[n++] = !(x - x);
}
