// Compound assignment and increment on ulong and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg ulong[16] --arg ulong:18446744073709551615 --print out
// prints: out: 18446744073709551615 0 18446744073709551615 18446744073709551613 9223372036854775806 18446744073709551600 4611686018427387900 84 118 9 7 1 2 7 8 1
// no-diagnostics
kernel void k(global ulong *out, ulong x) {
    int n = 0;
    ulong4 v = (ulong4)(x, x + 1, 5, 5);
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
