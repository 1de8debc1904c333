// Written by scripts/ptx-cases: 99 instructions of PTX, each with eight sets of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 8 --arg uint[8]:values=1069547520,3222274048,1356825718,2147483648,0,2139095040,2143289344,1036831949 --arg uint[8]:values=1075838976,3223322624,1080033280,3208642560,1133903872,3769465068,2143289344,1335165689 --arg uint[8]:values=15360,49280,31743,32768,0,31744,32256,11878 --arg ulong[8]:values=0,1,18446744073709551615,9223372036854775808,9223372036854775807,1311768467463790320,16045690981097406465,8589934591 --arg uint[8]:values=0,1,4294967295,2147483648,2147483647,305419896,3735928559,37 --arg ulong[792] --print out
// prints: out: 2 0 4 0 300 0 0 65535 2 0 3 0 300 0 0 65535 2 0 3 0 300 0 0 65535 3 0 4 0 300 0 0 65535 2 65534 4 65535 300 32768 0 32767 2 65534 3 0 300 32768 0 32767 2 65533 3 65535 300 32768 0 32767 3 65534 4 0 300 32768 0 32767 2 0 4 0 300 0 0 4294967295 2 0 3 0 300 0 0 4294967295 2 0 3 0 300 0 0 4294967295 3 0 4 0 300 0 0 4294967295 2 4294967294 4 4294967295 300 2147483648 0 2147483647 2 4294967294 3 0 300 2147483648 0 2147483647 2 4294967293 3 4294967295 300 2147483648 0 2147483647 3 4294967294 4 0 300 2147483648 0 2147483647 2 0 4 0 300 0 9223372036854775808 5000000000 2 0 3 0 300 0 9223372036854775808 5000000000 2 0 3 0 300 0 9223372036854775808 5000000000 3 0 4 0 300 0 9223372036854775808 5000000000 2 18446744073709551614 4 18446744073709551615 300 9223372036854775808 9223372036854775808 5000000000 2 18446744073709551614 3 0 300 9223372036854775808 9223372036854775808 5000000000 2 18446744073709551613 3 18446744073709551615 300 9223372036854775808 9223372036854775808 5000000000 3 18446744073709551614 4 0 300 9223372036854775808 9223372036854775808 5000000000 0 1065353216 1199570688 0 1199570688 1185738752 1195306752 1108606976 0 1065353216 1199570688 0 1199570688 1185738752 1195306752 1108606976 0 1065353216 1199570688 0 1199570688 1185738752 1195306752 1108606976 0 1065353216 1199570688 0 1199570688 1185738752 1195306752 1108606976 0 1065353216 3212836864 0 3212836864 1185738752 3330417152 1108606976 0 1065353216 3212836864 0 3212836864 1185738752 3330417152 1108606976 0 1065353216 3212836864 0 3212836864 1185738752 3330417152 1108606976 0 1065353216 3212836864 0 3212836864 1185738752 3330417152 1108606976 0 1065353216 1333788672 1325400064 1325400064 1301390004 1331604927 1108606976 0 1065353216 1333788671 1325400064 1325400063 1301390003 1331604926 1108606976 0 1065353216 1333788671 1325400064 1325400063 1301390003 1331604926 1108606976 0 1065353216 1333788672 1325400064 1325400064 1301390004 1331604927 1108606976 0 1065353216 3212836864 3472883712 1325400064 1301390004 3456452868 1108606976 0 1065353216 3212836864 3472883712 1325400063 1301390003 3456452868 1108606976 0 1065353216 3212836864 3472883712 1325400063 1301390003 3456452869 1108606976 0 1065353216 3212836864 3472883712 1325400064 1301390004 3456452868 1108606976 0 1065353216 1602224128 1593835520 1593835520 1569825460 1600040383 1342177280 0 1065353216 1602224127 1593835520 1593835519 1569825459 1600040382 1342177279 0 1065353216 1602224127 1593835520 1593835519 1569825459 1600040382 1342177279 0 1065353216 1602224128 1593835520 1593835520 1569825460 1600040383 1342177280 0 1065353216 3212836864 3741319168 1593835520 1569825460 3724888324 1342177280 0 1065353216 3212836864 3741319168 1593835519 1569825459 3724888324 1342177279 0 1065353216 3212836864 3741319168 1593835519 1569825459 3724888325 1342177279 0 1065353216 3212836864 3741319168 1593835520 1569825460 3724888324 1342177280 0 1 65535 0 65535 22136 48879 37 0 1 65535 0 65535 22136 48879 37 0 1 65535 0 65535 22136 48879 37 0 1 65535 0 65535 57072 1 65535 0 1 65535 0 65535 57072 1 65535 0 1 0 0 65535 65535 0 65535 0 1 65535 0 65535 22136 48879 37 0 1 65535 0 65535 22136 48879 37 0 1 65535 0 65535 22136 48879 37 0 1 65535 0 65535 57072 1 65535 0 1 65535 0 65535 57072 1 65535 0 1 65535 32768 32767 32767 32768 32767 0 1 65535 0 65535 22136 48879 37 0 1 4294967295 0 4294967295 22136 4294950639 37 0 1 4294967295 2147483648 2147483647 305419896 3735928559 37 0 1 4294967295 0 4294967295 2596069104 1 4294967295 0 1 4294967295 0 4294967295 2596069104 1 4294967295 0 1 0 0 4294967295 4294967295 0 4294967295 0 1 65535 0 65535 22136 48879 37 0 1 4294967295 0 4294967295 22136 4294950639 37 0 1 4294967295 2147483648 2147483647 305419896 3735928559 37 0 1 4294967295 0 4294967295 2596069104 1 4294967295 0 1 4294967295 0 4294967295 2596069104 1 4294967295 0 1 4294967295 2147483648 2147483647 2147483647 2147483648 2147483647 0 1 65535 0 65535 22136 48879 37 0 1 18446744073709551615 0 18446744073709551615 22136 18446744073709534959 37 0 1 4294967295 2147483648 2147483647 305419896 3735928559 37 0 1 18446744073709551615 18446744071562067968 2147483647 305419896 18446744073150512879 37 0 1 18446744073709551615 9223372036854775808 9223372036854775807 1311768467463790320 16045690981097406465 8589934591 0 1 0 0 9223372036854775807 1311768467463790320 0 8589934591 0 1 65535 0 65535 22136 48879 37 0 1 18446744073709551615 0 18446744073709551615 22136 18446744073709534959 37 0 1 4294967295 2147483648 2147483647 305419896 3735928559 37 0 1 18446744073709551615 18446744071562067968 2147483647 305419896 18446744073150512879 37 0 1 18446744073709551615 9223372036854775808 9223372036854775807 1311768467463790320 16045690981097406465 8589934591 0 1 9223372036854775807 9223372036854775807 9223372036854775807 1311768467463790320 9223372036854775807 8589934591 0 1 255 0 255 120 239 37 0 1 4294967295 0 4294967295 120 4294967279 37 0 1 255 0 255 120 239 37 0 1 4294967295 4294967168 127 127 4294967168 37 0 1 0 0 255 255 0 37 0 1 65535 0 65535 22136 48879 37 1073741824 3221225472 1082130432 3212836864 1133903872 3769465068 2143289344 1335165689 1073741824 3221225472 1077936128 2147483648 1133903872 3769465068 2143289344 1335165689 1073741824 3225419776 1077936128 3212836864 1133903872 3769465068 2143289344 1335165689 1077936128 3221225472 1082130432 2147483648 1133903872 3769465068 2143289344 1335165689 1065353216 0 1065353216 0 0 1065353216 0 1036831949 1065353216 3222274048 1199562752 2147483648 0 2139095040 2143289344 1036828672 16640 49408 17152 47616 23728 64512 32256 31744 16640 49408 17152 47616 23728 64511 32256 31743 0 15360 48128 64512 31744 31744 64512 20640
#define AT(j) ((item * (2 * j + 1) + 3 * j) & 7)
#define F(j) f[AT(j)]
#define G(j) g[AT(j)]
#define H(j) h[AT(j)]
#define L(j) l[AT(j)]
#define W(j) w[AT(j)]
#define PUT(n, value) out[(n) * 8 + item] = (value)
#define FLOAT(value) (isnan(value) ? 0x7fc00000ul : (ulong)as_uint(value))
#define DOUBLE(value) (isnan(value) ? 0x7ff8000000000000ul : as_ulong(value))
#define HALF(value) (((value) & 0x7fff) > 0x7c00 ? 0x7e00ul : (ulong)(value))
kernel void k(global const uint *f, global const uint *g, global const uint *h, global const ulong *l, global const uint *w, global ulong *out) {
    ulong item = get_global_id(0);
    { ushort r0; asm volatile("cvt.rni.u16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(0, r0); }
    { ushort r0; asm volatile("cvt.rzi.u16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(1, r0); }
    { ushort r0; asm volatile("cvt.rmi.u16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(2, r0); }
    { ushort r0; asm volatile("cvt.rpi.u16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(3, r0); }
    { short r0; asm volatile("cvt.rni.s16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(4, (ushort)r0); }
    { short r0; asm volatile("cvt.rzi.s16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(5, (ushort)r0); }
    { short r0; asm volatile("cvt.rmi.s16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(6, (ushort)r0); }
    { short r0; asm volatile("cvt.rpi.s16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(7, (ushort)r0); }
    { uint r0; asm volatile("cvt.rni.u32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(8, r0); }
    { uint r0; asm volatile("cvt.rzi.u32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(9, r0); }
    { uint r0; asm volatile("cvt.rmi.u32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(10, r0); }
    { uint r0; asm volatile("cvt.rpi.u32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(11, r0); }
    { int r0; asm volatile("cvt.rni.s32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(12, (uint)r0); }
    { int r0; asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(13, (uint)r0); }
    { int r0; asm volatile("cvt.rmi.s32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(14, (uint)r0); }
    { int r0; asm volatile("cvt.rpi.s32.f32 %0, %1;" : "=&r"(r0) : "f"(as_float(G(0)))); PUT(15, (uint)r0); }
    { ulong r0; asm volatile("cvt.rni.u64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(16, r0); }
    { ulong r0; asm volatile("cvt.rzi.u64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(17, r0); }
    { ulong r0; asm volatile("cvt.rmi.u64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(18, r0); }
    { ulong r0; asm volatile("cvt.rpi.u64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(19, r0); }
    { long r0; asm volatile("cvt.rni.s64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(20, (ulong)r0); }
    { long r0; asm volatile("cvt.rzi.s64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(21, (ulong)r0); }
    { long r0; asm volatile("cvt.rmi.s64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(22, (ulong)r0); }
    { long r0; asm volatile("cvt.rpi.s64.f32 %0, %1;" : "=&l"(r0) : "f"(as_float(G(0)))); PUT(23, (ulong)r0); }
    { float r0; asm volatile("cvt.rn.f32.u16 %0, %1;" : "=&f"(r0) : "h"((ushort)W(0))); PUT(24, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rz.f32.u16 %0, %1;" : "=&f"(r0) : "h"((ushort)W(0))); PUT(25, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rm.f32.u16 %0, %1;" : "=&f"(r0) : "h"((ushort)W(0))); PUT(26, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rp.f32.u16 %0, %1;" : "=&f"(r0) : "h"((ushort)W(0))); PUT(27, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rn.f32.s16 %0, %1;" : "=&f"(r0) : "h"((short)W(0))); PUT(28, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rz.f32.s16 %0, %1;" : "=&f"(r0) : "h"((short)W(0))); PUT(29, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rm.f32.s16 %0, %1;" : "=&f"(r0) : "h"((short)W(0))); PUT(30, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rp.f32.s16 %0, %1;" : "=&f"(r0) : "h"((short)W(0))); PUT(31, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rn.f32.u32 %0, %1;" : "=&f"(r0) : "r"(W(0))); PUT(32, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rz.f32.u32 %0, %1;" : "=&f"(r0) : "r"(W(0))); PUT(33, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rm.f32.u32 %0, %1;" : "=&f"(r0) : "r"(W(0))); PUT(34, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rp.f32.u32 %0, %1;" : "=&f"(r0) : "r"(W(0))); PUT(35, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rn.f32.s32 %0, %1;" : "=&f"(r0) : "r"((int)W(0))); PUT(36, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rz.f32.s32 %0, %1;" : "=&f"(r0) : "r"((int)W(0))); PUT(37, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rm.f32.s32 %0, %1;" : "=&f"(r0) : "r"((int)W(0))); PUT(38, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rp.f32.s32 %0, %1;" : "=&f"(r0) : "r"((int)W(0))); PUT(39, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rn.f32.u64 %0, %1;" : "=&f"(r0) : "l"(L(0))); PUT(40, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rz.f32.u64 %0, %1;" : "=&f"(r0) : "l"(L(0))); PUT(41, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rm.f32.u64 %0, %1;" : "=&f"(r0) : "l"(L(0))); PUT(42, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rp.f32.u64 %0, %1;" : "=&f"(r0) : "l"(L(0))); PUT(43, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rn.f32.s64 %0, %1;" : "=&f"(r0) : "l"((long)L(0))); PUT(44, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rz.f32.s64 %0, %1;" : "=&f"(r0) : "l"((long)L(0))); PUT(45, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rm.f32.s64 %0, %1;" : "=&f"(r0) : "l"((long)L(0))); PUT(46, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rp.f32.s64 %0, %1;" : "=&f"(r0) : "l"((long)L(0))); PUT(47, FLOAT(r0)); }
    { ushort r0; asm volatile("cvt.u16.s16 %0, %1;" : "=&h"(r0) : "h"((short)W(0))); PUT(48, r0); }
    { ushort r0; asm volatile("cvt.u16.u32 %0, %1;" : "=&h"(r0) : "r"(W(0))); PUT(49, r0); }
    { ushort r0; asm volatile("cvt.u16.s32 %0, %1;" : "=&h"(r0) : "r"((int)W(0))); PUT(50, r0); }
    { ushort r0; asm volatile("cvt.u16.u64 %0, %1;" : "=&h"(r0) : "l"(L(0))); PUT(51, r0); }
    { ushort r0; asm volatile("cvt.u16.s64 %0, %1;" : "=&h"(r0) : "l"((long)L(0))); PUT(52, r0); }
    { ushort r0; asm volatile("cvt.sat.u16.s64 %0, %1;" : "=&h"(r0) : "l"((long)L(0))); PUT(53, r0); }
    { short r0; asm volatile("cvt.s16.u16 %0, %1;" : "=&h"(r0) : "h"((ushort)W(0))); PUT(54, (ushort)r0); }
    { short r0; asm volatile("cvt.s16.u32 %0, %1;" : "=&h"(r0) : "r"(W(0))); PUT(55, (ushort)r0); }
    { short r0; asm volatile("cvt.s16.s32 %0, %1;" : "=&h"(r0) : "r"((int)W(0))); PUT(56, (ushort)r0); }
    { short r0; asm volatile("cvt.s16.u64 %0, %1;" : "=&h"(r0) : "l"(L(0))); PUT(57, (ushort)r0); }
    { short r0; asm volatile("cvt.s16.s64 %0, %1;" : "=&h"(r0) : "l"((long)L(0))); PUT(58, (ushort)r0); }
    { short r0; asm volatile("cvt.sat.s16.s64 %0, %1;" : "=&h"(r0) : "l"((long)L(0))); PUT(59, (ushort)r0); }
    { uint r0; asm volatile("cvt.u32.u16 %0, %1;" : "=&r"(r0) : "h"((ushort)W(0))); PUT(60, r0); }
    { uint r0; asm volatile("cvt.u32.s16 %0, %1;" : "=&r"(r0) : "h"((short)W(0))); PUT(61, r0); }
    { uint r0; asm volatile("cvt.u32.s32 %0, %1;" : "=&r"(r0) : "r"((int)W(0))); PUT(62, r0); }
    { uint r0; asm volatile("cvt.u32.u64 %0, %1;" : "=&r"(r0) : "l"(L(0))); PUT(63, r0); }
    { uint r0; asm volatile("cvt.u32.s64 %0, %1;" : "=&r"(r0) : "l"((long)L(0))); PUT(64, r0); }
    { uint r0; asm volatile("cvt.sat.u32.s64 %0, %1;" : "=&r"(r0) : "l"((long)L(0))); PUT(65, r0); }
    { int r0; asm volatile("cvt.s32.u16 %0, %1;" : "=&r"(r0) : "h"((ushort)W(0))); PUT(66, (uint)r0); }
    { int r0; asm volatile("cvt.s32.s16 %0, %1;" : "=&r"(r0) : "h"((short)W(0))); PUT(67, (uint)r0); }
    { int r0; asm volatile("cvt.s32.u32 %0, %1;" : "=&r"(r0) : "r"(W(0))); PUT(68, (uint)r0); }
    { int r0; asm volatile("cvt.s32.u64 %0, %1;" : "=&r"(r0) : "l"(L(0))); PUT(69, (uint)r0); }
    { int r0; asm volatile("cvt.s32.s64 %0, %1;" : "=&r"(r0) : "l"((long)L(0))); PUT(70, (uint)r0); }
    { int r0; asm volatile("cvt.sat.s32.s64 %0, %1;" : "=&r"(r0) : "l"((long)L(0))); PUT(71, (uint)r0); }
    { ulong r0; asm volatile("cvt.u64.u16 %0, %1;" : "=&l"(r0) : "h"((ushort)W(0))); PUT(72, r0); }
    { ulong r0; asm volatile("cvt.u64.s16 %0, %1;" : "=&l"(r0) : "h"((short)W(0))); PUT(73, r0); }
    { ulong r0; asm volatile("cvt.u64.u32 %0, %1;" : "=&l"(r0) : "r"(W(0))); PUT(74, r0); }
    { ulong r0; asm volatile("cvt.u64.s32 %0, %1;" : "=&l"(r0) : "r"((int)W(0))); PUT(75, r0); }
    { ulong r0; asm volatile("cvt.u64.s64 %0, %1;" : "=&l"(r0) : "l"((long)L(0))); PUT(76, r0); }
    { ulong r0; asm volatile("cvt.sat.u64.s64 %0, %1;" : "=&l"(r0) : "l"((long)L(0))); PUT(77, r0); }
    { long r0; asm volatile("cvt.s64.u16 %0, %1;" : "=&l"(r0) : "h"((ushort)W(0))); PUT(78, (ulong)r0); }
    { long r0; asm volatile("cvt.s64.s16 %0, %1;" : "=&l"(r0) : "h"((short)W(0))); PUT(79, (ulong)r0); }
    { long r0; asm volatile("cvt.s64.u32 %0, %1;" : "=&l"(r0) : "r"(W(0))); PUT(80, (ulong)r0); }
    { long r0; asm volatile("cvt.s64.s32 %0, %1;" : "=&l"(r0) : "r"((int)W(0))); PUT(81, (ulong)r0); }
    { long r0; asm volatile("cvt.s64.u64 %0, %1;" : "=&l"(r0) : "l"(L(0))); PUT(82, (ulong)r0); }
    { long r0; asm volatile("cvt.sat.s64.u64 %0, %1;" : "=&l"(r0) : "l"(L(0))); PUT(83, (ulong)r0); }
    { uint r0; asm volatile("cvt.u32.u8 %0, %1;" : "=&r"(r0) : "r"(W(0))); PUT(84, r0); }
    { int r0; asm volatile("cvt.s32.s8 %0, %1;" : "=&r"(r0) : "r"(W(0))); PUT(85, (uint)r0); }
    { uint r0; asm volatile("cvt.u8.u32 %0, %1;" : "=&r"(r0) : "r"(W(0))); PUT(86, r0); }
    { int r0; asm volatile("cvt.sat.s8.s32 %0, %1;" : "=&r"(r0) : "r"((int)W(0))); PUT(87, (uint)r0); }
    { uint r0; asm volatile("cvt.sat.u8.s32 %0, %1;" : "=&r"(r0) : "r"((int)W(0))); PUT(88, r0); }
    { uint r0; asm volatile("cvt.u16.u32 %0, %1;" : "=&r"(r0) : "r"(W(0))); PUT(89, r0); }
    { float r0; asm volatile("cvt.rni.f32.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(G(0)))); PUT(90, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rzi.f32.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(G(0)))); PUT(91, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rmi.f32.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(G(0)))); PUT(92, FLOAT(r0)); }
    { float r0; asm volatile("cvt.rpi.f32.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(G(0)))); PUT(93, FLOAT(r0)); }
    { float r0; asm volatile("cvt.sat.f32.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(F(0)))); PUT(94, FLOAT(r0)); }
    { float r0; asm volatile("cvt.f32.f16 %0, %1;" : "=&f"(r0) : "h"((ushort)H(0))); PUT(95, FLOAT(r0)); }
    { ushort r0; asm volatile("cvt.rn.f16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(96, HALF(r0)); }
    { ushort r0; asm volatile("cvt.rz.f16.f32 %0, %1;" : "=&h"(r0) : "f"(as_float(G(0)))); PUT(97, HALF(r0)); }
    { ushort r0; asm volatile("cvt.rn.f16.s32 %0, %1;" : "=&h"(r0) : "r"((int)W(0))); PUT(98, HALF(r0)); }
}
