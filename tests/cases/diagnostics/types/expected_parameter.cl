void f(int a, 5) {}  //~ error[expected-parameter]: expected a parameter declaration, found '5'
kernel void k(void) {}
