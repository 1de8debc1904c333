// Integer promotions and the usual arithmetic conversions (C99 §6.3.1).
// run: --kernel k --global 1 --arg int[12] --arg uchar:200 --arg char:-100 --arg ushort:65535 --print out
// prints: out: 400 -200 -131071 1 1 4 100 0 -1 1 1 4
// no-diagnostics
kernel void k(global int *out, uchar u, char c, ushort s) {
    out[0] = u + u;
    out[1] = c + c;
    out[2] = s * s == -131071 ? -131071 : 0;
    out[3] = c < 1u ? 0 : 1;
    out[4] = (c < (uchar)1);
    out[5] = sizeof(u + u);
    out[6] = -c;
    out[7] = (uchar)(u + 56);
    out[8] = ~(uchar)0 == 255 ? 0 : -1;
    out[9] = (-1L < 1u);
    out[10] = (u << 24 >> 24) == -56;
    out[11] = sizeof(c ? u : s);
}
