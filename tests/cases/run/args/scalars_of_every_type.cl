// Value arguments of every scalar type, at their alignment.
// run: --kernel k --global 1 --arg char:-1 --arg ulong:18446744073709551615 --arg uchar:255 --arg short:-2 --arg half:1.5 --arg ushort:65534 --arg double:0.1 --arg int:-3 --arg uint:4294967293 --arg long:-4 --arg float:2.5 --arg double[11] --print out
// prints: out: -1 18446744073709552000 255 -2 1.5 65534 0.1 -3 4294967293 -4 2.5
// no-diagnostics
kernel void k(char c, ulong ul, uchar uc, short s, half h, ushort us, double d, int i, uint ui, long l, float f, global double *out) {
    out[0] = c;
    out[1] = ul;
    out[2] = uc;
    out[3] = s;
    out[4] = h;
    out[5] = us;
    out[6] = d;
    out[7] = i;
    out[8] = ui;
    out[9] = l;
    out[10] = f;
}
