// What OpenCL C leaves undefined in a printf is a warning; what cannot be done, an error (§6.15.14).
// options: -cl-std=CL3.0
struct pair { int a, b; };
constant char known[] = "known";
kernel void k(global char *s, float f, int2 v, struct pair p, long l) {
    printf("%s %s\n", "literal", known);
    printf("%s\n", s); //~ warning[printf-format]: '%s' takes a string literal, the argument is of type '__global char *'
    printf("%d\n"); //~ warning[printf-format]: the format has 1 conversions, 0 arguments are given
    printf("%d\n", f); //~ warning[printf-format]: '%d' takes an integer of 32 bits
    printf("%ld %d\n", l, l); //~ warning[printf-format]: '%d' takes an integer of 32 bits, the argument is of type 'long'
    printf("%f\n", 1); //~ warning[printf-format]: '%f' takes a floating-point number
    printf("%v2d\n", v); //~ warning[printf-format]: '%v2d' has a vector specifier without a length modifier
    printf("%v4hld\n", v); //~ warning[printf-format]: '%v4hld' takes a vector of 4 components
    printf("%v2hld %v2ld\n", v, v); //~ warning[printf-format]: '%v2ld' takes an integer of 64 bits in each component
    printf("%d\n", v); //~ warning[printf-format]: '%d' takes an integer, the argument is of type 'int2'
    printf("%zd\n", l); //~ warning[printf-format]: reserves before 3.1
    printf("%lld\n", l); //~ warning[printf-format]: 'll', which OpenCL C reserves
    printf("%*d\n", 4, 5); //~ warning[printf-format]: which OpenCL C does not know
    printf("%p %p\n", s, f); //~ warning[printf-format]: '%p' takes a pointer
    printf("%d\n", p); //~ error[printf-format]: a value of type 'struct pair' cannot be printed
    printf(s); //~ error[printf-format]: the format of printf must be a string literal
}
