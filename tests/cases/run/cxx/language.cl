// C++ for OpenCL: macros, overloads, references, namespaces, enumerations, casts, constexpr, declarations as conditions.
// options: -cl-std=CLC++1.0
// run: --kernel k --global 1 --arg int[4]:range=1 --arg int[20] --print out
// prints: out: 14 12345 67 7 15 21 91 6 9 1 17 7 1 33 3 16 6 1 10 2
#if __OPENCL_CPP_VERSION__ != 100 || defined(__OPENCL_C_VERSION__) || __CL_CPP_VERSION_1_0__ != 100
#error macros
#endif
enum class Color : uchar { red = 1, green, blue };
enum Plain { one = 1, two };
struct P { int x, y; };
int add(int a, int b = 10) { return a + b; }
float add(float a, float b) { return a + b; }
int kind(int) { return 1; }
int kind(float) { return 2; }
int kind(bool) { return 3; }
int kind(uint) { return 4; }
int kind(char) { return 5; }
int kind(const int *p) { return p == nullptr ? 6 : 7; }
int max(P a, P b) { return a.x > b.x ? a.x : b.x; }
constexpr int square(int n) { return n * n; }
constexpr int loop(int n) { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }
static_assert(square(4) == 16, "square");
static_assert(loop(5) == 10);
namespace a { int f(int x) { return x + 1; } namespace b { constexpr int c = 5; struct Q { int q; }; int f(Q q) { return q.q; } } }
namespace a { int g() { return f(1) + b::c; } }
namespace ab = a::b;
using a::g;
using Int = int;
int &pick(int &x, int &y, bool first) { return first ? x : y; }
void swap(int &a, int &b) { int t = a; a = b; b = t; }
kernel void k(global const int *in, global int *out) {
    int i = get_global_id(0);
    if (i) return;
    int n = 0;
    out[n++] = add(1) + add(1, 2);
    out[n++] = kind(1) * 10000 + kind(1.0f) * 1000 + kind(i == 0) * 100 + kind(1u) * 10 + kind('a');
    out[n++] = kind(nullptr) * 10 + kind(&n);
    P p{3, 4}, q = {5, 6};
    out[n++] = max(p, q) + max(1, 2);
    out[n++] = square(3) + loop(4);
    out[n++] = a::f(1) + a::b::c + g() + ab::f(ab::Q{7});
    int x = 1, y = 2;
    pick(x, y, false) = 9;
    swap(x, y);
    out[n++] = x * 10 + y;
    Color c = Color::blue;
    out[n++] = static_cast<int>(c) + (c == Color::blue) + two;
    if (int z = x; z > 3) out[n++] = z;
    if (Int w = y) out[n++] = w;
    auto f = 2.5f;
    const auto &r = in[1];
    auto *ptr = &x;
    *ptr += 1;
    out[n++] = int(f * 2) + r + x;
    float4 v(1, 2, 3, 4);
    float4 u = float4(1.0f) + v;
    out[n++] = (int)(u.x + u.w);
    int4 bits = reinterpret_cast<int4>(u);
    out[n++] = bits.x == 0x40000000;
    switch (c) { case Color::red: out[n++] = 1; break; case Color::blue: out[n++] = 33; break; default: break; }
    bool both = x > 1 and not (y > 100);
    out[n++] = both + sizeof(1 == 1) + sizeof('a');
    int arr[square(2)] = {};
    out[n++] = sizeof(arr);
    int count = 3; int total = 0;
    while (int left = count--) total += left;
    out[n++] = total;
    using namespace a;
    out[n++] = f > 2 ? 1 : 0;
    const int limit{7};
    out[n++] = limit + int{3} + int();
    out[n++] = x >> 1 >> 1;
}
