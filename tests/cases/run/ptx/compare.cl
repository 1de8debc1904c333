// Written by scripts/ptx-cases: 77 instructions of PTX, each with eight sets of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 8 --arg uint[8]:values=1069547520,3222274048,1356825718,2147483648,0,2139095040,2143289344,1036831949 --arg ulong[8]:values=0,1,18446744073709551615,9223372036854775808,9223372036854775807,1311768467463790320,16045690981097406465,8589934591 --arg uint[8]:values=0,1,4294967295,2147483648,2147483647,305419896,3735928559,37 --arg ulong[616] --print out
// prints: out: 1 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 0 1 0 1 0 1 0 0 1 1 0 1 0 1 0 0 0 0 1 0 1 0 1 1 1 0 1 0 1 0 1 1 1 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 0 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 0 1 0 1 0 1 0 1 1 1 0 1 0 1 0 1 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 0 0 0 1 0 0 1 1 0 0 0 1 0 0 0 0 1 1 1 0 1 1 0 0 1 1 1 0 1 1 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 0 0 1 1 0 0 1 0 0 0 1 1 0 0 1 0 1 1 0 0 1 1 0 1 1 1 0 0 1 1 0 1 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 0 0 0 1 0 0 1 1 0 0 0 1 0 0 0 0 1 1 1 0 1 1 0 0 1 1 1 0 1 1 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 0 0 1 1 0 0 1 0 0 0 1 1 0 0 1 0 1 1 0 0 1 1 0 1 1 1 0 0 1 1 0 1 1 1 0 0 0 1 0 0 1 1 0 0 0 1 0 0 0 0 1 1 1 0 1 1 0 0 1 1 1 0 1 1 0 0 0 1 0 0 0 0 0 1 0 1 0 0 1 0 1 0 1 0 1 1 0 1 1 1 1 0 1 1 1 1 0 0 0 0 1 0 0 1 0 1 0 0 1 0 1 1 0 0 0 1 1 0 0 1 0 1 0 1 1 0 1 1 1 0 1 0 0 1 0 0 1 1 1 0 0 1 1 0 1 0 1 1 0 1 0 0 1 1 1 1 0 1 1 0 1 0 1 1 1 1 0 1 0 1 0 0 0 0 1 0 0 0 0 1 0 2 1 2 0 0 1 0 0 0 0 0 2 2 2 2 1 2 2 2 2 2 1 3 2 3 3 3 1 1 1 1 1 0 1 0 2 1 1 1 1 1 1 1 2 2 1 2 2 1 2 1 1 1 0 1 1 0 1 0 2 1 1 1 2 1 1 1 0 0 4294967295 4294967295 0 0 4294967295 0 0 0 1065353216 1065353216 1065353216 0 1065353216 1065353216 0 4294967295 0 4294967295 4294967295 0 4294967295 4294967295 2147483648 3735928559 4294967295 2147483648 37 305419896 3735928559 37 2147483648 3222274048 1356825718 2147483648 0 2139095040 2143289344 1069547520 9223372036854775808 1 18446744073709551615 9223372036854775808 9223372036854775807 1311768467463790320 16045690981097406465 0 9 7 9 9 9 9 9 9 0 1 120 0 120 36 120 15 5 7 3 5 3 610839797 3176889827 79 4 3 3 3 3 3 3 3 1 1 1 1 1 0 0 1 0 0 0 0 0 1 0 0 1 1 1 1 1 1 0 1 0 0 0 0 0 0 1 0
#define AT(j) ((item * (2 * j + 1) + 3 * j) & 7)
#define F(j) f[AT(j)]
#define L(j) l[AT(j)]
#define W(j) w[AT(j)]
#define PUT(n, value) out[(n) * 8 + item] = (value)
#define FLOAT(value) (isnan(value) ? 0x7fc00000ul : (ulong)as_uint(value))
#define DOUBLE(value) (isnan(value) ? 0x7ff8000000000000ul : as_ulong(value))
#define HALF(value) (((value) & 0x7fff) > 0x7c00 ? 0x7e00ul : (ulong)(value))
kernel void k(global const uint *f, global const ulong *l, global const uint *w, global ulong *out) {
    ulong item = get_global_id(0);
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.u16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)W(0)), "h"((ushort)W(1))); PUT(0, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.u16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)W(0)), "h"((ushort)W(1))); PUT(1, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.u16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)W(0)), "h"((ushort)W(1))); PUT(2, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.u16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)W(0)), "h"((ushort)W(1))); PUT(3, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.u16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)W(0)), "h"((ushort)W(1))); PUT(4, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.u16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((ushort)W(0)), "h"((ushort)W(1))); PUT(5, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.s16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((short)W(0)), "h"((short)W(1))); PUT(6, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.s16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((short)W(0)), "h"((short)W(1))); PUT(7, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.s16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((short)W(0)), "h"((short)W(1))); PUT(8, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.s16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((short)W(0)), "h"((short)W(1))); PUT(9, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.s16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((short)W(0)), "h"((short)W(1))); PUT(10, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.s16 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "h"((short)W(0)), "h"((short)W(1))); PUT(11, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(12, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(13, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(14, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(15, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(16, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(17, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(18, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(19, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(20, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(21, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(22, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.s32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(23, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.u64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"(L(0)), "l"(L(1))); PUT(24, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.u64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"(L(0)), "l"(L(1))); PUT(25, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.u64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"(L(0)), "l"(L(1))); PUT(26, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.u64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"(L(0)), "l"(L(1))); PUT(27, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.u64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"(L(0)), "l"(L(1))); PUT(28, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.u64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"(L(0)), "l"(L(1))); PUT(29, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.s64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"((long)L(0)), "l"((long)L(1))); PUT(30, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.s64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"((long)L(0)), "l"((long)L(1))); PUT(31, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.s64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"((long)L(0)), "l"((long)L(1))); PUT(32, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.s64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"((long)L(0)), "l"((long)L(1))); PUT(33, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.s64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"((long)L(0)), "l"((long)L(1))); PUT(34, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.s64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "l"((long)L(0)), "l"((long)L(1))); PUT(35, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lo.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(36, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ls.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(37, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.hi.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(38, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.hs.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"(W(0)), "r"(W(1))); PUT(39, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(40, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.equ.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(41, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(42, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.neu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(43, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(44, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ltu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(45, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(46, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.leu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(47, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(48, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gtu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(49, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(50, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.geu.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(51, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.num.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(52, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.nan.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(53, r0); }
    { uint r0; asm volatile("{ .reg .pred p, q, r; setp.gt.s32 r, %3, 0; setp.lt.and.s32 p|q, %1, %2, r; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1)), "r"((int)W(2))); PUT(54, r0); }
    { uint r0; asm volatile("{ .reg .pred p, r; setp.gt.s32 r, %3, 0; setp.lt.and.s32 p, %1, %2, !r; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1)), "r"((int)W(2))); PUT(55, r0); }
    { uint r0; asm volatile("{ .reg .pred p, q, r; setp.gt.s32 p, %1, 0; setp.gt.s32 q, %2, 0; and.pred r, p, q; not.pred p, r; selp.u32 %0, 1, 0, r; @p add.u32 %0, %0, 2; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(56, r0); }
    { uint r0; asm volatile("{ .reg .pred p, q, r; setp.gt.s32 r, %3, 0; setp.lt.or.s32 p|q, %1, %2, r; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1)), "r"((int)W(2))); PUT(57, r0); }
    { uint r0; asm volatile("{ .reg .pred p, r; setp.gt.s32 r, %3, 0; setp.lt.or.s32 p, %1, %2, !r; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1)), "r"((int)W(2))); PUT(58, r0); }
    { uint r0; asm volatile("{ .reg .pred p, q, r; setp.gt.s32 p, %1, 0; setp.gt.s32 q, %2, 0; or.pred r, p, q; not.pred p, r; selp.u32 %0, 1, 0, r; @p add.u32 %0, %0, 2; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(59, r0); }
    { uint r0; asm volatile("{ .reg .pred p, q, r; setp.gt.s32 r, %3, 0; setp.lt.xor.s32 p|q, %1, %2, r; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1)), "r"((int)W(2))); PUT(60, r0); }
    { uint r0; asm volatile("{ .reg .pred p, r; setp.gt.s32 r, %3, 0; setp.lt.xor.s32 p, %1, %2, !r; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1)), "r"((int)W(2))); PUT(61, r0); }
    { uint r0; asm volatile("{ .reg .pred p, q, r; setp.gt.s32 p, %1, 0; setp.gt.s32 q, %2, 0; xor.pred r, p, q; not.pred p, r; selp.u32 %0, 1, 0, r; @p add.u32 %0, %0, 2; }" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(62, r0); }
    { uint r0; asm volatile("set.lt.u32.s32 %0, %1, %2;" : "=&r"(r0) : "r"((int)W(0)), "r"((int)W(1))); PUT(63, r0); }
    { float r0; asm volatile("set.gt.f32.u32 %0, %1, %2;" : "=&f"(r0) : "r"(W(0)), "r"(W(1))); PUT(64, FLOAT(r0)); }
    { uint r0; asm volatile("set.leu.u32.f32 %0, %1, %2;" : "=&r"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(65, r0); }
    { uint r0; asm volatile("slct.u32.s32 %0, %1, %2, %3;" : "=&r"(r0) : "r"(W(0)), "r"(W(1)), "r"((int)W(2))); PUT(66, r0); }
    { float r0; asm volatile("slct.f32.f32 %0, %1, %2, %3;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1))), "f"(as_float(F(2)))); PUT(67, FLOAT(r0)); }
    { ulong r0; asm volatile("slct.u64.f32 %0, %1, %2, %3;" : "=&l"(r0) : "l"(L(0)), "l"(L(1)), "f"(as_float(F(2)))); PUT(68, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 1; @p bra OUT; mov.u32 %0, 7; bra END; OUT: mov.u32 %0, 9; END: add.u32 %0, %0, 0; }" : "=&r"(r0) : "r"(W(0))); PUT(69, r0); }
    { uint r0; asm volatile("{ .reg .u32 n; .reg .pred p; mov.u32 %0, 0; and.b32 n, %1, 15; AGAIN: add.u32 %0, %0, n; sub.u32 n, n, 1; setp.lt.s32 p, n, 0; @!p bra AGAIN; }" : "=&r"(r0) : "r"(W(0))); PUT(70, r0); }
    { uint r0; asm volatile("{ .reg .b32 r<4>; mov.b32 r0, %1; mov.b32 r3, r0; { .reg .b32 r0; mov.b32 r0, 5; add.u32 r3, r3, r0; } add.u32 %0, r3, r0; }" : "=&r"(r0) : "r"(W(0))); PUT(71, r0); }
    { uint r0; asm volatile("{ .reg .pred %%p1; .reg .u32 %%r<2>; setp.eq.u32 %%p1, %1, 0; mov.u32 %%r1, 3; @%%p1 mov.u32 %%r1, 4; mov.u32 %0, %%r1; }" : "=&r"(r0) : "r"(W(0))); PUT(72, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.finite.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0)))); PUT(73, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.infinite.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0)))); PUT(74, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.number.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0)))); PUT(75, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.notanumber.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "f"(as_float(F(0)))); PUT(76, r0); }
}
