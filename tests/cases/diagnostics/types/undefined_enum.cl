kernel void k(global int *p) { enum F x; *p = 1; }  //~ error[undefined-enum]: 'enum F' is not defined
