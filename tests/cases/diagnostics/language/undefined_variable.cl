// options: -cl-std=CL2.0
extern constant int c;  //~ error[undefined-variable]: variable 'c' is declared extern but defined nowhere
kernel void k(global int *p) { *p = c; }
