// Operands with the constraint 'i' that are parameters of functions, as in John the Ripper's kernels: constant when the functions are
// inlined, or any value.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 8 --arg uint[8]:values=0,1,4294967295,2147483648,2147483647,305419896,3735928559,37 --arg uint[96] --print out
// prints: out: 4294967295 37 37 2147483649 2452903544 2147483648 2147483648 305419901 4294967294 2147483611 2147483685 2147483646 3009812328 2452903544 1588444911 3432638642 1 37 2147483647 2147483649 1589509887 0 2147483648 304354925 4294967295 2147483647 4294967295 4294967295 4294967295 2452903544 3735928559 3736993535 0 0 0 0 0 0 0 0 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 2147483684 2147483648 1 2705457408 4294967295 2147483647 863393624 0 1 37 0 304354920 0 0 32 0 2147483648 4294967295 0 4294967295 305419896 2706522384 3989547394 33554432 4261412864 1275068415 4278190080 4043309055 2386092 29186941 3724541952 256 1 4294967295 4294901760 1073741823 0 116747767 3176889822 5 6 4 2147483653 2147483652 305419901 3735928564 42
#define PUT(n, value) out[(n) * 8 + item] = (value)
uint lut3(uint a, uint b, uint c, uint imm) {
    uint r;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "i"(imm));
    return r;
}
uint funnel_shift_right_imm(uint hi, uint lo, uint s) {
    uint r;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "i"(s));
    return r;
}
uint add_imm(uint a, ulong n) {
    uint r;
    asm("{ .reg .u64 t; add.u64 t, %2, 0; cvt.u32.u64 %0, t; add.u32 %0, %0, %1; }" : "=&r"(r) : "r"(a), "i"(n));
    return r;
}
kernel void k(global const uint *w, global uint *out) {
    uint item = get_global_id(0);
    uint a = w[item], b = w[(item * 3 + 1) & 7], c = w[(item * 5 + 2) & 7];
    PUT(0, lut3(a, b, c, 0xca));
    PUT(1, lut3(a, b, c, 0x96));
    PUT(2, lut3(a, b, c, 0xe8));
    PUT(3, lut3(a, b, c, 0xfe));
    PUT(4, lut3(a, b, c, 0x00));
    PUT(5, lut3(a, b, c, 0xff));
    PUT(6, lut3(a, b, c, 0x1b));
    PUT(7, lut3(a, b, c, 0x80));
    PUT(8, lut3(a, b, c, a & 0xff));
    PUT(9, funnel_shift_right_imm(b, a, 7));
    PUT(10, funnel_shift_right_imm(b, a, w[(item * 3 + 5) & 7]));
    PUT(11, add_imm(a, 5));
}
