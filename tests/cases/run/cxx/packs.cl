// Packs, placement new, fold expressions, deduced arguments of class templates, and aggregates with bases; each a kernel, with what g++ -std=c++17 prints
// options: -cl-std=CLC++1.0
// run: --kernel folds --global 1 --arg o=int[14] --print o
// prints: o: 13 6 5 11 97 0 1 0 1 0 5 93 3 30
// run: --kernel foldcomma --global 1 --arg o=int[6] --print o
// prints: o: 5 1 2 3 9 33
// run: --kernel recurse --global 1 --arg o=int[6] --print o
// prints: o: 5 1 10 9 3 0
// run: --kernel sizes --global 1 --arg o=int[8] --print o
// prints: o: 7 33 0 2 0 18 8 5
// run: --kernel tuple --global 1 --arg o=int[13] --print o
// prints: o: 12 3 7 5 3 0 1005 2006 3005 2007 7 3007 3006
// run: --kernel nested --global 1 --arg o=int[7] --print o
// prints: o: 6 2 0 -1 3 2 21
// run: --kernel seq --global 1 --arg o=int[7] --print o
// prints: o: 6 321 0 21 100 10 1
// run: --kernel apply --global 1 --arg o=int[2] --print o
// prints: o: 1 234
// run: --kernel forward --global 1 --arg o=int[10] --print o
// prints: o: 9 42 5 6 1004 2005 5 3005 3004 144
// run: --kernel bases --global 1 --arg o=int[7] --print o
// prints: o: 6 4 6 10 5 10 1
// run: --kernel overload --global 1 --arg o=int[3] --print o
// prints: o: 2 2 25
// run: --kernel arrays --global 1 --arg o=int[11] --print o
// prints: o: 10 3 4 5 99 0 6 4 5 6 7
// run: --kernel alias --global 1 --arg o=int[5] --print o
// prints: o: 4 2 5 1 7
// run: --kernel members --global 1 --arg o=int[8] --print o
// prints: o: 7 9 3 7 8 -1 2 4
// run: --kernel order --global 1 --arg o=int[8] --print o
// prints: o: 7 2 3 3 4 2 1 1
// run: --kernel written --global 1 --arg o=int[4] --print o
// prints: o: 3 39 7002 9
// run: --kernel traits --global 1 --arg o=int[7] --print o
// prints: o: 6 1 0 1 0 7 1
// run: --kernel lambdas --global 1 --arg o=int[4] --print o
// prints: o: 3 60 3 56
// run: --kernel ctad2 --global 1 --arg o=int[7] --print o
// prints: o: 6 7 4 8 7 8 8
// run: --kernel guides --global 1 --arg o=int[8] --print o
// prints: o: 7 3 8 2 3 0 1 4
// run: --kernel ctadtup --global 1 --arg o=int[10] --print o
// prints: o: 9 5 3 2 25 1005 2006 3005 6 3006
// run: --kernel ctadptr --global 1 --arg o=int[6] --print o
// prints: o: 5 6 3 4 1 3
// run: --kernel multipack --global 1 --arg o=int[4] --print o
// prints: o: 3 21 12 7
// run: --kernel aggrbase --global 1 --arg o=int[14] --print o
// prints: o: 13 1 2 3 4 5 7 8 0 8 1001 1 6 3001
// run: --kernel placement --global 1 --arg o=int[8] --print o
// prints: o: 7 5 7 21 9 3 4 0
// run: --kernel newclass --global 1 --arg o=int[7] --print o
// prints: o: 6 3 11 10 5 122 4
// run: --kernel statics --global 1 --arg o=int[5] --print o
// prints: o: 4 5 6 4 6
// run: --kernel gotos --global 1 --arg o=int[27] --print o
// prints: o: 26 1001 1011 3011 8 3001 1003 1011 1020 3020 3011 1012 3012 3003 9 1040 3040 1050 1051 3051 3050 1 1050 1052 3052 3050 2
// run: --kernel genericl --global 1 --arg o=int[4] --print o
// prints: o: 3 6 14 0
struct T { global int *o; int v;
 T(global int *o_, int v_) : o(o_), v(v_) { put(1000+v); }
 T(const T &t) : o(t.o), v(t.v+1) { put(2000+v); }
 T &operator=(const T &t) { v = t.v; put(4000+v); return *this; }
 ~T() { put(3000+v); }
 void put(int x) const { o[++o[0]] = x; } };
