// C++ for OpenCL: jumps past the initialization of a variable (C++17 §9.7, 3); the same lines as clang 15.
// options: -cl-std=CLC++1.0
struct P { int a; }; struct C { int v; C() : v(1) {} };
void f(int n) {
  if (n) goto l1; //~ error[jump-into-scope]: bypasses the initialization
  int x = 1;
l1:
  if (n) goto l2;
  int y; P p;
l2:
  if (n) goto l3; //~ error[jump-into-scope]: bypasses the initialization
  C c;
l3:
  for (int i = 0; i < 3; i++) { if (n) goto l4; }
l4:
  switch (n) {
    case 1: { int z = 2; break; }
    case 2: int w = 3; break;
    case 3: break; //~ error[jump-into-scope]: bypasses the initialization
    default: break; //~ error[jump-into-scope]: bypasses the initialization
  }
  switch (n) {
    int q; const int k = 5;
    case 1: break; //~ error[jump-into-scope]: bypasses the initialization
  }
  goto l5; //~ error[jump-into-scope]: bypasses the initialization
  { int t = 2; l5: t = 3; }
  int u = 1;
back: u++;
  int r = 2;
  if (u < 3) goto back;
  goto l6; //~ error[jump-into-scope]: bypasses the initialization
  int &ref = u;
l6:;
  goto l7;
  static int st = 4;
l7:;
  goto l8; //~ error[jump-into-scope]: bypasses the initialization
  constexpr int ce = 4;
l8:;
  goto l9; //~ error[jump-into-scope]: bypasses the initialization
  auto lam = [](int x) { return x; };
l9:;
  goto l10;
  typedef int TT; enum { A = 1 }; 
l10:;
  goto l11;
  extern int ee;
l11:
  while (int v = n) { goto l12; }
  goto l13; //~ error[jump-into-scope]: bypasses the initialization
l12:;
  { int pp{2}; l13:; }
  if (int g = n; g) { goto l14; int s2; l14:; }
  switch (int h = n) { case 1: break; }
}
