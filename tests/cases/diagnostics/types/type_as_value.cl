typedef int T;
kernel void k(global int *p) { *p = T + 1; }  //~ error[type-as-value]: expected an expression, found the type 'int'
