// Declarations of one function or variable are one, in whatever form: through typedefs and typeof, with other qualifiers of
// parameters, arrays of unknown size, in blocks, static, inline and extern (C99 §6.2.2, §6.2.7, §6.9.2).
// options: -cl-std=CL2.0
// no-diagnostics
// run: --kernel functions --global 1 --arg p=int[24]:zero --print p
// prints: p: 6 4 4 2 21 10 2 5 -1 3 7 8 4 12 3 20 5 9 16 4 1 0 0 0
// run: --kernel variables --global 1 --arg p=int[12]:zero --print p
// prints: p: 12 12 16 16 3 5 20 7 20 9 16 4
typedef int F(int);
F g;
typedef float Two(const float, float);
__attribute__((overloadable)) Two minus;
__attribute__((overloadable)) float minus(float a, float b) { return a - b; }
__typeof__(int(int)) through_typeof;
int qualified(const int);
int elements(int a[3]);
static int hidden(int);
extern int visible(int);
inline int inlined(int x);
int whole(global int (*q)[]);
int whole(global int (*q)[4]);
enum E { ONE = 1 };
int enumerated(enum E);
F many, both;
extern F many;
kernel void functions(global int *p) {
    int z[3] = { 1, 2, 3 };
    int later(int);
    extern int later(int);
    F inner;
    p[0] = g(3);
    p[1] = through_typeof(3);
    p[2] = qualified(3);
    p[3] = elements(z);
    p[4] = later(3);
    p[5] = hidden(1);
    p[6] = visible(2);
    p[7] = inlined(3);
    p[8] = minus(2, 3);
    p[9] = inner(2);
    p[10] = many(6);
    p[11] = both(7);
    p[12] = enumerated(ONE);
    {
        int g = 5;
        {
            F g;
            p[13] = g(6);
        }
        p[16] = g;
    }
    p[14] = sizeof(int(*)[3]) > 0 ? 3 : 0;
    p[15] = whole((global int (*)[4])p) + 4;
    p[17] = 9;
    p[18] = whole((global int (*)[4])p);
    p[19] = sizeof(p[0]);
    p[20] = ONE;
}
int g(int a) { return a * 2; }
int through_typeof(int x) { return x + 1; }
int qualified(int a) { a++; return a; }
int elements(int *a) { return a[1]; }
int hidden(int x) { return x + 9; }
extern int visible(int x) { return x; }
inline int inlined(int x) { return x + 2; }
int later(int x) { return 7 * x; }
int inner(int x) { return x + 1; }
int many(int n) { return n + 1; }
int both(int n) { return n + 1; }
int enumerated(unsigned e) { return e * 4; }
int whole(global int (*q)[4]) { return sizeof(*q); }

extern constant int first_open[];
constant int first_open[3] = { 1, 2, 3 };
global int later_sized[];
global int later_sized[4];
global int earlier_sized[4];
extern global int earlier_sized[];
extern global struct T later_complete;
struct T { int a; };
global struct T later_complete = { 3 };
static global int once_static;
extern global int once_static;
global int tentative;
global int tentative = 7;
global int tentative;
typedef int A4[4];
typedef int A[];
extern global A through_typedef;
global A4 through_typedef;
kernel void variables(global int *p) {
    extern global int below;
    extern global int below;
    extern global int sized_below[];
    extern constant int first_open[];
    p[0] = sizeof(first_open);
    p[1] = first_open[2] * 4;
    p[2] = sizeof(later_sized);
    p[3] = sizeof(earlier_sized);
    p[4] = later_complete.a;
    p[5] = below;
    sized_below[4] = 20;
    p[6] = sized_below[4];
    p[7] = tentative;
    {
        extern global int sized_below[5];
        p[8] = sizeof(sized_below);
    }
    once_static = 9;
    p[9] = once_static;
    p[10] = sizeof(through_typedef);
    through_typedef[3] = 4;
    p[11] = through_typedef[3];
}
global int below = 5;
global int sized_below[5];
