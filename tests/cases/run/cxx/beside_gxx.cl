// Programs of C++ for OpenCL, each a kernel, with what g++ -std=c++17 prints for them: T notes when objects are made (1000), copied (2000), destroyed
// (3000) and assigned (4000).
// options: -cl-std=CLC++2021
// run: --kernel loopbc --global 1 --arg o=int[12] --print o
// prints: o: 11 1000 1010 3010 0 3000 1001 3001 1002 1012 3012 3002
// run: --kernel ret --global 1 --arg o=int[22] --print o
// prints: o: 21 1001 1002 3002 3001 3 1001 1002 1003 3003 3002 3001 3 1001 1002 1003 3003 3002 1004 3004 3001 4
// run: --kernel retuse --global 1 --arg o=int[4] --print o
// prints: o: 3 1001 3007 7
// run: --kernel tempref --global 1 --arg o=int[6] --print o
// prints: o: 5 1001 1 9 3001 8
// run: --kernel byval --global 1 --arg o=int[8] --print o
// prints: o: 7 1001 2002 7 3052 1 51 3051
// run: --kernel assign --global 1 --arg o=int[13] --print o
// prints: o: 12 1001 1005 4005 5 2006 1009 4009 3009 9 3009 3005 3005
// run: --kernel array --global 1 --arg o=int[9] --print o
// prints: o: 8 1001 1002 1003 2 3003 3002 3001 0
// run: --kernel minit --global 1 --arg o=int[5] --print o
// prints: o: 4 1002 1001 3001 3002
// run: --kernel base --global 1 --arg o=int[11] --print o
// prints: o: 10 1001 1002 1 2 1 1 12 3002 11 3001
// run: --kernel overload --global 1 --arg o=int[15] --print o
// prints: o: 14 1 1 1 2 3 4 1 1 1 2 4 1 1 1
// run: --kernel overload2 --global 1 --arg o=int[9] --print o
// prints: o: 8 1 2 3 1 2 2 5 6
// run: --kernel constov --global 1 --arg o=int[7] --print o
// prints: o: 6 1 2 2 3 4 4
// run: --kernel conv --global 1 --arg o=int[6] --print o
// prints: o: 5 2 2 35 5 1
// run: --kernel hide --global 1 --arg o=int[7] --print o
// prints: o: 6 2 2 1 1 21 1
// run: --kernel multi --global 1 --arg o=int[9] --print o
// prints: o: 8 1 2 3 7 8 3 1 9
// run: --kernel statics --global 1 --arg o=int[6] --print o
// prints: o: 5 5 15 20 15 7
// run: --kernel tmpl --global 1 --arg o=int[14] --print o
// prints: o: 13 2 5 2 4 4 7 1 2 3 1 12 55 15
// run: --kernel lambda --global 1 --arg o=int[15] --print o
// prints: o: 14 4 5 101 102 100 103 103 5 11 25 2 6 6 8
// run: --kernel lamthis --global 1 --arg o=int[5] --print o
// prints: o: 4 9 6 7 7
// run: --kernel lamT --global 1 --arg o=int[10] --print o
// prints: o: 9 1001 2002 2 2003 3 3003 3002 3001 0
// run: --kernel cexpr --global 1 --arg o=int[5] --print o
// prints: o: 4 9 1 720 9
// run: --kernel enumc --global 1 --arg o=int[13] --print o
// prints: o: 12 1 2 3 3 4 2 1 1 44 1 2 2
// run: --kernel retstruct --global 1 --arg o=int[7] --print o
// prints: o: 6 32 41 50 60 60 8
// run: --kernel rvo --global 1 --arg o=int[12] --print o
// prints: o: 11 1001 1 3001 1003 3 3003 1001 3001 1001 1 3001
// run: --kernel whiledecl --global 1 --arg o=int[6] --print o
// prints: o: 5 102 3002 101 3001 3000
// run: --kernel switchd --global 1 --arg o=int[9] --print o
// prints: o: 8 1001 3001 0 1002 3002 1003 3003 2
// run: --kernel nestret --global 1 --arg o=int[12] --print o
// prints: o: 11 1000 1010 3010 3000 1001 1011 1099 3099 3011 3001 110
// run: --kernel shadow --global 1 --arg o=int[8] --print o
// prints: o: 7 2 3 2 1 7 1 109
// run: --kernel deleg --global 1 --arg o=int[10] --print o
// prints: o: 9 1003 1 3 3003 1008 1 2 3 3008
// run: --kernel aggr --global 1 --arg o=int[12] --print o
// prints: o: 11 1 3 0 8 7 3 5 3 4 2 0
// run: --kernel boolb --global 1 --arg o=int[12] --print o
// prints: o: 11 1 1 1 2 1 1 1 1 0 0 1
// run: --kernel refmem --global 1 --arg o=int[4] --print o
// prints: o: 3 5 6 8
// run: --kernel copyloop --global 1 --arg o=int[19] --print o
// prints: o: 18 1001 2002 4002 3002 2003 4004 3004 4 2005 2006 6 4004 4005 4006 6 3006 3005 3006
// run: --kernel retref --global 1 --arg o=int[13] --print o
// prints: o: 12 1001 1 5 2006 6 1040 4040 3040 40 6 3006 3040
// run: --kernel i_terch --global 1 --arg o=int[5] --print o
// prints: o: 4 1 1 1 2
// run: --kernel i_arrext --global 1 --arg o=int[5] --print o
// prints: o: 4 1001 1 3001 8
// run: --kernel i_ops1 --global 1 --arg o=int[18] --print o
// prints: o: 17 4 3 14 28 16 1414 1 1015 0 -14 5 1 0 42 168 42 3
struct T { global int *o; int v;
 T(global int *o_, int v_) : o(o_), v(v_) { put(1000+v); }
 T(const T &t) : o(t.o), v(t.v+1) { put(2000+v); }
 T &operator=(const T &t) { v = t.v; put(4000+v); return *this; }
 ~T() { put(3000+v); }
 void put(int x) const { o[++o[0]] = x; } };
