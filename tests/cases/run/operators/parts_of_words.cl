// Parts of numbers that are taken apart and put together again, masked, shifted and swapped; truth values as factors; choices that are compared.
// no-diagnostics
// run: --kernel k --global 4 --arg in=uint[4]:values=2712847316,255,4278190080,2147483648 --arg wide=ulong[4]:values=81985529216486895,18446744073709551615,4294967296,9223372036854775809 --arg o=uint[64] --arg w=ulong[12] --print o --print w
uint named(uint x) {
    int e = (int)x >> 23;
    int r = x == 0 ? INT_MIN : (x & 0x7fffffff) > 0x7f800000 ? INT_MAX : e + ((x & 1) ? -276 : -127);
    return (r == INT_MIN) + 2 * (r == INT_MAX) + 4 * (r != INT_MAX) + 8 * (r >= -532) + 16 * (r == -127) + 32 * (r > 128);
}
kernel void k(global const uint *in, global const ulong *wide, global uint *o, global ulong *w) {
    size_t i = get_global_id(0);
    uint x = in[i], z = in[i ^ 1];
    uchar4 b = as_uchar4(x);
    global uint *p = o + 16 * i;
    p[0] = b.x | (uint)b.y << 8 | (uint)b.z << 16 | (uint)b.w << 24;
    p[1] = (x & 0xff) + (x >> 8 & 0xff) * 256 + (x >> 24 << 24);
    p[2] = (uint)b.w | (uint)b.z << 8 | (uint)b.y << 16 | (uint)b.x << 24;
    p[3] = (x << 7) + (x >> 25) ^ ((x << 9) ^ (x >> 23));
    p[4] = (x << 7) + (x >> 24) ^ (z << 9 ^ z >> 22);
    p[5] = x ^ ((x ^ z) & 0xff00);
    p[6] = z ^ ((x ^ z) & 0x80000001u) ^ 5;
    p[7] = (uchar)(x >> 8) | (ushort)(x >> 16) << 8 | (z & 0xff000000);
    p[8] = (x & 0xff) | (z & 0xff00) | (x & 0xff0000) | (z >> 24 << 24);
    p[9] = x * (z > 300) + (x & 15) * (z < 300) - (z == 255) * 3;
    p[10] = (x ?: 1) + ((x & 0xff) ? (x & 0xff) : 1) + ((z >> 8) == 0 ? 1 : z >> 8) + ((x & 1) == 0 ? 1 : 0);
    p[11] = named(x) + 64 * named(z & 0xff) + 4096 * named(x + x);
    p[12] = (ushort)((ushort)x << 8 | (ushort)x >> 8) | (uint)(ushort)(((ushort)z << 8 & 0xff00) + ((ushort)z >> 8)) << 16;
    p[13] = ((x & 7) < 8) + ((x >> 28) > 15) * 2 + ((x % 5) == 5) * 4 + (((int)x >> 31) < 1) * 8 + ((int)(x & 0xff) >= 0) * 16;
    p[14] = x != z ? x : z == x ? 1 : 2;
    p[15] = ((x & 0xf0f0f0f0) >> 4 | (x & 0x0f0f0f0f) << 4) ^ ((x >> 1 & 0x55555555) + (x & 0x55555555));
    ulong v = wide[i];
    w[3 * i] = (ulong)(uint)v | (ulong)(uint)(v >> 32) << 32;
    w[3 * i + 1] = (ulong)(uint)v << 32 | (uint)(v >> 32);
    w[3 * i + 2] = (uchar)v | (v & 0xff00) | (v >> 16 & 0xffff) << 16 | v >> 56 << 40 | (uint)(ushort)(v >> 16);
}
// prints: o: 2712847316 2701181908 3569595041 3169207059 3646952609 2712797396 2147483899 10597059 11665620 1 2712847530 49932 4278244547 25 2712847316 1263189721 255 255 4278190080 98688 1703400710 50175 565363664 2701131776 2701181951 255 10597569 116492 3569614592 25 255 85 4278190080 4278190080 255 2147484033 2147484415 4278190080 2147483653 2164195328 2147483648 4278190080 4286578690 49484 0 25 4278190080 1426063360 2147483648 2147483648 128 320 892 2147483648 4278190085 4286578688 4278190080 2147483648 2164195330 20812 0 25 2147483648 1207959552
// prints: w: 81985529216486895 9920249030613615975 1101821365743 18446744073709551615 18446744073709551615 280379760050175 4294967296 1 0 9223372036854775809 6442450944 140737488355329
