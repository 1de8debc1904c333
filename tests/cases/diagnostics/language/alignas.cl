// _Alignas is C11's: taken with a warning, by C11's rules (§6.7.5).
struct S { char c; _Alignas(16) int x; }; //~ warning[c11-extension]: '_Alignas' is of C11, not of OpenCL C
_Static_assert(sizeof(struct S) == 32, "");
_Alignas(8) constant int table[2] = {1, 2}; //~ warning[c11-extension]: '_Alignas' is of C11, not of OpenCL C
_Static_assert(__alignof__(table) == 8, "");
kernel void k(global int *out) {
    local _Alignas(float4) int l[4]; //~ warning[c11-extension]: '_Alignas' is of C11, not of OpenCL C
    _Static_assert(__alignof__(l) == 16, "");
    out[0] = l[0];
}
