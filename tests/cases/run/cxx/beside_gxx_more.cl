// More programs of C++ for OpenCL, each a kernel, with what g++ -std=c++17 prints for them (as beside_gxx.cl): statements, templates, overloads,
// conversions, temporaries, moves, assignments, bases.
// options: -cl-std=CLC++1.0
// run: --kernel forcond --global 1 --arg o=int[13] --print o
// prints: o: 12 3 1 3 9 3003 2 3002 1 9 3001 3000 0
// run: --kernel swcond --global 1 --arg o=int[9] --print o
// prints: o: 8 0 12 22 24 1001 5 3001 0
// run: --kernel range1 --global 1 --arg o=int[16] --print o
// prints: o: 15 10 10 2 30 40 11 3 31 41 1 2 3 4 5 6
// run: --kernel range2 --global 1 --arg o=int[8] --print o
// prints: o: 7 2 3 4 1 2 7 8
// run: --kernel range3 --global 1 --arg o=int[15] --print o
// prints: o: 14 1001 1002 2002 2 0 3002 2003 3 3003 11 12 3012 3011 99
// run: --kernel tempcond --global 1 --arg o=int[18] --print o
// prints: o: 17 1001 1 3001 0 1 1004 1 3004 1005 3005 5 1007 1008 8 3008 3007 0
// run: --kernel tempchoice --global 1 --arg o=int[19] --print o
// prints: o: 18 1001 2002 2 3002 1003 3 3003 1004 4 3004 1006 6 3006 1007 7 3007 9 3009
// run: --kernel tempfor --global 1 --arg o=int[21] --print o
// prints: o: 20 1001 3001 1004 3004 1 1001 3001 1004 3004 2 1001 3001 1004 3004 3 1001 3001 1004 3004 0
// run: --kernel tempwhile --global 1 --arg o=int[26] --print o
// prints: o: 25 1003 1013 3013 3003 3 1002 1012 3012 3002 2 1001 3001 1002 3002 1003 3003 1020 3020 1 1021 3021 21 1022 3022 2
// run: --kernel paren --global 1 --arg o=int[8] --print o
// prints: o: 7 1001 1 3001 4 4 10 44
// run: --kernel goto1 --global 1 --arg o=int[9] --print o
// prints: o: 8 1000 3000 1001 3001 1002 3 3002 0
// run: --kernel goto2 --global 1 --arg o=int[15] --print o
// prints: o: 14 1000 1010 3010 3000 1001 1011 3011 3001 1002 1012 3012 3 3002 0
// run: --kernel goto3 --global 1 --arg o=int[6] --print o
// prints: o: 5 1001 0 9 3001 0
// run: --kernel genlam --global 1 --arg o=int[9] --print o
// prints: o: 8 3 5 8 17 7 7 42 8
// run: --kernel genlam2 --global 1 --arg o=int[17] --print o
// prints: o: 16 8 101 9 16 8 5 101 102 18 9 1001 2002 3 3002 3001 34
// run: --kernel partconst --global 1 --arg o=int[11] --print o
// prints: o: 10 1 0 3 1 4 4 6 2 1 0
// run: --kernel traits --global 1 --arg o=int[12] --print o
// prints: o: 11 1 1 1 1 0 1 1 1 2 4 1
// run: --kernel sfinae2 --global 1 --arg o=int[6] --print o
// prints: o: 5 1 2 3 7 -1
// run: --kernel tmplover --global 1 --arg o=int[16] --print o
// prints: o: 15 1 4 2 3 1 2 1 2 3 2 1 1 2 3 1
// run: --kernel fwd --global 1 --arg o=int[13] --print o
// prints: o: 12 1 2 3 11 11 15 1001 1 1002 2 3002 3001
// run: --kernel tmplmem --global 1 --arg o=int[9] --print o
// prints: o: 8 3 3 3 5 4 11 9 8
// run: --kernel specmem --global 1 --arg o=int[6] --print o
// prints: o: 5 1 3 2 2 5
// run: --kernel inhctor --global 1 --arg o=int[7] --print o
// prints: o: 6 4 7 12 1 2 3
// run: --kernel opassign --global 1 --arg o=int[32] --print o
// prints: o: 31 1001 1002 4001 1 4001 9 2002 2 1005 1006 1007 2006 2007 2008 4005 4006 4007 7 1008 4008 3008 8 3007 3006 3005 3007 3006 3005 3002 3001 3008
// run: --kernel moves --global 1 --arg o=int[20] --print o
// prints: o: 19 200 0 1 400 -1 1 7 200 500 9 200 0 9 509 500 507 501 499 500
// run: --kernel multibase --global 1 --arg o=int[13] --print o
// prints: o: 12 1 6 4 31 21 5 4 5 2 8 25 12
// run: --kernel emptybase --global 1 --arg o=int[9] --print o
// prints: o: 8 4 1 1 3 3 6 3 3
// run: --kernel dtororder --global 1 --arg o=int[26] --print o
// prints: o: 25 1001 50 1007 1002 1003 60 0 61 3003 3002 3007 51 3001 1001 50 1007 1002 1003 60 61 3003 3002 3007 51 3001
// run: --kernel convs --global 1 --arg o=int[15] --print o
// prints: o: 14 6 9 10 2 4 3 3 0 102 22 7 1 -2 2
// run: --kernel ovconv --global 1 --arg o=int[19] --print o
// prints: o: 18 1 2 3 4 1 1 2 1 2 2 1 2 3 2 1 2 1 1
// run: --kernel constness --global 1 --arg o=int[17] --print o
// prints: o: 16 1 2 3 4 1 2 2 4 2 1 1 1 1 2 1 2
// run: --kernel ops2 --global 1 --arg o=int[33] --print o
// prints: o: 32 7 10 8 0 1 -1 -5 4 1 2 3 13 0 -4 13 324 33 0 0 313 3 0 0 0 9 5 9 1 1 2 -4 -12
// run: --kernel lifetime --global 1 --arg o=int[27] --print o
// prints: o: 26 1001 1 3001 1003 1004 7 3004 3003 1005 50 3050 1006 1007 13 3007 3006 1008 77 3008 1009 77 3009 1010 10 3010 0
// run: --kernel elision --global 1 --arg o=int[35] --print o
// prints: o: 34 1001 1 3001 1002 2 3002 1002 2 3002 1004 4 3004 1005 1006 6 3006 3005 1007 7 3007 1008 2009 9 3009 3008 1009 70 3009 1010 70 3010 1011 11 3011
// run: --kernel static2 --global 1 --arg o=int[10] --print o
// prints: o: 9 5 6 7 3 5 30 1 2 1
// run: --kernel cexpr2 --global 1 --arg o=int[9] --print o
// prints: o: 8 25 6 6 8 13 50 30 1
// run: --kernel enums --global 1 --arg o=int[13] --print o
// prints: o: 12 5 7 4 3 2 1 44 4 0 5 2 7
// run: --kernel casts --global 1 --arg o=int[23] --print o
// prints: o: 22 65 65 2 2 15 -1294967296 4 4464 1 44 7 8 8 4 4 -3 -1 19 7 -6 0 0
// run: --kernel aggr2 --global 1 --arg o=int[15] --print o
// prints: o: 14 2 3 4 0 5 6 0 3 1 7 3 20 9 2
// run: --kernel defargs2 --global 1 --arg o=int[13] --print o
// prints: o: 12 34 14 12 10 14 4 14 6 4 6 5 6
// run: --kernel arrparam --global 1 --arg o=int[9] --print o
// prints: o: 8 2 3 63 23 5 9 6 3
// run: --kernel thisret --global 1 --arg o=int[8] --print o
// prints: o: 7 11 12 13 10 4 4 3
// run: --kernel initlistorder --global 1 --arg o=int[8] --print o
// prints: o: 7 21 1002 4 8 2 6 3002
// run: --kernel lambda3 --global 1 --arg o=int[14] --print o
// prints: o: 13 1 2 1 10 21 11 4 3 8 10 18 3 11
// run: --kernel ifinit --global 1 --arg o=int[10] --print o
// prints: o: 9 3 1 2 3 2 1 5 14 23
struct T { global int *o; int v;
 T(global int *o_, int v_) : o(o_), v(v_) { put(1000+v); }
 T(const T &t) : o(t.o), v(t.v+1) { put(2000+v); }
 T &operator=(const T &t) { v = t.v; put(4000+v); return *this; }
 ~T() { put(3000+v); }
 void put(int x) const { o[++o[0]] = x; } };
