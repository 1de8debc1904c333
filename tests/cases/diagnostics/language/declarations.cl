// C99 §6.7: declarators, initialisers, tags, typedefs, prototypes, compound literals, scopes.
// no-diagnostics
typedef int I;
typedef I J;
typedef struct T T;
struct T { T *next; int x; };
enum E { A, B = 5, C };
typedef enum E E;
union U { int a; float b; };
int f(int, float);
int f(int a, float b) { return a; }
inline int g(void) { return 1; }
static int h(int a[3]) { return a[1]; }
int m(const int *p, volatile int *restrict q) { return *p + *q; }
kernel void k(global int *p) {
    int a = 1, b[3] = { 1 }, *c = b, (*d)[3] = &b, e[2][3] = { { 1, 2 }, 3 };
    struct { int x, y; } s = { .y = 2, .x = 1 }, t = s;
    struct { int tag; union { int i; float f; }; struct { int in; }; } u = { 1, { 2 }, { 3 } };
    E x = A;
    int y = B;
    E z = 3;
    T n = { 0, 1 };
    int(f1) = 3;
    J j = f(1, 2.0f);
    x = C;
    p[0] = g() + h(b) + (*d)[1] + u.i + u.in + t.y + m(c, c);
    for (int i = 0, k = 1; i < 3; i++, k--) p[i] = k;
    int w = ((int[]){ 1, 2 })[1];
    struct T *tt = &(struct T){ 0, 3 };
    p[1] = tt->x + w + f1 + j + y + z + n.x + a + e[1][0];
    { int a = 2; p[2] = a; struct T { float other; } inner = { 1.0f }; p[3] = (int)inner.other; }
}
