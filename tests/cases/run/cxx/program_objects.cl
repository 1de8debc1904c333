// C++ for OpenCL: objects and variables of the program whose values are no constants get them before the first kernel, in their order
// (rule C-6).
// options: -cl-std=CLC++1.0
// run: --kernel k --global 1 --arg int[12] --print o
// prints: o: 6 18 7 8 32 10 77 5 2 4 2 21
// run: --kernel again --global 4 --arg int[4] --print o
// prints: o: 18 18 18 18
struct S { int a; int b; S(int x) : a(x), b(x * 2) {} int sum() const { return a + b; } };
int twice(int x) { for (int i = 0; i < x; i++) if (x == 1000) x--; return x * 2; }
int seed = 3;
int value = twice(seed);
S s(value);
global S array[2] = {S(value + 1), S(4)};
int after = s.sum() + array[0].b;
const int fixed = twice(5);
int &alias = value;
auto lambda = [](int x) { return x + 1; };
int count = 0;
struct U { int k; U() : k(++count) {} };
U u1, u2;
float4 v = (float4)(twice(2), 1, 2, 3);
struct P { int a, b; constexpr P(int x) __constant : a(x), b(2 * x) {} };
constant P known(7);
namespace inner { S t = known.b + 7; static int late = t.b; }
kernel void k(global int *o) {
    o[0] = value; o[1] = s.sum(); o[2] = array[0].a; o[3] = array[1].b; o[4] = after; o[5] = fixed;
    alias = 77; o[6] = value; o[7] = lambda(4); o[8] = u2.k; o[9] = v.x; o[10] = count; o[11] = inner::late / 2;
}
kernel void again(global int *o) { o[get_global_id(0)] = s.sum(); }
