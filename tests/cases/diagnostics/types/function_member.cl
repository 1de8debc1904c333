struct S { int f(void); };  //~ error[function-member]: a member cannot be a function
kernel void k(void) {}
