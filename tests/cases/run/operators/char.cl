// Every operator on char: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg char[8]:values=-128,127,-7,7,-127,42,13,100 --arg char[8]:values=127,3,2,-2,7,9,19,-3 --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg char[8] --arg int[8] --arg char[8] --arg char[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: -1 -126 -5 5 -120 51 32 97
// prints: sub: 1 124 -9 9 122 33 -6 103
// prints: mul: -128 125 -14 -14 -121 122 -9 -44
// prints: div: -1 42 -3 -3 -18 4 0 -33
// prints: mod: -1 1 -1 1 -1 6 13 1
// prints: shl: 0 -8 -28 0 -128 0 0 0
// prints: shr: -1 15 -2 0 -1 0 0 0
// prints: vshl: 0 -8 -28 -64 -128 84 104 -128
// prints: vshr: -1 15 -2 0 -1 21 1 3
// prints: bits: -128 -4 -3 1 -8 -10 -20 2
// prints: less: 1 0 1 0 1 0 1 0
// prints: vless: -1 0 -1 0 -1 0 -1 0
// prints: unary: 0 125 4 -6 119 -52 -33 -98
// no-diagnostics
kernel void k(global const char *a, global const char *b,
              global char *add,
              global char *sub,
              global char *mul,
              global char *div,
              global char *mod,
              global char *shl,
              global char *shr,
              global char *vshl,
              global char *vshr,
              global char *bits,
              global int *less,
              global char *vless,
              global char *unary) {
    size_t i = get_global_id(0);
    char x = a[i], y = b[i];
    char2 v = (char2)(x, y), u = v.yx;
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
