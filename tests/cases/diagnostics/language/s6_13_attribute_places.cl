// Attributes stand where they mean something (OpenCL C §6.13): enumerations, typedefs, declarations in blocks.
// options: -cl-std=CL2.0
// no-diagnostics
enum __attribute__((packed)) Tiny { A, B };
enum Signed { C = -1, D = 200 } __attribute__((packed));
typedef enum { E = 70000 } __attribute__((packed)) Wide;
enum __attribute__((aligned(8))) Aligned { F };
_Static_assert(sizeof(enum Tiny) == 1 && sizeof(enum Signed) == 2 && sizeof(Wide) == 4, "");
_Static_assert(sizeof(A) == 4 && __alignof__(enum Aligned) == 8, "");
enum Below { G = -1, H = 4000000000 };
_Static_assert(sizeof(enum Below) == 8, "");
struct Holder { enum Tiny a; int b; enum Signed c; };
_Static_assert(sizeof(struct Holder) == 12, "");
typedef int Eight __attribute__((aligned(8)));
_Static_assert(__alignof__(Eight) == 8 && __alignof__(Eight *) == sizeof(void *), "");

int pick(int x) { return x; }
__attribute__((overloadable)) int pick(float x) { return 1; }
__attribute__((overloadable)) int pick(int2 x) { return 2; }

kernel void k(global int *out, global enum Tiny *t) {
    __attribute__((aligned(64))) local int l[2];
    __attribute__((unused)) int v __attribute__((aligned(32)));
    _Static_assert(__alignof__(l) == 64 && __alignof__(v) == 32, "");
    *t = B;
    enum Tiny x = *t;
    out[0] = x + pick(1) + pick(1.0f) + pick((int2)(1));
    switch (x) {
    case A: out[1] = 1; __attribute__((fallthrough));
    case B: out[2] = 2;
    }
}
