// A function that is called and not defined (C99 §6.9 p5): an error where a kernel leads to it; hashcat's shared code has
// functions that no kernel uses, which call what it defines for other devices.
int absent(int x);
int missing(int x);
int used(int x) { return missing(x); } //~ error[undefined-function]: function 'missing' is called but not defined
int unused(int x) { return absent(x); } //~ warning[undefined-function]: function 'absent' is called but not defined
kernel void k(global int *p) { p[0] = used(p[0]); }
