// Compound assignment and increment on uchar and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg uchar[16] --arg uchar:255 --print out
// prints: out: 255 0 255 253 126 240 60 20 54 73 70 1 2 7 8 1
// no-diagnostics
kernel void k(global uchar *out, uchar x) {
    int n = 0;
    uchar4 v = (uchar4)(x, x + 1, 5, 5);
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
    v += (uchar)2;
    out[n++] = v.x;
    out[n++] = v.y;
    out[n++] = v.z;
    out[n++] = v.w;
    out[n++] = !(x - x);
}
