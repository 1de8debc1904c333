// Compound assignment and increment on long and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg long[16] --arg long:9223372036854775807 --print out
// prints: out: 9223372036854775807 -9223372036854775808 9223372036854775807 9223372036854775805 4611686018427387902 -16 -4 84 118 9 7 -9223372036854775807 -9223372036854775806 7 8 1
// no-diagnostics
kernel void k(global long *out, long x) {
    int n = 0;
    long4 v = (long4)(x, x + 1, 5, 5);
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