#define P(x) (o[++o[0]] = (int)(x))
namespace in_loopbc {
void run(global int *o) {
for(int i=0;i<4;i++){T a(o,i); if(i==1)continue; {T b(o,i+10); if(i==2)break;} P(i);}
}
}
kernel void loopbc(global int *o) { in_loopbc::run(o); }
namespace in_ret {
int f(global int*o,int n){T a(o,1);{T b(o,2); if(n==1)return a.v+b.v; T c(o,3); if(n==2)return c.v;} T d(o,4); return d.v;}
void run(global int *o) {
P(f(o,1));P(f(o,2));P(f(o,3));
}
}
kernel void ret(global int *o) { in_ret::run(o); }
namespace in_retuse {
int f(global int*o){T a(o,1); a.v=7; return a.v;}
void run(global int *o) {
P(f(o));
}
}
kernel void retuse(global int *o) { in_retuse::run(o); }
namespace in_tempref {
void run(global int *o) {
{const T &r=T(o,1); P(r.v); P(9);} P(8);
}
}
kernel void tempref(global int *o) { in_tempref::run(o); }
namespace in_byval {
void f(T t){t.v+=50; t.put(7);} void g(T &t){t.v+=50;}
void run(global int *o) {
T a(o,1); f(a); P(a.v); g(a); P(a.v);
}
}
kernel void byval(global int *o) { in_byval::run(o); }
namespace in_assign {
void run(global int *o) {
T a(o,1),b(o,5); a=b; P(a.v); T c=a; c=T(o,9); P(c.v);
}
}
kernel void assign(global int *o) { in_assign::run(o); }
namespace in_array {
void run(global int *o) {
{T a[3]={T(o,1),T(o,2),T(o,3)}; P(a[1].v);} P(0);
}
}
kernel void array(global int *o) { in_array::run(o); }
namespace in_minit {
struct S{T b;T a; S(global int*o):b(o,2),a(o,1){}};
void run(global int *o) {
{S s(o);}
}
}
kernel void minit(global int *o) { in_minit::run(o); }
namespace in_base {
struct B{T t; B(global int*o):t(o,1){} ~B(){t.put(11);} int g(){return 1;}}; struct D:B{T u; D(global int*o):B(o),u(o,2){} ~D(){u.put(12);} int g(){return 2;}};
void run(global int *o) {
{D d(o); B &r=d; P(r.g()); P(d.g()); D*q=&d; P(static_cast<B*>(q)->g()); P(d.B::g());} 
}
}
kernel void base(global int *o) { in_base::run(o); }
namespace in_overload {
int h(int){return 1;} int h(uint){return 2;} int h(long){return 3;} int h(float){return 4;}
void run(global int *o) {
char c=1;short s=1;uchar uc=1;uint u=1;long l=1;float f=1;bool b=true; P(h(c));P(h(s));P(h(uc));P(h(u));P(h(l));P(h(f));P(h(b));P(h(1));P(h('a'));P(h(1u));P(h(1.5f));P(h(c+c));P(h(b+b));P(h(s<<1));
}
}
kernel void overload(global int *o) { in_overload::run(o); }
namespace in_overload2 {
int h(char){return 1;} int h(bool){return 2;} int h(int){return 3;} int g(int){return 5;} int g(double){return 6;}
void run(global int *o) {
char c=1;bool b=true;float f=2; P(h(c));P(h(b));P(h(c+1));P(h(true?c:c)); P(h(!f)); P(h(c==c)); P(g(c)); P(g(1.0f));
}
}
kernel void overload2(global int *o) { in_overload2::run(o); }
namespace in_constov {
struct S{int v=1;int f(){return 1;} int f()const{return 2;}}; int g(S&){return 3;} int g(const S&){return 4;}
void run(global int *o) {
S s; const S c=s; P(s.f());P(c.f()); const S&r=s; P(r.f()); P(g(s)); P(g(c)); P(g(S()));
}
}
kernel void constov(global int *o) { in_constov::run(o); }
namespace in_conv {
struct F{float n; F(int a):n(a+0.5f){} operator float()const{return n;} }; int take(F f){return (int)(f.n*10);}
void run(global int *o) {
F f(2); P((int)f.n); int i=f; P(i); P(take(3)); float q=f; P(q*2); P(f+1.5f>3);
}
}
kernel void conv(global int *o) { in_conv::run(o); }
namespace in_hide {
struct B{int x=1;int f(int){return 1;} int h(){return x;}}; struct D:B{int x=2; int f(float){return 2;} int g(){return x*10+B::x;}};
void run(global int *o) {
D d; P(d.f(1)); P(d.x); P(d.B::x); P(((B&)d).x); P(d.g()); P(d.h());
}
}
kernel void hide(global int *o) { in_hide::run(o); }
namespace in_multi {
struct A{int a=1;}; struct B{int b=2;}; struct D:A,B{int c=3;};
void run(global int *o) {
D d; P(d.a);P(d.b);P(d.c); B&b=d; b.b=7; P(d.b); B*q=&d; q->b++; P(d.b); D*r=static_cast<D*>(q); P(r->c); A x=d; P(x.a); d.a=9; x=d; P(x.a);
}
}
kernel void multi(global int *o) { in_multi::run(o); }
namespace in_statics {
struct S{static constexpr int k=5; static int f(int a){return a*k;} template<int n> struct N{static constexpr int v=n*k;}; static constexpr int arr(int i){return i+k;}};
void run(global int *o) {
P(S::k);P(S::f(3)); S s; P(s.f(4)); P(S::N<3>::v); P(S::arr(2));
}
}
kernel void statics(global int *o) { in_statics::run(o); }
namespace in_tmpl {
template<class T> T mx(T a,T b){return a<b?b:a;} template<class T> int sz(T*){return sizeof(T);} template<class T> int cnt(const T&){return sizeof(T);} template<class T,int n> int len(T(&)[n]){return n;} template<class T> int kind(T){return 1;} template<> int kind(float){return 2;} template<class T> int kind(T*){return 3;} template<int n,class T> T apply(T x){return x*n;} template<int n> struct fib{static constexpr int v=fib<n-1>::v+fib<n-2>::v;}; template<> struct fib<1>{static constexpr int v=1;}; template<> struct fib<0>{static constexpr int v=0;}; template<int n> int sum(){ if constexpr(n==0) return 0; else return n+sum<n-1>();}
void run(global int *o) {
P(mx(1,2));P(mx(2.5f,1.5f)*2);P(mx<long>(1,2)); P(sz(o)); P(cnt(0)); int a[7]; P(len(a)); P(kind(1)); P(kind(1.f)); P(kind(o)); char c=3; P(kind(c)); P(apply<3>(4)); P(fib<10>::v); P(sum<5>());
}
}
kernel void tmpl(global int *o) { in_tmpl::run(o); }
namespace in_lambda {
template<class F> int ap(F f,int x){return f(x);}
void run(global int *o) {
int a=1,b=2; auto f=[a,&b](int x){b+=x;return a+x;}; a=100; P(f(3));P(b); auto g=[=]()mutable{a++;return a;}; P(g());P(g());P(a); auto h=g; P(h());P(g()); auto q=[&]{a=b;}; q();P(a); auto r=[n=a*2](int k){return n+k;}; P(r(1)); P([](int x){return x*x;}(5)); P(ap(f,1)); P(b); auto z=[&f](int x){return f(x)*2;}; P(z(2)); P(b);
}
}
kernel void lambda(global int *o) { in_lambda::run(o); }
namespace in_lamthis {
struct S{int v=1; int f(){auto l=[this](int x){v+=x;return v;}; return l(2)+l(3);} int g(){auto l=[=](){return ++this->v;}; return l();}};
void run(global int *o) {
S s; P(s.f()); P(s.v); P(s.g());P(s.v);
}
}
kernel void lamthis(global int *o) { in_lamthis::run(o); }
namespace in_lamT {
void run(global int *o) {
{T t(o,1); auto f=[t]{return t.v;}; P(f()); auto g=f; P(g());} P(0);
}
}
kernel void lamT(global int *o) { in_lamT::run(o); }
namespace in_cexpr {
constexpr int sq(int x){return x*x;} constexpr int fact(int n){int r=1;for(int i=2;i<=n;i++)r*=i;return r;} constexpr int g(int n){int s=0;while(n){if(n&1)s+=n;n--;}return s;}
void run(global int *o) {
int a[sq(3)]; P(sizeof(a)/4); switch(o[0]){case sq(1):P(1);break;case sq(2):P(2);break;default:P(3);} constexpr int q=fact(6); P(q); P(g(5)); static_assert(sq(4)==16,"");
}
}
kernel void cexpr(global int *o) { in_cexpr::run(o); }
namespace in_enumc {
enum class E{a,b,c}; enum class U:uchar{x}; enum V{V1=7}; int h(E){return 1;} int h(int){return 2;}
void run(global int *o) {
for(int i=0;i<4;i++){switch((E)i){case E::a:P(1);break;case E::b:P(2);case E::c:P(3);break;default:P(4);}} P((int)E::c); P(E::a<E::b); P(sizeof(U)); P((int)(U)300); P(h(E::b)); P(h(1)); P(h(V1));
}
}
kernel void enumc(global int *o) { in_enumc::run(o); }
namespace in_retstruct {
struct S{int a[3]; int get(int i){return a[i];}}; S mk(int x){S s; for(int i=0;i<3;i++)s.a[i]=x*10+i; return s;} 
#ifndef HOST
#endif
struct I2{int x,y;}; struct Q{I2 v;}; Q mk2(int x){Q q; q.v.x=x;q.v.y=x+1;return q;}
void run(global int *o) {
S s=mk(3); P(s.a[2]); P(mk(4).a[1]); P(mk(5).get(0)); s=mk(6); P(s.a[0]); S t=s; t.a[0]=1; P(s.a[0]); P(mk2(7).v.y);
}
}
kernel void retstruct(global int *o) { in_retstruct::run(o); }
namespace in_rvo {
T mk(global int*o){return T(o,1);} T mk2(global int*o,int n){ if(n) return T(o,3); return T(o,4);}
void run(global int *o) {
{T t=mk(o); P(t.v);} {T t=mk2(o,1);P(t.v);} mk(o); P(mk(o).v);
}
}
kernel void rvo(global int *o) { in_rvo::run(o); }
namespace in_whiledecl {
struct W{global int*o;int v; ~W(){o[++o[0]]=3000+v;} operator bool()const{return v>0;}};
void run(global int *o) {
int c=2; while(W w=W{o,c}){P(100+w.v); c--; if(c==1)continue;}
}
}
kernel void whiledecl(global int *o) { in_whiledecl::run(o); }
namespace in_switchd {
void run(global int *o) {
for(int i=0;i<3;i++){switch(i){case 0:{T a(o,1);break;} case 1:{T b(o,2); if(i==1)continue;} default:{T c(o,3);}} P(i);}
}
}
kernel void switchd(global int *o) { in_switchd::run(o); }
namespace in_nestret {
int f(global int*o){for(int i=0;;i++){T a(o,i);while(true){T b(o,i+10);if(i==1)return T(o,99).v+b.v; break;}}}
void run(global int *o) {
P(f(o));
}
}
kernel void nestret(global int *o) { in_nestret::run(o); }
namespace in_shadow {
int x_(int a){return a;} struct S{int x;S(int x):x(x){this->x+=x;} int get(int x){return this->x*10+x;}};
void run(global int *o) {
int x=1;{int x=x_(2);P(x);{int x=3;P(x);}P(x);}P(x); for(int x=7;x<8;x++)P(x); P(x); S s(5); P(s.get(9)); 
}
}
kernel void shadow(global int *o) { in_shadow::run(o); }
namespace in_deleg {
struct S{T t; S(global int*o,int n):t(o,n){t.put(1);} S(global int*o):S(o,8){t.put(2);} ~S(){t.put(3);}};
void run(global int *o) {
{S a(o,3);} {S b(o);}
}
}
kernel void deleg(global int *o) { in_deleg::run(o); }
namespace in_aggr {
struct C{int x,y=8;}; struct S{int a;int b=3;C c;};
void run(global int *o) {
S s{1}; P(s.a);P(s.b);P(s.c.x);P(s.c.y); S t={4,5,{6,7}}; P(t.c.y); S u{}; P(u.b); S a[2]={{1,2,{3,4}},{5}}; P(a[1].a);P(a[1].b);P(a[0].c.y); int z[4]{1,2}; P(z[1]);P(z[3]);
}
}
kernel void aggr(global int *o) { in_aggr::run(o); }
namespace in_boolb {
void run(global int *o) {
bool b=5; P(b); b=0.5f; P(b); b+=3; P(b); int i=true+true; P(i); P(sizeof(bool)); P(sizeof(true&&false)); P(sizeof(1==1)); P(sizeof('a')); uchar c=255; c++; P(c); P(-1<1u); char d=200; P(d>0||1);
}
}
kernel void boolb(global int *o) { in_boolb::run(o); }
namespace in_refmem {
struct R{int&x;}; struct W{int&x; W(int&v):x(v){} W&inc(){x++;return*this;}};
void run(global int *o) {
int a=1; R r{a}; r.x=5; P(a); R s=r; s.x++; P(a); W w(a); w.inc().inc(); P(a); 
}
}
kernel void refmem(global int *o) { in_refmem::run(o); }
namespace in_copyloop {
void run(global int *o) {
T a(o,1); for(int i=0;i<2;i++){T b=a; b.v+=i; a=b;} P(a.v); T c(a), d{c}; P(d.v); a=a; (a=c)=d; P(a.v);
}
}
kernel void copyloop(global int *o) { in_copyloop::run(o); }
namespace in_retref {
T&id(T&t){return t;}
void run(global int *o) {
T a(o,1); P(id(a).v); id(a).v=5; P(a.v); T b=id(a); P(b.v); id(a)=T(o,40); P(a.v); const T&r=id(b); P(r.v);
}
}
kernel void retref(global int *o) { in_retref::run(o); }
namespace in_i_terch {
int h(char){return 1;} int h(bool){return 2;} int h(int){return 3;}
void run(global int *o) {
char c=1; P(h(true?c:c)); P(h(o[0]?c:c)); short s=1; P(sizeof(o[0]?c:c)); P(h(o[0]?true:false));
}
}
kernel void i_terch(global int *o) { in_i_terch::run(o); }
namespace in_i_arrext {
void run(global int *o) {
{T&&r=T(o,1); P(r.v);} P(8);
}
}
kernel void i_arrext(global int *o) { in_i_arrext::run(o); }
namespace in_i_ops1 {
struct N{int v; N operator++(int){N t=*this;v++;return t;} N&operator++(){v+=10;return*this;} int operator[](int i){return v*i;} int operator()(int a,int b){return v+a*b;} N operator,(N n){return N{v*100+n.v};} bool operator!()const{return v>5;} operator int()const{return v+1000;} N operator-(const N&n)const{return N{v-n.v};} int operator-()const{return -v;} bool operator<(const N&n)const{return v<n.v;} N&operator+=(const N&n){v+=n.v;return*this;} N operator<<(int n){return N{v<<n};} N*operator->(){return this;} int&operator*(){return v;}};
void run(global int *o) {
N a{3}; N b=a++; P(a.v);P(b.v); b=++a; P(b.v); P(a[2]); int q=a(1,2); P(q); int w=(a,b).v; P(w); q=!a; P(q); q=a+1; P(q); P((a-b).v);P(-a); if(a)P(5); q=a?1:2; P(q); q=a<b; P(q); (a+=b)+=b; P(a.v); P((a<<2).v); P(a->v); *a=3; P(a.v);
}
}
kernel void i_ops1(global int *o) { in_i_ops1::run(o); }
