#include 5
//~^ error[invalid-include]: expected "FILENAME" or <FILENAME>
kernel void k(void) {}
