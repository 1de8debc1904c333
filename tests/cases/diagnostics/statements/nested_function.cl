kernel void k(void) { int f(void) { return 1; } }
//~^ error[nested-function]: a function cannot be defined inside another one
