// _Alignas is C11's: taken by C11's rules (§6.7.5), as clang takes it.
// no-diagnostics
struct S { char c; _Alignas(16) int x; };
_Static_assert(sizeof(struct S) == 32, "");
_Alignas(8) constant int table[2] = {1, 2};
_Static_assert(__alignof__(table) == 8, "");
kernel void k(global int *out) {
    local _Alignas(float4) int l[4];
    _Static_assert(__alignof__(l) == 16, "");
    out[0] = l[0];
}
