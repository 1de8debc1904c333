#define A+5
//~^ warning[missing-space]: white space is required after the macro name
kernel void k(void) {}
