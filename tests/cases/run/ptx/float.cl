// Written by scripts/ptx-cases: 20 instructions of PTX, each with eight sets of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 8 --arg uint[8]:values=1069547520,3222274048,1356825718,2147483648,0,2139095040,2143289344,1036831949 --arg ulong[160] --print out
// prints: out: 1069547520 2143289344 1356825718 0 1036831949 2139095040 2143289344 1070386381 1069547520 2143289344 1356825718 0 1036831949 2139095040 2143289344 1070386381 1069547520 2143289344 1356825718 2147483648 3184315597 2139095040 2143289344 3216192307 2147483648 2143289344 3514529029 2147483648 0 2139095040 2143289344 1041865114 2143289344 2143289344 3514529029 2139095040 1356825718 2139095040 2143289344 3221644902 2143289344 2143289344 3514529029 2139095040 1356825718 2139095040 2143289344 3221644902 3217031168 1074790400 3504309366 0 2147483648 4286578688 2143289344 3184315597 1069547520 1074790400 1356825718 0 0 2139095040 2143289344 1036831949 0 2143289344 1074790400 2147483648 1036831949 1356825718 2139095040 1069547520 2147483648 3222274048 3222274048 2147483648 0 1356825718 2139095040 1036831949 1069547520 3222274048 1356825718 0 1036831949 2139095040 2139095040 1069547520 1065353216 0 1065353216 0 1036831949 1065353216 0 1065353216 0 0 0 0 0 1065353216 0 1041865114 0 0 0 1065353216 1065353216 1065353216 0 0 1069547520 3222274048 1356825718 0 0 2139095040 2143289344 1036831949 0 2147483648 0 2147483648 0 2143289344 2143289344 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2147483648 2147483648 2147483648 2147483648 2147483648 2147483648 2147483648 2147483648 2147483648 2143289344 3222274048 2147483648 0 1356825718 2143289344 1036831949
#define AT(j) ((item * (2 * j + 1) + 3 * j) & 7)
#define F(j) f[AT(j)]
#define PUT(n, value) out[(n) * 8 + item] = (value)
#define FLOAT(value) (isnan(value) ? 0x7fc00000ul : (ulong)as_uint(value))
#define DOUBLE(value) (isnan(value) ? 0x7ff8000000000000ul : as_ulong(value))
#define HALF(value) (((value) & 0x7fff) > 0x7c00 ? 0x7e00ul : (ulong)(value))
kernel void k(global const uint *f, global ulong *out) {
    ulong item = get_global_id(0);
    { float r0; asm volatile("add.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(0, FLOAT(r0)); }
    { float r0; asm volatile("add.rn.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(1, FLOAT(r0)); }
    { float r0; asm volatile("sub.rn.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(2, FLOAT(r0)); }
    { float r0; asm volatile("mul.rn.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(3, FLOAT(r0)); }
    { float r0; asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1))), "f"(as_float(F(2)))); PUT(4, FLOAT(r0)); }
    { float r0; asm volatile("mad.rn.f32 %0, %1, %2, %3;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1))), "f"(as_float(F(2)))); PUT(5, FLOAT(r0)); }
    { float r0; asm volatile("neg.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(F(0)))); PUT(6, FLOAT(r0)); }
    { float r0; asm volatile("abs.f32 %0, %1;" : "=&f"(r0) : "f"(as_float(F(0)))); PUT(7, FLOAT(r0)); }
    { float r0; asm volatile("copysign.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(8, FLOAT(r0)); }
    { float r0; asm volatile("min.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(9, FLOAT(r0)); }
    { float r0; asm volatile("max.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(10, FLOAT(r0)); }
    { float r0; asm volatile("add.sat.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(11, FLOAT(r0)); }
    { float r0; asm volatile("mul.sat.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(12, FLOAT(r0)); }
    { float r0; asm volatile("fma.rn.sat.f32 %0, %1, %2, %3;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1))), "f"(as_float(F(2)))); PUT(13, FLOAT(r0)); }
    { float r0; asm volatile("add.ftz.f32 %0, %1, 0f00000001;" : "=&f"(r0) : "f"(as_float(F(0)))); PUT(14, FLOAT(r0)); }
    { float r0; asm volatile("mul.ftz.f32 %0, %1, 0f00000123;" : "=&f"(r0) : "f"(as_float(F(0)))); PUT(15, FLOAT(r0)); }
    { float r0; asm volatile("mul.ftz.f32 %0, 0f00800000, 0f3F000000;" : "=&f"(r0) : ); PUT(16, FLOAT(r0)); }
    { float r0; asm volatile("abs.ftz.f32 %0, 0f80000001;" : "=&f"(r0) : ); PUT(17, FLOAT(r0)); }
    { float r0; asm volatile("neg.ftz.f32 %0, 0f00000001;" : "=&f"(r0) : ); PUT(18, FLOAT(r0)); }
    { float r0; asm volatile("min.NaN.f32 %0, %1, %2;" : "=&f"(r0) : "f"(as_float(F(0))), "f"(as_float(F(1)))); PUT(19, FLOAT(r0)); }
}
