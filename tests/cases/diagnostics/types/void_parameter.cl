void f(int a, void) {}  //~ error[void-parameter]: a parameter cannot have type 'void'
kernel void k(void) {}
