// A presumed line 0, which a diagnostic then shows.
#line 0
wrong kernel void k(global int *p) { p[0] = missing; }
#0
wrong
