// Written by scripts/ptx-cases: 14 instructions of PTX, each with eight sets of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_fp16
// run: --kernel k --global 8 --arg uint[8]:values=15360,49280,31743,32768,0,31744,32256,11878 --arg uint[8]:values=1006682240,2080321126,14336,3254801984,1744846849,3019947008,1224754944,894827519 --arg ulong[112] --print out
// prints: out: 15360 32256 31743 0 11878 31744 32256 15462 3221247516 2080327450 2080323789 1744655968 1744894975 3019945984 1222657536 1029045247 15360 32256 31743 32768 44646 31744 32256 47923 1140905572 2080360166 4227806822 3892467232 1744862207 3019947520 1226852352 3109485567 32768 32256 64512 32768 0 31744 32256 11878 3254835976 2080389529 10854 3993000514 1633025024 2147530752 3238053632 894794752 32256 32256 64512 31744 31743 31744 32256 49229 1191238352 2080396875 1006682214 3993000506 1633025024 894827519 1744749824 2080340992 3154133120 4227837542 2147530752 1107351104 3892363265 872430592 3372271360 3042278399 1006649472 2080321126 14336 1107318336 1744846849 872430592 1224754944 894794751 32768 49280 49280 32768 0 31743 31744 11878 1006655040 2080327424 2080323584 1744852544 1744846849 14336 1224754944 1006682240 1090568448 1090568448 1090568448 1090568448 1090568448 1090568448 1090568448 1090568448 0 0 0 0 1 0 0 1
#define AT(j) ((item * (2 * j + 1) + 3 * j) & 7)
#define H(j) h[AT(j)]
#define P(j) p[AT(j)]
#define PUT(n, value) out[(n) * 8 + item] = (value)
#define FLOAT(value) (isnan(value) ? 0x7fc00000ul : (ulong)as_uint(value))
#define DOUBLE(value) (isnan(value) ? 0x7ff8000000000000ul : as_ulong(value))
#define HALF(value) (((value) & 0x7fff) > 0x7c00 ? 0x7e00ul : (ulong)(value))
kernel void k(global const uint *h, global const uint *p, global ulong *out) {
    ulong item = get_global_id(0);
    { ushort r0; asm volatile("add.f16 %0, %1, %2;" : "=&h"(r0) : "h"((ushort)H(0)), "h"((ushort)H(1))); PUT(0, HALF(r0)); }
    { uint r0; asm volatile("add.rn.f16x2 %0, %1, %2;" : "=&r"(r0) : "r"(P(0)), "r"(P(1))); PUT(1, r0); }
    { ushort r0; asm volatile("sub.f16 %0, %1, %2;" : "=&h"(r0) : "h"((ushort)H(0)), "h"((ushort)H(1))); PUT(2, HALF(r0)); }
    { uint r0; asm volatile("sub.rn.f16x2 %0, %1, %2;" : "=&r"(r0) : "r"(P(0)), "r"(P(1))); PUT(3, r0); }
    { ushort r0; asm volatile("mul.f16 %0, %1, %2;" : "=&h"(r0) : "h"((ushort)H(0)), "h"((ushort)H(1))); PUT(4, HALF(r0)); }
    { uint r0; asm volatile("mul.rn.f16x2 %0, %1, %2;" : "=&r"(r0) : "r"(P(0)), "r"(P(1))); PUT(5, r0); }
    { ushort r0; asm volatile("fma.rn.f16 %0, %1, %2, %3;" : "=&h"(r0) : "h"((ushort)H(0)), "h"((ushort)H(1)), "h"((ushort)H(2))); PUT(6, HALF(r0)); }
    { uint r0; asm volatile("fma.rn.f16x2 %0, %1, %2, %3;" : "=&r"(r0) : "r"(P(0)), "r"(P(1)), "r"(P(2))); PUT(7, r0); }
    { uint r0; asm volatile("neg.f16x2 %0, %1;" : "=&r"(r0) : "r"(P(0))); PUT(8, r0); }
    { uint r0; asm volatile("abs.f16x2 %0, %1;" : "=&r"(r0) : "r"(P(0))); PUT(9, r0); }
    { ushort r0; asm volatile("min.f16 %0, %1, %2;" : "=&h"(r0) : "h"((ushort)H(0)), "h"((ushort)H(1))); PUT(10, HALF(r0)); }
    { uint r0; asm volatile("max.f16x2 %0, %1, %2;" : "=&r"(r0) : "r"(P(0)), "r"(P(1))); PUT(11, r0); }
    { uint r0; asm volatile("cvt.rn.f16x2.f32 %0, 0f40200000, 0fC0200000;" : "=&r"(r0) : ); PUT(12, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.f16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)H(0)), "h"((ushort)H(1))); PUT(13, r0); }
}
