// Written by scripts/ptx-cases: 39 instructions of PTX, each with eight sets of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_fp64
// run: --kernel k --global 8 --arg ulong[8]:values=4612811918334230528,13836183955189006336,4591870180066957722,13828302655841107968,4679240081557422080,14279012646494702826,9221120237041090560,4607182419068452864 --arg uint[8]:values=1069547520,3222274048,1356825718,2147483648,0,2139095040,2143289344,1036831949 --arg ulong[8]:values=0,1,18446744073709551615,9223372036854775808,9223372036854775807,1311768467463790320,16045690981097406465,8589934591 --arg uint[8]:values=0,1,4294967295,2147483648,2147483647,305419896,3735928559,37 --arg ulong[312] --print out
// prints: out: 2 0 0 0 65535 0 32768 1 2 0 0 0 65535 0 32768 1 2 0 0 0 65535 0 32768 1 3 0 1 0 65535 0 32768 2 2 65534 0 65535 32767 32768 32768 1 2 65534 0 0 32767 32768 32768 1 2 65533 0 65535 32767 32768 32768 1 3 65534 1 0 32767 32768 32768 2 2 0 0 0 65537 0 2147483648 1 2 0 0 0 65537 0 2147483648 1 2 0 0 0 65537 0 2147483648 1 3 0 1 0 65537 0 2147483648 2 2 4294967294 0 4294967295 65537 2147483648 2147483648 1 2 4294967294 0 0 65537 2147483648 2147483648 1 2 4294967293 0 4294967295 65537 2147483648 2147483648 1 3 4294967294 1 0 65537 2147483648 2147483648 2 2 0 0 0 65537 0 9223372036854775808 1 2 0 0 0 65537 0 9223372036854775808 1 2 0 0 0 65537 0 9223372036854775808 1 3 0 1 0 65537 0 9223372036854775808 2 2 18446744073709551614 0 18446744073709551615 65537 9223372036854775808 9223372036854775808 1 2 18446744073709551614 0 0 65537 9223372036854775808 9223372036854775808 1 2 18446744073709551613 0 18446744073709551615 65537 9223372036854775808 9223372036854775808 1 3 18446744073709551614 1 0 65537 9223372036854775808 9223372036854775808 2 0 4607182418800017408 4679239875398991872 0 4679239875398991872 4671813911303946240 4676950692189962240 4630404104378646528 0 4607182418800017408 13830554455654793216 0 13830554455654793216 4671813911303946240 13893679892106575872 4630404104378646528 0 4607182418800017408 4751297606873776128 4746794007248502784 4746794007244308480 4733903704304910336 4750125217670496256 4630404104378646528 0 4607182418800017408 13830554455654793216 13970166044103278592 4746794007244308480 4733903704304910336 13961344802042675200 4630404104378646528 0 4607182418800017408 4895412794951729152 4890909195324358656 4890909195324358656 4878018892390907103 4894240405746352128 4755801206502195200 0 4607182418800017408 13830554455654793216 14114281232179134464 4890909195324358656 4878018892390907103 14105459990118531072 4755801206502195200 1075838976 3223322624 1036831949 3208642560 1199571072 4048155338 2143289344 1065353216 4611686018427387904 13835058055282163712 0 13830554455654793216 4679240081557422080 14279012646494702826 9221120237041090560 4607182418800017408 1075838976 3223322624 1036831948 3208642560 1199571072 4048155337 2143289344 1065353216 4611686018427387904 13835058055282163712 0 9223372036854775808 4679240081557422080 14279012646494702826 9221120237041090560 4607182418800017408 1075838976 3223322624 1036831948 3208642560 1199571072 4048155338 2143289344 1065353216 4611686018427387904 13837309855095848960 0 13830554455654793216 4679240081557422080 14279012646494702826 9221120237041090560 4607182418800017408 1075838976 3223322624 1036831949 3208642560 1199571072 4048155337 2143289344 1065353217 4613937818241073152 13835058055282163712 4607182418800017408 9223372036854775808 4679240081557422080 14279012646494702826 9221120237041090560 4611686018427387904 4609434218613702656 13835621005235585024 4763665526771679232 9223372036854775808 0 9218868437227405312 9221120237041090560 4591870180174331904
#define AT(j) ((item * (2 * j + 1) + 3 * j) & 7)
#define E(j) e[AT(j)]
#define F(j) f[AT(j)]
#define L(j) l[AT(j)]
#define W(j) w[AT(j)]
#define PUT(n, value) out[(n) * 8 + item] = (value)
#define FLOAT(value) (isnan(value) ? 0x7fc00000ul : (ulong)as_uint(value))
#define DOUBLE(value) (isnan(value) ? 0x7ff8000000000000ul : as_ulong(value))
#define HALF(value) (((value) & 0x7fff) > 0x7c00 ? 0x7e00ul : (ulong)(value))
kernel void k(global const ulong *e, global const uint *f, global const ulong *l, global const uint *w, global ulong *out) {
    ulong item = get_global_id(0);
    { ushort r0; asm volatile("cvt.rni.u16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(0, r0); }
    { ushort r0; asm volatile("cvt.rzi.u16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(1, r0); }
    { ushort r0; asm volatile("cvt.rmi.u16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(2, r0); }
    { ushort r0; asm volatile("cvt.rpi.u16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(3, r0); }
    { short r0; asm volatile("cvt.rni.s16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(4, (ushort)r0); }
    { short r0; asm volatile("cvt.rzi.s16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(5, (ushort)r0); }
    { short r0; asm volatile("cvt.rmi.s16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(6, (ushort)r0); }
    { short r0; asm volatile("cvt.rpi.s16.f64 %0, %1;" : "=&h"(r0) : "d"(as_double(E(0)))); PUT(7, (ushort)r0); }
    { uint r0; asm volatile("cvt.rni.u32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(8, r0); }
    { uint r0; asm volatile("cvt.rzi.u32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(9, r0); }
    { uint r0; asm volatile("cvt.rmi.u32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(10, r0); }
    { uint r0; asm volatile("cvt.rpi.u32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(11, r0); }
    { int r0; asm volatile("cvt.rni.s32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(12, (uint)r0); }
    { int r0; asm volatile("cvt.rzi.s32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(13, (uint)r0); }
    { int r0; asm volatile("cvt.rmi.s32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(14, (uint)r0); }
    { int r0; asm volatile("cvt.rpi.s32.f64 %0, %1;" : "=&r"(r0) : "d"(as_double(E(0)))); PUT(15, (uint)r0); }
    { ulong r0; asm volatile("cvt.rni.u64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(16, r0); }
    { ulong r0; asm volatile("cvt.rzi.u64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(17, r0); }
    { ulong r0; asm volatile("cvt.rmi.u64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(18, r0); }
    { ulong r0; asm volatile("cvt.rpi.u64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(19, r0); }
    { long r0; asm volatile("cvt.rni.s64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(20, (ulong)r0); }
    { long r0; asm volatile("cvt.rzi.s64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(21, (ulong)r0); }
    { long r0; asm volatile("cvt.rmi.s64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(22, (ulong)r0); }
    { long r0; asm volatile("cvt.rpi.s64.f64 %0, %1;" : "=&l"(r0) : "d"(as_double(E(0)))); PUT(23, (ulong)r0); }
    { double r0; asm volatile("cvt.rn.f64.u16 %0, %1;" : "=&d"(r0) : "h"((ushort)W(0))); PUT(24, DOUBLE(r0)); }
    { double r0; asm volatile("cvt.rn.f64.s16 %0, %1;" : "=&d"(r0) : "h"((short)W(0))); PUT(25, DOUBLE(r0)); }
    { double r0; asm volatile("cvt.rn.f64.u32 %0, %1;" : "=&d"(r0) : "r"(W(0))); PUT(26, DOUBLE(r0)); }
    { double r0; asm volatile("cvt.rn.f64.s32 %0, %1;" : "=&d"(r0) : "r"((int)W(0))); PUT(27, DOUBLE(r0)); }
    { double r0; asm volatile("cvt.rn.f64.u64 %0, %1;" : "=&d"(r0) : "l"(L(0))); PUT(28, DOUBLE(r0)); }
    { double r0; asm volatile("cvt.rn.f64.s64 %0, %1;" : "=&d"(r0) : "l"((long)L(0))); PUT(29, DOUBLE(r0)); }
    { float r0; asm volatile("cvt.rn.f32.f64 %0, %1;" : "=&f"(r0) : "d"(as_double(E(0)))); PUT(30, FLOAT(r0)); }
    { double r0; asm volatile("cvt.rni.f64.f64 %0, %1;" : "=&d"(r0) : "d"(as_double(E(0)))); PUT(31, DOUBLE(r0)); }
    { float r0; asm volatile("cvt.rz.f32.f64 %0, %1;" : "=&f"(r0) : "d"(as_double(E(0)))); PUT(32, FLOAT(r0)); }
    { double r0; asm volatile("cvt.rzi.f64.f64 %0, %1;" : "=&d"(r0) : "d"(as_double(E(0)))); PUT(33, DOUBLE(r0)); }
    { float r0; asm volatile("cvt.rm.f32.f64 %0, %1;" : "=&f"(r0) : "d"(as_double(E(0)))); PUT(34, FLOAT(r0)); }
    { double r0; asm volatile("cvt.rmi.f64.f64 %0, %1;" : "=&d"(r0) : "d"(as_double(E(0)))); PUT(35, DOUBLE(r0)); }
    { float r0; asm volatile("cvt.rp.f32.f64 %0, %1;" : "=&f"(r0) : "d"(as_double(E(0)))); PUT(36, FLOAT(r0)); }
    { double r0; asm volatile("cvt.rpi.f64.f64 %0, %1;" : "=&d"(r0) : "d"(as_double(E(0)))); PUT(37, DOUBLE(r0)); }
    { double r0; asm volatile("cvt.f64.f32 %0, %1;" : "=&d"(r0) : "f"(as_float(F(0)))); PUT(38, DOUBLE(r0)); }
}
