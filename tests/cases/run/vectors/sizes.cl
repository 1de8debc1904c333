// sizeof and alignment of vectors: a 3-component one has four's (OpenCL C §6.1.5).
// run: --kernel k --global 1 --arg int[12] --print out
// prints: out: 4 16 16 64 128 3 6 8 24 16 12 48
// no-diagnostics
typedef struct { char c; short3 s; } S;
typedef struct { char c; int3 v[1]; float2 f; } T;

kernel void k(global int *out) {
    out[0] = sizeof(uchar3);
    out[1] = sizeof(int3);
    out[2] = sizeof(short8);
    out[3] = sizeof(float16);
    out[4] = sizeof(double16);
    out[5] = vec_step(int3) - 1;
    out[6] = sizeof(char[6]);
    out[7] = sizeof(global int *);
    out[8] = sizeof(S) + __alignof__(S);
    out[9] = __alignof__(T);
    out[10] = (int)(size_t)&((global T *)0)->f - 20;
    out[11] = sizeof(T);
}
