// C++ for OpenCL: constructors, destructors, operators, conversions, access, bases, functions by the space of their object.
// options: -cl-std=CLC++1.0
// run: --kernel k --global 1 --arg int[4] --arg int[14] --print log --print out
// prints: log: 404 0 0 0
// prints: out: 11 811 34 -3 1 6 33203 5 7 68 4 9 11 17
struct Counter { global int *n; Counter(global int *p) : n(p) { atomic_inc(n); } ~Counter() { atomic_add(n, 100); } };
class Vec2 {
    float x = 1, y = 2;
    mutable int reads = 0;
public:
    static constexpr int dims = 2;
    Vec2() = default;
    Vec2(float a, float b) : x(a), y{b} {}
    explicit Vec2(int s) : Vec2(s, s) {}
    float dot(const Vec2 &o) const { ++reads; return x * o.x + y * o.y; }
    Vec2 &operator+=(const Vec2 &o) { x += o.x; y += o.y; return *this; }
    friend Vec2 operator+(Vec2 a, const Vec2 &b) { a += b; return a; }
    Vec2 operator-() const { return Vec2(-x, -y); }
    bool operator==(const Vec2 &o) const { return x == o.x && y == o.y; }
    float &operator[](int i) { return i ? y : x; }
    float operator()(float s) const { return s * (x + y); }
    operator float() const { return x; }
    int where() const __private { return 1; }
    int where() const __global { return 2; }
    static Vec2 unit() { return {1.0f, 0.0f}; }
    struct Inner { int v; int get() { return v; } };
    void set(float v);
    Vec2 &operator++() { x++; return *this; }
    Vec2 operator++(int) { Vec2 t = *this; x++; return t; }
};
void Vec2::set(float v) { x = v; }
struct Base { int b; Base(int v) : b(v) {} int get() const { return b; } int both() { return get(); } };
struct Empty {};
struct Derived : Base, Empty { int d; Derived(int v) : Base(v + 1), d(v) {} int get() const { return d * 100 + Base::get(); } };
int take(const Base &b) { return b.get(); }
struct Arr { int v[4]; int &operator[](size_t i) { return v[i]; } const int &operator[](size_t i) const { return v[i]; } };
kernel void k(global int *log, global int *out) {
    int n = 0;
    {
        Counter c(log);
        for (int i = 0; i < 3; i++) { Counter d(log); if (i == 1) continue; if (i == 2) break; }
    }
    Vec2 a, b(3, 4);
    out[n++] = (int)a.dot(b);
    a += b;
    Vec2 c = a + b + Vec2(1);
    out[n++] = (int)c[0] * 100 + (int)c[1];
    c[0] = 5; c.set(6);
    out[n++] = (int)c(2.0f);
    out[n++] = (int)(float)(-c) + (c == c) + Vec2::dims;
    out[n++] = a.where();
    Vec2::Inner in{5};
    out[n++] = in.get() + (int)Vec2::unit()[0];
    Derived d(2);
    out[n++] = d.get() + take(d) * 1000 + d.both() * 10000;
    Base *pb = &d;
    out[n++] = pb->get() + static_cast<Derived *>(pb)->d;
    Arr arr{{1, 2, 3}};
    arr[3] = arr[1] + 5;
    out[n++] = arr[3];
    Vec2 e = c++;
    ++c;
    out[n++] = (int)e[0] * 10 + (int)c[0];
    Vec2 list[2] = {Vec2(1, 2), {3, 4}};
    out[n++] = (int)list[1][1];
    out[n++] = sizeof(Derived) + sizeof(Empty);
    out[n++] = (true ? list[0] : list[1]).dot(list[1]);
    const Vec2 &tmp = Vec2(8, 9);
    out[n++] = (int)tmp.dot(Vec2(1, 1));
}
