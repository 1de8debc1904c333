// Compound assignment and increment on int and its vectors: the value is that of the left operand afterwards (C99 §6.5.16.2).
// run: --kernel k --global 1 --arg int[16] --arg int:2147483647 --print out
// prints: out: 2147483647 -2147483648 2147483647 2147483645 1073741822 -16 -4 84 118 9 7 -2147483647 -2147483646 7 8 1
// no-diagnostics
kernel void k(global int *out, int x) {
    int n = 0;
    int4 v = (int4)(x, x + 1, 5, 5);
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
