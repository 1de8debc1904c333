// _Alignas where C11 does not have it, and attributes in brackets.
// options: -w
typedef _Alignas(16) int T; //~ error[misplaced-alignas]: '_Alignas' can only be applied to a variable or a member
void f(_Alignas(16) int x) {} //~ error[misplaced-alignas]: '_Alignas' can only be applied to a variable or a member
[[unused]] int g(void); //~ error[bracket-attribute]: OpenCL C has no attributes in '[[…]]'
kernel void k(global int *out, int n) {
    _Alignas(2) int a = 1; //~ error[invalid-alignment]: '_Alignas' asks for less (2) than the alignment of the type (4)
    _Alignas(3) int b = 1; //~ error[invalid-alignment]: requested alignment 3 is not a power of two of at most 4096
    _Alignas(n) int c = 1; //~ error[invalid-alignment]: '_Alignas' takes a type or an integer constant expression
    int d [[maybe_unused]] = 1; //~ error[bracket-attribute]: OpenCL C has no attributes in '[[…]]'
    [[fallthrough]]; //~ error[bracket-attribute]: OpenCL C has no attributes in '[[…]]'
    out[out[0]] = a + b + c + d;
}
