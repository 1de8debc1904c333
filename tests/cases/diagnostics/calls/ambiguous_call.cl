__attribute__((overloadable)) void g(int a, float b) {}
__attribute__((overloadable)) void g(float a, int b) {}
kernel void m(void) { g(1, 1); }  //~ error[ambiguous-call]: several overloads take (int, int)
