// Every operator on ulong: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg ulong[8]:values=0,18446744073709551615,18446744073709551609,7,1,6148914691236517205,13,100 --arg ulong[8]:values=18446744073709551615,3,2,5,63,65,131,200 --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg ulong[8] --arg int[8] --arg long[8] --arg ulong[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: 18446744073709551615 2 18446744073709551611 12 64 6148914691236517270 144 300
// prints: sub: 1 18446744073709551612 18446744073709551607 2 18446744073709551554 6148914691236517140 18446744073709551498 18446744073709551516
// prints: mul: 0 18446744073709551613 18446744073709551602 35 63 12297829382473034389 1703 20000
// prints: div: 0 6148914691236517205 9223372036854775804 1 0 94598687557484880 0 0
// prints: mod: 0 0 1 2 1 5 13 100
// prints: shl: 0 18446744073709551608 18446744073709551588 224 9223372036854775808 12297829382473034410 104 25600
// prints: shr: 0 2305843009213693951 4611686018427387902 0 0 3074457345618258602 1 0
// prints: vshl: 0 18446744073709551608 18446744073709551588 224 9223372036854775808 12297829382473034410 104 25600
// prints: vshr: 0 2305843009213693951 4611686018427387902 0 0 3074457345618258602 1 0
// prints: bits: 0 18446744073709551612 18446744073709551613 18446744073709551610 18446744073709551552 18446744073709551550 18446744073709551484 18446744073709551415
// prints: less: 1 0 0 0 1 0 1 1
// prints: vless: -1 0 0 0 -1 0 -1 -1
// prints: unary: 0 18446744073709551613 4 18446744073709551603 18446744073709551551 12297829382473034345 18446744073709551471 18446744073709551315
// no-diagnostics
kernel void k(global const ulong *a, global const ulong *b,
              global ulong *add,
              global ulong *sub,
              global ulong *mul,
              global ulong *div,
              global ulong *mod,
              global ulong *shl,
              global ulong *shr,
              global ulong *vshl,
              global ulong *vshr,
              global ulong *bits,
              global int *less,
              global long *vless,
              global ulong *unary) {
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i];
    ulong2 v = (ulong2)(x, y), u = v.yx;
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
