// Packs and class templates without arguments: what is an error (C++17 §8.1.6, §17.5.3, §17.9.2.4).
// options: -cl-std=CLC++1.0
template <typename... T> int f(T... t) { return (t + ...); } //~ error[undeclared-identifier]: a fold of nothing
template <typename... T, typename U> struct Bad {}; //~ error[misplaced-template]: must be its last parameter
template <typename... T> struct L { static constexpr int n = sizeof...(T); };
int g(int x) { return f(x...); } //~ error[expected-token]: found '...'
template <typename... A, typename... B> int h(L<A...>, L<B...>) { int a[] = {sizeof(A) + sizeof(B)...}; return a[0]; } //~ error[undeclared-identifier]: packs of different lengths
template <typename... A> int bare(A... a) { return f(a); } //~ error[undeclared-identifier]: 'a'
template <typename T> int none(T a) { return f(a...); } //~ error[expected-token]: found '...'
template <typename... A> int deeper(A... a) { return deeper(a..., 1); } //~ error[template-limit]: more than 256 elements
template <typename T> struct V { T v; V(T a, T b) : v(a + b) {} };
void parameter(V v) {} //~ error[template-argument]: the class template 'V' needs its arguments here
V result() { return V<int>(1, 2); } //~ error[template-argument]: needs its arguments here
struct Member { V v; }; //~ error[template-argument]: needs its arguments here
using Alias = V; //~ error[template-argument]: needs its arguments here
template <typename T> struct G { G(T); };
template <typename T> G(T) -> int;
inline void *operator new[](unsigned long, void *p) { return p; }
void k(int *memory, int n) {
    G g(1); //~ error[template-argument]: a deduction guide of 'G' gives another type
    int *a = new (memory) int[-1]; //~ error[template-argument]: the number of elements must be a positive constant
    int *b = new (memory) int[n]; //~ error[template-argument]: must be a positive constant
    int *c = new (memory) int[0x7fffffffffffffff]; //~ error[incomplete-type]: too large
    V v(1, 2.5f); //~ error[template-argument]: the arguments of the class template 'V' cannot be deduced from these values
    V w; //~ error[template-argument]: cannot be deduced
    V *p; //~ error[template-argument]: needs its arguments here
    V q{1, 2};
    f();
    h(L<int, int>(), L<int>());
    bare(1, 2);
    none(1);
    deeper(1);
}