#define P(...) (o[++o[0]] = (int)(__VA_ARGS__))
inline void *operator new(unsigned long n, void *p) { return p; } inline void *operator new[](unsigned long n, void *p) { return p; }
namespace in_folds {
template <typename... Ts> int f1(Ts... v) { return (v + ...); }
template <typename... Ts> int f2(Ts... v) { return (... - v); }
template <typename... Ts> int f3(Ts... v) { return (v - ...); }
template <typename... Ts> int f4(Ts... v) { return (100 - ... - v); }
template <typename... Ts> bool f5(Ts... v) { return (v && ...); }
template <typename... Ts> bool f6(Ts... v) { return (... || v); }
template <typename... Ts> int f7(Ts... v) { return ((v * 2 + 1) - ... - 5); }
template <typename T, typename... Ts> T f8(T a, Ts... v) { return a + (0 + ... + (v * a)); }
void run(global int *o) {
P(f1(1,2,3)); P(f2(10,2,3)); P(f3(10,2,3)); P(f4(1,2)); P(f5(1,1,0)); P(f5()); P(f6()); P(f6(0,3)); P(f7(1,2,3)); P(f1(5)); P(f4(7)); P(f8(3)); P(f8(3,4,5));
}
}
kernel void folds(global int *o) { in_folds::run(o); }
namespace in_foldcomma {
template <typename... Ts> void put(global int *o, Ts... v) { (P(v), ...); }
template <typename... Ts> void inc(Ts &...v) { (++v, ...); (..., (v += 10)); }
void run(global int *o) {
put(o, 1, 2.5f, 3u); put(o); P(9); int n=0; inc(n,n,n); P(n);
}
}
kernel void foldcomma(global int *o) { in_foldcomma::run(o); }
namespace in_recurse {
template <typename T> T sum(T a) { return a; }
template <typename T, typename... Ts> T sum(T a, Ts... r) { return a + sum(r...); }
template <typename T> T mx(T a) { return a; }
template <typename T, typename U, typename... Ts> T mx(T a, U b, Ts... r) { return mx(a > b ? a : b, r...); }
int cnt() { return 0; }
template <typename T, typename... Ts> int cnt(T, Ts... r) { return 1 + cnt(r...); }
void run(global int *o) {
P(sum(1)); P(sum(1,2,3,4)); P(mx(3,9,2)); P(cnt(1,2.f,3u)); P(cnt());
}
}
kernel void recurse(global int *o) { in_recurse::run(o); }
namespace in_sizes {
template <typename... Ts> int n1(Ts... v) { return sizeof...(Ts) * 10 + sizeof...(v); }
template <typename... Ts> int n2() { return sizeof...(Ts); }
template <int... I> int n3() { return sizeof...(I) + (I + ...); }
template <typename... Ts> struct S { static constexpr int n = sizeof...(Ts) + 5; };
void run(global int *o) {
P(n1(1,2,3)); P(n1()); P(n2<int,float>()); P(n2<>()); P(n3<4,5,6>()); P(S<int,char,char>::n); P(S<>::n);
}
}
kernel void sizes(global int *o) { in_sizes::run(o); }
namespace in_tuple {
template <typename... Ts> struct Tuple;
template <> struct Tuple<> { static constexpr int size = 0; };
template <typename H, typename... Rest> struct Tuple<H, Rest...> {
  H head; Tuple<Rest...> tail;
  Tuple(H h, Rest... r) : head(h), tail(r...) {}
  static constexpr int size = 1 + Tuple<Rest...>::size; };
template <int N, typename H, typename... R> auto get(const Tuple<H, R...> &t) { if constexpr (N == 0) return t.head; else return get<N - 1>(t.tail); }
void run(global int *o) {
Tuple<int,float,char> t(7,2.5f,(char)3); P(t.size); P(get<0>(t)); P(get<1>(t)*2); P(get<2>(t)); Tuple<> e; P(e.size); Tuple<T> x(T(o,5)); P(get<0>(x).v);
}
}
kernel void tuple(global int *o) { in_tuple::run(o); }
namespace in_nested {
template <typename... Ts> struct Tuple;
template <> struct Tuple<> { static constexpr int size = 0; };
template <typename H, typename... Rest> struct Tuple<H, Rest...> {
  H head; Tuple<Rest...> tail;
  Tuple(H h, Rest... r) : head(h), tail(r...) {}
  static constexpr int size = 1 + Tuple<Rest...>::size; };
template <int N, typename H, typename... R> auto get(const Tuple<H, R...> &t) { if constexpr (N == 0) return t.head; else return get<N - 1>(t.tail); }
template <typename T> struct Len { static constexpr int v = -1; };
template <typename... Ts> struct Len<Tuple<Ts...>> { static constexpr int v = sizeof...(Ts); };
template <typename... Ts> int len(const Tuple<Ts...> &) { return sizeof...(Ts); }
template <typename A, typename B> int len2(const A &, const B &) { return Len<A>::v * 10 + Len<B>::v; }
void run(global int *o) {
P(Len<Tuple<int,int>>::v); P(Len<Tuple<>>::v); P(Len<int>::v); P(Len<Tuple<Tuple<int>,int,char>>::v); P(len(Tuple<int,char>(1,2))); P(len2(Tuple<int,char>(1,2),Tuple<int>(1)));
}
}
kernel void nested(global int *o) { in_nested::run(o); }
namespace in_seq {
template <unsigned... N> struct Seq {};
template <unsigned N, unsigned... S> struct MakeSeq : MakeSeq<N - 1, N - 1, S...> {};
template <unsigned... S> struct MakeSeq<0, S...> { using type = Seq<S...>; };
template <unsigned... S> int w(Seq<S...>, const int *a) { return ((a[S] * (S + 1)) + ... + 0); }
template <unsigned... S> void rev(Seq<S...>, const int *a, int *b) { ((b[sizeof...(S) - 1 - S] = a[S]), ...); }
void run(global int *o) {
int a[]={1,10,100}; P(w(MakeSeq<3>::type(), a)); P(w(MakeSeq<0>::type(), a)); typename MakeSeq<2>::type s; P(w(s,a)); int b[3]; rev(MakeSeq<3>::type(), a, b); for(int x:b)P(x);
}
}
kernel void seq(global int *o) { in_seq::run(o); }
namespace in_apply {
template <typename... Ts> struct Tuple;
template <> struct Tuple<> { static constexpr int size = 0; };
template <typename H, typename... Rest> struct Tuple<H, Rest...> {
  H head; Tuple<Rest...> tail;
  Tuple(H h, Rest... r) : head(h), tail(r...) {}
  static constexpr int size = 1 + Tuple<Rest...>::size; };
template <int N, typename H, typename... R> auto get(const Tuple<H, R...> &t) { if constexpr (N == 0) return t.head; else return get<N - 1>(t.tail); }
template <unsigned... N> struct Seq {};
template <unsigned N, unsigned... S> struct MakeSeq : MakeSeq<N - 1, N - 1, S...> {};
template <unsigned... S> struct MakeSeq<0, S...> { using type = Seq<S...>; };
template <typename F, typename U, unsigned... I> int apply(F f, const U &t, Seq<I...>) { return f(get<I>(t)...); }
void run(global int *o) {
Tuple<int,int,int> t(2,3,4); P(apply([](int a,int b,int c){return a*100+b*10+c;}, t, MakeSeq<3>::type()));
}
}
kernel void apply(global int *o) { in_apply::run(o); }
namespace in_forward {
template <typename F, typename... A> auto call(F f, A &&...a) { return f(a...); }
template <typename... A> int inner(A... a) { return (a * ...); }
template <typename... A> int wrap(A... a) { return inner(a..., (a + 1)...); }
void run(global int *o) {
int x=1; P(call([](int a,int b){return a*b;},6,7)); P(call([](){return 5;})); call([](int &a){a+=5;}, x); P(x); call([o](T t){P(t.v);}, T(o,4)); P(wrap(1,2,3));
}
}
kernel void forward(global int *o) { in_forward::run(o); }
namespace in_bases {
struct A1 { int operator()(int x) const { return x + 1; } };
struct A2 { float operator()(float x) const { return x * 2; } };
template <typename... B> struct Multi : B... { using B::operator()...; };
struct B1 { int a; B1(int x) : a(x) {} }; struct B2 { int b; B2(int x) : b(x * 2) {} };
template <typename... B> struct Ctor : B... { Ctor(int x) : B(x)... {} Ctor() {} };
void run(global int *o) {
Multi<A1,A2> m; P(m(3)); P(m(3.f)); Multi<A1> n; P(n(9)); Ctor<B1,B2> c(5); P(c.a); P(c.b); P(sizeof(Ctor<>)>0);
}
}
kernel void bases(global int *o) { in_bases::run(o); }
namespace in_overload {
template <typename... F> struct Over : F... { Over(F... f) : F(f)... {} using F::operator()...; };
template <typename... F> Over<F...> over(F... f) { return Over<F...>(f...); }
void run(global int *o) {
auto v=over([](int x){return x+1;},[](float x){return (int)(x*10);}); P(v(1)); P(v(2.5f));
}
}
kernel void overload(global int *o) { in_overload::run(o); }
namespace in_arrays {
template <typename T, int... N> struct S { static constexpr int n = sizeof...(N); T v[n + 1] = {N..., 99}; };
template <typename... Ts> int sum3(Ts... t) { int a[] = {t...}; int s = 0; for (int x : a) s += x; return s; }
template <int N> struct Arr { int a[N]; };
template <typename... Ts> Arr<sizeof...(Ts)> mk(Ts... t) { return {{t...}}; }
void run(global int *o) {
int a[]={1,2}; S<int,3,4,5> s; for(int x:s.v)P(x); P(S<int>::n); P(sum3(1,2,3)); auto r=mk(4,5,6,7); for(int x:r.a)P(x);
}
}
kernel void arrays(global int *o) { in_arrays::run(o); }
namespace in_alias {
template <typename A, typename B> struct Pair { A a; B b; };
template <typename T> using Two = Pair<T, T>;
template <typename T, typename... R> struct First { using type = T; };
template <template <typename...> class C, typename... A> using Ap = C<A...>;
template <typename A, typename B> struct Same { static constexpr bool v = false; };
template <typename A> struct Same<A, A> { static constexpr bool v = true; };
template <int... N> struct Last; template <int A> struct Last<A> { static constexpr int v = A; };
template <int A, int B, int... N> struct Last<A, B, N...> : Last<B, N...> {};
void run(global int *o) {
Two<int> t; P(sizeof(t)/sizeof(int)); First<int,char>::type f=5; P(f); P((Same<Ap<Pair,int,int>,Pair<int,int>>::v)); Last<1,2,7> l; P(l.v);
}
}
kernel void alias(global int *o) { in_alias::run(o); }
namespace in_members {
template <typename T> struct H { T v; template <typename... A> T add(A... a) { return v + (a + ... + 0); }
 template <typename F, typename... A> void each(F f, A... a) { (f(a + v), ...); } template <typename... A> static int st(A... a); };
template <typename T> template <typename... A> int H<T>::st(A... a) { return (a - ...); }
template <typename... Ts> struct G { int size() const; static int n2(); };
template <typename... Ts> int G<Ts...>::size() const { return sizeof...(Ts); }
template <typename... Ts> int G<Ts...>::n2() { return sizeof...(Ts) * 2; }
void run(global int *o) {
H<int> h{3}; P(h.add(1,2,3)); P(h.add()); h.each([o](int x){P(x);},4,5); P(H<int>::st(1,2)); P(G<int,char>().size()); P((G<int,char>::n2()));
}
}
kernel void members(global int *o) { in_members::run(o); }
namespace in_order {
template <typename... A> int f(A...) { return 1; } template <typename T> int f(T) { return 2; } template <typename T, typename... A> int f(T, int, A...) { return 3; } int f(float) { return 4; }
template <typename... A> int g(A...) { return 1; } template <typename A, typename B> int g(A, B) { return 2; }
void run(global int *o) {
P(f(1)); P(f(1,2)); P(f(1,2,3)); P(f(1.f)); P(g(1,2)); P(g(1,2,3)); P(g());
}
}
kernel void order(global int *o) { in_order::run(o); }
namespace in_written {
template <typename... T> float m(T... v) { return (v + ...); }
template <typename... T> int c(T... v) { return (v + ...); }
template <int N, typename... T> int d(T... v) { return N * (v + ...); }
void run(global int *o) {
P((m<int,float>(1.9f,2.9f)*10)); P(c<short>(7000,2)); P((d<3>(1,2)));
}
}
kernel void written(global int *o) { in_written::run(o); }
namespace in_traits {
template <typename A, typename B> constexpr bool same = false; template <typename A, typename B> struct Same { static constexpr bool v = false; };
template <typename A> struct Same<A, A> { static constexpr bool v = true; };
template <typename T, typename... R> struct allsame { static constexpr bool v = (Same<T, R>::v && ...); };
template <int... B> constexpr bool anyof = (B || ...);
template <typename... T> constexpr int con(T... t) { return sizeof...(t) > 1 ? 7 : 8; }
template <typename T, typename... R> constexpr bool has() { return (Same<T, R>::v || ...); }
void run(global int *o) {
P((allsame<int,int,int>::v)); P((allsame<int,char>::v)); P((anyof<1,0,0>)); P((anyof<>)); P(con(1,2)); P((has<int,char,int>()));
}
}
kernel void traits(global int *o) { in_traits::run(o); }
namespace in_lambdas {
template <typename... A> int f(A... a) { auto l = [=](int m) { return ((a * m) + ...); }; return l(10); }
template <typename... A> int g(A... a) { auto l = [a...]() { return (a + ...); }; return l(); }
template <typename... A> int h(global int *o, A... a) { auto l = [&](int m) { ((a += m), ...); }; l(2); return (a * ...); }
void run(global int *o) {
P(f(1,2,3)); P(g(1,2)); P(h(o,5,6));
}
}
kernel void lambdas(global int *o) { in_lambdas::run(o); }
namespace in_ctad2 {
template<class X> struct V{X a,b; V(X p,X q):a(p),b(q){}};
void run(global int *o) {
V v(3,4); P(v.a+v.b); V w{1.5f,2.0f}; P(w.b*2); auto z=V(7,8); P(z.b); V y=z; P(y.a); V u{z}; P(u.b); V l=V{1L,2L}; P(sizeof(l.a));
}
}
kernel void ctad2(global int *o) { in_ctad2::run(o); }
namespace in_guides {
template<class X> struct W{X v; W(X x):v(x){} }; template<class X> W(X)->W<long>;
template<class... X> struct Pk{static constexpr int n=sizeof...(X); Pk(X... x){} }; 
template<class X=char> struct D{X v; D():v(){} explicit D(X x):v(x){}};
void run(global int *o) {
W w(3); P(w.v); P(sizeof(w.v)); W x(2.5f); P(x.v); Pk p(1,2.5f,(char)3); P(p.n); Pk q; P(q.n); D d; P(sizeof(d.v)); D e(3); P(sizeof(e.v));
}
}
kernel void guides(global int *o) { in_guides::run(o); }
namespace in_ctadtup {
template <typename... Ts> struct Tuple;
template <> struct Tuple<> { static constexpr int size = 0; };
template <typename H, typename... Rest> struct Tuple<H, Rest...> {
  H head; Tuple<Rest...> tail;
  Tuple(H h, Rest... r) : head(h), tail(r...) {}
  static constexpr int size = 1 + Tuple<Rest...>::size; };
template <typename... Ts> Tuple(Ts...) -> Tuple<Ts...>;
template <int N, typename H, typename... R> auto get(const Tuple<H, R...> &t) { if constexpr (N == 0) return t.head; else return get<N - 1>(t.tail); }
template <typename... F> struct Over : F... { using F::operator()...; };
template <typename... F> Over(F...) -> Over<F...>;
template <typename X> struct Box { X v; Box(const X &x) : v(x) {} };
void run(global int *o) {
Tuple t(1,2.5f,(char)3); P(get<1>(t)*2); P(t.size); Over o2{[](int x){return x+1;},[](float x){return (int)(x*10);}}; P(o2(1)); P(o2(2.5f)); Box c(T(o,5)); P(c.v.v);
}
}
kernel void ctadtup(global int *o) { in_ctadtup::run(o); }
namespace in_ctadptr {
template<class X> struct Sp{const X*p; int n; Sp(const X*q,int k):p(q),n(k){} X sum()const{X s=0; for(int i=0;i<n;i++)s+=p[i]; return s;}};
namespace N{template<class X> struct Q{X v; Q(X x):v(x){}};}
template<class X> struct M{X t; template<class Y> M(X a, Y b):t(a+b){}};
void run(global int *o) {
int a[3]={1,2,3}; Sp s(a,3); P(s.sum()); P(Sp(a,2).sum()); N::Q q(4); P(q.v); const Sp k(a,1); P(k.sum()); M m(1,2); P(m.t);
}
}
kernel void ctadptr(global int *o) { in_ctadptr::run(o); }
namespace in_multipack {
template<class...T> struct Tuple{};
template<class...A,class...B> int f(Tuple<A...>,Tuple<B...>){return sizeof...(A)*10+sizeof...(B);}
template<class A,class B> struct Cat; template<class...A,class...B> struct Cat<Tuple<A...>,Tuple<B...>>{static constexpr int n=sizeof...(A)*10+sizeof...(B);};
template<class T,class...R> int g(R...r){return sizeof(T)+(r+...);}
void run(global int *o) {
P(f(Tuple<int,char>(),Tuple<int>())); P((Cat<Tuple<int>,Tuple<char,char>>::n)); P(g<int>(1,2));
}
}
kernel void multipack(global int *o) { in_multipack::run(o); }
namespace in_aggrbase {
struct B{int a,b;}; struct D:B{int c=8;}; struct Em{}; struct B1{int x;}; struct E:Em,B1{int y;}; struct V{int v; V(int x):v(x){}}; struct F:V{}; struct T1:T{int k;};
void run(global int *o) {
D d{{1,2},3}; P(d.a); P(d.b); P(d.c); E e{{},{4},5}; P(e.x); P(e.y); F f{{7}}; P(f.v); D g{}; P(g.a+g.c); D h{{9}}; P(h.b); P(h.c); T1 t{T(o,1),6}; P(t.v); P(t.k);
}
}
kernel void aggrbase(global int *o) { in_aggrbase::run(o); }
namespace in_placement {
struct S{int v; S(int x=4):v(x){} };
void run(global int *o) {
alignas(8) uchar buf[64]; S *p = new (buf) S(5); P(p->v); p->~S(); int *q = new (buf + 8) int(7); P(*q); int *r = new (buf) int[3]{1,2}; P(r[0]+r[1]*10+r[2]); S *t = ::new (buf) S{9}; P(t->v); P((new (buf) S(3))->v); S *u = new (buf) S[2]; P(u[1].v); float *z = new (buf) float(); P(*z);
}
}
kernel void placement(global int *o) { in_placement::run(o); }
namespace in_newclass {
alignas(8) static char pool[256]; static int n = 0, at = 0; typedef int I;
struct B { int x; static void *operator new(decltype(sizeof(0)) s) { at += 32; return pool + at; } void operator delete(void *p) { n += 1; } B(int v) : x(v) {} ~B() { n += 10; } };
struct D : B { int y; D(int v) : B(v), y(v * 2) {} ~D() { n += 100; } };
void run(global int *o) {
B *b = new B(3); P(b->x); delete b; P(n); D *d = new D(5); P(d->y); P(d->x); B *nil = nullptr; delete nil; delete d; P(n); int z = 4; P(z); z.~I();
}
}
kernel void newclass(global int *o) { in_newclass::run(o); }
namespace in_statics {
struct C{int n; C():n(5){} int next(){return n++;}}; int f(){static C c; return c.next();} int g(int x){static int k=3; k+=x; return k;}
void run(global int *o) {
P(f()); P(f()); P(g(1)); P(g(2));
}
}
kernel void statics(global int *o) { in_statics::run(o); }
namespace in_gotos {
int f(global int *o, int n) { T a(o, 50); if (n == 1) { T b(o, 51); goto out; } { T c(o, 52); } out: return n; }
void run(global int *o) {
for (int k = 1; k < 4; k += 2) { T a(o, k); for (int i = 1; i < 3; i++) { T b(o, 10 + i); if (i == k) goto next; if (k == 3 && i == 2) goto end; T c(o, 20); if (k == 1) { T d(o, 30); goto next; } } P(7); next: P(8); } end: P(9); { T e(o, 40); goto again; } again: P(f(o, 1)); P(f(o, 2));
}
}
kernel void gotos(global int *o) { in_gotos::run(o); }
namespace in_genericl {
void run(global int *o) {
auto l=[](auto... x){return (x+...);}; P(l(1,2,3)); auto m=[](auto a, auto... x){return a*(x+...+0);}; P(m(2,3,4)); P(m(2));
}
}
kernel void genericl(global int *o) { in_genericl::run(o); }
