// Every operator on uchar: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg uchar[8]:values=0,255,249,7,1,85,13,100 --arg uchar[8]:values=255,3,2,5,7,9,19,200 --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg uchar[8] --arg int[8] --arg char[8] --arg uchar[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: 255 2 251 12 8 94 32 44
// prints: sub: 1 252 247 2 250 76 250 156
// prints: mul: 0 253 242 35 7 253 247 32
// prints: div: 0 85 124 1 0 9 0 0
// prints: mod: 0 0 1 2 1 4 13 100
// prints: shl: 0 248 228 224 128 0 0 0
// prints: shr: 0 31 62 0 0 0 0 0
// prints: vshl: 0 248 228 224 128 170 104 100
// prints: vshr: 0 31 62 0 0 42 1 100
// prints: bits: 0 252 253 250 248 246 236 55
// prints: less: 1 0 0 0 1 0 1 1
// prints: vless: -1 0 0 0 -1 0 -1 -1
// prints: unary: 0 253 4 243 247 161 223 211
// no-diagnostics
kernel void k(global const uchar *a, global const uchar *b,
              global uchar *add,
              global uchar *sub,
              global uchar *mul,
              global uchar *div,
              global uchar *mod,
              global uchar *shl,
              global uchar *shr,
              global uchar *vshl,
              global uchar *vshr,
              global uchar *bits,
              global int *less,
              global char *vless,
              global uchar *unary) {
    size_t i = get_global_id(0);
    uchar x = a[i], y = b[i];
    uchar2 v = (uchar2)(x, y), u = v.yx;
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
