// C++ for OpenCL: values in braces that may not fit (C++17 §11.6.4, 7). clang 15 has errors on the same lines, and on the vector literal.
// options: -cl-std=CLC++1.0
struct A { int x; float y; uchar c; };
struct B { int v; B(int a) : v{a} {} B(float f, int) : v{f} {} }; //~ error[narrowing]: does not become
int f(int a) { return a; }
enum E { e1, e2 }; enum class G : int { g = 1 };
void k(int i, uint u, float f, double d, long l, size_t s, float4 v4, bool b, const float *pf) {
  int a1{3.5f}; //~ error[narrowing]: does not become
  int a2{3.0f}; //~ error[narrowing]: does not become
  int a3 = {f}; //~ error[narrowing]: does not become
  int a4{u}; //~ error[narrowing]: does not become
  uint a5{i}; //~ error[narrowing]: does not become
  uint a6{5};
  uint a7{-1}; //~ error[narrowing]: does not become
  float a8{i}; //~ error[narrowing]: does not become
  float a9{5};
  float a10{16777217}; //~ error[narrowing]: does not become
  float a11{d}; //~ error[narrowing]: does not become
  float a12{1.5};
  float a13{1e300}; //~ error[narrowing]: does not become
  double a14{f};
  double a15{i}; //~ error[narrowing]: does not become
  double a16{l}; //~ error[narrowing]: does not become
  int a17[2] = {f, 1}; //~ error[narrowing]: does not become
  int a18[] = {1, 2.5f}; //~ error[narrowing]: does not become
  A a19{f, 1.f, 2}; //~ error[narrowing]: does not become
  A a20{1, i, 2}; //~ error[narrowing]: does not become
  A a21 = {1, 2, 300}; //~ error[narrowing]: does not become
    //~^ warning[constant-conversion]: conversion to
  A a22 = {.x = 1, .y = d}; //~ error[narrowing]: does not become
  int4 a23 = {f, 1, 2, 3}; //~ error[narrowing]: does not become
  int4 a24 = (int4)(f, f, f, f);
  int4 a25{1, 2, 3, f}; //~ error[narrowing]: does not become
  int b1{s}; //~ error[narrowing]: does not become
  int b2{l}; //~ error[narrowing]: does not become
  long b3{i};
  long b4{u};
  bool b5{i}; //~ error[narrowing]: does not become
  bool b6{1};
  bool b7{pf}; //~ error[narrowing]: does not become
  int b8{b};
  char b9{300}; //~ error[narrowing]: does not become
    //~^ warning[constant-conversion]: conversion to
  char b10{i}; //~ error[narrowing]: does not become
  char b11{'a'};
  int b12{e1};
  int b13 = f ? 1 : 0;
  short b14 = {(short)i};
  const int ci = 5; char b15{ci};
  const float cf = 5; int b16{cf}; //~ error[narrowing]: does not become
  auto x = int{f}; //~ error[narrowing]: does not become
  auto y = int{3.5}; //~ error[narrowing]: does not become
  int z = int(f);
  B bb{f}; //~ error[narrowing]: does not become
  B bc(f);
  B bd = {f}; //~ error[narrowing]: does not become
  static_cast<int>(f);
  int q = f + u;
  int r{i + l}; //~ error[narrowing]: does not become
  int t{'a' + 1};
  uchar w{255};
  uchar w2{256}; //~ error[narrowing]: does not become
    //~^ warning[constant-conversion]: conversion to
  char w3{200}; //~ error[narrowing]: does not become
  ulong w4{-1L}; //~ error[narrowing]: does not become
  int w5{2147483648}; //~ error[narrowing]: does not become
  int w6{u & 0xff}; //~ error[narrowing]: does not become
  for (int m{s}; m < 3; m++) ; //~ error[narrowing]: does not become
  int (&&rr)[2] = {1, 2};
  ::f({u}); //~ error[narrowing]: does not become
}
float g(int i) { return {i}; } //~ error[narrowing]: does not become
struct D { int m{2.5f}; float n = {1}; };
int gl{1.5f}; //~ error[narrowing]: does not become
