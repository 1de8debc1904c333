// Quotients and remainders of 8- and 16-bit numbers as the language has them, in 32 bits, where a driver may divide in fewer: the least
// by -1 is one bit more than its type has, numbers of different types need one that has room for both.
// run: --kernel bytes --global 8 --arg char[8]:values=-128,-128,-127,127,-1,100,-100,0 --arg char[8]:values=-1,1,-128,-128,127,-7,7,-5 --arg uchar[8]:values=255,255,254,0,128,200,7,1 --arg uchar[8]:values=1,254,255,3,127,3,200,255 --arg int[40] --print out
// prints: out: 128 -128 0 0 0 -14 -14 0 0 0 -127 127 -1 2 -2 0 255 1 0 0 1 66 0 0 0 1 254 0 1 2 7 1 -128 0 0 42 0 33 0 0
// run: --kernel shorts --global 8 --arg short[8]:values=-32768,-32768,32767,-32768,32767,-12345,12345,-1 --arg short[8]:values=-1,1,-1,32767,-32768,7,-113,2 --arg ushort[8]:values=65535,65535,65534,65535,32768,40000,50001,3 --arg ushort[8]:values=1,65534,65535,2,32767,3,50000,40000 --arg int[40] --print out
// prints: out: 32768 -32768 -32767 -1 0 -1763 -109 0 0 0 0 -1 32767 -4 28 -1 65535 1 0 32767 1 13333 1 0 0 1 65534 1 1 1 1 3 -32768 0 0 -16384 1 -4115 0 0
// no-diagnostics
kernel void bytes(global const char *a, global const char *b, global const uchar *u, global const uchar *v, global int *out) {
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i];
    out[8 + i] = a[i] % b[i];
    out[16 + i] = u[i] / v[i];
    out[24 + i] = u[i] % v[i];
    out[32 + i] = a[i] / v[i];
}
kernel void shorts(global const short *a, global const short *b, global const ushort *u, global const ushort *v, global int *out) {
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i];
    out[8 + i] = a[i] % b[i];
    out[16 + i] = u[i] / v[i];
    out[24 + i] = u[i] % v[i];
    out[32 + i] = a[i] / v[i];
}
