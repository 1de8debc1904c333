// Where qualifiers stand alone 'int' is taken, with a warning, as compilers do; nothing at all is an error.
kernel void square(__global *p, uint n) { //~ warning[missing-type]: a type specifier is missing; 'int' is assumed
    if (get_global_id(0) < n) p[get_global_id(0)] *= p[get_global_id(0)];
}
helper(int a) { return a; } //~ error[missing-type]: a type specifier is missing
