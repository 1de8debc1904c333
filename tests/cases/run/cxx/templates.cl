// C++ for OpenCL: templates of classes, functions, aliases and variables, specialisations, deduction, lambdas.
// options: -cl-std=CLC++1.0
// run: --kernel k --global 1 --arg int[4]:range=1 --arg int[23] --print out
// prints: out: 41 6 48 10 21 120 314 21 12 9 19 6 0 0 0 0 0 0 0 0 5 5 5
template <typename T, int N = 3> struct Vec {
    T v[N];
    static constexpr int size = N;
    using type = T;
    T sum() const { T s = 0; for (int i = 0; i < N; i++) s += v[i]; return s; }
    T &operator[](int i) { return v[i]; }
    template <typename U> U as() const { return (U)v[0]; }
};
template <typename T, int N> T dot(const Vec<T, N> &a, const Vec<T, N> &b) { T s = 0; for (int i = 0; i < N; i++) s += a.v[i] * b.v[i]; return s; }
template <typename T> struct is_float { static constexpr bool value = false; };
template <> struct is_float<float> { static constexpr bool value = true; };
template <typename T> struct remove_ptr { using type = T; };
template <typename T> struct remove_ptr<T *> { using type = T; };
template <typename T> T maximum(T a, T b) { return a > b ? a : b; }
template <> float maximum<float>(float a, float b) { return 42.0f; }
template <typename T> void fill(T *p, int n) { for (int i = 0; i < n; i++) p[i] = 5; }
template <typename T> int which(T x) { if constexpr (is_float<T>::value) return 1; else return 2; }
template <int N> struct Fact { static constexpr int value = N * Fact<N - 1>::value; };
template <> struct Fact<0> { static constexpr int value = 1; };
template <typename T> using Vec2 = Vec<T, 2>;
template <typename T> constexpr T pi = T(3.14159);
template <typename F> int apply(F f, int x) { return f(x); }
template <typename T> struct Outer { T t; Outer(T x); T get() const; };
template <typename T> Outer<T>::Outer(T x) : t(x) {}
template <typename T> T Outer<T>::get() const { return t * 2; }
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
struct Adder { int n; template <typename T> T operator()(T x) const { return x + n; } };
template <typename T> typename remove_ptr<T>::type deref(T p) { return *p; }
template <template <typename, int> class C, typename T> T first(C<T, 3> c) { return c.v[0]; }
kernel void k(global int *in, global int *out) {
    int n = 0;
    Vec<int> a = {{1, 2, 3}}, b = {{4, 5, 6}};
    out[n++] = dot(a, b) + a.sum() + Vec<int>::size;
    Vec<float, 2>::type f = 1.5f;
    Vec2<float> v2 = {{f, 2.5f}};
    out[n++] = (int)v2.sum() + a.as<int>() + (int)v2.as<float>();
    out[n++] = maximum(3, 4) + (int)maximum(1.0f, 2.0f) + (int)maximum<double>(1, 2);
    fill(out + 20, 3);
    int loc[3]; fill(loc, 3);
    out[n++] = loc[0] + loc[2];
    out[n++] = which(1) * 10 + which(1.0f);
    out[n++] = Fact<5>::value;
    out[n++] = (int)(pi<float> * 100);
    int k = 3;
    out[n++] = apply([=](int x) { return x * k; }, 5) + apply([&](int x) { k++; return x; }, 2) + k;
    auto add = [](int x, int y) -> int { return x + y; };
    out[n++] = add(1, 2) + Adder{4}(5);
    Outer<int> o(4);
    out[n++] = o.get() + same<int, int>::value + same<int, float>::value;
    remove_ptr<int *>::type z = 9;
    out[n++] = z + deref(&z) + first(a);
    auto counter = [c = 5]() mutable { return c++; };
    counter();
    out[n++] = counter();
}
