// Bytes that are put into words by masks and shifts, at offsets that the run tells: stores of bytes, joined where nothing comes between.
// no-diagnostics
// run: --kernel k --global 8 --arg uint[64]:zero --print out
// prints: out: 807407616 1582119979 50529027 67372036 84215045 101058054 117901063 33700907 824250625 732017347 56511804 67372036 84215045 101058054 117901063 50529084 841093634 3285451266 1009492402 67395149 84215045 101058054 117901063 1009492402 857936643 33686018 2999178243 1295788961 84215134 101058054 117901063 71052193 874779652 33686018 50529027 2712847316 1582119979 101058054 117901063 84229163 891622661 33686018 50529027 3557032964 732017347 106843452 117901063 101058108 908465670 33686018 50529027 67372036 3285452037 1009492402 117923405 1009492402 925308679 33686018 50529027 67372036 84215045 2999178246 1295788961 121383841
#define PUT(buffer, at, value)                                                                                     \
    (buffer)[(at) >> 2] = ((buffer)[(at) >> 2] & ~(0xffu << (((at) & 3) << 3))) | (uint)(value) << (((at) & 3) << 3)
#define ADD(buffer, at, value)                                                                                     \
    (buffer)[(at) / 4] = ((buffer)[(at) / 4] & ~(0xffu << ((at) % 4 * 8))) + ((value) << ((at) % 4 * 8))

kernel void k(global uint *out) {
    const uint g = get_global_id(0), at = g * 3, v = 0xa1b2c3d4;
    uint b[8], seen = 0;
    for (uint i = 0; i < 8; i++)
        b[i] = 0x01010101 * (i + 1);
    for (uint i = 0; i < 4; i++)
        PUT(b, at + i, v >> 8 * i & 0xff);
    // One of the words is read between.
    for (uint i = 0; i < 4; i++) {
        ADD(b, at + 4 + i, ~v >> 8 * i & 0xff);
        if (i == 1)
            seen = b[(at + 5) >> 2];
    }
    b[0] ^= g;
    for (uint i = 0; i < 4; i++)
        PUT(b, i, 0x10 * i + g);
    for (uint i = 0; i < 7; i++)
        out[g * 8 + i] = b[i];
    out[g * 8 + 7] = seen;
}
