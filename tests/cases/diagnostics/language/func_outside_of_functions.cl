// __func__ is the name of the function around: outside of one there is none (C99 §6.4.2.2).
constant char *constant where = __func__; //~ error[expected-expression]: expected an expression, found '__func__'
constant int size = sizeof(__FUNCTION__); //~ error[expected-expression]: expected an expression, found '__FUNCTION__'
kernel void k(global int *p) { p[0] = sizeof(__func__); }
