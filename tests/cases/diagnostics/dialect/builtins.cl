// Calls of clang's own functions with arguments that they do not take, and those that cannot be here.
// options: -cl-std=CL3.0
struct S { int a; };
kernel void k(global int *p, float4 v, int n, struct S s) {
    void *room = __builtin_alloca(n); //~ error[unsupported-builtin]: '__builtin_alloca' is not supported: memory whose size is known at run time only
    __builtin_trap(); //~ warning[ignored-builtin]: '__builtin_trap' does nothing
    p[0] = __builtin_popcount(); //~ error[argument-count]: '__builtin_popcount' takes 1 arguments, 0 are given
    p[1] = __builtin_sqrtl(1.0f); //~ error[unsupported-builtin]: OpenCL C has no type 'long double'
    p[2] = __builtin_add_overflow(1, 2, 3); //~ error[builtin-argument]: takes a pointer to an integer as the last argument
    p[3] = __builtin_add_overflow(1.0f, 2, p); //~ error[builtin-argument]: '__builtin_add_overflow' takes integers, not 'float'
    p[4] = __builtin_reduce_add(v); //~ error[builtin-argument]: takes a vector of integers, not 'float4'
    p[5] = __builtin_isnan(n); //~ error[builtin-argument]: takes a floating-point number, not 'int'
    p[6] = __builtin_isnan(v); //~ error[builtin-argument]: takes numbers, not 'float4'
    __builtin_memcpy(p, n, 4); //~ error[builtin-argument]: '__builtin_memcpy' takes a pointer here, not 'int'
    v = __builtin_shufflevector(v, v, 0, 1, 2, 8); //~ error[builtin-argument]: are constants from -1 to 7
    v = __builtin_elementwise_max(v, n); //~ error[builtin-argument]: takes arguments of one type ('float4'), not 'int'
    v = __builtin_convertvector(n, float4); //~ error[builtin-argument]: takes a vector of as many components as 'float4' has
    p[7] = __builtin_choose_expr(n, 1, 2); //~ error[not-constant]: the first argument of '__builtin_choose_expr' is to be an integer constant expression
    p[8] = __builtin_nosuch(n); //~ error[undeclared-function]: call of undeclared function '__builtin_nosuch'
    p[9] = __builtin_bit_cast(long, n); //~ error[astype-size]: 'int' and 'long' are not of one size
}
int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); } //~ error[recursion]: function 'factorial' calls itself
int even(int *at, int n) { int here = n; return n == 0 ? *at : even(&here, n - 1); } //~ error[recursion]: function 'even' calls itself
