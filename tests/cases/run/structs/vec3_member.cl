// A struct with a 3-component vector: 16 bytes for it, and its alignment (OpenCL C §6.3.5).
// run: --kernel k --global 1 --arg int[16]:range --arg int[12]:const=0 --print out
// prints: out: 32 4 5 6 8 1 2 3 9 42 16 0
// no-diagnostics
typedef struct { int3 v; int w; } S;

S swap(S a) {
    S b;
    b.v = a.v.zxy;
    b.w = a.w + 1;
    return b;
}

kernel void k(global const S *in, global int *out) {
    S a = in[0];
    S b = swap(a);
    out[0] = sizeof(S);
    out[1] = in[1].w - 8 + (b.v.x == 2 ? 0 : 100);
    S arr[2] = { a, b };
    out[2] = b.w;
    out[3] = arr[1].w + 1;
    out[4] = in[1].v.x;
    out[5] = b.v.y + 1;
    out[6] = b.v.z + 1;
    out[7] = arr[0].w - 1;
    out[8] = in[1].v.y;
    out[9] = 42;
    out[10] = (int)((global const char *)&in[0].w - (global const char *)in);
}
