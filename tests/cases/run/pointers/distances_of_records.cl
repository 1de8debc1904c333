// Distances of pointers in elements whose sizes are no powers of two, and comparisons of places in one buffer.
// run: --kernel distances --global 1 --arg uint[420]:const=0 --arg uint:3 --arg int[12]:const=0 --print out
// prints: out: 3 -3 -10 13 3 -3 -10 13 3 -3 -10 13
// run: --kernel places --global 1 --arg uint[8]:const=0 --arg uint:3 --arg int[12]:const=9 --print out
// prints: out: 1 0 1 0 0 1 1 0 1 1 0 0
// no-diagnostics
typedef struct { uint a[3]; } Three;
typedef struct { uint a[5]; } Five;
typedef struct { uint a[7]; } Seven;
#define DISTANCES(T, at)                              \
    {                                                 \
        global T *p = (global T *)in + 10, *q = p + n; \
        out[at] = q - p;                              \
        out[at + 1] = p - q;                          \
        out[at + 2] = (global T *)in - p;             \
        out[at + 3] = q - (global T *)in;             \
    }
kernel void distances(global uint *in, uint n, global int *out) {
    DISTANCES(Three, 0)
    DISTANCES(Five, 4)
    DISTANCES(Seven, 8)
}
kernel void places(global uint *in, uint n, global int *out) {
    global uint *p = in + n, *q = p + 2, *next = in + 1;
    out[0] = p < q;
    out[1] = p > q;
    out[2] = p <= q - 2;
    out[3] = p < q - 2;
    out[4] = p == q;
    out[5] = p != q;
    out[6] = p == q - 2;
    out[7] = next == 0;
    out[8] = next != 0;
    out[9] = in < next;
    out[10] = in + 1 > next;
    out[11] = !p;
}
