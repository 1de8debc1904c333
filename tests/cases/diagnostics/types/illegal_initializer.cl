typedef int T = 5;  //~ error[illegal-initializer]: a typedef cannot be initialised
kernel void k(void) {}
