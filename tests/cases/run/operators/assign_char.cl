// Compound assignment and increment on char and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg char[16] --arg char:127 --print out
// prints: out: 127 -128 127 125 62 -16 -4 84 118 9 7 -127 -126 7 8 1
// no-diagnostics
kernel void k(global char *out, char x) {
    int n = 0;
    char4 v = (char4)(x, x + 1, 5, 5);
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
    v += (char)2;
    out[n++] = v.x;
    out[n++] = v.y;
    out[n++] = v.z;
    out[n++] = v.w;
    out[n++] = !(x - x);
}
