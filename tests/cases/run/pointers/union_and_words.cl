// A pointer in a union with an integer and with words, and an integer made of a global pointer.
// options: -cl-std=CL2.0
// run: --kernel pun --global 2 --arg int[4]:range=7 --arg int[4]:const=0 --print out
// prints: out: 7 2 8 3
// no-diagnostics
typedef union { int *p; ulong u; uint w[2]; } U;
kernel void pun(global int *in, global int *out) {
    int i = get_global_id(0);
    int a[3] = {2, 3, 4};
    U u[2];
    u[i].p = a + i;
    u[1 - i].p = a;
    U c = u[i & 1];
    c.u += 0;
    ulong r = ((ulong)c.w[1] << 32) | c.w[0];
    out[2 * i + 1] = *(int *)r;
    global int *g = in + i;
    ulong gi = (ulong)g;
    out[2 * i] = *(global int *)gi;
}
