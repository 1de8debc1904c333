int 5;  //~ error[expected-identifier]: expected a name, found '5'
kernel void k(void) {}
