// Every operator on short: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg short[8]:values=-32768,32767,-7,7,-32767,10922,13,100 --arg short[8]:values=32767,3,2,-2,15,17,35,-3 --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg short[8] --arg int[8] --arg short[8] --arg short[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: -1 -32766 -5 5 -32752 10939 48 97
// prints: sub: 1 32764 -9 9 32754 10905 -22 103
// prints: mul: -32768 32765 -14 -14 -32753 -10934 455 -300
// prints: div: -1 10922 -3 -3 -2184 642 0 -33
// prints: mod: -1 1 -1 1 -7 8 13 1
// prints: shl: 0 -8 -28 0 -32768 0 104 0
// prints: shr: -1 4095 -2 0 -1 0 1 0
// prints: vshl: 0 -8 -28 -16384 -32768 21844 104 -32768
// prints: vshr: -1 4095 -2 0 -1 5461 1 0
// prints: bits: -32768 -4 -3 1 -16 -18 -36 2
// prints: less: 1 0 1 0 1 0 1 0
// prints: vless: -1 0 -1 0 -1 0 -1 0
// prints: unary: 0 32765 4 -6 32751 -10940 -49 -98
// no-diagnostics
kernel void k(global const short *a, global const short *b,
              global short *add,
              global short *sub,
              global short *mul,
              global short *div,
              global short *mod,
              global short *shl,
              global short *shr,
              global short *vshl,
              global short *vshr,
              global short *bits,
              global int *less,
              global short *vless,
              global short *unary) {
    size_t i = get_global_id(0);
    short x = a[i], y = b[i];
    short2 v = (short2)(x, y), u = v.yx;
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
