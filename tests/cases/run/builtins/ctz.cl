// ctz counts trailing zeros, the width for 0 (OpenCL C §6.15.3; 2.0 and later).
// options: -cl-std=CL2.0
// run: --kernel k --global 1 --arg int[8] --print out
// prints: out: 1 32 7 8 15 64 40 0
// no-diagnostics
kernel void k(global int *out) {
    int one = get_global_size(0);
    out[0] = ctz(2 * one);
    out[1] = ctz(one - 1);
    out[2] = ctz((char)(-128 * one));
    out[3] = ctz((uchar)(one - 1));
    out[4] = ctz((short)(one << 15));
    out[5] = ctz((long)(one - 1));
    out[6] = ctz((ulong2)(1, (ulong)one << 40)).y;
    out[7] = ctz(-one);
}
