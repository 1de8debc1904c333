// Every operator on ushort: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg ushort[8]:values=0,65535,65529,7,1,21845,13,100 --arg ushort[8]:values=65535,3,2,5,15,17,35,200 --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg ushort[8] --arg int[8] --arg short[8] --arg ushort[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: 65535 2 65531 12 16 21862 48 300
// prints: sub: 1 65532 65527 2 65522 21828 65514 65436
// prints: mul: 0 65533 65522 35 15 43685 455 20000
// prints: div: 0 21845 32764 1 0 1285 0 0
// prints: mod: 0 0 1 2 1 0 13 100
// prints: shl: 0 65528 65508 224 32768 0 104 25600
// prints: shr: 0 8191 16382 0 0 0 1 0
// prints: vshl: 0 65528 65508 224 32768 43690 104 25600
// prints: vshr: 0 8191 16382 0 0 10922 1 0
// prints: bits: 0 65532 65533 65530 65520 65518 65500 65335
// prints: less: 1 0 0 0 1 0 1 1
// prints: vless: -1 0 0 0 -1 0 -1 -1
// prints: unary: 0 65533 4 65523 65519 43673 65487 65235
// no-diagnostics
kernel void k(global const ushort *a, global const ushort *b,
              global ushort *add,
              global ushort *sub,
              global ushort *mul,
              global ushort *div,
              global ushort *mod,
              global ushort *shl,
              global ushort *shr,
              global ushort *vshl,
              global ushort *vshr,
              global ushort *bits,
              global int *less,
              global short *vless,
              global ushort *unary) {
    size_t i = get_global_id(0);
    ushort x = a[i], y = b[i];
    ushort2 v = (ushort2)(x, y), u = v.yx;
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