#define P(...) (o[++o[0]] = (int)(__VA_ARGS__))
namespace in_forcond {
struct W{global int*o;int v; ~W(){o[++o[0]]=3000+v;} explicit operator bool()const{return v>0;}};
void run(global int *o) {
int n=3; for(int i=0; int k=n-i; i++){ if(k==2)continue; P(k);} for(;W w=W{o,n};n--){P(n); if(n==2)continue; P(9);} P(0);
}
}
kernel void forcond(global int *o) { in_forcond::run(o); }
namespace in_swcond {
void run(global int *o) {
for(int i=0;i<3;i++) switch(int q=i*2){case 0:P(q);break;case 2:P(q+10);default:P(q+20);} switch(T t(o,1);t.v){case 1:P(5);break;default:P(6);} P(0);
}
}
kernel void swcond(global int *o) { in_swcond::run(o); }
namespace in_range1 {
void run(global int *o) {
int a[4]={1,2,3,4}; int s=0; for(int x:a)s+=x; P(s); for(int&x:a){if(x==2)continue; x*=10; if(x>30)break;} for(auto x:a)P(x); for(const auto&x:a)P(x+1); int b[2][3]={{1,2,3},{4,5,6}}; for(auto&r:b)for(int x:r)P(x);
}
}
kernel void range1(global int *o) { in_range1::run(o); }
namespace in_range2 {
struct It{int v; int operator*()const{return v;} It&operator++(){++v;return*this;} bool operator!=(const It&o)const{return v!=o.v;}}; struct R{int a,b; It begin()const{return It{a};} It end()const{return It{b};}}; struct E{int v;}; struct V{E e[3]; E*begin(){return e;} E*end(){return e+3;}}; struct VV{E e[2]={{7},{8}}; const E*begin()const{return e;} const E*end()const{return e+2;}}; VV mk(){return VV();}
void run(global int *o) {
R r{2,5}; for(int x:r)P(x); for(auto x:R{1,3})P(x); for(auto&x:mk()) P(x.v); 
}
}
kernel void range2(global int *o) { in_range2::run(o); }
namespace in_range3 {
void run(global int *o) {
{T a[2]={T(o,1),T(o,2)}; for(T t:a){P(t.v); if(t.v==3)continue; P(0);} for(T&t:a)t.v+=10; for(const T&t:a)P(t.v);} P(99);
}
}
kernel void range3(global int *o) { in_range3::run(o); }
namespace in_tempcond {
void run(global int *o) {
int z=o[0]>=0; P(z&&T(o,1).v); P(!z&&T(o,2).v); P(z||T(o,3).v); P(!z||T(o,4).v); int q=z?T(o,5).v:T(o,6).v; P(q); P((z&&(!z||T(o,7).v))?T(o,8).v:T(o,9).v); P(0);
}
}
kernel void tempcond(global int *o) { in_tempcond::run(o); }
namespace in_tempchoice {
void f(T t){t.put(7);}
void run(global int *o) {
int z=o[0]>=0; T a(o,1); {T b=z?a:T(o,2); P(b.v);} {T c=!z?a:T(o,3);P(c.v);} P((z?T(o,4):T(o,5)).v); P((z?T(o,6):a).v); f(z?T(o,7):a); T&r=z?a:a; r.v=9; P(a.v);
}
}
kernel void tempchoice(global int *o) { in_tempchoice::run(o); }
namespace in_tempfor {
void run(global int *o) {
for(int i=T(o,1).v;i<T(o,4).v;i+=T(o,1).v){P(i);} P(0);
}
}
kernel void tempfor(global int *o) { in_tempfor::run(o); }
namespace in_tempwhile {
void run(global int *o) {
int c=3; while(T(o,c).v>1&&T(o,c+10).v){P(c); c--;} do{c++;}while(T(o,c).v<3); if(T(o,20).v)P(1); if(int q=T(o,21).v)P(q); switch(T(o,22).v){case 22:P(2);}
}
}
kernel void tempwhile(global int *o) { in_tempwhile::run(o); }
namespace in_paren {
struct S{int a; S(int x):a(x){}};
void run(global int *o) {
P((T(o,1).v)); P((int(3)+1)); P((S{4}.a)); P((S(5).a)*2); int q=(char(300)); P(q);
}
}
kernel void paren(global int *o) { in_paren::run(o); }
namespace in_goto1 {
void run(global int *o) {
int n=0; {again: T t(o,n); if(n++<2) goto again; P(n);} P(0);
}
}
kernel void goto1(global int *o) { in_goto1::run(o); }
namespace in_goto2 {
void run(global int *o) {
int n=0; top: {T t(o,n); {T u(o,n+10); if(n++<2) goto top;} P(n);} goto end; P(5); end: P(0);
}
}
kernel void goto2(global int *o) { in_goto2::run(o); }
namespace in_goto3 {
void run(global int *o) {
{T t(o,1); for(int i=0;i<3;i++){ if(i==1) goto in; P(i);} in: P(9);} P(0);
}
}
kernel void goto3(global int *o) { in_goto3::run(o); }
namespace in_genlam {
template<class F,class G> int ap(F f,G g){return f(g,6);}
void run(global int *o) {
auto id=[](auto x){return x;}; P(id(3)); P(id(2.5f)*2); int k=5; auto add=[k](auto a,auto b){return a+b+k;}; P(add(1,2)); P(add(1.5f,2)*2); auto r=[&](auto x){k+=x;return k;}; P(r(2)); P(k); P(ap([](auto f,int y){return f(y);},[=](int z){return z*k;})); auto pr=[](const auto&x){return sizeof(x);}; P(pr(1L));
}
}
kernel void genlam(global int *o) { in_genlam::run(o); }
namespace in_genlam2 {
struct S{int v; int f(){auto l=[this](auto x){return v*x;}; auto k=[=](auto x){return get()+x;}; return l(2)+k(1);} int get(){return v;}}; template<class F> int each(F f){char c=1; return f(c)*10+f(1L);}
void run(global int *o) {
int n=3; const int c=4; auto f=[=](auto x){return x+n+c;}; n=100; P(f(1)); auto g=[&](auto&x){x+=n;}; int q=1; g(q); P(q); auto h=[](auto&&x){x=9;}; h(q); P(q); S s{5}; P(s.f()); auto m=[](auto a,int b=2){return a*b;}; P(m(4)); P(m(2.5f)); auto v=[n](auto x)mutable{n+=x;return n;}; P(v(1));P(v(1)); P(each([](auto x){return sizeof(x);})); auto p2=[](const auto*p){return *p;}; P(p2(&q)); {T t(o,1); auto w=[t](auto x){return t.v+x;}; P(w(1));} auto nest=[](auto x){return [x](auto y){return x*10+y;};}; P(nest(3)(4));
}
}
kernel void genlam2(global int *o) { in_genlam2::run(o); }
namespace in_partconst {
template<class T>struct X{static constexpr int v=0;}; template<class T>struct X<const T>{static constexpr int v=1;}; template<class T>struct X<T*>{static constexpr int v=2;}; template<class T>struct X<const T*>{static constexpr int v=3;}; template<class T>struct X<T&>{static constexpr int v=4;}; template<class T>struct R{typedef T type; typedef T t;}; template<class T>struct R<const T>{typedef T type; static int t(T x){return x+1;}}; template<class T>struct S{static constexpr int v=0;}; template<class T>struct S<T&>{static constexpr int v=1;}; template<class T>struct S<const T&>{static constexpr int v=2;};
void run(global int *o) {
P(X<const int>::v);P(X<int>::v);P(X<const int*>::v);P(X<int*const>::v);P(X<int&>::v);P(X<const int&>::v);P(R<const int>::t(5)); int q=1; R<const int>::type z=2; const int&cr=q; P((S<decltype(cr)>::v)); P((S<decltype((q))>::v)); P((S<decltype(q)>::v));
}
}
kernel void partconst(global int *o) { in_partconst::run(o); }
namespace in_traits {
template<class A,class B>struct is{static constexpr bool v=false;}; template<class A>struct is<A,A>{static constexpr bool v=true;}; template<class A>struct rr{typedef A t;}; template<class A>struct rr<A&>{typedef A t;}; template<class A>struct rr<A&&>{typedef A t;}; template<class A>struct rc{typedef A t;}; template<class A>struct rc<const A>{typedef A t;}; template<class A>struct ptr{static constexpr bool v=false;}; template<class A>struct ptr<A*>{static constexpr bool v=true;}; template<bool b,class A,class B>struct cond{typedef A t;}; template<class A,class B>struct cond<false,A,B>{typedef B t;}; template<bool b,class A=void>struct ei{}; template<class A>struct ei<true,A>{typedef A t;}; template<class A> typename ei<is<A,int>::v,int>::t en(A a){return 1;} template<class A> typename ei<!is<A,int>::v,int>::t en(A a){return 2;} template<class A>struct arr{}; template<class A,int N>struct arr<A[N]>{static constexpr int n=N;}; template<class A> using decay=typename rc<typename rr<A>::t>::t;
void run(global int *o) {
P((is<int,rr<int&>::t>::v));P((is<int,rc<const int>::t>::v)); P((is<int*,rr<int*>::t>::v)); P(ptr<int*>::v);P(ptr<int>::v); P((is<cond<true,int,float>::t,int>::v)); P((is<cond<false,int,float>::t,float>::v)); P(en(3)); P(en(2.5f)); P(arr<int[4]>::n); P((is<decay<const int&>,int>::v));
}
}
kernel void traits(global int *o) { in_traits::run(o); }
namespace in_sfinae2 {
struct S1{int x=4; int get(){return 7;} typedef int type;}; struct S2{int y=5;}; template<class T> int h(T t,typename T::type=0){return 1;} int h(S2){return 2;} int h(int){return 3;} template<class T> auto k(T t,int)->decltype(t.get()){return t.get();} template<class T> int k(T t,long){return -1;}
void run(global int *o) {
P(h(S1())); P(h(S2())); P(h(5)); P(k(S1(),0)); P(k(S2(),0));
}
}
kernel void sfinae2(global int *o) { in_sfinae2::run(o); }
namespace in_tmplover {
template<class T>int f(T){return 1;} template<class T>int f(T*){return 2;} template<class T>int f(const T*){return 3;} int f(float){return 4;} template<class T>int g(T&){return 1;} template<class T>int g(const T&){return 2;} template<class T>int g(T&&){return 3;} template<class A,class B>int h(A,B){return 1;} template<class A>int h(A,A){return 2;} template<class T>int q(T){return 1;} int q(int){return 2;} template<class T> int m(T a,int b){return 1;} template<class T> int m(int a,T b){return 2;} int m(int,int){return 3;}
void run(global int *o) {
P(f(1));P(f(1.f));P(f(o));const int c=2;P(f(&c));P(f(c)); int i=0;P(f(&i)); P(g(i));P(g(c));P(g(3)); P(h(i,i));P(h(i,1.f)); P(q<>(1)); P(q(1)); P(m(1,2)); P(m(1.f,2));
}
}
kernel void tmplover(global int *o) { in_tmplover::run(o); }
namespace in_fwd {
template<class T> struct rr{typedef T t;}; template<class T> struct rr<T&>{typedef T t;}; template<class T> T&&fwd(typename rr<T>::t&x){return static_cast<T&&>(x);} int ov(int&){return 1;} int ov(const int&){return 2;} int ov(int&&){return 3;} template<class X> int w(X&&x){return ov(fwd<X>(x));} template<class X> int fw(X&&x){x+=10;return x;} int ovT(T&t){return 1;} int ovT(T&&t){return 2;} template<class X> int fwT(X&&x){return ovT(fwd<X>(x));}
void run(global int *o) {
int i=1; const int c=2; P(w(i));P(w(c));P(w(3)); P(fw(i)); P(i); P(fw(5)); T t(o,1); P(fwT(t)); P(fwT(T(o,2)));
}
}
kernel void fwd(global int *o) { in_fwd::run(o); }
namespace in_tmplmem {
template<class X>struct S{X v=1; S(){} template<class Y>S(const S<Y>&o):v(o.v+0.5f){} template<class Y> int f(Y y){return v+y;} template<int n> int g(){return n*v;} template<class Y> Y conv(){return v+0.5f;} template<class Y> void set(Y y); template<int n> static int st(){return n;} template<class Y> struct In{Y c;};}; template<class X> template<class Y> void S<X>::set(Y y){v=y;}
void run(global int *o) {
S<int> s; P(s.f(2)); P(s.g<3>()); P(s.conv<float>()*2); s.set(5); P(s.v); P(S<int>::st<4>()); S<float> q(s); P(q.v*2); S<int>::In<char> in{9}; P(in.c); S<int>::In<long> il; P(sizeof(il));
}
}
kernel void tmplmem(global int *o) { in_tmplmem::run(o); }
namespace in_specmem {
template<class X>struct A{int f(){return 1;} static constexpr int s=2;}; template<> int A<char>::f(){return 3;} template<> struct A<long>{static constexpr int s=5;};
void run(global int *o) {
P(A<int>().f()); P(A<char>().f()); P(A<int>::s); P(A<char>::s); P(A<long>::s);
}
}
kernel void specmem(global int *o) { in_specmem::run(o); }
namespace in_inhctor {
struct B{int v; B(int x):v(x){} B(int x,int y):v(x*10+y){}}; struct D:B{int w=7; using B::B;}; struct A1{int f(int){return 1;}}; struct A2{int f(float){return 2;}}; struct U:A1,A2{using A1::f;using A2::f;int f(bool){return 3;}};
void run(global int *o) {
D d(4); P(d.v);P(d.w); D e(1,2); P(e.v); P(U().f(1)); P(U().f(1.f)); P(U().f(true));
}
}
kernel void inhctor(global int *o) { in_inhctor::run(o); }
namespace in_opassign {
struct S{T t;int k=3; S(global int*o,int n):t(o,n){}}; struct A{T a;T t[2];};
void run(global int *o) {
{S a(o,1),b(o,2); b=a; P(b.t.v); b.k=9; a=b; P(a.k); S c=a; P(c.t.v); A x{T(o,5),{T(o,6),T(o,7)}}; A y=x; y=x; P(y.t[1].v); a=S(o,8); P(a.t.v);}
}
}
kernel void opassign(global int *o) { in_opassign::run(o); }
namespace in_moves {
struct M{global int*o;int v; M(global int*o_,int x):o(o_),v(x){} M(const M&m):o(m.o),v(m.v){o[++o[0]]=100;} M(M&&m):o(m.o),v(m.v){m.v=0;o[++o[0]]=200;} M&operator=(const M&m){v=m.v;o[++o[0]]=300;return*this;} M&operator=(M&&m){v=m.v;m.v=-1;o[++o[0]]=400;return*this;} ~M(){o[++o[0]]=500+v;}}; M&&mv(M&m){return static_cast<M&&>(m);} M f(global int*o){M m(o,7);return m;} struct H{M m; H(M&&x):m(mv(x)){} H(H&&h):m(mv(h.m)){}}; H&&mv(H&h){return static_cast<H&&>(h);}
void run(global int *o) {
{M a(o,1); M b(mv(a)); P(a.v);P(b.v); M c(o,3); c=mv(b); P(b.v); P(c.v); M d=f(o); P(d.v); H h(M(o,9)); P(h.m.v); H g(mv(h)); P(h.m.v); P(g.m.v);}
}
}
kernel void moves(global int *o) { in_moves::run(o); }
namespace in_multibase {
struct A{int a=1; int f(){return 10;}}; struct B:A{int b=2; int x=3; int f(){return 20+a;} int g()const{return 7;}}; struct C{int x=4; char q=5;}; struct D:B,C{int x=6; int f(){return B::f()+C::x+x;} int g()const{return B::g()+1;}};
void run(global int *o) {
D d; P(d.a);P(d.x);P(d.C::x);P(d.f());P(d.B::f()); A&a=d; a.a=5; P(d.a); C*c=&d; P(c->x); D*e=static_cast<D*>(c); P(e->a); P(((B*)&d)->b); const D&k=d; P(k.g()); B&b2=static_cast<B&>(d); P(b2.f()); P((char*)c-(char*)&d);
}
}
kernel void multibase(global int *o) { in_multibase::run(o); }
namespace in_emptybase {
struct E{int f(){return 1;}}; struct E2{int g(){return 2;}}; struct D:E,E2{int v=3; int f(){return E::f()+g();}}; struct F:E{int f(){return E::f()+5;}};
void run(global int *o) {
P(sizeof(D));P(sizeof(E));P(sizeof(F)); D d; P(d.f()); P(d.v); F f; P(f.f()); D d2=d; d2.v=9; P(d.v); P(d2.f());
}
}
kernel void emptybase(global int *o) { in_emptybase::run(o); }
namespace in_dtororder {
struct B{T a; B(global int*o,int n):a(o,n){a.put(50);} ~B(){a.put(51);}}; struct B2{T q; B2(global int*o):q(o,7){}}; struct D:B,B2{T x;T y; D(global int*o):y(o,3),B2(o),x(o,2),B(o,1){y.put(60);} ~D(){y.put(61);}};
void run(global int *o) {
{D d(o); P(0);} {D*p=0; D x(o); (void)p;} 
}
}
kernel void dtororder(global int *o) { in_dtororder::run(o); }
namespace in_convs {
struct A{int v; explicit A(int x):v(x){} explicit operator bool()const{return v!=0;}}; struct B{int v; B(A a):v(a.v*2){} }; int f(B b){return b.v;} int g(const B&b){return b.v+1;} struct C{int n; C(int x):n(x){} operator int()const{return n;}}; int h(long x){return x+100;} int sw(C c){switch(c){case 2:return 22;default:return 0;}}
void run(global int *o) {
P(f(A(3)));P(g(A(4))); B b=A(5); P(b.v); C c(2); int i=c; P(i); float x=c; P(x*2); P(c+1); P(c+1.5f); bool t=A(0)?true:false; P(t); P(h(c)); P(sw(c)); int arr[4]={9,8,7,6}; P(arr[C(2)]); P(c==2); P(-c); long l=c; P(l);
}
}
kernel void convs(global int *o) { in_convs::run(o); }
namespace in_ovconv {
int f(int){return 1;} int f(unsigned){return 2;} int f(long){return 3;} int f(float){return 4;} int g(int){return 1;} int g(global int*){return 2;} struct S{S(int){}}; int h(S){return 1;} int h(long){return 2;} int kk(int,float){return 1;} int kk(float,int){return 2;} enum E{E1}; enum class X{a}; int e(int){return 1;} int e(E){return 2;} int e(X){return 3;} int r(int&){return 1;} int r(const int&){return 2;} int v(int){return 1;} int v(float){return 2;}
void run(global int *o) {
P(f(1));P(f(1u));P(f(1L));P(f(1.f));P(f('c'));P(f((short)1));P(g(nullptr));P(g(0));P(g(o)); P(h(5)); P(kk(1,2.f)); P(e(E1)); P(e(X::a)); P(r(1)); int i=1; P(r(i)); const int c=1;P(r(c)); P(v(true)); unsigned char uc=1; P(f(uc));
}
}
kernel void ovconv(global int *o) { in_ovconv::run(o); }
namespace in_constness {
struct S{mutable int cnt=0; int f(){return 1;} int f()const{return 2;} int operator[](int){return 3;} int operator[](int)const{return 4;} void m()const{cnt++;} S&g(){return*this;} const S&g()const{return*this;}}; struct H{S s; S*p(){return&s;} const S*p()const{return&s;}};
void run(global int *o) {
S s; const S c; P(s.f());P(c.f());P(s[0]);P(c[0]); S*p=&s; const S*q=&s; P(p->f());P(q->f()); P((*q).f()); const S&r=s; P(r[0]); P(static_cast<const S&>(s).f()); P(const_cast<S&>(r).f()); s.m(); P(s.cnt); c.m(); P(c.cnt); P(s.g().f()); P(c.g().f()); H h; P(h.p()->f()); const H&hc=h; P(hc.p()->f());
}
}
kernel void constness(global int *o) { in_constness::run(o); }
namespace in_ops2 {
struct C{int r,i; C(int r,int i=0):r(r),i(i){} C operator+(const C&o)const{return C(r+o.r,i+o.i);} C operator-()const{return C(-r,-i);} C&operator+=(const C&o){r+=o.r;i+=o.i;return*this;} C&operator-=(const C&o){r-=o.r;i-=o.i;return*this;} C&operator*=(int k){r*=k;i*=k;return*this;} bool operator==(const C&o)const{return r==o.r&&i==o.i;} bool operator!=(const C&o)const{return!(*this==o);} C&operator++(){r++;return*this;} C operator++(int){C t=*this;r++;return t;} C&operator<<(int x){i+=x;return*this;} bool operator!()const{return r==0;} int operator~()const{return ~r;} int&operator[](int k){return k?i:r;} int operator()(int a,int b,int c)const{return a+b*10+c*100+r;} C*operator->(){return this;} int operator*()const{return r*100+i;} int operator%(int k)const{return r%k;} bool operator<(const C&o)const{return r<o.r;} bool operator<=(const C&o)const{return r<=o.r;} int operator>>(int k)const{return r>>k;}}; C operator*(const C&a,const C&b){return C(a.r*b.r-a.i*b.i,a.r*b.i+a.i*b.r);} int operator^(const C&a,const C&b){return a.r^b.r;} int operator&(const C&a,const C&b){return a.r&b.r;} C operator,(const C&a,const C&b){return C(a.r*10+b.r);} bool operator&&(const C&a,const C&b){return a.r>b.r;} bool operator||(const C&a,const C&b){return a.r<b.r;}
void run(global int *o) {
C a(1,2),b(3,4); C c=a+b*2; P(c.r);P(c.i); c+=a; P(c.r); P(a==b);P(a!=b); c=-a; P(c.r); P((a*b).r); P((2*a).i); P(++a==C(2,2)); P((a++).r); P(a.r); a<<5<<6; P(a.i); P(!a); P(~a); P(a[1]); P(a(1,2,3)); P((a,b).r); P(a&&b); P((a||b)); P(*a); P(a->r); P(a%3); P((a^b)); P(a<b); a=b=C(9,9); P(a.r); (a=b).r=5; P(a.r); P(b.r); P(a<=b); P((a&b)|1); P(a>>1); a-=b; P(a.r); a*=3; P(a.r);
}
}
kernel void ops2(global int *o) { in_ops2::run(o); }
namespace in_lifetime {
T mk(global int*o,int n){return T(o,n);} void f(const T&t){t.put(77);} struct W{T t;};
void run(global int *o) {
{const T&r=mk(o,1); P(r.v);} P(mk(o,3).v+mk(o,4).v); {auto&&x=mk(o,5); x.v=50; P(x.v);} {T a=mk(o,6); T b(mk(o,7)); P(a.v+b.v);} f(mk(o,8)); f(T(o,9)); {W w{mk(o,10)}; P(w.t.v);} P(0);
}
}
kernel void lifetime(global int *o) { in_lifetime::run(o); }
namespace in_elision {
T f(global int*o,int n){return T(o,2);} T g(global int*o){return f(o,1);} struct S{T t;}; void h(T t){t.put(70);} int i(const T&t){return t.v;}
void run(global int *o) {
{T a=T(T(T(o,1))); P(a.v);} {T b=f(o,0); P(b.v);} {T c=g(o); P(c.v);} {T d={o,4}; P(d.v);} {T e[2]={{o,5},T(o,6)}; P(e[1].v);} {S s{T(o,7)}; P(s.t.v);} {S s={{o,8}}; S u=s; P(u.t.v);} h(T(o,9)); h({o,10}); P(i({o,11}));
}
}
kernel void elision(global int *o) { in_elision::run(o); }
namespace in_static2 {
int cnt(){static int c=5; return c++;} struct S{static int n; S(){n++;} ~S(){n--;} static int get(){return n*10;}}; int S::n=3; template<class T> int tc(){static int k=0; return ++k;}
void run(global int *o) {
P(cnt());P(cnt());P(cnt()); P(S::n); {S a,b; P(S::n);} P(S::get()); P(tc<int>());P(tc<int>());P(tc<float>());
}
}
kernel void static2(global int *o) { in_static2::run(o); }
namespace in_cexpr2 {
struct V{int x,y; constexpr V(int a,int b):x(a),y(b){} constexpr int dot(const V&o)const{return x*o.x+y*o.y;} static constexpr V make(int k){return V(k,k);}}; constexpr int sumA(const int*a,int n){int s=0;for(int i=0;i<n;i++)s+=a[i];return s;} template<int N>struct K{static constexpr int n=N*2;}; constexpr int fib(int n){return n<2?n:fib(n-1)+fib(n-2);} template<int n=5> constexpr int T5=n*10; constexpr int gcd(int a,int b){while(b){int t=a%b;a=b;b=t;}return a;}
void run(global int *o) {
constexpr V v(3,4); static_assert(v.dot(v)==25,""); P(v.dot(v)); constexpr int a[3]={1,2,3}; static_assert(a[1]==2,""); P(sumA(a,3)); static_assert(V::make(2).x==2,""); P(K<v.x>::n); constexpr auto l=[](int x){return x*2;}; P(l(4)); int arr[fib(7)]; P(sizeof(arr)/sizeof(int)); P(T5<>); P(T5<3>); static_assert(gcd(12,18)==6,""); if constexpr(fib(6)==8)P(1);else P(2);
}
}
kernel void cexpr2(global int *o) { in_cexpr2::run(o); }
namespace in_enums {
enum E{a,b=5,c}; enum class F{p=3,q}; enum class G:unsigned char{z}; struct H{enum{m=1,n=4};};
void run(global int *o) {
E e=b; P(e); P(c+1); F f=F::q; P((int)f); P(static_cast<int>(F::p)); switch(f){case F::p:P(1);break;case F::q:P(2);} P(sizeof(G)); G g=(G)300; P((int)g); enum L{x1=3,x2}; P(x2); e=(E)1; P(e==b); P(H::m|H::n); P(E(2)); P(int(F{7}));
}
}
kernel void enums(global int *o) { in_enums::run(o); }
namespace in_casts {
void run(global int *o) {
int i=65; P(char(i)); P((char)i); float f=2.9f; P(int(f)); P(static_cast<int>(f)); unsigned u=-1; P(u>>28); P(int(3000000000u)); long l=1L<<40; P(int(l>>38)); P(short(70000)); bool b=i; P(b); P((unsigned char)300); int*p=&i; *reinterpret_cast<int*>(p)=7; P(i); const int*cp=p; *const_cast<int*>(cp)=8; P(i); void*v=p; P(*static_cast<int*>(v)); int&r=static_cast<int&>(i); r=4; P(i); P(i/3*3+i%3); P(-7/2); P(-7%3); P(1<<4|3); P(5&6^3); P(~5); P(!5); P(3>2>1);
}
}
kernel void casts(global int *o) { in_casts::run(o); }
namespace in_aggr2 {
struct S{int a,b;}; struct A{int p;int q[2];int z;}; struct I{int v;}; struct B{I d;int w;}; struct D{int x;int y=7;}; struct S2{int a,b;}; S2 f(int n){return {n,n+1};} int g(S2 s){return s.a*s.b;}
void run(global int *o) {
S s{.a=1,.b=2}; P(s.b); A a{1,{2,3},4}; P(a.q[1]); P(a.z); A b{}; P(b.z); B c{{5},6}; P(c.d.v); P(c.w); int m[2][2]{{1},{2,3}}; P(m[0][1]);P(m[1][1]); D e{1}; P(e.x); P(e.y); S2 t=f(3); P(t.a); P(g({4,5})); const S2 k{8,9}; P(k.b); P(S2{1,2}.b);
}
}
kernel void aggr2(global int *o) { in_aggr2::run(o); }
namespace in_defargs2 {
int z=2; int f(int a=3,int b=z*2){return a*10+b;} struct S{int v; S(int x=9):v(x){} int m(int k=1){return v+k;}}; int g(int a,int b=f(1,1)){return a+b;} template<class T> T h(T x=T(6)){return x;} struct X{static constexpr int n=3; int k(int a,int b=n){return a*b;}}; int d(int&r,int k=0){r+=k;return r;}
void run(global int *o) {
P(f());P(f(1));P(f(1,2)); S s; P(s.m()); P(s.m(5)); P(S(4).v); P(g(3)); P(h<int>()); P(h<int>(4)); X x; P(x.k(2)); int q=5; P(d(q)); P(d(q,1));
}
}
kernel void defargs2(global int *o) { in_defargs2::run(o); }
namespace in_arrparam {
int f(int*p){return p[1];} int g(int(&a)[3]){return a[2];} template<int n> int h(const int(&a)[n]){int s=0;for(int i=0;i<n;i++)s+=a[i];return s*10+n;} template<int n,int k> int m(int(&a)[n][k]){return n*10+k;} struct S{int a[5]; int n(){return sizeof(a)/sizeof(*a);}};
void run(global int *o) {
int a[3]={1,2,3}; P(f(a)); P(g(a)); P(h(a)); int b[2][3]={{1,2,3},{4,5,6}}; P(m(b)); S s; P(s.n()); int(&r)[3]=a; r[0]=9; P(a[0]); int(*p)[3]=&b[1]; P((*p)[2]); P(sizeof(r)/sizeof(r[0]));
}
}
kernel void arrparam(global int *o) { in_arrparam::run(o); }
namespace in_thisret {
struct S{int n=0; S&a(){n+=1;return*this;} S&b(){n*=10;return*this;} S copy()const{S c=*this;c.n++;return c;} S*ptr(){return this;}}; struct L{int v[4];int k=0; L&add(int x){v[k++]=x;return*this;} int sum()const{int s=0;for(int i=0;i<k;i++)s+=v[i];return s;}};
void run(global int *o) {
S s; s.a().b().a(); P(s.n); S t=s.a(); P(t.n); P(s.copy().n); P(S().a().b().n); S*p=s.ptr(); p->n=4; P(s.n); P((*s.ptr()).n); L l; l.add(1).add(2); P(l.sum());
}
}
kernel void thisret(global int *o) { in_thisret::run(o); }
namespace in_initlistorder {
struct S{int a,b,c; S(global int*o):c(a+b),b(a+1),a(10){c=a+b;}}; struct W{const int r; const T t; W(global int*o,int n):t(o,n),r(n*2){}}; struct Q{int&x; Q(int&v):x(v){}}; struct K{int k=6;}; struct E{int a[3]={1,2,3}; K s{};};
void run(global int *o) {
S s(o); P(s.c); W w(o,2); P(w.r); int z=5; Q q(z); q.x=8; P(z); E e; P(e.a[1]); P(e.s.k);
}
}
kernel void initlistorder(global int *o) { in_initlistorder::run(o); }
namespace in_lambda3 {
struct S{int v; auto get(){return [this]{return v*2;};}};
void run(global int *o) {
int a=1; auto f=[a]()mutable{return a++;}; P(f());P(f());P(a); auto g=[&a]{a=10;}; g();P(a); auto h=[x=a,&y=a]{y++;return x+y;}; P(h());P(a); auto k=[](int x,int y=3){return x+y;}; P(k(1)); auto m=[](int x)->float{return x/2.0f;}; P(m(3)*2); S s{4}; P(s.get()()); auto n=[f2=[](int x){return x*x;}](int q){return f2(q)+1;}; P(n(3)); P([&](int z){return [&](int w){return z+w+a;}(2);}(5)); int arr[3]={1,2,3}; auto ar=[arr](int i){return arr[i];}; P(ar(2)); auto t=[=]{auto u=[=]{return a;};return u();}; P(t());
}
}
kernel void lambda3(global int *o) { in_lambda3::run(o); }
namespace in_ifinit {
constant int q1=2; struct S{int v; operator bool()const{return v;}}; int cn=3; int next(){return cn?cn--:0;}
void run(global int *o) {
if(int q=3;q>2)P(q);else P(-q); if(auto p=&q1;p)P(1); if(S s{0};s)P(1);else if(S u{2};u)P(2); else P(3); while(auto k=next()){P(k);} for(int i=0,j=5;i<j;i++,j--)P(i*10+j);
}
}
kernel void ifinit(global int *o) { in_ifinit::run(o); }
