// A struct argument that holds vectors, an array and a nested struct, by value.
// run: --kernel k --global 1 --arg bytes:0100000002000000ff000000000000000300000004000000050000000000000006000000070000000800000009000000 --arg int[8] --print out
// prints: out: 1 2 -1 5 3 8 48 12
// no-diagnostics
typedef struct { int2 v; char c; } In;
typedef struct { In in; int3 w; int a[4]; } S;

kernel void k(S s, global int *out) {
    out[0] = s.in.v.x;
    out[1] = s.in.v.y;
    out[2] = s.in.c;
    out[3] = s.w.z;
    out[4] = s.w.x;
    out[5] = s.a[get_global_size(0) + 1];
    out[6] = sizeof(S);
    s.w += s.w.yzx;
    out[7] = s.w.x + s.w.y * 0 + 5;
}
