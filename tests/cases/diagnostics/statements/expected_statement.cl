kernel void k(void) { if (1) }  //~ error[expected-statement]: expected a statement, found '}'
