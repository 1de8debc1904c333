// Forms of declaration that clang takes: K&R definitions, __auto_type, enumerations with a type, old designators, arrays without elements.
// run: --kernel k --global 1 --arg int[40]:range=1 --print p
// prints: p: 33 1030 103 3 1281 3 6534 22 9 10 28 1 1077 0 19 18 37 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
int add(a, b, c) int a; char b; float *c; { return a + b + (int)*c; } //~ warning[old-style-definition]: a definition without a prototype is of C before 1989

enum Small : uchar { low, high = 255 };
enum Wide : long { big = 1L << 40 };
enum Later : short;
enum Later : short { one = 1 };
enum Ahead;
enum Ahead { two = 2 };

struct Tail { int n; _Static_assert(sizeof(int) == 4, "int"); int rest[]; };
struct None { int n; int none[0]; long after; };
struct Pair { int a, b; };

constant __auto_type offset = 100;

kernel void k(global int *p) {
    __extension__ int first = p[0];
    float half_ = 2.5f;
    p[0] = add(first, 30, &half_);
    __auto_type x = p[1] * 1.5f;
    const __auto_type q = p + 2;
    __auto_type i = 1, j = 2;
    p[1] = (int)(x * 10) + _Generic(x, float: 1000, default: 0);
    q[0] += offset;
    p[3] = i + j;
    p[4] = sizeof(enum Small) + 10 * sizeof(enum Wide) + 100 * sizeof(enum Later) + 1000 * (int)(big >> 40);
    enum Small s = high;
    p[5] = ++s + one + two;
    struct Pair pair = { b: 4, //~ warning[gnu-designator]: 'member: value' is GNU C's old form
                         .a = 3 };
    int list[4] = { [1] 5, [2] = 6 }; //~ warning[gnu-designator]: '[index] value' is GNU C's old form
    p[6] = pair.a * 10 + pair.b + list[0] * 1000 + list[1] * 100 + list[2] * 1000;
    global struct Tail *tail = (global struct Tail *)(p + 7);
    p[7] = tail->rest[1] + tail->n + sizeof(struct Tail);
    global struct None *none = (global struct None *)(p + 10);
    p[10] = none->none[0] + sizeof(struct None);
    __signed char c = -1;
    __signed d = 2;
    p[11] = c + d;
    int ranges[8] = { [0 ... 3] = 7, [6 ... 7] = 1 };
    p[12] = ranges[0] + ranges[3] * 10 + ranges[5] * 100 + ranges[7] * 1000;
    int nothing[0];
    p[13] = sizeof(nothing);
    p[14] = (p[14] ?: 3) + (0 ?: 4);
    typedef int wide __attribute__((mode(DI)));
    typedef unsigned narrow __attribute__((mode(QI)));
    p[15] = sizeof(wide) + 10 * sizeof(narrow);
    __attribute__((opencl_global)) int *g = p;
    __attribute__((opencl_global)) int *h = p;
    p[16] = g[17] + h[18];
}
