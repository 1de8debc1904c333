// Every operator on long: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg long[8]:values=-9223372036854775808,9223372036854775807,-7,7,-9223372036854775807,3074457345618258602,13,100 --arg long[8]:values=9223372036854775807,3,2,-2,63,65,131,-3 --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg long[8] --arg int[8] --arg long[8] --arg long[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: -1 -9223372036854775806 -5 5 -9223372036854775744 3074457345618258667 144 97
// prints: sub: 1 9223372036854775804 -9 9 9223372036854775746 3074457345618258537 -118 103
// prints: mul: -9223372036854775808 9223372036854775805 -14 -14 -9223372036854775745 -3074457345618258646 1703 -300
// prints: div: -1 3074457345618258602 -3 -3 -146402730743726600 47299343778742440 0 -33
// prints: mod: -1 1 -1 1 -7 2 13 1
// prints: shl: 0 -8 -28 -4611686018427387904 -9223372036854775808 6148914691236517204 104 -9223372036854775808
// prints: shr: -1 1152921504606846975 -2 0 -1 1537228672809129301 1 0
// prints: vshl: 0 -8 -28 -4611686018427387904 -9223372036854775808 6148914691236517204 104 -9223372036854775808
// prints: vshr: -1 1152921504606846975 -2 0 -1 1537228672809129301 1 0
// prints: bits: -9223372036854775808 -4 -3 1 -64 -66 -132 2
// prints: less: 1 0 1 0 1 0 1 0
// prints: vless: -1 0 -1 0 -1 0 -1 0
// prints: unary: 0 9223372036854775805 4 -6 9223372036854775743 -3074457345618258668 -145 -98
// no-diagnostics
kernel void k(global const long *a, global const long *b,
              global long *add,
              global long *sub,
              global long *mul,
              global long *div,
              global long *mod,
              global long *shl,
              global long *shr,
              global long *vshl,
              global long *vshr,
              global long *bits,
              global int *less,
              global long *vless,
              global long *unary) {
    size_t i = get_global_id(0);
    long x = a[i], y = b[i];
    long2 v = (long2)(x, y), u = v.yx;
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
