// Every operator on uint: results wrap around, shift counts are taken modulo the width of the promoted left
// operand, division truncates, comparisons give 1 for scalars and -1 for vectors (OpenCL C §6.4, §6.5).
// run: --kernel k --global 8 --arg uint[8]:values=0,4294967295,4294967289,7,1,1431655765,13,100 --arg uint[8]:values=4294967295,3,2,5,31,33,67,200 --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg uint[8] --arg int[8] --arg int[8] --arg uint[8] --print add --print sub --print mul --print div --print mod --print shl --print shr --print vshl --print vshr --print bits --print less --print vless --print unary
// prints: add: 4294967295 2 4294967291 12 32 1431655798 80 300
// prints: sub: 1 4294967292 4294967287 2 4294967266 1431655732 4294967242 4294967196
// prints: mul: 0 4294967293 4294967282 35 31 4294967285 871 20000
// prints: div: 0 1431655765 2147483644 1 0 43383508 0 0
// prints: mod: 0 0 1 2 1 1 13 100
// prints: shl: 0 4294967288 4294967268 224 2147483648 2863311530 104 25600
// prints: shr: 0 536870911 1073741822 0 0 715827882 1 0
// prints: vshl: 0 4294967288 4294967268 224 2147483648 2863311530 104 25600
// prints: vshr: 0 536870911 1073741822 0 0 715827882 1 0
// prints: bits: 0 4294967292 4294967293 4294967290 4294967264 4294967262 4294967228 4294967095
// prints: less: 1 0 0 0 1 0 1 1
// prints: vless: -1 0 0 0 -1 0 -1 -1
// prints: unary: 0 4294967293 4 4294967283 4294967263 2863311497 4294967215 4294966995
// no-diagnostics
kernel void k(global const uint *a, global const uint *b,
              global uint *add,
              global uint *sub,
              global uint *mul,
              global uint *div,
              global uint *mod,
              global uint *shl,
              global uint *shr,
              global uint *vshl,
              global uint *vshr,
              global uint *bits,
              global int *less,
              global int *vless,
              global uint *unary) {
    size_t i = get_global_id(0);
    uint x = a[i], y = b[i];
    uint2 v = (uint2)(x, y), u = v.yx;
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
