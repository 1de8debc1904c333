// Written by scripts/ptx-cases: 18 instructions of PTX, each with eight sets of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// features: cl_khr_fp64
// run: --kernel k --global 8 --arg ulong[8]:values=4609434218613702656,13835621005235585024,6110098831471224123,9223372036854775808,0,18442240474082181120,9221120237041090560,4591870180066957722 --arg ulong[144] --print out
// prints: out: 0 0 0 1 0 0 0 0 0 1 0 1 0 0 1 0 1 0 1 0 1 1 0 1 1 1 1 0 1 1 1 1 0 0 0 0 1 1 0 1 0 1 0 0 1 1 1 1 0 0 0 1 1 1 0 1 0 1 0 1 1 1 1 1 1 0 1 0 0 0 0 0 1 1 1 0 0 0 1 0 1 0 1 1 0 0 0 0 1 1 1 1 0 0 1 0 1 0 1 1 1 1 0 1 0 1 0 0 0 0 1 0 1 1 1 1 1 0 0 1 0 0 0 0 0 1 0 0 1 1 1 1 1 1 0 1 0 0 0 0 0 0 1 0
#define AT(j) ((item * (2 * j + 1) + 3 * j) & 7)
#define D(j) d[AT(j)]
#define PUT(n, value) out[(n) * 8 + item] = (value)
#define FLOAT(value) (isnan(value) ? 0x7fc00000ul : (ulong)as_uint(value))
#define DOUBLE(value) (isnan(value) ? 0x7ff8000000000000ul : as_ulong(value))
#define HALF(value) (((value) & 0x7fff) > 0x7c00 ? 0x7e00ul : (ulong)(value))
kernel void k(global const ulong *d, global ulong *out) {
    ulong item = get_global_id(0);
    { uint r0; asm volatile("{ .reg .pred p; setp.eq.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(0, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.equ.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(1, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ne.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(2, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.neu.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(3, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.lt.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(4, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ltu.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(5, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.le.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(6, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.leu.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(7, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gt.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(8, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.gtu.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(9, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.ge.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(10, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.geu.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(11, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.num.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(12, r0); }
    { uint r0; asm volatile("{ .reg .pred p; setp.nan.f64 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0))), "d"(as_double(D(1)))); PUT(13, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.finite.f64 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0)))); PUT(14, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.infinite.f64 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0)))); PUT(15, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.number.f64 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0)))); PUT(16, r0); }
    { uint r0; asm volatile("{ .reg .pred p; testp.notanumber.f64 p, %1; selp.u32 %0, 1, 0, p; }" : "=&r"(r0) : "d"(as_double(D(0)))); PUT(17, r0); }
}
