// Names that other compilers predefine for headers to make `size_t` of.
// no-diagnostics
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
kernel void k(global ulong *p) { p[0] = sizeof(__SIZE_TYPE__); }
