// clang's functions with a typing of their own, and the rest: expect, assume, choose_expr, object sizes, alignment.
// options: -cl-std=CL3.0
// run: --kernel k --global 1 --arg int[40]:range=1 --print p
// prints: p: 1 1 3 5 16 40 -1 1065353216 10 1 1816 4 13 77 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40
// no-diagnostics
struct S { char a; int b; float c[4]; };

int never(int x) {
    if (x > 0) return 1;
    __builtin_unreachable();
}

kernel void k(global int *p) {
    int array[10];
    char *bytes = (char *)array;
    __builtin_assume(p[0] > 0);
    p[0] = (int)__builtin_expect(p[1] == 2, 1) + 2 * (int)__builtin_expect_with_probability(p[1] == 3, 1, 0.9);
    p[1] = __builtin_types_compatible_p(int, __typeof__(p[1])) + 2 * __builtin_types_compatible_p(int, uint);
    p[2] = __builtin_choose_expr(sizeof(int) == 4, p[2], "never");
    p[3] = __builtin_constant_p(3 + 4) + 2 * __builtin_constant_p(p[3]) + 4 * __builtin_constant_p("text");
    p[4] = __builtin_offsetof(struct S, c[2]);
    p[5] = __builtin_object_size(array, 0) + (int)__builtin_object_size(p, 2);
    p[6] = (int)__builtin_object_size(p, 0);
    p[7] = __builtin_bit_cast(int, 1.0f) + __builtin_astype(0.0f, int);
    global int *q = (global int *)__builtin_assume_aligned(p, 4);
    p[8] = q[8] + *(global int *)__builtin_launder(p);
    __builtin_prefetch(p);
    __builtin_prefetch(p, 0, 3);
    p[9] = never(p[9]);
    p[10] = __builtin_align_up(p[10], 8) + 100 * __builtin_align_down(p[10], 8) + 1000 * __builtin_is_aligned(16, 8);
    p[11] = (int)((char *)__builtin_align_up(bytes + 1, 4) - bytes);
    p[12] = __builtin_unpredictable(p[12]);
    __builtin_choose_expr(1, p[13], p[14]) = 77;
}
