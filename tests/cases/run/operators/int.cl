// Every operator on int: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg int[8]:values=-2147483648,2147483647,-7,7,-2147483647,715827882,13,100 --arg int[8]:values=2147483647,3,2,-2,31,33,67,-3 --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --arg int[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: -1 -2147483646 -5 5 -2147483616 715827915 80 97
// prints: sub: 1 2147483644 -9 9 2147483618 715827849 -54 103
// prints: mul: -2147483648 2147483645 -14 -14 -2147483617 2147483626 871 -300
// prints: div: -1 715827882 -3 -3 -69273666 21691754 0 -33
// prints: mod: -1 1 -1 1 -1 0 13 1
// prints: shl: 0 -8 -28 -1073741824 -2147483648 1431655764 104 -2147483648
// prints: shr: -1 268435455 -2 0 -1 357913941 1 0
// prints: vshl: 0 -8 -28 -1073741824 -2147483648 1431655764 104 -2147483648
// prints: vshr: -1 268435455 -2 0 -1 357913941 1 0
// prints: bits: -2147483648 -4 -3 1 -32 -34 -68 2
// prints: less: 1 0 1 0 1 0 1 0
// prints: vless: -1 0 -1 0 -1 0 -1 0
// prints: unary: 0 2147483645 4 -6 2147483615 -715827916 -81 -98
// no-diagnostics
kernel void k(global const int *a, global const int *b,
              global int *add,
              global int *sub,
              global int *mul,
              global int *div,
              global int *mod,
              global int *shl,
              global int *shr,
              global int *vshl,
              global int *vshr,
              global int *bits,
              global int *less,
              global int *vless,
              global int *unary) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    int2 v = (int2)(x, y), u = v.yx;
    add[i] = x + y;
    sub[i] = x - y;
    mul[i] = x * y;
    div[i] = x / y;
    mod[i] = x % y;
    shl[i] = x << y;
    shr[i] = x >> y;
    vshl[i] = (v << u).x;
    vshr[i] = (v >> u).x;
    bits[i] = (x & y) ^ (x | ~y);
    less[i] = x < y;
    vless[i] = (v < u).x;
    unary[i] = -x + ~y;
}
