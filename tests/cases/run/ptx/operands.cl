// The C side of asm: constraints, ties, names, early clobbers, qualifiers, strings in parts, macros, types of operands.
// options: -cl-std=CL3.0
// no-diagnostics
// run: --kernel k --global 1 --arg uint[28]:const=7 --arg uint:40 --print out
// prints: out: 42 80 41 47 80 300 9 65535 4294967295 1069547520 16909060 3 12 0 41 5 1 40 2 40 99 7 7 21 40 1 6 14
#define ADD(d, a, b) asm("add" ".u32 %0, " \
                         "%1, %2;" : "=r"(d) : "r"(a), "r"(b))
#define ROUND(n) "add.u32 %0, %0, " #n ";\n\t"
struct pair { uint x, y; };
uint twice(uint v) { __asm__ __volatile__("add.u32 %0, %0, %0;" : "+r"(v)); return v; }
kernel void k(global uint *out, uint a) {
    uint d, e;
    ADD(d, a, 2); out[0] = d;
    out[1] = twice(a);
    asm("add.u32 %[to], %[from], %[one];" : [to] "=r"(d) : [one] "n"(1), [from] "r"(a)); out[2] = d;
    asm("add.u32 %0, %1, %2;" : "=r"(d) : "0"(a), "i"(sizeof(int) + 3)); out[3] = d;
    asm volatile ("{\n\t.reg .u32 t1;\n\t// a comment\n\tadd.u32 t1, %1, %1; /* and another */\n\tmov.u32 %0, t1;\n}"
                  : "=r"(d) : "r"(a) : "memory", "cc"); out[4] = d;
    d = 0;
    asm(ROUND(100) ROUND(200) : "+r"(d)); out[5] = d;
    // Registers are wider than what they hold, and as wide as what they must.
    uchar small = 200; ushort half_word; ulong wide; short minus = -1;
    asm("sub.u32 %0, %1, 191;" : "=r"(small) : "r"(small)); out[6] = small;
    asm("mov.u16 %0, %1;" : "=h"(half_word) : "h"(minus)); out[7] = half_word;
    asm("mov.u32 %0, %1;" : "=r"(d) : "r"((int)minus)); out[8] = d;
    // Bits of a float in a word, of a vector in a word, of an int in a float's register.
    asm("mov.b32 %0, %1;" : "=r"(d) : "f"(1.5f)); out[9] = d;
    asm("mov.b32 %0, %1;" : "=r"(d) : "r"(as_uint((uchar4)(4, 3, 2, 1)))); out[10] = d;
    // Places: members, components, elements, what a pointer with a side effect points to.
    struct pair pair = {1, 2}; uint4 v = (uint4)(1, 2, 3, 4); uint array[3] = {5, 6, 7}, i = 0;
    asm("add.u32 %0, %1, 1;" : "=r"(pair.y) : "r"(pair.y)); out[11] = pair.y;
    asm("mul.lo.u32 %0, %1, 4;" : "=r"(v.z) : "r"(v.z)); out[12] = v.z;
    asm("mov.u32 %0, 0; add.u32 %1, %2, 1;" : "=r"(array[i++]), "=r"(i) : "r"(a)); out[13] = array[0]; out[14] = i;
    global uint *p = out + 15;
    asm("mov.u32 %0, 5;" : "=r"(*p++));
    asm("mov.u32 %0, 1;" : "=r"(*p++));
    // Outputs are not inputs: every source is read before.
    asm("mov.u32 %0, 2; mov.u32 %1, %2;" : "=&r"(d), "=r"(e) : "r"(a)); out[17] = e; out[18] = d;
    asm("mov.b64 {%0, %1}, %2;" : "=r"(d), "=r"(e) : "l"(((ulong)99 << 32) | a)); out[19] = d; out[20] = e;
    // What is not written keeps its value where it is read, too.
    d = 7;
    asm("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p mov.u32 %0, 8; }" : "+r"(d) : "r"(a)); out[21] = d;
    asm(""); asm volatile("" : : : "memory"); asm("" : "+r"(d)); out[22] = d;
    if (a) asm("mov.u32 %0, 21;" : "=r"(out[23])); else asm("mov.u32 %0, 22;" : "=r"(out[23]));
    for (int n = 0; n < 4; n++) asm("mad.lo.u32 %0, %1, %2, 0;" : "=r"(d) : "r"(a), "r"(n == 3)); out[24] = d;
    // A pointer through a register.
    global uint *q;
    asm("mov.u64 %0, %1;" : "=l"(q) : "l"(out + 25)); *q = 1;
    asm("{ .reg .u32 d; mov.u32 d, 6; mov.u32 %0, d; }" : "=r"(d)); out[26] = d;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(e) : "r"(a - 41), "r"(3));
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(d) : "r"(8), "r"(3)); out[27] = d + e;
}
